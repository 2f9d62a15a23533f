#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How commands end, and all that they started with them (docs/guest-protocol.md §4.1)."""

import contextlib
import errno
import hashlib
import os
import select
import signal
import subprocess
import time

from guestlib import *

# Nothing that was cancelled takes longer, where there are processors enough.
PROMPT = 2 * checker.SLOWNESS


def remove_group(root, group):
    """What is about to end does so outside; the system takes a moment to forget it."""
    while True:
        with open(f"{group}/cgroup.procs") as file:
            for pid in file.read().split():
                with contextlib.suppress(OSError), open(f"{root}/cgroup.procs", "w") as outside:
                    outside.write(pid)
        try:
            os.rmdir(group)
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            select.select([], [], [], 0.01)


@contextlib.contextmanager
def few_processors():
    """Yields what puts a process in a group that gets a twenty-fifth of one processor."""
    for root, settings in [("/sys/fs/cgroup/cpu", [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "4000")]),
                           ("/sys/fs/cgroup", [("cpu.max", "4000 100000")])]:
        group = f"{root}/asb-test-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            for name, value in settings:
                with open(f"{group}/{name}", "w") as file:
                    file.write(value)

            def join():
                with open(f"{group}/cgroup.procs", "w") as file:
                    file.write("0")

            yield join
            return
        except OSError:
            continue
        finally:
            remove_group(root, group)
    raise Skip("needs control groups of its own")


BOMB = """
import os, signal, sys, time
end = time.monotonic() + 30
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("armed", flush=True)
while time.monotonic() < end:
    try:
        if os.fork() == 0:
            os.setsid()
    except OSError:
        pass
"""


def running(program):
    """The processes whose command line has @program."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if program.encode() in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
    return [pid for pid in found if is_running(pid)]


def test_starved():
    """A supervisor that gets hardly any processor time still ends everything, and knows how it ended."""
    skip_under_valgrind("needs more processor than there is")
    with few_processors() as join, Guest(preexec_fn=join) as guest:
        client = guest.connect()
        os.chmod(guest.directory, 0o755)
        program = guest.in_work("bomb.py")
        with open(program, "w") as file:
            file.write(BOMB)
        limit = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_NPROC, (60, 60)); os.setuid({LONE_USER}); os.execvp(sys.argv[1], sys.argv[1:])"
        call = client.start_command(["python3", "-c", limit, "python3", program])
        client.until(lambda: b"armed" in call.stdout)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled" and call.result["signal"] == signal.SIGKILL, call.result
        assert not running(program)
        guest.stop()


CROWD = """
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pid_t first;

static void
asked (int number)
{
  if (getpid () == first)
    write (STDOUT_FILENO, "asked", 5);
}

int
main (void)
{
  time_t end = time (NULL) + 60;
  int full = 0;

  first = getpid ();

  signal (SIGTERM, asked);
  while (time (NULL) < end)
    {
      pid_t child = fork ();

      if (child == 0)
        setsid ();
      if (child < 0 && getpid () == first && !full++)
        write (STDOUT_FILENO, "full", 4);
    }
}
"""


def build_crowd(guest):
    """The command that is one."""
    os.chmod(guest.directory, 0o755)
    program = guest.in_work("crowd")
    if subprocess.run(["gcc", "-x", "c", "-O2", "-o", program, "-"], input=CROWD, text=True).returncode != 0:
        raise Skip("needs a compiler")
    limit = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_NPROC, (600, 600)); os.setuid({LONE_USER}) if os.getuid() == 0 else 0; os.execvp(sys.argv[1], sys.argv[1:])"
    return ["python3", "-c", limit, program]


@contextlib.contextmanager
def guest_in_namespace(program):
    skip_under_valgrind("needs more processor than there is")
    if subprocess.run([*program, "true"], capture_output=True).returncode != 0:
        raise Skip("needs process namespaces")
    with Guest(program=program) as guest:
        yield guest


def end_crowd(client, command, reason):
    call = client.start_command(command, **({"deadline_ms": 4000} if reason == "timeout" else {}))
    if reason == "cancelled":
        client.until(lambda: call.stdout == b"full")
        client.send(CANCEL, call=call.number)
    began = time.monotonic()
    client.wait(call, OUTPUT, ERRORS)
    took = time.monotonic() - began
    assert took < 10 * PROMPT, took
    assert call.result["reason"] == reason and call.result["signal"] == signal.SIGKILL, call.result
    assert not running(command[-1])
    return call


def test_crowd():
    """Thousands of processes that leave no processor to who should end them end all the same, and nobody else does."""
    with guest_in_namespace(FIRST_PROCESS) as guest:
        client = guest.connect()
        command = build_crowd(guest)
        other = client.start_command(["cat"], stdin="stream")
        for reason in ("timeout", "cancelled"):
            end_crowd(client, command, reason)
        client.write(other, b"still here", fin=True)
        assert client.wait(other, OUTPUT, ERRORS).stdout == b"still here"


# Without rights to come before others, as in a container.
LATER_PROCESS = [part for part in FIRST_PROCESS if part not in ("--as-pid-1", "--")] + [
    "--cap-drop", "CAP_SYS_NICE", "--cap-drop", "CAP_SYS_RESOURCE", "--"]


def test_crowd_in_a_container():
    """They also do where the guest is not the first process: it stops them all, and asks none of so many to end."""
    with guest_in_namespace(LATER_PROCESS) as guest:
        client = guest.connect()
        command = build_crowd(guest)
        other = client.start_command(["cat"], stdin="stream")
        assert end_crowd(client, command, "cancelled").stdout == b"full"
        end_crowd(client, command, "timeout")
        client.write(other, b"still here", fin=True)
        assert client.wait(other, OUTPUT, ERRORS).stdout == b"still here"


def state_of(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def test_crowd_beside_what_is_stopped():
    """What somebody had stopped before does not go on because a crowd was ended."""
    for program in (FIRST_PROCESS, LATER_PROCESS):
        with guest_in_namespace(program) as guest:
            client = guest.connect()
            command = build_crowd(guest)
            name = f"stopped-{LONE_USER}"
            other = client.start_command(["sh", "-c", "sleep 1000 & kill -STOP $!; echo; read -r word; kill -KILL $!", name],
                                         stdin="stream")
            client.until(lambda: other.stdout)
            # What it starts is called so as well until it runs its program.
            shell = min(running(name))
            (sleeper,) = family(shell)[1:]
            end_crowd(client, command, "cancelled")
            assert state_of(sleeper) == "T" and state_of(shell) == "S", (state_of(sleeper), state_of(shell))
            client.write(other, b"\n", fin=True)
            assert client.wait(other, OUTPUT, ERRORS).result["exit_code"] == 0


def may_precede():
    """Whether the guest has the right to come before all others."""
    return subprocess.run(["/usr/bin/python3", "-c", "import os; os.setpriority(os.PRIO_PROCESS, 0, -20)"],
                          capture_output=True).returncode == 0


def test_supervisor_precedes():
    """Who may come before others does while it ends a command, and only then."""
    if not may_precede():
        raise Skip("needs to raise a priority")
    with Guest() as guest:
        client = guest.connect()
        script = guest.in_work("look.py")
        with open(script, "w") as file:
            file.write("""
import os, signal
def look(*args):
    parent = os.getppid()
    with open(f"/proc/{parent}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    print(int(fields[15]), flush=True)
signal.signal(signal.SIGTERM, look)
look()
while True:
    signal.pause()
""")
        call = client.start_command(["python3", script])
        client.until(lambda: call.stdout.endswith(b"\n"))
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        before, then = map(int, call.stdout.split())
        assert then < before, call.stdout


def family(pid):
    """A process and all that it started."""
    found = [pid]
    for parent in found:
        with open(f"/proc/{parent}/task/{parent}/children") as file:
            found += map(int, file.read().split())
    return found


@contextlib.contextmanager
def paused(guest):
    """The guest and its commands are stopped, as in a sandbox that is frozen."""
    stopped = family(guest.process.pid)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    yield
    for pid in reversed(stopped):
        os.kill(pid, signal.SIGCONT)


def test_deadline_over_a_pause():
    """A deadline counts the time in which the sandbox runs."""
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(["sh", "-c", "echo begun; read -r word; echo $word"],
                                    stdin="stream", deadline_ms=6000)
        job = client.run("job.start", {"argv": ["sleep", "1000"], "deadline_ms": 6000}).result
        client.until(lambda: b"begun" in call.stdout)
        with paused(guest):
            select.select([], [], [], 8)
        assert client.run("job.status", {"job_id": job["job_id"]}).result["state"] == "running"
        client.write(call, b"well\n")
        client.wait(call, OUTPUT, ERRORS)
        assert (call.result["reason"], call.stdout) == ("exited", b"begun\nwell\n"), call.result
        began = time.monotonic()
        result = client.run("job.wait", {"job_id": job["job_id"]}).result["result"]
        assert result["reason"] == "timeout", result
        assert 1 < time.monotonic() - began < 6 + PATIENCE, time.monotonic() - began


def test_deadline_after_a_pause():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(["sh", "-c", "echo begun; exec sleep 1000"], deadline_ms=6000)
        client.until(lambda: b"begun" in call.stdout)
        with paused(guest):
            select.select([], [], [], 6)
        began = time.monotonic()
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "timeout", call.result
        assert 1 < time.monotonic() - began < 6 + PATIENCE, time.monotonic() - began


def test_deadline_of_the_starved():
    """Who gets no processor does not run longer for it."""
    skip_under_valgrind("needs more processor than there is")
    with few_processors() as join, Guest(preexec_fn=join) as guest:
        client = guest.connect()
        began = time.monotonic()
        call = client.start_command(["sh", "-c", "while :; do :; done & while :; do :; done & while :; do :; done"],
                                    deadline_ms=3000)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "timeout", call.result
        assert time.monotonic() - began < 3 + 10 * PROMPT, time.monotonic() - began
        guest.stop()


def test_supervisor_stopped_at_the_end():
    """A command that stops its supervisor when it shall end does not hold the result, nor escape."""
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(
            "trap 'kill -STOP $PPID' TERM; sleep 1000 & echo $! $$; while :; do wait; done")
        client.until(lambda: call.stdout.endswith(b"\n"))
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled", call.result
        assert not any(is_running(int(pid)) for pid in call.stdout.split())


def test_five_hundred_children():
    with Guest() as guest:
        client = guest.connect()
        script = guest.in_work("many.py")
        with open(script, "w") as file:
            file.write("""
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for number in range(500):
    if os.fork() == 0:
        if number % 3 == 0:
            os.setsid()
        if number % 5 == 0 and os.fork() > 0:
            os._exit(0)
        if number % 7 == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
        while True:
            signal.pause()
print("all", flush=True)
signal.pause()
""")
        call = client.start_command(["python3", script])
        client.until(lambda: call.stdout == b"all\n")
        before = time.monotonic()
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        took = time.monotonic() - before
        assert call.result["reason"] == "cancelled" and call.result["signal"] == signal.SIGKILL, call.result
        assert not running(script)
        assert took < 5 * PROMPT or os.getloadavg()[0] > os.cpu_count(), took


def test_children_that_became_others():
    if os.getuid() != 0:
        raise Skip("needs root")
    with Guest() as guest:
        client = guest.connect()
        script = guest.in_work("others.py")
        os.chmod(guest.directory, 0o755)
        with open(script, "w") as file:
            file.write("""
import os, signal
for uid in (54326, 54327):
    if os.fork() == 0:
        os.setsid()
        os.setuid(uid)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print(uid, flush=True)
        while True:
            signal.pause()
signal.pause()
""")
        for args, reason in [({}, "cancelled"), ({"deadline_ms": 1500}, "timeout")]:
            call = client.start_command(["python3", script], **args)
            if reason == "cancelled":
                client.until(lambda: call.stdout.count(b"\n") == 2)
                client.send(CANCEL, call=call.number)
            client.wait(call, OUTPUT, ERRORS)
            assert call.result["reason"] == reason, call.result
            assert not running(script)


def test_hundred_mebibytes_both_ways():
    with Guest() as guest:
        client = guest.connect()
        client.keep = False
        block = os.urandom(1 << 20)
        sent, received = hashlib.sha256(), hashlib.sha256()
        call = client.start_command(["cat"], stdin="stream")
        step = client.step

        def hashing_step():
            frame = step()
            if frame.type == DATA and frame.channel == OUTPUT:
                received.update(frame.payload)
            return frame

        client.step = hashing_step
        for number in range(100):
            part = number.to_bytes(4, "big") + block[4:]
            sent.update(part)
            client.write(call, part)
        client.write(call, fin=True)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["stdout_bytes"] == 100 << 20
        assert received.digest() == sent.digest()


def test_ten_million_lines():
    with Guest() as guest:
        client = guest.connect()
        call = client.command("yes | head -n 10000000")
        assert call.result["stdout_bytes"] == 20000000 and call.stdout == b"y\n" * 10000000


def test_stdin_closed_by_either_side():
    """Whenever the command closes its input, or ends, and whenever the client does."""
    with Guest() as guest:
        client = guest.connect()
        for script, data in [("exec 0<&-; echo closed", b""), ("head -c 3; exec 0<&-; echo closed", b"abcdef"),
                             ("echo closed", bytes(WINDOW)), ("head -c 100000 | tail -c 3; echo closed", bytes(200000))]:
            for fin in (False, True):
                call = client.start_command(script, stdin="stream")
                client.write(call, data, fin=fin)
                client.wait(call, OUTPUT, ERRORS)
                assert call.stdout.endswith(b"closed\n") and call.result["exit_code"] == 0, (script, call.reply)
        call = client.start_command("cat; echo again; cat", stdin="stream")
        client.until(lambda: call.events)
        client.write(call, b"x", fin=True)
        assert client.wait(call, OUTPUT, ERRORS).stdout == b"xagain\n"


def test_who_came_in_is_spared():
    """What entered from outside, as “docker exec” does, has no parent inside: no command started it."""
    if subprocess.run([*FIRST_PROCESS, "true"], capture_output=True).returncode != 0:
        raise Skip("needs process namespaces")
    with Guest(program=FIRST_PROCESS) as guest:
        client = guest.connect()
        with open(f"/proc/{guest.process.pid}/task/{guest.process.pid}/children") as file:
            first_process = file.read().split()[0]
        enter = ["nsenter", f"--target={first_process}", "--user", "--mount", "--pid", "--preserve-credentials"]
        if subprocess.run([*enter, "true"], capture_output=True).returncode != 0:
            enter.remove("--user")
        if subprocess.run([*enter, "true"], capture_output=True).returncode != 0:
            raise Skip("needs to enter namespaces")
        with subprocess.Popen([*enter, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as visitor:
            for args in ({"deadline_ms": 500}, {}):
                call = client.start_command("sleep 1000 & echo begun; wait", **args)
                client.until(lambda: call.stdout or call.reply)
                if not args:
                    client.send(CANCEL, call=call.number)
                client.wait(call, OUTPUT, ERRORS)
                assert call.result["reason"] == ("timeout" if args else "cancelled"), call.result
            assert visitor.communicate(b"still here", PATIENCE)[0] == b"still here"
        os.kill(int(first_process), signal.SIGTERM)


def test_partial_output_is_kept():
    with Guest() as guest:
        client = guest.connect()
        script = "printf before; printf err >&2; trap 'printf after; exit 3' TERM; while :; do sleep 1000 & wait; done"
        for args, reason in [({}, "cancelled"), ({"deadline_ms": 1000}, "timeout")]:
            call = client.start_command(script, **args)
            if reason == "cancelled":
                client.until(lambda: call.stdout == b"before" and call.stderr == b"err")
                client.send(CANCEL, call=call.number)
            client.wait(call, OUTPUT, ERRORS)
            assert call.result["reason"] == reason and call.stdout.startswith(b"before") and call.stderr == b"err"


if __name__ == "__main__":
    main()
