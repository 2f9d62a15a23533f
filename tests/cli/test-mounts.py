# SPDX-License-Identifier: LGPL-2.1-or-later
"""Folders of this machine in a sandbox: --mount and --project of asb run and asb create."""

import os
import pathlib
import subprocess
import unittest

import tap_unittest
from cli_test import ASB, ENVIRONMENT, FOLDER, LIMIT, TestCase, asb


def snapshot(folder):
    """All that can be seen of a tree, also when something was last done to it."""
    return sorted((str(path), path.lstat().st_mode, path.lstat().st_uid, path.lstat().st_size,
                   path.lstat().st_mtime_ns, path.lstat().st_ctime_ns)
                  for path in [folder, *folder.rglob("*")])


class Mounts(TestCase):
    def setUp(self):
        self.project = FOLDER / self.id().rpartition(".")[2]
        (self.project / "sub").mkdir(parents=True)
        (self.project / "file").write_text("first\n")
        self.before = snapshot(self.project)

    def tearDown(self):
        for entry in self.json("list"):
            self.assert_done(asb("rm", entry["id"]))

    def assert_untouched(self):
        self.assertEqual(snapshot(self.project), self.before)

    @unittest.skipUnless(os.geteuid() == 0, "only root may put a file in the place of one in /etc")
    def test_etc(self):
        """What not everybody may read stays outside, also when the caller could read it."""
        secret = FOLDER / "secret"
        for mode, expected in [(0o644, b"s3cret of etc"), (0o640, b"no such file")]:
            secret.write_text("s3cret of etc")
            secret.chmod(mode)
            result = subprocess.run(
                ["unshare", "--mount", "--propagation", "private", "sh", "-ec",
                 'mount --bind "$0" /etc/debian_version; exec "$@"', str(secret), ASB, "run", "--", "sh", "-c",
                 "cat /etc/debian_version 2>/dev/null || printf 'no such file'"],
                capture_output=True, timeout=LIMIT, check=False, env=ENVIRONMENT)
            self.assertEqual((result.returncode, result.stdout), (0, expected), result.stderr)

    def test_project(self):
        self.assert_done(asb("run", "--project", str(self.project), "cat file; echo 2 > file; cat file"),
                         b"first\n2\n")
        self.assert_untouched()

    def test_project_here(self):
        self.assert_done(asb("run", "-p", ".", "--", "cat", "file", cwd=self.project), b"first\n")
        self.assert_untouched()

    def test_project_written_through(self):
        self.assert_done(asb("run", "-p", f"{self.project}:rw", "echo 2 > file; mkdir made"))
        self.assertEqual((self.project / "file").read_text(), "2\n")
        self.assertEqual(os.stat(self.project / "made").st_uid, os.geteuid())

    def test_read_only(self):
        result = asb("run", "-v", str(self.project), "cat " + self.project.name + "/file; touch "
                     + self.project.name + "/x 2>/dev/null || echo refused")
        self.assert_done(result, b"first\nrefused\n")
        self.assert_untouched()

    def test_targets(self):
        result = asb("run", "--mount", f"{self.project}:/data", f"--mount={self.project}:/more:overlay",
                     "-v", f"{self.project}/sub:/out:rw",
                     "ls /data /more; touch /more/x /out/made; touch /data/x 2>/dev/null || echo refused")
        self.assert_done(result, b"/data:\nfile\nsub\n\n/more:\nfile\nsub\nrefused\n")
        self.assertTrue((self.project / "sub" / "made").exists())
        self.assertEqual(sorted(os.listdir(self.project)), ["file", "sub"])

    def test_odd_names(self):
        odd = self.project / "a:b, c\\"
        odd.mkdir()
        (odd / "x").write_text("odd\n")
        for text in [f"{odd}:/data", f"{odd}:/data:overlay", f"{odd}:ro"]:
            self.assert_done(asb("run", "-v", text, "cat /data/x /workspace/*/x 2>/dev/null; true"),
                             b"odd\n")
        self.assert_done(asb("run", "-p", f"{odd}:overlay", "cat x"), b"odd\n")

    def test_refused(self):
        for text in ["", ":/data"]:
            self.assert_refused(asb("run", "-v", text, "true"), 125, "SOURCE")
        for text, end in [(f"{self.project}:wr", ":wr"), (f"{self.project}:data:rw:x", ":x")]:
            self.assert_refused(asb("run", "-v", text, "true"), 125, f"“{end}”", "no mode", "no target",
                                f"“{text}:ro”")
        self.assert_refused(asb("create", "-p", ""), 1, "DIR")
        self.assert_refused(asb("create", "-p", f"{self.project}:wr"), 1, "“:wr”", "no mode",
                            f"“{self.project}:wr:overlay”")
        self.assert_refused(asb("create", "-p", "/nope/nope"), 1, "/nope/nope", "No such file")
        self.assert_refused(asb("create", "-v", f"{self.project}:/usr"), 1, "/usr")
        self.assert_refused(asb("create", "-v", "/:/data"), 1, "whole host")
        self.assertEqual(self.json("list"), [])

    def test_current_folder_that_is_gone(self):
        """What is named from there is not looked for in the root folder instead."""
        gone = self.project / "gone"
        for option in [("-v", "etc:/data"), ("-v", "usr/share"), ("-p", "etc"), ("-p", "."), ("-v", "..:/data:rw")]:
            gone.mkdir()
            result = asb("run", *option, "ls", "/data", cwd=gone,
                         preexec_fn=lambda: os.rmdir(gone))
            self.assert_refused(result, 125, option[1].partition(":")[0], "current folder is gone")

    def test_info(self):
        link = FOLDER / "link"
        link.symlink_to(self.project)
        name = self.assert_done(asb("create", "-p", str(link))).decode().strip()
        self.assert_done(asb("exec", name, "echo new > made"))
        self.assert_done(asb("exec", name, "cat file made"), b"first\nnew\n")
        self.assertEqual(self.json("info", name)["mounts"],
                         [{"source": str(pathlib.Path(self.project).resolve()), "target": "/workspace",
                           "mode": "overlay"}])
        self.assertIn(f"{self.project} at /workspace, overlay",
                      self.assert_done(asb("info", name)).decode())
        self.assert_untouched()


if __name__ == "__main__":
    tap_unittest.main()
