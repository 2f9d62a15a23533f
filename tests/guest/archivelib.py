# SPDX-License-Identifier: LGPL-2.1-or-later
"""Archives for tests, and how they are sent and taken."""

import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile

from guestlib import INPUT, OUTPUT, text

MIB = 1 << 20
STAGING = ".asb-unpack-"


def member(name, data=b"", type=None, target="", mode=0o644, mtime=1_000_000_000, **attributes):
    info = tarfile.TarInfo(name if isinstance(name, str) else name.decode("utf-8", "surrogateescape"))
    info.size = len(data)
    info.mode = mode
    info.mtime = mtime
    info.type = type or tarfile.REGTYPE
    info.linkname = target
    for key, value in attributes.items():
        setattr(info, key, value)
    return info, data


def folder(name, mode=0o755):
    return member(name, type=tarfile.DIRTYPE, mode=mode)


def link(name, target):
    return member(name, type=tarfile.SYMTYPE, target=target, mode=0o777)


def hard_link(name, target):
    return member(name, type=tarfile.LNKTYPE, target=target)


def tar(*members, format=tarfile.PAX_FORMAT):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=format, errors="surrogateescape", encoding="utf-8") as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    """Members are (name, data, mode, with the kind)."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data, mode in members:
            info = zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6))
            info.external_attr = mode << 16
            info.create_system = 3
            info.compress_type = method
            archive.writestr(info, data)
    return file.getvalue()


def zip_of_large_list(list_at):
    """The end of one that has its list there, and says it as a zip of more than 4 GiB does."""
    end = struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, 46, list_at)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, 4, 1)
    return b"PK\3\4" + end + locator + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)


def zip_of_distant_member(member_at):
    """The list says so of where the member is."""
    extra = struct.pack("<HHQ", 1, 8, member_at)
    entry = struct.pack("<4sHHHHHHLLLHHHHHLL", b"PK\1\2", 45, 45, 0, 0, 0, 0, 0, 0, 0, 1, len(extra), 0, 0, 0, 0, 0xffffffff)
    listed = entry + b"f" + extra
    before = b"PK\3\4" + bytes(1000)
    # It begins later than the end says.
    return before + listed + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, len(listed), len(before) - 500, 0)


class Stream(io.RawIOBase):
    """Behind which nobody goes back."""

    def __init__(self):
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.bytes += data
        return len(data)


def zipped_without_size(name, data):
    """The member says nowhere how large it is."""
    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    size_at = stream.bytes.rindex(b"PK\1\2") + 24
    stream.bytes[size_at:size_at + 4] = bytes(4)
    return bytes(stream.bytes)


def start_unpack(client, path, record=None, **args):
    return client.start("file.unpack", {"path": text(path), **args}, record=record)


def unpack(client, path, data, record=None, piece=None, **args):
    call = start_unpack(client, path, record=record, **args)
    for start in range(0, len(data), piece or len(data) or 1):
        client.write(call, data[start:start + (piece or len(data))])
    if call.reply is None:
        client.write(call, fin=True)
    return client.wait(call)


def pack(client, path, record=None, **args):
    return client.run("file.pack", {"path": text(path), **args}, channels=[OUTPUT], record=record)


def packed(call):
    """The members of what came: name → TarInfo, and the archive."""
    assert call.result, call.reply
    archive = tarfile.open(fileobj=io.BytesIO(bytes(call.output[OUTPUT])), errors="surrogateescape", encoding="utf-8")
    return {info.name: info for info in archive.getmembers()}, archive


def tree(path):
    """Everything below a folder: relative path → what it is."""
    found = {}
    for root, folders, files in os.walk(path):
        for name in folders + files:
            whole = os.path.join(root, name)
            status = os.lstat(whole)
            if stat.S_ISLNK(status.st_mode):
                value = "-> " + os.readlink(whole)
            elif stat.S_ISDIR(status.st_mode):
                value = "folder"
            else:
                with open(whole, "rb") as file:
                    value = file.read()
            found[os.path.relpath(whole, path)] = value
    return found
