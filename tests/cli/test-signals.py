# SPDX-License-Identifier: LGPL-2.1-or-later
"""Signals that reach asb, and its terminal."""

import fcntl
import os
import resource
import signal
import subprocess

import tap_unittest
from cli_test import (ASB, ENVIRONMENT, FOLDER, LIMIT, Terminal, TestCase, asb, checker, finish, start,
                      usual_signals)


class Signals(TestCase):
    def start(self, script, **options):
        process = start("run", "--", "sh", "-c", script, **options)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def test_forwarded(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1,
                       signal.SIGUSR2]:
            name = number.name.removeprefix("SIG")
            process = self.start(f"trap 'echo got; exit 7' {name}; sleep 1000 & echo ready; wait")
            process.send_signal(number)
            self.assertEqual(finish(process), (7, b"got\n", b""), name)

    def test_fatal(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            process = self.start("echo ready; exec sleep 1000")
            process.send_signal(number)
            self.assertEqual(finish(process), (128 + number, b"", b""))

    def test_second_interrupt(self):
        """A command that does not want to end is ended."""
        process = self.start("trap 'echo got' INT; echo ready; while :; do sleep 1000 & wait; done")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.readline(), b"got\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(finish(process), (130, b"", b""))
        self.assertEqual(self.json("list"), [])

    def end(self, process, number, status):
        """Sends it the signal on and on, as what one does may be lost on a command that just ends."""
        while process.poll() is None:
            process.send_signal(number)
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
        process.communicate()
        self.assertEqual(process.returncode, status)

    def test_file_that_does_not_come(self):
        """Nobody has to kill asb where it waits for something else than its work."""
        os.mkfifo(FOLDER / "key")
        process = start("list", "--server", "localhost:1", "--api-key-file", str(FOLDER / "key"))
        with open(FOLDER / "key", "wb"):
            self.end(process, signal.SIGTERM, 128 + signal.SIGTERM)

    def test_nobody_reads(self):
        """Once the command has ended a signal is for asb, which cannot be rid of its output."""
        process = start("run", "-c", "head -c 200000 /dev/zero; echo done >&2")
        self.assertEqual(process.stderr.readline(), b"done\n")
        self.end(process, signal.SIGTERM, 128 + signal.SIGTERM)
        self.assertEqual(self.json("list"), [])

    def test_nobody_reads_a_list(self):
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        process = subprocess.Popen([ASB, "help", "run"], stdout=writing, env=ENVIRONMENT, preexec_fn=usual_signals)
        os.close(writing)
        os.read(reading, 1)
        self.end(process, signal.SIGINT, 128 + signal.SIGINT)
        os.close(reading)

    def test_ignored_stays_ignored(self):
        """As under nohup."""
        process = self.start("echo ready; read line; echo $line", stdin=subprocess.PIPE,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.assertEqual(finish_with_input(process, b"end\n"), (0, b"end\n", b""))

    def test_files_that_may_not_grow(self):
        """That is said, and nothing is left."""
        if checker.VALGRIND:
            self.skipTest("valgrind is held to the limit, too")
        for size in (0, 1024, 20 * 1024, 100 * 1024):
            result = asb("run", "--", "echo", "hi",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            self.assert_refused(result, 125)
        self.assertEqual(self.json("list"), [])
        script = "kill -XFSZ $$; echo survived"
        self.assertEqual(asb("run", "--", "sh", "-c", script).returncode, 128 + signal.SIGXFSZ)

    def test_commands_have_usual_signals(self):
        """What asb does about signals is not inherited."""
        status = asb("run", "--", "grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status")
        for line in self.assert_done(status).splitlines():
            self.assertEqual(int(line.split()[1], 16), 0, line)

    def test_sandbox_ends_with_asb(self):
        """However asb ends, what it started ends too."""
        process = start("run", "--", "sh", "-c", "echo ready; cat; sleep 1000", stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        (sandbox,) = self.json("list")
        process.kill()
        process.communicate(timeout=LIMIT)
        self.assert_done(asb("rm", sandbox["id"]))
        commands = [event for event in self.json("history", "list", sandbox["id"])
                    if event["operation_type"] == "command.execute"]
        self.assertEqual([event["status"] for event in commands], ["cancelled"])

    def test_cancelled_before_the_start(self):
        """An interrupt during the making leaves nothing."""
        process = subprocess.Popen([ASB, "create", "--name", "interrupted"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        process.send_signal(signal.SIGTERM)
        status, output, errors = finish(process)
        self.assertEqual(errors, b"")
        self.assertIn(status, [0, 128 + signal.SIGTERM, -signal.SIGTERM])
        names = [sandbox["name"] for sandbox in self.json("list")]
        self.assertEqual(names, ["interrupted"] if status == 0 else [])
        if status == 0:
            self.assert_done(asb("rm", "interrupted"))


def finish_with_input(process, text):
    output, errors = process.communicate(text, timeout=LIMIT)
    return process.returncode, output, errors


class OnATerminal(TestCase):
    def test_input_is_not_taken(self):
        """Without -i a terminal is not read from."""
        terminal = Terminal("run", "--", "cat")
        self.assertEqual(terminal.finish(), (0, b""))

    def test_interactive(self):
        terminal = Terminal("run", "-i", "--", "sh", "-c", "echo ready; read line; echo got $line")
        terminal.read_until(b"ready")
        terminal.write(b"hello\n")
        terminal.read_until(b"got hello")
        self.assertEqual(terminal.finish()[0], 0)

    def test_interrupt_key(self):
        """The key reaches the command once, through asb."""
        terminal = Terminal("run", "--", "sh", "-c",
                            "trap 'echo got; exit 7' INT; sleep 1000 & echo ready; wait")
        terminal.read_until(b"ready")
        terminal.write(b"\x03")
        status, output = terminal.finish()
        self.assertEqual(status, 7)
        self.assertEqual(output.count(b"got"), 1)

    def test_terminal_is_out_of_reach(self):
        """A command can neither open asb's terminal nor push characters into it."""
        script = """
import fcntl, os, termios
for attempt in (lambda: os.open("/dev/tty", os.O_RDWR),
                lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"),
                lambda: fcntl.ioctl(1, termios.TIOCSTI, b"x"),
                lambda: fcntl.ioctl(2, termios.TIOCSTI, b"x")):
    try:
        attempt()
        print("reached")
    except OSError as error:
        print("refused")
"""
        terminal = Terminal("run", "-i", "--", "python3", "-c", script)
        status, output = terminal.finish()
        self.assertEqual((status, output), (0, b"refused\n" * 4))

    def test_output_goes_through(self):
        terminal = Terminal("run", "--", "seq", "1", "20000")
        status, output = terminal.finish()
        self.assertEqual(status, 0)
        self.assertEqual(output.split(), [b"%d" % i for i in range(1, 20001)])


if __name__ == "__main__":
    tap_unittest.main()
