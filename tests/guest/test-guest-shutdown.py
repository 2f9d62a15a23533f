#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What clients are answered while the guest ends (docs/guest-protocol.md §4.4): each call has an answer that is true, or
none."""

import errno
import os

import checker
from guestlib import *
from websocket_client import *

# A command that ends only when it is killed, half a second after it was told to.
STUBBORN = "trap 'echo told' TERM; echo ready; while :; do sleep 1000 & wait; done"


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def start_stubborn(client):
    call = client.start_command(STUBBORN)
    client.until(lambda: call.stdout == b"ready\n")
    return call


def shut_down_while_running(guest):
    """A client, another that asked the guest to end and its call, and what keeps the guest for a while."""
    client, other = guest.connect(), guest.connect()
    stubborn = start_stubborn(client)
    ending = other.start("guest.shutdown")
    client.until(lambda: b"told" in stubborn.stdout)
    return client, other, ending, stubborn


def test_what_was_going_on():
    with Guest() as guest:
        client, slow = guest.connect(), guest.connect()
        slow.credits = False
        old, new, large = (guest.in_work(name) for name in ("old", "new", "large"))
        client.write_file(old, b"old")
        with open(large, "wb") as file:
            file.truncate(1 << 30)
        writes = [client.start("file.write", {"path": path}) for path in (old, new)]
        for call in writes:
            client.write(call, b"half" * 1000)
        watch = client.start("file.watch", {"path": guest.work})
        client.until(lambda: watch.events)
        reading = slow.start("file.read", {"path": large})
        flood = slow.start_command("cat /dev/zero")
        slow.until(lambda: reading.received[OUTPUT] == WINDOW and flood.received[OUTPUT] == WINDOW)
        job = client.run("job.start", {"shell": STUBBORN}).result
        waiting = client.start("job.wait", {"job_id": job["job_id"]})
        following = client.start("job.output", {"job_id": job["job_id"], "stream": "stdout", "follow": True})
        client.until(lambda: following.stdout == b"ready\n")
        pids = [flood.events[0]["pid"], job["pid"]]

        other = guest.connect()
        assert other.run("guest.shutdown").reply == {"result": {}}
        # What is said to have ended has.
        assert not any(is_running(pid) for pid in pids)
        assert client.until_closed() is None and slow.until_closed() is None and other.until_closed() is None
        for call in [*writes, watch, waiting, following, reading]:
            assert call.error["code"] == "cancelled", call.reply
        assert flood.result["reason"] == "cancelled", flood.reply
        assert contents(old) == b"old" and not os.path.exists(new) and sorted(os.listdir(guest.work)) == ["large", "old"]
        assert guest.process.wait(PATIENCE) == 0


def test_files_alone():
    """Nothing else keeps the guest until they are answered."""
    for _ in range(5):
        with Guest() as guest:
            client = guest.connect()
            paths = [guest.in_work(str(number)) for number in range(20)]
            writes = [client.start("file.write", {"path": path}) for path in paths]
            for call in writes:
                client.write(call, b"half" * 1000)
            assert guest.connect().run("guest.shutdown").reply == {"result": {}}
            assert client.until_closed() is None
            assert [call.error["code"] for call in writes] == ["cancelled"] * 20
            assert os.listdir(guest.work) == []


def test_asked_again():
    """By a signal, while it ends: who asked first is answered."""
    with Guest() as guest:
        _, other, ending, _ = shut_down_while_running(guest)
        guest.process.terminate()
        assert other.until_closed() is None and guest.process.wait(PATIENCE) == 0
        # Under valgrind the two seconds, which the guest has for its end, may be over before that is said.
        assert ending.reply == {"result": {}} or (checker.VALGRIND and not ending.reply)


def test_what_comes_late():
    """It is refused, and nothing of it is done: a machine that stands still may let it come when nobody is there."""
    n_refused = 0
    for _ in range(10):
        with Guest() as guest:
            fresh = guest.connect(hello=False)
            made = guest.in_work("made")
            calls = []
            client, other, ending, stubborn = shut_down_while_running(guest)
            try:
                calls = [client.start_command(["touch", made]), client.start("job.start", {"argv": ["touch", made]}),
                         client.start("file.mkdir", {"path": made}), client.start("guest.shutdown"),
                         client.start("file.write", {"path": made})]
                client.write(calls[-1], b"late", fin=True)
                fresh.send(HELLO, {"major": 1, "minor": 0})
            except OSError as error:
                assert error.errno == errno.EPIPE, error
            client.until_closed()
            assert fresh.until_closed() in (None, {"code": "draining", "message": "The guest is ending"}), fresh.goodbye
            other.until_closed()
            assert guest.process.wait(PATIENCE) == 0
            assert not os.path.exists(made)
            answers = [call.error["code"] for call in calls if call.reply]
            assert set(answers) <= {"draining"}, answers
            # Under valgrind the two seconds, which the guest has for its end, may be over before that is said.
            for call in (ending, stubborn):
                assert call.reply or checker.VALGRIND
            assert not ending.reply or ending.reply == {"result": {}}
            assert not stubborn.reply or stubborn.result["reason"] == "cancelled"
            n_refused += fresh.goodbye is not None and len(answers) == 5
            if n_refused == 2:
                return
    assert checker.VALGRIND, "nothing ever came in time to be refused"


def test_openings_of_websockets():
    """They are cut, as those that wait to be one are, and nobody comes in any more."""
    with Guest() as guest:
        client = guest.connect()
        door = client.run("guest.listen").result
        opening = socket.create_connection(("127.0.0.1", door["port"]))
        opening.sendall(request()[:-1])
        stubborn = start_stubborn(client)
        web = Client(WebSocket(door["port"]), token=door["token"])
        ending = web.start("guest.shutdown")
        client.until(lambda: b"told" in stubborn.stdout)
        opening.settimeout(PATIENCE)
        try:
            opening.sendall(request()[-1:])
            assert opening.recv(1) == b""
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            late = socket.create_connection(("127.0.0.1", door["port"]))
            late.sendall(request())
            assert late.recv(1) == b""
        except (BrokenPipeError, ConnectionResetError, ConnectionRefusedError):
            pass
        web.wait(ending)
        assert ending.reply == {"result": {}} and web.socket.until_closed() == 1001


if __name__ == "__main__":
    main()
