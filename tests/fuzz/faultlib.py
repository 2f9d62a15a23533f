# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests of a guest in a broken world have in common."""

import contextlib
import ctypes
import os
import pathlib
import resource
import sqlite3
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))

from guestlib import *  # noqa: E402

IDENTITY = {"provider_key": "p", "sandbox_id": "s", "sandbox_instance_id": "i"}

# "./dev faults" tries each byte and each limit, a test some of them.
THOROUGH = os.environ.get("ASB_TEST_FAULTS") == "all"

MAX_GROWTH = 4 * 1024 * 1024

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_REC, MS_PRIVATE = 1, 32, 16384, 1 << 18

libc = ctypes.CDLL(None, use_errno=True)


def some_of(values, n):
    """All of them, or n spread over them."""
    values = list(values)
    return values if THOROUGH else values[:: max(1, len(values) // n)]


def envelope(operation_type="command.execute", required=True):
    record = {
        "event_id": str(uuid.uuid4()), "operation_type": operation_type, "required": required,
        "actor": {"actor_type": "system", "correlation_id": "c"}, "request": {"asked": True},
    }
    if operation_type.startswith("command"):
        record["command"] = {"command": "some command", "cwd": "/"}
    else:
        record["file_operation"] = {"path": "/path", "change_type": operation_type.split(".")[1]}
    return record


def open_history(client):
    return client.run("history.open", {"identity": IDENTITY, "sdk_version": "1"})


# The processes of a guest.

def stat_of(pid):
    """Name, state and parent."""
    with open(f"/proc/{pid}/stat") as stat:
        name, _, rest = stat.read().partition("(")[2].rpartition(")")
    fields = rest.split()
    return name, fields[0], int(fields[1])


def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if entry.isdigit() and stat_of(entry)[2] == pid:
                found.append(int(entry))
    return found


def helpers(guest, name):
    found = []
    for pid in children(guest.process.pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if stat_of(pid)[:2] != (name, "Z") and stat_of(pid)[0] == name:
                found.append(pid)
    return found


def zombies(guest):
    found = []
    for pid in children(guest.process.pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if stat_of(pid)[1] == "Z":
                found.append(pid)
    return found


def memory(guest):
    """What the broker has that is nobody else's."""
    for line in open(f"/proc/{guest.process.pid}/status"):
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the broker is gone")


def is_sanitized():
    """A checker of memory keeps what is freed, and needs far more than there is."""
    with open(guest_program(), "rb") as program:
        return bool(checker.VALGRIND) or b"__asan_init" in program.read()


def check_growth(guest, before):
    if not is_sanitized():
        assert memory(guest) - before < MAX_GROWTH, memory(guest) - before


def ping(client):
    """The broker has gone round its loop."""
    n = len(client.pongs)
    client.send(PING, b"x")
    client.until(lambda: len(client.pongs) > n)


def check_zombies(guest, client):
    """The broker has been told of each death before it reads a PING that is sent afterwards."""
    dead = set(zombies(guest))
    ping(client)
    ping(client)
    left = dead.intersection(zombies(guest))
    assert not left, f"zombies are left: {left}"


def check_alive(guest):
    """It does what it is there for, and has buried its dead."""
    assert guest.process.poll() is None, f"the guest has ended with {guest.process.returncode}"
    client = guest.connect()
    assert client.command(["echo", "alive"]).stdout == b"alive\n"
    path = guest.in_work("alive")
    assert "result" in client.write_file(path, b"alive").reply
    assert client.read_file(path).stdout == b"alive"
    check_zombies(guest, client)
    client.close()


def check_record(guest, ended=True):
    """The guest ends and leaves one whole database in which everything has ended."""
    database = os.path.join(guest.history, "history.sqlite3")
    client = guest.connect()
    assert client.run("guest.shutdown").result == {}
    guest.process.wait(PATIENCE)
    assert not os.path.exists(database + "-wal"), "the record is not one file"
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        statuses = dict(connection.execute("SELECT event_id, status FROM history_events"))
    assert not ended or "started" not in statuses.values(), statuses
    return statuses


# The limits of a process that runs.

def get_limit(guest, kind):
    return resource.prlimit(guest.process.pid, kind)


def set_limit(guest, kind, soft):
    resource.prlimit(guest.process.pid, kind, (soft, get_limit(guest, kind)[1]))


@contextlib.contextmanager
def limited(guest, kind, soft):
    before = get_limit(guest, kind)
    set_limit(guest, kind, soft)
    try:
        yield
    finally:
        resource.prlimit(guest.process.pid, kind, before)


# File systems of their own.

def call_libc(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def leave_mounts():
    """From now on what this process mounts is its own."""
    uid, gid = os.getuid(), os.getgid()
    try:
        if uid == 0:
            call_libc("unshare", CLONE_NEWNS)
        else:
            call_libc("unshare", CLONE_NEWUSER | CLONE_NEWNS)
            pathlib.Path("/proc/self/setgroups").write_text("deny")
            pathlib.Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
            pathlib.Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
        call_libc("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    except OSError as error:
        raise Skip(f"no mount namespace can be had: {error}")


@contextlib.contextmanager
def small_disk(path, size):
    os.makedirs(path, exist_ok=True)
    try:
        call_libc("mount", b"tmpfs", path.encode(), b"tmpfs", 0, f"size={size},mode=0755".encode())
    except OSError as error:
        raise Skip(f"no tmpfs can be mounted: {error}")
    try:
        yield
    finally:
        call_libc("umount2", path.encode(), 2)


def make_read_only(path, read_only=True):
    flags = MS_REMOUNT | (MS_RDONLY if read_only else 0)
    call_libc("mount", b"tmpfs", path.encode(), b"tmpfs", flags, None)


def fill(path):
    """Writes until nothing more fits."""
    with open(path, "wb", buffering=0) as file:
        size = 65536
        while size > 0:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    return path
