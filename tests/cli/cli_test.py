# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the command line share. Each program has a state folder of its own, and says at
the end if something was left in it."""

import atexit
import fcntl
import json
import os
import pathlib
import pty
import select
import shlex
import signal
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))

import checker  # noqa: E402

# A test that waits longer than this hangs.
LIMIT = 120 * (checker.SLOWNESS if checker.VALGRIND else 1)

_state_home = os.environ["XDG_STATE_HOME"]
os.makedirs(_state_home, exist_ok=True)
STATE = tempfile.mkdtemp(prefix="cli-", dir=_state_home)
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="cli-files-"))
ENVIRONMENT = {**os.environ, "XDG_STATE_HOME": STATE,
               "XDG_CONFIG_HOME": str(FOLDER / "no-config"), "LC_ALL": "C.UTF-8", "NO_COLOR": "",
               "ASB_COMPLETE_SECONDS": str(LIMIT)}
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def _under_valgrind(program):
    """A program of one word, whose findings the module ends with."""
    folder = tempfile.mkdtemp(prefix="cli-valgrind-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    script = pathlib.Path(folder, "asb-under-valgrind")
    script.write_text(f'#!/bin/sh\nexec {shlex.join(checker.under(program))} "$@"\n')
    script.chmod(0o755)
    unittest.addModuleCleanup(checker.check, LIMIT)
    return str(script)

ASB = _under_valgrind(os.environ["ASB"]) if checker.VALGRIND else os.environ["ASB"]

# All bytes there are, and what text handling likes to change.
BYTES = bytes(range(256)) + b"\r\n\n\r\xc3\xa9\xff\xfe\0end without newline"

def asb(*arguments, stdin=b"", environment=None, **options):
    """Runs asb to its end, with what it printed as bytes."""
    return subprocess.run([ASB, *arguments], input=stdin, capture_output=True, timeout=LIMIT,
                          env={**ENVIRONMENT, **(environment or {})}, check=False, **options)

def prepare(*arguments):
    """The same before and after what a test looks at, which need not take the time of valgrind."""
    return subprocess.run([os.environ["ASB"], *arguments], capture_output=True, timeout=LIMIT,
                          env=ENVIRONMENT, check=False)

def usual_signals():
    """What started the tests may ignore some, as a shell does for jobs in the background."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)

def start(*arguments, stdin=subprocess.DEVNULL, environment=None, **options):
    """Starts asb, with its output in pipes."""
    options.setdefault("preexec_fn", usual_signals)
    return subprocess.Popen([ASB, *arguments], stdin=stdin, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE,
                            env={**ENVIRONMENT, **(environment or {})}, **options)

def finish(process):
    """Waits for a started asb: (exit status, the rest of its output, the rest of its errors)."""
    output, errors = process.communicate(timeout=LIMIT)
    return process.returncode, output, errors

def kill_guest(sandbox):
    """Kills the guest of a local sandbox, and waits until it is gone. @sandbox: its whole ID"""
    status = pathlib.Path(STATE, "asb", "local", sandbox.removeprefix("local:"), "guest.status")
    handle = os.pidfd_open(json.loads(status.read_text().splitlines()[0])["child-pid"])
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    select.select([handle], [], [], LIMIT)
    os.close(handle)

class Terminal:
    """asb with a terminal for its standard streams, or for some of them."""

    def __init__(self, *arguments, streams=(0, 1, 2), columns=80, environment=None, program=(ASB,)):
        self.main, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        files = [inner if number in streams else subprocess.DEVNULL for number in range(3)]
        self.process = subprocess.Popen([*program, *arguments], stdin=files[0], stdout=files[1],
                                        stderr=files[2], start_new_session=True,
                                        preexec_fn=lambda: _take_terminal(inner),
                                        env={**ENVIRONMENT, **(environment or {})})
        os.close(inner)
        self.output = b""

    def read(self):
        """What comes next; nothing when nobody has the terminal any more."""
        readable, _, _ = select.select([self.main], [], [], LIMIT)
        if not readable:
            raise TimeoutError("nothing comes from the terminal")
        try:
            piece = os.read(self.main, 65536)
        except OSError:
            return b""
        self.output += piece
        return piece

    def read_until(self, text):
        while text not in self.output:
            if not self.read():
                raise EOFError(f"{text!r} is not in {self.output!r}")

    def write(self, text):
        os.write(self.main, text)

    def finish(self):
        """(exit status, all that was printed, with the line ends of a terminal made plain)."""
        while self.read():
            pass
        os.close(self.main)
        return self.process.wait(LIMIT), self.output.replace(b"\r\n", b"\n")

def _take_terminal(number):
    fcntl.ioctl(number, termios.TIOCSCTTY, 0)

class TestCase(unittest.TestCase):
    maxDiff = None

    def assert_done(self, result, output=None):
        self.assertEqual(result.stderr, b"")
        self.assertEqual(result.returncode, 0)
        if output is not None:
            self.assertEqual(result.stdout, output)
        return result.stdout

    def assert_refused(self, result, status, *words):
        """Exit status, nothing on standard output, and one sentence on standard error."""
        message = result.stderr.decode()
        self.assertEqual((result.returncode, result.stdout), (status, b""), message)
        self.assertRegex(message, r"\Aasb: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, message)
        return message

    def json(self, *arguments):
        return json.loads(self.assert_done(asb(*arguments, "--json")))

class SandboxTestCase(TestCase):
    """Tests that share one sandbox."""

    name = "box"

    @classmethod
    def setUpClass(cls):
        result = prepare("create", "--name", cls.name)
        assert result.returncode == 0, result.stderr
        cls.full_name = result.stdout.decode().strip()
        cls.sandbox = cls.full_name.partition(":")[2]

    @classmethod
    def tearDownClass(cls):
        prepare("rm", cls.full_name)

    def exec(self, *arguments, **options):
        return asb("exec", self.sandbox, *arguments, **options)
