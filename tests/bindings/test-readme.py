#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of the README run, as they stand there.

usage: test-readme.py README ASB CC GJS CFLAGS…
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import tap_unittest
from asb_test import TestCase

README, ASB, CC, GJS = sys.argv[1:5]
CFLAGS = sys.argv[5:]
ASB = str(pathlib.Path(ASB).resolve())


def readme():
    return pathlib.Path(README).read_text(encoding="utf-8")


def example(language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", readme(), re.MULTILINE | re.DOTALL)
    return found


class TestReadme(TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, text):
        path = pathlib.Path(self.folder, name)
        path.write_text(text, encoding="utf-8")
        return path

    def run_program(self, *arguments):
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_c(self):
        source = self.write("hello.c", example("c"))
        program = pathlib.Path(self.folder, "hello")
        self.run_program(*CC.split(), "-Wall", "-Werror", source, "-o", program, *CFLAGS)
        self.assertEqual(self.run_program(program), "0: HELLO\n")

    def test_python(self):
        output = self.run_program(sys.executable, self.write("hello.py", example("python")))
        lines = output.splitlines()
        self.assertEqual(lines[0], "0 b'HELLO\\n'")
        self.assertTrue(lines[1].startswith("file_not_found: "), lines[1])
        self.assertIn("file.write completed succeeded", lines[2:])
        self.assertIn("command.execute completed succeeded", lines[2:])
        self.assertIn("file.read completed failed", lines[2:])

    @unittest.skipUnless(GJS, "there is no gjs")
    def test_javascript(self):
        output = self.run_program(GJS, "-m", self.write("hello.js", example("js")))
        self.assertEqual(output, "0 one\n0 two\n0 three\n")

    def test_command_line(self):
        # Nothing but what a clone has.
        self.write("README.md", readme())
        lines = re.findall(r"^    \./dev asb (.*)$", readme(), re.MULTILINE)
        outputs = [subprocess.run([ASB, *shlex.split(line)], cwd=self.folder, capture_output=True,
                                  text=True, check=True).stdout for line in lines]
        self.assertEqual([line.split()[0] for line in lines],
                         ["create", "exec", "put", "get", "exec", "jobs", "history", "rm", "run"])
        self.assertTrue(outputs[0].startswith("local:"), outputs[0])
        self.assertIn("gcc", outputs[1])
        self.assertIn("README.md", os.listdir(os.path.join(self.folder, "scratch-files")))
        self.assertEqual(outputs[5], "hello\nagain\n")
        self.assertIn("file.write", outputs[6])
        self.assertIn("README.md", outputs[8])

    def test_first_command(self):
        (line,) = re.findall(r"^    \./dev run -- (.*)$", readme(), re.MULTILINE)
        done = subprocess.run([ASB, "run", "--show-record", "--", *shlex.split(line)],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, "hi\n"))
        self.assertTrue(done.stderr.startswith("oops\n"), done.stderr)
        self.assertIn("command.execute", done.stderr)


if __name__ == "__main__":
    del sys.argv[1:]
    tap_unittest.main()
