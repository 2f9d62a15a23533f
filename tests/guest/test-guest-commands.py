#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands (docs/guest-protocol.md §4.1)."""

import contextlib
import hashlib
import os
import resource
import select
import signal
import stat
import time

from guestlib import *


def read_pids(path, n):
    """The process IDs that a command wrote to a FIFO, one a line; waits for @n of them."""
    with open(path) as fifo:
        return [int(fifo.readline()) for _ in range(n)]


def make_fifo(guest, name="pids"):
    path = guest.in_work(name)
    os.mkfifo(path)
    return path


def wait_for_end(pids):
    """Until none of the processes, which are no children of ours, is left."""
    fds = []
    for pid in pids:
        try:
            fds.append(os.pidfd_open(pid))
        except ProcessLookupError:
            pass
    for fd in fds:
        os.set_blocking(fd, True)
        import select
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        assert poll.poll(PATIENCE * 1000), "a process is still running"
        os.close(fd)


def test_exact_bytes():
    with Guest() as guest:
        client = guest.connect()
        for script, expected in [
            ("printf 'no newline at end'", b"no newline at end"),
            ("printf 'a\\n\\nb'", b"a\n\nb"),
            ("printf '10%%\\r50%%\\r100%%\\n'", b"10%\r50%\r100%\n"),
            ("printf '\\377\\376x\\000y\\n'", b"\xff\xfex\0y\n"),
            ("printf 'caf\\303'; printf '\\251'", b"caf\xc3\xa9"),
            ("printf '\\n'", b"\n"),
            ("true", b""),
        ]:
            call = client.command(script)
            assert call.stdout == expected, (script, call.stdout)
            assert call.result["stdout_bytes"] == len(expected)


def test_result():
    with Guest() as guest:
        client = guest.connect()
        call = client.command("echo out; echo err >&2; exit 3")
        result = call.result
        assert (call.stdout, call.stderr) == (b"out\n", b"err\n")
        assert result["reason"] == "exited" and result["exit_code"] == 3 and result["signal"] is None
        assert result["stdout_bytes"] == 4 and result["stderr_bytes"] == 4
        assert result["duration_ns"] > 0
        started, ended = (result[name] for name in ("started_at", "ended_at"))
        assert (started["sec"], started["nsec"]) <= (ended["sec"], ended["nsec"])
        [event] = call.events
        assert event["event"] == "started" and event["command_id"] == result["command_id"] and event["pid"] > 0
        assert client.command("true").result["command_id"] != result["command_id"]


def test_killed_by_signal():
    with Guest() as guest:
        call = guest.connect().command("kill -9 $$")
        result = call.result
        assert result["reason"] == "signaled" and result["signal"] == 9 and result["exit_code"] is None


def test_shell():
    with Guest() as guest:
        client = guest.connect()
        assert client.command("echo $BASH_VERSION").stdout != b"\n"
        assert client.command("cat <<'EOF'\nhello\nEOF").stdout == b"hello\n"
        # A text that looks like an option is a text.
        assert client.command("-c 'echo no'").result["exit_code"] == 127
        assert client.command("+x; echo yes").stdout == b"yes\n"
        # Nothing is added that could be seen.
        assert client.command("echo $# $0").stdout == b"0 bash\n"


def test_shell_without_bash():
    with Guest() as guest:
        client = guest.connect()
        # Where there is no bash the name of the shell says so; here there is, so it is looked for alone.
        call = client.command("echo $0", env=["PATH=/nonexistent"])
        assert call.stdout == b"bash\n", call.stdout


def test_arguments_are_bytes():
    with Guest() as guest:
        client = guest.connect()
        odd = [b"a b", b"'", b"$(touch x)", b"\xff\xfe", b"\n", b"", "ü".encode(), b"*"]
        call = client.command([b"/bin/sh", b"-c", b'printf "%s\\000" "$@"', b"sh", *odd])
        assert call.stdout.split(b"\0")[:-1] == odd, call.stdout


def test_environment():
    skip_under_valgrind("adds variables of its own")
    with Guest(env={"KEPT": "1", "DROPPED": "2", "PWD": "/wrong"}) as guest:
        client = guest.connect()
        call = client.command([b"/usr/bin/env", b"-0"], env=["NEW=3", "KEPT=4", "NEW=5", {"b64": "Qj3/"}],
                              unset_env=["DROPPED"])
        variables = dict(item.split(b"=", 1) for item in call.stdout.split(b"\0")[:-1])
        assert variables.pop(b"HOME").startswith(b"/")
        assert variables.pop(b"PATH")
        assert variables == {b"NEW": b"5", b"KEPT": b"4", b"B": b"\xff"}, variables


def test_program_is_found_in_the_path_of_the_command():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        program = guest.in_work("own")
        with open(program, "w") as file:
            file.write("#!/bin/sh\necho found\n")
        os.chmod(program, 0o755)
        assert client.command(["own"], env=[f"PATH=/nonexistent:{guest.work}"]).stdout == b"found\n"
        assert client.command(["own"]).error["code"] == "command_not_found"
        assert client.command(["./own"], cwd=guest.work).stdout == b"found\n"


def test_working_directory():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        assert client.command(["pwd"], cwd=guest.work).stdout.decode() == os.path.realpath(guest.work) + "\n"
        file = guest.in_work("file")
        open(file, "w").close()
        for cwd, errno in [("/nope", "ENOENT"), (file, "ENOTDIR"), (file + "/x", "ENOTDIR")]:
            error = client.command(["true"], cwd=cwd).error
            assert error["code"] == "working_directory" and cwd in error["message"], error
            assert error["details"]["errno"] == errno and error["details"]["path"] == cwd, error
        assert client.command(["true"], cwd="relative").error["code"] == "invalid_argument"
        assert client.command(["true"], cwd="/").result["exit_code"] == 0


def test_what_cannot_be_run():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        plain = guest.in_work("plain")
        with open(plain, "w") as file:
            file.write("not a program\n")
        garbage = guest.in_work("garbage")
        with open(garbage, "wb") as file:
            file.write(b"\0\1\2\3")
        os.chmod(garbage, 0o755)
        script, second = guest.in_work("a-script"), guest.in_work("second")
        for name, interpreter in ((script, "/no/such/interpreter"), (second, script)):
            with open(name, "w") as file:
                file.write(f"#!{interpreter}\n")
            os.chmod(name, 0o755)
        for program, code in [
            ("no-such-program", "command_not_found"),
            ("/no/such/program", "command_not_found"),
            ("", "command_not_found"),
            (plain, "command_not_executable"),
            (garbage, "command_not_executable"),
            ("/", "command_not_executable"),
            (script, "command_not_executable"),
            (second, "command_not_executable"),
            ("a-script", "command_not_executable"),
        ]:
            call = client.command([program], env=[f"PATH={guest.work}:/usr/bin:/bin"])
            assert call.error["code"] == code, (program, call.reply)
            assert ("interpreter" in call.error["message"]) == (program in (script, second, "a-script")), call.error
            assert call.events == [], "it has not started"
        # Nothing is left of them.
        assert client.command(["true"]).result["exit_code"] == 0


def test_invalid_arguments():
    with Guest() as guest:
        client = guest.connect()
        for args in [
            {},
            {"argv": []},
            {"argv": "true"},
            {"argv": ["true"], "shell": "true"},
            {"argv": ["true", 5]},
            {"argv": ["true", {"b64": "AA=="}]},  # holds a NUL
            {"argv": ["true", {"b64": "!"}]},
            {"shell": 5},
            {"argv": ["true"], "cwd": 5},
            {"argv": ["true"], "env": ["NOVALUE"]},
            {"argv": ["true"], "env": ["=x"]},
            {"argv": ["true"], "env": {"A": "b"}},
            {"argv": ["true"], "unset_env": ["A=b"]},
            {"argv": ["true"], "stdin": "file"},
            {"argv": ["true"], "stdout": "merge"},
            {"argv": ["true"], "stderr": True},
            {"argv": ["true"], "deadline_ms": 0},
            {"argv": ["true"], "deadline_ms": 1.5},
            {"argv": ["true"], "deadline_ms": "1"},
            {"argv": ["x"] * 4097},
            {"argv": ["x"] * 2049, "env": ["A=b"] * 2048},
        ]:
            call = client.run("command.start", args)
            assert call.error["code"] == "invalid_argument", (args, call.reply)


def test_large_arguments():
    skip_under_valgrind("ends where execve () fails")
    with Guest() as guest:
        client = guest.connect()
        assert client.command(["printf", "%s", "x" * 131000]).result["stdout_bytes"] == 131000
        argv = ["sh", "-c", "echo $#", "sh", *["x"] * 4092]
        assert client.command(argv).stdout == b"4092\n"
        most = 32 * resource.getpagesize() - 1
        assert client.command(["printf", "%s", "x" * most]).result["stdout_bytes"] == most
        for args, sentences in [
            ({"argv": ["echo", "a", "x" * (most + 1)]}, [f"“echo”: its argument 2 has {most + 1} bytes", f"takes {most} at most"]),
            ({"shell": "echo " + "x" * 200000}, ["the command text: it has 200005 bytes", f"takes {most} at most"]),
            ({"argv": ["echo"], "env": ["SECRET=" + "s3" * 100000]}, ["the variable “SECRET” of its environment has 200007 bytes"]),
        ]:
            call = client.run("command.start", args)
            error = call.error
            assert error["code"] == "too_large" and error["details"]["errno"] == "E2BIG", error
            assert all(sentence in error["message"] for sentence in sentences), error
            assert "file" in error["message"] and "s3s3" not in error["message"] and len(error["message"]) < 400, error


def test_all_arguments_together():
    """Each is short enough, and all of them are not: by a small stack, for want of larger arguments."""
    skip_under_valgrind("ends a program whose execve () fails for such a reason")
    limit = resource.getrlimit(resource.RLIMIT_STACK)
    with Guest(listen=False) as guest:
        guest.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, limit[1])))
        client = guest.connect()
        error = client.command(["echo", *["x" * 1000] * 300]).error
        assert error["details"]["errno"] == "E2BIG" and "“echo”: its arguments and its environment together" in error["message"], error
        assert client.command(["echo", *["x" * 1000] * 200]).result["exit_code"] == 0


def test_stdin_is_closed_by_default():
    with Guest() as guest:
        client = guest.connect()
        assert client.command("cat; read x; grep foo; echo done").stdout == b"done\n"


def test_stdin():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(["cat"], stdin="stream")
        data = bytes(range(256)) * 10
        client.write(call, data)
        client.until(lambda: len(call.stdout) == len(data))
        client.write(call, b"more", fin=True)
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout == data + b"more"
        # FIN alone, at once.
        call = client.start_command(["cat"], stdin="stream")
        client.write(call, fin=True)
        assert client.wait(call, OUTPUT, ERRORS).result["exit_code"] == 0


def test_stdin_data_with_fin():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(["cat"], stdin="stream")
        client.send(DATA, b"all", call=call.number, flags=FIN)
        assert client.wait(call, OUTPUT, ERRORS).stdout == b"all"


def test_much_both_ways():
    """Two full directions cannot block each other."""
    with Guest() as guest:
        client = guest.connect()
        data = os.urandom(1 << 20) * 24
        call = client.start_command(["cat"], stdin="stream")
        client.write(call, data, fin=True)
        client.wait(call, OUTPUT, ERRORS)
        assert hashlib.sha256(call.stdout).digest() == hashlib.sha256(data).digest()


def test_stdin_nobody_reads():
    with Guest() as guest:
        client = guest.connect()
        gate = make_fifo(guest, "gate")
        call = client.start_command("exec 0<&-; read x < gate", stdin="stream", cwd=guest.work)
        client.write(call, bytes(WINDOW - MAX_DATA))
        client.until(lambda: call.input_stopped)
        # What is sent after STOP is dropped, and no violation.
        client.send(DATA, bytes(MAX_DATA), call=call.number)
        open(gate, "w").close()
        client.wait(call, OUTPUT, ERRORS)


def test_stdin_of_a_command_that_ends():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command("read x; echo $x", stdin="stream")
        client.write(call, b"line\n" + bytes(100000))
        assert client.wait(call, OUTPUT, ERRORS).stdout == b"line\n"
        assert client.command(["true"]).result["exit_code"] == 0


def test_large_output():
    with Guest() as guest:
        client = guest.connect()
        client.keep = False
        call = client.command(["head", "-c", str(64 << 20), "/dev/zero"])
        assert call.received[OUTPUT] == call.result["stdout_bytes"] == 64 << 20
        call = client.command("seq 1 200000")
        assert call.result["stdout_bytes"] == 1288895


def test_command_waits_for_its_reader():
    """What nobody takes stays in its pipe, and not in the guest, while another prints far more."""
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        client.keep = False
        call = client.start_command(["head", "-c", str(8 << 20), "/dev/zero"])
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        other = guest.connect()
        other.keep = False
        assert other.command(["head", "-c", str(64 << 20), "/dev/zero"]).received[OUTPUT] == 64 << 20
        # All that was said before is read by then.
        client.run("file.stat", {"path": "/"}).result
        assert call.reply is None and call.received[OUTPUT] == WINDOW, (call.reply, call.received)
        client.credits = True
        client.credit(call, OUTPUT, WINDOW)
        client.wait(call, OUTPUT, ERRORS)
        assert call.received[OUTPUT] == call.result["stdout_bytes"] == 8 << 20


def test_result_does_not_wait_for_a_reader():
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        call = client.start_command("head -c 500000 /dev/zero")
        client.wait(call)
        assert call.result["stdout_bytes"] == 500000
        assert call.received[OUTPUT] == WINDOW and not call.ended.issuperset({OUTPUT})
        client.credits = True
        client.credit(call, OUTPUT, WINDOW)
        client.wait(call, OUTPUT, ERRORS)
        assert call.received[OUTPUT] == 500000


def test_discard_and_merge():
    with Guest() as guest:
        client = guest.connect()
        script = "echo out; echo err >&2"
        call = client.command(script, channels=[ERRORS], stdout="discard")
        assert (call.stdout, call.stderr, call.result["stdout_bytes"]) == (b"", b"err\n", 4)
        assert call.ended == {ERRORS}, "there is no other channel"
        call = client.command(script, channels=[], stdout="discard", stderr="discard")
        assert call.result["stdout_bytes"] == call.result["stderr_bytes"] == 4
        call = client.command(script, channels=[OUTPUT], stderr="merge")
        assert call.stdout == b"out\nerr\n" and call.result["stderr_bytes"] == 0
        assert call.ended == {OUTPUT}, "there is no other channel"


def test_stop_of_output():
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        call = client.start_command("head -c 3000000 /dev/zero; echo end >&2")
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.send(STOP, call=call.number, channel=OUTPUT)
        client.wait(call, OUTPUT, ERRORS)
        assert call.received[OUTPUT] == WINDOW and call.result["stdout_bytes"] == 3000000
        assert call.stderr == b"end\n"


def test_background_child_that_holds_stdout():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        call = client.start_command("{ sleep 1000 & echo $!; } > pids; sleep 1000 & echo hi", cwd=guest.work)
        [pid] = read_pids(pids, 1)
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout == b"hi\n" and call.result["reason"] == "exited" and call.result["exit_code"] == 0
        assert is_running(pid)
        client.run("guest.shutdown")
        wait_for_end([pid])


def test_background_child_goes_on_writing():
    with Guest() as guest:
        client = guest.connect()
        gate = make_fifo(guest, "gate")
        done = make_fifo(guest, "done")
        script = "{ read x < gate; head -c 5000000 /dev/zero && echo written > done; } & echo hi"
        call = client.command(script, cwd=guest.work)
        assert call.stdout == b"hi\n" and call.result["stdout_bytes"] == 3
        open(gate, "w").close()
        # It got no SIGPIPE and was not held up, though nobody takes what it writes.
        with open(done) as fifo:
            assert fifo.read() == "written\n"


def test_nohup_with_stderr_open():
    with Guest() as guest:
        call = guest.connect().command("nohup sleep 1000 > /dev/null & echo hi")
        assert call.stdout == b"hi\n"


def test_cancel():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        call = client.start_command("echo before; { sleep 1000 & echo $!; echo $$; } > pids; wait", cwd=guest.work)
        running = read_pids(pids, 2)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        result = call.result
        assert result["reason"] == "cancelled" and result["signal"] == signal.SIGTERM, result
        assert call.stdout == b"before\n"
        assert not any(is_running(pid) for pid in running)


def test_cancel_of_what_ignores_it():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        call = client.start_command("trap '' TERM; { sleep 1000 & echo $!; echo $$; } > pids; wait; wait", cwd=guest.work)
        running = read_pids(pids, 2)
        before = time.monotonic()
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled" and call.result["signal"] == signal.SIGKILL
        assert time.monotonic() - before >= 0.5, "it was given no time to end by itself"
        assert not any(is_running(pid) for pid in running)


def test_cancel_of_what_ends_well():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 1000 & wait; done")
        client.until(lambda: call.stdout == b"ready\n")
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled" and call.result["exit_code"] == 7
        assert call.stdout == b"ready\nbye\n"


def test_cancel_reaches_what_left_the_session():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        script = """
            setsid sh -c 'echo $$ > pids; sleep 1000; echo late' &
            setsid sh -c '( ( trap "" TERM; sh -c "echo \\$PPID > pids2"; sleep 1001 ) & )' &
            sleep 1002"""
        second = make_fifo(guest, "pids2")
        call = client.start_command(script, cwd=guest.work)
        running = read_pids(pids, 1) + read_pids(second, 1)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled"
        assert not any(is_running(pid) for pid in running), running


def test_cancel_of_stopped_processes():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        call = client.start_command("sh -c 'echo $$ > pids; kill -STOP $$' & wait; sleep 1000", cwd=guest.work)
        [pid] = read_pids(pids, 1)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled" and not is_running(pid)


def test_cancel_of_a_fork_bomb():
    with Guest() as guest:
        client = guest.connect()
        # Each process leaves the session and makes more of its kind. Limits of its own, of number and
        # of time, keep the machine alive.
        bomb = guest.in_work("bomb.py")
        with open(bomb, "w") as file:
            file.write("""
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
""")
        user = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_NPROC, (100 if os.getuid() == 0 else 300,) * 2); os.setuid({LONE_USER}) if os.getuid() == 0 else 0; os.execvp(sys.argv[1], sys.argv[1:])"
        os.chmod(guest.directory, 0o755)
        call = client.start_command(["python3", "-c", user, "python3", bomb])
        client.until(lambda: b"armed" in call.stdout)
        client.send(CANCEL, call=call.number)
        client.wait(call)
        assert call.result["reason"] == "cancelled"
        left = client.command(f"pgrep -f {bomb}").stdout.split()
        own = client.command(f"pgrep -f {bomb} | grep -v $$ | while read p; do test -e /proc/$p && echo $p; done").stdout
        assert not [pid for pid in left if is_running(int(pid))], (left, own)


def test_deadline():
    with Guest() as guest:
        client = guest.connect()
        call = overdue(lambda deadline_ms: client.command(
            "echo before; setsid sh -c 'sleep 1000; echo late' & sleep 1001", deadline_ms=deadline_ms))
        assert call.result["reason"] == "timeout" and call.result["signal"] == signal.SIGTERM, call.result
        assert call.stdout == b"before\n"
        # The largest, and one that in nanoseconds is not far beyond 2^64.
        for deadline_ms in (9007199254740991, 18446744073710):
            assert client.command(["sleep", "0.1"], deadline_ms=deadline_ms).result["reason"] == "exited"


def test_deadline_of_what_was_left():
    """It ends what a command that has ended left behind."""
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        script = "{ setsid sleep 1000 & echo $!; sleep 1001 & echo $!; } > pids"
        for deadline_ms in (500, 5000, 50000):
            call = client.start_command(script, deadline_ms=deadline_ms, cwd=guest.work)
            running = read_pids(pids, 2)
            client.wait(call)
            # On a machine that stands still the command itself may have been late.
            if call.result["reason"] == "exited":
                break
        assert call.result["reason"] == "exited", call.result
        wait_for_end(running)


def test_cancel_after_the_end_is_ignored():
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        call = client.start_command("head -c 300000 /dev/zero")
        client.wait(call)
        client.send(CANCEL, call=call.number)
        client.credits = True
        client.credit(call, OUTPUT, WINDOW)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "exited"


def test_killed_supervisor():
    """A command that kills its own supervisor gains nothing by it."""
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        gate = make_fifo(guest, "gate")
        call = client.start_command(
            "{ setsid sleep 1000 & echo $!; echo $$; } > pids; read x < gate; kill -9 $PPID; sleep 1001", cwd=guest.work)
        running = read_pids(pids, 2)
        client.wait_event(call)
        open(gate, "w").close()
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "unknown" and call.result["exit_code"] is None, call.result
        wait_for_end(running)
        assert client.command(["true"]).result["exit_code"] == 0


def test_stopped_supervisor():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        for args, reason in [({}, "cancelled"), ({"deadline_ms": 3000}, "timeout")]:
            gate = make_fifo(guest, "gate-" + reason)
            call = client.start_command(f"read x < {gate}; kill -STOP $PPID; echo $$ > pids; sleep 1000",
                                        cwd=guest.work, **args)
            client.wait_event(call)
            open(gate, "w").close()
            [pid] = read_pids(pids, 1)
            if reason == "cancelled":
                client.send(CANCEL, call=call.number)
            client.wait(call, OUTPUT, ERRORS)
            assert call.result["reason"] == reason, call.result
            wait_for_end([pid])


def supervisors(guest):
    """Those that a guest has now, working or ready."""
    found = []
    with open(f"/proc/{guest.process.pid}/task/{guest.process.pid}/children") as file:
        for pid in file.read().split():
            try:
                with open(f"/proc/{pid}/comm") as name:
                    found += [pid] if name.read() == "asb-supervisor\n" else []
            except OSError:
                pass
    return found


def wait_for_supervisors(guest, client, most):
    """Those too many end by themselves; the guest has buried one before it answers a PING."""
    while len(left := supervisors(guest)) > most:
        poll = select.poll()
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(ProcessLookupError):
                for pid in left:
                    descriptor = os.pidfd_open(int(pid))
                    stack.callback(os.close, descriptor)
                    poll.register(descriptor, select.POLLIN)
                assert poll.poll(PATIENCE * 1000), f"{len(left)} supervisors stay"
        n_pongs = len(client.pongs)
        client.send(PING, b"x")
        client.until(lambda: len(client.pongs) > n_pongs)


def test_supervisors_serve_again():
    """One whose command left nothing has the next, any other does not."""
    with Guest() as guest:
        client = guest.connect()

        def parent(text="", **args):
            return client.command(f"echo $PPID; {text}", **args).stdout.split()[0]

        assert len({parent() for _ in range(20)}) <= 4
        for text, args in [("setsid sleep 1000 >/dev/null 2>&1 &", {}), ("sleep 1000", {"deadline_ms": 200})]:
            used = parent(text, **args)
            assert used not in {parent() for _ in range(5)}, text
        call = client.start_command("echo $PPID; sleep 1000")
        client.until(lambda: b"\n" in call.stdout)
        started = next(event for event in call.events if event["event"] == "started")
        client.run("command.signal", {"command_id": started["command_id"], "signal": 9})
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout.strip() not in {parent() for _ in range(5)}


def test_supervisors_do_not_stay():
    """Many at once leave many, which are soon one again: one is enough for who has one at a time."""
    skip_under_valgrind("is too slow for what stays for a moment")
    with Guest() as guest:
        client = guest.connect()
        for _ in range(2):
            calls = [client.start_command("read line", stdin="stream") for _ in range(24)]
            client.until(lambda: all(call.events for call in calls))
            assert len(supervisors(guest)) >= 24
            for call in calls:
                client.write(call, fin=True)
            for call in calls:
                client.wait(call, OUTPUT, ERRORS)
            wait_for_supervisors(guest, client, 24)
        wait_for_supervisors(guest, client, 1)
        assert client.command("echo well").stdout == b"well\n"


def test_spare_supervisors_are_bounded():
    with Guest() as guest:
        client = guest.connect()

        def run_at_once():
            calls = [client.start_command("read line; echo $PPID", stdin="stream") for _ in range(40)]
            client.until(lambda: all(call.events for call in calls))
            for call in calls:
                client.write(call, fin=True)
            return {client.wait(call, OUTPUT, ERRORS).stdout for call in calls}

        before = run_at_once()
        assert len(before) == 40
        again = run_at_once() & before
        assert len(again) <= 16, len(again)


def test_stopped_spare_supervisor():
    with Guest() as guest:
        client = guest.connect()
        client.command(["true"])
        for pid in supervisors(guest):
            os.kill(int(pid), signal.SIGSTOP)
        assert client.command("echo well").stdout == b"well\n"


def test_killed_spare_supervisor():
    with Guest() as guest:
        client = guest.connect()
        for _ in range(3):
            assert client.command(["true"]).result["exit_code"] == 0
            # The newest child of the guest by that name is the one that waits for the next command.
            kill = f"until pkill -9 --newest -P {guest.process.pid} -x asb-supervisor; do :; done"
            client.command(kill)


def test_killed_guest_takes_its_commands_along():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        client.start_command("{ setsid sleep 1000 & echo $!; echo $$; } > pids; sleep 1001", cwd=guest.work)
        running = read_pids(pids, 2)
        guest.process.kill()
        wait_for_end(running)


def test_signal():
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command("trap 'echo got; exit 5' USR1; echo ready; while :; do sleep 1000 & wait; done")
        client.until(lambda: call.stdout == b"ready\n")
        command_id = call.events[0]["command_id"]
        assert client.run("command.signal", {"command_id": command_id, "signal": signal.SIGUSR1}).result == {"delivered": True}
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout == b"ready\ngot\n" and call.result["exit_code"] == 5
        assert call.result["reason"] == "exited"
        for command_id in (command_id, "unknown"):
            assert client.run("command.signal", {"command_id": command_id, "signal": 15}).result == {"delivered": False}
        for args in [{}, {"command_id": "x"}, {"command_id": 5, "signal": 15}, {"command_id": "x", "signal": 0},
                     {"command_id": "x", "signal": 65}]:
            assert client.run("command.signal", args).error["code"] == "invalid_argument", args


class Batch:
    """Holds back what is sent, to send it at once."""

    def __init__(self, client):
        self.client = client
        self.bytes = bytearray()

    def __enter__(self):
        self.socket = self.client.socket
        self.client.socket = self

    def sendall(self, data):
        self.bytes += data

    def __exit__(self, *exception):
        self.client.socket = self.socket
        self.socket.sendall(self.bytes)


def test_more_signals_than_are_taken():
    """Each is answered, also when the supervisor does not get to them."""
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(["sleep", "1000"])
        client.until(lambda: call.events)
        args = {"command_id": call.events[0]["command_id"], "signal": signal.SIGCONT}
        # The guest learns at the same time of the signals and of the supervisor that is stopped, which it lets go on later.
        stopped = [guest.process.pid, *map(int, supervisors(guest))]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        with Batch(client):
            calls = [client.start("command.signal", args) for _ in range(100)]
        for each in calls:
            client.wait(each)
        assert [each.result for each in calls[:64]] == [{"delivered": True}] * 64
        assert {each.error["code"] for each in calls[64:]} == {"too_many_requests"}
        assert client.run("command.signal", args).result == {"delivered": True}


def test_signals_and_limits_are_as_usual():
    with Guest(preexec_fn=lambda: os.umask(0o027)) as guest:
        client = guest.connect()
        call = client.command(["grep", "^Sig[BI]", "/proc/self/status"])
        assert [line.split()[1] for line in call.stdout.splitlines()] == [b"0" * 16] * 2, call.stdout
        assert client.command("umask").stdout == b"0027\n"
        import resource
        assert client.command("ulimit -n").stdout == b"%d\n" % resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_only_three_descriptors():
    with Guest() as guest:
        call = guest.connect().command(["ls", "/proc/self/fd"])
        # The last one is that of the directory itself.
        assert call.stdout.split() == [b"0", b"1", b"2", b"3"], call.stdout


def test_own_session_and_group():
    with Guest() as guest:
        call = guest.connect().command("read a b c d e f rest < /proc/self/stat; ps -o pid=,pgid=,sid= $$")
        pid, group, session = call.stdout.split()
        assert pid == group == session


def test_commands_die_first_when_memory_is_short():
    """From their first step, and with all that they start."""
    with Guest() as guest:
        client = guest.connect()
        own = int(open("/proc/self/oom_score_adj").read())
        for _ in range(20):
            told = client.command("cat /proc/self/oom_score_adj; true").stdout
            assert int(told) == min(own + 500, 1000), told
        assert int(open(f"/proc/{guest.process.pid}/oom_score_adj").read()) == own


def test_connection_lost():
    """The command runs on to its end."""
    with Guest() as guest:
        client = guest.connect()
        gate = make_fifo(guest, "gate")
        done = make_fifo(guest, "done")
        client.credits = False
        call = client.start_command("head -c 3000000 /dev/zero; read x < gate; echo ended > done", cwd=guest.work)
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.close()
        open(gate, "w").close()
        with open(done) as fifo:
            assert fifo.read() == "ended\n"
        assert guest.connect().command(["true"]).result["exit_code"] == 0


def test_connection_lost_closes_stdin():
    with Guest() as guest:
        client = guest.connect()
        done = make_fifo(guest, "done")
        call = client.start_command("cat; echo ended > done", stdin="stream", cwd=guest.work)
        client.wait_event(call)
        client.close()
        with open(done) as fifo:
            assert fifo.read() == "ended\n"


def test_deadline_after_connection_lost():
    with Guest() as guest:
        client = guest.connect()
        pids = make_fifo(guest)
        client.start_command("echo $$ > pids; sleep 1000", deadline_ms=3000, cwd=guest.work)
        running = read_pids(pids, 1)
        client.close()
        wait_for_end(running)


def test_no_zombies():
    with Guest() as guest:
        client = guest.connect()
        for _ in range(100):
            client.command("(true &); (setsid true &); true")
        # One more round, so that what the last one left has been waited for.
        children = client.command(["ps", "-o", "stat=", "--ppid", str(guest.process.pid)]).stdout.split()
        assert sum(state.startswith(b"Z") for state in children) <= 2, children


def test_no_descriptors_are_lost():
    with Guest() as guest:
        client = guest.connect()

        def count():
            return len(os.listdir(f"/proc/{guest.process.pid}/fd"))

        def some():
            client.command(["true"])
            client.command(["/nonexistent/none"])
            client.command(["true"], cwd="/nonexistent/none")
            client.command({}, stdin="stream")
            call = client.start_command(["cat"], stdin="stream")
            client.send(CANCEL, call=call.number)
            client.wait(call, OUTPUT, ERRORS)
            # What ended last is cleared away before the next is answered.
            client.command(["true"])

        if os.access(f"/proc/{guest.process.pid}/fd", os.R_OK):
            some()
            before = count()
            for _ in range(10):
                some()
            assert count() <= before + 4, (before, count())


def test_without_descriptors():
    """What lacks a descriptor gets an error, and the guest lives on."""
    skip_under_valgrind("keeps descriptors for itself")
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    with Guest(preexec_fn=limit) as guest:
        client = guest.connect()
        calls = [client.start_command(["sleep", "1000"]) for _ in range(30)]
        failed = []
        for call in calls:
            client.until(lambda: call.reply or call.events)
            if call.reply:
                failed.append(call)
        assert failed and all(call.error["code"] == "command_execution_error" for call in failed), failed
        assert failed[0].error["details"]["errno"] == "EMFILE", failed[0].reply
        for call in calls:
            client.send(CANCEL, call=call.number)
            client.wait(call, OUTPUT, ERRORS)
        assert client.command(["true"]).result["exit_code"] == 0


def test_without_processes():
    skip_under_valgrind("ends where there are no processes")
    import resource

    def limit():
        if os.getuid() == 0:
            os.setgid(LONE_USER)
            os.setuid(LONE_USER)
        resource.setrlimit(resource.RLIMIT_NPROC, (12, 12))

    with Guest(listen=False) as guest:
        os.chmod(guest.directory, 0o777)
        os.chmod(guest.work, 0o777)
        guest.start(preexec_fn=limit)
        os.chmod(guest.path, 0o777)
        client = guest.connect()
        calls = [client.start_command(["sleep", "1000"]) for _ in range(20)]
        failed = []
        for call in calls:
            client.until(lambda: call.reply or call.events)
            if call.reply:
                failed.append(call)
        assert failed and all(call.error["code"] == "command_execution_error" for call in failed), failed
        assert failed[0].error["details"]["errno"] == "EAGAIN", failed[0].reply
        for call in calls:
            client.send(CANCEL, call=call.number)
            client.wait(call, OUTPUT, ERRORS)
        assert client.command(["true"]).result["exit_code"] == 0


if __name__ == "__main__":
    main()
