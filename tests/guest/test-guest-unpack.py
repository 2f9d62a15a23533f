#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.unpack (docs/guest-protocol.md §4.2): what comes out of an archive, and that nothing does of a bad one."""

import ctypes
import fcntl
import hashlib
import shutil
import signal
import struct
import subprocess
import time
import zlib

from archivelib import *
from guestlib import *
from treelib import guest_of_nobody

USUAL = [folder("d", 0o750), member("d/a", b"one", mode=0o640), member("b", b"two\n", mode=0o755), link("l", "d/a"), link("d/up", "../b"), hard_link("h", "d/a"),
         member("deep/down/c", b""), folder("empty", 0o500)]


def assert_nothing(guest):
    assert os.listdir(guest.work) == [], os.listdir(guest.work)


def assert_usual(path):
    assert tree(path) == {"d": "folder", "d/a": b"one", "b": b"two\n", "l": "-> d/a", "d/up": "-> ../b", "h": b"one", "deep": "folder", "deep/down": "folder",
                          "deep/down/c": b"", "empty": "folder"}
    modes = {name: stat.S_IMODE(os.lstat(os.path.join(path, name)).st_mode) for name in ("d", "d/a", "b", "empty", "deep")}
    assert modes == {"d": 0o750, "d/a": 0o640, "b": 0o755, "empty": 0o500, "deep": 0o755}, modes
    assert os.path.samefile(os.path.join(path, "h"), os.path.join(path, "d/a"))
    assert os.lstat(os.path.join(path, "d")).st_mtime == os.lstat(os.path.join(path, "d/a")).st_mtime == 1_000_000_000


def test_kinds_of_tar():
    with Guest() as guest:
        client = guest.connect()
        for format in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
            data = tar(*USUAL, format=format)
            for name, sent in (("tar", data), ("tar.gz", gzip.compress(data)), ("tar.gz", gzip.compress(data[:700]) + gzip.compress(data[700:]) + b"\0" * 100)):
                target = guest.in_work("new/folder")
                result = unpack(client, target, sent).result
                assert_usual(target)
                assert result == {"format": name, "members": 8, "files": 3, "directories": 2, "links": 3, "bytes": 7, "archive_bytes": len(sent), "replaced": 0,
                                  "skipped": 0}, result
                shutil.rmtree(guest.in_work("new"))
        # In pieces of any size.
        small = tar(member("a", b"x"))
        assert unpack(client, guest.in_work("s"), small, piece=1000).result and unpack(client, guest.in_work("t"), gzip.compress(small), piece=1).result
        assert tree(guest.in_work("s")) == tree(guest.in_work("t")) == {"a": b"x"}
        assert [name for name in os.listdir(guest.work) if name.startswith(STAGING)] == []


def test_zip():
    with Guest() as guest:
        client = guest.connect()
        members = [("d/", b"", stat.S_IFDIR | 0o700), ("d/tool", b"#!" * 1000, stat.S_IFREG | 0o755), ("l", b"d/tool", stat.S_IFLNK | 0o777),
                   ("\u00e4.txt", b"text", stat.S_IFREG | 0o600)]
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            target = guest.in_work("z%d" % method)
            result = unpack(client, target, zipped(*members, method=method)).result
            assert result["format"] == "zip" and result["files"] == 2 and result["links"] == 1, result
            assert tree(target) == {"d": "folder", "d/tool": b"#!" * 1000, "l": "-> d/tool", "\u00e4.txt": b"text"}
            assert stat.S_IMODE(os.stat(os.path.join(target, "d/tool")).st_mode) == 0o755
        for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            error = unpack(client, guest.in_work("no"), zipped(*members, method=method)).error
            assert error["code"] == "invalid_argument" and "deflate" in error["message"], error
        # Without a list of contents nothing is sure.
        whole = zipped(*members)
        for cut in (len(whole) - 1, len(whole) - 30, len(whole) // 2, 40, 5):
            assert unpack(client, guest.in_work("no"), whole[:cut]).error["code"] == "archive_damaged", cut
        damaged = bytearray(zipped(("a", b"stored text", stat.S_IFREG | 0o644), method=zipfile.ZIP_STORED))
        damaged[damaged.index(b"stored")] ^= 1
        error = unpack(client, guest.in_work("no"), bytes(damaged)).error
        assert error["code"] == "archive_damaged" and "CRC" in error["message"], error
        assert not os.path.lexists(guest.in_work("no"))


def test_empty():
    with Guest() as guest:
        client = guest.connect()
        for i, data in enumerate((tar(), gzip.compress(tar()), zipped(), b"\0" * 1024)):
            result = unpack(client, guest.in_work("e%d" % i), data).result
            assert result and result["members"] == 0 and os.listdir(guest.in_work("e%d" % i)) == [], (i, result)
        assert unpack(client, guest.in_work("no"), b"").error["code"] == "archive_damaged"
        assert not os.path.lexists(guest.in_work("no"))


def test_names_are_bytes():
    names = [b"new\nline", b"\xff\xfe\x01", "\u00fc".encode(), "u\u0308".encode(), b"-rf", b"back\\slash", b" ", b"...", b"x" * 255, b"/".join([b"y" * 200] * 15), b"c" * 101]
    with Guest() as guest:
        client = guest.connect()
        for format in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
            target = guest.in_work("f%d" % format)
            assert unpack(client, target, tar(*[member(name, name) for name in names], format=format)).result["files"] == len(names)
            for name in names:
                with open(os.path.join(os.fsencode(target), name), "rb") as file:
                    assert file.read() == name
        # In a zip, too; but "\\" is "/" there, where a name has none of that.
        target = guest.in_work("zip")
        told = [name for name in names if b"\xff" not in name]
        assert unpack(client, target, zipped(*[(name.decode(), name, stat.S_IFREG | 0o644) for name in told])).result
        for name in told:
            with open(os.path.join(os.fsencode(target), name.replace(b"\\", b"/")), "rb") as file:
                assert file.read() == name
        assert unpack(client, guest.in_work("no"), zipped(("..\\x", b"bad", stat.S_IFREG | 0o644))).error["code"] == "upload_archive_security_error"
        # "." and what is empty between slashes means nothing.
        assert unpack(client, guest.in_work("dots"), tar(folder("./"), member("./a//./b", b"x"))).result
        assert tree(guest.in_work("dots")) == {"a": "folder", "a/b": b"x"}


def refused(guest, client, *members, code="upload_archive_security_error", **args):
    """Of what is refused there is nothing, not even what came before."""
    data = tar(member("before", b"x" * 100), *members, member("after", b"x"))
    errors = []
    for target in (guest.in_work("new"), guest.work):
        error = unpack(client, target, data, **args).error
        assert error["code"] == code, error
        assert_nothing(guest)
        errors.append(error)
    return errors[0]


def test_what_leads_out():
    with Guest() as guest:
        client = guest.connect()
        for name in ("/etc/x", "../x", "a/../../x", "a/../b", "..", "/"):
            error = refused(guest, client, member(name, b"bad"))
            assert error["details"]["path"] == name, error
        for target in ("/etc/passwd", "../../x", "..", "a/../../x", "x/../y", "./../x"):
            error = refused(guest, client, link("leak", target))
            assert error["details"]["path"] == "leak" and "leak" in error["message"], error
        error = refused(guest, client, folder("d"), link("d/up", "../../x"))
        assert error["details"]["path"] == "d/up"
        for target in ("/etc/hostname", "../x", "nothing", "d", "l", "leak"):
            error = refused(guest, client, folder("d"), link("l", "d"), hard_link("leak", target))
            assert error["details"]["path"] == "leak", error
        # Nothing is written through a link, not even of the archive's own.
        refused(guest, client, folder("d"), link("l", "d"), member("l/x", b"bad"))
        refused(guest, client, link("l", "before"), member("l/x", b"bad"))
        refused(guest, client, member("before/x", b"bad"))
        refused(guest, client, folder("before"))
        refused(guest, client, folder("d"), member("d", b"a file where a folder was"))
        refused(guest, client, member(STAGING + "x", b""))


def test_what_is_no_file():
    with Guest() as guest:
        client = guest.connect()
        for type, word in ((tarfile.CHRTYPE, "device"), (tarfile.BLKTYPE, "device"), (tarfile.FIFOTYPE, "FIFO")):
            error = refused(guest, client, member("special", type=type, devmajor=1, devminor=3))
            assert word in error["message"] and error["details"]["path"] == "special", error
        for mode in (0o4755, 0o2755):
            assert "set-" in refused(guest, client, member("tool", b"x", mode=mode))["message"]
            refused(guest, client, folder("tools", mode=mode))
        # Sticky means nothing here, and goes.
        assert unpack(client, guest.in_work("t"), tar(folder("tmp", 0o1777))).result
        assert stat.S_IMODE(os.stat(guest.in_work("t/tmp")).st_mode) == 0o777


def test_twice_the_same_name():
    with Guest() as guest:
        client = guest.connect()
        data = tar(member("a", b"first"), link("l", "a"), member("a", b"second"), member("l", b"no link any more"), folder("d", 0o700), folder("d", 0o755))
        assert unpack(client, guest.in_work("new"), data).result
        assert tree(guest.in_work("new")) == {"a": b"second", "l": b"no link any more", "d": "folder"}
        assert stat.S_IMODE(os.stat(guest.in_work("new/d")).st_mode) == 0o755


def make_old(guest):
    for name in os.listdir(guest.work):
        shutil.rmtree(guest.in_work(name)) if os.path.isdir(guest.in_work(name)) else os.unlink(guest.in_work(name))
    os.makedirs(guest.in_work("d/kept"), mode=0o711)
    os.chmod(guest.in_work("d"), 0o711)
    for name in ("a", "d/b", "d/kept/c"):
        with open(guest.in_work(name), "w") as file:
            file.write("old")


OLD = {"a": b"old", "d": "folder", "d/b": b"old", "d/kept": "folder", "d/kept/c": b"old"}
NEW = tar(member("a", b"new", mode=0o600), folder("d", 0o777), member("d/b", b"new"), member("d/e/f", b"new"), member("g", b"new"))


def test_conflicts():
    with Guest() as guest:
        client = guest.connect()
        make_old(guest)
        for args in ({}, {"conflict": "error"}):
            error = unpack(client, guest.work, NEW, **args).error
            assert error["code"] == "already_exists" and error["details"]["path"] == "a", error
            assert tree(guest.work) == OLD
        result = unpack(client, guest.work, NEW, conflict="skip").result
        assert (result["replaced"], result["skipped"]) == (0, 2), result
        assert tree(guest.work) == {**OLD, "d/e": "folder", "d/e/f": b"new", "g": b"new"}
        make_old(guest)
        result = unpack(client, guest.work, NEW, conflict="overwrite").result
        assert (result["replaced"], result["skipped"]) == (2, 0), result
        assert tree(guest.work) == {**OLD, "a": b"new", "d/b": b"new", "d/e": "folder", "d/e/f": b"new", "g": b"new"}
        assert stat.S_IMODE(os.stat(guest.in_work("d")).st_mode) == 0o711 and stat.S_IMODE(os.stat(guest.in_work("a")).st_mode) == 0o600
        assert unpack(client, guest.work, NEW, conflict="if_newer").error["code"] == "invalid_argument"
        # Where there is nothing in the way there is no conflict.
        assert unpack(client, guest.work, tar(member("d/kept/new", b"x"))).result and OLD.items() <= {**tree(guest.work), "a": b"old", "d/b": b"old"}.items()


def test_folders_and_files_in_each_others_way():
    file_for_folder = tar(member("z", b"x"), member("d", b"a file"))
    folder_for_file = tar(member("z", b"x"), member("a/x", b"in a folder"), member("a/y/z", b"in another"), folder("a/empty"))
    with Guest() as guest:
        client = guest.connect()
        for data, overwriting, skipped in ((file_for_folder, "is_directory", 1), (folder_for_file, "not_directory", 2)):
            for conflict, code in (("error", "already_exists"), ("overwrite", overwriting)):
                make_old(guest)
                error = unpack(client, guest.work, data, conflict=conflict).error
                assert error["code"] == code, error
                assert tree(guest.work) == OLD
            assert unpack(client, guest.work, data, conflict="skip").result["skipped"] == skipped
            assert tree(guest.work) == {**OLD, "z": b"x"}


def test_links_that_are_there_are_not_followed():
    with Guest() as guest, tempfile_directory() as outside:
        client = guest.connect()
        os.symlink(outside, guest.in_work("l"))
        for conflict, code in (("error", "already_exists"), ("overwrite", "not_directory")):
            assert unpack(client, guest.work, tar(member("l/x", b"bad")), conflict=conflict).error["code"] == code
        assert unpack(client, guest.work, tar(member("l/x", b"bad")), conflict="skip").result["skipped"] == 1
        assert os.listdir(outside) == []
        # A link that is replaced is not written through.
        with open(os.path.join(outside, "f"), "w") as file:
            file.write("old")
        os.symlink(os.path.join(outside, "f"), guest.in_work("f"))
        assert unpack(client, guest.work, tar(member("f", b"new")), conflict="overwrite").result["replaced"] == 1
        assert tree(outside) == {"f": b"old"} and tree(guest.work)["f"] == b"new"
        # The folder that was asked for may itself be reached by a link.
        assert unpack(client, guest.in_work("l"), tar(member("x", b"good"))).result and tree(outside)["x"] == b"good"


def tempfile_directory():
    import tempfile

    return tempfile.TemporaryDirectory(prefix="asb-outside-")


def test_where_it_goes():
    with Guest() as guest:
        client = guest.connect()
        data = tar(member("a", b"x"))
        assert unpack(client, guest.in_work("n/o"), data, make_parents=False).error["code"] == "file_not_found"
        with open(guest.in_work("file"), "w"):
            pass
        assert unpack(client, guest.in_work("file"), data).error["code"] == "not_directory"
        assert unpack(client, guest.in_work("file/x"), data).error["code"] == "not_directory"
        for path in (guest.history, guest.history + "/sub"):
            assert unpack(client, path, data).error["code"] == "path_protected"
        # Nor from above.
        os.makedirs(guest.history, exist_ok=True)
        name = os.path.basename(guest.history)
        error = unpack(client, os.path.dirname(guest.history), tar(member(name + "/new", b"x")), conflict="overwrite").error
        assert error["code"] == "path_protected" and not os.path.exists(guest.history + "/new"), error


def test_bounds():
    with Guest() as guest:
        client = guest.connect()
        some = [member("f%d" % i, b"x" * 100) for i in range(8)]
        for limit, bad, good in (("max_members", 9, 10), ("max_bytes", 801, 802), ("max_file_bytes", 99, 100)):
            error = refused(guest, client, *some, code="too_large", **{limit: bad})
            assert error["details"]["limit"] == limit and limit in error["message"], error
        assert unpack(client, guest.in_work("new"), tar(*some), max_members=8, max_bytes=800, max_file_bytes=100).result
        for limit in ("max_members", "max_bytes", "max_file_bytes", "max_ratio"):
            for value in (0, -1, "x", 1.5):
                assert unpack(client, guest.in_work("no"), tar(), **{limit: value}).error["code"] == "invalid_argument"
        # What nobody said is bounded, too: 128 MiB a file, 512 MiB, 10,000 members.
        for size, limit in ((129 * MIB, "max_file_bytes"), (100 * MIB, "max_bytes")):
            sparse = tar(*[member("s%d" % i) for i in range(0)], *[sparse_member("s%d" % i, size) for i in range(6)])
            error = unpack(client, guest.in_work("no"), sparse).error
            assert error["code"] == "too_large" and error["details"]["limit"] == limit, error
        many = tar(*[member("m%d" % i) for i in range(10001)])
        assert unpack(client, guest.in_work("no"), many).error["details"]["limit"] == "max_members"
        assert not os.path.exists(guest.in_work("no"))


def test_bounds_of_zips():
    """Where nothing says how much will come, and of the zip itself, which is kept until all of it is there."""
    with Guest() as guest:
        client = guest.connect()
        for size in (3000, 3 * MIB):
            error = unpack(client, guest.in_work("new"), zipped_without_size("f", b"x" * size)).error
            assert error["code"] == "archive_damaged" and "\n" not in error["message"], error
        # A list, or a member, that is where nothing can be.
        for far in (1 << 20, (1 << 63) - 1, (1 << 64) - 1):
            for data in (zip_of_large_list(far), zip_of_distant_member(far)):
                assert unpack(client, guest.in_work("new"), data).error["code"] == "archive_damaged", far
        # So much may be names.
        error = unpack(client, guest.in_work("new"), b"PK\3\4" + bytes(65 * MIB), max_bytes=1000).error
        assert error["code"] == "too_large" and error["details"]["limit"] == "max_bytes", error
        assert os.listdir(guest.work) == []


def sparse_member(name, size, *pieces):
    """As GNU tar 1.29 and later write it: the map stands before the data."""
    lines = [len(pieces) + (not pieces)] + [number for offset, data in pieces for number in (offset, len(data))] + ([] if pieces else [size, 0])
    map = "".join("%d\n" % n for n in lines).encode()
    body = map + b"\0" * (-len(map) % 512) + b"".join(data for _, data in pieces)
    headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": name, "GNU.sparse.realsize": str(size)}
    return member("GNUSparseFile.0/" + name, body, pax_headers=headers)


def test_holes():
    with Guest() as guest:
        client = guest.connect()
        data = tar(sparse_member("s", 100 * MIB, (0, b"begin"), (50 * MIB, b"middle" * 1000)), sparse_member("all", 64 * MIB))
        result = unpack(client, guest.in_work("new"), data).result
        assert result["bytes"] == 164 * MIB, result
        for name, size in (("s", 100 * MIB), ("all", 64 * MIB)):
            status = os.stat(guest.in_work("new/" + name))
            assert status.st_size == size and status.st_blocks * 512 < MIB, status
        with open(guest.in_work("new/s"), "rb") as file:
            assert file.read(10) == b"begin\0\0\0\0\0"
            file.seek(50 * MIB)
            assert file.read(6001) == b"middle" * 1000 + b"\0"


def test_holes_larger_than_anything():
    """What is in a hole is never read, but hashed where the archive says what it comes to: that ends when nobody wants it."""
    info, data = sparse_member("s", 1 << 40)
    info.pax_headers["SCHILY.xattr.user.asb.sha256"] = "0" * 64
    whole = tar((info, data))
    bounds = {"max_bytes": 1 << 41, "max_file_bytes": 1 << 41}
    with Guest() as guest:
        client = guest.connect()
        call = start_unpack(client, guest.in_work("new"), **bounds)
        client.write(call, whole)
        while not staging_in(guest.work):
            client.command(["true"])
        client.send(CANCEL, call=call.number)
        assert client.wait(call).error["code"] == "cancelled"
        assert_nothing(guest)
        # Nor does it outlive the guest.
        call = start_unpack(client, guest.in_work("new"), **bounds)
        client.write(call, whole, fin=True)
        while not staging_in(guest.work):
            client.command(["true"])
        pidfds = [os.pidfd_open(int(pid)) for pid in os.listdir("/proc") if pid.isdigit() and is_worker(guest, pid)]
        assert pidfds
        client.close()
        guest.stop()
        for pidfd in pidfds:
            wait_for_end(pidfd)


def measured(guest, client, data, **args):
    started = time.monotonic()
    call = unpack(client, guest.in_work("bomb"), data, **args)
    took = time.monotonic() - started
    assert not os.path.exists(guest.in_work("bomb"))
    return call.error, took


def bomb_of_zip(size, claimed=None):
    """One member that inflates to size zeros."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = bytearray()
    crc = 0
    block = b"\0" * MIB
    for _ in range(size // MIB):
        body += packer.compress(block)
        crc = zlib.crc32(block, crc)
    body += packer.flush()
    claimed = size if claimed is None else claimed
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, crc, len(body), claimed, 1, 0)
    local = b"PK\3\4" + common + b"b" + body
    central = b"PK\1\2" + struct.pack("<H", 0x314) + common + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, 0) + b"b"
    return local + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def bomb_of_zeros(n_files, size):
    """A zip whose members all lie on top of one another, each of its own claims."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = b"\0" * size
    body = packer.compress(block) + packer.flush()
    crc = zlib.crc32(block)
    locals, centrals = b"", b""
    for i in range(n_files):
        name = b"%06d" % i
        common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, crc, len(body), size, len(name), 0)
        centrals += b"PK\1\2" + struct.pack("<H", 0x314) + common + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, len(locals)) + name
        locals += b"PK\3\4" + common + name + body
    return locals + centrals + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n_files, n_files, len(centrals), len(locals), 0)


def memory_of(guest):
    """The most that a process of the guest has had, in KiB."""
    most = 0
    for pid in os.listdir("/proc"):
        try:
            with open("/proc/%s/status" % pid) as file:
                status = dict(line.split(":", 1) for line in file)
        except (OSError, ValueError):
            continue
        if status.get("PPid", "").strip() == str(guest.process.pid):
            most = max(most, int(status["VmHWM"].split()[0]))
    return most


def check_memory(guest):
    """A checker of memory keeps what was freed."""
    assert checker.is_used() or memory_of(guest) < 48 * 1024, memory_of(guest)


def test_bombs():
    with Guest() as guest:
        client = guest.connect()
        tar_bomb = io.BytesIO()
        with gzip.GzipFile(fileobj=tar_bomb, mode="wb", compresslevel=9) as file:
            for i in range(60):
                info, _ = member("f%d" % i)
                info.size = 4 * MIB
                file.write(info.tobuf() + b"\0" * (4 * MIB))
        # Headers, which are no content, in members of gzip of which none is large.
        header = tar(member("a", pax_headers={"comment": "c" * (MIB // 2)})).rstrip(b"\0")
        header += b"\0" * (-len(header) % 512)
        headers = gzip.compress(header * 40) * 5 + gzip.compress(b"\0" * 1024)
        big = bomb_of_zip(129 * MIB)
        for data, limit in ((big, "max_file_bytes"), (bomb_of_zeros(120, 4 * MIB), "max_ratio"), (tar_bomb.getvalue(), "max_ratio"), (headers, "max_ratio")):
            error, took = measured(guest, client, data)
            assert error["code"] == "too_large" and error["details"]["limit"] == limit, error
            assert took < PATIENCE, took
        # One that lies: more comes out than it says.
        error, took = measured(guest, client, bomb_of_zip(64 * MIB, claimed=1000))
        assert error["code"] in ("archive_damaged", "too_large") and took < PATIENCE, (error, took)
        check_memory(guest)


def list_of_zip(n):
    """Nothing but a list of contents, of members that all are the first."""
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x21, 0, 0, 0, 1, 0) + b"a"
    central = (b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 0x314, 20, 0, 0, 0, 0x21, 0, 0, 0, 1, 0, 0, 0, 0, 0o100644 << 16, 0) + b"a") * n
    return local + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n & 0xffff, n & 0xffff, len(central), len(local), 0)


def test_lists_that_fill_memory():
    """What libarchive keeps before it tells of anything."""
    with Guest() as guest:
        client = guest.connect()
        error = unpack(client, guest.in_work("no"), list_of_zip(1_000_000)).error
        assert error["code"] == "too_large" and error["details"]["limit"] == "max_members", error
        # A map of holes: each takes four bytes here and ten times as much in memory.
        map = b"9999999\n" + b"0\n0\n" * (8 << 20)
        headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "s", "GNU.sparse.realsize": "10"}
        for data in (tar(member("GNUSparseFile.0/s", map, pax_headers=headers)), gzip.compress(tar(member("GNUSparseFile.0/s", map, pax_headers=headers)))):
            error = unpack(client, guest.in_work("no"), data).error
            assert error["code"] == "too_large", error
        check_memory(guest)
        # What a link says that it holds is read, not kept.
        info, _ = hard_link("h", "a")
        info.size = 20 * MIB
        assert unpack(client, guest.in_work("new"), tar(member("a", b"x"))[:1024] + info.tobuf() + b"y" * info.size + b"\0" * 1024).reply


def test_archives_in_archives_stay_closed():
    with Guest() as guest:
        client = guest.connect()
        inner = zipped(*[("x%d" % i, b"\0" * 1000, stat.S_IFREG | 0o644) for i in range(10)])
        outer = zipped(*[("z%d.zip" % i, inner, stat.S_IFREG | 0o644) for i in range(20)])
        assert unpack(client, guest.in_work("z"), outer).result["files"] == 20
        with open(guest.in_work("z/z0.zip"), "rb") as file:
            assert file.read() == inner
        # gzip in gzip is no tar.
        assert unpack(client, guest.in_work("no"), gzip.compress(gzip.compress(tar(member("a", b"x"))))).error["code"] == "archive_damaged"


def test_cut_and_damaged():
    with Guest() as guest:
        client = guest.connect()
        whole = tar(member("a", bytes(range(256)) * 8), member("b", b"x" * 600), format=tarfile.USTAR_FORMAT)
        end = len(whole.rstrip(b"\0")) // 512 * 512 + 512
        for cut in (1, 3, 4, 100, 511, 512, 700, end - 512, end, end + 511, end + 512, end + 1023):
            error = unpack(client, guest.in_work("no"), whole[:cut]).error
            assert error["code"] == "archive_damaged", (cut, error)
        assert unpack(client, guest.in_work("good"), whole[:end + 1024]).result
        packed = gzip.compress(whole, mtime=0)
        for cut in (5, 20, len(packed) // 2, len(packed) - 9, len(packed) - 1):
            assert unpack(client, guest.in_work("no"), packed[:cut]).error["code"] == "archive_damaged", cut
        # gzip has a checksum, which is looked at.
        for at in (len(packed) - 8, len(packed) - 2):
            changed = bytearray(packed)
            changed[at] ^= 0x40
            assert unpack(client, guest.in_work("no"), bytes(changed)).error["code"] == "archive_damaged", at
        header = bytearray(whole)
        header[10] ^= 1
        for data in (bytes(header), b"no archive at all" * 100, whole + b"more" * 10, gzip.compress(whole + b"more"), b"\x1f\x8b" + b"x" * 100, b"PK\3\4" + b"x" * 1000, b"7z\xbc\xaf\x27\x1c" + b"\0" * 100):
            error = unpack(client, guest.in_work("no"), data).error
            assert error["code"] == "archive_damaged" and error["message"], error
        assert os.listdir(guest.work) == ["good"]


def test_cancelled_in_the_middle():
    with Guest() as guest:
        client = guest.connect()
        data = tar(*[member("f%03d" % i, b"x" * 5000) for i in range(200)])
        for target in (guest.in_work("new"), guest.work):
            call = start_unpack(client, target)
            client.write(call, data[:300_000])
            client.until(lambda: call.input_credit > 0)
            client.send(CANCEL, call=call.number)
            assert client.wait(call).error["code"] == "cancelled"
            assert_nothing(guest)


def staging_in(path):
    return [name for name in os.listdir(path) if name.startswith(STAGING)]


def test_client_gone_in_the_middle():
    with Guest() as guest:
        client = guest.connect()
        other = guest.connect()
        data = tar(*[member("f%03d" % i, b"x" * 5000) for i in range(200)])
        call = start_unpack(client, guest.work)
        client.write(call, data[:300_000])
        client.until(lambda: call.input_credit > 0)
        assert staging_in(guest.work)
        watch = other.start("file.watch", {"path": guest.work})
        other.wait_event(watch)
        client.close()
        other.until(lambda: not staging_in(guest.work))
        assert_nothing(guest)


def test_worker_killed_in_the_middle():
    with Guest() as guest:
        client = guest.connect()
        data = tar(*[member("f%03d" % i, b"x" * 5000) for i in range(200)])
        call = start_unpack(client, guest.work)
        client.write(call, data[:300_000])
        client.until(lambda: call.input_credit > 0)
        (left,) = staging_in(guest.work)
        for pid in os.listdir("/proc"):
            if pid.isdigit() and is_worker(guest, pid):
                worker = os.pidfd_open(int(pid))
                signal.pidfd_send_signal(worker, signal.SIGKILL)
                # The guest may hear of it before all of its files are closed, the lock among them.
                wait_for_end(worker)
        assert client.wait(call).error["code"] == "internal_error"
        assert staging_in(guest.work) == [left] and os.listdir(guest.work) == [left]
        # What it left behind goes when the next comes, and nobody else's.
        os.mkdir(guest.in_work(STAGING + "locked"))
        lock = os.open(guest.in_work(STAGING + "locked"), os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert unpack(client, guest.work, tar(member("a", b"x"))).result
        assert sorted(os.listdir(guest.work)) == [STAGING + "locked", "a"]
        os.close(lock)


N_REPLACED = 500


def begin_to_replace(guest, client):
    """Many files are replaced by an archive, of which the first has just been put in place."""
    names = ["f%04d" % i for i in range(N_REPLACED)]
    for name in names:
        with open(guest.in_work(name), "w") as file:
            file.write("old " + name)
    watching = guest.connect()
    watch = watching.start("file.watch", {"path": guest.in_work(names[0])})
    watching.wait_event(watch)
    call = start_unpack(client, guest.work, conflict="overwrite")
    client.write(call, tar(*[member(name, b"new " + name.encode()) for name in names]), fin=True)
    watching.until(lambda: watch.stdout)
    return names, call


def test_cancelled_while_it_is_put_in_place():
    """Then it is too late."""
    with Guest() as guest:
        client = guest.connect()
        names, call = begin_to_replace(guest, client)
        client.send(CANCEL, call=call.number)
        assert client.wait(call).result["replaced"] == N_REPLACED
        assert tree(guest.work) == {name: b"new " + name.encode() for name in names}


def test_worker_killed_while_it_puts_in_place():
    """Nothing is lost then, of what was there and of what was to come; and doing it again makes a whole of it."""
    with Guest() as guest:
        client = guest.connect()
        names, call = begin_to_replace(guest, client)
        for pid in os.listdir("/proc"):
            if pid.isdigit() and is_worker(guest, pid):
                os.kill(int(pid), signal.SIGKILL)
        client.wait(call)
        # Whoever comes next to the same place leaves it.
        assert unpack(client, guest.work, tar(member("other", b"x"))).result
        wanted = {name: b"new " + name.encode() for name in names}
        if not wanted.items() <= tree(guest.work).items():
            (kept,) = [name for name in os.listdir(guest.work) if name.startswith(".asb-kept-")]
            # One may just have had another name.
            found = {*tree(guest.work).values(), *tree(guest.in_work(kept)).values()}
            assert all(b"old " + name.encode() in found and b"new " + name.encode() in found for name in names)
        data = tar(*[member(name, b"new " + name.encode()) for name in names])
        assert unpack(client, guest.work, data, conflict="overwrite").result["replaced"] == N_REPLACED
        assert wanted.items() <= tree(guest.work).items()


def test_what_a_killed_one_left_is_named():
    """It stays, and who comes next is told where it is: it may be why a name is taken."""
    with Guest() as guest:
        client = guest.connect()
        for name in (".asb-kept-2", ".asb-kept-1"):
            os.mkdir(guest.in_work(name))
        with open(guest.in_work(".asb-kept-1/f"), "w") as file:
            file.write("replaced")
        with open(guest.in_work(".asb-kept-in-use"), "w"):
            pass
        data = tar(member("f", b"new"))
        assert sorted(unpack(client, guest.work, data).result["kept"]) == [".asb-kept-1", ".asb-kept-2"]
        error = unpack(client, guest.work, data).error
        assert error["code"] == "already_exists" and guest.in_work(".asb-kept-") in error["message"], error
        assert tree(guest.in_work(".asb-kept-1")) == {"f": b"replaced"}
        assert "kept" not in unpack(client, guest.in_work(".asb-kept-2"), data).result


def is_worker(guest, pid):
    try:
        with open("/proc/%s/stat" % pid) as file:
            name, rest = file.read().rsplit(")", 1)
    except OSError:
        return False
    return name.endswith("(asb-worker") and rest.split()[1] == str(guest.process.pid)


def test_full_disk():
    if os.getuid() != 0:
        raise Skip("needs root to mount")
    with Guest() as guest:
        mounted = guest.in_work("small")
        os.mkdir(mounted)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "asb-test", mounted], capture_output=True).returncode != 0:
            raise Skip("may not mount")
        try:
            client = guest.connect()
            data = tar(*[member("f%d" % i, os.urandom(200_000)) for i in range(10)])
            for sent in (data, gzip.compress(data), zipped(*[("z%d" % i, os.urandom(200_000), stat.S_IFREG | 0o644) for i in range(10)])):
                for target in (mounted, mounted + "/new"):
                    error = unpack(client, target, sent).error
                    assert error["code"] == "no_space" and error["details"]["errno"] == "ENOSPC", error
                    assert os.listdir(mounted) == []
            assert unpack(client, mounted, tar(member("a", b"x"))).result
        finally:
            subprocess.run(["umount", mounted], check=True)


def fail_to_sync():
    """In the child: a filter of system calls by which syncfs () answers EIO."""
    number = {"x86_64": 306, "aarch64": 267}[os.uname().machine]
    instructions = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050005), (0x06, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, seccomp, filter_mode = 38, 22, 2
    assert libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
    assert libc.prctl(seccomp, filter_mode, ctypes.c_char_p(program), 0, 0) == 0, os.strerror(ctypes.get_errno())


def test_on_the_disk_before_it_is_there():
    """No name stands for what a loss of power would take away: where it cannot be had on the disk, it is not put in place."""
    if os.uname().machine not in ("x86_64", "aarch64"):
        return
    with Guest(listen=False) as guest:
        guest.start(preexec_fn=fail_to_sync)
        client = guest.connect()
        os.mkdir(guest.in_work("there"))
        for name in ("there", "new"):
            error = unpack(client, guest.in_work(name), tar(*USUAL)).error
            assert error["code"] == "io_error" and error["details"]["errno"] == "EIO", error
        assert tree(guest.work) == {"there": "folder"}, tree(guest.work)
        # Where nothing is to be put in place nothing is waited for.
        with open(guest.in_work("there/a"), "w") as file:
            file.write("x")
        for conflict in ("if_changed", "skip"):
            assert unpack(client, guest.in_work("there"), tar(member("a", b"x")), conflict=conflict).result["skipped"] == 1


def test_mounted_in_the_middle():
    if os.getuid() != 0:
        raise Skip("needs root to mount")
    with Guest() as guest:
        mounted = guest.in_work("d/mounted")
        os.makedirs(mounted)
        os.mkdir(guest.in_work("other"))
        for options in (["-t", "tmpfs", "asb-test"], ["--bind", guest.in_work("other")]):
            if subprocess.run(["mount", *options, mounted], capture_output=True).returncode != 0:
                raise Skip("may not mount")
            try:
                client = guest.connect()
                error = unpack(client, guest.work, tar(member("a", b"x"), member("d/b", b"x"), member("d/mounted/c", b"x"))).error
                assert error["code"] == "io_error" and error["details"]["errno"] == "EXDEV", error
                assert set(tree(guest.work)) == {"d", "d/mounted", "other"}
                assert unpack(client, mounted, tar(member("c", b"x"))).result and os.listdir(mounted) == ["c"]
            finally:
                subprocess.run(["umount", mounted], check=True)
            for name in os.listdir(guest.in_work("other")):
                os.unlink(guest.in_work("other/" + name))


def test_what_may_not_be_written():
    with guest_of_nobody() as guest:
        client = guest.connect()
        os.mkdir(guest.in_work("theirs"), mode=0o755)
        with open(guest.in_work("file"), "w") as file:
            file.write("theirs")
        if os.getuid() != 0:
            raise Skip("needs another user")
        assert unpack(client, guest.in_work("theirs"), tar(member("a", b"x"))).error["code"] == "permission_denied"
        error = unpack(client, guest.work, tar(member("a", b"x"), member("theirs/x", b"x"))).error
        assert error["code"] == "permission_denied" and not os.path.exists(guest.in_work("a")), error
        error = unpack(client, guest.work, tar(member("z", b"x"), member("file", b"mine")), conflict="overwrite").error
        assert error["code"] == "permission_denied" and not os.path.exists(guest.in_work("z")), error
        # Folders that cannot be written any more when they are done.
        assert unpack(client, guest.in_work("new"), tar(folder("r", 0o555), member("r/x", b"x"), folder("n", 0), member("n/y", b"y"))).result
        assert unpack(client, guest.work, tar(folder("r", 0o555), member("r/x", b"x"), folder("r/s", 0o500), member("r/s/x", b"x"))).result
        assert stat.S_IMODE(os.stat(guest.in_work("r/s")).st_mode) == 0o500 and stat.S_IMODE(os.stat(guest.in_work("new/n")).st_mode) == 0


def test_deep():
    with Guest() as guest:
        client = guest.connect()
        assert unpack(client, guest.in_work("new"), tar(member("/".join(["d"] * 199 + ["f"]), b"x"))).result
        assert unpack(client, guest.in_work("new"), tar(member("/".join(["d"] * 199 + ["g"]), b"x"))).result
        refused_at = unpack(client, guest.in_work("no"), tar(member("/".join(["d"] * 201), b"x"))).error
        assert refused_at["code"] == "upload_archive_security_error" and "200" in refused_at["message"], refused_at


def test_two_at_once():
    with Guest() as guest:
        clients = [guest.connect() for _ in range(4)]
        calls = [start_unpack(client, guest.in_work("new"), conflict="overwrite") for client in clients]
        data = [tar(*[member("d%d/f%d" % (i, j), b"x" * 100) for j in range(100)], member("same", b"%d" % i)) for i in range(4)]
        for client, call, part in zip(clients, calls, data):
            client.write(call, part, fin=True)
        results = [client.wait(call).reply for client, call in zip(clients, calls)]
        # Of those that found no folder one made it; the others are told so.
        assert all("result" in reply or reply["error"]["code"] == "already_exists" for reply in results) and any("result" in reply for reply in results), results
        for client, part, reply in zip(clients, data, results):
            assert "result" in reply or unpack(client, guest.in_work("new"), part, conflict="overwrite").result
        assert len(tree(guest.in_work("new"))) == 405 and os.listdir(guest.work) == ["new"]


def test_if_changed():
    """What is the same is left as it is, to its inode; what is not, is replaced."""
    with Guest() as guest:
        client = guest.connect()
        big = os.urandom(200000)
        members = [member("same", b"text"), member("big", big), member("other", b"new!"), member("longer", b"xx"), link("l", "same"), link("m", "same"), member("new", b"x")]
        assert unpack(client, guest.work, tar(member("same", b"text"), member("big", big), member("other", b"old!"), member("longer", b"x"), link("l", "same"), link("m", "other"),
                                              member("mine/kept", b"x"))).result
        before = {name: os.lstat(guest.in_work(name)).st_ino for name in ("same", "big", "l")}
        result = unpack(client, guest.work, tar(*members), conflict="if_changed").result
        assert (result["replaced"], result["skipped"], result["files"]) == (3, 3, 5), result
        assert before == {name: os.lstat(guest.in_work(name)).st_ino for name in before}
        assert tree(guest.work) == {"same": b"text", "big": big, "other": b"new!", "longer": b"xx", "l": "-> same", "m": "-> same", "new": b"x", "mine": "folder", "mine/kept": b"x"}
        # The last byte counts, and what is no file of the kind is no file that is the same.
        result = unpack(client, guest.work, tar(member("big", big[:-1] + bytes([big[-1] ^ 1])), member("l", b"same")), conflict="if_changed").result
        assert (result["replaced"], result["skipped"]) == (2, 0), result
        for bad, code in ((member("mine", b"x"), "is_directory"), (member("same/x", b"x"), "not_directory")):
            assert unpack(client, guest.work, tar(bad), conflict="if_changed").error["code"] == code
        # What was found to be the same is there, whatever becomes of the rest.
        assert unpack(client, guest.work, tar(member("same", b"text"), member("zz", b"x"), member("mine", b"x")), conflict="if_changed").error
        assert tree(guest.work)["same"] == b"text" and "zz" not in tree(guest.work)


def hashed(name, data, hash):
    info, data = member(name, data)
    info.pax_headers = {"SCHILY.xattr.user.asb.sha256": hash}
    return info, data


def test_hashes():
    """An archive may say what the bytes of its files come to, and none that come to something else are ever seen."""
    texts = {"empty": b"", "small": b"x", "block": b"x" * 512, "big": os.urandom(300000)}
    with Guest() as guest:
        client = guest.connect()
        good = [hashed(name, text, hashlib.sha256(text).hexdigest()) for name, text in texts.items()]
        assert unpack(client, guest.in_work("good"), tar(*good, member("without", b"x"))).result["files"] == 5
        assert tree(guest.in_work("good")) == {**texts, "without": b"x"}
        for name, text in texts.items():
            bad = tar(*good, hashed("bad", text, hashlib.sha256(text + b"!").hexdigest()))
            error = unpack(client, guest.in_work("no"), bad).error
            assert error["code"] == "upload_checksum_mismatch" and error["details"]["path"] == "bad", error
        for hash in ("", "x", "0" * 63, "0" * 65, "0" * 5000):
            error = unpack(client, guest.in_work("no"), tar(hashed("bad", b"x", hash))).error
            assert error["code"] in ("archive_damaged", "upload_checksum_mismatch"), error
        assert os.listdir(guest.work) == ["good"]


def test_undone():
    """What fails when some of it is in place already is taken out again, and nothing of what was there is lost."""
    if os.getuid() != 0:
        raise Skip("needs another user")
    with guest_of_nobody() as guest:
        client = guest.connect()
        for name in ("b", "d/c", "sticky/f"):
            os.makedirs(os.path.dirname(guest.in_work(name)), exist_ok=True)
            os.chmod(os.path.dirname(guest.in_work(name)), 0o777)
            with open(guest.in_work(name), "w") as file:
                file.write("old " + name)
            os.chmod(guest.in_work(name), 0o666)
        os.symlink("b", guest.in_work("l"))
        before = tree(guest.work)
        # Looking at it tells nothing of who may replace what in there.
        os.chmod(guest.in_work("sticky"), 0o1777)
        members = [member("a", b"new"), member("b", b"new"), member("d/c", b"new"), member("d/new/x", b"new"), member("e/y", b"new"), member("l", b"new"), member("sticky/f", b"new")]
        for conflict in ("overwrite", "if_changed"):
            inode = os.stat(guest.in_work("b")).st_ino
            error = unpack(client, guest.work, tar(*members), conflict=conflict).error
            assert error["code"] == "permission_denied" and "sticky/f" in error["message"] and "incomplete" not in error["details"], error
            assert tree(guest.work) == before, tree(guest.work)
            assert os.stat(guest.in_work("b")).st_ino == inode
        assert unpack(client, guest.work, tar(*members[:-1]), conflict="overwrite").result["replaced"] == 3


main()
