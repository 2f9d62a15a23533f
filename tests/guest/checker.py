# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs under a checker of memory, all of their processes, and what that says of each.

Valgrind comes by ASB_TEST_GUEST_VALGRIND: its command line, and the guest to run, since it can look
into those with shared libraries only. The sanitizers are built in, and turned on by ASAN_OPTIONS."""

import atexit
import contextlib
import functools
import os
import pathlib
import select
import shlex
import shutil
import tempfile

VALGRIND = shlex.split(os.environ.get("ASB_TEST_GUEST_VALGRIND", ""))
SANITIZER = os.environ.get("ASAN_OPTIONS")

# How many times longer than without it everything takes.
SLOWNESS = 20 if VALGRIND else 4 if SANITIZER else 1


@functools.lru_cache(maxsize=None)
def reports():
    """The folder that each process of a guest writes a file to, whoever it runs as."""
    folder = tempfile.mkdtemp(prefix="asb-reports-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o1777)
    return pathlib.Path(folder)


def often(times, under_valgrind):
    """How many times something is done that takes valgrind hours."""
    return under_valgrind if VALGRIND else times


def is_used():
    return bool(VALGRIND or SANITIZER)


def under(program):
    """What runs a program that has shared libraries."""
    return [*VALGRIND[:-1], f"--log-file={reports()}/report.%p", program] if VALGRIND else [program]


def command(guest):
    """What runs a guest, which for valgrind is another one."""
    return under(VALGRIND[-1] if VALGRIND else guest)


def environment(env=None, leaks=True):
    """The same with the file to report to; one that is given as a whole stays as it is."""
    if not SANITIZER or env is not None:
        return env
    return {**os.environ, "ASAN_OPTIONS": f"{SANITIZER}:detect_leaks={int(leaks)}:log_path={reports()}/report"}


def wait_for_end(pid, patience):
    """Of a process whose command line says that it reports here, and of no other with its number."""
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        pidfd = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        if str(reports()).encode() in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
            poll.poll(patience * 1000)
        os.close(pidfd)


def check(patience):
    """That no process which has reported so far found anything; what is said last is said at the end."""
    found = []
    for report in sorted(reports().iterdir()):
        wait_for_end(int(report.suffix[1:]), patience)
        # Valgrind begins with dashes what it says of itself, for example that it lacks a system call.
        found += [line for line in report.read_text(errors="replace").splitlines(True) if not line.startswith("--")]
    assert not found, "".join(found)
