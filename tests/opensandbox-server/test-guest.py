#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest in a sandbox of the server: put there, started by a command, reached by a WebSocket through execd.

usage: test-guest.py SERVER
"""

import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))

import guestlib
import websocket_client
from lookalike import Server, fetch, parse_events, run, test

MULTIPART = {"Content-Type": "multipart/form-data; boundary=B"}
PROGRAM = "/tmp/asb-guest"


class Place:
    """A sandbox that has the program."""

    def __enter__(self):
        self.server = Server()
        self.sandbox = self.server.create()
        self.execd = self.server.execd(self.sandbox)
        metadata = json.dumps({"path": PROGRAM, "mode": 755}).encode()
        body = b""
        for name, content in (("metadata", metadata), ("file", pathlib.Path(os.environ["ASB_GUEST_PATH"]).read_bytes())):
            body += (f'--B\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n').encode() + content + b"\r\n"
        answer = fetch(self.execd, "POST", "/files/upload", body + b"--B--\r\n", headers=MULTIPART)
        assert answer.status == 200, answer
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def command(self, text):
        """What it prints, to the end of its stream."""
        answer = fetch(self.execd, "POST", "/command", {"command": text})
        events, _ = parse_events(answer.body)
        assert any(event["type"] == "execution_complete" for event in events), events
        return "".join(event["text"] for event in events if event["type"] == "stdout")

    def start(self, more=""):
        return json.loads(self.command(f"{PROGRAM} serve --listen --daemon --socket /tmp/run/guest-1.sock --history-dir /tmp/history {more}"))

    def paths(self, port):
        # A server's own way to a port of a container does not reach what listens on loopback there.
        return [(self.execd, f"/proxy/{port}/"),
                (self.server.port, f"/v1/sandboxes/{self.sandbox}/proxy/44772/proxy/{port}/any")]


def come(port, path, token):
    return guestlib.Client(websocket_client.WebSocket(port, path=path), token=token)


@test
def the_command_that_starts_it_ends(place):
    before = time.monotonic()
    door = place.start()
    # The server holds a stream open for a second, and no longer.
    print(f"# the guest was started in {time.monotonic() - before:.2f} s", flush=True)
    assert set(door) == {"port", "token", "pid"}, door
    assert place.start() == door


@test
def it_is_reached_through_execd_and_server(place):
    door = place.start()
    ids = set()
    for port, path in place.paths(door["port"]):
        client = come(port, path, door["token"])
        ids.add(client.hello["boot_id"])
        assert client.command(["echo", "hi"]).stdout == b"hi\n", path
        data = os.urandom(300000)
        call = client.start_command(["cat"], stdin="stream")
        client.write(call, data, fin=True)
        assert client.wait(call, guestlib.OUTPUT, guestlib.ERRORS).stdout == data, path
        client.close()
    assert len(ids) == 1, ids


@test
def without_its_token_nobody_comes_in(place):
    door = place.start()
    for port, path in place.paths(door["port"]):
        client = guestlib.Client(websocket_client.WebSocket(port, path=path), hello=False)
        client.send(guestlib.HELLO, {"major": 1, "minor": 0, "token": "x" * len(door["token"])})
        assert client.until_closed()["code"] == "access_denied"


@test
def much_output_comes_as_it_is(place):
    door = place.start()
    for port, path in place.paths(door["port"]):
        client = come(port, path, door["token"])
        client.keep = False
        before = time.monotonic()
        call = client.command("head -c 20000000 /dev/zero")
        assert call.received[guestlib.OUTPUT] == 20000000
        print(f"# 20 MB by {path.partition('?')[0]} in {time.monotonic() - before:.2f} s", flush=True)
        client.close()


@test
def a_lost_client_is_noticed(place):
    door = place.start()
    for number, (port, path) in enumerate(place.paths(door["port"])):
        client = come(port, path, door["token"])
        mark = f"/tmp/noticed-{number}"
        call = client.start_command(f"cat; echo > {mark}", stdin="stream")
        client.wait_event(call)
        other = come(port, path, door["token"])
        client.close()
        before = time.monotonic()
        while "error" in other.run("file.stat", {"path": mark}).reply:
            pass
        print(f"# noticed in {time.monotonic() - before:.3f} s", flush=True)
        other.close()


run(Place())
