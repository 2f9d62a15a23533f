#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The public Python SDK works on the look-alike as on a real server.

usage: test-sdk.py SERVER FOLDER    (where the SDK is, or is put)
"""

import asyncio
import sys
from datetime import timedelta

import clients
from lookalike import Server, run, test

clients.install(sys.argv[2])

from opensandbox import Sandbox, SandboxManager, SandboxSync  # noqa: E402
from opensandbox.config import ConnectionConfig, ConnectionConfigSync  # noqa: E402
from opensandbox.exceptions import SandboxApiException, SandboxException  # noqa: E402
from opensandbox.models.execd import ExecutionHandlers, RunCommandOpts  # noqa: E402
from opensandbox.models.filesystem import (  # noqa: E402
    ContentReplaceEntry, DirectoryListEntry, MoveEntry, SearchEntry, SetPermissionEntry, WriteEntry)
from opensandbox.models.sandboxes import (  # noqa: E402
    NetworkPolicy, NetworkRule, SandboxFilter, SnapshotFilter)


class Place:
    """A server with a key, and two sandboxes: reached directly and through the server."""

    def __enter__(self):
        self.server = Server("--api-key", "secret")
        self.ids = {}
        asyncio.run(self.create())
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def config(self, proxy=False, **options):
        return ConnectionConfig(**{"domain": f"127.0.0.1:{self.server.port}", "api_key": "secret",
                                   "use_server_proxy": proxy, **options})

    async def create(self):
        for proxy in (False, True):
            sandbox = await Sandbox.create(
                "python:3.12", connection_config=self.config(proxy), env={"GREETING": "hello"},
                metadata={"proxy": str(proxy)}, timeout=timedelta(minutes=10),
                network_policy=NetworkPolicy(default_action="deny", egress=[
                    NetworkRule(action="allow", target="example.org")]))
            self.ids[proxy] = sandbox.id
            await sandbox.close()


def both(function):
    """A test of one sandbox, run for both ways to it."""
    async def once(place, proxy):
        sandbox = await Sandbox.connect(place.ids[proxy], connection_config=place.config(proxy))
        try:
            await function(sandbox)
        finally:
            await sandbox.close()

    def wrapped(place):
        for proxy in (False, True):
            asyncio.run(once(place, proxy))
    wrapped.__name__ = function.__name__
    return test(wrapped)


def texts(messages):
    return [message.text for message in messages]


@both
async def output_errors_and_exit_codes(sandbox):
    assert await sandbox.is_healthy()
    result = await sandbox.commands.run("echo $GREETING; echo; echo oops >&2; exit 3")
    assert texts(result.logs.stdout) == ["hello", "\n"], result
    assert texts(result.logs.stderr) == ["oops"]
    assert result.exit_code == 3 and result.error.value == "3" and result.complete is None
    result = await sandbox.commands.run("cd /tmp && pwd && echo $X", opts=RunCommandOpts(
        working_directory="/", envs={"X": "y"}))
    assert texts(result.logs.stdout) == ["/tmp", "y"] and result.exit_code == 0
    assert result.complete.execution_time_in_millis >= 0
    result = await sandbox.commands.run("tail -f /dev/null", opts=RunCommandOpts(
        timeout=timedelta(seconds=1)))
    assert result.exit_code == -1


@both
async def handlers_hear_of_events(sandbox):
    heard = []

    def hear(kind):
        async def handler(event):
            heard.append((kind, getattr(event, "text", None)))
        return handler

    await sandbox.commands.run("echo one; echo two >&2", handlers=ExecutionHandlers(
        on_init=hear("init"), on_stdout=hear("out"), on_stderr=hear("err"),
        on_execution_complete=hear("end")))
    assert sorted(kind for kind, _ in heard) == ["end", "err", "init", "out"], heard
    assert ("out", "one") in heard and ("err", "two") in heard


@both
async def background_status_logs_interrupt(sandbox):
    commands = sandbox.commands
    started = await commands.run("echo begin; tail -f /dev/null",
                                 opts=RunCommandOpts(background=True))
    assert (await commands.get_command_status(started.id)).running
    cursor, content = 0, ""
    while "begin\n" not in content:
        logs = await commands.get_background_command_logs(started.id, cursor)
        content, cursor = content + logs.content, logs.cursor
    assert cursor == len("begin\n")
    await commands.interrupt(started.id)
    status = await commands.get_command_status(started.id)
    assert not status.running and status.exit_code == -1, status


@both
async def sessions(sandbox):
    commands = sandbox.commands
    session = await commands.create_session(working_directory="/tmp")
    await commands.run_in_session(session, "export KEPT=yes; cd /usr")
    result = await commands.run_in_session(session, "echo $KEPT; pwd")
    assert texts(result.logs.stdout) == ["yes", "/usr"] and result.exit_code == 0
    result = await commands.run_in_session(session, "(exit 9)")
    assert result.exit_code == 9
    await commands.delete_session(session)
    try:
        await commands.run_in_session(session, "true")
        raise AssertionError("it was there")
    except SandboxException:
        pass


@both
async def files_are_written_and_read(sandbox):
    files = sandbox.files
    content = bytes(range(256)) * 4096
    await files.write_files([WriteEntry(path="/tmp/sdk/a.bin", data=content, mode=644),
                             WriteEntry(path="/tmp/sdk/b.txt", data="zwei\nDrei\n", mode=600)])
    assert await files.read_bytes("/tmp/sdk/a.bin") == content
    assert await files.read_file("/tmp/sdk/b.txt") == "zwei\nDrei\n"
    assert await files.read_bytes("/tmp/sdk/a.bin", range_header="bytes=1-3") == b"\1\2\3"
    assert await files.read_file("/tmp/sdk/b.txt", offset=2, limit=1) == "Drei\n"
    streamed = b"".join([piece async for piece in await files.read_bytes_stream("/tmp/sdk/a.bin")])
    assert streamed == content
    info = await files.get_file_info(["/tmp/sdk/a.bin", "/tmp/sdk"])
    assert info["/tmp/sdk/a.bin"].mode == 644 and info["/tmp/sdk/a.bin"].size == len(content)
    assert info["/tmp/sdk"].entry_type == "directory"
    try:
        await files.read_file("/none")
        raise AssertionError("it was there")
    except SandboxApiException as error:
        assert error.status_code == 404 and error.error.code == "FILE_NOT_FOUND", error


@both
async def files_are_found_listed_moved_changed(sandbox):
    files = sandbox.files
    await files.create_directories([WriteEntry(path="/tmp/tree/sub", mode=755)])
    await files.write_file("/tmp/tree/one.py", "x = 1\nx = 1\n")
    await files.write_file("/tmp/tree/sub/two.py", "y")
    found = await files.search(SearchEntry(path="/tmp/tree", pattern="*.py"))
    assert [entry.path for entry in found] == ["/tmp/tree/one.py", "/tmp/tree/sub/two.py"]
    listed = await files.list_directory(DirectoryListEntry(path="/tmp/tree", depth=2))
    assert [entry.path for entry in listed] == ["/tmp/tree/one.py", "/tmp/tree/sub",
                                                "/tmp/tree/sub/two.py"]
    await files.move_files([MoveEntry(source="/tmp/tree/one.py", destination="/tmp/tree/new/1.py")])
    [changed] = await files.replace_contents_detailed([ContentReplaceEntry(
        path="/tmp/tree/new/1.py", old_content="x", new_content="zz")])
    assert changed.replaced_count == 2
    assert await files.read_file("/tmp/tree/new/1.py") == "zz = 1\nzz = 1\n"
    await files.set_permissions([SetPermissionEntry(path="/tmp/tree/new/1.py", mode=400)])
    assert (await files.get_file_info(["/tmp/tree/new/1.py"]))["/tmp/tree/new/1.py"].mode == 400
    await files.delete_files(["/tmp/tree/new/1.py"])
    await files.delete_directories(["/tmp/tree"])
    assert not [e for e in await files.list_directory(DirectoryListEntry(path="/tmp"))
                if e.path == "/tmp/tree"]


@both
async def metrics_and_diagnostics(sandbox):
    metrics = await sandbox.get_metrics()
    assert metrics.cpu_count >= 1 and metrics.memory_total_in_mib > 0
    logs = await sandbox.get_diagnostic_logs("container")
    events = await sandbox.get_diagnostic_events("runtime")
    assert sandbox.id in logs.content and sandbox.id in events.content


@both
async def the_egress_policy(sandbox):
    policy = await sandbox.get_egress_policy()
    assert policy.default_action == "deny" and policy.egress[0].target == "example.org"
    await sandbox.patch_egress_rules([NetworkRule(action="allow", target="new.example")])
    targets = [rule.target for rule in (await sandbox.get_egress_policy()).egress]
    assert targets == ["new.example", "example.org"]
    await sandbox.delete_egress_rules(["new.example"])
    assert len((await sandbox.get_egress_policy()).egress) == 1


@both
async def renewal_and_metadata(sandbox):
    before = (await sandbox.get_info()).expires_at
    answer = await sandbox.renew(timedelta(minutes=30))
    assert answer.expires_at > before
    info = await sandbox.patch_metadata({"added": "1", "proxy": None})
    assert info.metadata == {"added": "1"}


@test
def pause_resume_kill(place):
    async def story(proxy):
        config = place.config(proxy)
        sandbox = await Sandbox.create("python:3.12", connection_config=config)
        await sandbox.pause()
        assert (await sandbox.get_info()).status.state == "Paused"
        again = await Sandbox.resume(sandbox.id, connection_config=config)
        assert (await again.get_info()).status.state == "Running"
        assert (await again.commands.run("echo back")).exit_code == 0
        await again.kill()
        try:
            await again.get_info()
            raise AssertionError("it lives")
        except SandboxApiException as error:
            assert error.status_code == 404 and error.request_id, error
        await sandbox.close()
        await again.close()
    for proxy in (False, True):
        asyncio.run(story(proxy))


@test
def snapshots(place):
    async def story():
        config = place.config()
        sandbox = await Sandbox.create("python:3.12", connection_config=config)
        await sandbox.files.write_file("/root/kept", "kept")
        snapshot = await sandbox.create_snapshot("mine")
        manager = await SandboxManager.create(config)
        while snapshot.status.state == "Creating":
            snapshot = await manager.get_snapshot(snapshot.id)
        listed = await manager.list_snapshots(SnapshotFilter(sandbox_id=sandbox.id))
        assert [item.id for item in listed.snapshot_infos] == [snapshot.id], listed
        restored = await Sandbox.create(snapshot_id=snapshot.id, connection_config=config)
        assert await restored.files.read_file("/root/kept") == "kept"
        for one in (restored, sandbox):
            await one.kill()
            await one.close()
        await manager.delete_snapshot(snapshot.id)
        await manager.close()
    asyncio.run(story())


@test
def the_manager(place):
    async def story():
        manager = await SandboxManager.create(place.config())
        sandbox = await Sandbox.create("python:3.12", connection_config=place.config(),
                                       metadata={"example.org/team": "a.b"})
        page = await manager.list_sandbox_infos(SandboxFilter(
            states=["Running"], metadata={"example.org/team": "a.b"}, page_size=50))
        assert [info.id for info in page.sandbox_infos] == [sandbox.id], page
        await manager.pause_sandbox(sandbox.id)
        page = await manager.list_sandbox_infos(SandboxFilter(states=["Paused"]))
        assert sandbox.id in [info.id for info in page.sandbox_infos]
        await manager.resume_sandbox(sandbox.id)
        await manager.renew_sandbox(sandbox.id, timedelta(minutes=20))
        await manager.kill_sandbox(sandbox.id)
        await sandbox.close()
        await manager.close()
    asyncio.run(story())


@test
def what_a_server_refuses(place):
    async def story():
        for options, config, status in (
                ({"metadata": {"a b": "c"}}, place.config(), 400),
                ({"timeout": timedelta(seconds=5)}, place.config(), 422),
                ({}, place.config(api_key="wrong"), 401)):
            try:
                await Sandbox.create("python:3.12", connection_config=config, **options)
                raise AssertionError("it was made")
            except SandboxException as error:
                assert getattr(error, "status_code", status) == status, error
    asyncio.run(story())


@test
def a_busy_server_is_asked_again(place):
    async def story():
        manager = await SandboxManager.create(place.config())
        await manager.get_sandbox_info(place.ids[False])
        await manager.close()
    place.server.fault(method="GET", path="/v1/sandboxes/*", nth=1, action="reply", status=503,
                       json={"code": "BUSY", "message": "later"})
    place.server.fetch("DELETE", "/_requests")
    asyncio.run(story())
    place.server.fetch("DELETE", "/_faults")
    assert place.server.requests(method="GET", path="/v1/sandboxes/*")["count"] == 2


@test
def tokens_for_every_hop(_):
    async def story(port, proxy):
        config = ConnectionConfig(domain=f"127.0.0.1:{port}", api_key="secret",
                                  use_server_proxy=proxy,
                                  headers={"X-EXECD-ACCESS-TOKEN": "token"})
        sandbox = await Sandbox.create("python:3.12", connection_config=config,
                                       network_policy=NetworkPolicy(default_action="deny"))
        assert (await sandbox.commands.run("echo x")).exit_code == 0
        assert (await sandbox.get_egress_policy()).default_action == "deny"
        await sandbox.destroy()
    with Server("--api-key", "secret", "--execd-token", "token") as server:
        for proxy in (False, True):
            asyncio.run(story(server.port, proxy))


@test
def gateways(_):
    async def story(port):
        config = ConnectionConfig(domain=f"127.0.0.1:{port}")
        sandbox = await Sandbox.create("python:3.12", connection_config=config, secure_access=True)
        assert texts((await sandbox.commands.run("echo in")).logs.stdout) == ["in"]
        await sandbox.destroy()
    for kind in ("header", "uri"):
        with Server("--endpoints", kind) as server:
            asyncio.run(story(server.port))


@test
def the_blocking_sdk(place):
    config = ConnectionConfigSync(domain=f"127.0.0.1:{place.server.port}", api_key="secret",
                                  use_server_proxy=True)
    sandbox = SandboxSync.create("debian:12", connection_config=config)
    result = sandbox.commands.run("echo sync; command -v python3")
    assert texts(result.logs.stdout) == ["sync"] and result.exit_code == 1
    sandbox.files.write_file("/tmp/x", "y")
    assert sandbox.files.read_file("/tmp/x") == "y"
    sandbox.kill()
    sandbox.close()


run(Place())
