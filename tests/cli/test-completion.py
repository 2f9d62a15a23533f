# SPDX-License-Identifier: LGPL-2.1-or-later
"""The completion in the shells themselves, as somebody who types sees it. zsh and fish are left out
where they are not installed."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import unittest

import tap_unittest
from cli_test import ASB, ENVIRONMENT, FOLDER, LIMIT, TestCase, SandboxTestCase, asb

SCRIPTS = pathlib.Path(os.environ["ASB_COMPLETION"])
TAB, SHOW, CLEAR = b"\t", b"\x14", b"\x0f"


def environment():
    """The shells find asb by its name."""
    programs = FOLDER / "bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "asb").exists():
        (programs / "asb").symlink_to(ASB)
    (FOLDER / "a file").touch()
    return {**ENVIRONMENT, "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "vt100",
            "HOME": str(FOLDER), "HISTFILE": "", "XDG_CONFIG_HOME": str(FOLDER / "config"),
            "XDG_CACHE_HOME": str(FOLDER), "XDG_DATA_HOME": str(FOLDER)}


class Shell:
    """A shell with a terminal that shows between brackets, when it is asked to, what the line is."""

    def __init__(self, *command, setup):
        self.main, inner = pty.openpty()
        self.process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, cwd=FOLDER,
                                        start_new_session=True, env=environment())
        os.close(inner)
        self.output = ""
        os.write(self.main, setup.encode() + b"\necho rea''dy\n")
        self.read_until(r"\bready\b")

    def read_until(self, pattern):
        while not (found := re.search(pattern, self.output)):
            readable, _, _ = select.select([self.main], [], [], LIMIT)
            if not readable:
                raise TimeoutError(f"“{pattern}” does not come after “{self.output}”")
            self.output += os.read(self.main, 65536).decode(errors="replace")
        self.output = self.output[found.end():]
        return found

    def type(self, text):
        """What the line is once the last word was completed."""
        os.write(self.main, text.encode() + TAB + SHOW)
        line = self.read_until(r"\[\[(.*?)\]\]")[1]
        os.write(self.main, CLEAR)
        return line

    def end(self):
        os.close(self.main)
        self.process.kill()
        self.process.wait()


class Completed:
    """What all shells do alike; they differ in how one asks."""

    def test_commands(self):
        self.assertEqual(self.type("asb hi"), "asb history ")
        self.assertEqual(self.type("asb history o"), "asb history output ")
        self.assertEqual(self.type("asb frobnicate "), "asb frobnicate ")

    def test_options(self):
        self.assertEqual(self.type("asb exec --timeo"), "asb exec --timeout ")
        self.assertEqual(self.type("asb run --network h"), "asb run --network host ")
        self.assertEqual(self.type("asb run --network=h"), "asb run --network=host ")

    def test_sandboxes(self):
        self.assertEqual(self.type("asb exec Bo"), "asb exec Box ")
        self.assertEqual(self.type(f"asb exec {self.sandbox[:-2]}"), f"asb exec {self.sandbox} ")
        self.assertEqual(self.type(f"asb exec local:{self.sandbox[:-2]}"),
                         f"asb exec local:{self.sandbox} ")
        self.assertEqual(self.type("asb exec local:"), f"asb exec local:{self.sandbox} ")
        self.assertEqual(self.type("asb rm opens"), "asb rm opensandbox:")

    def test_profiles(self):
        folder = FOLDER / "config" / "asb"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config").write_text("[default]\n\n[work]\nenv=A=1\n")
        self.assertEqual(self.type("asb run --profile w"), "asb run --profile work ")

    def test_files(self):
        self.assertEqual(self.type("asb put Box a\\ f"), "asb put Box a\\ file ")
        self.assertEqual(self.type("asb put --api-key-file=a\\ f"), "asb put --api-key-file=a\\ file ")


class ShellTestCase(SandboxTestCase):
    # No ID, which is made by chance, can begin like it.
    name = "Box"

    @classmethod
    def setUpClass(cls):
        if not shutil.which(cls.program[0]):
            raise unittest.SkipTest(f"{cls.program[0]} is not installed")
        super().setUpClass()
        cls.shell = Shell(*cls.program, setup=cls.setup) if cls.setup else None

    @classmethod
    def tearDownClass(cls):
        if cls.shell:
            cls.shell.end()
        super().tearDownClass()

    def type(self, text):
        return self.shell.type(text)


class Bash(Completed, ShellTestCase):
    program = ("bash", "--norc", "--noprofile", "-i")
    setup = (f"source '{SCRIPTS}/bash-completion/asb'; "
             """bind 'set enable-bracketed-paste off'; bind -x '"\\C-t": echo "[[$READLINE_LINE]]"'; """
             """bind '"\\C-o": kill-whole-line'""")

    def test_middle_of_the_line(self):
        os.write(self.shell.main, b"asb  hi box\x1b[D\x1b[D\x1b[D\x1b[D")
        self.assertEqual(self.type(""), "asb  history box")

    def test_other_ends_of_words(self):
        os.write(self.shell.main, b"before=$COMP_WORDBREAKS COMP_WORDBREAKS=' '\n")
        self.assertEqual(self.type("asb exec local:"), f"asb exec local:{self.sandbox} ")
        self.assertEqual(self.type("asb run --network=h"), "asb run --network=host ")
        os.write(self.shell.main, b"COMP_WORDBREAKS=$before\n")


class Zsh(Completed, ShellTestCase):
    program = ("zsh", "-f", "-i")
    setup = (f"fpath=('{SCRIPTS}/zsh-completion' $fpath); autoload -Uz compinit; compinit -D -u; "
             'show() { print -r -- "[[$BUFFER]]" }; zle -N show; bindkey "^T" show; '
             'bindkey "^I" complete-word; bindkey "^O" kill-whole-line')


class Fish(Completed, ShellTestCase):
    program = ("fish",)
    setup = None

    def type(self, text):
        """Fish tells what it would put in place of the last word; a blank follows where nothing more
        can."""
        done = subprocess.run(["fish", "--no-config", "-c", 'source $argv[1]; complete --do-complete=$argv[2]',
                               f"{SCRIPTS}/fish-completion/asb.fish", text],
                              stdin=subprocess.DEVNULL, capture_output=True, check=True, cwd=FOLDER,
                              env=environment(), timeout=LIMIT)
        offered = done.stdout.decode().splitlines()
        self.assertEqual(done.stderr, b"")
        if not offered:
            return text
        self.assertEqual(len(offered), 1, offered)
        end = "" if offered[0].endswith(":") else " "
        begin = re.search(r"(?:\\.|[^ \\])*\Z", text).start()
        return text[:begin] + offered[0].replace(" ", "\\ ") + end


if __name__ == "__main__":
    tap_unittest.main()
