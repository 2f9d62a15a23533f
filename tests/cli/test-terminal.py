#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands at a terminal: asb run -it, asb exec -it, asb shell."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import unittest

import tap_unittest
from cli_test import ASB, LIMIT, SandboxTestCase, Terminal, asb, checker


TIOCGPTN = 0x80045430


def setUpModule():
    """What whoever started the tests ignores, asb would too: a job in the background, or under nohup."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


class Terminals(SandboxTestCase):
    def open(self, *arguments, **options):
        terminal = Terminal(*arguments, **options)
        number, = struct.unpack("I", fcntl.ioctl(terminal.main, TIOCGPTN, bytes(4)))
        self.keeper = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)
        return terminal

    def finish(self, terminal, status=0):
        """Its terminal, which is held open to see it, is as it was before."""
        # Open at once if it has been waited for already.
        ended = os.pidfd_open(terminal.process.pid) if terminal.process.poll() is None else os.open("/dev/null", os.O_RDONLY)
        while True:
            ready = select.select([terminal.main, ended], [], [], LIMIT)[0]
            if not ready:
                raise TimeoutError(f"asb goes on: {terminal.output!r}")
            if ended in ready:
                break
            terminal.read()
        while select.select([terminal.main], [], [], 0)[0]:
            terminal.read()
        os.close(ended)
        self.assertEqual(termios.tcgetattr(self.keeper)[:4], self.usual())
        os.close(self.keeper)
        result, output = terminal.finish()
        self.assertEqual(result, status, output)
        return output

    @staticmethod
    def read_prompt(terminal):
        while not re.search(rb"[#$>] $", terminal.output):
            if not terminal.read():
                raise EOFError(terminal.output)

    @staticmethod
    def usual():
        """The settings of a terminal that nobody has changed."""
        main, inner = pty.openpty()
        settings = termios.tcgetattr(inner)[:4]
        os.close(main)
        os.close(inner)
        return settings

    def test_is_a_terminal(self):
        for words in (["exec", "-it", "box"], ["exec", "-i", "-t", "box"], ["run", "-it"]):
            terminal = self.open(*words, "--", "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && stty size; echo $TERM; exit 3",
                                 columns=101, environment={"TERM": "vt100"})
            self.assertEqual(self.finish(terminal, 3), b"24 101\nvt100\n")

    def test_own_term(self):
        terminal = self.open("exec", "-it", "-e", "TERM=dumb", "box", "--", "sh", "-c", "echo $TERM")
        self.assertEqual(self.finish(terminal), b"dumb\n")

    def test_keys(self):
        """Bytes as they are typed; what interrupts is for the command."""
        terminal = self.open("exec", "-it", "box", "--", "sh", "-c",
                             "trap 'echo interrupted' INT; stty -echo; echo ready; read line; stty raw; echo got:$line; head -c 4 | od -An -tx1")
        terminal.read_until(b"ready")
        terminal.write(b"abcx\x7f\n")
        terminal.read_until(b"got:abc")
        terminal.write(b"\x03\x1a\x1c\r")
        self.assertIn(b"03 1a 1c 0d", self.finish(terminal))

    def test_end_of_file(self):
        terminal = self.open("exec", "-it", "box", "--", "sh", "-c", "stty -echo; echo ready; exec cat")
        terminal.read_until(b"ready")
        terminal.write(b"line\n\x04")
        self.assertEqual(self.finish(terminal), b"ready\nline\n")

    def test_resize(self):
        script = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
print("ready", flush=True)
signal.sigwait([signal.SIGWINCH])
print(*os.get_terminal_size(), flush=True)
sys.stdin.readline()
"""
        terminal = self.open("exec", "-it", "box", "--", "python3", "-c", script)
        terminal.read_until(b"ready")
        fcntl.ioctl(terminal.main, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
        terminal.read_until(b"140 50")
        terminal.write(b"\n")
        self.finish(terminal)

    def test_signals(self):
        """However asb is told to end, its terminal is as it was."""
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            terminal = self.open("exec", "-it", "box", "--", "sh", "-c", "stty -echo; echo ready; exec sleep 1000")
            terminal.read_until(b"ready")
            terminal.process.send_signal(number)
            self.finish(terminal, 128 + number)
        terminal = self.open("exec", "-it", "box", "--", "sh", "-c", "trap '' INT; stty -echo; echo ready; sleep 1000")
        terminal.read_until(b"ready")
        while terminal.process.poll() is None:
            # Of signals that come too fast, some are one.
            terminal.process.send_signal(signal.SIGINT)
            try:
                terminal.process.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
        self.finish(terminal, 130)

    @unittest.skipIf(checker.VALGRIND, "nothing that valgrind runs can be stopped by a terminal")
    def test_stopped(self):
        """Who stops asb has a terminal as it was before, and asb its own when it goes on."""
        script = 'set -m; "$0" "$@"; stty; echo stopped; read line; fg >&2; stty; echo gone'
        inner = "trap 'echo resized' WINCH; stty -echo; echo ready; while ! read line; do :; done; echo got $line"
        terminal = self.open("exec", "-it", "box", "--", "sh", "-c", inner, program=("sh", "-c", script, ASB))
        terminal.read_until(b"ready")
        os.killpg(os.tcgetpgrp(terminal.main), signal.SIGTSTP)
        terminal.read_until(b"stopped")
        self.assertEqual(termios.tcgetattr(self.keeper)[:4], self.usual())
        fcntl.ioctl(terminal.main, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
        terminal.write(b"\n")
        terminal.read_until(b"resized")
        self.assertFalse(termios.tcgetattr(self.keeper)[3] & (termios.ECHO | termios.ICANON))
        terminal.write(b"keys\n")
        self.assertIn(b"got keys", self.finish(terminal))

    @unittest.skipIf(checker.VALGRIND, "nothing that valgrind runs can be stopped by a terminal")
    def test_hidden_key(self):
        """What is typed shows again while asb is stopped, and when it has ended, however it does."""
        script = 'set -m; "$0" "$@"; echo stopped; read line; fg >&2; echo gone $?'
        terminal = self.open("login", program=("sh", "-c", script, ASB))
        terminal.read_until(b"API key of")
        terminal.read_until(b": ")
        self.assertFalse(termios.tcgetattr(self.keeper)[3] & termios.ECHO)
        terminal.write(b"\x1a")
        terminal.read_until(b"stopped")
        self.assertEqual(termios.tcgetattr(self.keeper)[:4], self.usual())
        terminal.output = b""
        terminal.write(b"\n")
        terminal.read_until(b"API key of")
        self.assertFalse(termios.tcgetattr(self.keeper)[3] & termios.ECHO)
        terminal.write(b"half\x04\x03")
        output = self.finish(terminal)
        self.assertIn(b"gone 130", output)
        self.assertNotIn(b"half", output)

    def test_crash(self):
        terminal = self.open("exec", "-it", "box", "--", "sh", "-c", "stty -echo; echo ready; sleep 1000")
        terminal.read_until(b"ready")
        terminal.process.send_signal(signal.SIGSEGV)
        self.finish(terminal, -signal.SIGSEGV)

    def test_exit_status_and_failures(self):
        terminal = self.open("exec", "-it", "box", "--", "no-such-program")
        self.assertIn(b"no-such-program", self.finish(terminal, 127))
        terminal = self.open("exec", "-it", "--timeout", "1", "box", "--", "sleep", "1000")
        self.assertIn(b"--timeout", self.finish(terminal, 124))

    def test_output_alone(self):
        """Without -i nothing is typed at it, and this terminal is left alone."""
        terminal = self.open("exec", "-t", "box", "--", "sh", "-c", "test -t 1 && echo yes")
        self.assertEqual(self.finish(terminal).strip(), b"yes")

    def test_without_a_terminal(self):
        self.assert_refused(asb("exec", "-it", "box", "--", "true"), 125, "terminal", "--tty")
        self.assert_refused(asb("run", "-t", "--", "true"), 125, "terminal", "--tty")
        self.assert_refused(asb("shell", "box"), 125, "terminal", "asb exec")
        terminal = Terminal("exec", "-it", "box", "--", "true", streams=(1, 2))
        status, output = terminal.finish()
        self.assertEqual(status, 125)
        self.assertIn(b"input is no terminal", output)

    def test_record(self):
        terminal = self.open("exec", "-it", "box", "--", "echo", "recorded here")
        self.finish(terminal)
        operation = self.json("history", "list", "box")[-1]
        output = asb("history", "output", "box", str(operation["seq"]))
        self.assertEqual(self.assert_done(output), b"recorded here\r\n")

    def test_shell(self):
        for words in (["shell", "box"], ["shell"]):
            terminal = self.open(*words, environment={"TERM": "dumb"})
            self.read_prompt(terminal)
            terminal.write(b"echo $((6 * 7))-$0; pwd; exit 5\n")
            output = self.finish(terminal, 5)
            self.assertRegex(output, rb"42-(bash|sh)\n/workspace\n")
        self.assertEqual([box["name"] for box in self.json("list")], ["box"])

    def test_shell_keeps(self):
        terminal = self.open("shell", "--keep", environment={"TERM": "dumb"})
        self.read_prompt(terminal)
        terminal.write(b"echo x > file; exit\n")
        output = self.finish(terminal).decode()
        name = output.rpartition("asb shell ")[2].strip()
        self.assert_done(asb("cat", name, "file"), b"x\n")
        self.assert_done(asb("rm", name))

    def test_shell_of_its_own_kind(self):
        """A new sandbox is made as asb run and asb create make theirs."""
        terminal = self.open("shell", "-kn", "kind", "--network=host", "--ttl", "1h", environment={"TERM": "dumb"})
        self.read_prompt(terminal)
        terminal.write(b"echo $(grep -c : /proc/net/dev) >lines; exit\n")
        self.finish(terminal)
        with open("/proc/net/dev", encoding="ascii") as file:
            here = sum(":" in line for line in file)
        self.assert_done(asb("cat", "kind", "lines"), b"%d\n" % here)
        self.assertIsNotNone(self.json("info", "kind")["expires_at"])
        self.assert_done(asb("rm", "kind"))

    def test_shell_of_what_is_there(self):
        for option in ["--keep", "--name=x", "--ttl=1", "--network=host", "--provider=mock", "--set=a=b"]:
            terminal = self.open("shell", option, "box")
            output = self.finish(terminal, 125)
            self.assertIn(f"{option.partition('=')[0]} is for a new sandbox".encode(), output)


class Options(SandboxTestCase):
    def test_user(self):
        own = int(self.assert_done(self.exec("id", "-u")))
        self.assert_done(self.exec("--user", str(own), "--", "id", "-u"), b"%d\n" % own)
        self.assert_refused(self.exec("--user", "54321", "--", "id"), 125, "user 54321")
        self.assert_refused(self.exec("--user", "54321:54322", "--", "id"), 125, "user 54321", "group 54322")
        for text in ("root", "", "-1", "1:", ":1", "1:2:3", "4294967295", "1.5"):
            self.assert_refused(self.exec(f"--user={text}", "--", "id"), 125, "--user")

    def test_limit(self):
        output = self.exec("--limit", "files=20", "--limit", "cpu=5m", "ulimit -n; ulimit -Ht")
        self.assert_done(output, b"20\n300\n")
        self.assert_refused(self.exec("--limit", "files=x", "--", "true"), 125, "files=x")
        self.assert_refused(self.exec("--limit", "files=9007199254740991", "--", "true"), 125, "open_files")


if __name__ == "__main__":
    tap_unittest.main()
