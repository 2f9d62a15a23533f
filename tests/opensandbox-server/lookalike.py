# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the look-alike share: a server, HTTP and WebSocket clients, TAP."""

import base64
import contextlib
import http.client
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
import urllib.parse

TIMEOUT = 60
SANDBOX = {"image": {"uri": "python:3.12"}, "timeout": 600, "resourceLimits": {"cpu": "1"},
           "entrypoint": ["tail", "-f", "/dev/null"]}


class Skip(Exception):
    """The test cannot run here, and why."""


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name):
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return values[0] if values else None

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:300]!r}"


def fetch(port, method, path, body=None, headers=None, json_type=True):
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    with contextlib.closing(connection):
        return fetch_on(connection, method, path, body, headers, json_type)


def fetch_on(connection, method, path, body=None, headers=None, json_type=True):
    headers = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        if json_type:
            headers.setdefault("Content-Type", "application/json")
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    return Answer(response.status, response.getheaders(), response.read())


def exchange(port, data, until=None):
    """Raw bytes out, raw bytes back, to the end or until something has come."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
        connection.sendall(data)
        while until is None or until not in received:
            try:
                piece = connection.recv(65536)
            except ConnectionResetError:
                return received, "reset"
            if not piece:
                return received, "end"
            received += piece
    return received, "open"


def parse_events(body):
    """The events of a stream, and the bytes after the last one."""
    *frames, tail = body.split(b"\n\n")
    return [json.loads(frame) for frame in frames], tail


class Server:
    """One look-alike, ended with the with statement; it must end well and leave nothing."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="lookalike-test-")
        os.chmod(self.folder, 0o711)
        self.process = subprocess.Popen(
            [binary(), "--port", "0", "--print-port", "--root", self.folder, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start: {self.process.stderr.read()}")
        self.port = int(line)
        self.sandboxes = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        _, errors = self.process.communicate(timeout=TIMEOUT)
        left = os.listdir(self.folder)
        os.rmdir(self.folder) if not left else None
        if kind is not None:
            print("# " + errors.replace("\n", "\n# ")[:3000], flush=True)
        else:
            assert self.process.returncode == 0, (self.process.returncode, errors)
            assert "CRITICAL" not in errors and "WARNING" not in errors, errors
            assert not left, left

    def fetch(self, method, path, body=None, **options):
        return fetch(self.port, method, path, body, **options)

    def create(self, **members):
        answer = self.fetch("POST", "/v1/sandboxes", {**SANDBOX, **members})
        assert answer.status == 202, answer
        return answer.json()["id"]

    def execd(self, sandbox):
        """Where the daemon itself listens."""
        answer = self.fetch("GET", f"/v1/sandboxes/{sandbox}/endpoints/44772").json()
        address = answer["endpoint"].partition("/")[0]
        return int(address.rpartition(":")[2])

    def new_execd(self, **members):
        return self.execd(self.create(**members))

    def fault(self, **members):
        answer = self.fetch("POST", "/_faults", members)
        assert answer.status == 201, answer

    def set(self, **members):
        answer = self.fetch("POST", "/_settings", members)
        assert answer.status == 200, answer

    def requests(self, **filters):
        return self.fetch("GET", "/_requests?" + urllib.parse.urlencode(filters)).json()


class WebSocket:
    """Enough of RFC 6455 to hold a server to it."""

    def __init__(self, port, path, headers=None, host=None):
        self.connection = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        self.buffer = b""
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}",
                 "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = self.read_until(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode()
        self.close_code = None
        self.close_reason = None

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.connection.close()

    def fill(self):
        piece = self.connection.recv(65536)
        if not piece:
            raise EOFError
        self.buffer += piece

    def read_until(self, end):
        while end not in self.buffer:
            self.fill()
        found, _, self.buffer = self.buffer.partition(end)
        return found + end

    def read(self, size):
        while len(self.buffer) < size:
            self.fill()
        found, self.buffer = self.buffer[:size], self.buffer[size:]
        return found

    def send(self, opcode, payload):
        mask = os.urandom(4)
        length = len(payload)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.connection.sendall(head + mask + masked)

    def send_text(self, value):
        self.send(1, (value if isinstance(value, str) else json.dumps(value)).encode())

    def send_binary(self, payload):
        self.send(2, payload)

    def receive(self):
        """The next message as (opcode, payload); (8, …) is the close."""
        first, second = self.read(2)
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.read(8))[0]
        payload = self.read(length)
        opcode = first & 0x0F
        if opcode == 9:
            self.send(10, payload)
            return self.receive()
        if opcode == 8 and len(payload) >= 2:
            self.close_code = struct.unpack(">H", payload[:2])[0]
            self.close_reason = payload[2:].decode()
        return opcode, payload

    def receive_until(self, wanted):
        """Binary payloads by opcode byte, joined, until one holds @wanted or the end."""
        streams = {}
        texts = []
        while not any(wanted in stream for stream in streams.values()):
            opcode, payload = self.receive()
            if opcode == 8:
                break
            if opcode == 1:
                texts.append(json.loads(payload))
            elif opcode == 2:
                streams[payload[0]] = streams.get(payload[0], b"") + payload[1:]
        return streams, texts


def is_quiet(connection, seconds):
    """Nothing comes for that long."""
    return not select.select([connection], [], [], seconds)[0]


def binary():
    return sys.argv[1]


TESTS = []


def test(function):
    TESTS.append(function)
    return function


def run(context=None):
    """Runs all tests, each with what @context gives."""
    print(f"1..{len(TESTS)}", flush=True)
    failed = False
    with context or contextlib.nullcontext() as given:
        for number, function in enumerate(TESTS, 1):
            title = function.__doc__ or function.__name__.replace("_", " ")
            try:
                function(given) if given is not None else function()
                print(f"ok {number} - {title}", flush=True)
            except Skip as reason:
                print(f"ok {number} - {title} # SKIP {reason}", flush=True)
            except Exception:
                failed = True
                print(f"not ok {number} - {title}", flush=True)
                for line in traceback.format_exc().splitlines()[-12:]:
                    print("# " + line[:1000], flush=True)
    sys.exit(1 if failed else 0)


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def bail_out(reason):
    print(f"Bail out! {reason}")
    sys.exit(1)
