# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb upload, and --upload of what makes a sandbox."""

import json
import os
import shutil

import tap_unittest
from cli_test import FOLDER, SandboxTestCase, asb


class Uploads(SandboxTestCase):
    def setUp(self):
        self.assert_done(self.exec("--", "sh", "-c", "rm -rf /workspace/* /workspace/.[!.]*"))
        self.folder = FOLDER / "project"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def make(self, name, text="x", mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def shell(self, text):
        return self.assert_done(self.exec("--", "sh", "-c", text)).decode()

    def upload(self, *arguments, **options):
        return asb("upload", self.sandbox, *arguments, **options)

    def counts(self, *arguments):
        told = json.loads(self.assert_done(self.upload("--json", *arguments)))
        return told["total_files"], told["uploaded_files"], told["skipped_files"], told["failed_files"]

    def test_project(self):
        self.make("a", "one")
        self.make("src/b", "two", 0o755)
        self.make(".env", "SECRET")
        self.make(".git/config", "SECRET")
        self.make("big.log")
        self.make(".sandboxignore", "*.log\n")
        self.assertEqual(self.assert_done(self.upload(str(self.folder))), b"")
        self.assertEqual(self.shell("cd /workspace && find . -type f | sort && stat -c %a project/src/b"), "./project/a\n./project/src/b\n644\n")
        self.assertEqual(self.counts(str(self.folder)), (2, 0, 2, 0))
        self.make("a", "changed")
        self.assertEqual(self.counts(str(self.folder)), (2, 1, 1, 0))
        self.assertEqual(self.counts(str(self.folder), "other", "--exclude", "src", "--modes"), (1, 1, 0, 0))
        self.assertEqual(self.counts(str(self.folder), "/tmp/third", "--include", "*/b"), (1, 1, 0, 0))
        self.assertEqual(self.shell("ls /workspace/other /tmp/third"), "/tmp/third:\nsrc\n\n/workspace/other:\na\n")

    def test_file(self):
        self.make("notes.txt", "text")
        for target, path in ((), "notes.txt"), (("new.txt",), "new.txt"), (("deep/",), "deep/notes.txt"), (("/tmp/x",), "/tmp/x"):
            self.assert_done(self.upload(str(self.folder / "notes.txt"), *target))
            self.assertEqual(self.shell("cd /workspace && cat " + path), "text")
        self.assert_done(self.upload("notes.txt", ".", cwd=self.folder))

    def test_refused(self):
        self.make("a")
        self.assert_refused(self.upload(str(self.folder / "none")), 1, "none")
        self.assert_refused(self.upload(str(self.folder), "--conflict", "maybe"), 2, "if-changed", "maybe")
        self.assert_refused(self.upload(str(self.folder), "--links", "maybe"), 2, "follow", "maybe")
        self.assert_refused(self.upload(str(self.folder), "/.agent-history/x"), 1, "protected")
        self.assert_done(self.upload(str(self.folder)))
        self.assert_refused(self.upload(str(self.folder), "--conflict", "error"), 1, "a")
        os.symlink("a", self.folder / "l")
        self.assert_refused(self.upload(str(self.folder)), 1, "symbolic link")
        self.assert_done(self.upload(str(self.folder), "--links", "keep"))
        self.assertEqual(self.shell("readlink /workspace/project/l"), "a\n")
        self.assert_done(self.upload(str(self.folder), "/tmp/followed", "--links", "follow"))
        self.assertEqual(self.shell("cat /tmp/followed/l"), "x")
        os.mkfifo(self.folder / "pipe")
        self.assert_refused(self.upload(str(self.folder), "--links", "keep"), 1, "pipe")

    def list_names(self):
        return sorted(sandbox["id"] for sandbox in json.loads(self.assert_done(asb("list", "--json"))))

    def test_with_a_new_sandbox(self):
        self.make("a", "text")
        self.make(".env", "SECRET")
        result = asb("run", "--no-record", "--upload", str(self.folder), "--upload", f"{self.folder}/a:/tmp/b", "--", "sh", "-c", "cat project/a /tmp/b; ls -A project")
        self.assertEqual(self.assert_done(result), b"texttexta\n")
        box = self.assert_done(asb("create", "--workdir", "/work", "--upload", f"{self.folder}")).decode().strip()
        self.assertEqual(self.assert_done(asb("exec", box, "--", "cat", "/work/project/a")), b"text")
        self.assert_done(asb("rm", box))
        before = self.list_names()
        self.assert_refused(asb("create", "--upload", str(self.folder / "none")), 1, "none")
        self.assert_refused(asb("create", "--upload", f"{self.folder}:relative"), 1, "TARGET")
        self.assertEqual(self.list_names(), before)


if __name__ == "__main__":
    tap_unittest.main()
