#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program: options, serve and connect, and as the first process of a sandbox (docs/guest-protocol.md §5)."""

import fcntl
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile

from guestlib import *


def run(*arguments, **kwargs):
    return subprocess.run([guest_program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE, **kwargs)


class Place:
    """A directory for a guest that binds its socket itself."""

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="asb-guest-test-")
        self.path = os.path.join(self.directory, "run", "guest-1.sock")
        self.history = os.path.join(self.directory, "history")
        self.options = ["--socket", self.path, "--history-dir", self.history]
        return self

    def __exit__(self, *exception):
        try:
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(self.path)
            Client(sock).run("guest.shutdown")
        except OSError:
            pass
        shutil.rmtree(self.directory, ignore_errors=True)

    def connect(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(self.path)
        return Client(sock)

    def join(self, **kwargs):
        """A client through “connect”."""
        ours, theirs = socket.socketpair()
        process = subprocess.Popen([guest_program(), "connect", *self.options], stdin=theirs, stdout=theirs, **kwargs)
        theirs.close()
        client = Client(ours)
        client.process = process
        return client


def test_version_and_help():
    version = run("--version")
    assert version.returncode == 0 and version.stdout.startswith(b"asb-guest ") and version.stderr == b""
    text = run("--help")
    assert text.returncode == 0 and b"--liveness-fd" in text.stdout


def test_wrong_usage():
    for arguments in [
        [], ["nonsense"], ["serve", "--nonsense"], ["serve", "--socket"], ["serve", "--socket", "relative"],
        ["serve", "--listen-fd", "x"], ["serve", "--listen-fd", "-1"], ["serve", "--listen-fd", "99999999999"],
        ["connect", "--record-only"], ["serve", "--history-dir", ""],
    ]:
        result = run(*arguments)
        assert result.returncode == 2 and b"asb-guest: " in result.stderr, (arguments, result)


def test_descriptors_that_are_no_use():
    with tempfile.TemporaryFile() as file:
        for arguments in [["--listen-fd", "77"], ["--liveness-fd", "77"], ["--environment-fd", "77"],
                          ["--removal-fd", "77"],
                          ["--ready-fd", "77"],
                          ["--listen-fd", str(file.fileno())]]:
            result = run("serve", *arguments, pass_fds=[file.fileno()])
            assert result.returncode == 1 and b"asb-guest: Could not use the descriptor" in result.stderr, result


def test_processes_that_cannot_be_started():
    """Neither of the two by which a guest goes into the background."""
    if os.getuid() != 0:
        raise Skip("only root can be a user of no other process")
    for limit in (1, 2):
        def become():
            resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
            os.setuid(LONE_USER)

        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o777)
            for verb in (["serve", "--daemon"], ["connect"]):
                result = run(*verb, "--socket", f"{directory}/run/guest-1.sock", preexec_fn=become, cwd="/")
                assert result.returncode == 1, (limit, result)
                assert result.stderr.startswith(b"asb-guest: Could not start another process: "), (limit, result)


def test_connect_starts_a_guest():
    with Place() as place:
        client = place.join()
        assert client.command(["echo", "hi"]).stdout == b"hi\n"
        again = place.join()
        assert again.hello["boot_id"] == client.hello["boot_id"]
        # It outlives who started it.
        for one in (client, again):
            one.close()
            assert one.process.wait(PATIENCE) == 0
        assert place.connect().hello["boot_id"] == client.hello["boot_id"]
        directory = os.stat(os.path.dirname(place.path))
        assert directory.st_mode & 0o777 == 0o700
        assert os.stat(place.path).st_mode & 0o777 == 0o600


def test_many_connect_at_once():
    with Place() as place:
        clients = []
        processes = [subprocess.Popen([guest_program(), "connect", *place.options], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE) for _ in range(10)]
        for process in processes:
            payload = b'{"major": 1, "minor": 0}'
            process.stdin.write(HEADER.pack(len(payload), HELLO, 0, 0, 0, 0) + payload)
            process.stdin.flush()
        for process in processes:
            header = HEADER.unpack(process.stdout.read(HEADER.size))
            clients.append(json.loads(process.stdout.read(header[0]))["boot_id"])
        assert len(set(clients)) == 1, clients
        for process in processes:
            process.stdin.close()
            assert process.wait(PATIENCE) == 0


def test_second_serve():
    with Place() as place:
        client = place.join()
        second = run("serve", *place.options)
        assert second.returncode == 0 and second.stderr == b"", second
        assert client.command(["true"]).result["exit_code"] == 0
        # When the first has gone, another can come, over the socket of one that was killed too.
        client.run("guest.shutdown")
        assert client.process.wait(PATIENCE) == 0
        third = place.join()
        assert third.hello["boot_id"] != client.hello["boot_id"]
        pid = int(third.command("echo $(($(ps -o ppid= $PPID)))").stdout)
        fd = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        import select
        select.select([fd], [], [])
        os.close(fd)
        fourth = place.join()
        assert fourth.hello["boot_id"] != third.hello["boot_id"]


def test_long_socket_path():
    with Place() as place:
        deep = os.path.join(place.directory, "x" * 100, "y" * 100)
        place.path = os.path.join(deep, "guest-1.sock")
        place.options[1] = place.path
        client = place.join()
        assert client.command(["true"]).result["exit_code"] == 0
        client.run("guest.shutdown")


def test_socket_that_cannot_be_bound():
    result = run("serve", "--socket", "/proc/no/such/socket")
    assert result.returncode == 1 and "Could not listen at “/proc/no/such/socket”" in result.stderr.decode(), result
    result = run("connect", "--socket", "/proc/no/such/socket")
    assert result.returncode == 1 and "Could not connect to “/proc/no/such/socket”" in result.stderr.decode(), result


def test_connect_passes_everything():
    with Place() as place:
        client = place.join()
        data = os.urandom(1 << 20) * 8
        call = client.start_command(["cat"], stdin="stream")
        client.write(call, data, fin=True)
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout == data
        client.run("guest.shutdown")
        assert client.process.wait(PATIENCE) == 0


def test_connect_leaves_standard_input_as_it_was():
    """Whoever has it as well gets no signals in the name of a process that has ended."""
    with Place() as place:
        ours, theirs = socket.socketpair()
        before = fcntl.fcntl(theirs, fcntl.F_GETFL)
        process = subprocess.Popen([guest_program(), "connect", *place.options], stdin=theirs, stdout=theirs)
        Client(ours).run("guest.shutdown")
        assert process.wait(PATIENCE) == 0
        assert fcntl.fcntl(theirs, fcntl.F_GETFL) == before
        theirs.close()
        ours.close()


def test_inherited_descriptors_are_closed():
    ours, theirs = os.pipe()
    with Guest(pass_fds=[theirs]) as guest:
        os.close(theirs)
        guest.connect()
        # End of file: nobody has the other end any more.
        assert os.read(ours, 1) == b""
        os.close(ours)


def test_shared_descriptors_are_left_as_they_were():
    """By one that sends it signals the guest's number would get them for ever, whosever it is by then."""
    def sends_signals(fd):
        return bool(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ASYNC)

    owner, theirs = os.pipe()
    with Guest(listen=False) as guest:
        guest.start("--liveness-fd", str(owner), pass_fds=[owner])
        client = guest.connect()
        assert sends_signals(guest.listener) and sends_signals(owner)
        client.run("guest.shutdown")
        assert guest.process.wait(PATIENCE) == 0
        assert not sends_signals(guest.listener) and not sends_signals(owner)
    os.close(owner)
    os.close(theirs)


def test_removal_descriptor():
    """What can be read there tells that the files are being removed: nothing goes on."""
    ours, theirs = os.pipe()
    with Guest("--removal-fd", str(ours), pass_fds=[ours]) as guest:
        client = guest.connect()
        call = client.start_command(["cat"], stdin="stream")
        client.wait_event(call)
        os.write(theirs, b"x")
        assert client.wait(call).result["reason"] == "cancelled", call.reply
        assert guest.process.wait(PATIENCE) == 0
    os.close(ours)
    os.close(theirs)


def test_without_standard_descriptors():
    with Guest(listen=False) as guest:
        guest.start(preexec_fn=lambda: os.closerange(0, 3))
        assert guest.connect().command("echo hi; cat").stdout == b"hi\n"


def test_ready_descriptor():
    """Told once clients can connect, with its end held by nobody else; at its end without a word after a failure."""
    ours, theirs = os.pipe()
    with Guest("--ready-fd", str(theirs), pass_fds=[theirs]) as guest:
        os.close(theirs)
        assert os.read(ours, 16) == b"+" and os.read(ours, 16) == b""
        guest.connect()
    os.close(ours)
    ours, theirs = os.pipe()
    with subprocess.Popen([guest_program(), "serve", "--ready-fd", str(theirs), "--socket", "/dev/null/x"],
                          pass_fds=[theirs], stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        assert os.read(ours, 16) == b"" and process.wait(PATIENCE) == 1
    os.close(ours)


def test_ready_descriptor_of_nobody():
    """That nobody reads it is no reason not to serve."""
    ours, theirs = os.pipe()
    os.close(ours)
    with Guest("--ready-fd", str(theirs), pass_fds=[theirs]) as guest:
        os.close(theirs)
        assert guest.connect().command("echo hi").stdout == b"hi\n"


def test_environment_descriptor():
    skip_under_valgrind("adds variables of its own")
    ours, theirs = os.pipe()
    os.write(theirs, b"SECRET=s3cret\0EMPTY=\0HOME=/somewhere\0ODD=\xff\n\0")
    os.close(theirs)
    with Guest("--environment-fd", str(ours), pass_fds=[ours], env={"FROM": "outside", "HOME": "/else"}) as guest:
        os.close(ours)
        client = guest.connect()
        assert client.hello["home"] == "/somewhere"
        call = client.command(["/usr/bin/env", "-0"])
        variables = dict(item.split(b"=", 1) for item in call.stdout.split(b"\0")[:-1])
        assert variables.pop(b"PATH")
        assert variables == {b"SECRET": b"s3cret", b"EMPTY": b"", b"HOME": b"/somewhere", b"ODD": b"\xff\n",
                             b"FROM": b"outside"}, variables
        with open(f"/proc/{guest.process.pid}/cmdline", "rb") as cmdline:
            assert b"s3cret" not in cmdline.read()


def test_environment_out_of_order():
    many = b"".join(b"N%d=\0" % i for i in range(4097))
    large = b"A=" + b"x" * (4 << 20) + b"\0"
    for records in [b"NOVALUE\0", b"=x\0", b"A=b", b"\0", b"A=b\0\0", many, large]:
        with tempfile.TemporaryFile() as file:
            file.write(records)
            file.seek(0)
            fd = file.fileno()
            result = run("serve", "--environment-fd", str(fd), "--socket", "/dev/null/x", pass_fds=[fd])
        assert result.returncode == 1 and b"--environment-fd" in result.stderr, (records[:100], result)


def test_home_without_environment():
    with Guest(env={}) as guest:
        import pwd
        assert guest.connect().hello["home"] == pwd.getpwuid(os.getuid()).pw_dir


def test_hidden_from_its_commands():
    """Commands of the same user can read neither environment nor memory of the guest."""
    if checker.SANITIZER:
        raise Skip("a sanitizer has to look into the process")

    def become():
        if os.getuid() == 0:
            os.setgid(54324)
            os.setuid(54324)

    with Guest(listen=False) as guest:
        for path in (guest.directory, guest.work):
            os.chmod(path, 0o777)
        guest.start(preexec_fn=become, env={"SECRET": "s3cret"})
        os.chmod(guest.path, 0o777)
        client = guest.connect()
        client.run("file.stat", {"path": "/"})
        # All that is ours: broker, historian, worker, supervisor and the spare one, which comes when the command has
        # run for a while.
        script = """
            while [ $(pgrep -P $GUEST | wc -l) -lt 4 ]; do :; done
            n=0
            for pid in $GUEST $(pgrep -P $GUEST); do
                n=$((n + 1))
                cat /proc/$pid/environ && echo read $pid
                head -c 1 /proc/$pid/mem > /dev/null && echo read $pid
                ls /proc/$pid/fd > /dev/null && echo listed $pid
            done 2> /dev/null
            echo looked at $n"""
        call = client.command(script, env=[f"GUEST={guest.process.pid}"], unset_env=["SECRET"])
        assert call.stdout == b"looked at 5\n", call.stdout


def test_idle_memory():
    if checker.is_used():
        raise Skip("a checker of memory needs memory of its own")
    with Guest() as guest:
        client = guest.connect()
        client.command(["true"])
        client.run("file.stat", {"path": "/"})
        pids = [guest.process.pid, *map(int, client.command(["pgrep", "-P", str(guest.process.pid)]).stdout.split())]
        total = 0
        for pid in pids:
            try:
                with open(f"/proc/{pid}/smaps_rollup") as rollup:
                    total += int([line for line in rollup if line.startswith("Pss:")][0].split()[1])
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                pass
        assert total < 8 * 1024, total


def bubblewrap():
    """The beginning of a command line that makes a sandbox with a first process of one's own."""
    program = shutil.which("bwrap")
    if not program:
        raise Skip("there is no bubblewrap")
    command = [program, "--unshare-all", "--as-pid-1", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
               "--tmpfs", "/tmp"]
    if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("bubblewrap cannot make a sandbox here")
    return command


def test_first_process():
    command = bubblewrap()
    with Guest(listen=False) as guest:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(guest.path)
        listener.listen()
        fd = listener.fileno()
        guest.process = subprocess.Popen(
            [*command, "--ro-bind", guest_program(), "/tmp/asb-guest", "/tmp/asb-guest", "serve", "--listen-fd", str(fd),
             "--history-dir", "/tmp/history"], pass_fds=[fd], stdin=subprocess.DEVNULL)
        listener.close()
        client = guest.connect()
        # The command's parent is its supervisor, and that one's the guest.
        assert client.command("ps -o ppid= -p $PPID").stdout.split() == [b"1"]
        # The guest takes no orders from inside.
        for name in ("TERM", "INT", "HUP", "KILL", "STOP", "USR1", "PIPE"):
            assert client.command(f"kill -{name} 1").result["exit_code"] == 0
        # Not even an agent that kills all it can has an effect on others' commands to come.
        client.command("kill -9 -1")
        assert client.command(["echo", "alive"]).stdout == b"alive\n"
        assert client.run("file.stat", {"path": "/"}).result["entry"]["kind"] == "directory"
        # Orphans of whoever are waited for.
        client.command("for i in $(seq 100); do (setsid true &); done; true")
        client.command(["true"])
        states = client.command(["ps", "-e", "-o", "stat="]).stdout.split()
        assert sum(state.startswith(b"Z") for state in states) <= 2, states
        # From outside it does take them.
        call = client.start_command(["sleep", "1000"])
        client.wait_event(call)
        [first] = subprocess.check_output(["pgrep", "-P", str(guest.process.pid)]).split()
        os.kill(int(first), signal.SIGTERM)
        client.wait(call)
        assert call.result["reason"] == "cancelled", call.result
        assert guest.process.wait(PATIENCE) == 0


def test_sandbox_without_proc_or_dev():
    command = bubblewrap()
    with Guest(listen=False) as guest:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(guest.path)
        listener.listen()
        fd = listener.fileno()
        binds = [item for name in ("/usr", "/bin", "/lib", "/lib64") if os.path.exists(name)
                 for item in ("--ro-bind", name, name)]
        guest.process = subprocess.Popen(
            [command[0], "--unshare-all", "--as-pid-1", *binds, "--tmpfs", "/tmp", "--ro-bind", guest_program(),
             "/tmp/asb-guest", "/tmp/asb-guest", "serve", "--listen-fd", str(fd), "--history-dir", "/tmp/history"],
            pass_fds=[fd], stdin=subprocess.DEVNULL)
        listener.close()
        client = guest.connect()
        assert client.command("cat; echo hi").stdout == b"hi\n"
        assert client.write_file("/tmp/file", b"x").result["size"] == 1
        call = client.start_command("trap '' TERM; echo ready; (sleep 1000; sleep 1001) & sleep 1000; sleep 1001")
        client.until(lambda: call.stdout == b"ready\n")
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled", call.result
        client.run("guest.shutdown")


if __name__ == "__main__":
    main()
