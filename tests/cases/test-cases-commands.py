#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands as they go wrong for people who run agents: bytes, pipes, deadlines, shell text."""

import hashlib
import os
import pathlib
import resource
import threading
import time

import tap_unittest
from asb_test import Asb, Gio, GLib
from cases_test import CaseTestCase

MIB = 1 << 20

# Nothing is expected to take so many seconds.
LIMIT = 60


class Output(CaseTestCase):
    """Output is bytes, whatever they are and however they come."""

    def collect(self, spec, *signals):
        """What each signal of a command brought."""
        spec.set_flags(Asb.CommandFlags.OUTPUT_SIGNALS)
        command = self.backend.start_command(spec, None)
        loop = GLib.MainLoop()
        pieces = {name: [] for name in signals}
        for name in signals:
            command.connect(name, lambda command, piece, name=name: pieces[name].append(
                piece if isinstance(piece, str) else piece.get_data()))
        command.connect("exited", lambda command: loop.quit())
        loop.run()
        return command.get_result(), pieces

    def test_burst(self):
        result = self.run_shell("seq 1 200000")
        self.assertEqual(result.get_stdout_total(), 1288895)
        self.assertEqual(self.shell("echo still here"), b"still here\n")

    def test_character_in_pieces(self):
        """The parts of a character come one by one: the next when the reader has the last."""
        spec = Asb.CommandSpec(shell=r"printf 'caf\303'; read x; printf '\251 \342\230'; read x; "
                                     r"printf '\225'", flags=Asb.CommandFlags.STDIN_PIPE
                               | Asb.CommandFlags.OUTPUT_SIGNALS)
        command = self.backend.start_command(spec, None)
        loop = GLib.MainLoop()
        data, text = [], []

        def on_data(command, piece):
            data.append(piece.get_data())
            if b"".join(data)[-1:] in (b"\xc3", b"\x98"):
                command.get_stdin_pipe().write_all(b"go\n", None)

        command.connect("stdout-data", on_data)
        command.connect("stdout-text", lambda command, piece: text.append(piece))
        command.connect("exited", lambda command: loop.quit())
        loop.run()
        self.assertEqual(data, [b"caf\xc3", b"\xa9 \xe2\x98", b"\x95"])
        self.assertEqual(text, ["caf", "\u00e9 ", "\u2615"])

    def test_half_a_character_at_the_end(self):
        text = r"printf 'a\342\230'"
        _, pieces = self.collect(Asb.CommandSpec(shell=text), "stdout-data", "stdout-text")
        self.assertEqual(b"".join(pieces["stdout-data"]), b"a\xe2\x98")
        self.assertEqual("".join(pieces["stdout-text"]), self.run_shell(text).dup_stdout_text())
        self.assertEqual("".join(pieces["stdout-text"]).rstrip("\ufffd"), "a")

    def test_not_utf8(self):
        result = self.run_shell(r"printf '\377\376x\000y\n'; exit 3")
        self.assertEqual(result.get_exit_status(), 3)
        self.assertEqual(result.get_stdout_bytes().get_data(), b"\xff\xfex\0y\n")
        self.assertTrue(result.get_exact())
        self.assertEqual(result.dup_stdout_text(), "\ufffd\ufffdx\ufffdy\n")

    def test_line_ends(self):
        for text, output in ((r"printf 'no newline at end'", b"no newline at end"),
                             (r"printf 'a\n\nb'", b"a\n\nb"),
                             (r"printf '10%%\r50%%\r100%%\n'", b"10%\r50%\r100%\n"),
                             (r"printf '\n'", b"\n"), (r"printf '\r\n\r'", b"\r\n\r"),
                             (r"printf '\000'", b"\0"), ("true", b"")):
            self.assertEqual(self.shell(text), output)
            _, pieces = self.collect(Asb.CommandSpec(shell=text), "stdout-data")
            self.assertEqual(b"".join(pieces["stdout-data"]), output)

    def test_many_small_writes(self):
        """Each piece comes once and in order, on each stream by itself."""
        script = "import os\nfor i in range(100000): os.write(1 + i % 2, b'%07d\\n' % i)"
        result, pieces = self.collect(Asb.CommandSpec(argv=["python3", "-c", script]),
                                      "stdout-data", "stderr-data")
        for first, stream in enumerate(("stdout-data", "stderr-data")):
            self.assertEqual(b"".join(pieces[stream]),
                             b"".join(b"%07d\n" % i for i in range(first, 100000, 2)))
        self.assertEqual((result.get_stdout_total(), result.get_stderr_total()), (400000, 400000))

    def test_much_in_little_memory(self):
        """The result holds the head and the tail, the memory not much more."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        result = self.run_shell("echo first; head -c 134217728 /dev/zero; echo last")
        self.assertEqual(result.get_stdout_total(), 128 * MIB + 11)
        self.assertTrue(result.get_stdout_truncated())
        output = result.get_stdout_bytes().get_data()
        self.assertEqual(len(output), MIB)
        self.assertEqual((output[:6], output[-5:]), (b"first\n", b"last\n"))
        self.assertFalse(result.get_stderr_truncated())
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 32 * 1024)

    def test_bounds(self):
        """The first and the last bytes, with nothing between them; the streams give everything."""
        digits = b"".join(b"%d" % (i % 10) for i in range(1000))
        for maximum, tail, expected in ((1000, 100, digits), (999, 100, digits[:899] + digits[-100:]),
                                        (10, 4, digits[:6] + digits[-4:]), (10, 0, digits[:10]),
                                        (10, 10, digits[-10:]), (1, 1, digits[-1:]), (0, 0, b"")):
            config = Asb.CommandResultConfig(max_stdout_bytes=maximum, max_stderr_bytes=maximum,
                                             preserve_tail_bytes=tail)
            options = Asb.BackendOptions(provider_name="local", command_result_config=config)
            with Asb.create_backend(options, None) as backend:
                spec = Asb.CommandSpec.new_argv(["printf", "%s", digits.decode()])
                result = backend.execute(spec, None)
                self.assertEqual(result.get_stdout_bytes().get_data() or b"", expected)
                self.assertEqual(result.get_stdout_total(), 1000)
                self.assertEqual(result.get_stdout_truncated(), maximum < 1000)
                command = backend.start_command(spec, None)
                self.assertEqual(command.get_stdout_pipe().read_bytes(2000, None).get_data(), digits)
                command.wait(None)


class Pipes(CaseTestCase):
    """Nobody waits for a pipe that nobody will write to, read or close."""

    def test_background_children(self):
        """Whichever of the streams they hold open."""
        for redirection in ("", ">/dev/null", "2>/dev/null", "</dev/null", ">&2", "2>&1"):
            self.assertEqual(self.shell(f"sleep 100000 {redirection} & echo hi"), b"hi\n")
        self.assertEqual(self.shell("nohup sleep 100000 >/dev/null & echo hi"), b"hi\n")
        self.assertEqual(self.shell("setsid sleep 100000 & echo hi"), b"hi\n")
        self.assertIn(b"sleep 100000", self.processes())
        self.shell("pkill sleep")

    def test_input_nobody_gives(self):
        self.assertEqual(self.shell("cat; read x; grep foo; wc -c; echo done"), b"0\ndone\n")

    def test_input_that_is_closed(self):
        """By us, by the command, and again."""
        spec = Asb.CommandSpec(shell="exec 0<&-; echo closed; exec sleep 100000",
                               flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(7, None).get_data(), b"closed\n")
        with self.assertRaises(GLib.Error) as caught:
            while True:
                command.get_stdin_pipe().write_all(bytes(65536), None)
        self.assertTrue(caught.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.BROKEN_PIPE),
                        caught.exception)
        command.force_exit()
        command.wait(None)
        spec = Asb.CommandSpec(argv=["cat"], flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        command.get_stdin_pipe().close(None)
        with self.assertRaises(GLib.Error) as caught:
            command.get_stdin_pipe().write_all(b"x", None)
        self.assertTrue(caught.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CLOSED),
                        caught.exception)
        command.wait(None)
        self.assertTrue(command.get_successful())

    def test_everything_through_a_pipe(self):
        """100 MiB in and out again, at the same time."""
        spec = Asb.CommandSpec(argv=["cat"], flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        block = hashlib.shake_256(b"seed").digest(MIB)
        sent, received = hashlib.sha256(), hashlib.sha256()

        def feed():
            for _ in range(100):
                sent.update(block)
                command.get_stdin_pipe().write_all(block, None)
            command.get_stdin_pipe().close(None)

        thread = threading.Thread(target=feed)
        thread.start()
        while piece := command.get_stdout_pipe().read_bytes(MIB, None).get_data():
            received.update(piece)
        thread.join()
        command.wait(None)
        self.assertTrue(command.get_successful())
        self.assertEqual(sent.hexdigest(), received.hexdigest())

    def test_millions_of_lines(self):
        command = self.backend.start_command(Asb.CommandSpec(shell="seq 10000000"), None)
        received, total = hashlib.sha256(), 0
        while piece := command.get_stdout_pipe().read_bytes(MIB, None).get_data():
            received.update(piece)
            total += len(piece)
        command.wait(None)
        self.assertEqual(total, 78888897)
        self.assertEqual(self.shell("seq 10000000 | sha256sum").split()[0].decode(),
                         received.hexdigest())


class Orphans(CaseTestCase):
    """A sandbox that lives long buries those whose parents have gone, and keeps nothing for them."""

    def look(self):
        """The processes inside that nobody has waited for, and all."""
        counts = self.shell("cat /proc/[0-9]*/status 2>/dev/null | grep -c '^State:.Z'; ls -d /proc/[0-9]* | wc -l")
        return [int(count) for count in counts.split()]

    def test_thousands_of_commands(self):
        def work():
            for _ in range(250):
                self.shell("(true &) ; true")

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        limit = time.monotonic() + LIMIT
        while (look := self.look())[0] >= 4 or look[1] >= 24:
            self.assertLess(time.monotonic(), limit, look)
        # Of those outside one at most is ours: bubblewrap.
        ours = [path for path in pathlib.Path("/proc").glob("[0-9]*/stat") if self.is_our_zombie(path)]
        self.assertLess(len(ours), 2)

    @staticmethod
    def is_our_zombie(path):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state == "Z" and int(parent) == os.getpid()


class Ends(CaseTestCase):
    """A deadline and a cancellation end everything, keep what was printed, and are called so."""

    def test_deadline(self):
        for timeout in (300, 3000, 30000):
            result = self.run_shell("echo before; (while :; do echo x >> /tmp/alive; done) & sleep 77701",
                                    timeout_ms=timeout)
            self.assertEqual(result.get_state(), Asb.CommandState.TIMEOUT)
            # When the machine stands still it may be over before it began.
            if result.get_stdout_total():
                break
        self.assertEqual(result.get_stdout_bytes().get_data(), b"before\n")
        self.assert_no_process(b"77701")
        self.assertEqual(self.shell("wc -c < /tmp/alive; wc -c < /tmp/alive").split()[0],
                         self.shell("wc -c < /tmp/alive").strip())

    def test_deadline_and_those_who_left(self):
        """Sessions and parents of their own do not save them."""
        for text in ("setsid sleep 77702 & sleep 77702", "(setsid sh -c 'sleep 77702 & sleep 77702' &); sleep 77702",
                     "trap '' TERM; (trap '' TERM HUP; nohup sleep 77702) & sleep 77702",
                     "sleep 77702 | sleep 77702 | cat", "kill -STOP $$; sleep 77702"):
            result = self.run_shell(text, timeout_ms=200)
            self.assertEqual(result.get_state(), Asb.CommandState.TIMEOUT)
            self.assertEqual((result.get_has_exit_status(), result.get_exit_status()), (False, -1))
            self.assert_no_process(b"77702")

    def test_end_with_a_status(self):
        """What is told to go may do so with any status: that is none of its own."""
        for text in ("trap 'exit 0' TERM; echo x; sleep 77704 & wait", "trap 'exit 7' TERM; echo x; sleep 77704 & wait"):
            spec = Asb.CommandSpec(shell=text)
            command = self.backend.start_command(spec, None)
            self.assertEqual(command.get_stdout_pipe().read_bytes(2, None).get_data(), b"x\n")
            command.force_exit()
            command.wait(None)
            self.assertFalse(command.get_if_exited())
            job = self.backend.start_job(spec, None, None)
            output = job.open_output(Asb.OutputStream.STDOUT, 0, True, None)
            self.assertEqual(output.read_bytes(2, None).get_data(), b"x\n")
            job.stop(None)
            results = [command.get_result(), job.wait(None)]
            for result in results:
                self.assertEqual(result.get_state(), Asb.CommandState.CANCELLED)
                self.assertEqual((result.get_has_exit_status(), result.get_exit_status()), (False, -1))

    def test_cancelled_from_another_thread(self):
        self.shell("rm -f /tmp/fifo; mkfifo /tmp/fifo")
        cancellable = Gio.Cancellable.new()

        def cancel_when_running():
            self.shell("echo go > /tmp/fifo")
            cancellable.cancel()

        thread = threading.Thread(target=cancel_when_running)
        thread.start()
        self.assert_cancelled(self.backend.execute, Asb.CommandSpec(
            shell="read x < /tmp/fifo; sleep 77703"), cancellable)
        thread.join()
        self.assert_no_process(b"77703")

    def test_end_is_not_a_deadline(self):
        """Exit statuses people mistake for one."""
        for status in (1, 124, 125, 126, 127, 128, 137, 143, 255):
            result = self.run_shell(f"exit {status}", timeout_ms=60000)
            self.assertEqual(result.get_state(), Asb.CommandState.FAILED)
            self.assertEqual(result.get_exit_status(), status)


class ShellText(CaseTestCase):
    """The command is what was given, with nothing around it."""

    def test_heredoc(self):
        self.shell("cat <<'EOF' > /tmp/t\nhello\nEOF")
        self.assertEqual(self.read("/tmp/t"), b"hello\n")
        result = self.run_shell("cat <<'EOF'\nnever ended")
        self.assertEqual(result.get_stdout_bytes().get_data(), b"never ended\n")
        self.assertIn("warning", result.dup_stderr_text())
        self.assertEqual(self.shell("echo usable"), b"usable\n")

    def test_ways_out(self):
        for text, status in (("echo a; exit 5", 5), ("exec false", 1), ("false", 1), ("(exit 6)", 6),
                             ("set -e; false; true", 1), ("trap 'exit 7' EXIT; exit 3", 7),
                             ("nonsense-program", 127), ("no ) syntax", 2), ("# nothing", 0)):
            result = self.run_shell(text)
            self.assertTrue(result.get_has_exit_status())
            self.assertEqual(result.get_exit_status(), status, text)

    def test_killed(self):
        for number in (1, 2, 9, 11, 13, 15, 31):
            result = self.run_shell(f"kill -{number} $$; sleep 100000")
            self.assertFalse(result.get_has_exit_status())
            self.assertEqual(result.get_exit_status(), -1)
            self.assertEqual(result.get_term_signal(), number)
            self.assertEqual(result.get_state(), Asb.CommandState.FAILED)

    def test_long(self):
        """What is too long is refused before anything runs, and by its own name."""
        long = "a" * 100000
        self.assertEqual(self.shell(f"echo {long}"), long.encode() + b"\n")
        for text in (f"touch /tmp/ran; echo {'a' * 200000}", f"touch /tmp/ran; : {'a' * 2 * MIB}"):
            error = self.assert_fails(Asb.Error.TOO_LARGE, self.run_shell, text)
            self.assertIn("large" if len(text) > MIB else "at most", error.message)
        self.assertEqual(self.shell("ls /tmp").split().count(b"ran"), 0)


class Folders(CaseTestCase):
    """A working directory that is not there is said to be so."""

    def test_of_a_command(self):
        self.write("file", b"")
        self.shell("mkdir -p closed; chmod 000 closed; ln -sfn nowhere dangling")
        for path in ("/nope", "/workspace/file", "/workspace/file/in", "/workspace/closed/in",
                     "/workspace/dangling"):
            error = self.assert_fails(Asb.Error.WORKING_DIRECTORY, self.backend.execute,
                                      Asb.CommandSpec(shell="true", cwd=path), None)
            self.assertIn(path, error.message)
        self.assertEqual(self.shell("pwd"), b"/workspace\n")

    def test_of_the_sandbox(self):
        options = Asb.BackendOptions(provider_name="local", workdir="/workspace/mine")
        with Asb.create_backend(options, None) as backend:
            def shell(text, **more):
                return backend.execute(Asb.CommandSpec(shell=text, **more), None).dup_stdout_text()

            self.assertEqual(shell("pwd; rmdir /workspace/mine"), "/workspace/mine\n")
            error = self.assert_fails(Asb.Error.WORKING_DIRECTORY, shell, "pwd")
            self.assertIn("/workspace/mine", error.message)
            self.assertEqual(shell("pwd; mkdir /workspace/mine", cwd="/tmp"), "/tmp\n")
            self.assertEqual(shell("pwd"), "/workspace/mine\n")


if __name__ == "__main__":
    tap_unittest.main()
