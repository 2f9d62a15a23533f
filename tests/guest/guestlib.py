# SPDX-License-Identifier: LGPL-2.1-or-later
"""A client of the guest protocol, made to break its rules as well as to keep them, and what tests need around it."""

import base64
import contextlib
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import traceback

import checker
from reachable import reachable

HEADER = struct.Struct(">IBBHIQ")

CALL, REPLY, EVENT, DATA, CANCEL, STOP = range(1, 7)
HELLO, ACK, CREDIT, PING, PONG, GOODBYE = range(16, 22)
FIN = 1
INPUT, OUTPUT, ERRORS = range(3)

WINDOW = 262144
MAX_DATA = 65536
MAX_CONTROL = 1048576
MAX_UNACKNOWLEDGED = 4 * 1024 * 1024

# Runs a program as the first process of a namespace: it is not stopped by those inside, and stays
# stopped when something comes for it.
FIRST_PROCESS = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--as-pid-1", "--die-with-parent", "--"]

# Nothing is expected to take so long: it ends a test that would hang.
PATIENCE = 60 * checker.SLOWNESS


def text(value):
    """A text of the protocol."""
    raw = value if isinstance(value, bytes) else value.encode()
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(raw).decode()}


def raw(value):
    """The bytes of a text of the protocol."""
    if isinstance(value, dict):
        return base64.b64decode(value["b64"])
    return value.encode()


class Frame:
    def __init__(self, type, flags, channel, call, sequence, payload):
        self.type = type
        self.flags = flags
        self.channel = channel
        self.call = call
        self.sequence = sequence
        self.payload = payload

    @property
    def json(self):
        return json.loads(self.payload)

    def __repr__(self):
        return f"Frame(type={self.type} flags={self.flags} channel={self.channel} call={self.call} {self.payload[:200]!r})"


# Of a user who has no other processes where those count: others may run the same tests at the same
# time.
LONE_USER = 30000 + os.getpid() % 20000


class Closed(Exception):
    """The guest has closed the connection."""


class Skip(Exception):
    """The test cannot be done here, and says why."""


def skip_under_valgrind(reason):
    if checker.VALGRIND:
        raise Skip(f"valgrind {reason}")


class CallState:
    """What has come for one call."""

    def __init__(self, number):
        self.number = number
        self.events = []
        self.reply = None
        self.output = {OUTPUT: bytearray(), ERRORS: bytearray()}
        self.received = {OUTPUT: 0, ERRORS: 0}
        self.ended = set()
        self.input_credit = 0
        self.input_sent = 0
        self.input_stopped = False

    @property
    def result(self):
        assert "result" in self.reply, self.reply
        return self.reply["result"]

    @property
    def error(self):
        assert "error" in self.reply, self.reply
        return self.reply["error"]

    @property
    def stdout(self):
        return bytes(self.output[OUTPUT])

    @property
    def stderr(self):
        return bytes(self.output[ERRORS])

    @property
    def lines(self):
        return [json.loads(line) for line in self.stdout.splitlines()]


class Client:
    """Acknowledges and credits what comes unless told not to."""

    def __init__(self, sock, hello=True, **said):
        self.socket = sock
        self.socket.settimeout(PATIENCE)
        self.buffer = bytearray()
        self.sequence = 0
        self.received = 0
        self.acknowledged = 0
        self.next_call = 1
        self.calls = {}
        self.credits = True
        self.acks = True
        self.keep = True
        self.pongs = []
        self.goodbye = None
        if hello:
            self.send(HELLO, {"major": 1, "minor": 0, "features": [], **said})
            self.hello = self.read().json

    def close(self):
        self.socket.close()

    # Sending

    def send(self, type, payload=b"", call=0, channel=0, flags=0, sequence=None):
        if not isinstance(payload, (bytes, bytearray)):
            payload = json.dumps(payload).encode()
        if sequence is None:
            if type <= STOP:
                self.sequence += 1
                sequence = self.sequence
            else:
                sequence = 0
        self.socket.sendall(HEADER.pack(len(payload), type, flags, channel, call, sequence) + payload)

    def start(self, name, args=None, record=None, number=None):
        if number is None:
            number = self.next_call
            self.next_call += 1
        request = {"call": name, "args": args or {}}
        if record is not None:
            request["record"] = record
        self.calls[number] = CallState(number)
        self.send(CALL, request, call=number)
        return self.calls[number]

    def write(self, call, data=b"", fin=False):
        """Sends DATA within the window."""
        view = memoryview(data)
        while view:
            room = WINDOW - (call.input_sent - call.input_credit)
            if call.input_stopped or call.reply is not None:
                return
            if room == 0:
                self.step()
                continue
            part = view[: min(room, MAX_DATA)]
            self.send(DATA, bytes(part), call=call.number)
            call.input_sent += len(part)
            view = view[len(part):]
        if fin:
            self.send(DATA, b"", call=call.number, flags=FIN)

    def credit(self, call, channel, count):
        self.send(CREDIT, struct.pack(">Q", count), call=call.number, channel=channel)

    def ack(self, count):
        self.send(ACK, struct.pack(">Q", count))

    def ack_if_open(self, count):
        """After guest.shutdown nobody may be there to read it."""
        try:
            self.ack(count)
        except BrokenPipeError:
            pass

    # Receiving

    def fill(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise Closed()
        self.buffer += data

    def read(self):
        """The next frame, whatever it is."""
        while len(self.buffer) < HEADER.size:
            self.fill()
        length, type, flags, channel, call, sequence = HEADER.unpack_from(self.buffer)
        while len(self.buffer) < HEADER.size + length:
            self.fill()
        payload = bytes(self.buffer[HEADER.size: HEADER.size + length])
        del self.buffer[: HEADER.size + length]
        return Frame(type, flags, channel, call, sequence, payload)

    def step(self):
        """Reads one frame and books it."""
        frame = self.read()
        if frame.type <= STOP:
            assert frame.sequence == self.received + 1, (frame, self.received)
            self.received = frame.sequence
            if self.acks:
                self.ack_if_open(self.received)
        call = self.calls.get(frame.call)
        if frame.type == REPLY:
            assert call.reply is None, "a second REPLY"
            call.reply = frame.json
        elif frame.type == EVENT:
            assert call.reply is None, "an EVENT after the REPLY"
            call.events.append(frame.json)
        elif frame.type == DATA:
            assert frame.channel not in call.ended, "DATA after FIN"
            call.received[frame.channel] += len(frame.payload)
            if self.keep:
                call.output[frame.channel] += frame.payload
            if frame.flags & FIN:
                call.ended.add(frame.channel)
            # A guest that has closed takes none; what it said before is still to be read.
            if self.credits and frame.payload:
                with contextlib.suppress(BrokenPipeError):
                    self.credit(call, frame.channel, call.received[frame.channel])
        elif frame.type == STOP:
            call.input_stopped = True
        elif frame.type == CREDIT:
            call.input_credit = struct.unpack(">Q", frame.payload)[0]
        elif frame.type == ACK:
            self.acknowledged = struct.unpack(">Q", frame.payload)[0]
        elif frame.type == PONG:
            self.pongs.append(frame.payload)
        elif frame.type == GOODBYE:
            self.goodbye = frame.json
        return frame

    def until(self, condition):
        while not condition():
            self.step()

    def wait(self, call, *channels):
        """Until the REPLY and the ends of the channels have come."""
        self.until(lambda: call.reply is not None and call.ended.issuperset(channels))
        return call

    def wait_event(self, call):
        n = len(call.events)
        self.until(lambda: len(call.events) > n or call.reply is not None)
        assert len(call.events) > n, call.reply
        return call.events[-1]

    def until_closed(self):
        """The GOODBYE that the guest said, as the last thing, before it closed."""
        try:
            while True:
                frame = self.step()
                assert self.goodbye is None or frame.type == GOODBYE, frame
        except (Closed, ConnectionResetError):
            return self.goodbye

    # Whole calls

    def run(self, name, args=None, channels=(), **kwargs):
        return self.wait(self.start(name, args, **kwargs), *channels)

    def command(self, argv=None, channels=(OUTPUT, ERRORS), record=None, **args):
        """Runs a command to its end; a string is a text for the shell."""
        if isinstance(argv, str):
            args["shell"] = argv
        elif argv is not None:
            args["argv"] = [text(item) for item in argv]
        return self.run("command.start", args, channels=channels, record=record)

    def start_command(self, argv, **args):
        if isinstance(argv, str):
            args["shell"] = argv
        else:
            args["argv"] = [text(item) for item in argv]
        return self.start("command.start", args)

    def write_file(self, path, data, record=None, **args):
        call = self.start("file.write", {"path": text(path), **args}, record=record)
        self.write(call, data, fin=True)
        return self.wait(call)

    def read_file(self, path, record=None, **args):
        return self.run("file.read", {"path": text(path), **args}, channels=[OUTPUT], record=record)

    def list(self, path):
        return self.run("file.list", {"path": text(path)}, channels=[OUTPUT])


class Guest:
    """A guest of its own, in a directory of its own."""

    def __init__(self, *options, env=None, listen=True, **popen):
        self.directory = tempfile.mkdtemp(prefix="asb-guest-test-")
        self.history = os.path.join(self.directory, "history")
        self.path = os.path.join(self.directory, "socket")
        self.work = os.path.join(self.directory, "work")
        os.mkdir(self.work)
        self.process = None
        self.listener = None
        if listen:
            self.start(*options, env=env, **popen)

    def start(self, *options, env=None, pass_fds=(), program=(), **popen):
        """@program runs the guest, whose command line follows."""
        if self.listener is None:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(self.path)
            self.listener.listen(128)
        fd = self.listener.fileno()
        self.process = subprocess.Popen(
            [*program, *checker.command(guest_program()), "serve", "--listen-fd", str(fd), "--history-dir", self.history,
             *options],
            pass_fds=(fd, *pass_fds), env=checker.environment(env), stdin=subprocess.DEVNULL, **popen)

    def connect(self, hello=True):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(self.path)
        return Client(sock, hello)

    def in_work(self, name):
        return os.path.join(self.work, name)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
        if self.process:
            self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
        if self.listener:
            self.listener.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def guest_program():
    return reachable(os.environ["ASB_GUEST_PATH"])


def overdue(run):
    """What @run gives, with a deadline that left time to print something: more when the machine stands still."""
    for deadline_ms in (500, 5000, 50000):
        call = run(deadline_ms)
        if call.stdout:
            return call
    raise AssertionError("nothing was printed")


def is_running(pid):
    """Whether there is such a process that is not a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def count_descriptors(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        raise Skip("only root may count the descriptors of a process that cannot be dumped")


def wait_for_hang_up(*sockets):
    """Until the guest has closed each of them, which need not be read for that."""
    for sock in sockets:
        poll = select.poll()
        poll.register(sock, 0)
        assert poll.poll(PATIENCE * 1000), "a connection is still open"


def wait_for_end(pidfd):
    """Until the process has ended, which on a loaded machine may be after that was reported."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    assert poll.poll(PATIENCE * 1000), "a process is still running"
    os.close(pidfd)


def main():
    """Runs the functions named test_… of the program as TAP."""
    module = sys.modules["__main__"]
    tests = [(name, item) for name, item in vars(module).items() if name.startswith("test_") and callable(item)]
    if checker.is_used():
        tests.append(("checker", lambda: checker.check(PATIENCE)))
    wanted = sys.argv[1:]
    tests = [(name, item) for name, item in tests if not wanted or name in wanted]
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for number, (name, item) in enumerate(tests, 1):
        try:
            item()
            print(f"ok {number} {name}", flush=True)
        except Skip as reason:
            print(f"ok {number} {name} # SKIP {reason}", flush=True)
        except Exception:
            failed += 1
            for line in traceback.format_exc().splitlines():
                print("#", line)
            print(f"not ok {number} {name}", flush=True)
    sys.exit(1 if failed else 0)
