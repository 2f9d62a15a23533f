#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clients that come by a WebSocket (docs/guest-protocol.md §2.1)."""

import contextlib
import json
import os
import re
import select
import shutil
import socket
import subprocess
import tempfile
import time

import checker
from guestlib import *
from websocket_client import *


class WebGuest(Guest):
    """A guest that can be reached by a WebSocket too."""

    def start(self, *options, **kwargs):
        super().start("--listen", *options, stdout=subprocess.PIPE, **kwargs)
        # To its end: it lets go of what it was started with.
        said = self.process.stdout.read()
        self.process.stdout.close()
        self.port, self.token = (json.loads(said).get(name) for name in ("port", "token"))
        assert said.count(b"\n") == 1 and json.loads(said)["pid"] == self.process.pid, said

    def raw(self):
        sock = socket.create_connection(("127.0.0.1", self.port))
        sock.settimeout(PATIENCE)
        return sock

    def web(self, hello=True, **kwargs):
        said = {"token": self.token} if hello else {}
        return Client(WebSocket(self.port, **kwargs), hello, **said)


def check_alive(guest):
    client = guest.web()
    assert client.command(["echo", "alive"]).stdout == b"alive\n"
    client.close()


def status_of(guest, data):
    """The HTTP status of the answer to @data, after which the connection must end."""
    with guest.raw() as sock:
        sock.sendall(data)
        head, rest = read_answer(sock)
        if b" 101 " in head:
            assert GREETING.startswith(rest), (head, rest)
        else:
            assert rest == b"" and sock.recv(1) == b"", (head, rest)
        return int(head.split()[1])


def test_everything_works():
    with WebGuest() as guest:
        client = guest.web()
        assert client.hello["major"] == 1 and client.hello["boot_id"] == guest.connect().hello["boot_id"]
        assert client.command(["echo", "hi"]).stdout == b"hi\n"
        path = guest.in_work("file")
        assert client.write_file(path, b"x" * 200000).result["size"] == 200000
        assert client.read_file(path).stdout == b"x" * 200000
        assert client.run("guest.shutdown").result == {}
        assert client.socket.until_closed() == 1001
        assert guest.process.wait(PATIENCE) == 0


def test_closing():
    """Either side may close, and the other answers."""
    with WebGuest() as guest:
        for payload, answer in [(b"", 1000), (b"\x03\xe8", 1000), (b"\x03\xe9going", 1001), (b"\x0f\xa0", 4000)]:
            client = guest.web()
            client.socket.send_frame(WEB_CLOSE, payload)
            assert client.socket.until_closed() == answer
        # What came before the Close counts.
        client = guest.web()
        path = guest.in_work("made")
        call = json.dumps({"call": "file.mkdir", "args": {"path": path}}).encode()
        call = HEADER.pack(len(call), CALL, 0, 0, 1, 1) + call
        client.socket.socket.sendall(frame(WEB_BINARY, call) + frame(WEB_CLOSE))
        client.socket.has_closed = True
        assert client.socket.until_closed() == 1000
        other = guest.web()
        while other.run("file.stat", {"path": path}).reply.get("error"):
            pass
        # A violation of the protocol within: the guest says GOODBYE and closes.
        client = guest.web()
        client.send(HELLO, {"major": 1, "minor": 0})
        assert client.until_closed()["code"] == "protocol_error"
        assert client.socket.control[-1] == (WEB_CLOSE, b"\x03\xe8")
        # It is gone without a word.
        guest.web().close()
        check_alive(guest)


def frames_of_messages(client, until):
    """What each message holds, up to that with a frame of that type."""
    messages = []
    while until not in [frame.type for frame in (messages or [[]])[-1]]:
        client.buffer += client.socket.recv(1 << 20)
        messages.append([])
        while client.buffer:
            messages[-1].append(client.read())
    return messages


def test_few_messages():
    """Each costs all that are on the way a turn: what comes at the same time is in one."""
    identity = {"provider_key": "p", "sandbox_id": "s", "sandbox_instance_id": "i"}
    with WebGuest() as guest:
        client = guest.web()
        path = guest.in_work("small")
        client.write_file(path, b"x" * 100)
        client.run("history.open", {"identity": identity, "sdk_version": "1"})
        for size in [0, 100, 65536]:
            assert client.write_file(path, b"x" * size).result["size"] == size
            record = {"event_id": f"read {size}", "operation_type": "file.read", "required": True,
                      "actor": {"actor_type": "system", "correlation_id": "c"}, "request": {},
                      "file_operation": {"path": path, "change_type": "read"}}
            client.start("file.read", {"path": path}, record=record)
            messages = frames_of_messages(client, REPLY)
            told = [[(frame.type, frame.flags) for frame in message if frame.type != ACK] for message in messages]
            assert told[-1][-2:] == [(DATA, FIN), (REPLY, 0)], told
            last = max(frame.sequence for message in messages for frame in message)
            client.received = last
            client.ack(last)


def writes_of_workers(guest):
    """How often they have written anything."""
    path = f"/proc/{guest.process.pid}/task/{guest.process.pid}/children"
    workers = [pid for pid in open(path).read().split() if open(f"/proc/{pid}/comm").read() == "asb-worker\n"]
    try:
        return sum(int(re.search(r"^syscw: (\d+)", open(f"/proc/{pid}/io").read(), re.M)[1]) for pid in workers)
    except PermissionError as error:
        raise Skip("only root may see what they do") from error


def test_few_writes():
    """A file worker wakes the guest once for a small file."""
    skip_under_valgrind("writes, too: it hands on its lock through a pipe")
    with WebGuest() as guest:
        client = guest.web()
        path = guest.in_work("small")
        client.write_file(path, b"x" * 100)
        before = writes_of_workers(guest)
        for _ in range(20):
            assert client.read_file(path).stdout == b"x" * 100
        # The last one may be counted only once it is over.
        assert writes_of_workers(guest) - before in (19, 20, 21)


def test_lost_client_is_noticed():
    """Its command is at the end of its input as soon as the connection is closed."""
    with WebGuest() as guest:
        client = guest.web()
        path = guest.in_work("noticed")
        call = client.start_command(f"cat; echo > {path}", stdin="stream")
        client.wait_event(call)
        client.close()
        other = guest.web()
        while "error" in other.run("file.stat", {"path": path}).reply:
            pass


def test_token():
    with WebGuest() as guest:
        assert len(guest.token) >= 32
        wrong = guest.token[:-1] + ("0" if guest.token[-1] != "0" else "1")
        for said in [{}, {"token": ""}, {"token": wrong}, {"token": guest.token + "0"}, {"token": guest.token[:-1]},
                     {"token": guest.token.upper() + "\x00"}]:
            client = guest.web(hello=False)
            client.send(HELLO, {"major": 1, "minor": 0, **said})
            goodbye = client.until_closed()
            code = "protocol_error" if "\x00" in said.get("token", "") else "access_denied"
            assert goodbye["code"] == code and guest.token not in json.dumps(goodbye), (said, goodbye)
        # Who comes by the socket needs none.
        assert guest.connect().command(["true"]).result["exit_code"] == 0
        # It stands nowhere where others of the sandbox look.
        client = guest.web()
        for name in ("cmdline", "environ", "comm", "status"):
            call = client.command(f"cat /proc/{guest.process.pid}/{name}; cat /proc/self/{name}; true")
            assert guest.token.encode() not in call.stdout + call.stderr
        assert guest.token.encode() not in client.command(["env"]).stdout


def start_with_token(token):
    ours, theirs = os.pipe()
    os.write(theirs, token)
    os.close(theirs)
    return ours


def test_token_of_ones_own():
    ours = start_with_token(b"it-is-a-secret-of-mine!~\n")
    with WebGuest("--token-fd", str(ours), pass_fds=[ours]) as guest:
        os.close(ours)
        # Who brings it along is not told it.
        assert guest.token is None
        guest.token = "it-is-a-secret-of-mine!~"
        check_alive(guest)
        # Others are told another one, and may bring more.
        theirs = guest.connect().run("guest.listen").result["token"]
        for token in (theirs, guest.token):
            assert Client(WebSocket(guest.port), token=token).hello["major"] == 1
        client = guest.connect()
        for number in range(300):
            assert "token" not in client.run("guest.listen", {"token": f"one-more-of-them-{number}"}).result
        for number in (299, 44):
            assert Client(WebSocket(guest.port), token=f"one-more-of-them-{number}").hello["major"] == 1
        for token in ("one-more-of-them-43", "it-is-a-secret-of-mine!~"):
            web = Client(WebSocket(guest.port), hello=False)
            web.send(HELLO, {"major": 1, "minor": 0, "token": token})
            assert web.until_closed()["code"] == "access_denied", token
        for token in (5, "short", "x" * 129, "with a space in between", ""):
            assert client.run("guest.listen", {"token": token}).error["code"] == "invalid_argument", token
    for token in [b"", b"short\n", b"x" * 15, b"x" * 129, b"x" * 129 + b"\n", b"with a space in between",
                  b"two-lines-of-text\nand-another-one", b"not-ascii-\xc3\xbc-not-ascii", b"x" * 20 + b"\0"]:
        ours = start_with_token(token)
        result = subprocess.run([guest_program(), "serve", "--listen", "--token-fd", str(ours), "--socket", "/dev/null/x"],
                                pass_fds=[ours], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        os.close(ours)
        assert result.returncode == 1 and b"Could not read the token" in result.stderr, (token, result)
        assert result.stdout == b"" and (token[:5] == b"" or token[:10] not in result.stderr), result


def test_request_in_order():
    with WebGuest() as guest:
        for data in [
            request(),
            request(path="/any/path?with=a&query"),
            request(upgrade="WebSocket", connection="keep-alive, UPGRADE"),
            request(connection=["keep-alive", "upgrade"], upgrade=["h2c", "websocket"]),
            request(sec_websocket_protocol="chat, asb", sec_websocket_extensions="permessage-deflate"),
            request(x_forwarded_for="10.0.0.1", content_length="0", cookie="a=b", empty=""),
            request(long="x" * 7000),
            request(**{f"field_{i}": "x" for i in range(59)}),
            request(host="h", odd="tab\there", bytes="\xfc\xff"),
            request().replace(b"host: ", b"HOST:"),
            request().replace(b"13\r\n", b" 13 \t \r\n"),
        ]:
            assert status_of(guest, data) == 101, data
        check_alive(guest)


def test_request_out_of_order():
    good = request()
    with WebGuest() as guest:
        for status, data in [
            (400, b"\r\n\r\n"),
            (400, b"GET\r\n\r\n"),
            (400, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"),
            (400, good.replace(b"GET / ", b"GET ")),
            (400, good.replace(b"GET / ", b"GET  / ")),
            (400, good.replace(b"GET / ", b"GET http://localhost/ ")),
            (400, good.replace(b"GET / ", b"G@T / ")),
            (405, good.replace(b"GET", b"POST")),
            (405, good.replace(b"GET", b"get")),
            (505, good.replace(b"HTTP/1.1", b"HTTP/1.0")),
            (505, good.replace(b"HTTP/1.1", b"HTTP/2.0")),
            (400, good.replace(b"HTTP/1.1", b"HTTPS/1.1")),
            (400, good.replace(b"HTTP/1.1", b"HTTP/1.1 ")),
            (400, good.replace(b"host: localhost\r\n", b"host: localhost\n")),
            (400, good.replace(b"host: localhost", b"host: local\rhost")),
            (400, good.replace(b"host: localhost", b"host: local\0host")),
            (400, good.replace(b"host: localhost", b"host : localhost")),
            (400, good.replace(b"host: localhost", b"host: localhost\r\n folded")),
            (400, good.replace(b"host: localhost", b"host: localhost\r\nnothing")),
            (400, good.replace(b"host: localhost", b"host: localhost\r\n: no name")),
            (400, request(leave_out=["host"])),
            (400, request(host=["one", "two"])),
            (400, request(content_length="5")),
            (400, request(content_length=["0", "5"])),
            (400, request(transfer_encoding="chunked")),
            (426, request(leave_out=["upgrade"])),
            (426, request(leave_out=["connection"])),
            (426, request(upgrade="websockets")),
            (426, request(connection="close")),
            (426, request(leave_out=["sec_websocket_version"])),
            (426, request(sec_websocket_version="8")),
            (426, request(sec_websocket_version=["13", "13"])),
            (400, request(leave_out=["sec_websocket_key"])),
            (400, request(sec_websocket_key="short")),
            (400, request(sec_websocket_key="dGhlIHNhbXBsZSBub25jZ===")),
            (400, request(sec_websocket_key="dGhlIHNhbX!sZSBub25jZQ==")),
            (400, request(sec_websocket_key="dGhlIHNhbXBsZSBub25jZQAA")),
            (400, request(sec_websocket_key=["dGhlIHNhbXBsZSBub25jZQ=="] * 2)),
            # A browser, whatever page it shows.
            (403, request(origin="http://localhost")),
            (403, request(origin="null")),
            (403, request(ORIGIN="")),
            # Too much.
            (431, request(long="x" * 9000)),
            (431, request(**{f"field_{i}": "x" for i in range(60)})),
            (431, b"x" * 9000),
            # What must wait for the answer.
            (400, good + frame(WEB_BINARY, b"early")),
        ]:
            assert status_of(guest, data) == status, (status, data)
        check_alive(guest)


def test_request_byte_by_byte():
    with WebGuest() as guest:
        with guest.raw() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in request():
                sock.sendall(bytes([byte]))
            head, rest = read_answer(sock)
            assert b" 101 " in head and GREETING.startswith(rest)


def test_frames_byte_by_byte():
    with WebGuest() as guest:
        web = guest.web().socket
        web.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in frame(WEB_PING, b"abc") + frame(WEB_BINARY, HEADER.pack(3, PING, 0, 0, 0, 0) + b"abc"):
            web.socket.sendall(bytes([byte]))
        client = Client(web, hello=False)
        assert client.read().payload == b"abc"
        assert web.control == [(WEB_PONG, b"abc")]


def test_fragments():
    with WebGuest() as guest:
        for piece in (1, 7, 125, 126, 65535, 65536):
            client = guest.web(piece=piece)
            data = os.urandom(30000 if piece == 1 else 300000)
            call = client.start_command(["cat"], stdin="stream")
            client.write(call, data, fin=True)
            client.wait(call, OUTPUT, ERRORS)
            assert call.stdout == data, piece
        # Control frames come in between, and frames with nothing in them.
        web = guest.web().socket
        ping = HEADER.pack(3, PING, 0, 0, 0, 0) + b"xyz"
        web.socket.sendall(frame(WEB_BINARY, b"", fin=False) + frame(WEB_CONTINUATION, ping[:5], fin=False) + frame(WEB_PING, b"1")
                           + frame(WEB_CONTINUATION, b"", fin=False) + frame(WEB_PONG, b"nobody asked")
                           + frame(WEB_CONTINUATION, ping[5:], fin=False) + frame(WEB_PING, b"2")
                           + frame(WEB_CONTINUATION, b"") + frame(WEB_BINARY, b"") + frame(WEB_BINARY, ping[:1]) + frame(WEB_BINARY, ping[1:]))
        client = Client(web, hello=False)
        assert client.read().payload == b"xyz" and client.read().payload == b"xyz"
        assert (WEB_PONG, b"2") in web.control, web.control


def test_pings_before_hello():
    with WebGuest() as guest:
        web = WebSocket(guest.port)
        for payload in (b"", b"early"):
            web.send_frame(WEB_PING, payload)
            assert web.read_frame() == (WEB_PONG, payload)
        assert Client(web, token=guest.token).command(["echo", "hi"]).stdout == b"hi\n"
        # After which it goes, too.
        web = WebSocket(guest.port)
        web.socket.sendall(frame(WEB_PING) + frame(WEB_CLOSE))
        web.has_closed = True
        assert web.until_closed() == 1000
        check_alive(guest)


def test_masks():
    with WebGuest() as guest:
        for mask in (b"\0\0\0\0", b"\xff\0\xff\0", os.urandom(4)):
            web = guest.web().socket
            for size in range(8):
                web.send_frame(WEB_BINARY, HEADER.pack(size, PING, 0, 0, 0, 0) + bytes(range(size)), mask=mask)
                assert Client(web, hello=False).read().payload == bytes(range(size))


def test_frames_out_of_order():
    with WebGuest() as guest:
        for code, data in [
            (1002, frame(WEB_BINARY, b"x", mask=None)),
            (1002, frame(WEB_PING, b"x", mask=None)),
            (1002, frame(WEB_BINARY, b"x", reserved=4)),
            (1002, frame(WEB_BINARY, b"x", reserved=1)),
            (1003, frame(WEB_TEXT, b"x")),
            (1003, frame(WEB_TEXT, b"x", fin=False)),
            (1002, frame(WEB_CONTINUATION, b"x")),
            (1002, frame(WEB_BINARY, b"", fin=False) + frame(WEB_BINARY, b"")),
            (1002, frame(3)), (1002, frame(7)), (1002, frame(11)), (1002, frame(15)),
            (1002, frame(WEB_PING, b"x" * 126)),
            (1002, frame(WEB_PING, b"x", fin=False)),
            (1002, frame(WEB_CLOSE, b"x")),
            (1002, frame(WEB_CLOSE, b"\0\0")), (1002, frame(WEB_CLOSE, b"\x03\xed")), (1002, frame(WEB_CLOSE, b"\x13\x88")),
            (1002, frame(WEB_BINARY, b"x", size=2)),
            (1002, frame(WEB_BINARY, b"x" * 125, size=2)),
            (1002, frame(WEB_BINARY, b"x", size=8)),
            (1002, frame(WEB_BINARY, b"x" * 65535, size=8)),
            (1009, frame(WEB_BINARY, b"x", length=(16 << 20) + 1)),
            (1009, frame(WEB_BINARY, b"x", length=1 << 62)),
            (1009, frame(WEB_BINARY, b"x", length=(1 << 64) - 1)),
        ]:
            web = guest.web().socket
            web.socket.sendall(data)
            assert web.until_closed() == code, (code, data[:40])
        check_alive(guest)
        # The longest there may be is taken as it comes.
        client = guest.web()
        ping = HEADER.pack(3, PING, 0, 0, 0, 0) + b"abc"
        client.socket.socket.sendall(frame(WEB_BINARY, ping, length=16 << 20))
        assert client.read().payload == b"abc"
        # What came before counts, and is answered.
        client = guest.web()
        client.send(PING, b"before")
        client.socket.send_frame(WEB_TEXT, b"x")
        client.until_closed()
        assert client.pongs == [b"before"] and client.socket.control[-1] == (WEB_CLOSE, b"\x03\xeb")


def test_much_output():
    with WebGuest() as guest:
        client = guest.web()
        client.keep = False
        call = client.command("head -c 20000000 /dev/zero")
        assert call.received[OUTPUT] == 20000000
        assert call.result["stdout_bytes"] == 20000000


def test_both_ways_full():
    """The guest cannot send, and what comes cannot be written: nothing is stuck for ever."""
    with WebGuest() as guest:
        client = guest.web()
        data = os.urandom(1 << 20) * 16
        call = client.start_command(["cat"], stdin="stream")

        def feed():
            for at in range(0, len(data), 65536):
                part = data[at:at + 65536]
                while call.input_sent + len(part) - call.input_credit > WINDOW:
                    client.step()
                client.send(DATA, part, call=call.number)
                call.input_sent += len(part)

        feed()
        client.send(DATA, b"", call=call.number, flags=FIN)
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout == data


def test_client_that_does_not_read():
    with WebGuest() as guest:
        client = guest.web()
        client.credits = False
        flood = client.start_command("cat /dev/zero")
        client.wait_event(flood)
        # It is asked for more and more that nobody reads, until the guest has enough of it.
        ping = HEADER.pack(64, PING, 0, 0, 0, 0) + bytes(64)
        web = client.socket
        web.socket.settimeout(PATIENCE)
        try:
            for _ in range(200000):
                web.socket.sendall(frame(WEB_BINARY, ping) + frame(WEB_PING, bytes(125)))
            raise AssertionError("the guest takes everything")
        except OSError:
            pass
        check_alive(guest)


def test_slow_openings_do_not_keep_others_out():
    with WebGuest() as guest:
        slow = []
        for number in range(200):
            sock = guest.raw()
            sock.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n")
            slow.append(sock)
        check_alive(guest)
        # Nor those who are silent after their opening.
        for number in range(200):
            slow.append(WebSocket(guest.port))
        check_alive(guest)
        for sock in slow:
            sock.close()


def test_openings_are_bounded():
    with WebGuest() as guest:
        before = count_descriptors(guest.process.pid)
        slow = [guest.raw() for _ in range(100)]
        check_alive(guest)
        n = count_descriptors(guest.process.pid) - before
        # And what the command has had, which may not all be closed yet.
        assert n <= 16 + 8, n
        for sock in slow:
            sock.close()


def test_sixteen_openings_at_once():
    """And one more takes the place of the oldest, whatever that would have done."""
    with WebGuest() as guest:
        slow = [guest.raw() for _ in range(17)]
        assert slow[0].recv(1) == b""
        for sock in slow[1:]:
            sock.sendall(request())
        for sock in slow[1:]:
            head, rest = read_answer(sock)
            assert b" 101 " in head and GREETING.startswith(rest), head
        # Those that are done with take no place.
        again = [guest.raw() for _ in range(16)]
        for sock in reversed(again):
            sock.sendall(request())
            assert b" 101 " in read_answer(sock)[0]
        for sock in slow + again:
            sock.close()


def test_openings_whose_clients_go():
    """In the middle of one, or before it: they are done with at once."""
    with WebGuest() as guest:
        for data in (b"", request()[:-1]):
            sock = guest.raw()
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            assert sock.recv(1) == b""


def dribble(sock, data):
    """Sends @data byte by byte, one each second, until something comes; then that, to the end."""
    for byte in data:
        if select.select([sock], [], [], 1)[0]:
            break
        sock.sendall(bytes([byte]))
    return read_answer(sock)


def test_silent_clients():
    """Of each kind: they are sent away after ten seconds, and nobody waits for them."""
    with WebGuest() as guest:
        begin = time.monotonic()
        nothing = guest.raw()
        half = guest.raw()
        half.sendall(request()[:-10])
        opened = WebSocket(guest.port)
        within = WebSocket(guest.port)
        within.socket.sendall(frame(WEB_BINARY, HEADER.pack(100, HELLO, 0, 0, 0, 0) + b"{")[:-1])
        busy = WebSocket(guest.port)
        busy.send_frame(WEB_PING, b"no HELLO")
        check_alive(guest)
        head, rest = dribble(guest.raw(), request()[:30])
        assert b" 408 " in head and rest == b"", head
        for sock in (nothing, half):
            head, rest = read_answer(sock)
            assert b" 408 " in head and rest == b"" and sock.recv(1) == b"", head
        for web in (opened, within, busy):
            assert web.until_closed() == 1001
        assert 10 <= time.monotonic() - begin < 20 * checker.SLOWNESS
        check_alive(guest)


def test_refused_openings_do_not_stay():
    """Also if their clients leave them open."""
    with WebGuest() as guest:
        guest.connect()
        before = count_descriptors(guest.process.pid)
        refused = [guest.raw() for _ in range(16)]
        for sock in refused:
            sock.sendall(b"GET /\r\n\r\n")
            assert b" 400 " in read_answer(sock)[0] and sock.recv(1) == b""
        # What comes still is read and dropped, as long as that is.
        for sock in refused:
            with contextlib.suppress(OSError):
                while True:
                    sock.sendall(request())
                    select.select([], [], [], 0.02)
        assert count_descriptors(guest.process.pid) <= before + 8
        for sock in refused:
            sock.close()


def test_many_clients():
    with WebGuest() as guest:
        clients = [guest.web() for _ in range(64)]
        calls = [client.start_command("cat", stdin="stream") for client in clients]
        one_more = guest.web(hello=False)
        one_more.send(HELLO, {"major": 1, "minor": 0, "token": guest.token})
        assert one_more.until_closed()["code"] == "too_many_connections"
        for number, (client, call) in enumerate(zip(clients, calls)):
            client.write(call, str(number).encode() * 1000, fin=True)
        for number, (client, call) in enumerate(zip(clients, calls)):
            client.wait(call, OUTPUT, ERRORS)
            assert call.stdout == str(number).encode() * 1000
            client.close()
        check_alive(guest)


def test_listen_call():
    """A guest that has no WebSocket yet opens one when it is asked."""
    with Guest() as guest:
        client = guest.connect()
        for port in (-1, 65536, "80", 1.5):
            assert client.run("guest.listen", {"port": port}).error["code"] == "invalid_argument"
        # Somebody else's.
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            call = client.run("guest.listen", {"port": taken.getsockname()[1]})
            assert call.error["code"] == "io_error", call.error
        door = client.run("guest.listen").result
        assert client.run("guest.listen").result == door
        assert client.run("guest.listen", {"port": door["port"]}).result == door
        other = 1 if door["port"] != 1 else 2
        assert client.run("guest.listen", {"port": other}).error["code"] == "already_exists"
        web = Client(WebSocket(door["port"]), token=door["token"])
        assert web.command(["echo", "hi"]).stdout == b"hi\n"
        # Only from here.
        with open("/proc/net/tcp") as table:
            listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
        assert f"0100007F:{door['port']:04X}" in listening


class Place:
    """A directory for guests that bind their socket themselves."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="asb-guest-test-")
        self.path = os.path.join(self.directory, "run", "guest-1.sock")
        self.options = ["--socket", self.path, "--history-dir", os.path.join(self.directory, "history")]

    def serve(self, *options, **kwargs):
        return subprocess.run([guest_program(), "serve", *self.options, *options], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE, **kwargs)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        try:
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(self.path)
            client = Client(sock)
            client.run("guest.shutdown")
            client.until_closed()
        except OSError:
            pass
        shutil.rmtree(self.directory, ignore_errors=True)


def test_daemon():
    with Place() as place:
        # To the end of both outputs, and it serves.
        first = place.serve("--listen", "--daemon")
        assert first.returncode == 0 and first.stderr == b"", first
        door = json.loads(first.stdout)
        client = Client(WebSocket(door["port"]), token=door["token"])
        assert client.command(["echo", "hi"]).stdout == b"hi\n"
        # Only root sees what others have open.
        for name in ("0", "1", "2") if os.getuid() == 0 else ():
            assert os.readlink(f"/proc/{door['pid']}/fd/{name}") == "/dev/null"
        assert os.getsid(door["pid"]) not in (os.getsid(0), door["pid"])
        # Who comes second is told of the first, in the background or not.
        for options in [("--listen", "--daemon"), ("--listen",), ("--listen", str(door["port"])),
                        ("--listen", f"127.0.0.1:{door['port']}")]:
            again = place.serve(*options)
            assert again.returncode == 0 and again.stderr == b"" and json.loads(again.stdout) == door, again
        assert place.serve("--daemon").stdout == b""
        other = place.serve("--listen", "1", "--daemon")
        assert other.returncode == 1 and b"listens at port" in other.stderr and other.stdout == b"", other


def test_daemon_that_was_there_without():
    with Place() as place:
        first = place.serve("--daemon")
        assert first.returncode == 0 and first.stdout == b"" and first.stderr == b"", first
        door = json.loads(place.serve("--listen").stdout)
        assert Client(WebSocket(door["port"]), token=door["token"]).hello["major"] == 1


def test_daemon_that_cannot_serve():
    with Place() as place, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for more in ([], ["--daemon"]):
            result = place.serve("--listen", str(taken.getsockname()[1]), *more)
            assert result.returncode == 1 and result.stdout == b"", result
            assert b"Could not listen at" in result.stderr and b"Address already in use" in result.stderr, result
        assert not os.path.exists(place.path)


def test_wrong_ports():
    with Place() as place:
        for port in ["x", "65536", "127.0.0.1", "127.0.0.1:", "0.0.0.0:80", "127.0.0.1:70000", "localhost:80", ""]:
            assert place.serve("--listen", port).returncode == 2, port


if __name__ == "__main__":
    main()
