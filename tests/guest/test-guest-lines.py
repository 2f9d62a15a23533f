#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.read_lines and file.set_attributes (docs/guest-protocol.md §4.2)."""

import ctypes
import os
import signal
import stat

from guestlib import *
from treelib import *

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def lines(client, path, **args):
    return client.run("file.read_lines", {"path": text(path), **args}, channels=[OUTPUT])


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def test_windows():
    with Guest() as guest:
        client = guest.connect()
        path = write(guest.in_work("f"), b"a\n\n\n\nb\n")
        for args, state, output, total, more in [
            ({}, "lines", b"a\n\n\n\nb\n", 5, False), ({"offset": 1, "limit": 3}, "blank", b"\n\n\n", None, True),
            ({"offset": 5}, "past_end", b"", 5, False), ({"offset": 99, "limit": 1}, "past_end", b"", 5, False),
            ({"offset": 0, "limit": 0}, "nothing", b"", None, True), ({"limit": 1}, "lines", b"a\n", None, True),
            ({"offset": 4, "limit": 1}, "lines", b"b\n", 5, False), ({"offset": 3}, "lines", b"\nb\n", 5, False),
            ({"max_bytes": 3}, "lines", b"a\n\n", None, True),
        ]:
            call = lines(client, path, **args)
            result = call.result
            assert (result["state"], call.stdout, result.get("total_lines"), result["more"]) == (state, output, total, more), (args, result, call.stdout)
            assert result["bytes"] == len(output) and result["truncated"] == ("max_bytes" in args)
        assert lines(client, write(guest.in_work("empty"), b"")).result["state"] == "empty_file"
        assert lines(client, guest.in_work("empty"), offset=3).result["state"] == "empty_file"
        assert lines(client, write(guest.in_work("blank"), b" \t\r\n")).result["state"] == "blank"
        call = lines(client, write(guest.in_work("open"), b"a\nb"), offset=1)
        assert call.stdout == b"b" and call.result["total_lines"] == 2 and call.result["lines"] == 1
        assert lines(client, guest.in_work("open"), offset=2).result["state"] == "past_end"
        assert lines(client, write(guest.in_work("bytes"), b"\xff\0\n\r\n")).stdout == b"\xff\0\n\r\n"


def test_large_files():
    with Guest() as guest:
        client = guest.connect()
        path = write(guest.in_work("f"), b"".join(b"%d\n" % i for i in range(200000)) + b"x" * 300000 + b"\nlast")
        assert lines(client, path, offset=123456, limit=2).stdout == b"123456\n123457\n"
        call = lines(client, path, offset=200000, limit=1)
        assert call.stdout == b"x" * 300000 + b"\n" and call.result["more"] and call.result["lines"] == 1
        call = lines(client, path, offset=200000, max_bytes=1000)
        assert call.result == {"state": "lines", "lines": 1, "bytes": 1000, "more": True, "truncated": True, "size": os.path.getsize(path)}, call.result
        assert lines(client, path, offset=10**9).result["total_lines"] == 200002


def test_refused():
    with Guest() as guest:
        client = guest.connect()
        path = write(guest.in_work("f"), b"a")
        os.mkfifo(guest.in_work("fifo"))
        for args, code in [({"offset": -1}, "invalid_argument"), ({"limit": -1}, "invalid_argument"), ({"max_bytes": 0}, "invalid_argument"),
                           ({"max_bytes": (16 << 20) + 1}, "invalid_argument"), ({"path": guest.in_work("none")}, "file_not_found"),
                           ({"path": guest.in_work("fifo")}, "not_regular_file"), ({"path": guest.work}, "is_directory"), ({"path": "/dev/zero"}, "not_regular_file")]:
            assert lines(client, **{"path": path, **args}).error["code"] == code, args


def set_attributes(client, path, **args):
    return client.run("file.set_attributes", {"path": text(path), **args})


def test_attributes():
    with Guest() as guest:
        client = guest.connect()
        path = write(guest.in_work("f"), b"a")
        os.symlink("f", guest.in_work("link"))
        entry = set_attributes(client, path, mode=0o751).result["entry"]
        assert entry["mode"] == 0o751 and stat.S_IMODE(os.stat(path).st_mode) == 0o751
        assert set_attributes(client, guest.in_work("link"), mode=0o600).result["entry"]["kind"] == "file"
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert set_attributes(client, guest.work, mode=0o700).result["entry"]["kind"] == "directory"
        assert set_attributes(client, path, gid=os.getgid()).result["entry"]["gid"] == os.getgid()
        if os.getuid() == 0:
            entry = set_attributes(client, path, mode=0o4755, uid=54321, gid=54322).result["entry"]
            assert (entry["mode"], entry["uid"], entry["gid"]) == (0o4755, 54321, 54322)
            assert set_attributes(client, guest.in_work("link"), follow=False, uid=54323).result["entry"]["kind"] == "symlink"
            assert os.lstat(guest.in_work("link")).st_uid == 54323 and os.stat(path).st_uid == 54321
        for args, code in [({}, "invalid_argument"), ({"mode": 0o10000}, "invalid_argument"), ({"uid": -2}, "invalid_argument"), ({"uid": 2**32 - 1}, "invalid_argument"),
                           ({"mode": 0o600, "path": guest.in_work("none")}, "file_not_found"), ({"mode": 0o777, "path": guest.history}, "path_protected"),
                           ({"mode": 0o600, "path": guest.in_work("link"), "follow": False}, "invalid_argument")]:
            assert set_attributes(client, **{"path": path, **args}).error["code"] == code, args


def test_attributes_of_others():
    with guest_of_nobody() as guest:
        client = guest.connect()
        if os.getuid() != 0:
            raise Skip("takes root to make a file of somebody else")
        path = write(guest.in_work("f"), b"a")
        for args in [{"mode": 0o777}, {"uid": 54323}]:
            assert set_attributes(client, path, **args).error["code"] == "permission_denied"


def exchange_for_ever(first, second):
    """A process in which two names change places all the time."""
    pid = os.fork()
    if pid != 0:
        return pid
    rename = ctypes.CDLL(None, use_errno=True).renameat2
    while rename(AT_FDCWD, first.encode(), AT_FDCWD, second.encode(), RENAME_EXCHANGE) == 0:
        pass
    os._exit(0)


def test_attributes_of_what_was_looked_at():
    """A link that comes in its place leads to nothing that is changed."""
    with Guest() as guest:
        client = guest.connect()
        outside = os.path.join(guest.directory, "outside")
        for path in (outside, guest.in_work("file")):
            with open(path, "w"):
                pass
            os.chmod(path, 0o644)
        os.symlink(outside, guest.in_work("link"))
        pid = exchange_for_ever(guest.in_work("file"), guest.in_work("link"))
        try:
            codes = {set_attributes(client, guest.in_work("file"), mode=mode, follow=False).reply.get("error", {}).get("code")
                     for mode in (0o600, 0o640) * checker.often(1000, under_valgrind=50)}
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        assert codes <= {None, "invalid_argument"}, codes
        assert oct(os.stat(outside).st_mode & 0o7777) == oct(0o644), oct(os.stat(outside).st_mode)


main()
