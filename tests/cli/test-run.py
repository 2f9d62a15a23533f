# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb run and asb exec: exit statuses, standard streams byte for byte, options."""

import json
import os
import re
import resource
import signal
import subprocess
import unittest

import tap_unittest
from cli_test import (ASB, BYTES, ENVIRONMENT, FOLDER, LIMIT, SandboxTestCase, TestCase, asb, checker, finish,
                      start)

COUNTED = 256 * 1024 * 1024


def count_bytes(stream):
    total = 0
    while piece := stream.read(1 << 20):
        total += len(piece)
    return total


class Limits(TestCase):
    TITLES = {"memory": b"address space", "file-size": b"file size", "cpu": b"cpu time", "files": b"open files",
              "processes": b"processes"}

    def test_set(self):
        result = asb("run", "--limit", "memory=512M", "--limit=file-size=3k", "--limit", "cpu=2m", "--limit",
                     "files=30", "--limit", "processes=31", "--", "cat", "/proc/self/limits")
        for name, number in [("memory", 512 << 20), ("file-size", 3072), ("cpu", 120), ("files", 30),
                             ("processes", 31)]:
            pattern = b"Max %s +%d +%d " % (self.TITLES[name], number, number)
            self.assertRegex(result.stdout, pattern)

    def test_wrong(self):
        for text, word in [("speed=1", "memory"), ("memory", "512M"), ("memory=0", "512M"), ("memory=1X", "512M"),
                           ("memory=9999999999T", "512M"), ("files=-1", "files"), ("files=1k", "files"),
                           ("cpu=", "cpu"), ("", "memory")]:
            for command in [["run", "--limit", text, "true"], ["create", "--limit", text]]:
                self.assert_refused(asb(*command), 125 if command[0] == "run" else 1, word)


class ExitStatus(TestCase):
    def test_of_the_command(self):
        for status in [0, 1, 3, 125, 255]:
            self.assertEqual(asb("run", "--", "sh", "-c", f"exit {status}").returncode, status)

    def test_first_promise(self):
        result = asb("run", "--", "sh", "-c", "echo hi; echo oops >&2; exit 3")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (3, b"hi\n", b"oops\n"))

    def test_signal(self):
        for signal in [9, 11, 15]:
            result = asb("run", "--", "sh", "-c", f"kill -{signal} $$")
            self.assertEqual((result.returncode, result.stdout), (128 + signal, b""))

    def test_not_found(self):
        self.assert_refused(asb("run", "--", "no-such-program"), 127, "“no-such-program”")
        self.assert_refused(asb("run", "--", "/no/such/program"), 127, "/no/such/program")

    def test_not_executable(self):
        self.assert_refused(asb("run", "--", "/etc/passwd"), 126, "/etc/passwd")
        self.assert_refused(asb("run", "--", "/usr"), 126, "/usr")

    def test_missing_folder(self):
        self.assert_refused(asb("run", "-w", "/nope", "--", "true"), 125, "/nope")

    def test_missing_sandbox(self):
        self.assert_refused(asb("exec", "nobody", "true"), 125, "“nobody”", "asb list")

    def test_missing_provider(self):
        self.assert_refused(asb("exec", "frobnicate:1", "true"), 125, "frobnicate")

    def test_timeout(self):
        result = asb("run", "--timeout", "3", "--", "sh", "-c", "echo kept; sleep 1000")
        self.assertEqual((result.returncode, result.stdout), (124, b"kept\n"))
        self.assertIn(b"--timeout", result.stderr)

    def test_no_timeout(self):
        self.assert_done(asb("run", "--timeout=1d", "--", "echo", "done"), b"done\n")

    def test_guest_missing(self):
        nowhere = {"ASB_GUEST_PATH": str(FOLDER / "nowhere")}
        self.assert_refused(asb("run", "true", environment=nowhere), 125)
        self.assertEqual(self.json("list"), [])

    def test_provider_missing(self):
        nowhere = {"ASB_MODULE_PATH": "/nowhere"}
        if json.loads(asb("modules", "--json", environment=nowhere).stdout):
            self.skipTest("the library has been installed, with its modules")
        self.assert_refused(asb("run", "true", environment=nowhere), 125, "local")


class Place(TestCase):
    """With which provider, how set up."""

    def test_network(self):
        lines = "grep -c : /proc/net/dev"
        self.assertEqual(self.assert_done(asb("run", lines)), b"1\n")
        self.assertEqual(self.assert_done(asb("run", "--set", "network=none", lines)), b"1\n")
        # Interfaces come and go on this machine: what they are those of stays.
        here = os.fsencode(os.readlink("/proc/self/ns/net")) + b"\n"
        self.assertEqual(self.assert_done(asb("run", "--network=host", "readlink /proc/self/ns/net")), here)
        self.assertNotEqual(self.assert_done(asb("run", "readlink /proc/self/ns/net")), here)

    def test_other_provider(self):
        done = asb("run", "--provider", "mock", "--no-record", "--", "echo", "hello")
        self.assertEqual(self.assert_done(done), b"hello\n")

    def test_mistakes(self):
        for options, *words in [(["--network", "all"], "“none”, “host”", "provider “local”"),
                                (["--set", "x"], "--set NAME=VALUE"),
                                (["--set", "nonsense=1"], "“nonsense” of provider “local”; there are ", "“network”"),
                                (["--set", "keep-record=maybe"], "“keep-record”", "true or false"),
                                (["--image", "x:1"], "“x:1”"), (["--provider", "nowhere"], "nowhere"),
                                (["--provider", "mock"], "“sandbox_history”", "; it works with --no-record")]:
            with self.subTest(options):
                self.assert_refused(asb("run", *options, "true"), 125, *words)


class Words(TestCase):
    """What belongs to asb, what to the command, what to the shell."""

    def test_options_of_the_command(self):
        self.assert_done(asb("run", "echo", "--name", "-e", "--", "x"), b"--name -e -- x\n")
        self.assert_done(asb("run", "--", "printf", "%s.", "--help", "-c"), b"--help.-c.")

    def test_bytes_in_arguments(self):
        self.assert_done(asb("run", "--", "printf", "%s", b"\xff '\n\"$x`"), b"\xff '\n\"$x`")

    def test_empty_argument(self):
        self.assert_done(asb("run", "--", "printf", "<%s>", "", "x"), b"<><x>")

    def test_shell_option(self):
        self.assert_done(asb("run", "-c", "echo $((6 * 7)) | tr 4 x"), b"x2\n")
        self.assert_done(asb("run", "--shell", "echo a; echo b"), b"a\nb\n")
        self.assertEqual(asb("run", "-c", "exit 7").returncode, 7)

    def test_one_word(self):
        self.assert_done(asb("run", "echo hi"), b"hi\n")
        self.assert_done(asb("run", "echo a|cat"), b"a\n")
        self.assertEqual(asb("run", "false").returncode, 1)

    def test_one_word_as_it_is(self):
        """After “--” a name with special characters stays a name."""
        self.assert_refused(asb("run", "--", "echo hi; touch pwned"), 127, "echo hi")

    def test_environment(self):
        script = 'printf "%s,%s,%s" "$A" "$B" "${C-unset}"'
        environment = {"B": "from here"}
        self.assert_done(asb("run", "-e", "A=a=b c", "--env", "B", "-eC", "--", "sh", "-c", script,
                             environment=environment), b"a=b c,from here,unset")

    def test_environment_is_clean(self):
        output = self.assert_done(asb("run", "--", "env", environment={"SECRET": "s3cret"}))
        self.assertNotIn(b"s3cret", output)

    def test_environment_bytes(self):
        self.assert_done(asb("run", "-e", b"A=\xff", "--", "printenv", "A"), b"\xff\n")

    def test_workdir_without_worker(self):
        """Its folder was made with the sandbox: the guest needs no process to see to it."""
        self.assert_done(asb("run", "--", "sh", "-c", "cat /proc/[0-9]*/comm | grep -c worker; cat /proc/1/comm"),
                         b"0\n.asb-guest\n")

    def test_workdir(self):
        self.assert_done(asb("run", "--", "pwd"), b"/workspace\n")
        self.assert_done(asb("run", "-w", "/tmp", "--", "pwd"), b"/tmp\n")
        self.assert_done(asb("run", "--sandbox-workdir", "/srv/w", "--", "pwd"), b"/srv/w\n")
        self.assert_done(asb("run", "--sandbox-workdir", "/srv/w", "-w", "/tmp", "--", "sh", "-c", "pwd; ls -d /srv/w"),
                         b"/tmp\n/srv/w\n")
        self.assert_refused(asb("run", "--sandbox-workdir", "srv", "--", "true"), 125, "absolute")


class Streams(TestCase):
    def test_bytes(self):
        self.assert_done(asb("run", "--", "cat", stdin=BYTES), BYTES)

    def test_bytes_on_stderr(self):
        result = asb("run", "--", "sh", "-c", "cat >&2", stdin=BYTES)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", BYTES))

    def test_both_at_once(self):
        """Neither stream waits for the other, however full."""
        script = "head -c 4194304 /dev/zero >&2 & head -c 4194304 /dev/zero; wait"
        result = asb("run", "--", "sh", "-c", script)
        self.assertEqual(result.returncode, 0)
        self.assertEqual((len(result.stdout), len(result.stderr)), (4194304, 4194304))

    def test_empty(self):
        self.assert_done(asb("run", "--", "true"), b"")
        self.assert_done(asb("run", "--", "printf", "\\n"), b"\n")
        self.assert_done(asb("run", "--", "cat"), b"")

    def test_burst(self):
        output = self.assert_done(asb("run", "--", "seq", "1", "200000"))
        self.assertEqual(len(output), 1288895)

    def test_much_output_in_little_memory(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        process = start("run", "--", "head", "-c", str(COUNTED), "/dev/zero")
        self.assertEqual(count_bytes(process.stdout), COUNTED)
        self.assertEqual(finish(process), (0, b"", b""))
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if not checker.is_used():
            self.assertLess(max(after - before, after) * 1024, COUNTED / 4)

    def test_much_input(self):
        with open("/dev/zero", "rb") as zeros:
            head = subprocess.Popen(["head", "-c", str(COUNTED)], stdin=zeros,
                                    stdout=subprocess.PIPE)
        process = start("run", "--", "wc", "-c", stdin=head.stdout)
        head.stdout.close()
        self.assertEqual(finish(process), (0, b"%d\n" % COUNTED, b""))
        head.wait(LIMIT)

    def test_input_from_a_file(self):
        path = FOLDER / "input"
        path.write_bytes(BYTES * 1000)
        with path.open("rb") as file:
            self.assertEqual(finish(start("run", "--", "cat", stdin=file)), (0, BYTES * 1000, b""))

    def test_output_to_a_file(self):
        path = FOLDER / "output"
        with path.open("wb") as file:
            subprocess.run([ASB, "run", "--", "cat"], input=BYTES * 1000, stdout=file,
                           env=ENVIRONMENT, timeout=LIMIT, check=True)
        self.assertEqual(path.read_bytes(), BYTES * 1000)

    def test_output_appended(self):
        path = FOLDER / "log"
        path.write_bytes(b"before\n")
        with path.open("ab") as file:
            subprocess.run([ASB, "run", "--", "echo", "after"], stdin=subprocess.DEVNULL, stdout=file,
                           env=ENVIRONMENT, timeout=LIMIT, check=True)
        self.assertEqual(path.read_bytes(), b"before\nafter\n")

    def test_one_pipe_for_both(self):
        """Standard output and error may be the same file, and its flags stay as they are."""
        reading, writing = os.pipe()
        subprocess.run([ASB, "run", "--", "sh", "-c", "echo a; echo b >&2"], stdin=subprocess.DEVNULL,
                       stdout=writing, stderr=writing, env=ENVIRONMENT, timeout=LIMIT, check=True)
        self.assertTrue(os.get_blocking(writing))
        os.close(writing)
        with open(reading, "rb") as stream:
            self.assertEqual(sorted(stream.read().splitlines()), [b"a", b"b"])

    def test_idle_input(self):
        """Somebody's open, silent standard input holds nothing up."""
        reading, writing = os.pipe()
        self.assertEqual(finish(start("run", "echo hi", stdin=reading)), (0, b"hi\n", b""))
        os.close(reading)
        os.close(writing)

    def test_unread_input(self):
        """More input than the command wants."""
        self.assertEqual(asb("run", "--", "true", stdin=bytes(8 << 20)).returncode, 0)
        self.assert_done(asb("run", "--", "head", "-c", "3", stdin=b"abcdef" * (1 << 20)), b"abc")

    def test_no_input(self):
        process = subprocess.run(["sh", "-c", '"$0" run -- cat <&-', ASB], env=ENVIRONMENT,
                                 capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, b"", b""))

    def test_unreadable_input(self):
        """What a command made of a part of its input is no success."""
        process = subprocess.run(["sh", "-c", '"$0" run -- cat < /', ASB], env=ENVIRONMENT,
                                 capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual((process.returncode, process.stdout), (125, b""))
        self.assertIn(b"Could not read standard input: Is a directory", process.stderr)

    def test_background_child(self):
        """A child that holds the output open does not hold the end."""
        self.assert_done(asb("run", "--", "sh", "-c", "sleep 1000 & echo hi"), b"hi\n")

    def test_reader_gone(self):
        """The command ends with its reader, and nothing is said."""
        process = start("run", "--", "yes")
        self.assertEqual(process.stdout.read(4), b"y\ny\n")
        process.stdout.close()
        self.assertEqual(process.wait(LIMIT), 141)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(self.json("list"), [])

    @unittest.skipIf(checker.VALGRIND, "valgrind keeps some for itself")
    def test_few_open_files(self):
        """Wherever they end, it is said what is to be raised; only GLib may give up without that."""
        for number in range(10, 26):
            result = subprocess.run(["sh", "-c", f'ulimit -n {number}; exec "$0" run true', ASB], env=ENVIRONMENT,
                                    stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False)
            if result.returncode == -signal.SIGTRAP:
                self.assertIn(b"GLib-ERROR", result.stderr, number)
                continue
            self.assertEqual(result.returncode, 125, number)
            self.assertIn("raise “ulimit -n”", result.stderr.decode(), number)
        self.assertEqual(self.json("list"), [])

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([ASB, "run", "--", "yes"], stdin=subprocess.DEVNULL, stdout=full,
                                    stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=LIMIT,
                                    check=False)
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"Could not write to standard output", result.stderr)

    @unittest.skipIf(checker.VALGRIND, "valgrind reports where nothing is open")
    def test_closed_output(self):
        """What could not be printed is no success; what is open for reading is not written to."""
        for closed in (">&-", "1< /dev/null"):
            with self.subTest(closed):
                result = subprocess.run(["sh", "-c", f'exec "$0" run -- echo hi {closed}', ASB],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env=ENVIRONMENT, timeout=LIMIT, check=False)
                self.assertEqual(result.returncode, 125)
                self.assertIn(b"Could not write to standard output", result.stderr)


class Afterwards(TestCase):
    def test_nothing_is_left(self):
        self.assert_done(asb("run", "--name", "brief", "true"))
        self.assertEqual(self.json("list"), [])

    def test_record_is_kept(self):
        self.assert_done(asb("run", "--name", "recorded", "--", "echo", "hi"))
        names = [sandbox["name"] for sandbox in self.json("list", "--all")]
        self.assertIn("recorded", names)

    def test_command_that_kills_who_looks_after_it(self):
        result = asb("run", "--", "sh", "-c", "kill -KILL $PPID; sleep 1000")
        self.assert_refused(result, 125, "how the command ended", "what looked after it")

    def test_no_record(self):
        self.assert_done(asb("run", "--no-record", "--name", "unrecorded", "--", "echo", "hi"), b"hi\n")
        self.assert_done(asb("run", "--set", "keep_record=false", "--name", "unrecorded", "--", "echo", "hi"), b"hi\n")
        names = [sandbox["name"] for sandbox in self.json("list", "--all")]
        self.assertNotIn("unrecorded", names)

    def test_show_record(self):
        result = asb("run", "--show-record", "--", "sh", "-c", "echo hi; echo oops >&2; exit 3")
        self.assertEqual((result.returncode, result.stdout), (3, b"hi\n"))
        text = result.stderr.decode()
        self.assertTrue(text.startswith("oops\n"), text)
        self.assertRegex(text, r"(?m)^ *\d+ +sandbox\.create +succeeded ")
        self.assertRegex(text, r"(?m)^ *\d+ +command\.execute +exit 3 +\d+ ms +out 3 B, err 5 B  ")
        self.assertRegex(text, r"(?m)^Then the sandbox was deleted; .*: asb history list \w+$")

    def test_keep(self):
        result = asb("run", "--keep", "--name", "kept", "--", "touch", "here")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"asb rm local:", result.stderr)
        self.assert_done(asb("ls", "kept"), b"here\n")
        self.assert_done(asb("rm", "kept"))

    def test_input_does_not_show_in_the_list_of_processes(self):
        process = start("run", "-e", "SECRET", "--", "sh", "-c", "echo ready; read line",
                        stdin=subprocess.PIPE, environment={"SECRET": "s3cret-value"})
        self.assertEqual(process.stdout.readline(), b"ready\n")
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{int(entry)}/cmdline", "rb") as file:
                    self.assertNotIn(b"s3cret-value", file.read())
            except (ValueError, FileNotFoundError, ProcessLookupError):
                continue
        process.stdin.write(b"\n")
        self.assertEqual(finish(process)[0], 0)


class Exec(SandboxTestCase):
    def test_same_rules(self):
        result = self.exec("--", "sh", "-c", "cat; echo oops >&2; exit 3", stdin=BYTES)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (3, BYTES, b"oops\n"))

    def test_options_around_the_id(self):
        self.assert_done(asb("exec", "-e", "A=1", "box", "-w", "/tmp", "sh", "-c", "echo $A; pwd"),
                         b"1\n/tmp\n")

    def test_options_of_the_command(self):
        self.assert_done(self.exec("echo", "-w", "--help"), b"-w --help\n")

    def test_one_word(self):
        self.assert_done(self.exec("echo a; echo b"), b"a\nb\n")
        self.assertEqual(self.exec("--", "echo a; echo b").returncode, 127)

    def test_shell(self):
        self.assert_done(self.exec("-c", "echo $0 | wc -l"), b"1\n")

    def test_files_stay(self):
        self.assert_done(self.exec("--", "sh", "-c", "echo stays > file"))
        self.assert_done(self.exec("--", "cat", "/workspace/file"), b"stays\n")

    def test_four_failures(self):
        """A command's own 1 is none of asb's failures."""
        self.assertEqual(self.exec("--", "sh", "-c", "exit 1").returncode, 1)
        self.assert_refused(asb("exec", "local:0000", "true"), 125, "0000")
        self.assert_refused(self.exec("-w", "gone", "true"), 125, "gone")

    def test_many_at_once(self):
        processes = [start("exec", "box", "--", "sh", "-c", f"echo {i}; exit {i}") for i in range(8)]
        self.assertEqual([finish(process) for process in processes],
                         [(i, b"%d\n" % i, b"") for i in range(8)])

    def test_input_is_not_needed(self):
        """A loop over lines, as every user writes one day."""
        script = 'printf "a\\nb\\n" | while read x; do "$0" exec box -- echo $x </dev/null; done'
        result = subprocess.run(["sh", "-c", script, ASB], capture_output=True, env=ENVIRONMENT,
                                timeout=LIMIT, check=False)
        self.assertEqual((result.stdout, result.stderr), (b"a\nb\n", b""))


if __name__ == "__main__":
    tap_unittest.main()
