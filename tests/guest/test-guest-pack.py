#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.pack (docs/guest-protocol.md §4.2): a folder as an archive, and what is left out of it."""

import contextlib
import socket
import subprocess

from archivelib import *
from guestlib import *
from treelib import children, guest_of_nobody, name_of, peak_memory


def make(guest, name, data=b"x", mode=None):
    path = os.path.join(os.fsencode(guest.work), os.fsencode(name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    if mode is not None:
        os.chmod(path, mode)


def left_out(call):
    return {raw(error["path"]).decode(errors="surrogateescape"): error["code"] for error in call.result["errors"]}


def test_what_is_in_it():
    with Guest() as guest:
        client = guest.connect()
        for name, data, mode in (("b", b"two", 0o755), ("d/a", b"one" * 10000, 0o640), ("d/e/c", b"", 0o4600), ("z" * 200 + "/" + "y" * 200, b"long", 0o644)):
            make(guest, name, data, mode)
        os.mkdir(guest.in_work("empty"), 0o700)
        os.symlink("d/a", guest.in_work("l"))
        os.symlink("../b", guest.in_work("d/up"))
        os.link(guest.in_work("b"), guest.in_work("same"))
        os.utime(guest.in_work("b"), (5, 1234567890))
        for format in ("tar", "tar.gz"):
            call = pack(client, guest.work, format=format)
            members, archive = packed(call)
            assert list(members) == ["b", "d", "d/a", "d/e", "d/e/c", "d/up", "empty", "l", "same", "z" * 200, "z" * 200 + "/" + "y" * 200], list(members)
            assert archive.extractfile("d/a").read() == b"one" * 10000 and members["b"].mode == 0o755 and members["b"].mtime == 1234567890
            assert members["d/e/c"].mode == 0o600 and members["empty"].isdir() and members["empty"].mode == 0o700
            assert members["l"].issym() and members["l"].linkname == "d/a" and members["same"].islnk() and members["same"].linkname == "b"
            assert all(info.uid == info.gid == 0 and not info.uname for info in members.values())
            result = call.result
            assert result["archive_bytes"] == len(call.output[OUTPUT]) and result["format"] == format
            assert {name: result[name] for name in ("members", "files", "directories", "links", "bytes", "errors", "error_count")} == {
                "members": 11, "files": 4, "directories": 4, "links": 3, "bytes": 30007, "errors": [], "error_count": 0}, result
            assert bytes(pack(client, guest.work, format=format).output[OUTPUT]) == bytes(call.output[OUTPUT]), "equal files, equal archives"


def test_round_trip():
    names = [b"new\nline", b"\xff\xfe\x01", "\u00fc".encode(), "u\u0308".encode(), b"-rf", b"\xc3\x28", b"d\xff/" + b"x" * 255, b"/".join([b"y" * 200] * 15)]
    with Guest() as guest:
        client = guest.connect()
        for name in names:
            make(guest, b"from/" + name, name)
        data = bytes(pack(client, guest.in_work("from")).output[OUTPUT])
        assert unpack(client, guest.in_work("to"), data).result["files"] == len(names)
        assert tree(os.fsencode(guest.in_work("to"))) == tree(os.fsencode(guest.in_work("from")))
        # Another tar reads it, too.
        os.mkdir(guest.in_work("other"))
        run = subprocess.run(["tar", "-xf", "-", "-C", guest.in_work("other")], input=data, capture_output=True)
        assert run.returncode == 0 and run.stderr == b"" and tree(os.fsencode(guest.in_work("other"))) == tree(os.fsencode(guest.in_work("from"))), run.stderr


def test_empty():
    with Guest() as guest:
        client = guest.connect()
        for args in ({}, {"format": "tar.gz"}, {"names": []}):
            call = pack(client, guest.work, **args)
            assert packed(call)[0] == {} and unpack(client, guest.in_work("new"), bytes(call.output[OUTPUT])).result["members"] == 0
            os.rmdir(guest.in_work("new"))


def test_only_some():
    with Guest() as guest:
        client = guest.connect()
        for name in ("a", "d/b", "d/c", "e/f"):
            make(guest, name)
        os.symlink("d", guest.in_work("l"))
        call = pack(client, guest.work, names=["d/b", "./e", "missing", "l/c", "nowhere/x"])
        assert list(packed(call)[0]) == ["d/b", "e", "e/f"]
        assert left_out(call) == {"missing": "file_not_found", "l/c": "not_directory", "nowhere/x": "file_not_found"}
        for name in ("../x", "/etc/passwd", "", ".", "d/../a"):
            assert pack(client, guest.work, names=[name]).error["code"] == "invalid_argument", name
        assert "result" in pack(client, guest.work, names=["a"] * 4096).reply
        for args in ({"names": "a"}, {"names": [1]}, {"names": ["a"] * 4097}, {"format": "zip"}, {"format": 1}, {"max_bytes": 0}):
            assert pack(client, guest.work, **args).error["code"] == "invalid_argument", str(args)[:100]
        assert pack(client, guest.in_work("none")).error["code"] == "file_not_found" and pack(client, guest.in_work("a")).error["code"] == "not_directory"


def test_what_is_left_out():
    with Guest() as guest:
        client = guest.connect()
        make(guest, "kept")
        os.mkfifo(guest.in_work("fifo"))
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(guest.in_work("socket"))
        for name, target in (("absolute", "/etc/passwd"), ("out", "../secret"), ("round", "x/../../y")):
            os.symlink(target, guest.in_work(name))
        os.mkdir(guest.in_work(STAGING + "1"))
        os.makedirs(guest.history, exist_ok=True)
        call = pack(client, guest.work)
        assert list(packed(call)[0]) == ["kept"]
        security = "upload_archive_security_error"
        assert left_out(call) == {"fifo": "not_regular_file", "socket": "not_regular_file", "absolute": security, "out": security, "round": security, STAGING + "1": "path_protected"}
        call = pack(client, guest.directory)
        assert left_out(call)["history"] == "path_protected" and "history" not in packed(call)[0] and "work/kept" in packed(call)[0]
        assert left_out(pack(client, "/", names=["proc"])) == {"proc": "path_protected"}


def test_many_are_left_out():
    with Guest() as guest:
        client = guest.connect()
        for i in range(100):
            os.mkfifo(guest.in_work("p%03d" % i))
        result = pack(client, guest.work).result
        assert result["error_count"] == 100 and len(result["errors"]) == 64


def test_what_cannot_be_read():
    with guest_of_nobody() as guest:
        if os.getuid() != 0:
            raise Skip("needs another user")
        client = guest.connect()
        make(guest, "a", b"x", 0o644)
        make(guest, "b", b"secret", 0)
        make(guest, "d/c", b"x", 0o644)
        os.chmod(guest.in_work("d"), 0o700)
        call = pack(client, guest.work)
        assert list(packed(call)[0]) == ["a", "d"] and left_out(call) == {"b": "permission_denied", "d": "permission_denied"}


def test_holes():
    with Guest() as guest:
        client = guest.connect()
        with open(guest.in_work("s"), "wb") as file:
            file.write(b"begin")
            file.seek(50 * MIB)
            file.write(b"middle")
            file.truncate(100 * MIB)
        with open(guest.in_work("all"), "wb") as file:
            file.truncate(64 * MIB)
        call = pack(client, guest.work)
        assert len(call.output[OUTPUT]) < MIB, len(call.output[OUTPUT])
        members, archive = packed(call)
        assert members["s"].size == 100 * MIB and members["all"].size == 64 * MIB
        with archive.extractfile("s") as file:
            assert file.read(6) == b"begin\0"
            file.seek(50 * MIB - 1)
            assert file.read(8) == b"\0middle\0"
        assert unpack(client, guest.in_work("new"), bytes(call.output[OUTPUT])).result["bytes"] == 164 * MIB
        for name in ("s", "all"):
            assert os.stat(guest.in_work("new/" + name)).st_blocks * 512 < MIB
            with open(guest.in_work(name), "rb") as one, open(guest.in_work("new/" + name), "rb") as other:
                assert one.read() == other.read()


def test_changed_meanwhile():
    """Its length was told before."""
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        for name, change, then in (("shorter", lambda path: os.truncate(path, 100), 2 * MIB), ("longer", lambda path: os.truncate(path, 3 * MIB), 2 * MIB)):
            make(guest, name + "/f", b"x" * (2 * MIB))
            call = client.start("file.pack", {"path": guest.in_work(name)})
            client.until(lambda: call.received[OUTPUT] >= WINDOW)
            change(guest.in_work(name + "/f"))
            client.credits = True
            client.credit(call, OUTPUT, call.received[OUTPUT])
            client.wait(call, OUTPUT)
            client.credits = False
            members, archive = packed(call)
            data = archive.extractfile("f").read()
            assert members["f"].size == len(data) == 2 * MIB and left_out(call) == {"f": "concurrent_modification"}, left_out(call)
            assert data.startswith(b"x" * 1000) and (name == "longer") == (data == b"x" * (2 * MIB))


def test_bounds():
    with Guest() as guest:
        client = guest.connect()
        for i in range(5):
            make(guest, "f%d" % i, b"x" * 1000)
        for limit, bad, good in (("max_members", 4, 5), ("max_bytes", 4999, 5000), ("max_file_bytes", 999, 1000)):
            error = pack(client, guest.work, **{limit: bad}).error
            assert error["code"] == "too_large" and error["details"]["limit"] == limit, error
            assert pack(client, guest.work, **{limit: good}).result


def test_stopped_and_cancelled():
    with Guest() as guest:
        client = guest.connect()
        make(guest, "big", b"x" * (4 * MIB))
        client.credits = False
        for type, ending in ((CANCEL, lambda call: call.error["code"] == "cancelled"), (STOP, lambda call: call.result["archive_bytes"] < MIB)):
            call = client.start("file.pack", {"path": guest.work})
            client.until(lambda: call.received[OUTPUT] >= WINDOW)
            client.send(type, call=call.number, channel=OUTPUT if type == STOP else 0)
            assert ending(client.wait(call)), call.reply


def test_very_large_with_a_hole():
    """Neither all of its zeros are sent, nor what is missing when nobody wants them any more."""
    with Guest() as guest:
        client = guest.connect()
        make(guest, "f", b"x" * (2 * MIB))
        os.truncate(guest.in_work("f"), 1 << 40)
        call = pack(client, guest.work)
        assert call.result["bytes"] == 1 << 40 and len(call.output[OUTPUT]) < 3 * MIB, call.result
        assert unpack(client, guest.in_work("new"), bytes(call.output[OUTPUT]), max_file_bytes=1 << 40, max_bytes=1 << 40).result
        assert os.stat(guest.in_work("new/f")).st_size == 1 << 40
        client.credits = False
        for format in ("tar", "tar.gz"):
            call = client.start("file.pack", {"path": guest.work, "format": format})
            client.wait_event(call)
            client.send(CANCEL, call=call.number)
            assert client.wait(call).error["code"] == "cancelled"


def test_large_in_little_memory():
    with Guest() as guest:
        client = guest.connect()
        client.keep = False
        for i in range(8):
            with open(guest.in_work("f%d" % i), "wb") as file:
                file.write(os.urandom(MIB) * 16)
        call = pack(client, guest.work)
        assert call.result["bytes"] == 128 * MIB and call.received[OUTPUT] > 128 * MIB
        most = max(memory(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == guest.process.pid)
        # A checker of memory keeps what was freed.
        assert checker.is_used() or most < 16 * 1024, most


def status(pid):
    try:
        with open("/proc/%s/status" % pid) as file:
            return dict(line.split(":", 1) for line in file)
    except OSError:
        return {}


def parent(pid):
    return int(status(pid).get("PPid", 0))


def memory(pid):
    return int(status(pid).get("VmHWM", "0").split()[0])


def test_recorded():
    with Guest() as guest:
        client = guest.connect()
        identity = {"provider_key": "p", "sandbox_id": "s", "sandbox_instance_id": "00000000-0000-7000-8000-000000000001"}
        assert client.run("history.open", {"identity": identity, "sdk_version": "1"}).result
        make(guest, "from/a", b"some")
        os.mkfifo(guest.in_work("from/fifo"))
        call = pack(client, guest.in_work("from"), record=envelope(1, "file.pack", "pack", guest.in_work("from")))
        assert call.reply["record"]["state"] == "complete", call.reply
        data = bytes(call.output[OUTPUT])
        assert unpack(client, guest.in_work("to"), data, record=envelope(2, "file.unpack", "unpack", guest.in_work("to"))).reply["record"]["state"] == "complete"
        assert unpack(client, guest.in_work("no"), data[:600], record=envelope(3, "file.unpack", "unpack", guest.in_work("no"))).error["code"] == "archive_damaged"
        call = client.run("history.get_operations", {"event_ids": [event_id(i) for i in (1, 2, 3)]}, channels=[OUTPUT])
        pack_row, unpack_row, failed_row = call.lines
        assert pack_row["status"] == "succeeded" and pack_row["result"] == {
            "format": "tar", "members": 1, "files": 1, "directories": 0, "links": 0, "bytes": 4, "archive_bytes": len(data), "error_count": 1}, pack_row
        assert unpack_row["status"] == "succeeded" and unpack_row["result"]["files"] == 1 and unpack_row["result"]["skipped"] == 0
        assert unpack_row["file_operation"]["path"] == guest.in_work("to") and unpack_row["file_operation"]["change_type"] == "unpack"
        assert failed_row["status"] == "failed" and failed_row["result"]["error_type"] == "archive_damaged", failed_row


def event_id(number):
    return "00000000-0000-7000-8000-0000000000%02d" % number


def envelope(number, operation_type, change_type, path):
    return {"event_id": event_id(number), "operation_type": operation_type, "required": True, "actor": {"actor_type": "agent"}, "request": {"path": path},
            "file_operation": {"path": path, "change_type": change_type}}



def test_many_names_of_files():
    """Which names are of one file is remembered in little memory; beyond that they become copies."""
    with Guest() as guest:
        client = guest.connect()
        os.mkdir(guest.in_work("names"))
        with contextlib.chdir(guest.in_work("names")):
            for _ in range(18):
                os.mkdir("d" * 200)
                os.chdir("d" * 200)
            for i in range(6000):
                with open("%04d" % i, "w"):
                    pass
                os.link("%04d" % i, "../%04d" % i)
        assert pack(client, guest.work, names=["names/" + "d" * 200, "none"]).result["links"] < 6000
        workers = [pid for pid in children(guest.process.pid) if name_of(pid) == "asb-worker"]
        if not checker.is_used():
            assert max(map(peak_memory, workers)) < 20 << 20, list(map(peak_memory, workers))


def test_errors_with_long_paths():
    """Characters that take six bytes each where they are told: not all errors fit into an answer."""
    with Guest() as guest:
        client = guest.connect()
        with contextlib.chdir(guest.work):
            for _ in range(19):
                os.mkdir("\x01" * 200)
                os.chdir("\x01" * 200)
            for i in range(80):
                os.mkfifo("%03d" % i)
        result = pack(client, guest.work).result
        assert result["error_count"] == 80 and 10 < len(result["errors"]) < 64, result["error_count"]
        assert all(raw(error["path"]).endswith(b"%03d" % i) for i, error in enumerate(result["errors"]))


main()
