#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.walk and file.glob (docs/guest-protocol.md §4.2)."""

import os
import subprocess
import tempfile

from guestlib import *
from treelib import *

# Of the names of one directory that are held.
MAX_NAMES_SIZE = 32 * 1024 * 1024


def paths(call, root):
    """What was found, below where it was looked for."""
    found = [raw(entry["path"]) for entry in call.lines]
    root = os.fsencode(root)
    assert all(path.startswith(root.rstrip(b"/") + b"/") for path in found), found
    assert call.result["count"] == len(found), call.result
    return [os.fsdecode(path[len(root):].lstrip(b"/")) for path in found]


def walk(client, path, **args):
    return client.run("file.walk", {"path": text(path), **args}, channels=[OUTPUT])


def glob(client, path, pattern, **args):
    return client.run("file.glob", {"path": text(path), "pattern": text(pattern), **args}, channels=[OUTPUT])


def test_the_written_table():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "top.py", "README", "src/app/main.py", "src/main.py", "src/.hid/x.py", "src/app/a[1].txt",
                   "src/app/data.JSON", "deep/a/b/c/d.py")
        every = ["top.py", "src/main.py", "src/.hid/x.py", "src/app/main.py", "deep/a/b/c/d.py"]
        for pattern, expected in [
            # Without a slash: names, wherever they are.
            ("*.py", every), ("top.py", ["top.py"]), ("main.*", ["src/main.py", "src/app/main.py"]),
            ("{top,main}.py", ["top.py", "src/main.py", "src/app/main.py"]),
            ("[!t]*.py", [path for path in every if path != "top.py"]),
            ("?.py", ["src/.hid/x.py", "deep/a/b/c/d.py"]), ("app", ["src/app"]), ("app/", ["src/app"]),
            # With one: the path from where it is looked for.
            ("**/*.py", every), ("src/**/*.py", ["src/main.py", "src/.hid/x.py", "src/app/main.py"]),
            ("/*.py", ["top.py"]), ("./*.py", ["top.py"]), ("src/*.py", ["src/main.py"]),
            ("src/*/*.py", ["src/.hid/x.py", "src/app/main.py"]), ("*/main.py", ["src/main.py"]),
            ("deep/**", ["deep/a", "deep/a/b", "deep/a/b/c", "deep/a/b/c/d.py"]),
            ("deep/**/d.py", ["deep/a/b/c/d.py"]), ("deep/**/b/**/d.py", ["deep/a/b/c/d.py"]),
            ("deep/*/", ["deep/a"]), ("src/app/a\\[1].txt", ["src/app/a[1].txt"]), ("src/app/a[[]1[]].txt", ["src/app/a[1].txt"]),
            ("{src,deep}/**/{main,d}.py", ["src/main.py", "src/app/main.py", "deep/a/b/c/d.py"]),
            ("src/{app/main,main}.py", ["src/main.py", "src/app/main.py"]), ("*.json", []), ("nothing/*", []),
        ]:
            found = paths(glob(client, guest.work, pattern), guest.work)
            assert sorted(found) == sorted(expected), (pattern, found)
        assert paths(glob(client, guest.work, "*.json", ignore_case=True), guest.work) == ["src/app/data.JSON"]
        assert paths(glob(client, guest.work, "SRC/[M-N]AIN.PY", ignore_case=True), guest.work) == ["src/main.py"]
        assert "src/.hid/x.py" not in paths(glob(client, guest.work, "*.py", hidden=False), guest.work)
        assert paths(glob(client, guest.work, "*", kinds=["directory"], max_depth=1), guest.work) == ["deep", "src"]
        # What was found can be read, and has all a listing tells.
        entry = glob(client, guest.work, "README").lines[0]
        assert entry["kind"] == "file" and client.read_file(entry["path"]).stdout == b"README", entry


def test_patterns_that_make_no_sense():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "a")
        for pattern in ["", "../*", "a/../b", "{..,a}/x", "**/..", "[a", "[", "[!", "[]", "{a", "{a,{b}", "a\\", "[z-a]", "[[:alpha:]]",
                        "{" * 9 + "}" * 9, "x" * 1025, None, 5]:
            call = client.run("file.glob", {"path": guest.work, "pattern": pattern}, channels=[OUTPUT])
            assert call.error["code"] == "invalid_argument" and call.stdout == b"", (pattern, call.reply)
        for args in [{"max_depth": 0}, {"max_results": 0}, {"time_limit_ms": 0}, {"hidden": 1}, {"kinds": []}, {"kinds": ["pipe"]},
                     {"kinds": "file"}, {"path": guest.work + "/../x"}, {"path": "x"}]:
            call = client.run("file.walk", {"path": guest.work, **args}, channels=[OUTPUT])
            assert call.error["code"] == "invalid_argument", (args, call.reply)
        for path, code in [("a", "not_directory"), ("none", "file_not_found")]:
            assert walk(client, guest.in_work(path)).error["code"] == code


def test_no_pattern_takes_for_ever():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "a" * 250)
        for pattern in ["*a" * 200 + "b", "{a,aa}" * 150 + "b", "{a*,*a}" * 100 + "b", "**/" * 300 + "b", "[a-z]*" * 150 + "!"]:
            assert glob(client, guest.work, pattern).result["count"] == 0, pattern
        assert glob(client, guest.work, "*a" * 200).result["count"] == 1


def test_odd_names():
    with Guest() as guest:
        client = guest.connect()
        names = [b"a'; touch pwned; #", b"$(touch pwned2)", b"new\nline", b" lead", b"trail ", b"-rf", b"*", b"?", "\u00fc".encode(),
                 b"\xff\xfe", b"back\\slash", b"[x]", b"{a,b}"]
        for name in names:
            with open(os.path.join(guest.work.encode(), name), "wb"):
                pass
        assert sorted(os.fsencode(path) for path in paths(walk(client, guest.work), guest.work)) == sorted(names)
        for pattern, expected in [(b"\xff*", [b"\xff\xfe"]), (b"\xff[\xfe]", [b"\xff\xfe"]), (b"\xff?", [b"\xff\xfe"]),
                                  (b"*\n*", [b"new\nline"]), (b"\\*", [b"*"]), (b"\\?", [b"?"]), (b"\\[x]", [b"[x]"]),
                                  (b"\\{a,b\\}", [b"{a,b}"]), (b"back\\\\slash", [b"back\\slash"]), ("[\u00e0-\u00ff]".encode(), ["\u00fc".encode()])]:
            found = [os.fsencode(path) for path in paths(glob(client, guest.work, pattern), guest.work)]
            assert found == expected, (pattern, found)
        # One character is one, however many bytes it has.
        assert len(paths(glob(client, guest.work, "?"), guest.work)) == 3


def test_order_and_depth():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "b/2", "b/1/x", "a/z", "c", "a-/y")
        assert paths(walk(client, guest.work), guest.work) == ["a", "a-", "b", "c", "a/z", "a-/y", "b/1", "b/2", "b/1/x"]
        assert paths(walk(client, guest.work, max_depth=1), guest.work) == ["a", "a-", "b", "c"]
        assert paths(walk(client, guest.work, max_depth=2), guest.work)[-1] == "b/2"
        assert "/etc" in [entry["path"] for entry in walk(client, "/", max_depth=1).lines]


def test_links_are_not_followed():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "real/x")
        os.symlink(".", guest.in_work("real/loop"))
        os.symlink("real", guest.in_work("link"))
        os.symlink("nowhere", guest.in_work("dangling"))
        call = walk(client, guest.work)
        assert paths(call, guest.work) == ["dangling", "link", "real", "real/loop", "real/x"]
        assert {entry["name"]: entry.get("target") for entry in call.lines if entry["kind"] == "symlink"} == {
            "dangling": "nowhere", "link": "real", "loop": "."}
        # Where it begins may be one.
        assert paths(walk(client, guest.in_work("link")), guest.in_work("link")) == ["loop", "x"]


def test_what_cannot_be_read_is_told_beside():
    with guest_of_nobody() as guest:
        client = guest.connect()
        make_files(guest.work, "a/x", "closed/x", "names only/x", "z/x")
        os.chmod(guest.in_work("closed"), 0o000)
        os.chmod(guest.in_work("names only"), 0o744 if os.getuid() == 0 else 0o400)
        if os.getuid() == 0:
            os.chown(guest.in_work("a/x"), 54321, 54321)
        os.symlink("nowhere", guest.in_work("dangling"))
        call = walk(client, guest.work)
        assert paths(call, guest.work) == ["a", "closed", "dangling", "names only", "z", "a/x", "z/x"]
        errors = {error["path"]: error["code"] for error in call.result["errors"]}
        assert errors == {guest.in_work("closed"): "permission_denied", guest.in_work("names only/x"): "permission_denied"}, errors
        assert call.result["error_count"] == 2 and "cut" not in call.result
        os.chmod(guest.in_work("closed"), 0o755)
        os.chmod(guest.in_work("names only"), 0o755)


def test_errors_beside_are_bounded():
    with guest_of_nobody() as guest:
        client = guest.connect()
        make_files(guest.work, *(f"{i}/x" for i in range(70)))
        for i in range(70):
            os.chmod(guest.in_work(str(i)), 0o000)
        call = walk(client, guest.work)
        assert (len(call.result["errors"]), call.result["error_count"]) == (64, 70), call.result
        for i in range(70):
            os.chmod(guest.in_work(str(i)), 0o755)


def test_deep_trees():
    with Guest() as guest:
        client = guest.connect()
        depth = make_deep(guest.work, 1500)
        call = walk(client, guest.work)
        assert call.result["count"] == depth and call.result["error_count"] == 0, call.result
        assert glob(client, guest.work, "**/d/d/d/last").result["count"] == 1
        remove_deep(guest.work)
        # What has a path that is too long for any call is not gone into, and that is told.
        make_deep(guest.work, 3000)
        call = walk(client, guest.work)
        assert call.result["error_count"] == 1 and call.result["errors"][0]["code"] == "invalid_argument", call.result
        remove_deep(guest.work)


def test_directories_that_are_too_large():
    """What is held of one directory is bounded; what is beside it is found."""
    if not os.path.isdir("/dev/shm"):
        raise Skip("needs a file system in memory")
    with Guest() as guest:
        client = guest.connect()
        root = tempfile.mkdtemp(dir="/dev/shm")
        try:
            os.mkdir(os.path.join(root, "large"))
            os.mkdir(os.path.join(root, "other"))
            fd = os.open(os.path.join(root, "large"), os.O_PATH)
            for number in range(MAX_NAMES_SIZE // 257 + 2):
                os.mkdir(f"{number:0255}", dir_fd=fd)
            os.close(fd)
            assert client.list(os.path.join(root, "large")).error["code"] == "too_large"
            call = client.run("file.glob", {"path": root, "pattern": "other"}, channels=[OUTPUT])
            assert [entry["path"] for entry in call.lines] == [os.path.join(root, "other")]
            errors = call.result["errors"]
            assert {error["code"] for error in errors} == {"too_large"} and len(errors) == call.result["error_count"] == 2, errors
        finally:
            subprocess.run(["rm", "-rf", root], check=True)


def test_limits_are_told():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, *(f"{i}/{j}" for i in range(10) for j in range(10)))
        assert "cut" not in walk(client, guest.work, max_results=110).result
        call = walk(client, guest.work, max_results=109)
        assert call.result["count"] == 109 and call.result["cut"] == "results"
        call = glob(client, guest.work, "3", max_results=1)
        assert call.result["count"] == 1 and call.result["cut"] == "results"
        # The time runs while nobody takes what was found.
        client.credits = False
        make_files(guest.work, *(f"many/{i:0200}" for i in range(1000)))
        call = client.start("file.walk", {"path": guest.work, "time_limit_ms": 1})
        client.until(lambda: call.reply is not None or call.received[OUTPUT] == WINDOW)
        client.credits = True
        client.credit(call, OUTPUT, call.received[OUTPUT])
        client.wait(call, OUTPUT)
        assert call.result["cut"] == "time" and call.result["count"] < 1000, call.result


def test_cancel_and_stop():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, *(f"{i % 10}/{i:0200}" for i in range(1000)))
        client.credits = False
        call = client.start("file.walk", {"path": guest.work})
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.send(STOP, call=call.number, channel=OUTPUT)
        client.wait(call, OUTPUT)
        assert 0 < call.result["count"] < 1000
        call = client.start("file.walk", {"path": guest.work})
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT)
        assert call.error["code"] == "cancelled"


def test_a_walk_over_everything():
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, "needle")
        # The kernel's own file systems are named, and not gone into.
        call = glob(client, "/", "{proc,sys}/*", max_depth=3)
        assert call.result["count"] == 0, call.lines
        assert glob(client, "/proc", "self", max_depth=1).result["count"] == 1


def test_memory_does_not_grow():
    if checker.is_used():
        raise Skip("a checker of memory needs memory of its own")
    with Guest() as guest:
        client = guest.connect()
        make_files(guest.work, *(f"{i}/{j}" for i in range(20) for j in range(100)))
        client.keep = False
        walk_quietly(client, guest.work)
        before = worker_memory(guest)
        for _ in range(20):
            walk_quietly(client, guest.work)
        assert worker_memory(guest) <= before + 256 * 1024, (before, worker_memory(guest))


def walk_quietly(client, path):
    call = client.run("file.walk", {"path": path}, channels=[OUTPUT])
    assert call.result["count"] == 20 * 101, call.result


def worker_memory(guest):
    """The most memory a file worker of the guest has had."""
    return max(peak_memory(pid) for pid in children(guest.process.pid) if name_of(pid).startswith("asb-worker"))


main()
