#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The file workers: how many there are, and that nobody holds them up for others (docs/guest-protocol.md §4.2, §6)."""

import os

from guestlib import *
from treelib import children, name_of

MAX_BUSY = 8
MAX_STALLED = 56


def make(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def make_endless(guest, name):
    """A file that nobody reads to its end before a test is over."""
    path = make(guest.in_work(name), b"")
    os.truncate(path, 1 << 42)
    return path


def count_workers(guest):
    return [name_of(child) for child in children(guest.process.pid)].count("asb-worker")


def cancel(client, calls, *channels):
    for call in calls:
        client.send(CANCEL, call=call.number)
    for call in calls:
        client.wait(call, *channels)


def start_stalled(client, path, n):
    """Readers that take nothing: as many as may wait for their client."""
    client.credits = False
    readers = [client.start("file.read", {"path": path}) for _ in range(n)]
    most = min(n, MAX_BUSY + MAX_STALLED)
    client.until(lambda: sum(call.received[OUTPUT] == WINDOW for call in readers) >= most)
    return readers


def test_workers_that_work_are_bounded():
    """Who looks for lines in an endless file that has none finds nothing to tell."""
    with Guest() as guest:
        client = guest.connect()
        path = make_endless(guest, "file")
        calls = [client.start("file.read_lines", {"path": path, "offset": 1}) for _ in range(MAX_BUSY * 2)]
        # One after the other gets its turn until all are busy, which takes a moment.
        client.wait(client.start_command(["sleep", "0.5"]), OUTPUT, ERRORS)
        assert count_workers(guest) <= MAX_BUSY, count_workers(guest)
        cancel(client, calls, OUTPUT)


def test_workers_that_wait_for_clients_are_bounded():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), bytes(WINDOW + 1))
        readers = start_stalled(client, path, 200)
        client.send(PING)
        client.until(lambda: client.pongs)
        assert count_workers(guest) <= MAX_BUSY + MAX_STALLED, count_workers(guest)
        cancel(client, readers, OUTPUT)


def test_uploads_that_never_come_hold_nobody():
    """Of one client or of another."""
    with Guest() as guest:
        client = guest.connect()
        uploads = [client.start("file.write", {"path": guest.in_work(str(i))}) for i in range(MAX_BUSY * 3)]
        uploads += [client.start("file.unpack", {"path": guest.in_work("into")}) for _ in range(MAX_BUSY)]
        assert client.write_file(guest.in_work("own"), b"own").result["size"] == 3
        assert client.run("file.glob", {"path": guest.work, "pattern": "own"}, channels=[OUTPUT]).result["count"] == 1
        other = guest.connect()
        assert other.write_file(guest.in_work("other"), b"other").result["size"] == 5
        # Whose turn comes at last may still send.
        client.write(uploads[MAX_BUSY * 3 - 1], b"late", fin=True)
        assert client.wait(uploads[MAX_BUSY * 3 - 1]).result["size"] == 4
        cancel(client, [call for call in uploads if call.reply is None])


def test_streams_of_one_client_may_wait_for_each_other():
    """Who takes from the last one first gets to its end, and to those of the others."""
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), bytes(WINDOW * 2))
        readers = start_stalled(client, path, MAX_BUSY * 3)
        client.credits = True
        for call in reversed(readers):
            client.credit(call, OUTPUT, call.received[OUTPUT])
            assert client.wait(call, OUTPUT).result["bytes"] == WINDOW * 2


def test_client_that_takes_all_workers_leaves_one_to_each_other():
    with Guest() as guest:
        path = make(guest.in_work("file"), bytes(WINDOW + 1))
        greedy = guest.connect()
        readers = start_stalled(greedy, path, 100)
        for _ in range(3):
            other = guest.connect()
            assert other.read_file(path).stdout == bytes(WINDOW + 1)
            other.close()
        assert sum(call.reply is None for call in readers) == 100
        cancel(greedy, readers, OUTPUT)


def test_reader_that_is_slow_does_not_hold_others():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), bytes(2000000))
        client.credits = False
        slow = client.start("file.read", {"path": path})
        client.until(lambda: slow.received[OUTPUT] == WINDOW)
        assert client.run("file.stat", {"path": path}).result["entry"]["size"] == 2000000
        client.send(CANCEL, call=slow.number)
        client.wait(slow, OUTPUT)
        assert slow.error["code"] == "cancelled"


def test_cancel_of_what_waits_its_turn():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), bytes(2000000))
        busy = start_stalled(client, path, MAX_BUSY + MAX_STALLED)
        waiting = client.start("file.stat", {"path": path})
        client.send(CANCEL, call=waiting.number)
        assert client.wait(waiting).error["code"] == "cancelled"
        second = client.start("file.stat", {"path": path})
        client.send(CANCEL, call=busy[0].number)
        assert client.wait(second).result["entry"]["size"] == 2000000
        cancel(client, busy[1:], OUTPUT)


def test_worker_that_hangs_is_replaced():
    """A stopped worker stands for one that waits for a dead mount."""
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), bytes(2000000))
        client.credits = False
        calls = [client.start("file.read", {"path": path}) for _ in range(8)]
        for call in calls:
            client.until(lambda: call.received[OUTPUT] == WINDOW)
        stop = ["pkill", "-STOP", "-P", str(guest.process.pid), "-x", "asb-worker"]
        assert client.command(stop, stdout="discard", stderr="discard", channels=[]).result["exit_code"] == 0
        for call in calls:
            client.send(CANCEL, call=call.number)
        for call in calls:
            client.wait(call, OUTPUT)
            assert call.error["code"] == "cancelled"
        assert client.run("file.stat", {"path": path}).result["entry"]["size"] == 2000000


def test_killed_worker():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), bytes(2000000))
        client.credits = False
        call = client.start("file.read", {"path": path})
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        kill = ["pkill", "-KILL", "-P", str(guest.process.pid), "-x", "asb-worker"]
        assert client.command(kill, stdout="discard", stderr="discard", channels=[]).result["exit_code"] == 0
        client.wait(call, OUTPUT)
        assert call.error["code"] == "internal_error", call.reply
        assert client.run("file.stat", {"path": path}).result["entry"]["size"] == 2000000


if __name__ == "__main__":
    main()
