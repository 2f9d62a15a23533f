#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's own processes under limits, one by one and all together: each call of each kind is
answered, with an error that says what is lacking, and all works again when the limits are gone."""

from faultlib import *

KIB = 1024
NAMES = ["asb-historian", "asb-worker", "asb-supervisor"]

# What is at an end, and codes that may be said of it besides those of the record.
DESCRIPTORS = (resource.RLIMIT_NOFILE, ["command_execution_error", "internal_error", "io_error", "too_many_requests"])
MEMORY = (resource.RLIMIT_AS, ["command_execution_error", "internal_error", "io_error"])
PROCESSES = ["command_execution_error", "internal_error"]
SIZES = (resource.RLIMIT_FSIZE, ["too_large"])

NOBODY = 54399
MAX_PROCESSES = 20


def is_expected(call, codes):
    if "error" not in call.reply:
        return True
    code = call.error["code"]
    assert call.error["message"], call.reply
    return code in codes or code.startswith("history_") or code == "file_not_found"


def each_call(guest, client):
    """One call of each kind, as it is asked for by those who need the record and those who do not."""
    path = guest.in_work("file")
    yield client.command(["echo", "output"], record=envelope(required=False))
    yield client.command("echo one; echo two >&2; exit 3")
    yield client.write_file(path, b"x" * 100000, record=envelope("file.write", required=False))
    yield client.read_file(path, record=envelope("file.read", required=False))
    yield client.list(guest.work)
    yield client.run("file.stat", {"path": path})
    yield client.run("file.mkdir", {"path": guest.in_work("a/b/c")})
    yield client.run("file.move", {"from": path, "to": path + "-moved", "overwrite": True})
    yield client.run("file.delete", {"path": guest.in_work("a"), "recursive": True})
    yield client.run("history.status")
    yield client.run("history.query", {"after_change_seq": 0, "limit": 1000, "max_bytes": 1 << 20}, channels=[OUTPUT])
    yield client.run("history.get_operations", {"event_ids": ["none"]}, channels=[OUTPUT])
    yield client.run("history.acknowledge", {"consumer_id": "somebody", "seq": 1})
    yield open_history(client)


def pids_of(guest, names):
    return [pid for name in names for pid in helpers(guest, name)]


@contextlib.contextmanager
def helpers_limited(guest, names, kind, soft_of):
    """Those of the helpers that live now; soft_of(pid) is the limit of each."""
    before = {pid: resource.prlimit(pid, kind) for pid in pids_of(guest, names)}
    for pid, (_, hard) in before.items():
        resource.prlimit(pid, kind, (soft_of(pid), hard))
    try:
        yield
    finally:
        for pid, limits in before.items():
            # One that has ended has been replaced.
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(pid, kind, limits)


def open_to_all(guest):
    os.chmod(guest.directory, 0o777)
    os.chmod(guest.work, 0o777)


def check_all_work(guest, client):
    for call in each_call(guest, client):
        assert "result" in call.reply, call.reply


def try_limit(names, limit, soft_of):
    """What fails, fails with a reason; afterwards nothing does. How many failed."""
    kind, codes = limit
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        # All helpers there will be are there.
        check_all_work(guest, client)
        failed = 0
        with helpers_limited(guest, names, kind, soft_of):
            for call in each_call(guest, client):
                assert is_expected(call, codes), call.reply
                failed += "error" in call.reply
        # A helper that was lost in between is there again when it is asked for.
        for _ in each_call(guest, client):
            pass
        check_all_work(guest, client)
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}
        client.close()
        check_alive(guest)
        check_record(guest, ended=False)
        return failed


def test_descriptors():
    skip_under_valgrind("needs descriptors of its own")
    for names in ([name] for name in NAMES):
        for spare in (0, 1, 2):
            try_limit(names, DESCRIPTORS, lambda pid: count_descriptors(pid) + spare)
    assert try_limit(NAMES, DESCRIPTORS, lambda pid: 3) > 0


def test_memory():
    if is_sanitized():
        raise Skip("the guest is built with AddressSanitizer")
    for names in ([name] for name in NAMES):
        for spare in some_of(range(0, 1024 * KIB, 64 * KIB), 5):
            try_limit(names, MEMORY, lambda pid: spare + resource.getpagesize() * int(
                open(f"/proc/{pid}/statm").read().split()[0]))
    try_limit(NAMES, MEMORY, lambda pid: 64 * KIB)


@contextlib.contextmanager
def no_process_left(become):
    """Others of the user have all there may be."""
    fillers = []
    try:
        with contextlib.suppress(BlockingIOError):
            while len(fillers) < MAX_PROCESSES:
                fillers.append(subprocess.Popen(["sleep", "1000"], preexec_fn=become))
        yield
    finally:
        for filler in fillers:
            filler.kill()
            filler.wait()


def test_processes():
    """Others of its user have taken all there are."""
    def become_nobody():
        resource.setrlimit(resource.RLIMIT_NPROC, (MAX_PROCESSES, MAX_PROCESSES))
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    if os.getuid() != 0:
        raise Skip("the processes of this user count, too, and nobody knows how many there are")
    with Guest(listen=False) as guest:
        open_to_all(guest)
        guest.start(preexec_fn=become_nobody)
        os.chmod(guest.path, 0o777)
        client = guest.connect()
        open_history(client)
        check_all_work(guest, client)
        refused = 0
        with no_process_left(become_nobody):
            for _ in range(3):
                for call in each_call(guest, client):
                    assert is_expected(call, PROCESSES), call.reply
                    refused += "error" in call.reply
        assert refused > 0
        check_all_work(guest, client)
        client.close()
        check_alive(guest)
        check_record(guest)


def test_sizes_of_files():
    for names in (["asb-historian"], ["asb-worker"], NAMES):
        for size in (0, 4096, 65536):
            assert try_limit(names, SIZES, lambda pid: size) >= ("asb-worker" in names)


def test_everything_at_once():
    """Broker and helpers have no descriptor left, and get some again."""
    skip_under_valgrind("needs descriptors of its own")
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        check_all_work(guest, client)
        with limited(guest, resource.RLIMIT_NOFILE, 3), \
                helpers_limited(guest, NAMES, resource.RLIMIT_NOFILE, lambda pid: 3):
            for call in each_call(guest, client):
                assert is_expected(call, DESCRIPTORS[1]), call.reply
            ping(client)
        client.close()
        check_alive(guest)
        check_record(guest, ended=False)


if __name__ == "__main__":
    main()
