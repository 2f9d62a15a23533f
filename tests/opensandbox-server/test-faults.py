#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fault switchboard, and the log of requests.

usage: test-faults.py SERVER
"""

import http.client
import json
import os
import socket
import tempfile

import lookalike
from lookalike import SANDBOX, Server, WebSocket, exchange, fetch, parse_events, run, test


class Place:
    def __enter__(self):
        self.server = Server()
        self.sandbox = self.server.create()
        self.path = f"/v1/sandboxes/{self.sandbox}/proxy/44772"
        self.execd = self.server.execd(self.sandbox)
        fetch(self.execd, "POST", "/command", {"command": "seq 1 20000 > /tmp/data"})
        self.data = fetch(self.execd, "GET", "/files/download?path=/tmp/data").body
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def get(self, path):
        return exchange(self.server.port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def download(self):
        return self.get(self.path + "/files/download?path=/tmp/data")


def faulty(function):
    """A test after which no fault is left."""
    def wrapped(place):
        try:
            function(place)
        finally:
            place.server.fetch("DELETE", "/_faults")
            place.server.set(split=0, late_ping=False)
    wrapped.__name__ = function.__name__
    return test(wrapped)


def body_of(received):
    return received.partition(b"\r\n\r\n")[2]


@faulty
def a_body_is_cut_after_so_many_bytes(place):
    for size in (0, 1, 1000, 65537):
        place.server.fault(path="*/download", hop="lifecycle", nth=1, action="cut", bytes=size)
        received, end = place.download()
        assert received.startswith(b"HTTP/1.1 200") and end == "end"
        assert body_of(received) == place.data[:size], (size, len(body_of(received)))
        place.server.fetch("DELETE", "/_faults")
    received, end = exchange(place.server.port, f"GET {place.path}/ping HTTP/1.1\r\nHost: localhost\r\n"
                             "Connection: close\r\n\r\n".encode())
    assert received.startswith(b"HTTP/1.1 200") and end == "end"


@faulty
def or_within_the_head_or_before_an_answer(place):
    place.server.fault(path="/health", nth=1, action="cut", of="response", bytes=20)
    received, end = place.get("/health")
    assert (len(received), end) == (20, "end")
    place.server.fetch("DELETE", "/_faults")
    place.server.fault(method="POST", path="/v1/sandboxes", nth=1, action="cut")
    body = json.dumps({**SANDBOX, "metadata": {"lost": "yes"}}).encode()
    received, end = exchange(place.server.port, b"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n"
                             b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                             % (len(body), body))
    assert (received, end) == (b"", "end")
    # What was asked for was done all the same.
    items = place.server.fetch("GET", "/v1/sandboxes?metadata=lost%3Dyes").json()["items"]
    assert len(items) == 1
    place.server.fetch("DELETE", "/v1/sandboxes/" + items[0]["id"])


@faulty
def a_cut_can_be_a_reset(place):
    place.server.fault(path="*/download", hop="lifecycle", action="cut", bytes=5000, reset=True)
    received, end = place.download()
    assert end == "reset", end
    place.server.fault(path="/health", action="reset")
    assert place.get("/health") == (b"", "reset")


@faulty
def a_chunked_body_is_cut_between_chunks(place):
    for chunks in (1, 3):
        place.server.fault(path="*/command", hop="execd", nth=1, action="cut", chunks=chunks)
        body = b'{"command":"echo x"}'
        received, end = exchange(place.execd, b"POST /command HTTP/1.1\r\nHost: localhost\r\n"
                                 b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert end == "end" and received.endswith(b"\r\n") and not received.endswith(b"0\r\n\r\n")
        assert received.count(b'"type"') == chunks, received
        place.server.fetch("DELETE", "/_faults")


@faulty
def a_body_stalls(place):
    place.server.fault(path="*/download", hop="lifecycle", action="stall", bytes=100)
    with socket.create_connection(("127.0.0.1", place.server.port), 60) as connection:
        connection.sendall(f"GET {place.path}/files/download?path=/tmp/data HTTP/1.1\r\n"
                           "Host: localhost\r\n\r\n".encode())
        received = b""
        while body_of(received) != place.data[:100]:
            received += connection.recv(65536)
        assert lookalike.is_quiet(connection, 0.3)


@faulty
def answers_come_in_pieces(place):
    for seed in (1, 2, 3):
        place.server.fault(path="*/download", action="split", max=7, seed=seed, nth=1, times=2)
        answer = place.server.fetch("GET", place.path + "/files/download?path=/tmp/data")
        assert answer.body == place.data
        place.server.fetch("DELETE", "/_faults")
    place.server.set(split=5)
    answer = fetch(place.execd, "POST", "/command", {"command": "echo hello; echo '<there>'"})
    events, tail = parse_events(answer.body)
    assert [e["text"] for e in events if e["type"] == "stdout"] == [
        "hello", "<there>"] and tail == b""
    received, _ = exchange(place.execd, b"POST /command HTTP/1.1\r\nHost: localhost\r\n"
                           b"Content-Length: 20\r\n\r\n" + b'{"command":"echo x"}', b"0\r\n\r\n")
    # Some chunk ends within an event.
    sizes = [line for line in body_of(received).split(b"\r\n") if len(line) == 1]
    assert len(sizes) > 40, sizes


def asked_before_the_answer(place, action, ms):
    """Whether the work of it was done by then, or None if the answer was there sooner."""
    place.server.fault(path="/v1/sandboxes/*", method="PATCH", action=action, ms=ms, nth=1)
    key = f"{action}-{ms}"
    with socket.create_connection(("127.0.0.1", place.server.port), 60) as connection:
        body = json.dumps({key: "1"}).encode()
        connection.sendall(f"PATCH /v1/sandboxes/{place.sandbox}/metadata HTTP/1.1\r\n"
                           "Host: localhost\r\nContent-Type: application/json\r\n"
                           f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        is_quiet = lookalike.is_quiet(connection, 0.1)
        found = place.server.fetch("GET", "/v1/sandboxes/" + place.sandbox).json()
        is_quiet = is_quiet and lookalike.is_quiet(connection, 0)
        assert connection.recv(12) == b"HTTP/1.1 200"
    place.server.fetch("DELETE", "/_faults")
    return key in found.get("metadata", {}) if is_quiet else None


@faulty
def work_begins_or_answers_come_late(place):
    for action in ("delay", "late"):
        # When the machine stands still it takes longer to ask.
        answers = (asked_before_the_answer(place, action, ms) for ms in (300, 3000, 30000))
        done = next(answer for answer in answers if answer is not None)
        assert done == (action == "late"), action


@faulty
def or_never(place):
    for work in (False, True):
        place.server.fault(method="DELETE", path="/v1/sandboxes/*", action="silent", work=work,
                           nth=1)
        sandbox = place.server.create()
        with socket.create_connection(("127.0.0.1", place.server.port), 60) as connection:
            connection.sendall(f"DELETE /v1/sandboxes/{sandbox} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                               .encode())
            assert lookalike.is_quiet(connection, 0.3)
        found = place.server.fetch("GET", "/v1/sandboxes/" + sandbox).status
        assert found == (404 if work else 200)
        place.server.fetch("DELETE", "/_faults")
        place.server.fetch("DELETE", "/v1/sandboxes/" + sandbox)


@faulty
def other_answers(place):
    place.server.fault(path="/v1/sandboxes", times=2, action="reply", status=429,
                       headers={"Retry-After": "1"}, json={"code": "BUSY", "message": "wait"})
    for _ in range(2):
        answer = place.server.fetch("GET", "/v1/sandboxes")
        assert (answer.status, answer.json()["code"]) == (429, "BUSY")
        assert answer.header("retry-after") == "1"
        assert answer.header("content-type") == "application/json"
    assert place.server.fetch("GET", "/v1/sandboxes").status == 200
    place.server.fault(path="/v1/*", action="reply", status=500, body="Internal Server Error")
    answer = place.server.fetch("GET", "/v1/sandboxes")
    assert (answer.status, answer.body) == (500, b"Internal Server Error")
    assert answer.header("content-type") == "text/plain" and not answer.header("x-request-id")


@faulty
def huge_bodies_wrong_types_and_redirects(place):
    place.server.fault(path="/health", nth=1, action="reply", status=200, fill=5000000, body="{")
    assert len(place.server.fetch("GET", "/health").body) == 5000001
    place.server.fault(path="/version", action="type", type="text/html")
    answer = place.server.fetch("GET", "/version")
    assert answer.header("content-type") == "text/html" and answer.json()["version"]
    place.server.fault(path="*/command", hop="execd", nth=1, action="type")
    answer = fetch(place.execd, "POST", "/command", {"command": "true"})
    assert answer.header("content-type").startswith("text/html")
    place.server.fault(path="/docs", action="redirect", to="http://127.0.0.2:1/x", status=302)
    answer = place.server.fetch("GET", "/docs")
    assert (answer.status, answer.header("location")) == (302, "http://127.0.0.2:1/x")


@faulty
def names_of_headers_in_any_case(place):
    for to, expected in (("upper", b"\r\nCONTENT-TYPE: "), ("lower", b"\r\ncontent-type: ")):
        place.server.fault(path="/health", nth=1, action="header-case", to=to)
        received, _ = exchange(place.server.port, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                               b"healthy")
        assert expected in received and received.startswith(b"HTTP/1.1 200 OK"), received
        place.server.fetch("DELETE", "/_faults")


@faulty
def event_streams_end_with_an_envelope(place):
    place.server.fault(path="/command", hop="execd", nth=1, action="tail", events=3)
    answer = fetch(place.execd, "POST", "/command", {"command": "echo x; echo y"})
    events, tail = parse_events(answer.body)
    assert [event["type"] for event in events] == ["init", "ping", "stdout"]
    assert json.loads(tail)["code"] == "RUNTIME_ERROR" and not tail.endswith(b"\n")
    place.server.fault(path="/command", hop="execd", nth=1, action="tail", events=1, body="garb")
    answer = fetch(place.execd, "POST", "/command", {"command": "echo x"})
    assert answer.body.endswith(b"\n\ngarb")


@faulty
def websockets_are_closed_with_a_code(place):
    session = fetch(place.execd, "POST", "/pty").json()["session_id"]
    for hop, port, path in (
            ("lifecycle", place.server.port, f"{place.path}/pty/{session}/ws?pty=0"),
            ("execd", place.execd, f"/proxy/44772/pty/{session}/ws?pty=0"),
            ("execd", place.execd, f"/pty/{session}/ws?pty=0")):
        for frames in (0, 1):
            place.server.fault(path="*/ws", hop=hop, nth=1, action="close", code=4321,
                               frames=frames)
            if "/proxy/44772" in path and hop == "execd":
                place.server.fetch("DELETE", "/_faults")
                place.server.fault(path="/proxy/*", hop=hop, nth=1, action="close", code=4321,
                                   frames=frames)
            while True:
                with WebSocket(port, path) as connection:
                    opcode, payload = connection.receive() if connection.status == 101 else (0, b"")
                    seen = []
                    while opcode not in (0, 8):
                        seen.append(opcode)
                        opcode, payload = connection.receive()
                    if opcode == 8 and connection.close_code == 4321:
                        break
                    # A client that went away is noticed a moment later.
                    assert connection.status == 409 or connection.close_code == 1008
                    place.server.fetch("DELETE", "/_faults")
                    place.server.fault(path="*/ws", hop=hop, nth=1, action="close", code=4321,
                                       frames=frames)
            assert len(seen) == frames, (hop, frames, seen)
            place.server.fetch("DELETE", "/_faults")


@faulty
def websockets_are_cut(place):
    session = fetch(place.execd, "POST", "/pty").json()["session_id"]
    for reset in (False, True):
        session = fetch(place.execd, "POST", "/pty").json()["session_id"]
        place.server.fault(path="*/ws", hop="lifecycle", nth=1, action="cut", bytes=10, reset=reset)
        with WebSocket(place.server.port, f"{place.path}/pty/{session}/ws") as connection:
            assert connection.status == 101
            try:
                connection.receive()
                raise AssertionError("it was not cut")
            except (EOFError, ConnectionResetError) as error:
                assert isinstance(error, ConnectionResetError) == reset
        place.server.fetch("DELETE", "/_faults")


@faulty
def faults_before_the_body_was_read(place):
    place.server.fault(method="POST", path="/v1/sandboxes", early=True, nth=1, action="reply",
                       status=413, body="too large")
    received, _ = exchange(place.server.port, b"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n"
                           b"Content-Length: 1000000\r\n\r\n" + b"x" * 1000, b"too large")
    assert received.startswith(b"HTTP/1.1 413"), received


@faulty
def matching(place):
    place.server.fault(method="GET", path="/v1/sandboxes", nth=3, action="reply", status=418)
    statuses = [place.server.fetch("GET", "/v1/sandboxes").status for _ in range(5)]
    assert statuses == [200, 200, 418, 200, 200], statuses
    place.server.fetch("POST", "/v1/sandboxes", {})
    [fault] = place.server.fetch("GET", "/_faults").json()["faults"]
    assert (fault["action"], fault["seen"], fault["done"]) == ("reply", 5, 1), fault
    for wrong in ({}, {"action": "explode"}, {"action": "delay", "early": True}, [], "x"):
        status = place.server.fetch("POST", "/_faults", wrong).status
        assert status == (400 if wrong != [] else 201), wrong


@test
def the_log_counts_requests_and_connections(place):
    place.server.fetch("DELETE", "/_requests")
    connection = http.client.HTTPConnection("127.0.0.1", place.server.port)
    for _ in range(3):
        lookalike.fetch_on(connection, "GET", "/v1/sandboxes?page=1")
    connection.close()
    place.server.fetch("POST", place.path + "/command", {"command": "true"},
                       headers={"X-Secret": "never told"})
    log = place.server.requests(hop="lifecycle")
    assert (log["count"], log["connections"]) == (4, 2), log
    assert [r["method"] for r in log["requests"]] == ["GET", "GET", "GET", "POST"]
    first, last = log["requests"][0], log["requests"][-1]
    assert first["query"] == "page=1" and first["body_size"] == 0
    assert last["body_size"] == len(json.dumps({"command": "true"}))
    assert "X-Secret" in last["headers"] and "never told" not in json.dumps(log)
    assert place.server.requests(hop="execd")["count"] == 1
    assert place.server.requests(path="*/command", method="POST")["count"] == 2


@test
def faults_from_a_file(_):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([{"path": "/health", "action": "reply", "status": 503}], file)
        file.flush()
        with Server("--faults", file.name) as server:
            assert server.fetch("GET", "/health").status == 503


@test
def settings(place):
    before = place.server.fetch("GET", "/_settings").json()
    assert place.server.fetch("POST", "/_settings", {"ping_ms": 1234}).json()["ping_ms"] == 1234
    place.server.fetch("POST", "/_settings", before)
    for wrong in ({}, {"ping_ms": "x"}, {"none": 1}, []):
        assert place.server.fetch("POST", "/_settings", wrong).status == 400, wrong


@test
def it_ends_in_the_midst_of_work(_):
    server = Server()
    with server:
        sandbox = server.create()
        port = server.execd(sandbox)
        session = fetch(port, "POST", "/pty").json()["session_id"]
        connection = socket.create_connection(("127.0.0.1", port), 60)
        body = b'{"command":"echo $$; setsid tail -f /dev/null & tail -f /dev/null"}'
        connection.sendall(b"POST /command HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                           % (len(body), body))
        while b"stdout" not in connection.recv(65536):
            pass
        terminal = WebSocket(server.port, f"/v1/sandboxes/{sandbox}/proxy/44772/pty/{session}/ws")
        assert terminal.receive()[0] == 1
        server.create(networkPolicy={})
        paused = server.create()
        server.fetch("POST", f"/v1/sandboxes/{paused}/pause")
        marks = [f"{server.folder}/{sandbox}".encode(), f"{server.folder}/{paused}".encode()]
    left = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                line = file.read()
        except OSError:
            continue
        left += [line for mark in marks if mark in line]
    assert not left, left
    terminal.__exit__()
    connection.close()


run(Place())
