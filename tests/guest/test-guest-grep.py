#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.grep (docs/guest-protocol.md §4.2)."""

import base64
import os
import socket

from guestlib import *
from treelib import *


def grep(client, path, what, **args):
    return client.run("file.grep", {"path": text(path), "text": text(what), **args}, channels=[OUTPUT])


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def found(call, root):
    """What was found: path below the root, number of the line, column."""
    return [(os.path.relpath(raw(line["path"]).decode(), root), line["line"], line["column"]) for line in call.lines]


def test_text_and_expressions():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a.txt"), b"one\ntwo three\n\nThree a.c abc\nlast three")
        write(guest.in_work("empty"), b"")
        os.mkdir(guest.in_work("d"))
        write(guest.in_work("d/b.py"), b"import three\r\nthree\r\n")
        for what, args, expected in [
            ("three", {}, [("a.txt", 2, 4), ("a.txt", 5, 5), ("d/b.py", 1, 7), ("d/b.py", 2, 0)]),
            ("THREE", {}, []),
            ("THREE", {"ignore_case": True}, [("a.txt", 2, 4), ("a.txt", 4, 0), ("a.txt", 5, 5), ("d/b.py", 1, 7), ("d/b.py", 2, 0)]),
            ("a.c", {}, [("a.txt", 4, 6)]), ("A.C", {"ignore_case": True}, [("a.txt", 4, 6)]), ("a.c", {"regex": True}, [("a.txt", 4, 6)]),
            ("^three$", {"regex": True}, [("d/b.py", 2, 0)]), ("^$", {"regex": True}, [("a.txt", 3, 0)]),
            (r"\bt\w+\s", {"regex": True}, [("a.txt", 2, 0)]), ("(?i)^THREE", {"regex": True}, [("a.txt", 4, 0), ("d/b.py", 2, 0)]),
            ("three", {"include": ["*.py"]}, [("d/b.py", 1, 7), ("d/b.py", 2, 0)]), ("three", {"include": ["/*"]}, [("a.txt", 2, 4), ("a.txt", 5, 5)]),
            ("three", {"include": ["*.md", "d/**"]}, [("d/b.py", 1, 7), ("d/b.py", 2, 0)]), ("three", {"max_depth": 1}, [("a.txt", 2, 4), ("a.txt", 5, 5)]),
            ("none", {}, []),
        ]:
            call = grep(client, guest.work, what, **args)
            assert found(call, guest.work) == expected, (what, args, call.lines)
            assert call.result["count"] == len(expected) and call.result["errors"] == [] and "cut" not in call.result
        call = grep(client, guest.work, "three")
        assert (call.result["files"], call.result["binary"]) == (3, 0)
        assert [line["text"] for line in call.lines] == ["two three", "last three", "import three", "three"]
        # One file, by its own path or a link.
        os.symlink("a.txt", guest.in_work("link"))
        assert found(grep(client, guest.in_work("link"), "one"), guest.work) == [("link", 1, 0)]


def test_what_makes_no_sense():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"), b"a")
        for args in [{"text": ""}, {"text": None}, {"text": 1}, {"text": "(", "regex": True}, {"text": "a{2,1}", "regex": True}, {"text": r"\C", "regex": True},
                     {"text": {"b64": "/w=="}, "regex": True}, {"text": "a", "regex": 1}, {"text": "a", "include": "a"}, {"text": "a", "include": ["[a"]},
                     {"text": "a", "include": ["x"] * 17}, {"text": "a", "context_lines": 101}, {"text": "x" * 65537}, {"text": "a\n"}, {"text": "a\nb", "ignore_case": True}, {"text": "a", "path": guest.work + "/../x"}]:
            call = client.run("file.grep", {"path": guest.work, **args}, channels=[OUTPUT])
            assert call.error["code"] == "invalid_argument" and call.stdout == b"", (args, call.reply)
        assert grep(client, guest.in_work("none"), "a").error["code"] == "file_not_found"
        assert grep(client, guest.in_work("a/b"), "a").error["code"] == "not_directory"


def test_special_files_are_left_alone():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"), b"needle")
        os.mkfifo(guest.in_work("fifo"))
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(guest.in_work("socket"))
        os.symlink("/dev/zero", guest.in_work("zero"))
        os.symlink("a", guest.in_work("link"))
        call = grep(client, guest.work, "needle")
        assert found(call, guest.work) == [("a", 1, 0)] and call.result["error_count"] == 0 and call.result["files"] == 1
        for name in ("fifo", "socket", "zero"):
            assert grep(client, guest.in_work(name), "needle").error["code"] == "not_regular_file", name
        listener.close()


def test_bytes():
    with Guest() as guest:
        client = guest.connect()
        root = guest.work.encode()
        write(root + b"/\xff name", b"x\xffneedle\xfe\n\xc3\xbc needle\n")
        write(root + b"/binary", b"\0needle\n")
        write(root + b"/late", b"a\n" * 40000 + b"needle \0\n")
        call = grep(client, guest.work, "needle")
        lines = {(raw(line["path"]), line["line"]): raw(line["text"]) for line in call.lines}
        assert lines == {(root + b"/\xff name", 1): b"x\xffneedle\xfe", (root + b"/\xff name", 2): b"\xc3\xbc needle",
                         (root + b"/late", 40001): b"needle \0"}, lines
        assert call.result["binary"] == 1 and call.result["files"] == 2
        assert grep(client, guest.work, b"\xffneedle").result["count"] == 1
        assert grep(client, guest.work, "e+d.e", regex=True).result["count"] == 3
        assert grep(client, guest.work, "\u00dc", ignore_case=True).result["count"] == 1


def test_long_lines():
    with Guest() as guest:
        client = guest.connect()
        mega = 1024 * 1024
        write(guest.in_work("a"), b"x" * 10000 + b"needle" + b"y" * 10000 + b"\nsecond needle\n")
        write(guest.in_work("b"), b"x" * (2 * mega + 5) + b"needle" + b"y" * mega + b"needle\nlast needle")
        call = grep(client, guest.work, "needle")
        assert found(call, guest.work) == [("a", 1, 10000), ("a", 2, 7), ("b", 1, 2 * mega + 5), ("b", 2, 5)], found(call, guest.work)
        for line in call.lines:
            assert len(line["text"]) <= 4096 and line["text"][line["column"] - line.get("from", 0):].startswith("needle"), line
        assert [line.get("truncated", False) for line in call.lines] == [True, False, True, False]


def test_what_lies_across_the_pieces_of_a_line():
    with Guest() as guest:
        client = guest.connect()
        mega = 1024 * 1024
        write(guest.in_work("a"), b"z" + b"x" * (mega - 4) + b"needle" + b"y" * 10 + b"\nsecond\n")
        write(guest.in_work("b"), b"\xc3\xb6" * mega + b"aneedle\r\nneedle\r\n")
        for what, args, expected in [
            ("needle", {}, [("a", 1, mega - 3), ("b", 1, 2 * mega + 1), ("b", 2, 0)]),
            ("NEEDLE", {"ignore_case": True}, [("a", 1, mega - 3), ("b", 1, 2 * mega + 1), ("b", 2, 0)]),
            (r"\bneedle", {"regex": True}, [("b", 2, 0)]), ("(?<=xx)ne+dle(?=y{10})", {"regex": True}, [("a", 1, mega - 3)]),
            # The ends of pieces are no ends of lines.
            ("(x|needle)$", {"regex": True}, [("b", 1, 2 * mega + 1), ("b", 2, 0)]), ("\u00f6\\Z", {"regex": True}, []),
            ("^x", {"regex": True}, []), (r"xx(?!x|n)", {"regex": True}, []), (r"^needle|\Aneedle", {"regex": True}, [("b", 2, 0)]),
        ]:
            call = grep(client, guest.work, what, **args)
            assert found(call, guest.work) == expected and call.result["errors"] == [], (what, call.lines, call.result)


def test_context():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"), b"1\n2\n3 x\n4\n5\n6\n7 x\n8 x\n9\n10\n")
        def told(**args):
            return [(line["line"], line.get("context", False)) for line in grep(client, guest.work, "x", **args).lines]
        assert told() == [(3, False), (7, False), (8, False)]
        assert told(context_lines=1) == [(2, True), (3, False), (4, True), (6, True), (7, False), (8, False), (9, True)]
        assert told(context_lines=2) == [(n, n not in (3, 7, 8)) for n in range(1, 11)]
        assert told(context_lines=100)[-1] == (10, True)
        call = grep(client, guest.work, "x", context_lines=1, max_results=1)
        assert [line["line"] for line in call.lines] == [2, 3, 4] and call.result["count"] == 1 and call.result["cut"] == "results"


def test_context_of_long_lines():
    """A line of several pieces is told once, as what it is in the end."""
    with Guest() as guest:
        client = guest.connect()
        long = b"y" * (3 << 20)
        for content, expected in [
            (long + b"x\n", [(1, False)]), (b"1\n" + long + b"x\n3\n", [(1, True), (2, False), (3, True)]),
            (b"x\n" + long + b"x\n3\n", [(1, False), (2, False), (3, True)]), (b"x\n" + long + b"\n3\n", [(1, False), (2, True)]),
            (b"x\n" + long, [(1, False), (2, True)]), (long + b"\n2 x\n", [(1, True), (2, False)]),
            (long + b"\n2\n" + long + b"\n4 x\n" + long + b"\n" + long, [(3, True), (4, False), (5, True)]),
        ]:
            write(guest.in_work("a"), content)
            lines = grep(client, guest.work, "x", context_lines=1).lines
            assert [(line["line"], line.get("context", False)) for line in lines] == expected, (content[:3], lines)
            assert all(line.get("truncated") for line in lines if len(line["text"]) > 9), lines


def test_no_expression_takes_for_ever():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"), b"a" * 5000 + b"\n" + b"needle\n")
        call = grep(client, guest.work, "(a*)*b|needle", regex=True)
        assert found(call, guest.work)[-1][1] == 2, call.lines
        call = grep(client, guest.work, r"^(a|aa|a?a)+$(?<!a)", regex=True)
        assert call.result["count"] == 0 and call.result["errors"][0]["code"] == "too_large", call.result
        assert call.result["errors"][0]["path"] == guest.in_work("a")


def test_limits_and_cancel():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"), b"needle in a line that is not very short, so that few fill a window\n" * 100000)
        call = grep(client, guest.work, "needle", max_results=100)
        assert call.result["count"] == 100 and call.result["cut"] == "results" and len(call.lines) == 100
        assert "cut" not in grep(client, guest.work, "needle", max_results=100000).result
        client.credits = False
        call = client.start("file.grep", {"path": guest.work, "text": "needle"})
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT)
        assert call.error["code"] == "cancelled"
        call = client.start("file.grep", {"path": guest.work, "text": "needle", "time_limit_ms": 1})
        client.until(lambda: call.reply is not None or call.received[OUTPUT] == WINDOW)
        client.credits = True
        client.credit(call, OUTPUT, call.received[OUTPUT])
        client.wait(call, OUTPUT)
        assert call.result["cut"] == "time" and call.result["count"] < 100000


def test_searches_leave_room_for_others():
    with Guest() as guest:
        client = guest.connect()
        write(guest.in_work("a"), b"needle in a line that is not very short, so that few fill a window\n" * 10000)
        client.credits = False
        calls = [client.start("file.grep", {"path": guest.work, "text": "needle"}) for _ in range(20)]
        client.until(lambda: sum(call.received[OUTPUT] == WINDOW for call in calls) == 4)
        assert client.run("file.stat", {"path": guest.work}).result["entry"]["kind"] == "directory"
        assert client.write_file(guest.in_work("b"), b"written").result["size"] == 7
        # Those that wait get their turn, or may be cancelled before.
        client.send(CANCEL, call=calls[-1].number)
        client.wait(calls[-1], OUTPUT)
        client.credits = True
        for call in calls[:-1]:
            client.credit(call, OUTPUT, call.received[OUTPUT])
        for call in calls[:-1]:
            assert client.wait(call, OUTPUT).result["count"] == 10000


def test_what_cannot_be_read_is_told_beside():
    with guest_of_nobody() as guest:
        client = guest.connect()
        make_files(guest.work, "needle", "d/needle")
        make_files(guest.work, "closed")
        os.chmod(guest.in_work("closed"), 0o000)
        call = grep(client, guest.work, "needle")
        assert call.result["count"] == 2 and call.result["error_count"] == 1
        assert call.result["errors"][0]["path"] == guest.in_work("closed")


def test_memory_does_not_grow():
    if checker.is_used():
        raise Skip("a checker of memory needs memory of its own")
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("a")
        with open(path, "wb") as file:
            for _ in range(64):
                file.write(b"a line without what is looked for\n" * 30840)
        grep(client, guest.work, "needle", context_lines=3)
        call = grep(client, guest.work, "(what|which) is l", regex=True, max_results=1)
        assert call.result["count"] == 1
        peak = max(peak_memory(pid) for pid in children(guest.process.pid) if name_of(pid).startswith("asb-worker"))
        assert peak < 8 * 1024 * 1024, peak


main()
