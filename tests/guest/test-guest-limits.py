#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a command may take (docs/guest-protocol.md §4.1, “limits”)."""

import resource

from guestlib import *

NAMES = {
    "cpu_seconds": (resource.RLIMIT_CPU, "Max cpu time"),
    "memory_bytes": (resource.RLIMIT_AS, "Max address space"),
    "file_size_bytes": (resource.RLIMIT_FSIZE, "Max file size"),
    "open_files": (resource.RLIMIT_NOFILE, "Max open files"),
    "processes": (resource.RLIMIT_NPROC, "Max processes"),
}


def limits_of(client, **limits):
    """Soft and hard limit of a command by their names in /proc."""
    call = client.command(["cat", "/proc/self/limits"], limits=limits)
    return {line[:26].strip().decode(): tuple(line[26:68].decode().split())
            for line in call.stdout.splitlines() if call.result["exit_code"] == 0}


def test_both_are_set():
    skip_under_valgrind("is held to the limits of the command that it starts")
    with Guest() as guest:
        client = guest.connect()
        wanted = {"cpu_seconds": 100, "memory_bytes": 1 << 30, "file_size_bytes": 1 << 20, "open_files": 20,
                  "processes": 500}
        found = limits_of(client, **wanted)
        for name, (_, title) in NAMES.items():
            assert found[title] == (str(wanted[name]),) * 2, (name, found)
        # Those of one command are not those of the next.
        assert limits_of(client)["Max open files"][0] != "20"


def test_what_is_not_named_stays():
    skip_under_valgrind("is held to the limits of the command that it starts")
    with Guest() as guest:
        client = guest.connect()
        plain = limits_of(client)
        for limits in [{}, {name: None for name in NAMES}]:
            assert limits_of(client, **limits) == plain
        assert limits_of(client, open_files=30) == {**plain, "Max open files": ("30", "30")}
        assert client.command(["true"], limits=None).result["exit_code"] == 0


def test_no_core_files():
    with Guest() as guest:
        soft, hard = limits_of(guest.connect())["Max core file size"]
        own = resource.getrlimit(resource.RLIMIT_CORE)[1]
        assert soft == "0" and hard == ("unlimited" if own == resource.RLIM_INFINITY else str(own)), (soft, hard)


def test_they_hold():
    skip_under_valgrind("is held to the limits of the command that it starts")
    with Guest() as guest:
        client = guest.connect()
        result = client.command("while :; do :; done", limits={"cpu_seconds": 1}).result
        assert result["reason"] == "signaled" and result["signal"] == 9, result
        call = client.command(["python3", "-c", "bytearray(1 << 30)"], limits={"memory_bytes": 1 << 29})
        assert call.result["exit_code"] == 1 and b"MemoryError" in call.stderr, call.stderr
        file = guest.in_work("file")
        call = client.command(["head", "-c", "100000", "/dev/zero"], limits={"file_size_bytes": 1000})
        assert call.result["stdout_bytes"] == 100000, "a pipe is no file"
        call = client.command(f"trap '' XFSZ; head -c 100000 /dev/zero > {file}", limits={"file_size_bytes": 1000})
        assert call.result["exit_code"] == 1 and os.path.getsize(file) == 1000, call.result
        # The guest writes nothing in the name of the command that this would hold.
        call = client.command("read x < /etc/passwd && echo $x", limits={"file_size_bytes": 1})
        assert call.result["exit_code"] == 0 and call.stdout, call.result
        opening = "import os; [os.open('/', os.O_RDONLY) for _ in range(20)]"
        assert b"Too many open files" in client.command(["python3", "-c", opening], limits={"open_files": 10}).stderr
        # They go on to what the command starts.
        call = client.command("sh -c 'ulimit -n 500 || ulimit -n'", limits={"open_files": 12})
        assert os.getuid() == 0 or call.stdout == b"12\n", call.stdout


def test_processes():
    with Guest() as guest:
        client = guest.connect()
        os.chmod(guest.directory, 0o755)
        # Whoever is root may have as many as there is room for. Of this user no other test has processes:
        # the kernel would count them, and then nothing starts at all.
        user = "import os, sys; os.setuid(54329) if os.getuid() == 0 else 0; os.execvp(sys.argv[1], sys.argv[1:])"
        script = "sleep 1000 & sleep 1001 & sleep 1002 & wait"
        call = client.start_command(["python3", "-c", user, "sh", "-c", script], limits={"processes": 2})
        client.until(lambda: b"fork" in call.stderr.lower())
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)


def test_above_those_of_the_guest():
    """Also a guest that could refuses to raise one."""
    skip_under_valgrind("is held to the limits of the command that it starts")
    def lower():
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))
        resource.setrlimit(resource.RLIMIT_CPU, (1000, 2000))

    with Guest(preexec_fn=lower) as guest:
        client = guest.connect()
        for name, bound in [("open_files", 200), ("cpu_seconds", 2000)]:
            call = client.command(["true"], limits={name: bound + 1})
            assert call.error["code"] == "invalid_argument" and call.events == [], call.reply
            assert name in call.error["message"] and str(bound) in call.error["message"], call.error
            _, title = NAMES[name]
            # The guest's own soft limit is no bound.
            assert limits_of(client, **{name: bound})[title] == (str(bound),) * 2
            # One for all commands that could not be kept is no higher, either.
            with Guest("--command-limit", f"{name}={bound + 1}", preexec_fn=lower) as other:
                assert limits_of(other.connect())[title] == (str(bound),) * 2
        assert limits_of(client)["Max open files"] == ("100", "200")


def test_of_all_commands():
    skip_under_valgrind("is held to the limits of the command that it starts")
    options = [word for limit in ["open_files=64", "processes=5000", "open_files=50"]
               for word in ("--command-limit", limit)]
    with Guest(*options) as guest:
        client = guest.connect()
        found = limits_of(client)
        assert found["Max open files"] == ("50", "50") and found["Max processes"] == ("5000", "5000"), found
        assert limits_of(client, open_files=40)["Max open files"] == ("40", "40")
        call = client.command(["true"], limits={"open_files": 51})
        assert call.error["code"] == "invalid_argument" and call.events == [], call.reply
        assert "open_files" in call.error["message"] and " 50," in call.error["message"], call.error
        # The guest itself has more: it can serve more clients than that.
        others = [guest.connect() for _ in range(50)]
        assert others[-1].command(["true"]).result["exit_code"] == 0
        for other in others:
            other.close()


def test_of_all_commands_wrong():
    for text in ["", "open_files", "open_files=", "open_files=0", "open_files=-1", "open_files=1x", "open_files= 1",
                 "files=1", "open_files=9007199254740992", "=1", "open_files=99999999999999999999999"]:
        with Guest(listen=False) as guest:
            guest.start("--command-limit", text, stderr=subprocess.PIPE)
            assert guest.process.wait(PATIENCE) == 2, text
            assert b"--command-limit" in guest.process.stderr.read(), text
            guest.process.stderr.close()


def test_wrong():
    with Guest() as guest:
        client = guest.connect()
        for limits in [5, [], "", True, {"open_files": 0}, {"open_files": -1}, {"open_files": 1.5},
                       {"open_files": "5"}, {"cpu_seconds": True}]:
            call = client.command(["true"], limits=limits)
            assert call.error["code"] == "invalid_argument" and call.events == [], (limits, call.reply)


def test_too_little_to_begin():
    """No program fits: an error or a signal, but an answer, and the guest lives on."""
    skip_under_valgrind("is held to the limits of the command that it starts")
    with Guest() as guest:
        client = guest.connect()
        for limits in [{"memory_bytes": 1}, {"memory_bytes": 200000}, {"open_files": 1}]:
            call = client.command(["cat", "/etc/passwd"], limits=limits)
            assert "error" in call.reply or call.result["exit_code"] != 0, (limits, call.reply)
        assert client.command(["true"]).result["exit_code"] == 0


if __name__ == "__main__":
    main()
