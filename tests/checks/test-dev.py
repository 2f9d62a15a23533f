# SPDX-License-Identifier: LGPL-2.1-or-later
"""What ./dev does about its build folder, with meson and ninja that only say what they are asked."""

import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "tests" / "bindings"))

import tap_unittest  # noqa: E402

MESON = """#!/bin/sh
echo meson "$@" >>"$CALLS"
[ "$1" != setup ] || mkdir -p "$2/meson-info"
[ "$1" != setup ] || echo "{\\"directories\\": {\\"source\\": \\"$3\\"}}" >"$2/meson-info/meson-info.json"
[ "$1" != setup ] || touch "$2/build.ninja"
[ "$1" != test ] || cp "$3/says" "$3/meson-logs/testlog.json"
"""
NINJA = """#!/bin/sh
echo ninja >>"$CALLS"
[ ! -e "$2/waits" ] || { echo begun >"$2/waits"; exec tail -f "$2/build.ninja"; }
[ ! -e "$2/fails" ] || { cat "$2/fails"; exit 3; }
mkdir -p "$2/tools" && ln -sf /bin/echo "$2/tools/asb"
"""
INSTALLED = """#!/bin/sh
for package; do echo "installed $package"; done
"""


class Dev(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="dev-test-"))
        self.addCleanup(shutil.rmtree, folder)
        self.tree = folder / "a tree"
        self.calls, self.logs = folder / "calls", folder / "logs"
        for name in ("a tree", "logs", "programs"):
            (folder / name).mkdir()
        shutil.copy(SOURCE / "dev", self.tree)
        shutil.copytree(SOURCE / "build-aux", self.tree / "build-aux")
        for name, text in (("meson", MESON), ("ninja", NINJA), ("dpkg-query", INSTALLED)):
            (folder / "programs" / name).write_text(text)
            (folder / "programs" / name).chmod(0o755)
        self.environment = {**os.environ, "CALLS": str(self.calls), "TMPDIR": str(self.logs),
                            "PATH": f"{folder / 'programs'}:{os.environ['PATH']}"}

    def dev(self, *arguments):
        """Returns: (exit status, output, errors, what was called)"""
        self.calls.write_text("")
        done = subprocess.run([self.tree / "dev", *arguments], capture_output=True, text=True, check=False,
                              env=self.environment, cwd="/")
        self.assertEqual(list(self.logs.iterdir()), [])
        return done.returncode, done.stdout, done.stderr, [line.split()[0] for line in
                                                           self.calls.read_text().splitlines()]

    def test_verbs(self):
        for verb in ("help", "--help", "-h"):
            self.assertIn("Usage: ./dev VERB", self.dev(verb)[1])
        status, output, errors, _ = self.dev("frobnicate")
        self.assertEqual((status, output), (125, ""))
        self.assertIn("there is no verb “frobnicate”", errors)

    def test_configured_once(self):
        self.assertEqual(self.dev("asb", "a  b", "")[1:], ("a  b \n", "dev: building in _build for the first time; "
                                                           "this takes a minute or two\n", ["meson", "ninja"]))
        self.assertEqual(self.dev("asb", "x"), (0, "x\n", "", ["ninja"]))

    def test_moved(self):
        """A build folder that speaks of another tree cannot be used."""
        self.dev("build")
        (self.tree / "_build" / "old").touch()
        self.tree = self.tree.rename(self.tree.with_name("another tree"))
        _, _, errors, calls = self.dev("build")
        self.assertEqual(calls, ["meson", "ninja"])
        self.assertIn("dev: _build was made for another folder, or is broken: it is made anew\n", errors)
        self.assertFalse((self.tree / "_build" / "old").exists())
        self.assertEqual(self.dev("build"), (0, "", "", ["ninja"]))

    def test_broken(self):
        self.dev("build")
        for text in ("", json.dumps({"directories": {}})):
            (self.tree / "_build" / "meson-info" / "meson-info.json").write_text(text)
            self.assertEqual(self.dev("build")[3], ["meson", "ninja"])

    def test_unknown(self):
        """That nobody could look is no reason to remove it."""
        self.dev("build")
        python = self.calls.parent / "programs" / "python3"
        python.write_text("#!/bin/sh\nexit 254\n")
        python.chmod(0o755)
        status, _, errors, calls = self.dev("build")
        self.assertEqual((status, calls), (125, []))
        self.assertEqual(errors, "dev: could not look into _build, python3 failed with status 254\n")
        python.unlink()
        self.assertEqual(self.dev("build"), (0, "", "", ["ninja"]))

    def test_two_at_once(self):
        """The second waits, and says so."""
        self.dev("build")
        folder = os.open(self.tree, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        with subprocess.Popen([self.tree / "dev", "asb", "x"], env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.assertEqual(process.stderr.readline(), "dev: waiting for another build in a tree\n")
            self.assertEqual(self.calls.read_text().count("ninja"), 1)
            fcntl.flock(folder, fcntl.LOCK_UN)
            self.assertEqual(process.communicate(), ("x\n", ""))

    def test_failures(self):
        self.dev("build")
        fails = self.tree / "_build" / "fails"
        fails.write_text("FAILED: x.c\n")
        status, _, errors, _ = self.dev("build")
        self.assertEqual(status, 125)
        self.assertRegex(errors, r"\AFAILED: x.c\ndev: “ninja -C [^\n]*” failed with status 3\n\Z")
        fails.write_text("ninja: error: loading 'build.ninja': nothing there\n")
        self.assertIn("if _build is broken, remove it", self.dev("build")[2])

    def run_test(self, **said):
        """The only test there is says this."""
        logs = self.tree / "_build" / "meson-logs"
        logs.mkdir(exist_ok=True)
        (self.tree / "_build" / "says").write_text(json.dumps({"name": "box", "result": "OK", **said}) + "\n")
        return self.dev("test")[:2]

    def test_totals(self):
        self.dev("build")
        self.assertEqual(self.run_test(stdout="ok 1\nok 2 # SKIP why\n1..2\n"), (0, "1 passed, 0 failed, 1 skipped\n"))
        status, output = self.run_test(result="FAIL", stdout="ok 1\n# why\nnot ok 2\n1..2\n")
        self.assertEqual((status, output.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("not ok 2", output)

    def test_findings(self):
        """They count, also in a child that a test does not ask about."""
        self.dev("build")
        for finding in ("==17== Invalid read of size 1\n==17==    at 0x1: box (box.c:1)\n==17== ",
                        "==17==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
                        "../box.c:1:2: runtime error: null pointer"):
            status, output = self.run_test(stdout="ok 1\n1..1\n", stderr=f"some words\n{finding}\n")
            self.assertEqual((status, output.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
            self.assertIn("box: passed, but\n  " + finding.splitlines()[0], output)

    def test_lost_in_a_child(self):
        """What belonged to threads that it does not have."""
        self.dev("build")
        lost = "==17== 16 bytes in 1 blocks are definitely lost in loss record 1 of 2\n==17==    at 0x1: run (box.c:1)\n==17== \n"
        self.assertEqual(self.run_test(stdout="ok 1\n1..1\n", stderr="--17-- WARNING: unhandled\n" + lost),
                         (0, "1 passed, 0 failed, 0 skipped\n"))
        self.assertEqual(self.run_test(stdout="ok 1\n1..1\n", stderr=f"{lost}==17== Invalid read of size 1\n")[0], 1)

    def test_interrupted(self):
        """Nothing is left of it."""
        self.dev("build")
        os.mkfifo(self.tree / "_build" / "waits")
        process = subprocess.Popen([self.tree / "dev", "build"], env=self.environment, start_new_session=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        (self.tree / "_build" / "waits").read_text()
        os.killpg(process.pid, signal.SIGINT)
        self.assertNotEqual(process.wait(), 0)
        self.assertEqual(list(self.logs.iterdir()), [])


if __name__ == "__main__":
    tap_unittest.main()
