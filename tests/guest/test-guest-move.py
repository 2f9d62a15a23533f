#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""file.move from one file system to another (docs/guest-protocol.md §4.2)."""

import os
import shutil
import stat
import tempfile

from guestlib import *


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Elsewhere:
    """A folder on another file system than the guest's."""

    def __init__(self, guest):
        if not os.access("/dev/shm", os.W_OK) or os.stat("/dev/shm").st_dev == os.stat(guest.work).st_dev:
            raise Skip("there is one file system only")

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="asb-guest-test-", dir="/dev/shm")
        return self.path

    def __exit__(self, *exception):
        shutil.rmtree(self.path)


def move(client, source, target, **args):
    return client.run("file.move", {"from": text(source), "to": text(target), **args})


def test_files():
    with Guest() as guest, Elsewhere(guest) as folder:
        client = guest.connect()
        path, target = write(guest.in_work("f"), b"x" * 300000), os.path.join(folder, "g")
        os.chmod(path, 0o751)
        os.utime(path, ns=(1, 1000000000123456789))
        assert move(client, path, target).reply == {"result": {}}
        status = os.stat(target)
        assert read(target) == b"x" * 300000 and stat.S_IMODE(status.st_mode) == 0o751 and not os.path.exists(path)
        assert status.st_mtime_ns == 1000000000123456789
        if os.getuid() == 0:
            os.chown(target, 54321, 54322)
            os.chmod(target, 0o4755)
        assert move(client, target, path).reply == {"result": {}}
        if os.getuid() == 0:
            status = os.stat(path)
            assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (54321, 54322, 0o4755)


def test_mode_of_another_owner():
    """Where the owner cannot stay, set-user-ID would be another user's."""
    if os.getuid() != 0:
        raise Skip("only root can have files of others")
    with Guest(listen=False) as guest, Elsewhere(guest) as folder:
        for path in (guest.directory, guest.work, folder):
            os.chmod(path, 0o777)
        guest.start(preexec_fn=lambda: (os.setgid(54323), os.setuid(54323)))
        os.chmod(guest.path, 0o777)
        path, target = write(guest.in_work("f"), b"x"), os.path.join(folder, "g")
        os.chown(path, 54321, 54321)
        os.chmod(path, 0o6755)
        assert move(guest.connect(), path, target).reply == {"result": {}}
        status = os.stat(target)
        assert (status.st_uid, oct(status.st_mode & 0o7777)) == (54323, oct(0o755)), status


def test_holes_stay_holes():
    """A file that takes no room does not fill the other file system."""
    with Guest() as guest, Elsewhere(guest) as folder:
        client = guest.connect()
        path, target = write(guest.in_work("f"), b"begin"), os.path.join(folder, "g")
        with open(path, "r+b") as file:
            file.seek(1 << 30)
            file.write(b"middle")
        os.truncate(path, 1 << 31)
        assert move(client, path, target).reply == {"result": {}}
        status = os.stat(target)
        assert status.st_size == 1 << 31 and status.st_blocks * 512 < 1 << 20, status
        with open(target, "rb") as file:
            assert file.read(5) == b"begin"
            file.seek((1 << 30) - 1)
            assert file.read(8) == b"\0middle\0"
        os.truncate(target, 0)
        assert move(client, target, path).reply == {"result": {}}
        assert read(path) == b"" and os.listdir(folder) == []


def test_what_is_there():
    with Guest() as guest, Elsewhere(guest) as folder:
        client = guest.connect()
        path, target = write(guest.in_work("f"), b"new"), write(os.path.join(folder, "g"), b"old")
        assert move(client, path, target).error["code"] == "already_exists"
        assert read(path) == b"new" and read(target) == b"old"
        assert move(client, path, target, overwrite=True).reply == {"result": {}}
        assert read(target) == b"new" and os.listdir(folder) == ["g"] and os.listdir(guest.work) == []


def test_refused():
    with Guest() as guest, Elsewhere(guest) as folder:
        client = guest.connect()
        os.mkdir(guest.in_work("d"))
        os.symlink("d", guest.in_work("link"))
        os.mkfifo(guest.in_work("fifo"))
        write(guest.in_work("f"), b"f")
        for name, target, code in [("d", "new", "not_regular_file"), ("link", "new", "not_regular_file"), ("fifo", "new", "not_regular_file"),
                                   ("f", "none/new", "file_not_found"), ("none", "new", "file_not_found")]:
            call = move(client, guest.in_work(name), os.path.join(folder, target))
            assert call.error["code"] == code, (name, call.reply)
        assert os.listdir(folder) == [] and sorted(os.listdir(guest.work)) == ["d", "f", "fifo", "link"]


main()
