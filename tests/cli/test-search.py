# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb find and grep."""

import base64
import json
import select
import signal

import tap_unittest
from cli_test import SandboxTestCase, Terminal, asb, start


class Search(SandboxTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for path, contents in [("src/a.py", b"import os\nimport sys\n"), ("src/.b.py", b"x = 'import'\n"), ("top.PY", b"Import\n"),
                               ("odd/a\nb", b"bell \x07 and \xff\n"), ("binary", b"\0import")]:
            asb("put", "box", "-", f"/workspace/{path}", stdin=contents)


class Find(Search):
    def test_paths(self):
        self.assert_done(asb("find", "box", "*.py"), b"/workspace/src/.b.py\n/workspace/src/a.py\n")
        self.assert_done(asb("find", "-i", "box", "*.py"), b"/workspace/top.PY\n/workspace/src/.b.py\n/workspace/src/a.py\n")
        self.assert_done(asb("find", "box", "s*"), b"/workspace/src\n")
        self.assert_done(asb("find", "-f", "box", "s*"), b"")
        self.assert_done(asb("find", "box", "[!.]*.py", "src"), b"/workspace/src/a.py\n")
        self.assert_done(asb("find", "-0", "box", "odd/*"), b"/workspace/odd/a\nb\0")

    def test_terminal(self):
        status, output = Terminal("find", "box", "odd/*").finish()
        self.assertEqual((status, len(output.splitlines())), (0, 1))

    def test_json(self):
        found = {entry["path"]: entry for entry in self.json("find", "box", "*.py")}
        self.assertEqual(list(found), ["/workspace/src/.b.py", "/workspace/src/a.py"])
        entry = found["/workspace/src/a.py"]
        self.assertEqual((entry["name"], entry["kind"], entry["size"]), ("a.py", "file", 21))
        (listed,) = self.json("ls", "box", "/workspace/src/a.py")
        self.assertEqual(entry, listed)
        self.assertEqual(self.json("find", "box", "nothing like it"), [])

    def test_refused(self):
        self.assert_refused(asb("find", "box", "../*"), 1, "..")
        self.assert_refused(asb("find", "box", "x", "missing"), 1, "missing")
        self.assert_refused(asb("find", "box", "[x"), 1, "[x")


class Watch(Search):
    def watch(self, *arguments):
        """A watch, and what it says at first: then nothing is missed any more."""
        watch = start("watch", *arguments)
        self.assertRegex(watch.stderr.readline(), b"^asb: watching")
        return watch

    def end(self, watch, signal_number=signal.SIGINT):
        watch.send_signal(signal_number)
        output, errors = watch.communicate(timeout=60)
        return output

    def test_changes(self):
        watch = self.watch("-r", "box", "src")
        self.assert_done(asb("exec", "box", "--", "mkdir", "/workspace/src/new"))
        self.assertEqual(watch.stdout.readline(), b"created    /workspace/src/new\n")
        self.assert_done(asb("exec", "box", "--", "mv", "/workspace/src/new", "/workspace/src/newer"))
        self.assertEqual(watch.stdout.readline(), b"moved      /workspace/src/new -> /workspace/src/newer\n")
        self.assert_done(asb("exec", "box", "--", "rmdir", "/workspace/src/newer"))
        self.assertIn(b"deleted    /workspace/src/newer\n", self.rest(watch))

    def rest(self, watch):
        lines = []
        while not lines or not lines[-1].startswith(b"deleted"):
            lines.append(watch.stdout.readline())
        self.end(watch)
        return lines

    def test_gone(self):
        """It ends when there is nothing left to be watched."""
        self.assert_done(asb("exec", "box", "--", "mkdir", "/workspace/passing"))
        watch = self.watch("box", "passing")
        self.assert_done(asb("exec", "box", "--", "rmdir", "/workspace/passing"))
        watch.communicate(timeout=60)
        self.assertEqual(watch.returncode, 0)

    def test_json(self):
        watch = start("watch", "--json", "-r", "box")
        for turn in range(1000):
            self.assert_done(asb("exec", "box", "--", "mkdir", f"/workspace/turn-{turn}"))
            if select.select([watch.stdout], [], [], 0)[0]:
                break
        event = json.loads(b"".join(iter(watch.stdout.readline, b"}\n")) + b"}")
        self.assertEqual((event["event"], event["is_directory"]), ("created", True))
        self.end(watch)

    def test_refused(self):
        self.assert_refused(asb("watch", "box", "missing"), 1, "missing")
        self.assert_refused(asb("watch", "nobody"), 1, "nobody")


class Grep(Search):
    def test_lines(self):
        self.assert_done(asb("grep", "box", "^import (os|re)"), b"/workspace/src/a.py:1:import os\n")
        self.assert_done(asb("grep", "-i", "box", "^IMPORT$"), b"/workspace/top.PY:1:Import\n")
        self.assert_done(asb("grep", "-F", "box", "= '"), b"/workspace/src/.b.py:1:x = 'import'\n")
        self.assert_done(asb("grep", "--include=a*", "box", "import", "src"), b"/workspace/src/a.py:1:import os\n/workspace/src/a.py:2:import sys\n")
        self.assert_done(asb("grep", "box", "sys", "src/a.py"), b"/workspace/src/a.py:2:import sys\n")
        self.assert_done(asb("grep", "box", "bell", "odd"), b"/workspace/odd/a\nb:1:bell \x07 and \xff\n")
        self.assert_done(asb("grep", "box", "nothing like it"), b"")

    def test_terminal(self):
        status, output = Terminal("grep", "box", "bell").finish()
        self.assertEqual(status, 0)
        self.assertNotIn(b"\x07", output)
        self.assertIn(b"bell", output)

    def test_habits(self):
        self.assert_done(asb("grep", "-n", "box", "^import (os|re)"), b"/workspace/src/a.py:1:import os\n")
        self.assert_done(asb("grep", "-l", "box", "import", "src"), b"/workspace/src/.b.py\n/workspace/src/a.py\n")
        self.assert_done(asb("grep", "-il", "box", "^import$"), b"/workspace/top.PY\n")

    def test_json(self):
        match = {"path": "/workspace/src/a.py", "line_number": 2, "column": 7, "offset": 0, "text": "import sys",
                 "truncated": False}
        self.assertEqual(self.json("grep", "box", "sys", "src"), [match])
        (match,) = self.json("grep", "box", "bell", "odd")
        self.assertEqual(match["path"], "/workspace/odd/a\nb")
        self.assertEqual(base64.b64decode(match["text"]["b64"]), b"bell \x07 and \xff")
        self.assertEqual(self.json("grep", "-l", "box", "import", "src"), ["/workspace/src/.b.py", "/workspace/src/a.py"])
        self.assertEqual(self.json("grep", "box", "nothing like it"), [])

    def test_bytes(self):
        """What is looked for may be no text, and so may its record."""
        self.assert_done(asb("grep", "-F", "box", b"and \xff", "odd"),
                         b"/workspace/odd/a\nb:1:bell \x07 and \xff\n")
        searched = self.json("history", "list", "box")[-1]
        self.assertEqual(base64.b64decode(searched["request"]["text"]["b64"]), b"and \xff")
        self.assert_refused(asb("grep", "box", b"\xff"), 1, "regular expression")

    def test_refused(self):
        self.assert_refused(asb("grep", "box", "("), 1, "regular expression")
        self.assert_refused(asb("grep", "box", "x", "missing"), 1, "missing")


if __name__ == "__main__":
    tap_unittest.main()
