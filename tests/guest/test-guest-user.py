#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands as another user (docs/guest-protocol.md §4.1, “uid” and “gid”)."""

import os
import signal
import subprocess
import tempfile

from guestlib import *

# Of no entry in /etc/passwd, and of one that is everywhere.
STRANGER = 54324
NOBODY = 65534


def needs_root():
    """Only a guest that is root, and not of a user namespace with one user, can become others."""
    with open("/proc/self/uid_map") as users:
        if os.getuid() != 0 or int(users.read().split()[2]) <= NOBODY:
            raise Skip("needs root and the other users")


def open_to_all(guest):
    for directory in (guest.directory, guest.work):
        os.chmod(directory, 0o777)


def ids_of(client, **args):
    """The four user and group IDs of a command, and its other groups."""
    call = client.command(["grep", "-E", "^(Uid|Gid|Groups)", "/proc/self/status"], **args)
    return [[int(number) for number in line.split()[1:]] for line in call.stdout.splitlines()]


def test_own():
    with Guest() as guest:
        client = guest.connect()
        plain = ids_of(client)
        for args in [{"uid": os.getuid()}, {"gid": os.getgid()}, {"uid": os.getuid(), "gid": os.getgid()},
                     {"uid": None, "gid": None}]:
            assert ids_of(client, **args) == plain, args


def test_another():
    needs_root()
    with Guest() as guest:
        client = guest.connect()
        assert ids_of(client, uid=STRANGER, gid=STRANGER + 1) == [[STRANGER] * 4, [STRANGER + 1] * 4, []]
        assert ids_of(client, gid=STRANGER) == [[0] * 4, [STRANGER] * 4, []]
        # Without a group it is that of the user, where that is known.
        assert ids_of(client, uid=STRANGER)[1] == [os.getgid()] * 4
        import pwd
        assert ids_of(client, uid=NOBODY)[1] == [pwd.getpwuid(NOBODY).pw_gid] * 4


def test_no_way_back():
    needs_root()
    with Guest() as guest:
        client = guest.connect()
        call = client.command(["python3", "-c", "import os; os.setuid(0)"], uid=STRANGER, gid=STRANGER)
        assert call.result["exit_code"] == 1 and b"PermissionError" in call.stderr, call.stderr
        assert client.command(["cat", "/etc/shadow"], uid=STRANGER, gid=STRANGER).result["exit_code"] == 1


def test_home():
    needs_root()
    import pwd
    with Guest(env={"HOME": "/root"}) as guest:
        client = guest.connect()
        for args, home in [({}, "/root"), ({"uid": NOBODY}, pwd.getpwuid(NOBODY).pw_dir), ({"uid": STRANGER}, "/"),
                           ({"uid": STRANGER, "env": ["HOME=/x"]}, "/x"),
                           ({"uid": STRANGER, "unset_env": ["HOME"]}, "unset")]:
            assert client.command("echo ${HOME-unset}", **args).stdout.decode() == home + "\n", args


def test_streams_can_be_opened_again():
    needs_root()
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command("cat /dev/stdin > /dev/stdout; echo x > /dev/stderr", stdin="stream", uid=STRANGER)
        client.write(call, b"through", fin=True)
        client.wait(call, OUTPUT, ERRORS)
        assert (call.stdout, call.stderr) == (b"through", b"x\n")
        assert client.command("cat < /dev/stdin", uid=STRANGER).result["exit_code"] == 0
        assert os.stat("/dev/null").st_uid == 0


def test_working_directory():
    """Nobody starts where he may not be."""
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    needs_root()
    with Guest() as guest:
        client = guest.connect()
        closed = guest.in_work("closed")
        os.mkdir(closed, 0o700)
        open_to_all(guest)
        error = client.command(["true"], cwd=closed, uid=STRANGER).error
        assert error["code"] == "working_directory" and error["details"]["errno"] == "EACCES", error
        assert client.command(["pwd"], cwd=guest.work, uid=STRANGER).stdout.strip().decode() == guest.work
        program = guest.in_work("program")
        with open(program, "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod(program, 0o700)
        assert client.command([program]).result["exit_code"] == 0
        assert client.command([program], uid=STRANGER).error["code"] == "command_not_executable"


def test_is_within_reach():
    """Signal, cancelling and deadline reach what another user runs, also what left its session."""
    needs_root()
    with Guest() as guest:
        client = guest.connect()
        script = "trap 'echo got' USR1; setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1000; done' & echo $$; wait; wait"
        call = client.start_command(script, uid=STRANGER, gid=STRANGER)
        client.until(lambda: call.stdout.count(b"\n") == 2)
        running = [int(pid) for pid in call.stdout.split()]
        sent = client.run("command.signal", {"command_id": call.events[0]["command_id"], "signal": signal.SIGUSR1})
        assert sent.result == {"delivered": True}
        client.until(lambda: b"got" in call.stdout)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled" and call.result["signal"] == signal.SIGTERM, call.result
        assert not any(is_running(pid) for pid in running)
        call = overdue(lambda deadline_ms: client.command(
            "setsid sleep 1000 & echo $!; sleep 1001", uid=STRANGER, deadline_ms=deadline_ms))
        assert call.result["reason"] == "timeout" and not is_running(int(call.stdout)), call.result


def test_limits_of_another():
    skip_under_valgrind("is held to the limits of the command that it starts")
    needs_root()
    with Guest() as guest:
        client = guest.connect()
        call = client.command("ulimit -n; ulimit -n 21 || echo no", uid=STRANGER, limits={"open_files": 20})
        assert call.stdout == b"20\nno\n", call.stdout
        # More of its processes are there already than there may be.
        others = [client.start_command(["cat"], uid=STRANGER, stdin="stream") for _ in range(2)]
        client.until(lambda: all(other.events for other in others))
        error = client.command(["true"], uid=STRANGER, limits={"processes": 1}).error
        assert error["code"] == "command_execution_error" and error["details"]["errno"] == "EAGAIN", error
        for other in others:
            client.write(other, fin=True)
            client.wait(other, OUTPUT, ERRORS)


def refused(client, guest, why, **args):
    proof = guest.in_work("it-ran")
    call = client.command(["touch", proof], **args)
    assert call.error["code"] == "permission_denied" and call.events == [], call.reply
    assert why in call.error["message"], call.error
    for name, number in args.items():
        assert f"{'user' if name == 'uid' else 'group'} {number}" in call.error["message"], call.error
    assert not os.path.exists(proof)


def test_of_a_guest_without_the_right():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest(listen=False) as guest:
        open_to_all(guest)

        def become_another():
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(STRANGER)
                os.setuid(STRANGER)

        guest.start(preexec_fn=become_another)
        os.chmod(guest.path, 0o777)
        client = guest.connect()
        for args in [{"uid": 0}, {"gid": 0}, {"uid": STRANGER + 1, "gid": STRANGER + 1}]:
            refused(client, guest, "no right", **args)
        own = client.hello["uid"]
        assert ids_of(client, uid=own)[0] == [own] * 4


def test_of_a_guest_that_could_not_kill():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    needs_root()
    with Guest(listen=False) as guest:
        open_to_all(guest)
        # What a program loses from its bounding set it does not get by being root.
        lose = "import ctypes, os, sys; ctypes.CDLL(None).prctl(24, 5, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
        guest.start(program=["/usr/bin/python3", "-c", lose])
        client = guest.connect()
        refused(client, guest, "could not end", uid=STRANGER)
        assert ids_of(client, gid=STRANGER)[1] == [STRANGER] * 4


def test_in_a_namespace_of_one_user():
    """As in a local sandbox."""
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest(listen=False) as guest:
        if os.system("unshare --user --map-root-user true 2>/dev/null") != 0:
            raise Skip("needs user namespaces")
        guest.start(program=["unshare", "--user", "--map-root-user"])
        client = guest.connect()
        refused(client, guest, "no right", uid=STRANGER)
        refused(client, guest, "no right", uid=STRANGER, gid=0)
        assert ids_of(client, uid=0, gid=0)[0] == [0] * 4


def guest_with(passwd, directory):
    """One that has another /etc/passwd, and no HOME."""
    path = os.path.join(directory, "passwd")
    with open(path, "wb") as file:
        file.write(passwd)
    program = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", path, "/etc/passwd", "--die-with-parent", "--"]
    if subprocess.run([*program, "true"], capture_output=True).returncode != 0:
        raise Skip("needs bubblewrap")
    guest = Guest(program=program, env={"PATH": os.environ["PATH"]})
    open_to_all(guest)
    return guest


# A number that is @n when only 64 bits of it are kept, with and without a sign.
def wrapped(n):
    return [b"-%d" % (2**64 - n), b"%d" % (2**64 + n), b"-%d" % (2**65 - n)]


# Lines before that of a user that are not it, the number of which stands in {}.
IMPOSTORS = [
    *[b"x:x:%b:7:x:/impostor:/bin/sh\n" % number for number in (b"+{}", b" {}", b"-{}", b"{}x", b"0x{}", b"", b"{}.0")],
    b"x:x:{}:7\n", b"x:x:{}\n", b"{}\n", b":::\n", b"\n", b"x:x:{}:4294967295:x:/impostor:/bin/sh\n",
    b"x:x:{}:-7:x:/impostor:/bin/sh\n", b"x:x:{}:+7:x:/impostor:/bin/sh\n", b"x:x:{}:%b:x:/impostor:/bin/sh\n" % wrapped(7)[0],
    # What is behind the most that a line may have is no line of its own.
    b"y" * 4095 + b"x:x:{}:7:x:/impostor:/bin/sh\n", b"y" * 4096 + b"x:x:{}:7:x:/impostor:/bin/sh\n",
    b"y:x:{}:7:x:/impostor:/" + b"y" * 5000 + b"\n", b"y:x:{}:7:x:/impostor:\0/bin/sh\n",
]


def passwd_of(uid, lines, last=b"me:x:{}:54330:me:/home/of me:/bin/sh\n"):
    return b"".join([*lines, last]).replace(b"{}", b"%d" % uid)


def test_lines_of_nobody():
    """What is nearly the line of a user, by its number or its length, is not."""
    uid = os.getuid()
    impostors = IMPOSTORS + [b"x:x:%b:7:x:/impostor:/bin/sh\n" % number for number in wrapped(uid)]
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        for lines, last, home in [
            (impostors, b"me:x:{}:54330:me:/home/of me:/bin/sh\n", b"/home/of me"),
            (impostors, b"me:x:{}:54330:me:/home/of me:/bin/sh", b"/home/of me"),
            (impostors, b"me:x:{}:54330:me:relative:/bin/sh\n", b"/"),
            (impostors, b"", b"/"),
        ]:
            with guest_with(passwd_of(uid, lines, last), directory) as guest:
                assert guest.connect().command("printf %s \"$HOME\"").stdout == home, (last, home)


def test_line_of_another():
    needs_root()
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        lines = IMPOSTORS + [b"x:x:%b:7:x:/impostor:/bin/sh\n" % number for number in wrapped(STRANGER)]
        with guest_with(passwd_of(STRANGER, lines), directory) as guest:
            client = guest.connect()
            assert ids_of(client, uid=STRANGER) == [[STRANGER] * 4, [54330] * 4, []]
            assert client.command("printf %s \"$HOME\"", uid=STRANGER).stdout == b"/home/of me"


def test_passwd_without_end():
    """Nobody reads for ever, of whatever there is much."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        for filler in (b"", b"\n" * (2 << 20), b"x" * (2 << 20) + b"\n"):
            with guest_with(passwd_of(os.getuid(), [filler]), directory) as guest:
                home = guest.connect().command("printf %s \"$HOME\"").stdout
                assert home == (b"/" if filler else b"/home/of me"), (len(filler), home)


def test_wrong():
    with Guest() as guest:
        client = guest.connect()
        for name in ("uid", "gid"):
            for value in (-1, -2, 1.5, "0", True, [], 4294967295, 9007199254740991):
                call = client.command(["true"], **{name: value})
                assert call.error["code"] == "invalid_argument" and name in call.error["message"], (value, call.reply)


if __name__ == "__main__":
    main()
