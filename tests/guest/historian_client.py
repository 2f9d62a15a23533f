# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drives the historian over a socket pair as the broker does, and runs test functions as TAP."""

import base64
import json
import os
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import traceback

import checker
from reachable import reachable

CALL, REPLY, DATA, CANCEL, STOP, CREDIT = 1, 2, 4, 5, 6, 18
WINDOW = 262144
PATIENCE = 60 * checker.SLOWNESS
HEADER = struct.Struct(">IBBHIQ")
IDENTITY = {"provider_key": "local-default", "sandbox_id": "s-1", "sandbox_instance_id": "i-1"}


class Skip(Exception):
    """The test cannot be run here."""


class Refused(Exception):
    """An error reply."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]
        self.message = error["message"]


class Historian:
    running = []

    def __init__(self, directory, fault="", user=None, file_limit=None, environment=None):
        ours, theirs = socket.socketpair()
        self.directory = directory
        self.path = os.path.join(directory, "history.sqlite3")
        program = reachable(os.environ["ASB_TEST_HISTORIAN_HOST"])
        command = [*checker.under(program), str(theirs.fileno()), directory]
        self.process = subprocess.Popen(
            command + ([fault] if fault else []),
            pass_fds=[theirs.fileno()],
            preexec_fn=lambda: self._prepare(user, file_limit),
            env={**(checker.environment() or os.environ), **(environment or {})},
        )
        theirs.close()
        ours.settimeout(PATIENCE)
        self.socket = ours
        self.buffer = b""
        self.next_call = 1
        self.replies = {}
        self.data = {}
        self.finished = set()
        self.stopped = []
        self.credited = {}
        self.auto_credit = True
        Historian.running.append(self)

    @staticmethod
    def _prepare(user, file_limit):
        import resource

        if file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    def frame(self, kind, call, payload=b"", channel=0, flags=0):
        sequence = 0 if kind == CREDIT else 1
        return HEADER.pack(len(payload), kind, flags, channel, call, sequence) + payload

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def call_frame(self, payload, call=None):
        if call is None:
            call = self.next_call
            self.next_call += 1
        return call, self.frame(CALL, call, json.dumps(payload).encode())

    def credit(self, call, total):
        self.credited[call] = total
        self.send(self.frame(CREDIT, call, struct.pack(">Q", total), channel=1))

    def receive(self):
        """Takes one frame in; FALSE at the end of the stream."""
        while len(self.buffer) < HEADER.size or len(self.buffer) < HEADER.size + HEADER.unpack(
            self.buffer[: HEADER.size]
        )[0]:
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                return False
            self.buffer += chunk
        length, kind, flags, channel, call, _ = HEADER.unpack(self.buffer[: HEADER.size])
        payload = self.buffer[HEADER.size : HEADER.size + length]
        self.buffer = self.buffer[HEADER.size + length :]
        if kind == STOP:
            self.stopped.append((call, channel))
        elif kind == REPLY:
            assert call not in self.replies, f"call {call} was answered twice"
            self.replies[call] = json.loads(payload)
        else:
            assert kind == DATA and channel == 1, (kind, channel)
            self.take_data(call, flags, payload)
        return True

    def take_data(self, call, flags, payload):
        assert call not in self.finished, "data after the last"
        data = self.data.setdefault(call, bytearray())
        data += payload
        assert len(data) - self.credited.get(call, 0) <= WINDOW, "beyond the window"
        if flags & 1:
            self.finished.add(call)
        elif self.auto_credit:
            self.credit(call, len(data))

    def wait(self, call):
        while call not in self.replies:
            assert self.receive(), "the historian is gone"
        reply = self.replies[call]
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["result"]

    def start_call(self, payload):
        call, frame = self.call_frame(payload)
        self.send(frame)
        return call

    def call(self, name, **arguments):
        return self.wait(self.start_call({"call": name, "args": arguments}))

    def read(self, name, **arguments):
        """A call that answers with bytes, too."""
        call = self.start_call({"call": name, "args": arguments})
        result = self.wait(call)
        assert call in self.finished, "no last data before the reply"
        return bytes(self.data.get(call, b"")), result

    def read_lines(self, name, **arguments):
        data, result = self.read(name, **arguments)
        return [json.loads(line) for line in data.splitlines()], result

    def open(self, identity=IDENTITY, **more):
        return self.call("history.open", identity=identity, sdk_version="1.0.0", **more)

    def start(self, event_id, **record):
        call = self.start_call({"call": "record.start", "record": envelope(event_id, **record)})
        self.wait(call)
        return call

    def output(self, call, data, channel=1):
        for offset in range(0, len(data), 65536):
            self.send(self.frame(DATA, call, data[offset : offset + 65536], channel))

    def finish(self, start, status="succeeded", **arguments):
        payload = {"call": "record.finish", "start": start, "status": status, **arguments}
        return self.wait(self.start_call(payload))

    def status(self):
        return self.call("history.status")

    def close(self, expected=0):
        Historian.running.remove(self)
        self.socket.close()
        code = self.process.wait(PATIENCE)
        assert code == expected, f"the historian exited with {code}"

    def kill(self):
        Historian.running.remove(self)
        self.process.kill()
        self.process.wait()
        self.socket.close()

    def rows(self, sql, *values):
        """Looks at the database as another program does."""
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, values)]
        finally:
            connection.close()

    def row(self, sql, *values):
        rows = self.rows(sql, *values)
        assert len(rows) == 1, rows
        return rows[0]

    def write(self, *statements):
        connection = sqlite3.connect(self.path, timeout=PATIENCE)
        try:
            with connection:
                for statement in statements:
                    connection.execute(statement)
        finally:
            connection.close()


def envelope(event_id, operation_type="file.read", request=None, required=True, **more):
    return {
        "event_id": event_id,
        "operation_type": operation_type,
        "required": required,
        "actor": {"actor_type": "agent", "actor_id": "a", "correlation_id": "c"},
        "request": request or {},
        **more,
    }


def command(text="true", cwd="/workspace", **more):
    return {
        "operation_type": "command.execute",
        "request": {"command": text, "cwd": cwd, "timeout_seconds": None},
        "command": {"command": text, "cwd": cwd, **more},
    }


def b64(data):
    return {"b64": base64.b64encode(data).decode()}


def refused(function, *arguments, **more):
    try:
        result = function(*arguments, **more)
    except Refused as error:
        return error
    raise AssertionError(f"not refused: {result}")


def equal(actual, expected):
    assert actual == expected, f"\n  got      {actual!r}\n  expected {expected!r}"


def run_one(name, function):
    directory = tempfile.mkdtemp(prefix="asb-test-")
    os.chmod(directory, 0o755)
    try:
        function(os.path.join(directory, "history"))
        while Historian.running:
            Historian.running[0].close()
        return f"ok {name}"
    except Skip as reason:
        return f"ok {name} # SKIP {reason}"
    except Exception:
        for line in traceback.format_exc().splitlines():
            print(f"# {line}", flush=True)
        return f"not ok {name}"
    finally:
        while Historian.running:
            Historian.running[0].kill()
        shutil.rmtree(directory, ignore_errors=True)


def main(namespace):
    only = sys.argv[1:]
    tests = [(n, f) for n, f in namespace.items() if n.startswith("test_") and callable(f)]
    if checker.is_used():
        tests.append(("test_checker", lambda directory: checker.check(PATIENCE)))
    tests = [(n, f) for n, f in tests if not only or n in only]
    failed = False
    print(f"1..{len(tests)}", flush=True)
    for number, (name, function) in enumerate(tests, 1):
        result = run_one(name[5:].replace("_", "-"), function)
        failed = failed or result.startswith("not ok")
        print(result.replace("ok ", f"ok {number} ", 1), flush=True)
    sys.exit(1 if failed else 0)
