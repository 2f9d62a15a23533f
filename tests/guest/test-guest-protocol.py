#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames, the opening, numbers, windows and bounds (docs/guest-protocol.md §1 to §3)."""

import json
import socket
import struct
import time

from guestlib import *
from treelib import peak_memory

QUIET = ["sleep", "1000"]

# What a session holds that its client has not acknowledged, when that asks for more.
MAX_UNTAKEN = 32 * 1024 * 1024


def goodbye_to(raw_bytes=None, hello=True, frame=None):
    """What the guest says to @frame, or to raw bytes."""
    with Guest() as guest:
        client = guest.connect(hello)
        if frame:
            client.send(**frame)
        else:
            client.socket.sendall(raw_bytes)
        goodbye = client.until_closed()
        # It goes on serving others.
        assert guest.connect().command(["true"]).result["exit_code"] == 0
        return goodbye


def assert_violation(goodbye):
    assert goodbye is not None, "closed without GOODBYE"
    assert goodbye["code"] == "protocol_error", goodbye
    assert goodbye["message"].startswith("The client broke the protocol: "), goodbye


def test_hello():
    with Guest() as guest:
        hello = guest.connect().hello
        assert hello["major"] == 1 and hello["minor"] == 0, hello
        assert hello["features"] == ["commands", "files", "history", "history-wait", "jobs", "search", "terminals", "grep", "edit", "lines", "attributes", "watch", "archives", "uploads"]
        assert hello["uid"] == os.getuid() and hello["gid"] == os.getgid()
        assert hello["arch"] == os.uname().machine
        assert raw(hello["home"]).startswith(b"/")
        assert set(hello["clock"]) == {"sec", "nsec"}
        assert set(hello["session"]) == {"id", "secret", "linger_ms"}
        again = guest.connect().hello
        assert again["boot_id"] == hello["boot_id"]
        assert again["session"]["id"] != hello["session"]["id"]
        assert again["session"]["secret"] != hello["session"]["secret"]
    with Guest() as guest:
        assert guest.connect().hello["boot_id"] != hello["boot_id"]


def test_hello_of_later_minor_version():
    with Guest() as guest:
        client = guest.connect(hello=False)
        client.send(HELLO, {"major": 1, "minor": 7, "features": ["x"], "token": "t", "client": "c", "new": 1})
        frame = client.read()
        assert frame.type == HELLO and frame.json["minor"] == 0, frame


def test_hello_of_other_major_version():
    goodbye = goodbye_to(hello=False, frame={"type": HELLO, "payload": {"major": 2, "rest": "unknown"}})
    assert goodbye["code"] == "unsupported_version", goodbye


def test_hello_out_of_order():
    for payload in [
        {},
        {"major": "1", "minor": 0},
        {"major": 1},
        {"major": 1, "minor": -1},
        {"major": 1, "minor": 0, "features": {}},
        {"major": 1, "minor": 0, "token": 5},
        {"major": 1, "minor": 0, "client": 5},
    ]:
        assert_violation(goodbye_to(hello=False, frame={"type": HELLO, "payload": payload}))


def test_frame_before_hello():
    for type in [CALL, PING, ACK, DATA]:
        payload = {"call": "guest.shutdown"} if type == CALL else bytes(8)
        call = 1 if type in (CALL, DATA) else 0
        assert_violation(goodbye_to(hello=False, frame={"type": type, "payload": payload, "call": call}))


def test_second_hello():
    assert_violation(goodbye_to(frame={"type": HELLO, "payload": {"major": 1, "minor": 0}}))


def test_frames_only_the_guest_sends():
    for type in [REPLY, EVENT]:
        assert_violation(goodbye_to(frame={"type": type, "payload": {}, "call": 1}))


def test_unknown_type():
    for type in [0, 7, 15, 22, 255]:
        assert_violation(goodbye_to(HEADER.pack(0, type, 0, 0, 0, 0)))


def test_unknown_flags():
    assert_violation(goodbye_to(HEADER.pack(0, DATA, 2, 0, 1, 1)))
    assert_violation(goodbye_to(HEADER.pack(0, CANCEL, 1, 0, 1, 1)))


def test_wrong_fields():
    for header in [
        (0, PING, 0, 1, 0, 0),  # a channel where there is none
        (0, DATA, 0, 3, 1, 1),  # a channel that does not exist
        (0, PING, 0, 0, 1, 0),  # a call where there is none
        (0, CANCEL, 0, 0, 0, 1),  # no call where there must be one
        (0, PING, 0, 0, 0, 1),  # a number where there is none
        (0, CANCEL, 0, 0, 1, 0),  # no number where there must be one
        (0, CANCEL, 0, 0, 1, 1 << 53),
    ]:
        assert_violation(goodbye_to(HEADER.pack(*header)))


def test_lengths():
    for header in [
        (MAX_CONTROL + 1, CALL, 0, 0, 1, 1),
        (MAX_DATA + 1, DATA, 0, 0, 1, 1),
        (0xFFFFFFFF, CALL, 0, 0, 1, 1),
        (1, CANCEL, 0, 0, 1, 1),
        (7, ACK, 0, 0, 0, 0),
        (9, CREDIT, 0, 0, 1, 0),
        (65, PING, 0, 0, 0, 0),
    ]:
        # What is wrong with the header is said before the payload has come.
        assert_violation(goodbye_to(HEADER.pack(*header)))


def test_json():
    deep = b'{"a":' + b"[" * 40 + b"]" * 40 + b"}"
    for payload in [
        b"",
        b"[]",
        b"nonsense",
        b'{"call": "x"',
        b'{"call": "x", "call": "y"}',
        b'{"call": "\\u0000"}',
        b'{"call": "\xff"}',
        b'{"call": "x", "n": 9007199254740992}',
        b'{"call": "x"} {}',
        deep,
    ]:
        assert_violation(goodbye_to(frame={"type": CALL, "payload": payload, "call": 1}))


def test_call_members():
    with Guest() as guest:
        client = guest.connect()
        assert client.run("nonsense").error["code"] == "unsupported_call"
        for request in [{}, {"call": 5}, {"call": "file.stat", "args": []}, {"call": "file.stat", "record": 5},
                        {"call": "file.stat", "record": {"required": 1}}]:
            call = client.calls[client.next_call] = CallState(client.next_call)
            client.send(CALL, request, call=client.next_call)
            client.next_call += 1
            assert client.wait(call).error["code"] == "invalid_argument", request


def test_largest_call():
    with Guest() as guest:
        client = guest.connect()
        payload = json.dumps({"call": "file.stat", "args": {"path": "/", "padding": ""}}).encode()
        padding = MAX_CONTROL - len(payload)
        payload = payload.replace(b'""', b'"' + b"x" * padding + b'"')
        client.calls[1] = CallState(1)
        client.send(CALL, payload, call=1)
        client.next_call = 2
        reply = client.wait(client.calls[1]).reply
        # Passing it on takes a few bytes more than the largest frame has.
        assert reply["error"]["code"] == "invalid_argument", reply
        assert client.run("file.stat", {"path": "/", "padding": "x" * 1000000}).result["entry"]["kind"] == "directory"


def test_largest_call_that_fails():
    """The answer tells of it in part: it must fit into a frame."""
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        for name, make in [("command.start", lambda text: {"argv": [text]}),
                           ("command.start", lambda text: {"argv": ["true"], "cwd": text}),
                           ("file.stat", lambda text: {"path": text}),
                           ("job.start", lambda text: {"argv": [text]})]:
            # Six bytes of JSON each.
            room = (MAX_CONTROL - len(json.dumps({"call": name, "args": make("/")}))) // 6
            call = client.run(name, make("/" + "\x01" * room), channels=[OUTPUT, ERRORS] if name == "command.start" else [])
            assert "error" in call.reply, (name, call.reply)


def test_sequence_gap():
    assert_violation(goodbye_to(frame={"type": CANCEL, "call": 1, "sequence": 2}))


def test_sequence_repeated():
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("once")
        assert client.run("file.mkdir", {"path": path, "parents": False}).result["created"]
        client.send(CALL, {"call": "file.mkdir", "args": {"path": path, "parents": False}}, call=7, sequence=1)
        # It was dropped: no reply of call 7 comes before that of the next one.
        assert client.run("file.stat", {"path": path}).result["entry"]["kind"] == "directory"
        assert client.acknowledged == 1 or client.acknowledged == 2


def test_acknowledges_on_receipt():
    with Guest() as guest:
        client = guest.connect()
        for _ in range(200):
            client.send(CANCEL, call=99)
        client.until(lambda: client.acknowledged == 200)


def test_ack_of_what_was_not_sent():
    assert_violation(goodbye_to(frame={"type": ACK, "payload": struct.pack(">Q", 1)}))


def test_ack_again():
    with Guest() as guest:
        client = guest.connect()
        client.command(["true"])
        client.ack(1)
        client.ack(0)
        assert client.command(["true"]).result["exit_code"] == 0


def test_ping():
    with Guest() as guest:
        client = guest.connect()
        for payload in [b"", b"\0\1\2", bytes(range(64))]:
            client.send(PING, payload)
            client.until(lambda: client.pongs and client.pongs[-1] == payload)


def test_ping_overtakes():
    with Guest() as guest:
        client = guest.connect()
        client.credits = client.acks = False
        call = client.start_command(["cat", "/dev/zero"])
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.send(PING, b"still there")
        client.until(lambda: client.pongs == [b"still there"])


def test_pings_without_reading():
    with Guest() as guest:
        flood = guest.connect()
        frame = HEADER.pack(64, PING, 0, 0, 0, 0) + bytes(64)
        try:
            # More than any buffer holds: the guest gives the connection up and not its memory.
            for _ in range(300):
                flood.socket.sendall(frame * 1000)
            raise AssertionError("the guest took it all")
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert guest.connect().command(["true"]).result["exit_code"] == 0


def test_what_follows_a_violation():
    """It is taken, so that the client, which reads when it has written, learns what it did wrong."""
    with Guest() as guest:
        client = guest.connect()
        began = time.monotonic()
        try:
            client.send(HELLO, {"major": 1, "minor": 0})
            client.socket.sendall(bytes(8 << 20))
        except (BrokenPipeError, ConnectionResetError):
            pass
        goodbye = client.until_closed()
        # Who has not read it within a second need not be told.
        if goodbye or time.monotonic() - began < 1:
            assert_violation(goodbye)


def test_goodbye_of_the_client():
    with Guest() as guest:
        client = guest.connect()
        client.send(GOODBYE, {"code": "done", "message": "Done"})
        assert client.until_closed() is None


def test_number_in_use():
    with Guest() as guest:
        client = guest.connect()
        client.start_command(QUIET)
        client.send(CALL, {"call": "file.stat", "args": {"path": "/"}}, call=1)
        assert_violation(client.until_closed())


def test_frames_for_no_call():
    with Guest() as guest:
        client = guest.connect()
        done = client.command(["true"])
        for number in (done.number, 77):
            client.send(CANCEL, call=number)
            client.send(STOP, call=number, channel=1)
            client.send(DATA, b"x", call=number)
            client.send(CREDIT, struct.pack(">Q", 5), call=number, channel=1)
        assert client.command(["true"]).result["exit_code"] == 0


def test_window_of_the_client():
    """The guest sends no more than the window beyond the credit."""
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        call = client.start_command("head -c 1000000 /dev/zero")
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.credit(call, OUTPUT, 10)
        client.until(lambda: call.received[OUTPUT] == WINDOW + 10)
        # Credit that goes back is ignored.
        client.credit(call, OUTPUT, 5)
        # What would come by it comes before what is asked for now.
        assert client.command(["true"]).result["exit_code"] == 0
        assert call.received[OUTPUT] == WINDOW + 10
        client.credits = True
        client.credit(call, OUTPUT, call.received[OUTPUT])
        client.wait(call, OUTPUT, ERRORS)
        assert call.received[OUTPUT] == 1000000


def test_credit_for_more_than_was_sent():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(QUIET)
        client.wait_event(call)
        client.credit(call, OUTPUT, 1)
        assert_violation(client.until_closed())


def test_data_beyond_the_window():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(QUIET, stdin="stream")
        client.wait_event(call)
        # The pipe and the window are full at some time, since nobody reads.
        try:
            for _ in range(40):
                client.send(DATA, bytes(MAX_DATA), call=call.number)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert_violation(client.until_closed())


def test_data_up_to_the_window():
    """All of it is taken, and not a byte more."""
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(QUIET, stdin="stream")
        client.wait_event(call)
        while call.input_sent < call.input_credit + WINDOW:
            room = call.input_credit + WINDOW - call.input_sent
            client.send(DATA, bytes(min(room, MAX_DATA)), call=call.number)
            call.input_sent += min(room, MAX_DATA)
            n_pongs = len(client.pongs)
            client.send(PING, b"1")
            client.until(lambda: len(client.pongs) > n_pongs)
        # Its pipe may still have been written to.
        assert client.command(["true"]).result["exit_code"] == 0
        room = call.input_credit + WINDOW - call.input_sent
        client.send(DATA, bytes(room), call=call.number)
        assert client.command(["true"]).result["exit_code"] == 0
        client.send(DATA, b"x", call=call.number)
        assert_violation(client.until_closed())


def test_data_where_none_is_taken():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(QUIET)
        client.wait_event(call)
        client.send(DATA, b"x", call=call.number)
        assert_violation(client.until_closed())


def test_data_on_a_channel_of_the_guest():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(QUIET, stdin="stream")
        client.wait_event(call)
        client.send(DATA, b"x", call=call.number, channel=OUTPUT)
        assert_violation(client.until_closed())


def test_data_after_fin():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(QUIET, stdin="stream")
        client.write(call, b"x", fin=True)
        client.send(DATA, b"y", call=call.number)
        assert_violation(client.until_closed())


def test_stop_of_own_channel():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(QUIET, stdin="stream")
        client.send(STOP, call=call.number, channel=INPUT)
        assert_violation(client.until_closed())


def test_unacknowledged_frames_are_bounded():
    """With credit for everything, but no acknowledgement, 4 MiB come and no more."""
    with Guest() as guest:
        client = guest.connect()
        client.acks = False
        client.keep = False
        total = 0
        call = client.start_command("head -c 20000000 /dev/zero")
        while True:
            frame = client.step()
            if frame.type <= STOP:
                total += HEADER.size + len(frame.payload)
            if total + HEADER.size + MAX_DATA > MAX_UNACKNOWLEDGED:
                break
        client.send(PING, b"1")
        while not client.pongs:
            frame = client.step()
            if frame.type <= STOP:
                total += HEADER.size + len(frame.payload)
        assert total <= MAX_UNACKNOWLEDGED, total
        client.acks = True
        client.ack(client.received)
        client.wait(call, OUTPUT, ERRORS)
        assert call.received[OUTPUT] == 20000000


def test_answers_nobody_takes():
    """Who asks for more and more and acknowledges nothing is told to go, and is given no more memory."""
    with Guest() as guest:
        client = guest.connect()
        # Six bytes of JSON for each of the command: what is long in other ways takes longer to make.
        for _ in range(40):
            assert "result" in client.run("job.start", {"argv": ["true", "\1" * 250]}).reply
        large = len(json.dumps(client.run("job.list").reply))
        client.acks = False
        client.keep = False
        request = {"call": "job.list", "args": {}}
        for number in range(1000, 1000 + 2 * MAX_UNTAKEN // large):
            try:
                client.send(CALL, request, call=number)
            except (BrokenPipeError, ConnectionResetError):
                break
            client.calls[number] = CallState(number)
        # Who has not read why within a second is not told.
        goodbye = client.until_closed()
        assert goodbye is None or goodbye["code"] == "protocol_error", goodbye
        assert guest.connect().command(["true"]).result["exit_code"] == 0


def test_requests_that_are_too_large_together():
    with Guest() as guest:
        client = guest.connect()
        job = client.run("job.start", {"argv": QUIET}).result["job_id"]
        waiting = [client.start("job.wait", {"job_id": job, "unknown": "x" * 1000000}) for _ in range(100)]
        refused = [call for call in waiting[70:] if client.wait(call).error["code"] == "too_many_requests"]
        assert len(refused) == 30
        client.send(CANCEL, call=waiting[0].number)
        client.wait(waiting[0])
        for call in waiting[1:60]:
            assert call.reply is None, call.reply
        assert client.run("job.stop", {"job_id": job}).result["state"] == "ended"
        for call in waiting[1:60]:
            client.wait(call)
            assert call.result["state"] == "ended"


def test_requests_that_grow():
    """Some text of JSON takes many times as much memory once it has been read."""
    with Guest() as guest:
        client = guest.connect()
        job = client.run("job.start", {"argv": QUIET}).result["job_id"]
        for junk in ([[]] * 240000, {"%x" % i: 0 for i in range(70000)}):
            client.command(["true"])
            before = peak_memory(guest.process.pid)
            waiting = [client.start("job.wait", {"job_id": job, "unknown": junk}) for _ in range(8)]
            client.command(["true"])
            n_refused = sum(call.reply is not None for call in waiting)
            for call in waiting:
                client.send(CANCEL, call=call.number)
                client.wait(call)
            assert n_refused > 0 and client.command(["true"]).result["exit_code"] == 0, n_refused
            if not checker.is_used():
                assert peak_memory(guest.process.pid) - before < 120 << 20, (str(junk)[:20], peak_memory(guest.process.pid) - before)


def test_one_byte_at_a_time():
    with Guest() as guest:
        client = guest.connect()
        payload = json.dumps({"call": "file.stat", "args": {"path": "/"}}).encode()
        client.calls[1] = CallState(1)
        for byte in HEADER.pack(len(payload), CALL, 0, 0, 1, 1) + payload:
            client.socket.sendall(bytes([byte]))
        assert client.wait(client.calls[1]).result["entry"]["path"] == "/"


def test_many_calls_at_once():
    with Guest() as guest:
        client = guest.connect()
        calls = [client.start_command(["echo", str(i)]) for i in range(100)]
        for i, call in enumerate(calls):
            client.wait(call, OUTPUT, ERRORS)
            assert call.stdout == b"%d\n" % i


def test_too_many_calls():
    with Guest() as guest:
        client = guest.connect()
        calls = [client.start("command.start", {"argv": QUIET}) for _ in range(256)]
        refused = client.run("command.start", {"argv": QUIET}, channels=[OUTPUT, ERRORS])
        assert refused.error["code"] == "too_many_requests", refused.reply
        client.until(lambda: all(call.events for call in calls))
        client.send(CANCEL, call=calls[0].number)
        client.wait(calls[0], OUTPUT, ERRORS)
        assert client.command(["true"]).result["exit_code"] == 0


def test_too_many_connections():
    with Guest() as guest:
        clients = [guest.connect() for _ in range(64)]
        refused = guest.connect(hello=False)
        refused.send(HELLO, {"major": 1, "minor": 0})
        assert refused.until_closed()["code"] == "too_many_connections"
        clients[0].close()
        # The guest sees that it is closed before it sees the next one.
        assert clients[1].command(["true"]).result["exit_code"] == 0
        assert guest.connect().command(["true"]).result["exit_code"] == 0


def test_silent_clients():
    """Who says no HELLO, and who does not read GOODBYE, is not waited for."""
    with Guest() as guest:
        silent = guest.connect(hello=False)
        deaf = guest.connect()
        deaf.send(99)
        wait_for_hang_up(silent.socket, deaf.socket)
        assert guest.connect().command(["true"]).result["exit_code"] == 0


def test_clients_without_hello_are_bounded():
    with Guest() as guest:
        greeted = guest.connect()
        before = count_descriptors(guest.process.pid)
        silent = [guest.connect(hello=False) for _ in range(200)]
        # It has seen all who came before this one.
        guest.connect().close()
        n = count_descriptors(guest.process.pid) - before
        assert n <= 64 + 16 + 1, n
        assert greeted.command(["true"]).result["exit_code"] == 0
        for client in silent:
            client.close()


def test_clients_that_were_told_to_go_are_bounded():
    """They have a second to close, once they know why."""
    with Guest() as guest:
        greeted = guest.connect()
        before = count_descriptors(guest.process.pid)
        refused = []
        for _ in range(200):
            refused.append(guest.connect(hello=False))
            refused[-1].send(HELLO, {"major": 99, "minor": 0})
            assert refused[-1].read().json["code"] == "unsupported_version"
        last = guest.connect()
        n = count_descriptors(guest.process.pid) - before
        assert n <= 64 + 16 + 1, n
        for client in (greeted, last):
            assert client.command(["true"]).result["exit_code"] == 0
        for client in refused:
            client.close()


def test_channels_end_also_after_errors():
    """A call that ends in error before its channels opened gets FIN on them all the same."""
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        for args, channels in [
            ({}, {OUTPUT, ERRORS}),
            ({"argv": ["/nonexistent/none"]}, {OUTPUT, ERRORS}),
            ({"argv": [], "stdout": "discard"}, {ERRORS}),
            ({"argv": ["/nonexistent/none"], "stderr": "merge"}, {OUTPUT}),
        ]:
            call = client.run("command.start", args, channels=channels)
            assert "error" in call.reply and call.ended == channels, (args, call.ended)
        for name in ("file.read", "file.list"):
            call = client.run(name, {"path": "/nonexistent/none"}, channels=[OUTPUT])
            assert call.error["code"] == "file_not_found", call.reply


if __name__ == "__main__":
    main()
