#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands at a terminal (docs/guest-protocol.md §4.1, “pty” and “command.resize”)."""

import hashlib
import signal

from guestlib import *

SIZE = {"columns": 100, "rows": 30}


def at_terminal(client, argv, stdin="none", pty=SIZE, **args):
    return client.start_command(argv, stdin=stdin, pty=pty, **args)


def finish(client, call):
    """There is one channel of output."""
    client.wait(call, OUTPUT)
    assert call.ended == {OUTPUT} and call.stderr == b"", call
    return call


def resize(client, call, columns, rows):
    return client.run("command.resize", {"command_id": call.events[0]["command_id"], "columns": columns, "rows": rows})


def send_signal(client, call, number):
    args = {"command_id": call.events[0]["command_id"], "signal": number}
    return client.run("command.signal", args).result["delivered"]


def test_is_a_terminal():
    with Guest() as guest:
        client = guest.connect()
        script = "test -t 0 && test -t 1 && test -t 2 && stty size && tty && echo err >&2"
        call = finish(client, at_terminal(client, script))
        assert call.stdout.startswith(b"30 100\r\n/dev/pts/") and call.stdout.endswith(b"err\r\n"), call.stdout
        assert call.result["exit_code"] == 0 and call.result["stdout_bytes"] == len(call.stdout)
        assert call.result["stderr_bytes"] == 0
        # Without a size it is the usual one, and “stderr” makes no second channel.
        for mode in ("stream", "merge", "discard"):
            call = finish(client, at_terminal(client, "stty size; echo e >&2", pty={}, stderr=mode))
            assert call.stdout == b"24 80\r\ne\r\n", call.stdout
        # What is erased is a character, not a byte of it.
        assert b"iutf8" in finish(client, at_terminal(client, ["stty", "-a"])).stdout.split()


def test_is_the_controlling_one():
    with Guest() as guest:
        client = guest.connect()
        script = "echo through > /dev/tty; ps -o pid=,pgid=,sid=,tpgid= $$"
        call = finish(client, at_terminal(client, script))
        first, ids = call.stdout.split(b"\r\n")[:2]
        assert first == b"through" and len(set(ids.split()[:3])) == 1, call.stdout
        call = finish(client, at_terminal(client, ["ls", "/proc/self/fd"]))
        assert call.stdout.split() == [b"0", b"1", b"2", b"3"], call.stdout


def test_input_is_typed():
    with Guest() as guest:
        client = guest.connect()
        call = at_terminal(client, "stty -echo; echo ready; read line; echo got:$line; read line || echo end", stdin="stream")
        client.until(lambda: b"ready" in call.stdout)
        client.write(call, b"helx\x7flo\n", fin=True)
        finish(client, call)
        assert call.stdout == b"ready\r\ngot:hello\r\nend\r\n", call.stdout
        # A line that was begun is one, and then the input is at its end.
        call = at_terminal(client, "stty -echo; echo ready; cat; echo done", stdin="stream")
        client.until(lambda: b"ready" in call.stdout)
        client.write(call, b"begun", fin=True)
        assert finish(client, call).stdout == b"ready\r\nbegundone\r\n", call.stdout
        # At once, and with nothing typed.
        call = at_terminal(client, ["cat"], stdin="stream")
        client.write(call, fin=True)
        assert finish(client, call).result["exit_code"] == 0


def test_end_character_of_the_terminal():
    with Guest() as guest:
        client = guest.connect()
        call = at_terminal(client, "stty -echo eof x; echo ready; cat; echo done", stdin="stream")
        client.until(lambda: b"ready" in call.stdout)
        client.write(call, fin=True)
        assert finish(client, call).stdout == b"ready\r\ndone\r\n"


def test_keys_send_signals():
    with Guest() as guest:
        client = guest.connect()
        for key, name in [(b"\x03", "INT"), (b"\x1c", "QUIT")]:
            script = f"trap 'echo got {name}; exit 3' {name}; echo ready; while :; do sleep 1000 & wait; done"
            call = at_terminal(client, script, stdin="stream")
            client.until(lambda: b"ready" in call.stdout)
            client.write(call, key)
            finish(client, call)
            assert f"got {name}".encode() in call.stdout and call.result["exit_code"] == 3, call.result


def test_signals_of_keys_go_to_the_foreground():
    with Guest() as guest:
        client = guest.connect()
        call = at_terminal(client, ["bash", "--norc", "-i"], stdin="stream", env=["PS1=> ", "TERM=dumb"])
        client.until(lambda: b"> " in call.stdout)
        client.write(call, b"stty -echo; trap 'echo shell' INT TERM; echo rea''dy; sh -c 'trap \"echo child; exit 4\" INT; echo in; while :; do sleep 1000 & wait; done'; echo status $?\n")
        client.until(lambda: b"in\r\n" in call.stdout)
        assert send_signal(client, call, signal.SIGINT)
        client.until(lambda: b"status 4" in call.stdout)
        assert b"child" in call.stdout, call.stdout
        # Also the one that stops.
        client.write(call, b"sh -c 'echo on; read x'\n")
        client.until(lambda: b"on\r\n" in call.stdout)
        assert send_signal(client, call, signal.SIGTSTP)
        client.until(lambda: b"Stopped" in call.stdout)
        # The others go to the command itself. An interactive bash may hear of one only with the next key.
        assert send_signal(client, call, signal.SIGHUP)
        client.write(call, b"\n")
        finish(client, call)
        assert call.result["signal"] == signal.SIGHUP or call.result["exit_code"] == 129, call.result


def test_resize():
    with Guest() as guest:
        client = guest.connect()
        script = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
print("ready", flush=True)
signal.sigwait([signal.SIGWINCH])
print(*os.get_terminal_size(), flush=True)
sys.stdin.read()
"""
        call = at_terminal(client, ["python3", "-c", script], stdin="stream")
        client.until(lambda: b"ready" in call.stdout)
        assert resize(client, call, 65535, 1).result == {"resized": True}
        client.until(lambda: b"65535 1\r\n" in call.stdout)
        for columns, rows in [(0, 1), (1, 0), (65536, 1), (-1, 5), ("5", 5), (1.5, 5)]:
            assert resize(client, call, columns, rows).error["code"] == "invalid_argument"
        client.write(call, fin=True)
        finish(client, call)
        assert resize(client, call, 80, 24).result == {"resized": False}
        assert client.run("command.resize", {"command_id": "none", "columns": 1, "rows": 1}).result == {"resized": False}
        for args in ({}, {"command_id": 5, "columns": 1, "rows": 1}):
            assert client.run("command.resize", args).error["code"] == "invalid_argument"
        plain = client.start_command(["cat"], stdin="stream")
        client.until(lambda: plain.events)
        error = resize(client, plain, 80, 24).error
        assert error["code"] == "invalid_argument" and "no terminal" in error["message"], error
        client.write(plain, fin=True)
        client.wait(plain, OUTPUT, ERRORS)


def test_all_output_comes():
    with Guest() as guest:
        client = guest.connect()
        for n in (1, 1000, 300000):
            call = finish(client, at_terminal(client, f"stty -opost; seq 1 {n}"))
            expected = b"".join(b"%d\n" % number for number in range(1, n + 1))
            assert call.stdout == expected, (n, len(call.stdout), len(expected))
        for _ in range(100):
            call = finish(client, at_terminal(client, ["echo", "hello"]))
            assert call.stdout == b"hello\r\n", call.stdout


def test_slow_reader():
    """The command waits for a client that takes nothing, and its result does not."""
    with Guest() as guest:
        client = guest.connect()
        client.credits = False
        call = at_terminal(client, "stty -opost; head -c 500000 /dev/zero; echo over")
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        assert call.reply is None
        client.credits = True
        client.credit(call, OUTPUT, WINDOW)
        assert finish(client, call).stdout == bytes(500000) + b"over\n"


def test_raw_bytes_both_ways():
    with Guest() as guest:
        client = guest.connect()
        data = os.urandom(1 << 20)
        call = at_terminal(client, f"stty raw -echo; echo; exec head -c {len(data)}", stdin="stream")
        client.until(lambda: call.stdout == b"\n")
        client.write(call, data)
        finish(client, call)
        assert hashlib.sha256(call.stdout[1:]).digest() == hashlib.sha256(data).digest()


def test_background_child():
    """It does not hold the result, and loses its terminal."""
    with Guest() as guest:
        client = guest.connect()
        script = "sh -c 'trap \"\" HUP; echo $$; while echo x; do sleep 0.01; done' & read x; echo bye"
        call = at_terminal(client, script, stdin="stream")
        client.until(lambda: b"\r\nx" in call.stdout)
        pid = int(call.stdout.split()[0])
        fd = os.pidfd_open(pid)
        client.write(call, b"\n")
        finish(client, call)
        assert call.result["reason"] == "exited" and b"bye" in call.stdout
        import select
        assert select.select([fd], [], [], PATIENCE)[0], "it still has its terminal"
        os.close(fd)


def test_closes_it_for_a_while():
    """A command that has no descriptor of its terminal open can open it again."""
    with Guest() as guest:
        client = guest.connect()
        call = at_terminal(client, "exec < /dev/null > /dev/null 2>&1; sh -c true; echo again > /dev/tty", stdin="stream")
        assert finish(client, call).stdout == b"again\r\n"


def test_cancel_and_deadline():
    with Guest() as guest:
        client = guest.connect()
        for args, reason in [({}, "cancelled"), ({"deadline_ms": 3000}, "timeout")]:
            call = at_terminal(client, "trap '' HUP INT; setsid sleep 1000 & echo $!; sleep 1001", stdin="stream", **args)
            client.until(lambda: call.stdout.endswith(b"\n"))
            if reason == "cancelled":
                client.send(CANCEL, call=call.number)
            finish(client, call)
            assert call.result["reason"] == reason and not is_running(int(call.stdout)), call.result


def test_session_lost():
    """Who sat at the terminal is gone: it hangs up. Without an input nobody sat there."""
    with Guest() as guest:
        for stdin, expected in [("stream", "hup\n"), ("none", "end\n")]:
            client = guest.connect()
            gate, done = guest.in_work("gate-" + stdin), guest.in_work("done-" + stdin)
            os.mkfifo(gate)
            os.mkfifo(done)
            script = f"trap 'echo hup > {done}; exit' HUP; echo ready; read x < {gate}; echo end > {done}"
            call = at_terminal(client, script, stdin=stdin)
            client.until(lambda: b"ready" in call.stdout)
            client.send(GOODBYE, {"code": "closed", "message": "The client is done"})
            client.close()
            if stdin == "none":
                open(gate, "w").close()
            with open(done) as file:
                assert file.read() == expected


def test_of_another_user():
    if os.getuid() != 0:
        raise Skip("needs root")
    with Guest() as guest:
        client = guest.connect()
        call = finish(client, at_terminal(client, "echo x > /dev/tty && echo y > $(tty) && id -u", uid=54328))
        assert call.stdout == b"x\r\ny\r\n54328\r\n", call.stdout


def test_wrong():
    with Guest() as guest:
        client = guest.connect()
        for pty in [5, True, [], "80x24", {"columns": 0}, {"rows": 65536}, {"columns": "80"}]:
            call = client.command(["true"], channels=[OUTPUT], pty=pty)
            assert call.error["code"] == "invalid_argument" and call.events == [], (pty, call.reply)
        assert client.command(["test", "-t", "0"], pty=None).result["exit_code"] == 1


def test_no_descriptors_are_lost():
    with Guest() as guest:
        client = guest.connect()
        if not os.access(f"/proc/{guest.process.pid}/fd", os.R_OK):
            raise Skip("the guest cannot be looked into")

        def some():
            finish(client, at_terminal(client, ["true"], stdin="stream"))
            client.wait(at_terminal(client, ["/nonexistent/none"], stdin="stream"), OUTPUT)
            client.command(["true"])
            return len(os.listdir(f"/proc/{guest.process.pid}/fd"))

        before = some()
        for _ in range(10):
            after = some()
        assert after <= before + 4, (before, after)


if __name__ == "__main__":
    main()
