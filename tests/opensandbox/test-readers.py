#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The record that the library leaves in a sandbox, read by others: by the Python package's helper, and by the Web Console.

usage: test-readers.py LOOKALIKE_FOLDER SERVER FOLDER    (where the packages are, or are put)
"""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, sys.argv.pop(1))

import clients  # noqa: E402
from lookalike import Server, TIMEOUT, run, test  # noqa: E402

clients.install(sys.argv[2], clients.CONSOLE)

import gi  # noqa: E402

gi.require_version("Asb", "1")
from gi.repository import Asb, GLib  # noqa: E402

from agent_sandbox_backends import (  # noqa: E402
    HistoryConfig, HistoryMode, SandboxRef, create_opensandbox_backend)

FIELDS = ["provider_name", "provider_key", "sandbox_id", "sandbox_instance_id", "endpoint_fingerprint"]
OUTPUT = "h\u00e4llo\ttwo\n\n  three"
BYTES = "printf '\\377\\376x\\000y\\n'"
LINES = "yes 0123456789 | head -c {}"
WHOLE, LONG, TOO_LONG = (LINES.format(size) for size in (500000, 10000000, 15000000))
MAX_OUTPUT = 12 << 20
STOPPED = "echo before; exec sleep 50"
KILL_GUEST = """echo last words; cd /proc
for p in [0-9]*; do case $(cat $p/comm 2>/dev/null) in asb-*) kill -9 $p ;; esac; done; sleep 50"""


class Place:
    """A server, or the one that ASB_TEST_OPENSANDBOX names; and a sandbox in which something was done."""

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.url = os.environ.get("ASB_TEST_OPENSANDBOX")
            self.key = os.environ.get("OPEN_SANDBOX_API_KEY", "")
            if not self.url:
                # Each record of the package is a command, which would wait for the grace time.
                server = stack.enter_context(Server("--api-key", "secret", "--grace", "20"))
                self.url, self.key = f"http://127.0.0.1:{server.port}", "secret"
            config = Asb.OpensandboxConfig(api_key=self.key, sandbox_name="read",
                                           sandbox_ttl_mode=Asb.TtlMode.SECONDS, sandbox_ttl_seconds=600,
                                           history=Asb.HistoryConfig(max_operation_output_bytes=MAX_OUTPUT))
            self.backend = Asb.create_opensandbox_backend(self.url, config, None)
            stack.callback(self.backend.close, None)
            self.ref = self.backend.get_ref()
            self.work()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *arguments):
        self.stack.__exit__(*arguments)

    def execute(self, text):
        return self.backend.execute(Asb.CommandSpec.new_shell(text), None)

    def work(self):
        assert self.execute(f"printf '%s' '{OUTPUT}'").get_exit_status() == 0
        assert self.execute("echo out; echo err >&2; exit 3").get_exit_status() == 3
        assert self.execute("kill -9 $$").get_term_signal() == 9
        spec = Asb.CommandSpec.new_shell("sleep 60")
        spec.set_timeout_ms(100)
        self.backend.execute(spec, None)
        for text in (BYTES, WHOLE, LONG, TOO_LONG):
            assert self.execute(text).get_exit_status() == 0
        command = self.backend.start_command(Asb.CommandSpec.new_shell(STOPPED), None)
        assert command.get_stdout_pipe().read_bytes(7, None).get_data() == b"before\n"
        command.force_exit()
        command.wait(None)
        try:
            self.execute(KILL_GUEST)
            raise AssertionError("the guest lives")
        except GLib.Error as error:
            assert error.matches(Asb.error_quark(), Asb.Error.INTERRUPTED), error
        self.backend.write_file("notes.txt", GLib.Bytes.new(b"some notes"), None, None)
        assert self.backend.read_file("notes.txt", None).get_data() == b"some notes"

    def operations(self):
        store = self.backend.get_history_store()
        page = store.query(0, 1000, 1 << 20, None)
        ids = list(dict.fromkeys(change.get_event_id() for change in page.get_changes()))
        return list(store.get_operations(ids, None))


def check(commands, output):
    """@commands: by their text; @output: of one, by its event id and the stream."""
    assert len(commands) >= 4, commands
    by_text = {command["command"]: command for command in commands}
    said, failed = by_text[f"printf '%s' '{OUTPUT}'"], by_text["echo out; echo err >&2; exit 3"]
    killed, late = by_text["kill -9 $$"], by_text["sleep 60"]
    assert (said["status"], said["exit_code"]) == ("succeeded", 0), said
    assert (failed["status"], failed["exit_code"]) == ("failed", 3), failed
    assert killed["status"] == "failed" and killed["exit_code"] != 0, killed
    assert (late["status"], late["exit_code"]) == ("timeout", None), late
    stopped, lost = by_text[STOPPED], by_text[KILL_GUEST]
    assert (stopped["status"], stopped["exit_code"]) == ("cancelled", None), stopped
    assert (lost["status"], lost["exit_code"], lost["output_complete"]) == ("unknown", None, False), lost
    for text, is_whole in ((BYTES, True), (WHOLE, True), (LONG, True), (TOO_LONG, False)):
        command = by_text[text]
        assert (command["status"], command["exit_code"]) == ("succeeded", 0), command
        assert command["output_complete"] == is_whole, command
    # Text is all that the Console has.
    assert output(by_text[BYTES]["event_id"], "stdout") == "\ufffd\ufffdx\0y\n"
    assert output(by_text[WHOLE]["event_id"], "stdout") == ("0123456789\n" * 50000)[:500000]
    assert output(stopped["event_id"], "stdout") == "before\n"
    assert output(said["event_id"], "stdout") == OUTPUT
    assert output(failed["event_id"], "stdout") == "out\n"
    assert output(failed["event_id"], "stderr") == "err\n"


async def with_theirs(place, work):
    """The package, in our sandbox."""
    ref = SandboxRef(**{field: place.ref.get_property(field.replace("_", "-")) for field in FIELDS})
    backend = await create_opensandbox_backend(
        place.url, api_key=place.key, use_server_proxy=True, mode="connect", ref=ref, cleanup="never",
        history=HistoryConfig(mode=HistoryMode.SANDBOX))
    try:
        return await work(backend)
    finally:
        await backend.close()


@test
def the_helper_goes_on_with_our_record(place):
    before = {operation.get_event_id() for operation in place.operations()}

    async def work(backend):
        result = await backend.execute("echo theirs")
        assert (result.exit_code, result.stdout) == (0, b"theirs"), result

    asyncio.run(with_theirs(place, work))
    after = place.operations()
    assert before < {operation.get_event_id() for operation in after}, before
    [theirs] = [operation for operation in after if operation.get_event_id() not in before
                and operation.get_operation_type() == "command.execute"]
    assert theirs.get_status() == Asb.OperationStatus.SUCCEEDED, theirs.get_status()
    output = place.backend.get_history_store().get_output(theirs.get_event_id(), Asb.OutputStream.STDOUT, None)
    assert b"theirs" in output.read_bytes(1000, None).get_data()
    # And it went on being ours, with what is too long for an answer of the helper.
    [long] = [operation for operation in after
              if (operation.get_command() or GLib.Variant("a{sv}", {})).unpack().get("command") == LONG]
    stream = place.backend.get_history_store().get_output(long.get_event_id(), Asb.OutputStream.STDOUT, None)
    assert sum(len(piece) for piece in iter(lambda: stream.read_bytes(1 << 20, None).get_data() or b"", b"")) == 10000000
    assert place.execute("true").get_exit_status() == 0


class Console:
    """The Web Console, on a socket that is there before it."""

    def __init__(self, place):
        self.place = place
        self.folder = tempfile.TemporaryDirectory()
        self.listener = socket.create_server(("127.0.0.1", 0))
        environment = {**os.environ, "EXPLORER_HOST": "127.0.0.1", "EXPLORER_MASTER_KEY": "1" * 64,
                       "EXPLORER_DATABASE_URL": f"sqlite+aiosqlite:///{self.folder.name}/console.db",
                       "OPENSANDBOX_DISABLE_METRICS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "app.main:app", "--log-level", "warning",
             "--fd", str(self.listener.fileno())], cwd=self.folder.name, env=environment,
            pass_fds=[self.listener.fileno()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        _, errors = self.process.communicate(timeout=TIMEOUT)
        if kind is not None:
            print("# " + errors.decode(errors="replace")[-2000:].replace("\n", "\n# "), flush=True)
        self.listener.close()
        self.folder.cleanup()

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.listener.getsockname()[1]}/api/v1{path}", method=method,
            data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=4 * TIMEOUT) as answer:
            return json.load(answer)


@test
def the_web_console_shows_our_operations(place):
    with Console(place) as console:
        made = console.ask("POST", "/connections", {"name": "opensandbox", "endpoint": place.url,
                                                    "credentials": {"api_key": place.key}})
        base = f"/sandboxes/{made['id']}/{place.ref.get_property('sandbox-id')}/history"
        assert console.ask("POST", base + "/sync")["synced"] > 0
        told = console.ask("GET", base)
        assert (told["source"], told["helper_status"]) == ("sandbox", "available"), told
        events = told["items"]

        def output(event, stream):
            return console.ask("GET", f"{base}/events/{urllib.parse.quote(event)}")[stream]

        check([event for event in events if event["operation_type"] == "command.execute"
               and not event["command"].startswith("echo theirs")], output)
        [written] = [event for event in events if event["operation_type"] == "file.write"]
        assert (written["status"], written["file_path"], written["after_size"]) == (
            "succeeded", "/workspace/notes.txt", 10), written
        types = {event["operation_type"] for event in events}
        assert {"sandbox.create", "command.execute", "file.read"} <= types, types
        assert all(event["completed_at"] and event["source_seq"] > 0 for event in events), events


run(Place())
