# SPDX-License-Identifier: LGPL-2.1-or-later
"""Help, manual pages, completion and what is said to a wrong call: no sandbox is needed."""

import functools
import json
import os
import re
import shutil
import subprocess
import unittest

import tap_unittest
from cli_test import ASB, ENVIRONMENT, Terminal, TestCase, asb, checker

COMMANDS = ["run", "create", "exec", "shell", "list", "info", "rm", "prune", "ls", "find", "grep", "watch", "cat", "put", "upload", "get", "jobs",
            "history", "pause", "resume", "renew", "endpoint", "egress", "snapshot", "metrics", "diagnostics", "modules", "doctor",
            "login", "version", "help"]
GROUPS = {"egress": ["get", "set", "allow", "deny", "remove"],
          "snapshot": ["create", "list", "show", "rm"],
          "history": ["list", "show", "output", "export", "status", "cleanup", "rm"],
          "jobs": ["list", "logs", "attach", "wait", "stop", "signal", "rm"]}


# What is printed of each takes the same ways.
SOME = slice(None, None, checker.often(1, 8))


def all_commands():
    for command in COMMANDS[SOME]:
        yield [command]
        for child in GROUPS.get(command, [])[SOME]:
            yield [command, child]


def printed(*arguments):
    result = asb(*arguments)
    result.check_returncode()
    return result.stdout


@functools.lru_cache(maxsize=None)
def usage(*command):
    return printed(*command, "--help").decode()


@functools.lru_cache(maxsize=None)
def manual(*command):
    return printed("help", "--man", *command)


def complete(*words):
    return asb("help", "--complete", "--", *words).stdout.decode().splitlines()


class Help(TestCase):
    def test_all(self):
        text = self.assert_done(asb("--help")).decode()
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} +\S")
        for status in ["124", "125", "126", "127", "128"]:
            self.assertIn(status, text)
        self.assertEqual(text, asb("help").stdout.decode())
        self.assertEqual(text, asb("-h").stdout.decode())

    def test_each(self):
        for command in all_commands():
            with self.subTest(command):
                text = usage(*command)
                self.assertTrue(text.startswith(f"Usage: asb {' '.join(command)}"), text)
                self.assertIn("--help", text)
                self.assertEqual(text, printed("help", *command).decode())

    def test_teaches(self):
        for command in all_commands():
            if command != ["version"]:
                self.assertIn("\nExamples:\n", usage(*command), command)

    def test_options_stand_under_headings(self):
        """What is only for servers, or for new sandboxes, hides nothing of what is for all."""
        text = usage("run")
        places = [text.index(part) for part in [
            "\nOptions:\n", " --timeout=", "-h, --help", "\nOptions for a new sandbox:\n", " --image=",
            "\nOptions for a server:\n", " --api-key-file=", "\nExamples:\n"]]
        self.assertEqual(places, sorted(places))
        self.assertNotIn("Options for", usage("version"))
        page = manual("create").decode()
        places = [page.index(f"\n.SH {heading}\n") for heading in [
            "OPTIONS", "OPTIONS FOR A NEW SANDBOX", "OPTIONS FOR A SERVER", "EXAMPLES"]]
        self.assertEqual(places, sorted(places))

    def test_width(self):
        for command in [[], *all_commands()]:
            for line in usage(*command).splitlines():
                self.assertLessEqual(len(line), 80, (command, line))

    def test_width_of_a_terminal(self):
        """As wide as it is, but not so wide that nobody reads it; too narrow for two columns it breaks
        the lines itself."""
        words = self.assert_done(asb("run", "--help")).decode().split()
        for columns, longest in [(60, range(50, 61)), (200, range(70, 81)), (20, range(70, 81))]:
            terminal = Terminal("run", "--help", columns=columns, environment={"NO_COLOR": "1"})
            text = terminal.finish()[1].decode()
            self.assertIn(max(map(len, text.splitlines())), longest, columns)
            self.assertEqual(text.split(), words)

    def test_help_after_arguments(self):
        self.assertIn(b"Usage: asb rm", self.assert_done(asb("rm", "box", "--help")))

    def test_missing_command(self):
        result = asb()
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"Usage: asb COMMAND", result.stdout)

    def test_colours_on_a_terminal(self):
        for environment, bold in [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]:
            terminal = Terminal("--help", environment={"TERM": "xterm", **environment})
            self.assertEqual(b"\033[1m" in terminal.finish()[1], bold, environment)
        self.assertNotIn(b"\033", asb("--help", environment={"TERM": "xterm"}).stdout)


class Version(TestCase):
    def test_version(self):
        text = self.assert_done(asb("--version"))
        self.assertRegex(text, rb"\Aasb \d+\.\d+\.\d+\n\Z")
        self.assertEqual(text, self.assert_done(asb("version")))

    def test_needs_nothing(self):
        """Neither modules nor a guest nor a place to keep anything."""
        nowhere = {"ASB_MODULE_PATH": "/nowhere", "ASB_GUEST_PATH": "/nowhere",
                   "XDG_STATE_HOME": "/nowhere", "HOME": "/nowhere"}
        self.assert_done(asb("version", environment=nowhere))
        version = json.loads(self.assert_done(asb("version", "--json", environment=nowhere)))
        self.assertEqual(f"asb {version['version']}\n".encode(), self.assert_done(asb("version")))


class Mistakes(TestCase):
    def test_unknown_command(self):
        self.assert_refused(asb("frobnicate"), 2, "“frobnicate”", "asb --help")

    def test_did_you_mean(self):
        for wrong, right in [("lits", "list"), ("mr", "rm"), ("runn", "run"), ("exce", "exec"),
                             ("histroy", "history"), ("hist", "history"), ("creat", "create")]:
            self.assert_refused(asb(wrong), 2, f"did you mean asb {right}?")
        for theirs, ours in [("ps", "list"), ("inspect", "info"), ("logs", "jobs logs"), ("cp", "put or asb get")]:
            self.assert_refused(asb(theirs), 2, f"did you mean asb {ours}?")
        self.assert_refused(asb("history", "shwo"), 2, "did you mean asb history show?")
        self.assertNotIn(b"did you mean", asb("history", "test").stderr)
        self.assert_refused(asb("help", "histroy"), 2, "did you mean asb history?")
        self.assert_refused(asb("help", "history", "shwo"), 2, "did you mean asb history show?")
        self.assert_refused(asb("help", "ps"), 2, "did you mean asb list?")
        self.assert_refused(asb("help", "run", "list"), 2, "“list”", "asb run --help")

    def test_names_like_commands(self):
        """What nearly is a command and exactly is a sandbox is the sandbox."""
        for name in ("lst", "exprt"):
            self.assert_done(asb("create", "--name", name))
            try:
                self.assertIn(b"sandbox.create", self.assert_done(asb("history", name)))
                self.assert_done(asb("jobs", name))
            finally:
                asb("rm", "-f", name)

    def test_unknown_option(self):
        self.assert_refused(asb("list", "--jsno"), 2, "did you mean --json?")
        self.assert_refused(asb("list", "--frobnicate"), 2, "asb list --help")
        self.assert_refused(asb("list", "-q"), 2, "“-q”")
        self.assert_refused(asb("--frobnicate"), 2, "“--frobnicate”")
        self.assert_refused(asb("run", "--frobnicate", "true"), 125, "asb run --help")

    def test_option_arguments(self):
        self.assert_refused(asb("run", "--name"), 125, "--name needs an argument, NAME")
        self.assert_refused(asb("list", "--json=yes"), 2, "--json takes no argument")
        self.assert_refused(asb("run", "--timeout", "soon", "true"), 125, "“soon”")
        self.assert_refused(asb("run", "--timeout", "0", "true"), 125, "“0”")
        self.assert_refused(asb("run", "--timeout", "1e300", "true"), 125, "“1e300”")
        self.assert_refused(asb("run", "-e", "=x", "true"), 125, "“=x”")

    def test_words(self):
        """What can only be one of a few words."""
        for command, word, right in [(["put", "--conflict=skp", "box", "a", "b"], "skp", "skip"),
                                     (["get", "--conflict=overwrit", "box", "a", "b"], "overwrit", "overwrite"),
                                     (["upload", "--links", "kep", "box", "a"], "kep", "keep"),
                                     (["create", "--egress-rest", "alow"], "alow", "allow"),
                                     (["egress", "set", "--rest=dny", "box"], "dny", "deny")]:
            self.assert_refused(asb(*command), 2, f"not “{word}”; did you mean “{right}”?")
        self.assert_refused(asb("upload", "--conflict", "no", "box", "a"), 2,
                            "is error, overwrite, skip or if-changed, not “no”")

    def test_not_utf8(self):
        """Only names of files and what commands are given are any bytes."""
        for option in ["--network", "--server", "--image", "--name", "--provider", "--profile", "--ttl"]:
            result = asb("run", option, b"\xff", "--", "true")
            self.assert_refused(result, 125, f"of {option}, “\\xff”, is not valid UTF-8")
        for option in ["--set", "--metadata", "--extension", "--create-option", "--connect", "--resource"]:
            for text in (b"a=\xff", b"\xff=a"):
                self.assert_refused(asb("run", option, text, "--", "true"), 125, option, "not valid UTF-8")
        result = asb("run", "--workdir", b"/tmp/\xff", "-e", b"A=\xff", "-c", b"true \xff")
        self.assert_refused(result, 125, "“/tmp/", "No such file")

    def test_endless(self):
        """The end, where the next step stands, is not lost."""
        word = "x" * 100000
        for command in [["list", f"--{word}"], ["list", "--profile", word], ["rm", word], [word]]:
            result = asb(*command)
            self.assertIn(result.returncode, (1, 2, 125))
            self.assertLess(len(result.stderr), 5000)
            self.assertIn("x…".encode(), result.stderr)

    def test_count_of_arguments(self):
        self.assert_refused(asb("list", "surplus"), 2, "“surplus”")
        self.assert_refused(asb("rm"), 2, "ID is missing")
        self.assert_refused(asb("cat", "box"), 2, "PATH is missing")
        self.assert_refused(asb("get", "box", "file"), 2, "LOCAL is missing")
        self.assert_refused(asb("put", "box", "file"), 2, "REMOTE is missing")
        self.assert_refused(asb("exec"), 125, "ID is missing")
        self.assert_refused(asb("run"), 125, "command is missing")
        self.assert_refused(asb("run", "-c", "true", "false"), 125, "give one")
        self.assert_refused(asb("history"), 2, "asb history --help")

    def test_names_cannot_steer_the_terminal(self):
        message = self.assert_refused(asb("a\033[2Jb\nc"), 2)
        self.assertIn("a\\x1b[2Jb\\nc", message)
        self.assert_refused(asb(b"\xff\xfe"), 2, "\\xff\\xfe")

    def test_without_utf8(self):
        result = asb("frobnicate", environment={"LC_ALL": "C"})
        self.assertEqual(result.stderr,
                         b'asb: There is no command "frobnicate"; see asb --help\n')

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([ASB, "--help"], stdout=full, stderr=subprocess.PIPE,
                                    env=ENVIRONMENT, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"Could not write to standard output", result.stderr)

    def test_closed_output(self):
        if checker.VALGRIND:
            self.skipTest("valgrind's own file takes the number that is free")
        result = subprocess.run(["sh", "-c", 'exec "$0" --help >&-', ASB], stderr=subprocess.PIPE,
                                env=ENVIRONMENT, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"Could not write to standard output", result.stderr)

    def test_reader_gone(self):
        reading, writing = os.pipe()
        os.close(reading)
        result = subprocess.run([ASB, "--help"], stdout=writing, stderr=subprocess.PIPE,
                                env=ENVIRONMENT, check=False)
        os.close(writing)
        self.assertEqual((result.returncode, result.stderr), (141, b""))


class Manual(TestCase):
    @unittest.skipUnless("ASB_MANUALS" in os.environ, "not in the folder of the build")
    def test_each_is_installed(self):
        self.assertEqual(sorted(os.environ["ASB_MANUALS"].split()), sorted(COMMANDS))

    def test_pages(self):
        for command in [[], *([command] for command in COMMANDS[SOME])]:
            with self.subTest(command):
                page = manual(*command).decode()
                for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"]:
                    self.assertIn(f"\n.SH {heading}\n", page)
                self.assertTrue(page.startswith(f'.TH "{"-".join(["ASB", *command]).upper()}" 1'))

    def test_groups_tell_of_their_commands(self):
        page = manual("history").decode()
        for child in GROUPS["history"]:
            self.assertIn(f".SS history {child}\n", page)

    @unittest.skipUnless(shutil.which("groff"), "there is no groff to render pages with")
    def test_renders(self):
        for command in [[], *([command] for command in COMMANDS[SOME])]:
            result = subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-P-cbou"],
                                    input=manual(*command), capture_output=True, check=True)
            self.assertEqual(result.stderr, b"", command)
            self.assertIn(b"SYNOPSIS", result.stdout)

    def test_text_is_no_request(self):
        for command in COMMANDS[SOME]:
            for line in manual(command).decode().splitlines():
                if line.startswith((".", "'")):
                    self.assertRegex(line, r"\A\.(TH|SH|SS|PP|TP|B|BR)( |\Z)")


class Completion(TestCase):
    def test_commands(self):
        self.assertEqual(complete(""), COMMANDS)
        self.assertEqual(complete("ex"), ["exec"])
        self.assertEqual(complete("history", ""), GROUPS["history"])
        self.assertEqual(complete("help", "cr"), ["create"])

    def test_options(self):
        self.assertEqual(complete("list", "--"), ["--all", "--json", "--provider", "--metadata", "--server",
                                                  "--api-key-file", "--execd-token-file", "--headers-file",
                                                  "--connect", "--profile", "--help"])
        self.assertIn("--show-record", complete("run", "--sh"))
        self.assertIn("--timeout", complete("exec", "--t"))

    def test_nothing_of_other_programs(self):
        self.assertEqual(complete("run", "ls", "--"), [])
        self.assertEqual(complete("run", "--", "--"), [])
        self.assertEqual(complete("exec", "box", "ls", "--"), [])

    def test_files(self):
        self.assertEqual(complete("put", "box", ""), [":file"])
        self.assertEqual(complete("get", "box", "remote", "x"), [":file"])

    def test_arguments_of_options(self):
        self.assertEqual(complete("run", "--name", ""), [])
        self.assertEqual(complete("run", "--name", "x", "--k"), ["--keep"])
        self.assertEqual(complete("run", "--network", ""), ["none", "host"])
        self.assertEqual(complete("shell", "--network", "h"), ["host"])
        for command in ["create", "list", "doctor"]:
            self.assertEqual(complete(command, "--provider", "lo"), ["local"])
        self.assertIn("mock", complete("run", "--provider", ""))

        self.assertEqual(complete("put", "--conflict", ""), ["error", "overwrite", "skip"])
        self.assertEqual(complete("upload", "--links=k"), ["--links=keep"])
        self.assertEqual(complete("egress", "set", "--rest", "d"), ["deny"])
        self.assertEqual(complete("create", "--egress-rest", "al"), ["allow"])
        self.assertEqual(complete("diagnostics", "box", "l"), ["logs"])
        self.assertEqual(complete("jobs", "signal", "-s", "US"), ["USR1", "USR2"])
        self.assertEqual(complete("list", "--provider=lo"), ["--provider=local"])
        self.assertEqual(complete("put", "--api-key-file=x"), [":file"])
        self.assertEqual(complete("run", "--keep=x"), [])

    def test_providers_of_sandboxes(self):
        self.assertEqual(complete("exec", "op"), ["opensandbox:"])
        self.assertEqual(complete("exec", "nobody:x"), [])
        self.assertIn("opensandbox:", complete("snapshot", "rm", ""))

    def test_nonsense(self):
        self.assertEqual(complete(), COMMANDS)
        self.assertEqual(complete("frobnicate", ""), [])
        self.assertEqual(complete("history", "frobnicate", ""), [])


if __name__ == "__main__":
    tap_unittest.main()
