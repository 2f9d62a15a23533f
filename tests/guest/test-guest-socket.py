#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The socket in the file system: one guest at a time, and nobody else's (docs/guest-protocol.md §5)."""

import contextlib
import fcntl
import os
import select
import signal
import socket
import subprocess
import threading

from guest_place import Place
from guestlib import *

# No user of the system is likely to have these.
SOMEBODY, ANOTHER = 54324, 54325


def until_ended(processes, n):
    """Waits until @n of them have, and says which have not."""
    descriptors = {os.pidfd_open(process.pid): process for process in processes}
    left = dict(descriptors)
    while len(left) > len(processes) - n:
        for fd in select.select(list(left), [], [], PATIENCE)[0]:
            del left[fd]
    for fd in descriptors:
        os.close(fd)
    return list(left.values())


def need_root():
    if os.getuid() != 0:
        raise Skip("only root can be several users")


def test_started_twenty_times_at_once():
    for _ in range(3):
        with Place() as place:
            processes = [place.popen("serve", stderr=subprocess.PIPE) for _ in range(20)]
            [one] = until_ended(processes, 19)
            for process in processes:
                if process is not one:
                    assert process.wait(PATIENCE) == 0 and process.stderr.read() == b""
            clients = [place.join() for _ in range(20)]
            assert len({client.hello["boot_id"] for client in clients}) == 1
            for client in clients:
                call = client.command("echo $(($(ps -o ppid= $PPID)))")
                assert int(call.stdout) == one.pid
                client.close()
                assert client.process.wait(PATIENCE) == 0
            place.connect().run("guest.shutdown")
            assert one.wait(PATIENCE) == 0 and not os.path.exists(place.path)
            one.stderr.close()


def test_connected_twenty_times_at_once():
    with Place() as place:
        ends = [socket.socketpair() for _ in range(20)]
        processes = [place.popen("connect", stdin=theirs, stdout=theirs) for _, theirs in ends]
        for _, theirs in ends:
            theirs.close()
        assert len({Client(ours).hello["boot_id"] for ours, _ in ends}) == 1
        for ours, _ in ends:
            ours.close()
        for process in processes:
            assert process.wait(PATIENCE) == 0


def test_only_the_user_can_reach_it():
    with Place() as place:
        place.serve()
        assert os.stat(place.run).st_mode & 0o7777 == 0o700
        for name in ("guest-1.sock", "guest-1.sock.lock", "guest-1.sock.start"):
            assert os.stat(os.path.join(place.run, name)).st_mode & 0o7777 == 0o600, name


def test_stopped_on_the_way():
    """A command can stop what its client comes by, which goes on when something comes, from either side."""
    with Place() as place:
        place.serve()
        client = place.join()
        for _ in range(3):
            client.process.send_signal(signal.SIGSTOP)
            assert client.command("echo well").stdout == b"well\n"
        assert client.command(f"kill -STOP {client.process.pid}; echo well").stdout == b"well\n"


def test_socket_and_lock_of_one_that_is_gone():
    with Place() as place:
        place.serve()
        client = place.join()
        guest = int(client.command("echo $(($(ps -o ppid= $PPID)))").stdout)
        pidfd = os.pidfd_open(guest)
        os.kill(guest, signal.SIGKILL)
        # Of those it closes on its way the one by which others come may be the last.
        wait_for_end(pidfd)
        client.process.wait(PATIENCE)
        assert os.path.exists(place.path) and os.path.exists(place.path + ".lock")
        assert place.join().hello["boot_id"] != client.hello["boot_id"]


def test_lock_that_was_removed():
    """Who removes it has no second guest for it."""
    with Place() as place:
        place.serve()
        boot_id = place.connect().hello["boot_id"]
        for name in (".lock", ".start"):
            os.unlink(place.path + name)
        place.serve()
        assert place.join().hello["boot_id"] == boot_id


def test_one_that_has_no_room():
    """Nor has who removes it when the guest takes nobody in for now."""
    with Place() as place:
        os.mkdir(place.run, 0o700)
        with socket.socket(socket.AF_UNIX) as busy, contextlib.ExitStack() as waiting:
            busy.bind(place.path)
            busy.listen(0)
            try:
                while True:
                    client = waiting.enter_context(socket.socket(socket.AF_UNIX))
                    client.setblocking(False)
                    client.connect(place.path)
            except BlockingIOError:
                pass
            place.serve()
            assert os.path.exists(place.path)


def test_lock_that_another_holds():
    with Place() as place:
        os.mkdir(place.run, 0o700)
        with open(place.path + ".start", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            place.fail("serve", "Another process holds its lock")
        place.serve()


def test_connected_while_one_ends():
    """Who comes then waits for it, and has the next one."""
    with Place() as place:
        place.serve()
        first = place.connect()
        stubborn = first.start_command("trap '' TERM; echo; while :; do read x; done", stdin="stream")
        first.until(lambda: stubborn.stdout)
        ending = first.start("guest.shutdown")
        try:
            while True:
                place.connect(hello=False).close()
        except ConnectionRefusedError:
            pass
        # As long as it ends, nobody else gets its place.
        assert ending.reply is None
        assert place.join().hello["boot_id"] != first.hello["boot_id"]


class Dying:
    """Something at the path of the guest that takes clients in, and goes before it has answered so many of them."""

    def __init__(self, place, n):
        self.listener = socket.socket(socket.AF_UNIX)
        self.path = place.path
        self.heard = []
        os.mkdir(place.run, 0o700)
        self.listener.bind(place.path)
        self.listener.listen()
        self.thread = threading.Thread(target=self.run, args=(n,))
        self.thread.start()

    def run(self, n):
        for _ in range(n):
            client = self.listener.accept()[0]
            self.heard.append(client.recv(65536))
            if len(self.heard) == n:
                self.listener.close()
                os.unlink(self.path)
            client.close()


def test_connected_to_one_that_ends():
    """Another is asked the same."""
    for n in (1, 2):
        with Place() as place:
            dying = Dying(place, n)
            client = place.join()
            dying.thread.join()
            assert len(set(dying.heard)) == 1 and client.command("echo well").stdout == b"well\n"
    with Place() as place:
        dying = Dying(place, 3)
        ours, theirs = socket.socketpair()
        ours.sendall(b"hello")
        place.fail("connect", "The guest ended before it answered", stdin=theirs)
        dying.thread.join()
        assert dying.heard == [b"hello"] * 3


def test_something_else_at_the_path():
    with Place() as place:
        elsewhere = os.path.join(place.directory, "elsewhere")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(elsewhere)
            listener.listen()
            listener.setblocking(False)
            os.mkdir(place.run, 0o700)
            # A link to a socket of somebody who would like to be the guest.
            os.symlink(elsewhere, place.path)
            for verb in ("serve", "connect"):
                place.fail(verb, f"“{place.path}”: There is something that is no socket")
            assert os.readlink(place.path) == elsewhere
            try:
                listener.accept()
                raise AssertionError("it was connected to")
            except BlockingIOError:
                pass
        os.unlink(place.path)
        with open(place.path, "w") as file:
            file.write("precious")
        for verb in ("serve", "connect"):
            place.fail(verb, "There is something that is no socket")
        with open(place.path) as file:
            assert file.read() == "precious"
        os.unlink(place.path)
        os.mkdir(place.path)
        place.fail("serve", "There is something that is no socket")


def test_something_else_as_a_lock():
    for suffix in (".lock", ".start"):
        for make in (lambda path: os.symlink("/etc/passwd", path), lambda path: os.mkfifo(path), lambda path: os.mkdir(path)):
            with Place() as place:
                os.mkdir(place.run, 0o700)
                make(place.path + suffix)
                place.fail("serve", f"Could not listen at “{place.path}”: ")


def test_something_else_as_the_directory():
    with Place() as place:
        elsewhere = os.path.join(place.directory, "elsewhere")
        os.mkdir(elsewhere, 0o700)
        os.symlink(elsewhere, place.run)
        for verb in ("serve", "connect"):
            place.fail(verb, "Its directory is none, or a symbolic link")
        os.unlink(place.run)
        with open(place.run, "w"):
            pass
        place.fail("serve", "Its directory is none")
        os.unlink(place.run)
        for mode in (0o770, 0o707, 0o1777):
            os.mkdir(place.run)
            os.chmod(place.run, mode)
            for verb in ("serve", "connect"):
                place.fail(verb, "Its directory can be written to by other users")
            os.rmdir(place.run)
        assert os.listdir(elsewhere) == []


def test_working_directory_stays():
    with Place() as place:
        process = subprocess.Popen([guest_program(), "serve", "--listen", *place.options], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, cwd=place.directory)
        # It says so when it can be reached: a client that came before would start another.
        assert process.stdout.readline().startswith(b"{")
        client = place.connect()
        assert client.command(["pwd", "-P"]).stdout == os.path.realpath(place.directory).encode() + b"\n"
        client.run("guest.shutdown")
        assert process.wait(PATIENCE) == 0
        process.stdout.close()


def read_as(place, user):
    """What the guest says to a program of another user."""
    script = """
import socket, sys
sock = socket.socket(socket.AF_UNIX)
sock.connect(sys.argv[1])
while data := sock.recv(65536):
    sys.stdout.buffer.write(data)
"""
    return subprocess.run(["/usr/bin/python3", "-c", script, place.path], user=user, capture_output=True, timeout=PATIENCE, cwd="/")


def goodbye_to(place, user):
    """… that gets to the socket all the same."""
    result = read_as(place, user)
    assert result.returncode == 0, result
    length, type, *_ = HEADER.unpack_from(result.stdout)
    assert type == GOODBYE and len(result.stdout) == HEADER.size + length, result
    return json.loads(result.stdout[HEADER.size:])


def test_other_users():
    need_root()
    with Place(user=SOMEBODY) as place:
        place.serve()
        owner = os.stat(place.path)
        assert owner.st_uid == SOMEBODY
        # Neither through the directory …
        for user in (ANOTHER, 65534):
            assert b"PermissionError" in read_as(place, user).stderr
            place.fail("connect", "Its directory belongs to another user", user=user)
        # … nor when it has been opened to them.
        os.chmod(place.run, 0o755)
        os.chmod(place.path, 0o666)
        for user in (ANOTHER, 65534):
            assert goodbye_to(place, user)["code"] == "access_denied"
            place.fail("connect", "Its directory belongs to another user", user=user)
            place.fail("serve", "Its directory belongs to another user", user=user)
        # Its own user and root can.
        assert place.join().command(["id", "-u"]).stdout == b"%d\n" % SOMEBODY
        assert place.connect().command(["id", "-u"]).stdout == b"%d\n" % SOMEBODY
        # Root is not led to somebody who may be anybody.
        place.fail("connect", "Its directory belongs to another user", user=0)


def test_guest_of_another_user():
    """Whoever listens there must be of the same user, or root."""
    need_root()
    with Place() as place:
        os.mkdir(place.run, 0o755)
        os.chmod(place.directory, 0o755)
        os.chown(place.run, SOMEBODY, -1)
        script = """
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
print(flush=True)
listener.accept()[0].recv(1)
"""
        impostor = subprocess.Popen(["/usr/bin/python3", "-c", script, place.path], user=SOMEBODY, cwd="/", stdout=subprocess.PIPE)
        impostor.stdout.readline()
        os.chown(place.run, 0, -1)
        place.fail("connect", "Whoever listens there is another user")
        assert impostor.wait(PATIENCE) == 0
        impostor.stdout.close()
        # Of a file in root's directory another can be the owner, too.
        os.unlink(place.path)
        with open(place.path + ".lock", "w"):
            os.chown(place.path + ".lock", SOMEBODY, -1)
        place.fail("serve", "Its lock is no file, or that of another user")


if __name__ == "__main__":
    main()
