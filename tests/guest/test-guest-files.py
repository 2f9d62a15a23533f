#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files (docs/guest-protocol.md §4.2)."""

import errno
import hashlib
import os
import socket
import stat
import threading

from guestlib import *

ODD_NAMES = [
    b"a'; touch pwned; #\".txt", b"$(touch pwned2)", b"new\nline", b" lead", b"trail ", b"-rf", b"--", b"*", b"?",
    "\u00fc".encode(), "u\u0308".encode(), "\U0001f600".encode(), b"x" * 255, b"\xff\xfe\x01", b"back\\slash", b"%41+",
    b"tab\there", b"\x7f", b".hidden", b"...",
]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def content(path):
    with open(path, "rb") as file:
        return file.read()


def make(path, data=b"", mode=None):
    with open(path, "wb") as file:
        file.write(data)
    if mode is not None:
        os.chmod(path, mode)
    return path


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def is_root():
    return os.getuid() == 0


def guest_of_nobody():
    """A guest of a user for whom permissions count."""
    guest = Guest(listen=False)
    for path in (guest.directory, guest.work):
        os.chmod(path, 0o777)

    def become():
        if is_root():
            os.setgid(54323)
            os.setuid(54323)

    guest.start(preexec_fn=become)
    os.chmod(guest.path, 0o777)
    return guest


def assert_no_leftovers(guest):
    left = [name for name in os.listdir(guest.work) if name.startswith(".asb-")]
    assert not left, left


def test_stat():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), b"12345", 0o640)
        os.utime(path, ns=(1, 1000000000123456789))
        entry = client.run("file.stat", {"path": path}).result["entry"]
        assert entry == {
            "name": "file", "path": path, "kind": "file", "size": 5, "mode": 0o640, "uid": os.getuid(),
            "gid": os.stat(path).st_gid, "mtime": {"sec": 1000000000, "nsec": 123456789},
        }, entry
        link = guest.in_work("link")
        os.symlink("file", link)
        assert client.run("file.stat", {"path": link}).result["entry"]["kind"] == "file"
        entry = client.run("file.stat", {"path": link, "follow": False}).result["entry"]
        assert entry["kind"] == "symlink" and entry["target"] == "file" and entry["name"] == "link", entry
        os.mkfifo(guest.in_work("fifo"))
        assert client.run("file.stat", {"path": guest.in_work("fifo")}).result["entry"]["kind"] == "other"
        entry = client.run("file.stat", {"path": "/"}).result["entry"]
        assert entry["name"] == "/" and entry["path"] == "/" and entry["kind"] == "directory"
        error = client.run("file.stat", {"path": guest.in_work("missing")}).error
        assert error["code"] == "file_not_found" and error["details"] == {
            "errno": "ENOENT", "path": guest.in_work("missing")}, error
        assert guest.in_work("missing") in error["message"]
        assert client.run("file.stat", {"path": path + "/x"}).error["code"] == "not_directory"


def test_paths():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("x"))
        for spelling in [guest.work + "//x", guest.work + "/./x", "/." + path, path + "/", path + "/.", "//" + path[1:]]:
            entry = client.run("file.stat", {"path": spelling}).result["entry"]
            assert entry["path"] == path and entry["name"] == "x", (spelling, entry)
        for name in ["file.stat", "file.list", "file.read", "file.write", "file.mkdir", "file.delete"]:
            for bad in ["", "~", "relative", guest.work + "/../x", "/..", 5, None, {"b64": "LwA="}, ["/"]]:
                call = client.run(name, {"path": bad} if bad is not None else {})
                assert call.error["code"] == "invalid_argument", (name, bad, call.reply)
        for args in [{"from": path}, {"to": path}, {"from": path, "to": "/x/../y"}, {"from": "x", "to": path}]:
            assert client.run("file.move", args).error["code"] == "invalid_argument", args
        assert client.run("file.stat", {"path": guest.in_work("..."), "follow": False}).error["code"] == "file_not_found"
        long = "/" + "x" * 5000
        assert client.run("file.stat", {"path": long}).error["code"] == "invalid_argument"
        assert client.write_file(guest.in_work("x" * 256), b"").error["code"] == "invalid_argument"


def test_arguments_of_the_wrong_type():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("x"), b"data")
        for name, args in [
            ("file.stat", {"follow": 1}),
            ("file.read", {"offset": -1}), ("file.read", {"length": -1}), ("file.read", {"offset": "0"}),
            ("file.read", {"length": 1.0}),
            ("file.write", {"mode": 0o10000}), ("file.write", {"mode": -1}), ("file.write", {"expected_hash": "abc"}),
            ("file.write", {"expected_hash": "A" * 64}), ("file.write", {"create_only": 0}),
            ("file.write", {"expected_hash": "0" * 64, "create_only": True}),
            ("file.mkdir", {"parents": "yes"}), ("file.mkdir", {"mode": True}),
            ("file.delete", {"recursive": 1}),
        ]:
            call = client.run(name, {"path": path, **args})
            assert call.error["code"] == "invalid_argument", (name, args, call.reply)
        assert content(path) == b"data"


def test_odd_names():
    with Guest() as guest:
        client = guest.connect()
        work = guest.work.encode()
        for name in ODD_NAMES:
            path = work + b"/" + name
            reply = client.write_file(path, name).reply
            assert raw(reply["result"]["entry"]["name"]) == name and raw(reply["result"]["entry"]["path"]) == path
            assert client.read_file(path).stdout == name
        os.symlink(work, work + b"/to directory")
        os.symlink(b"\xff", work + b"/to odd")
        call = client.list(work)
        names = [raw(entry["name"]) for entry in call.lines]
        assert names == sorted([*ODD_NAMES, b"to directory", b"to odd"]), names
        kinds = {raw(entry["name"]): entry["kind"] for entry in call.lines}
        assert kinds[b"to directory"] == "symlink" and all(kinds[name] == "file" for name in ODD_NAMES)
        assert [raw(entry["target"]) for entry in call.lines if "target" in entry] == [work, b"\xff"]
        # What was listed can be used.
        for entry in call.lines:
            if entry["kind"] == "file":
                assert client.run("file.delete", {"path": entry["path"]}).reply == {"result": {}}
                assert raw(entry["name"]) not in os.listdir(work)
        assert client.list(work).result["count"] == 2


def test_list():
    with Guest() as guest:
        client = guest.connect()
        call = client.list(guest.work)
        assert call.result == {"count": 0, "errors": [], "error_count": 0} and call.stdout == b""
        path = make(guest.in_work("file"))
        assert client.list(path).error["code"] == "not_directory"
        assert client.list(path + "/x").error["code"] == "not_directory"
        assert client.list(guest.in_work("missing")).error["code"] == "file_not_found"
        os.mkfifo(guest.in_work("fifo"))
        assert client.list(guest.in_work("fifo")).error["code"] == "not_directory"
        os.symlink("nowhere", guest.in_work("dangling"))
        if is_root():
            os.chown(path, 54321, 54321)
        lines = {entry["name"]: entry for entry in client.list(guest.work).lines}
        assert lines["dangling"]["kind"] == "symlink" and lines["fifo"]["kind"] == "other"
        assert not is_root() or lines["file"]["uid"] == 54321
        root = client.list("/")
        assert {b"/etc", b"/proc"} <= {raw(entry["path"]) for entry in root.lines}


def test_large_list():
    with Guest() as guest:
        client = guest.connect()
        names = [f"{i:0200}" for i in range(3000)]
        for name in names:
            make(guest.in_work(name))
        call = client.list(guest.work)
        assert [entry["name"] for entry in call.lines] == names and call.result["count"] == 3000
        # It waits for credit, and ends when nobody wants more.
        client.credits = False
        call = client.start("file.list", {"path": guest.work})
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.send(STOP, call=call.number, channel=OUTPUT)
        client.wait(call, OUTPUT)
        assert 0 < call.result["count"] < 3000


def test_list_of_what_must_not_be_looked_at():
    with guest_of_nobody() as guest:
        client = guest.connect()
        for name in ("a", "b"):
            make(guest.in_work(name))
        # Names can be read, but nothing about them.
        os.chmod(guest.work, 0o744 if is_root() else 0o400)
        call = client.list(guest.work)
        os.chmod(guest.work, 0o777)
        assert call.result["count"] == 0 and call.result["error_count"] == 2, call.reply
        assert [error["code"] for error in call.result["errors"]] == ["permission_denied"] * 2
        assert [error["path"] for error in call.result["errors"]] == [guest.in_work("a"), guest.in_work("b")]
        os.chmod(guest.work, 0o700 if is_root() else 0o000)
        assert client.list(guest.work).error["code"] == "permission_denied"
        os.chmod(guest.work, 0o777)


def test_read():
    with Guest() as guest:
        client = guest.connect()
        data = bytes(range(256)) * 3
        path = make(guest.in_work("file"), data)
        call = client.read_file(path)
        assert call.stdout == data
        assert call.result == {"bytes": 768, "size": 768, "hash": sha256(data)}, call.reply
        [event] = call.events
        assert event["event"] == "opened" and event["entry"]["size"] == 768 and event["entry"]["path"] == path
        for args, expected in [
            ({"offset": 700}, data[700:]),
            ({"offset": 10, "length": 5}, data[10:15]),
            ({"length": 5}, data[:5]),
            ({"length": 0}, b""),
            ({"offset": 768}, b""),
            ({"offset": 9000}, b""),
            ({"offset": 760, "length": 100}, data[760:]),
        ]:
            call = client.read_file(path, **args)
            assert call.stdout == expected and call.result == {"bytes": len(expected), "size": 768}, (args, call.reply)
        for args in ({"length": 768}, {"length": 1000}):
            assert client.read_file(path, **args).result["hash"] == sha256(data), args
        empty = client.read_file(make(guest.in_work("empty")))
        assert empty.stdout == b"" and empty.result == {"bytes": 0, "size": 0, "hash": sha256(b"")}
        assert client.read_file(guest.work).error["code"] == "is_directory"
        assert client.read_file(path + "/x").error["code"] == "not_directory"
        assert client.read_file(guest.in_work("missing")).error["code"] == "file_not_found"
        # A file of the system says that it has no size.
        call = client.read_file("/proc/self/cmdline")
        assert b"serve" in call.stdout and call.result["bytes"] == call.result["size"] == len(call.stdout)


def test_large_files():
    with Guest() as guest:
        client = guest.connect()
        data = os.urandom(1 << 20) * 40 + b"end"
        path = guest.in_work("large")
        result = client.write_file(path, data).result
        assert result["size"] == len(data) and result["hash"] == sha256(data)
        call = client.read_file(path)
        assert call.stdout == data and call.result["hash"] == sha256(data)
        if checker.is_used():
            raise Skip("a checker of memory needs memory of its own")
        with open(f"/proc/{guest.process.pid}/status") as status:
            peak = int([line for line in status if line.startswith("VmHWM")][0].split()[1])
        assert peak < 16 * 1024, peak


def test_reader_that_stops():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), bytes(2000000))
        client.credits = False
        call = client.start("file.read", {"path": path})
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.send(STOP, call=call.number, channel=OUTPUT)
        client.wait(call, OUTPUT)
        assert WINDOW <= call.result["bytes"] < 2000000 and "hash" not in call.result


def test_special_files():
    with Guest() as guest:
        client = guest.connect()
        fifo = guest.in_work("fifo")
        os.mkfifo(fifo)
        path = guest.in_work("socket")
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        for special in [fifo, path, "/dev/zero", "/dev/null", "/dev/tty"]:
            assert client.read_file(special).error["code"] == "not_regular_file", special
        for special in [fifo, path]:
            assert client.write_file(special, b"x").error["code"] == "not_regular_file", special
        assert client.write_file(guest.work, b"x").error["code"] == "is_directory"
        server.close()


def test_write():
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("file")
        result = client.write_file(path, b"one").result
        assert result["size"] == 3 and result["hash"] == sha256(b"one") and "previous_hash" not in result
        assert result["entry"]["mode"] == 0o644 and result["entry"]["size"] == 3 and result["entry"]["kind"] == "file"
        assert content(path) == b"one" and mode_of(path) == 0o644
        result = client.write_file(path, b"").result
        assert result["previous_hash"] == sha256(b"one") and content(path) == b""
        assert_no_leftovers(guest)
        odd = b"single ' double \" backslash \\ $HOME `id`\nEOF\n\0\r\xff no newline at end"
        client.write_file(path, odd)
        assert content(path) == odd


def test_write_makes_parents():
    with Guest(preexec_fn=lambda: os.umask(0o077)) as guest:
        client = guest.connect()
        path = guest.in_work("new/deep/file")
        error = client.write_file(path, b"x", make_parents=False).error
        assert error["code"] == "file_not_found" and not os.path.exists(guest.in_work("new"))
        client.write_file(path, b"x").result
        assert content(path) == b"x" and mode_of(guest.in_work("new")) == 0o755 and mode_of(path) == 0o644
        make(guest.in_work("plain"))
        assert client.write_file(guest.in_work("plain/x"), b"x").error["code"] == "not_directory"


def test_modes():
    with Guest() as guest:
        client = guest.connect()
        for mode in (0o755, 0o600, 0o400, 0o4755, 0o2755):
            path = make(guest.in_work(f"mode{mode:o}"), b"old", mode)
            if mode == 0o400 and not is_root():
                continue
            client.write_file(path, b"new").result
            assert mode_of(path) == mode and content(path) == b"new", oct(mode)
        path = guest.in_work("given")
        for mode in (0o700, 0o000, 0o7777):
            client.write_file(path, b"x", mode=mode).result
            assert mode_of(path) == mode, oct(mode_of(path))


def test_owner_is_kept():
    if not is_root():
        raise Skip("only root may change owners")
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), b"old", 0o6755)
        os.chown(path, 54321, 54322)
        os.chmod(path, 0o6755)
        client.write_file(path, b"new").result
        status = os.stat(path)
        assert (status.st_uid, status.st_gid) == (54321, 54322) and mode_of(path) == 0o6755


def test_write_through_a_link():
    with Guest() as guest:
        client = guest.connect()
        os.mkdir(guest.in_work("a"))
        target = make(guest.in_work("a/target"), b"old", 0o640)
        os.symlink("target", guest.in_work("a/link"))
        os.symlink("a/link", guest.in_work("link"))
        result = client.write_file(guest.in_work("link"), b"new").result
        assert result["entry"]["path"] == guest.in_work("link") and result["previous_hash"] == sha256(b"old")
        assert os.path.islink(guest.in_work("link")) and os.path.islink(guest.in_work("a/link"))
        assert content(target) == b"new" and mode_of(target) == 0o640
        os.symlink("a/to be made", guest.in_work("dangling"))
        client.write_file(guest.in_work("dangling"), b"made").result
        assert content(guest.in_work("a/to be made")) == b"made" and os.path.islink(guest.in_work("dangling"))
        os.symlink("round", guest.in_work("round"))
        assert client.write_file(guest.in_work("round"), b"x").error["details"]["errno"] == "ELOOP"
        os.symlink("a/", guest.in_work("to directory"))
        assert client.write_file(guest.in_work("to directory"), b"x").error["code"] == "is_directory"


def test_create_only():
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("file")
        client.write_file(path, b"first", create_only=True).result
        error = client.write_file(path, b"second", create_only=True).error
        assert error["code"] == "already_exists" and content(path) == b"first"
        os.symlink("nowhere", guest.in_work("dangling"))
        assert client.write_file(guest.in_work("dangling"), b"x", create_only=True).error["code"] == "already_exists"
        # Of two at the same time one makes it.
        both = guest.in_work("both")
        calls = [client.start("file.write", {"path": both, "create_only": True}) for _ in range(2)]
        for i, call in enumerate(calls):
            client.write(call, b"%d" % i)
        for call in calls:
            client.write(call, fin=True)
        for call in calls:
            client.wait(call)
        assert sorted("result" in call.reply for call in calls) == [False, True]
        assert_no_leftovers(guest)


def test_expected_hash():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), b"old")
        error = client.write_file(path, b"new", expected_hash=sha256(b"other")).error
        assert error["code"] == "concurrent_modification", error
        assert error["details"] == {"expected_hash": sha256(b"other"), "actual_hash": sha256(b"old"), "path": path}
        assert content(path) == b"old"
        result = client.write_file(path, b"new", expected_hash=sha256(b"old")).result
        assert result["previous_hash"] == sha256(b"old") and content(path) == b"new"
        error = client.write_file(guest.in_work("missing"), b"x", expected_hash=sha256(b"")).error
        assert error["code"] == "concurrent_modification" and error["details"]["actual_hash"] is None
        assert not os.path.exists(guest.in_work("missing"))
        assert_no_leftovers(guest)


def test_edits_at_the_same_time():
    """20 edits from two clients, each of its own line: what reported success is in the file."""
    with Guest() as guest:
        client = guest.connect()
        paths = [guest.in_work("file"), guest.in_work("other name")]
        make(paths[0], b"".join(b"marker %d\n" % i for i in range(20)))
        os.symlink("file", paths[1])
        torn = []
        done = threading.Event()

        def watch():
            while not done.is_set():
                lines = content(paths[0]).split(b"\n")
                if len(lines) != 21:
                    torn.append(lines)

        def edit(number):
            own = guest.connect()
            path = paths[number % 2]
            while True:
                old = own.read_file(path).stdout
                new = old.replace(b"marker %d\n" % number, b"edited %d\n" % number)
                reply = own.write_file(path, new, expected_hash=sha256(old)).reply
                if "result" in reply:
                    return
                assert reply["error"]["code"] == "concurrent_modification", reply

        watcher = threading.Thread(target=watch)
        watcher.start()
        threads = [threading.Thread(target=edit, args=(i,)) for i in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done.set()
        watcher.join()
        assert content(paths[0]) == b"".join(b"edited %d\n" % i for i in range(20))
        assert not torn, torn[0]
        assert_no_leftovers(guest)


def test_cancelled_write():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"), b"old")
        call = client.start("file.write", {"path": path})
        client.write(call, bytes(500000))
        client.send(CANCEL, call=call.number)
        client.wait(call)
        assert call.error["code"] == "cancelled" and content(path) == b"old"
        assert_no_leftovers(guest)


def test_lost_write():
    """A connection that is lost in the middle of a write leaves everything as it was."""
    with Guest() as guest:
        path = make(guest.in_work("file"), b"old")
        lost = guest.connect()
        call = lost.start("file.write", {"path": path})
        lost.write(call, bytes(500000))
        lost.close()
        client = guest.connect()
        # Its worker serves others when it has cleared away; as many calls as there can be workers see to that.
        for call in [client.start("file.stat", {"path": path}) for _ in range(32)]:
            client.wait(call)
        assert content(path) == b"old"


def test_complete_write_of_a_lost_connection():
    with Guest() as guest:
        path = guest.in_work("file")
        lost = guest.connect()
        call = lost.start("file.write", {"path": path})
        lost.write(call, b"all", fin=True)
        lost.close()
        client = guest.connect()
        # It is done all the same, some time.
        while "error" in client.read_file(path).reply:
            pass
        assert content(path) == b"all"


def test_write_errors():
    with guest_of_nobody() as guest:
        client = guest.connect()
        closed = guest.in_work("closed")
        os.mkdir(closed)
        os.chmod(closed, 0o555)
        for path in [closed + "/file", closed + "/new/file"]:
            assert client.write_file(path, b"x").error["code"] == "permission_denied", path
        readable = make(guest.in_work("readable"), b"old", 0o444)
        assert client.write_file(readable, b"x").error["code"] == "permission_denied"
        assert content(readable) == b"old"
        secret = make(guest.in_work("secret"), b"old", 0o222)
        if is_root():
            assert client.write_file(secret, b"x", expected_hash=sha256(b"old")).error["code"] == "permission_denied"
            result = client.write_file(secret, b"new").result
            assert "previous_hash" not in result and content(secret) == b"new"
            assert client.read_file(make(guest.in_work("private"), b"", 0o000)).error["code"] == "permission_denied"
        assert client.run("file.delete", {"path": closed, "recursive": True}).result == {}
        assert_no_leftovers(guest)


def test_disk_full():
    with Guest(listen=False) as guest:
        import resource

        # A limit of the size of files stands for a disk that is full.
        def limit():
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

        guest.start(preexec_fn=limit)
        client = guest.connect()
        path = make(guest.in_work("file"), b"old")
        call = client.start("file.write", {"path": path})
        client.write(call, bytes(1000000))
        client.wait(call)
        assert call.error["code"] == "too_large" and call.error["details"]["errno"] == "EFBIG", call.reply
        assert content(path) == b"old"
        assert_no_leftovers(guest)


def test_mode_of_another_owner():
    """Where the owner cannot stay, set-user-ID would be another user's."""
    if not is_root():
        raise Skip("only root can have files of others")
    with guest_of_nobody() as guest:
        client = guest.connect()
        for bits in (0o4777, 0o2777, 0o6777):
            path = make(guest.in_work("program"), b"old", bits)
            os.chown(path, 54321, 54321)
            os.chmod(path, bits)
            client.write_file(path, b"new").result
            status = os.stat(path)
            assert (status.st_uid, oct(status.st_mode & 0o7777)) == (54323, oct(0o777)), (oct(bits), oct(status.st_mode))
            os.chown(path, 54321, 54321)
            os.chmod(path, bits)
            client.run("file.edit", {"path": path, "old": "new", "new": "newer"}).result
            assert oct(os.stat(path).st_mode & 0o7777) == oct(0o777), oct(os.stat(path).st_mode)
            # What is asked for by name is another matter, and what belongs to the guest's user.
            client.write_file(path, b"old", mode=bits).result
            assert oct(os.stat(path).st_mode & 0o7777) == oct(bits)
            client.write_file(path, b"new").result
            assert oct(os.stat(path).st_mode & 0o7777) == oct(bits)
            os.unlink(path)


def test_mkdir():
    with Guest(preexec_fn=lambda: os.umask(0o077)) as guest:
        client = guest.connect()
        path = guest.in_work("a/b/c")
        assert client.run("file.mkdir", {"path": path, "parents": False}).error["code"] == "file_not_found"
        assert client.run("file.mkdir", {"path": path}).result == {"created": True}
        assert mode_of(path) == mode_of(guest.in_work("a")) == 0o755
        assert client.run("file.mkdir", {"path": path}).result == {"created": False}
        assert client.run("file.mkdir", {"path": path, "parents": False}).error["code"] == "already_exists"
        assert client.run("file.mkdir", {"path": guest.in_work("m"), "mode": 0o3770}).result["created"]
        assert mode_of(guest.in_work("m")) == 0o3770
        assert client.run("file.mkdir", {"path": guest.in_work("n"), "mode": 0o6000}).result["created"]
        assert mode_of(guest.in_work("n")) == 0o6000
        file = make(guest.in_work("file"))
        assert client.run("file.mkdir", {"path": file}).error["code"] == "already_exists"
        assert client.run("file.mkdir", {"path": file + "/x"}).error["code"] == "not_directory"
        os.symlink("a", guest.in_work("link"))
        assert client.run("file.mkdir", {"path": guest.in_work("link")}).result == {"created": False}
        assert client.run("file.mkdir", {"path": "/"}).result == {"created": False}
        assert client.run("file.mkdir", {"path": "/", "parents": False}).error["code"] == "already_exists"


def test_delete():
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"))
        assert client.run("file.delete", {"path": path}).result == {} and not os.path.exists(path)
        assert client.run("file.delete", {"path": path}).error["code"] == "file_not_found"
        os.makedirs(guest.in_work("d/e"))
        kept = make(guest.in_work("kept"))
        os.symlink(kept, guest.in_work("d/link"))
        os.symlink(guest.work, guest.in_work("d/e/up"))
        error = client.run("file.delete", {"path": guest.in_work("d")}).error
        assert error["code"] == "directory_not_empty" and os.path.exists(guest.in_work("d/e"))
        # Links are deleted, not followed.
        assert client.run("file.delete", {"path": guest.in_work("d"), "recursive": True}).result == {}
        assert os.path.exists(kept) and not os.path.exists(guest.in_work("d"))
        os.mkdir(guest.in_work("empty"))
        assert client.run("file.delete", {"path": guest.in_work("empty")}).result == {}
        os.mkdir(guest.in_work("to"))
        make(guest.in_work("to/file"))
        os.symlink("to", guest.in_work("link"))
        assert client.run("file.delete", {"path": guest.in_work("link"), "recursive": True}).result == {}
        assert os.path.exists(guest.in_work("to/file"))
        os.mkfifo(guest.in_work("fifo"))
        assert client.run("file.delete", {"path": guest.in_work("fifo")}).result == {}
        assert "error" in client.run("file.delete", {"path": "/", "recursive": True}).reply


def test_delete_deep_and_wide():
    with Guest() as guest:
        client = guest.connect()
        top = guest.in_work("top")
        os.mkdir(top)
        fd = os.open(top, os.O_RDONLY)
        # Deeper than a path can name, and than there are descriptors.
        for _ in range(3000):
            os.mkdir("deep", dir_fd=fd)
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
            below = os.open("deep", os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = below
        os.close(fd)
        for i in range(300):
            os.makedirs(f"{top}/wide{i}/inner")
        assert client.run("file.delete", {"path": top, "recursive": True}).result == {}
        assert not os.path.exists(top)


def test_delete_that_fails_names_the_path():
    with guest_of_nobody() as guest:
        client = guest.connect()
        os.makedirs(guest.in_work("d/e"))
        make(guest.in_work("d/e/stuck"))
        os.chmod(guest.in_work("d"), 0o777)
        os.chmod(guest.in_work("d/e"), 0o555)
        error = client.run("file.delete", {"path": guest.in_work("d"), "recursive": True}).error
        assert error["code"] == "permission_denied" and error["details"]["path"] == guest.in_work("d/e/stuck"), error


def test_move():
    with Guest() as guest:
        client = guest.connect()
        a, b = (guest.in_work(name) for name in "ab")
        make(a, b"a")
        assert client.run("file.move", {"from": a, "to": b}).result == {}
        assert content(b) == b"a" and not os.path.exists(a)
        make(a, b"new")
        assert client.run("file.move", {"from": a, "to": b}).error["code"] == "already_exists"
        assert content(b) == b"a"
        assert client.run("file.move", {"from": a, "to": b, "overwrite": True}).result == {}
        assert content(b) == b"new"
        error = client.run("file.move", {"from": a, "to": b}).error
        assert error["code"] == "file_not_found" and error["details"]["path"] == a
        error = client.run("file.move", {"from": b, "to": guest.in_work("no/where")}).error
        assert error["code"] == "file_not_found" and error["details"]["path"] == guest.in_work("no/where")
        os.makedirs(guest.in_work("d/e"))
        assert client.run("file.move", {"from": guest.in_work("d"), "to": guest.in_work("d/e/f")}).error["code"] == "invalid_argument"
        assert client.run("file.move", {"from": guest.in_work("d"), "to": guest.in_work("x")}).result == {}
        assert os.path.isdir(guest.in_work("x/e"))
        os.mkdir(guest.in_work("y"))
        error = client.run("file.move", {"from": guest.in_work("y"), "to": guest.in_work("x"), "overwrite": True}).error
        assert error["code"] == "directory_not_empty"
        error = client.run("file.move", {"from": b, "to": guest.in_work("x"), "overwrite": True}).error
        assert error["code"] == "is_directory"
        # A link is moved itself.
        os.symlink("nowhere", guest.in_work("link"))
        client.run("file.move", {"from": guest.in_work("link"), "to": guest.in_work("moved")}).result
        assert os.readlink(guest.in_work("moved")) == "nowhere"


def test_history_is_protected():
    with Guest() as guest:
        client = guest.connect()
        history = guest.history
        inside = history + "/file"
        for name, args in [
            ("file.write", {"path": inside}), ("file.mkdir", {"path": inside}), ("file.mkdir", {"path": history}),
            ("file.delete", {"path": history, "recursive": True}), ("file.delete", {"path": inside}),
            ("file.move", {"from": inside, "to": guest.in_work("x")}), ("file.move", {"from": history, "to": guest.in_work("x")}),
        ]:
            # Before there is one, and when there is one.
            assert client.run(name, args).error["code"] == "path_protected", (name, args)
        os.mkdir(history)
        make(inside, b"record")
        os.symlink(history, guest.in_work("to history"))
        os.symlink(inside, guest.in_work("to file"))
        make(guest.in_work("other"))
        for name, args in [
            ("file.write", {"path": inside}), ("file.write", {"path": guest.in_work("to history/new")}),
            ("file.write", {"path": guest.in_work("to history/new/deep")}),
            ("file.write", {"path": guest.in_work("to file")}),
            ("file.mkdir", {"path": guest.in_work("to history/new")}),
            ("file.mkdir", {"path": guest.in_work("to history/new/deep")}),
            ("file.delete", {"path": guest.in_work("to history/file")}),
            ("file.delete", {"path": guest.directory, "recursive": True}),
            ("file.move", {"from": guest.in_work("to history/file"), "to": guest.in_work("x")}),
            ("file.move", {"from": guest.in_work("other"), "to": guest.in_work("to history/file"), "overwrite": True}),
            ("file.move", {"from": guest.directory, "to": guest.directory + "-moved"}),
        ]:
            call = client.start(name, args)
            if name == "file.write":
                client.write(call, b"x", fin=True)
            client.wait(call)
            assert call.error["code"] == "path_protected", (name, args, call.reply)
        assert content(inside) == b"record" and sorted(os.listdir(history)) == ["file"]
        # Reading is allowed, and so is deleting a link to it.
        assert client.read_file(inside).stdout == b"record"
        assert client.list(history).result["count"] == 1
        os.makedirs(guest.work, exist_ok=True)
        if os.path.islink(guest.in_work("to history")):
            assert client.run("file.delete", {"path": guest.in_work("to history"), "recursive": True}).result == {}
        assert content(inside) == b"record"


def test_write_over_what_does_not_end():
    """Nobody waits for the hash of a file that takes no room and for ever to read."""
    with Guest() as guest:
        client = guest.connect()
        path = make(guest.in_work("file"))
        os.truncate(path, 1 << 42)
        result = client.write_file(path, b"new").result
        assert result["size"] == 3 and "previous_hash" not in result, result
        assert content(path) == b"new"
        os.truncate(path, 1 << 29)
        assert client.write_file(path, b"newer").result["previous_hash"] == sha256(b"new" + bytes((1 << 29) - 3))


def test_many_at_once():
    with Guest() as guest:
        client = guest.connect()
        data = {guest.in_work(str(i)): b"%d" % i * 100000 for i in range(40)}
        calls = {path: client.start("file.write", {"path": path}) for path in data}
        for path, call in calls.items():
            client.write(call, data[path], fin=True)
        for call in calls.values():
            client.wait(call).result
        calls = {path: client.start("file.read", {"path": path}) for path in data}
        for path, call in calls.items():
            client.wait(call, OUTPUT)
            assert call.stdout == data[path]


if __name__ == "__main__":
    main()
