# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb doctor: what it finds on a machine where all is well, and where something is missing."""

import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import unittest

import tap_unittest
from cli_test import ASB, ENVIRONMENT, FOLDER, LIMIT, TestCase, asb, checker

STATES = {"ok", "warning", "failure"}


class Doctor(TestCase):
    def setUp(self):
        self.state = tempfile.mkdtemp(dir=FOLDER)
        self.environment = {"XDG_STATE_HOME": self.state, "API_TOKEN": "s3cret-of-doctor"}

    def tearDown(self):
        shutil.rmtree(self.state, ignore_errors=True)

    def look(self, status, **environment):
        """The findings by their names."""
        result = asb("doctor", "--json", environment={**self.environment, **environment})
        self.assertEqual((result.returncode, result.stderr), (status, b""), result.stdout)
        self.assertNotIn(b"s3cret-of-doctor", result.stdout)
        report = json.loads(result.stdout)
        self.assertEqual(report["works"], status == 0)
        for finding in report["findings"]:
            self.assertIn(finding["state"], STATES)
            self.assertTrue(finding["name"] and finding["message"], finding)
        return {finding["name"]: finding for finding in report["findings"]}

    def assert_failure(self, finding, *words):
        self.assertEqual(finding["state"], "failure", finding)
        for word in words:
            self.assertIn(word, f"{finding['message']} {finding['cure']}")

    def script(self, name, text, mode=0o755):
        folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(mode)
        return path

    def with_first(self, folder):
        return f"{folder}:{os.environ['PATH']}"

    def test_unreadable_sandbox(self):
        """What no list shows and nothing removes."""
        folder = pathlib.Path(self.state, "asb", "local", "aaaaaaaaaaaa")
        folder.mkdir(parents=True, mode=0o700)
        (folder / "meta.json").touch()
        found = self.look(0)["sandboxes"]
        self.assertEqual(found["state"], "warning")
        self.assertIn(f"{folder}/meta.json", found["message"])
        self.assertIn("remove it", found["cure"])
        shutil.rmtree(folder)
        self.assertNotIn("sandboxes", self.look(0))

    def test_well(self):
        found = self.look(0)
        for name in ["bubblewrap", "guest", "state folder", "record folder", "sandbox", "system calls",
                     "history stores", "command, recorded"]:
            self.assertEqual(found[name]["state"], "ok", found[name])
        # What it made is gone, with its record.
        left = [path for path in pathlib.Path(self.state).rglob("*") if not path.is_dir()]
        self.assertEqual(left, [])

    def test_text(self):
        result = asb("doctor", environment=self.environment)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        lines = result.stdout.decode().splitlines()
        self.assertEqual(lines[-1], "asb works here")
        for line in lines[:-2]:
            self.assertRegex(line, r"\A((ok|warning|failure) +\S|  +try: )")

    def test_no_bubblewrap(self):
        empty = tempfile.mkdtemp(dir=FOLDER)
        found = self.look(1, PATH=empty)
        self.assert_failure(found["bubblewrap"], "install the package bubblewrap")
        self.assert_failure(found["sandbox"], "install the package bubblewrap")
        self.assertNotIn("command, recorded", found)
        result = asb("doctor", environment={**self.environment, "PATH": empty})
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"asb does not work here: 2 failures", result.stdout)

    def test_old_bubblewrap(self):
        script = self.script("bwrap", "echo bubblewrap 0.4.1")
        found = self.look(1, PATH=self.with_first(script.parent))
        self.assert_failure(found["bubblewrap"], "0.4.1", "0.8 or later")

    def test_refusing_bubblewrap(self):
        script = self.script("bwrap", 'test "$1" = --version && echo bubblewrap 0.8.0 && exit\n'
                             "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
        found = self.look(1, PATH=self.with_first(script.parent))
        self.assertEqual(found["bubblewrap"]["state"], "ok")
        self.assert_failure(found["sandbox"], "user namespaces", "uid map")

    def look_in_chroot(self, place):
        """In a folder of that name, below one that is a mount, with what is in /."""
        result = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-ec",
             'mount -t tmpfs none "$1"; mkdir -p "$1/$2"; cd /; for name in *; do'
             ' if [ -L "$name" ]; then cp -P "$name" "$1/$2";'
             ' elif [ -d "$name" ]; then mkdir "$1/$2/$name"; mount --rbind "$name" "$1/$2/$name"; fi; done;'
             ' exec chroot "$1/$2" "$3" doctor --json', "sh", tempfile.mkdtemp(dir=FOLDER), place, ASB],
            env={**ENVIRONMENT, **self.environment}, capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual((result.returncode, result.stderr), (1, b""), result.stdout)
        return {finding["name"]: finding for finding in json.loads(result.stdout)["findings"]}

    @unittest.skipUnless(os.geteuid() == 0, "only root may enter a chroot")
    def test_chroot(self):
        for place in [".", "inner"]:
            with self.subTest(place):
                self.assert_failure(self.look_in_chroot(place)["sandbox"], "chroot", "systemd-nspawn")

    def test_what_is_no_bubblewrap(self):
        started = FOLDER / "started"
        for text, words in [("echo told why >&2; exit 3", ["--version", "exited with status 3", "told why"]),
                            ("kill -SEGV $$", ["--version", "ended by signal 11"]),
                            (f'test "$1" = --version || exit 1\nsleep 1000 &\necho $! > {started}\nwait',
                             ["--version", "did not end"])]:
            script = self.script("bwrap", text)
            found = self.look(1, PATH=self.with_first(script.parent))
            self.assert_failure(found["bubblewrap"], str(script), "install the package bubblewrap", *words)
        self.assert_ends(int(started.read_text()))
        if checker.VALGRIND:
            self.skipTest("valgrind ends where a program cannot be executed")
        script.write_text("#!/no/such/interpreter\n")
        found = self.look(1, PATH=self.with_first(script.parent))
        for name in ["bubblewrap", "sandbox"]:
            self.assert_failure(found[name], "No such file", "install the package bubblewrap")

    def look_through(self, *program, status=1):
        """As what is run by @program."""
        result = subprocess.run([*program, ASB, "doctor", "--json"], capture_output=True, timeout=LIMIT, check=False,
                                env={**ENVIRONMENT, **self.environment})
        self.assertEqual((result.returncode, result.stderr), (status, b""), result.stdout)
        return {finding["name"]: finding for finding in json.loads(result.stdout)["findings"]}

    def test_programs_that_cannot_be_started(self):
        """Nobody is told to install what is there."""
        for word, program in [("/dev/null", ["bwrap", "--bind", "/", "/", "--tmpfs", "/dev"]),
                              ("ulimit -f", ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh"])]:
            with self.subTest(word):
                found = self.look_through(*program)
                for name in ["bubblewrap", "guest", "sandbox"]:
                    self.assert_failure(found[name], word)
                    self.assertNotIn("install", f"{found[name]['message']} {found[name]['cure']}")

    @unittest.skipIf(checker.VALGRIND, "valgrind 3.19 does not know openat2 ()")
    @unittest.skipUnless(os.geteuid() == 0, "only root may mount an overlay")
    def test_overlays_that_cannot_be_had(self):
        """The kernel has them, but where the sandboxes are there can be none."""
        found = self.look_through(
            "unshare", "--mount", "--propagation", "private", "sh", "-ec",
            'mkdir "$0/lower" "$0/upper" "$0/work" "$0/merged"; mount -t overlay overlay -o '
            '"lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work" "$0/merged"; '
            'export XDG_STATE_HOME="$0/merged"; exec "$@"', self.state, status=0)
        self.assertEqual(found["overlays"]["state"], "warning", found["overlays"])
        self.assertIn("state-dir", found["overlays"]["message"])
        self.assertEqual(found["sandbox"]["state"], "ok")

    def assert_ends(self, pid):
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        self.assertEqual(select.select([handle], [], [], LIMIT)[0], [handle])
        os.close(handle)

    @unittest.skipIf(checker.VALGRIND, "valgrind 3.19 does not know seccomp ()")
    def test_hidden_settings_of_the_kernel(self):
        """Whether it can filter is not taken from a file that a container may hide."""
        result = subprocess.run(["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs",
                                 "/proc/sys", ASB, "doctor", "--json"], capture_output=True, timeout=LIMIT, check=False,
                                env={**ENVIRONMENT, **self.environment})
        (finding,) = [finding for finding in json.loads(result.stdout)["findings"] if finding["name"] == "system calls"]
        self.assertEqual(finding["state"], "ok", finding)

    def test_guest(self):
        found = self.look(1, ASB_GUEST_PATH="/no/such/guest")
        self.assert_failure(found["guest"], "/no/such/guest", "ASB_GUEST_PATH")
        foreign = self.script("guest", "")
        foreign.write_bytes(b"\x7fELF")
        self.assert_failure(self.look(1, ASB_GUEST_PATH=str(foreign))["guest"], "processor")
        other = self.script("guest", "echo asb-guest 0.9.0")
        self.assertEqual(self.look(1, ASB_GUEST_PATH=str(other))["guest"]["state"], "warning")

    def test_folders(self):
        file = self.script("file", "")
        found = self.look(1, XDG_STATE_HOME=str(file))
        for name in ["state folder", "record folder", "sandbox"]:
            self.assert_failure(found[name], str(file), "XDG_STATE_HOME")
        self.assert_failure(found["record folder"], "record-dir")

    def test_stores(self):
        found = self.look(1, ASB_MODULE_PATH=os.path.dirname(
            next(folder for folder in os.environ["ASB_MODULE_PATH"].split(":")
                 if folder.endswith("providers/local")) + "/x"))
        self.assert_failure(found["history stores"], "ASB_MODULE_PATH")

    def test_other_provider(self):
        result = asb("doctor", "--provider", "frobnicate", environment=self.environment)
        self.assertEqual((result.returncode, result.stderr), (1, b""))
        self.assertRegex(result.stdout.decode(), r"\Afailure +provider ")

    def test_provider_that_tells_nothing(self):
        result = asb("doctor", "--provider", "mock", environment=self.environment)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertRegex(result.stdout.decode(), r"\Aok +provider ")


if __name__ == "__main__":
    tap_unittest.main()
