#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.edit (docs/guest-protocol.md §4.2), and what is left of a write that was killed."""

import hashlib
import os
import re
import signal
import stat
import threading

from guestlib import *
from treelib import *


def edit(client, path, old, new, record=None, **args):
    return client.run("file.edit", {"path": text(path), "old": text(old), "new": text(new), **args}, record=record)


def write(path, data, mode=0o644):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def test_one_and_all():
    with Guest() as guest:
        client = guest.connect()
        path = write(guest.in_work("f"), b"one two two\nthree", 0o755)
        before = hashlib.sha256(read(path)).hexdigest()
        result = edit(client, path, "three", "3").result
        assert read(path) == b"one two two\n3" and stat.S_IMODE(os.stat(path).st_mode) == 0o755
        assert result["replaced"] == 1 and result["size"] == 13 and result["previous_hash"] == before, result
        assert result["hash"] == hashlib.sha256(read(path)).hexdigest() and result["entry"]["mode"] == 0o755
        assert edit(client, path, "two", "2", replace_all=True).result["replaced"] == 2 and read(path) == b"one 2 2\n3"
        assert edit(client, path, "2", "", expected_count=2).result["replaced"] == 2 and read(path) == b"one  \n3"
        assert edit(client, path, "one  \n3", "").result["size"] == 0 and read(path) == b""
        os.symlink("f", guest.in_work("link"))
        write(path, b"\xff\0x")
        assert edit(client, guest.in_work("link"), b"\xff", b"\xfe\xfd").result["replaced"] == 1
        assert read(path) == b"\xfe\xfd\0x" and os.path.islink(guest.in_work("link"))


def test_refused():
    with Guest() as guest:
        client = guest.connect()
        path = write(guest.in_work("f"), b"a b b")
        os.mkfifo(guest.in_work("fifo"))
        write(guest.in_work("empty"), b"")
        for args, code in [({"old": "x"}, "text_not_found"), ({"old": "b"}, "text_ambiguous"), ({"old": "b", "expected_count": 3}, "text_ambiguous"),
                           ({"old": "a", "expected_count": 2, "replace_all": True}, "text_ambiguous"), ({"old": ""}, "invalid_argument"),
                           ({"old": "y"}, "invalid_argument"), ({"old": None}, "invalid_argument"), ({"new": 1}, "invalid_argument"),
                           ({"expected_hash": "0" * 64}, "concurrent_modification"), ({"expected_hash": "0"}, "invalid_argument"),
                           ({"expected_count": 0}, "invalid_argument"), ({"path": guest.in_work("none")}, "file_not_found"),
                           ({"path": guest.work}, "is_directory"), ({"path": guest.in_work("fifo")}, "not_regular_file"),
                           ({"path": guest.in_work("empty")}, "text_not_found"), ({"path": guest.history + "/x"}, "path_protected"),
                           ({"path": path + "/x"}, "not_directory")]:
            call = client.run("file.edit", {"path": path, "old": "a", "new": "y", **args})
            assert call.error["code"] == code, (args, call.reply)
        assert client.run("file.edit", {"path": path, "old": "b", "new": "y"}).error["details"]["count"] == 2
        assert read(path) == b"a b b" and sorted(os.listdir(guest.work)) == ["empty", "f", "fifo"]


def test_line_ends():
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("f")
        for content, old, new, expected in [
            (b"one\r\ntwo\r\nthree\r\n", "two\nthree", "2\n3", b"one\r\n2\r\n3\r\n"), (b"one\r\ntwo\r\n", "one", "1\nand", b"1\r\nand\r\ntwo\r\n"),
            (b"one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", b"1\r\n2\r\n"), (b"one\r\ntwo\n", "one\r\n", "1\n", b"1\ntwo\n"),
            (b"one\ntwo\n", "one\n", "1\r\n", b"1\r\ntwo\n"), (b"one\r\ntwo", "\n", " ", b"one two"),
        ]:
            write(path, content)
            assert edit(client, path, old, new).result["replaced"] == 1 and read(path) == expected, (content, read(path))
        write(path, b"one\r\ntwo\n")
        assert edit(client, path, "one\ntwo", "x").error["code"] == "text_not_found"


def test_sizes():
    with Guest() as guest:
        client = guest.connect()
        mega = 1024 * 1024
        path = write(guest.in_work("f"), b"x" * (16 * mega - 1) + b"y")
        assert edit(client, path, "y", "z").result["size"] == 16 * mega
        assert edit(client, path, "z", "zz").error["code"] == "too_large"
        write(path, b"x" * (16 * mega + 1))
        assert edit(client, path, "x", "y", replace_all=True).error["code"] == "too_large"
        write(path, b"x" * mega)
        assert edit(client, path, "x", "y" * 1000, replace_all=True).error["code"] == "too_large"
        assert edit(client, path, "x", "yz", replace_all=True).result["replaced"] == mega


def test_many_at_once_lose_nothing():
    with Guest() as guest:
        path = write(guest.in_work("f"), b"".join(b"marker %02d.\n" % i for i in range(20)) + b"x" * 200000)
        failures = []
        done = threading.Event()

        def change(n):
            client = guest.connect()
            for i in range(n, 20, 4):
                call = edit(client, path, f"marker {i:02}.", f"changed {i:02}")
                if "result" not in call.reply:
                    failures.append(call.reply)

        def look():
            while not done.is_set():
                lines = read(path).split(b"\n")
                if len(lines) != 21 or len(lines[-1]) != 200000 or not all(re.fullmatch(rb"(marker|changed) \d\d\.?", line) for line in lines[:20]):
                    failures.append(lines[:20])
                    return

        reader = threading.Thread(target=look)
        writers = [threading.Thread(target=change, args=(n,)) for n in range(4)]
        for thread in [reader, *writers]:
            thread.start()
        for thread in writers:
            thread.join()
        done.set()
        reader.join()
        assert not failures, failures[0]
        assert read(path).split(b"\n")[:20] == [b"changed %02d" % i for i in range(20)]


def test_the_record():
    with Guest() as guest:
        client = guest.connect()
        client.run("history.open", {"identity": {"provider_key": "k", "sandbox_id": "s", "sandbox_instance_id": "i"}, "sdk_version": "1"})
        path = write(guest.in_work("f"), b"one\ntwo\n")
        before = hashlib.sha256(b"one\ntwo\n").hexdigest()
        record = {"event_id": "e-1", "operation_type": "file.write", "required": True, "actor": {"actor_type": "system"}, "request": {"path": path},
                  "file_operation": {"path": path, "change_type": "write"}}
        assert edit(client, path, "two", "2", record=record).reply["record"]["state"] == "complete"
        (operation,) = client.run("history.get_operations", {"event_ids": ["e-1"]}, channels=[OUTPUT]).lines
        assert "-two\n+2\n" in operation["result"]["diff"] and operation["result"]["diff_truncated"] is False
        row = operation["file_operation"]
        assert row["before_hash"] == before and row["after_hash"] == hashlib.sha256(b"one\n2\n").hexdigest(), row
        assert row["after_size"] == 6 and row["diff_complete"] == 1


def test_killed_while_it_writes():
    with Guest() as guest:
        client = guest.connect()
        path = write(guest.in_work("f"), b"as it was")
        if not has_unnamed_files(guest.work):
            raise Skip("the file system has no files without names")
        call = client.start("file.write", {"path": path})
        client.write(call, b"x" * 200000)
        client.until(lambda: call.input_credit > 0)
        for pid in children(guest.process.pid):
            if name_of(pid).startswith("asb-worker"):
                os.kill(pid, signal.SIGKILL)
        client.wait(call)
        assert call.error["code"] == "internal_error" and os.listdir(guest.work) == ["f"] and read(path) == b"as it was"


def has_unnamed_files(path):
    try:
        os.close(os.open(path, os.O_TMPFILE | os.O_WRONLY))
        return True
    except OSError:
        return False


main()
