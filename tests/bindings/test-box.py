#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example of a provider keeps within its folder what is put into a sandbox, whatever has been made
of that folder.

usage: test-box.py EXAMPLES    (the folder of the examples in Python)
"""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, sys.argv.pop(1))

import tap_unittest
from asb_test import Asb, GLib, TestCase
from box_provider import BoxProvider


class TestBox(TestCase):
    def setUp(self):
        self.provider = BoxProvider()
        self.sandbox = self.provider.create_sandbox(Asb.SandboxSpec(), None).get_ref().get_sandbox_id()
        self.folder = pathlib.Path(self.provider.dup_folder(self.sandbox))

    def tearDown(self):
        self.provider.delete_sandbox(self.sandbox, None)

    def put(self, path):
        self.provider.put_file(self.sandbox, path, GLib.Bytes.new(b"text"), 0o640, None)

    def test_inside(self):
        self.put("/new/folder/file")
        file = self.folder / "new/folder/file"
        self.assertEqual((file.read_bytes(), file.stat().st_mode & 0o777), (b"text", 0o640))

    def test_links_to_what_is_outside(self):
        with tempfile.TemporaryDirectory() as outside:
            os.symlink(outside, self.folder / "link")
            with self.assertRaises(GLib.Error):
                self.put("/link/file")
            self.assertEqual(os.listdir(outside), [])


if __name__ == "__main__":
    tap_unittest.main()
