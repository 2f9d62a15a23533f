#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions: their connection breaks, and another one goes on (docs/guest-protocol.md §2.1)."""

import hashlib
import random
import select
import signal

from resuming import *


def random_cuts(seed, n, largest):
    """For so many connections, after how many bytes each breaks, in one direction or the other."""
    chance = random.Random(seed)
    for _ in range(n):
        yield chance.randrange(largest), chance.randrange(largest)


def attempt(guest, request):
    """A new connection that wants to resume."""
    client = guest.connect(hello=False)
    client.send(HELLO, {"major": 1, "minor": 0, "linger_ms": LINGER, "resume": request})
    return client, client.read()


def assert_resumed(guest, client, expected):
    other, frame = attempt(guest, client.resume_request())
    assert frame.type == HELLO, frame
    assert ("resumed" in frame.json) == expected, frame
    if not expected:
        assert frame.json["session"]["id"] != client.session["id"]
    return other


def test_hello_says_what_is_granted():
    with Guest() as guest:
        assert guest.connect().hello["session"]["linger_ms"] == 0
        client = ResumingClient(guest, linger=1234)
        assert set(client.session) == {"id", "secret", "linger_ms"}
        assert "resumed" not in client.hello


def test_bad_hello():
    resume = {"session": "s", "secret": "t", "boot_id": "b", "received": 0}
    wrong = [{"linger_ms": -1}, {"linger_ms": 300001}, {"linger_ms": 1.5}, {"linger_ms": "1"}, {"linger_ms": None},
             {"resume": None}, {"resume": "x"}, {"resume": {}}]
    for name in resume:
        wrong.append({"resume": {key: value for key, value in resume.items() if key != name}})
        wrong.append({"resume": {**resume, name: []}})
    wrong.append({"resume": {**resume, "received": -1}})
    with Guest() as guest:
        for members in wrong:
            client = guest.connect(hello=False)
            client.send(HELLO, {"major": 1, "minor": 0, **members})
            goodbye = client.until_closed()
            assert goodbye["code"] == "protocol_error", (members, goodbye)


def test_output():
    with Guest() as guest:
        path = guest.in_work("printed")
        client = ResumingClient(guest, random_cuts(1, 60, 150000))
        call = client.start_command(f"head -c 5000000 /dev/urandom | tee {path}; echo done >&2")
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["exit_code"] == 0 and call.result["stdout_bytes"] == 5000000, call.reply
        assert call.stderr == b"done\n"
        with open(path, "rb") as file:
            assert call.stdout == file.read(), "the output is not what was printed"
        assert client.n_resumed >= 10, client.n_resumed


def test_input():
    for seed in range(6):
        data = random.Random(seed).randbytes(1500000)
        with Guest() as guest:
            client = ResumingClient(guest, random_cuts(seed, 40, 60000))
            call = client.start_command(["sha256sum"], stdin="stream")
            client.write(call, data, fin=True)
            client.wait(call, OUTPUT, ERRORS)
            assert call.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()
            assert client.n_resumed >= 10, client.n_resumed


def test_files():
    data = random.Random(7).randbytes(3000000)
    with Guest() as guest:
        client = ResumingClient(guest, random_cuts(8, 60, 150000))
        path = guest.in_work("file")
        written = client.write_file(path, data)
        assert written.result["hash"] == hashlib.sha256(data).hexdigest()
        assert client.read_file(path).stdout == data
        assert client.n_resumed >= 10, client.n_resumed


def test_request_sent_twice_runs_once():
    with Guest() as guest:
        client = ResumingClient(guest)
        path = guest.in_work("runs")
        call = client.start_command(f"echo run >> {path}")
        request = client.kept[-1][1]
        client.wait(call, OUTPUT, ERRORS)
        client.resume()
        client.socket.sendall(request)
        # What comes after it has been done shows that it has been dropped, and that the numbers go on.
        assert client.command(["true"]).result["exit_code"] == 0
        with open(path) as file:
            assert file.read() == "run\n"


def test_reply_waits():
    """The command ends while nobody is there."""
    with Guest() as guest:
        client = ResumingClient(guest)
        fifo = guest.in_work("fifo")
        os.mkfifo(fifo)
        call = client.start_command(f"echo out; echo err >&2; cat {fifo} > /dev/null; exit 3")
        client.wait_event(call)
        client.socket.close()
        # Opened only when the command reads.
        with open(fifo, "w"):
            pass
        # Another client sees that it has ended.
        guest.connect().command("while kill -0 %d 2> /dev/null; do :; done" % call.events[0]["pid"])
        client.resume()
        client.wait(call, OUTPUT, ERRORS)
        assert (call.result["exit_code"], call.stdout, call.stderr) == (3, b"out\n", b"err\n")


def test_others_cannot_resume():
    with Guest() as guest:
        client = ResumingClient(guest)
        call = client.start_command(["cat"], stdin="stream")
        client.wait_event(call)
        secret = client.session["secret"]
        guesses = [
            {"secret": "0" * len(secret)}, {"secret": secret[:-1]}, {"secret": secret + "0"}, {"secret": ""},
            {"secret": secret[:-1] + ("0" if secret[-1] != "0" else "1")},
            {"session": "0" * 32}, {"session": ""}, {"boot_id": "0" * 32}, {"boot_id": ""},
        ]
        for guess in guesses:
            other, frame = attempt(guest, client.resume_request(**guess))
            assert frame.type == HELLO and "resumed" not in frame.json, (guess, frame)
            assert frame.json["session"]["id"] != client.session["id"]
            # It is a client like any other.
            other.sequence = 0
            assert other.command(["true"]).result["exit_code"] == 0
            other.close()
        client.write(call, b"still here", fin=True)
        assert client.wait(call, OUTPUT, ERRORS).stdout == b"still here"
        assert client.n_resumed == 0


def test_newest_connection_wins():
    with Guest() as guest:
        client = ResumingClient(guest)
        call = client.start_command(["cat"], stdin="stream")
        client.wait_event(call)
        half_open = client.socket.socket
        client.socket = CutSocket(half_open.dup())
        client.resume()
        assert half_open.recv(1) == b"", "the old connection is not closed without a word"
        half_open.close()
        client.write(call, b"over the new one", fin=True)
        assert client.wait(call, OUTPUT, ERRORS).stdout == b"over the new one"


def test_taken_over_as_its_timers_run_out():
    """The guest sees at once that an ACK is due on a connection and that another one takes its session over."""
    if subprocess.run([*FIRST_PROCESS, "true"], capture_output=True).returncode != 0:
        raise Skip("needs bubblewrap")
    with Guest(program=FIRST_PROCESS) as guest:
        client = ResumingClient(guest)
        call = client.start_command(["sleep", "1000"], stdin="stream")
        client.wait_event(call)
        other = guest.connect()
        with open(f"/proc/{guest.process.pid}/task/{guest.process.pid}/children") as file:
            first_process = int(file.read())

        def wait_until_all_is_seen():
            n = len(other.pongs)
            other.send(PING)
            other.until(lambda: len(other.pongs) > n)

        for _ in range(40):
            new = guest.connect(hello=False)
            wait_until_all_is_seen()
            client.write(call, b"x")
            # It is seen by then, and the ACK waits for some milliseconds more.
            select.select([], [], [], 0.002)
            os.kill(first_process, signal.SIGSTOP)
            new.send(HELLO, {"major": 1, "minor": 0, "linger_ms": LINGER, "resume": client.resume_request()})
            # Longer than an ACK may wait.
            select.select([], [], [], 0.02)
            os.kill(first_process, signal.SIGCONT)
            frame = new.read()
            assert frame.type == HELLO and "resumed" in frame.json, frame
            client.kept.clear()
            client.socket.close()
            client.socket = CutSocket(new.socket)
            client.buffer.clear()
        os.kill(first_process, signal.SIGTERM)


def test_received_makes_no_sense():
    for change in (1, -1):
        with Guest() as guest:
            client = ResumingClient(guest)
            client.command(["true"])
            # All is acknowledged before the guest answers this.
            client.send(PING)
            client.until(lambda: client.pongs)
            other, frame = attempt(guest, client.resume_request(received=client.received + change))
            assert frame.type == GOODBYE and frame.json["code"] == "protocol_error", frame
            assert_resumed(guest, client, False)


def test_session_ends():
    def say_goodbye(client):
        client.socket.sendall(HEADER.pack(2, GOODBYE, 0, 0, 0, 0) + b"{}")

    def break_rules(client):
        client.socket.sendall(HEADER.pack(0, CANCEL, 0, 0, 1, 99))
        assert Client(client.socket, hello=False).until_closed()["code"] == "protocol_error"

    def say_hello_again(client):
        client.socket.sendall(HEADER.pack(2, HELLO, 0, 0, 0, 0) + b"{}")
        assert Client(client.socket, hello=False).until_closed()["code"] == "protocol_error"

    for end in (say_goodbye, break_rules, say_hello_again):
        with Guest() as guest:
            client = ResumingClient(guest)
            end(client)
            try:
                while client.socket.socket.recv(1000):
                    pass
            except OSError:
                pass
            assert_resumed(guest, client, False)


def big_command(guest, linger):
    """A command that prints more than its window, and says on a FIFO that it is done."""
    client = ResumingClient(guest, linger=linger)
    fifo = guest.in_work("fifo")
    os.mkfifo(fifo)
    call = client.start_command(f"head -c 3000000 /dev/zero; echo done > {fifo}")
    client.wait_event(call)
    client.socket.close()
    return client, fifo


def test_command_runs_on_when_nobody_returns():
    for linger in (0, 200):
        with Guest() as guest:
            client, fifo = big_command(guest, linger)
            with open(fifo) as file:
                assert file.read() == "done\n"
            assert_resumed(guest, client, False)


def test_command_waits_while_somebody_may_return():
    with Guest() as guest:
        client, fifo = big_command(guest, LINGER)
        other = guest.connect()
        waiting = other.start_command(f"cat {fifo}")
        other.wait_event(waiting)
        other.command(["true"])
        assert waiting.reply is None and not waiting.output[OUTPUT]
        client.resume()
        (call,) = client.calls.values()
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout == bytes(3000000)
        assert other.wait(waiting, OUTPUT, ERRORS).stdout == b"done\n"


def test_interrupted_sessions_give_way():
    with Guest() as guest:
        clients = [ResumingClient(guest) for _ in range(64)]
        for client in clients[:3]:
            client.socket.close()
            # One after the other.
            client.pongs = []
            clients[-1].send(PING)
            clients[-1].until(lambda: clients[-1].pongs)
            clients[-1].pongs.clear()
        assert guest.connect().hello["session"]
        clients[1].resume()
        clients[2].resume()
        assert clients[1].command(["true"]).result["exit_code"] == 0
        refused = guest.connect(hello=False)
        refused.send(HELLO, {"major": 1, "minor": 0, "resume": clients[0].resume_request()})
        frame = refused.read()
        # There is no room for it now, or there is again: the client of a moment ago has gone.
        assert frame.type == GOODBYE or "resumed" not in frame.json, frame


def fill(guest):
    """A session that holds 4 MiB of frames, interrupted."""
    client = ResumingClient(guest)
    client.acks = client.credits = client.keep = False
    calls = [client.start_command(["head", "-c", "300000", "/dev/zero"]) for _ in range(16)]
    client.until(lambda: sum(call.received[OUTPUT] for call in calls) > MAX_UNACKNOWLEDGED - WINDOW)
    client.socket.close()
    return client


def test_interrupted_sessions_are_bounded():
    with Guest() as guest:
        clients = [fill(guest) for _ in range(10)]
        assert_resumed(guest, clients[0], False)
        assert_resumed(guest, clients[-1], True)


def test_guest_ends_while_interrupted():
    with Guest() as guest:
        client = ResumingClient(guest)
        call = client.start_command(["sleep", "1000"])
        client.wait_event(call)
        pid = call.events[0]["pid"]
        client.socket.close()
        other = guest.connect()
        other.run("guest.shutdown")
        guest.process.wait(PATIENCE)
        assert not is_running(pid)


if __name__ == "__main__":
    main()
