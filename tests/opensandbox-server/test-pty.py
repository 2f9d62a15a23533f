#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PTY sessions: both modes, replay, takeover.

usage: test-pty.py SERVER
       test-pty.py --port PORT    (the same of a real execd)
"""

import json
import struct
import sys

from lookalike import Server, Skip, WebSocket, fetch, run, test

STDOUT, STDERR, REPLAY = 1, 2, 3


class Execd:
    def __init__(self):
        self.is_real = sys.argv[1] == "--port"

    def __enter__(self):
        if self.is_real:
            self.port = int(sys.argv[2])
        else:
            self.server = Server()
            self.sandbox = self.server.create()
            self.port = self.server.execd(self.sandbox)
        return self

    def __exit__(self, *arguments):
        if not self.is_real:
            self.server.__exit__(*arguments)

    def fetch(self, method, path, body=None, **options):
        return fetch(self.port, method, path, body, **options)

    def new(self, **members):
        answer = self.fetch("POST", "/pty", members or None)
        assert answer.status == 201 and list(answer.json()) == ["session_id"], answer
        return answer.json()["session_id"]

    def connect(self, session, query=""):
        socket = WebSocket(self.port, f"/pty/{session}/ws{query}")
        assert socket.status == 101, socket.head
        return socket

    def status(self, session):
        return self.fetch("GET", "/pty/" + session).json()


def connected(socket, mode):
    opcode, payload = socket.receive()
    assert opcode == 1 and payload.endswith(b"\n"), payload
    frame = json.loads(payload)
    assert frame["type"] == "connected" and frame["mode"] == mode, frame


def is_closed(socket, code, reason):
    while socket.receive()[0] != 8:
        pass
    assert (socket.close_code, socket.close_reason) == (code, reason)


@test
def a_session_starts_when_someone_connects(execd):
    session = execd.new()
    assert execd.status(session) == {"session_id": session, "running": False, "output_offset": 0}
    with execd.connect(session) as socket:
        connected(socket, "pty")
        socket.send_binary(b"\x00echo $((6*7)); tty\n")
        streams, _ = socket.receive_until(b"/dev/pts/")
        assert list(streams) == [STDOUT] and b"42\r\n" in streams[STDOUT], streams
        status = execd.status(session)
        assert status["running"] and status["output_offset"] > 0


@test
def pipe_mode_has_no_terminal(execd):
    session = execd.new()
    with execd.connect(session, "?pty=0") as socket:
        connected(socket, "pipe")
        socket.send_binary(b"\x00tty; printf 'a\\n\\0b'; echo err >&2; echo done\n")
        streams, _ = socket.receive_until(b"done\n")
        if b"err" not in streams.get(STDERR, b""):
            streams.update(socket.receive_until(b"err\n")[0])
        assert streams[STDOUT] == b"not a tty\na\n\0bdone\n" and streams[STDERR] == b"err\n"


@test
def the_end_is_told(execd):
    session = execd.new()
    for status in (0, 3):
        with execd.connect(session, f"?pty={status % 2}&since=100000") as socket:
            socket.send_binary(b"\x00exit %d\n" % status)
            streams, texts = socket.receive_until(b"never")
            assert texts[-1] == {"type": "exit", "exit_code": status}, texts
            assert (socket.close_code, socket.close_reason) == (1000, "process exited")
    assert not execd.status(session)["running"]


@test
def a_command_instead_of_a_shell(execd):
    session = execd.new(command="echo out; echo err >&2; exit 5")
    with execd.connect(session, "?pty=0") as socket:
        streams, texts = socket.receive_until(b"never")
        assert texts[-1] == {"type": "exit", "exit_code": 5}
        assert (socket.close_code, socket.close_reason) == (1000, "process exited")


@test
def sessions_that_are_not_there(execd):
    for method, path in (("GET", "/pty/none"), ("DELETE", "/pty/none"), ("GET", "/pty/none/ws")):
        answer = execd.fetch(method, path)
        assert answer.status == 404 and answer.json()["code"] == "CONTEXT_NOT_FOUND", answer
    assert WebSocket(execd.port, "/pty/none/ws").status == 404


@test
def a_plain_request_is_refused(execd):
    answer = execd.fetch("GET", f"/pty/{execd.new()}/ws")
    assert answer.status == 400 and answer.header("content-type").startswith("text/plain")


@test
def a_bad_folder_answers_twice(execd):
    answer = execd.fetch("POST", "/pty", {"cwd": "/etc/passwd/x"})
    assert answer.status == 500
    decoder = json.JSONDecoder()
    first, end = decoder.raw_decode(answer.body.decode())
    second, _ = decoder.raw_decode(answer.body.decode()[end:])
    assert first["code"] == "RUNTIME_ERROR" and list(second) == ["session_id"]


@test
def what_was_said_is_replayed_before_connected(execd):
    session = execd.new()
    with execd.connect(session, "?pty=0") as socket:
        connected(socket, "pipe")
        socket.send_binary(b"\x00printf 0123456789\n")
        socket.receive_until(b"0123456789")
    for since, start in ((0, 0), (4, 4), (9, 9)):
        with reconnect(execd, session, f"?pty=0&since={since}") as socket:
            opcode, payload = socket.receive()
            assert opcode == 2 and payload[0] == REPLAY
            assert struct.unpack(">q", payload[1:9])[0] == start
            assert payload[9:] == b"0123456789"[start:]
            connected(socket, "pipe")
    with reconnect(execd, session, "?pty=0&since=10") as socket:
        connected(socket, "pipe")


def reconnect(execd, session, query):
    """A client that went away is noticed a moment later."""
    while True:
        socket = WebSocket(execd.port, f"/pty/{session}/ws{query}")
        if socket.status == 101:
            return socket
        assert socket.status == 409, socket.head
        socket.__exit__()


@test
def the_replay_keeps_a_mebibyte(execd):
    session = execd.new()
    size = (1 << 20) + 1000
    with execd.connect(session, "?pty=0") as socket:
        socket.send_binary(b"\x00head -c %d /dev/zero | tr '\\0' x; printf E\n" % size)
        socket.receive_until(b"E")
    with reconnect(execd, session, "?pty=0&since=5") as socket:
        _, payload = socket.receive()
        assert struct.unpack(">q", payload[1:9])[0] == size + 1 - (1 << 20)
        assert len(payload) == 9 + (1 << 20)


@test
def only_one_client_at_a_time(execd):
    session = execd.new()
    with execd.connect(session) as first:
        connected(first, "pty")
        second = WebSocket(execd.port, f"/pty/{session}/ws")
        assert second.status == 409
        answer = execd.fetch("GET", f"/pty/{session}/ws?takeover=1")
        assert answer.status == 409 and answer.json()["code"] == "ALREADY_CONNECTED", answer
        first.send_binary(b"\x00echo mine$((1+1))\n")
        first.receive_until(b"mine2")
        with execd.connect(session, "?takeover=1") as third:
            is_closed(first, 4001, "TAKEN_OVER")
            assert third.receive()[1][0] == REPLAY
            connected(third, "pty")
            third.send_binary(b"\x00echo still$((2+2))\n")
            third.receive_until(b"still4")


@test
def frames_of_a_client(execd):
    session = execd.new()
    with execd.connect(session) as socket:
        connected(socket, "pty")
        socket.send_text({"type": "resize", "cols": 120, "rows": 40})
        socket.send_text({"type": "stdin", "data": "stty size\n"})
        socket.receive_until(b"40 120")
        socket.send_text({"type": "ping"})
        socket.send_text("not json")
        socket.send_binary(b"")
        socket.send_binary(b"\x07ignored")
        socket.send_text({"type": "unheard"})
        texts = []
        while len(texts) < 2:
            opcode, payload = socket.receive()
            texts += [json.loads(payload)] if opcode == 1 else []
        assert texts[0] == {"type": "pong"} and texts[1]["code"] == "INVALID_FRAME", texts


@test
def signals(execd):
    session = execd.new()
    with execd.connect(session, "?pty=0") as socket:
        connected(socket, "pipe")
        socket.send_binary(b"\x00trap 'echo caught' HUP; echo ready\n")
        socket.receive_until(b"ready\n")
        socket.send_text({"type": "signal", "signal": "SIGHUP"})
        socket.send_binary(b"\x00echo next\n")
        streams, _ = socket.receive_until(b"next\n")
        assert streams == {STDOUT: b"caught\nnext\n"}, streams
        socket.send_text({"type": "signal", "signal": "SIGKILL"})
        _, texts = socket.receive_until(b"never")
        assert texts[-1] == {"type": "exit", "exit_code": -1}


@test
def a_byte_interrupts_the_foreground(execd):
    session = execd.new()
    with execd.connect(session) as socket:
        connected(socket, "pty")
        # What execd ignores since its start, as what a shell has in the background, its shells ignore, too.
        socket.send_binary(b"\x00env --default-signal sh -c 'echo run$((1+1)); exec cat'\n")
        socket.receive_until(b"run2\r\n")
        socket.send_binary(b"\x00\x03")
        socket.receive_until(b"bash-")
        socket.send_binary(b"\x00echo status$?\n")
        socket.receive_until(b"status130")


@test
def much_in_both_directions(execd):
    session = execd.new(command="head -c 3000000 | wc -c; head -c 5000000 /dev/zero")
    with execd.connect(session, "?pty=0") as socket:
        connected(socket, "pipe")
        for _ in range(30):
            socket.send_binary(b"\x00" + b"x" * 100000)
        output = b""
        while True:
            opcode, payload = socket.receive()
            if opcode == 8:
                break
            if opcode == 2:
                assert len(payload) <= 32769
                output += payload[1:]
        assert output.startswith(b"3000000\n") and len(output) >= 5000000, len(output)


@test
def deletion_ends_the_shell(execd):
    session = execd.new()
    with execd.connect(session, "?pty=0") as socket:
        connected(socket, "pipe")
        answer = execd.fetch("DELETE", "/pty/" + session)
        assert (answer.status, answer.body) == (200, b"")
        _, texts = socket.receive_until(b"never")
        assert texts[-1:] in ([], [{"type": "exit", "exit_code": -1}]), texts
    assert execd.fetch("GET", "/pty/" + session).status == 404


@test
def it_works_through_the_servers_proxy(execd):
    if execd.is_real:
        raise Skip("a real execd has no server here")
    session = execd.new()
    path = f"/v1/sandboxes/{execd.sandbox}/proxy/44772/pty/{session}/ws?pty=0"
    with WebSocket(execd.server.port, path) as socket:
        connected(socket, "pipe")
        socket.send_binary(b"\x00echo through; exit 2\n")
        _, texts = socket.receive_until(b"never")
        assert texts[-1] == {"type": "exit", "exit_code": 2}
        assert (socket.close_code, socket.close_reason) == (1000, "process exited")


@test
def the_switchboard_closes_with_a_code(execd):
    if execd.is_real:
        raise Skip("a real execd has no switchboard")
    for frames in (0, 1):
        session = execd.new()
        execd.server.fault(path="/pty/*/ws", hop="execd", nth=1, action="close", code=4242,
                           frames=frames)
        with execd.connect(session) as socket:
            streams, texts = socket.receive_until(b"never")
            assert socket.close_code == 4242 and len(texts) + len(streams) == frames
        execd.server.fetch("DELETE", "/_faults")


@test
def the_end_may_come_before_the_last_words(execd):
    if execd.is_real:
        raise Skip("a real execd does so now and then")
    session = execd.new(command="printf last; exit 3")
    execd.server.fetch("POST", "/_settings", {"early_exit": True, "tail_ms": 60000})
    try:
        for query in ("?pty=0", "?pty=1&since=1000000"):
            with execd.connect(session, query) as socket:
                streams, texts = socket.receive_until(b"never")
                assert streams == {} and texts[-1] == {"type": "exit", "exit_code": 3}, streams
                assert (socket.close_code, socket.close_reason) == (1000, "process exited")
        # What came through a pipe is kept, what came from a terminal is not.
        with execd.connect(session, "?pty=0") as socket:
            assert socket.receive() == (2, b"\x03" + bytes(8) + b"last")
    finally:
        execd.server.fetch("POST", "/_settings", {"early_exit": False, "tail_ms": 100})


run(Execd())
