#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.watch (docs/guest-protocol.md §4.2)."""

import contextlib
import ctypes
import itertools
import os
import shutil
import signal

from guestlib import *
from treelib import *

MAX_WATCHES = 16
MAX_DIRECTORIES = 8192


def watch(client, path, **args):
    """A watch that stands."""
    call = client.start("file.watch", {"path": text(path), **args})
    assert client.wait_event(call)["event"] == "watching"
    return call


def write(path, data=b"x"):
    with open(path, "wb") as file:
        file.write(data)


def exchange(first, second):
    """Both names are of something, and change places in one step."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, os.fsencode(first), -100, os.fsencode(second), 2) != 0:
        raise Skip(f"two files cannot change places here: {os.strerror(ctypes.get_errno())}")


def whole_lines(call):
    """All that have come; each is parsed once."""
    if not hasattr(call, "whole_lines"):
        call.whole_lines, call.parsed = [], 0
    end = call.output[OUTPUT].rfind(b"\n", call.parsed) + 1
    if end:
        call.whole_lines += [json.loads(line) for line in bytes(call.output[OUTPUT][call.parsed:end]).splitlines()]
        call.parsed = end
    return call.whole_lines


def told(call, root):
    """The events without what follows from them: name, path below the root."""
    return [(line["event"], os.path.relpath(raw(line["path"]), os.fsencode(root)).decode(errors="surrogateescape")) for line in whole_lines(call) if "path" in line]


def until(client, call, *expected):
    """Until an event of that name and path has come."""
    client.until(lambda: call.reply is not None or any(all(line.get(k) == v for k, v in wanted.items()) for line in whole_lines(call) for wanted in expected))
    assert call.reply is None, call.reply


def mark(client, call, guest, name="mark"):
    """All that happened before in the directory has been told, and is given; the mark is forgotten."""
    os.mkdir(guest.in_work(name))
    until(client, call, {"event": "created", "path": guest.in_work(name)})
    events = told(call, guest.work)
    assert events[-1] == ("created", name), events
    return events[:-1]


def stop(client, call):
    client.send(STOP, call=call.number, channel=OUTPUT)
    return client.wait(call, OUTPUT).result


def test_what_happens_in_a_directory():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("old"))
        os.mkdir(guest.in_work("below"))
        call = watch(client, guest.work)
        assert call.events[0]["directories"] == 1
        write(guest.in_work("a"))
        os.chmod(guest.in_work("a"), 0o600)
        os.rename(guest.in_work("a"), guest.in_work("b"))
        os.rename(guest.in_work("b"), guest.in_work("below/b"))
        os.rename(guest.in_work("below/b"), guest.in_work("c"))
        write(guest.in_work("below/unseen"))
        os.unlink(guest.in_work("c"))
        os.mkdir(guest.in_work("d"))
        os.rmdir(guest.in_work("d"))
        os.symlink("nowhere", guest.in_work("link"))
        os.mkfifo(os.fsencode(guest.work) + b"/\xff")
        assert mark(client, call, guest) == [
            ("created", "a"), ("changed", "a"), ("changed", "a"), ("attributes", "a"), ("moved", "a"), ("deleted", "b"), ("created", "c"), ("deleted", "c"),
            ("created", "d"), ("deleted", "d"), ("created", "link"), ("created", "\udcff")]
        lines = whole_lines(call)
        assert [line.get("closed", False) for line in lines[:3]] == [False, False, True]
        assert lines[4]["to"] == guest.in_work("b") and [line["is_directory"] for line in lines[7:10]] == [False, True, True]
        assert stop(client, call) == {"reason": "stopped", "overflow": False}


def test_folders_that_come_and_move():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "a/b/old")
        call = watch(client, guest.work, recursive=True)
        assert call.events[0]["directories"] == 3
        write(guest.in_work("a/b/new"))
        until(client, call, {"event": "created", "path": guest.in_work("a/b/new")})
        # What is in a new folder before anybody can look is told, too, however deep.
        make_files(guest.work, "x/y/z/file")
        until(client, call, {"event": "created", "path": guest.in_work("x/y/z/file")})
        # A folder that moves is told by its new name from then on, and so is what it holds.
        os.rename(guest.in_work("x"), guest.in_work("a/b/x"))
        write(guest.in_work("a/b/x/y/z/more"))
        until(client, call, {"event": "created", "path": guest.in_work("a/b/x/y/z/more")})
        assert ("moved", "x") in told(call, guest.work)
        # One that comes from elsewhere is looked through; one that leaves is not heard of again.
        outside = os.path.join(guest.directory, "outside")
        make_files(outside, "p/q/file")
        os.rename(os.path.join(outside, "p"), guest.in_work("p"))
        until(client, call, {"event": "created", "path": guest.in_work("p/q/file")})
        os.rename(guest.in_work("p"), os.path.join(outside, "p"))
        until(client, call, {"event": "deleted", "path": guest.in_work("p")})
        write(os.path.join(outside, "p/q/unheard"))
        # A name that is used again, many times.
        for i in range(50):
            make_files(guest.work, f"again/f{i}")
            shutil.rmtree(guest.in_work("again"))
        make_files(guest.work, "again/last")
        until(client, call, {"event": "created", "path": guest.in_work("again/last")})
        assert not any("unheard" in path for _, path in told(call, guest.work))
        shutil.rmtree(guest.in_work("a"))
        until(client, call, {"event": "deleted", "path": guest.in_work("a")})
        assert stop(client, call) == {"reason": "stopped", "overflow": False}


def test_two_that_change_places():
    """The kernel tells of that as of two renames, after which one of them would be gone: whoever hears that looks anew."""
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "a", "b", "c/x", "d/y")
        for recursive in (False, True):
            call = watch(client, guest.work, recursive=recursive)
            for first, second in (("a", "b"), ("c", "d"), ("a", "c")):
                n = whole_lines(call).count({"event": "overflow"})
                exchange(guest.in_work(first), guest.in_work(second))
                client.until(lambda: whole_lines(call).count({"event": "overflow"}) > n)
            # There and back is not that.
            os.rename(guest.in_work("b"), guest.in_work("e"))
            os.rename(guest.in_work("e"), guest.in_work("b"))
            write(guest.in_work("mark"))
            until(client, call, {"event": "created", "path": guest.in_work("mark")})
            assert whole_lines(call).count({"event": "overflow"}) == 3 and stop(client, call) == {"reason": "stopped", "overflow": False}
            os.unlink(guest.in_work("mark"))


def test_stopped_while_it_tells():
    """What the client says while something is sent to it is not missed."""
    with Guest() as guest:
        client = guest.connect()
        for i in range(500):
            call = watch(client, guest.work)
            write(guest.in_work("file"))
            assert stop(client, call)["reason"] == "stopped"


def test_links_and_the_history_are_not_gone_into():
    with Guest() as guest:
        client = guest.connect()
        os.mkdir(guest.in_work("real"))
        os.symlink("real", guest.in_work("link"))
        call = watch(client, guest.directory, recursive=True)
        assert call.events[0]["directories"] == 3
        # The watch itself may be of a link.
        linked = watch(client, guest.in_work("link"))
        write(guest.in_work("real/a"))
        until(client, linked, {"event": "created", "path": guest.in_work("link/a")})
        assert client.run("history.open", {"identity": {"provider_key": "p", "sandbox_id": "s", "sandbox_instance_id": "i"}, "sdk_version": "1"}).result
        assert not any(path.startswith("history/") for _, path in told(call, guest.directory))


def test_a_file():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"))
        os.symlink("a", guest.in_work("link"))
        call = watch(client, guest.in_work("a"), recursive=True)
        linked = watch(client, guest.in_work("link"))
        write(guest.in_work("other"))
        write(guest.in_work("a"), b"more")
        # Another takes its place, as editors do it.
        write(guest.in_work("a.new"))
        os.rename(guest.in_work("a.new"), guest.in_work("a"))
        os.rename(guest.in_work("a"), guest.in_work("b"))
        write(guest.in_work("a"))
        os.unlink(guest.in_work("a"))
        until(client, call, {"event": "deleted", "path": guest.in_work("a")})
        assert [(event, path) for event, path in told(call, guest.work) if event != "changed"] == [("moved", "a.new"), ("moved", "a"), ("created", "a"), ("deleted", "a")]
        until(client, linked, {"event": "deleted", "path": guest.in_work("link")})
        assert ("moved", "link") in told(linked, guest.work) and ("created", "link") in told(linked, guest.work)
        assert not any(path == "other" for _, path in told(call, guest.work) + told(linked, guest.work))


def test_the_end_of_what_is_watched():
    with Guest() as guest:
        client = guest.connect()
        for end in (os.rmdir, lambda path: os.rename(path, path + "-elsewhere")):
            path = guest.in_work("d")
            os.mkdir(path)
            call = watch(client, path, recursive=True)
            end(path)
            assert client.wait(call, OUTPUT).result == {"reason": "gone", "overflow": False}
            assert whole_lines(call)[-1] == {"event": "gone", "path": path}


def test_what_cannot_be_watched():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"))
        os.symlink("loop", guest.in_work("loop"))
        for path, code in [("none", "file_not_found"), ("a/b", "not_directory"), ("../x", "invalid_argument"), ("loop", "io_error")]:
            call = client.run("file.watch", {"path": guest.in_work(path)}, channels=[OUTPUT])
            assert call.error["code"] == code and call.stdout == b"" and call.events == [], (path, call.reply)
        for args in [{}, {"path": 1}, {"path": "a"}, {"path": "/", "recursive": 1}]:
            assert client.run("file.watch", args, channels=[OUTPUT]).error["code"] == "invalid_argument"
    guest = guest_of_nobody()
    with guest:
        client = guest.connect()
        os.mkdir(guest.in_work("shut"), 0o000)
        assert client.run("file.watch", {"path": guest.in_work("shut")}, channels=[OUTPUT]).error["code"] == "permission_denied"
        call = watch(client, guest.work, recursive=True)
        until(client, call, {"event": "unwatched", "path": guest.in_work("shut"), "code": "permission_denied"})
        write(guest.in_work("b"))
        until(client, call, {"event": "created", "path": guest.in_work("b")})
        os.chmod(guest.in_work("shut"), 0o700)


def test_watches_leave_the_workers_to_others():
    """As many as there may be, one more, and whoever does something else does not notice."""
    with Guest() as guest:
        client = guest.connect()
        calls = [watch(client, guest.work, recursive=i % 2 == 0) for i in range(MAX_WATCHES)]
        assert client.run("file.watch", {"path": guest.work}, channels=[OUTPUT]).error["code"] == "too_many_requests"
        files = [client.start("file.stat", {"path": guest.work}) for _ in range(40)]
        searches = [client.start("file.walk", {"path": guest.work}) for _ in range(10)]
        for call in files + searches:
            assert client.wait(call).result
        write(guest.in_work("a"))
        for call in calls:
            until(client, call, {"event": "created", "path": guest.in_work("a")})
        # CANCEL and the end of a session make room again.
        client.send(CANCEL, call=calls[0].number)
        assert client.wait(calls[0], OUTPUT).error["code"] == "cancelled"
        watch(client, guest.work)
        workers = [pid for pid in children(guest.process.pid) if name_of(pid) == "asb-worker"]
        assert len(workers) <= MAX_WATCHES + 8
        pidfds = [os.pidfd_open(pid) for pid in workers]
        client.close()
        guest.stop()
        for pidfd in pidfds:
            wait_for_end(pidfd)


def test_closed_watches_make_room_at_once():
    """However long their ends take: the next ones wait for them."""
    with Guest() as guest:
        client = guest.connect()
        calls = [watch(client, guest.work) for _ in range(MAX_WATCHES)]
        workers = [pid for pid in children(guest.process.pid) if name_of(pid) == "asb-worker"]
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        client.send(STOP, call=calls[0].number, channel=OUTPUT)
        client.send(STOP, call=calls[1].number, channel=OUTPUT)
        second, third = [client.start("file.watch", {"path": guest.work}) for _ in range(2)]
        assert client.run("file.watch", {"path": guest.work}, channels=[OUTPUT]).error["code"] == "too_many_requests"
        # One that is closed before it began ends, too.
        client.send(STOP, call=third.number, channel=OUTPUT)
        assert client.command(["true"]).result["exit_code"] == 0
        assert second.reply is None and third.reply is None, (second.reply, third.reply)
        for pid in workers:
            os.kill(pid, signal.SIGCONT)
        for call in (calls[0], calls[1], third):
            assert client.wait(call, OUTPUT).result["reason"] == "stopped"
        client.until(lambda: second.events or second.reply is not None)
        assert second.events[0]["event"] == "watching", second.reply


def test_the_end_of_a_session_makes_room():
    with Guest() as guest:
        first = guest.connect()
        for _ in range(MAX_WATCHES):
            watch(first, guest.work)
        second = guest.connect()
        first.close()
        # Each attempt is a turn of the guest, which has heard of the end after few of them.
        attempts = (second.run("file.watch", {"path": guest.in_work("none")}, channels=[OUTPUT]).error["code"] for _ in range(100000))
        assert next(code for code in attempts if code != "too_many_requests") == "file_not_found"
        watch(second, guest.work)


def test_a_client_that_does_not_read():
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        call = watch(client, guest.work, recursive=True)
        worker = next(pid for pid in children(guest.process.pid) if name_of(pid) == "asb-worker")
        before = peak_memory(worker), peak_memory(guest.process.pid)
        for i in range(100000):
            os.mknod(guest.in_work(f"n{i % 100}"))
            os.unlink(guest.in_work(f"n{i % 100}"))
        client.until(lambda: call.received[OUTPUT] > WINDOW - 65536)
        # As long as there is no credit nothing comes, and everything else works.
        assert client.list(guest.work).result["count"] == 0
        assert call.received[OUTPUT] <= WINDOW and not any(line["event"] == "overflow" for line in whole_lines(call))
        client.credits = True
        client.credit(call, OUTPUT, call.received[OUTPUT])
        until(client, call, {"event": "overflow"})
        # After it, the watch is as good as before, also in what came meanwhile.
        make_files(guest.work, "late/folder/file")
        until(client, call, {"event": "created", "path": guest.in_work("late/folder/file")})
        after = peak_memory(worker), peak_memory(guest.process.pid)
        # A checker of memory keeps what was freed.
        if not checker.is_used():
            assert after[0] - before[0] < 2 << 20 and after[1] - before[1] < 4 << 20, (before, after)
        assert stop(client, call)["reason"] == "stopped"


def write_until_told(client, call, path):
    """Makes files there until one is told of: after an overflow another may come, with more that is dropped."""
    for number in itertools.count():
        n_overflows = whole_lines(call).count({"event": "overflow"})
        write(f"{path}{number}")
        wanted = {"event": "created", "path": f"{path}{number}", "is_directory": False}
        client.until(lambda: wanted in whole_lines(call) or whole_lines(call).count({"event": "overflow"}) > n_overflows)
        if wanted in whole_lines(call):
            return


@contextlib.contextmanager
def late_watch(guest, client):
    """A watch that sees what is done in the block when all of it is done."""
    call = watch(client, guest.work, recursive=True)
    worker = next(pid for pid in children(guest.process.pid) if name_of(pid) == "asb-worker")
    # The guest first, which would have it go on.
    stopped = [guest.process.pid, worker]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    yield call
    for pid in reversed(stopped):
        os.kill(pid, signal.SIGCONT)


def until_heard(client, call, guest, *folders):
    """What comes in each of them is told by its name."""
    for folder in folders:
        path = guest.in_work(f"{folder}/heard-{folder.replace('/', '-')}-{len(whole_lines(call))}")
        write(path)
        until(client, call, {"event": "created", "path": path})


def test_folders_that_are_elsewhere_by_now():
    """What the kernel tells is about a tree that has changed again since."""
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "old/below/file", "other/file")
        with late_watch(guest, client) as call:
            # Into a folder that nobody watches yet.
            os.mkdir(guest.in_work("new"))
            os.rename(guest.in_work("old"), guest.in_work("new/old"))
            # Of one name, one after the other.
            os.mkdir(guest.in_work("work"))
            os.rename(guest.in_work("work"), guest.in_work("other/done"))
            os.mkdir(guest.in_work("work"))
        until_heard(client, call, guest, "new/old/below", "new/old", "work", "other/done")
        # Each is still known by its own place.
        os.rename(guest.in_work("other"), guest.in_work("work/other"))
        until_heard(client, call, guest, "work/other/done", "work/other")
        shutil.rmtree(guest.in_work("work"))
        until(client, call, {"event": "deleted", "path": guest.in_work("work")})
        until_heard(client, call, guest, "new/old/below", "new")
        assert stop(client, call)["reason"] == "stopped"


def test_folders_that_would_be_in_themselves():
    """One that was taken for another is where that one is not, and what goes into it would go into itself."""
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "a/file", "b/file")
        with late_watch(guest, client) as call:
            os.mkdir(guest.in_work("a/n"))
            os.rename(guest.in_work("a/n"), guest.in_work("b/m"))
            os.mkdir(guest.in_work("a/n"))
        until_heard(client, call, guest, "a", "b")
        os.rename(guest.in_work("b"), guest.in_work("a/n/b"))
        until_heard(client, call, guest, "a/n/b/m", "a/n/b", "a/n")
        shutil.rmtree(guest.in_work("a/n"))
        until(client, call, {"event": "deleted", "path": guest.in_work("a/n")})
        until_heard(client, call, guest, "a")
        assert stop(client, call)["reason"] == "stopped"


def test_what_the_kernel_dropped():
    """More at once than the kernel keeps: what came to be meanwhile is watched all the same."""
    with open("/proc/sys/fs/inotify/max_queued_events") as file:
        limit = int(file.read())
    if limit > 100000:
        raise Skip(f"the kernel keeps {limit} events")
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "moves/file", "goes/file")
        call = watch(client, guest.work, recursive=True)
        worker = next(pid for pid in children(guest.process.pid) if name_of(pid) == "asb-worker")
        # The guest first, which would have it go on.
        stopped = [guest.process.pid, worker]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        for i in range(limit):
            os.mknod(guest.in_work(f"n{i % 100}"))
            os.unlink(guest.in_work(f"n{i % 100}"))
        shutil.rmtree(guest.in_work("goes"))
        os.rename(guest.in_work("moves"), guest.in_work("moved"))
        make_files(guest.work, "new/folder/file")
        for pid in reversed(stopped):
            os.kill(pid, signal.SIGCONT)
        until(client, call, {"event": "overflow"})
        for path in ("moved/late", "new/folder/late"):
            write_until_told(client, call, guest.in_work(path))


def test_more_directories_than_there_may_be():
    with Guest() as guest:
        client = guest.connect()
        for i in range(MAX_DIRECTORIES - 1):
            os.mkdir(guest.in_work(f"d{i}"))
        call = client.start("file.watch", {"path": guest.work, "recursive": True})
        client.until(lambda: call.events or call.reply)
        if call.reply and "max_user_watches" in call.error["message"]:
            assert call.error["code"] == "too_many_requests"
            raise Skip("the system takes no so many watches")
        assert call.events[0] == {"event": "watching", "directories": MAX_DIRECTORIES}, call.reply
        os.mkdir(guest.in_work("more"))
        until(client, call, {"event": "unwatched", "path": guest.in_work("more"), "code": "too_many_requests"})
        # One less makes room for another.
        os.rmdir(guest.in_work("d7"))
        make_files(guest.work, "again/file")
        until(client, call, {"event": "created", "path": guest.in_work("again/file")})
        assert client.run("file.watch", {"path": guest.work, "recursive": True}, channels=[OUTPUT]).error["code"] == "too_many_requests"


main()
