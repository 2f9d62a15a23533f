#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest whose own processes are killed and stopped: calls are answered, and the next ones work."""

import select
import signal
import time

from faultlib import *


def kill_all(guest, name, number=signal.SIGKILL):
    pids = helpers(guest, name)
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return pids


def wait_for_end(pidfd):
    """A signal that was sent need not have done its work yet."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    assert poll.poll(PATIENCE * 1000), "a child of the command is left"
    os.close(pidfd)


def test_historian_killed():
    """Again and again, while something is being recorded."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for _ in range(5 if not THOROUGH else 100):
            call = client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=envelope(required=False))
            client.until(lambda: call.events or call.reply)
            assert kill_all(guest, "asb-historian")
            client.write(call, b"abc", fin=True)
            client.wait(call, OUTPUT, ERRORS)
            assert call.result["exit_code"] == 0 and call.stdout == b"abc", call.reply
            assert call.reply["record"]["state"] in ("complete", "failed")
            while "error" in client.run("history.status").reply:
                pass
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}
        client.close()
        check_alive(guest)
        check_record(guest, ended=False)


def test_historian_stopped():
    """It is sent on its way, and what is recorded goes on with it."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        kill_all(guest, "asb-historian", signal.SIGSTOP)
        recorded = client.start("command.start", {"argv": ["true"]}, record=envelope())
        assert client.command(["true"]).result["exit_code"] == 0
        assert client.write_file(guest.in_work("file"), b"x").result["size"] == 1
        client.wait(recorded, OUTPUT, ERRORS)
        assert recorded.result["exit_code"] == 0 and recorded.reply["record"] == {"state": "complete"}
        client.close()
        check_alive(guest)
        check_record(guest)


def test_supervisors_killed():
    """Everything their commands started ends with them."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for _ in range(3 if not THOROUGH else 50):
            call = client.start("command.start", {"shell": "setsid sleep 1000 & echo $!; exec sleep 1000"}, record=envelope())
            client.until(lambda: call.stdout.endswith(b"\n") or call.reply)
            left = os.pidfd_open(int(call.stdout))
            assert kill_all(guest, "asb-supervisor")
            client.wait(call, OUTPUT, ERRORS)
            assert call.result["reason"] == "unknown" and call.result["exit_code"] is None, call.reply
            wait_for_end(left)
        client.close()
        check_alive(guest)
        statuses = check_record(guest)
        assert set(statuses.values()) == {"unknown"}, statuses


def test_supervisor_stopped():
    """It is killed when its command shall end."""
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(["sleep", "1000"])
        client.until(lambda: call.events)
        kill_all(guest, "asb-supervisor", signal.SIGSTOP)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled", call.reply
        kill_all(guest, "asb-supervisor", signal.SIGCONT)
        client.close()
        check_alive(guest)


def start_reading(client, path):
    """A call that waits in the middle, since its reader does not."""
    client.credits = False
    call = client.start("file.read", {"path": path})
    client.until(lambda: call.received[OUTPUT] == WINDOW)
    return call


def test_worker_killed():
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("large")
        with open(path, "wb") as file:
            file.write(bytes(4 * WINDOW))
        for _ in range(3 if not THOROUGH else 100):
            call = start_reading(client, path)
            assert kill_all(guest, "asb-worker")
            client.wait(call, OUTPUT)
            assert call.error["code"] == "internal_error", call.reply
        client.credits = True
        assert len(client.read_file(path).stdout) == 4 * WINDOW
        client.close()
        check_alive(guest)


def test_worker_killed_while_writing():
    """The file is as it was, and what was begun does not stand in the way."""
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("file")
        client.write_file(path, b"before")
        call = client.start("file.write", {"path": path})
        client.write(call, b"x" * WINDOW)
        client.until(lambda: call.input_credit > 0)
        assert kill_all(guest, "asb-worker")
        client.wait(call)
        assert call.error["code"] == "internal_error", call.reply
        assert client.read_file(path).stdout == b"before"
        assert client.write_file(path, b"after").result["size"] == 5
        assert client.read_file(path).stdout == b"after"
        client.close()
        check_alive(guest)


def test_worker_stopped():
    """It is sent on its way, and can be cancelled before that."""
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("large")
        with open(path, "wb") as file:
            file.write(bytes(4 * WINDOW))
        cancelled = start_reading(client, path)
        read = start_reading(client, path)
        stopped = kill_all(guest, "asb-worker", signal.SIGSTOP)
        assert stopped
        client.send(CANCEL, call=cancelled.number)
        client.wait(cancelled, OUTPUT)
        assert cancelled.error["code"] == "cancelled", cancelled.reply
        client.credits = True
        client.credit(read, OUTPUT, WINDOW)
        client.wait(read, OUTPUT)
        assert read.result["bytes"] == 4 * WINDOW, read.reply
        client.close()
        check_alive(guest)
        assert "T" not in [stat_of(pid)[1] for pid in stopped if is_running(pid)]


def test_everything_stopped():
    """Also the guest: as a command does it that stops all there is."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        family = f"{guest.process.pid} $(cat /proc/{guest.process.pid}/task/*/children)"
        for ending in ("echo done; exit 3", "exit 3", "sleep 0.3; exit 3"):
            before = time.monotonic()
            call = client.command(f"kill -STOP {family}; {ending}", record=envelope())
            assert (call.result["reason"], call.result["exit_code"]) == ("exited", 3), call.reply
            assert call.stdout == (b"done\n" if "echo" in ending else b"")
            assert call.reply["record"] == {"state": "complete"}, call.reply
            # Whoever waits for a deadline of somebody else's takes longer.
            assert time.monotonic() - before < 30 * checker.SLOWNESS, time.monotonic() - before
        # Nothing is printed and nobody ends, but somebody asks.
        fifo = guest.in_work("stopped")
        os.mkfifo(fifo)
        call = client.start_command(f"kill -STOP {family}; echo >{fifo}; exec sleep 1000")
        with open(fifo) as stopped:
            stopped.read()
        # One that is told to stop does so once it has a processor.
        os.waitid(os.P_PID, guest.process.pid, os.WSTOPPED | os.WNOWAIT)
        assert client.write_file(guest.in_work("file"), b"x").result["size"] == 1
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled", call.reply
        client.close()
        check_alive(guest)
        check_record(guest)


def test_own_supervisor_stopped():
    """A command that does so ends like any other; one that does it for ever holds nobody for ever."""
    with Guest() as guest:
        client = guest.connect()
        assert client.command("kill -STOP $PPID; echo done; exit 3").result["exit_code"] == 3
        before = time.monotonic()
        call = client.command("p=$PPID; while kill -STOP $p; do :; done >/dev/null 2>&1 & echo done; exit 3")
        assert (call.result["reason"], call.result["exit_code"]) in [("exited", 3), ("unknown", None)], call.reply
        assert call.stdout == b"done\n"
        assert time.monotonic() - before < PATIENCE, time.monotonic() - before
        # The one who does it belongs to a supervisor that is still held, or is gone with it.
        client.close()
        check_alive(guest)


def test_stopped_without_end():
    """By somebody in the background. As the first process the guest cannot be stopped, and ends whatever it is to end."""
    stopping = "while :; do kill -STOP -1; done >/dev/null 2>&1"
    with Guest(listen=False) as guest:
        guest.start(program=FIRST_PROCESS)
        client = guest.connect()
        open_history(client)
        for _ in range(3):
            client.command(f"{stopping} & echo begun", deadline_ms=2000)
            call = client.command(["true"], deadline_ms=2000, record=envelope(required=False))
            assert "error" in call.reply or call.result["reason"] in ("exited", "timeout", "unknown"), call.reply
            call = client.start_command(["sleep", "1000"])
            client.send(CANCEL, call=call.number)
            client.wait(call)
            assert "error" in call.reply or call.result["reason"] in ("cancelled", "unknown"), call.reply
            call = client.command(stopping, deadline_ms=500)
            assert "error" in call.reply or call.result["reason"] in ("timeout", "unknown"), call.reply
            assert client.write_file(guest.in_work("file"), b"x").reply is not None
        assert client.run("guest.shutdown").result == {}
        assert guest.process.wait(PATIENCE) == 0


PTRACE_CONT, PTRACE_DETACH, PTRACE_SEIZE = 7, 17, 0x4206
PTRACE_O_TRACEVFORK, PTRACE_EVENT_VFORK = 4, 2
WALL = 0x40000000


def ptrace(request, pid, data=0):
    if libc.ptrace(ctypes.c_long(request), ctypes.c_long(pid), ctypes.c_long(0), ctypes.c_long(data)) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x} of process {pid}")


def wait_for_vfork(supervisor):
    """False if it ends instead."""
    while (status := os.waitpid(supervisor, WALL)[1]) >> 16 != PTRACE_EVENT_VFORK:
        if not os.WIFSTOPPED(status):
            return False
        ptrace(PTRACE_CONT, supervisor)
    return True


def seize_supervisor(client):
    """One that has just become free, and is the first choice for the next command."""
    call = client.start_command(["cat"], stdin="stream")
    supervisor = stat_of(client.wait_event(call)["pid"])[2]
    client.write(call, fin=True)
    client.wait(call, OUTPUT, ERRORS)
    try:
        ptrace(PTRACE_SEIZE, supervisor, PTRACE_O_TRACEVFORK)
    except PermissionError:
        raise Skip("only root may hold a process that cannot be dumped")
    return supervisor


@contextlib.contextmanager
def held_before_its_program(client, **args):
    """A command that has no program yet, and is held there until the end."""
    skip_under_valgrind("makes a fork of each vfork")
    while True:
        supervisor = seize_supervisor(client)
        call = client.start("command.start", {"argv": ["true"], **args})
        if wait_for_vfork(supervisor):
            break
        # It was free for too long before it was asked.
        client.wait(call)
    process, = children(supervisor)
    os.waitpid(process, WALL)
    ptrace(PTRACE_DETACH, supervisor)
    yield call, process
    try:
        ptrace(PTRACE_DETACH, process)
    except ProcessLookupError:
        os.waitpid(process, WALL)


def test_stopped_before_its_program():
    """Its supervisor sleeps until it has one, and hears of nothing."""
    with Guest() as guest:
        client = guest.connect()
        with held_before_its_program(client) as (call, process):
            os.kill(process, signal.SIGSTOP)
        client.wait(call, OUTPUT, ERRORS)
        assert (call.result["reason"], call.result["exit_code"]) == ("exited", 0), call.reply
        client.close()
        check_alive(guest)


def test_held_before_its_program():
    """It has the socket of its supervisor, whose end is seen all the same."""
    with Guest() as guest:
        client = guest.connect()
        with held_before_its_program(client, deadline_ms=100) as (call, process):
            client.wait(call)
            assert call.error["message"] == "The command had not begun when its deadline came", call.reply
        with held_before_its_program(client) as (call, process):
            client.send(CANCEL, call=call.number)
            client.wait(call)
            assert call.error["code"] == "cancelled", call.reply
        client.close()
        check_alive(guest)


def test_everything_killed():
    """All of them at once, with everything in flight."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        before = memory(guest)
        for n in range(5 if not THOROUGH else 100):
            calls = [client.start_command(["cat"], stdin="stream") for _ in range(4)]
            calls += [client.start("file.list", {"path": "/"}) for _ in range(4)]
            calls += [client.start("history.query", {"after_change_seq": 0, "limit": 10})]
            for name in ("asb-supervisor", "asb-worker", "asb-historian"):
                kill_all(guest, name)
            for call in calls[:4]:
                if call.reply is None:
                    client.send(DATA, call=call.number, flags=FIN)
            for call in calls:
                if call.reply is None:
                    client.send(CANCEL, call=call.number)
            for call in calls:
                client.until(lambda: call.reply)
        while "error" in client.run("history.status").reply:
            pass
        client.close()
        check_alive(guest)
        check_growth(guest, before)
        check_record(guest)


if __name__ == "__main__":
    main()
