# SPDX-License-Identifier: LGPL-2.1-or-later
"""What “asb modules” tells of good modules and of bad ones."""

import json
import os
import pathlib

import tap_unittest
from cli_test import ASB, FOLDER, TestCase, asb

PATH = os.environ["ASB_MODULE_PATH"]


class Modules(TestCase):
    def list(self, path, status=0):
        result = asb("modules", "--json", environment={"ASB_MODULE_PATH": path})
        self.assertEqual(result.returncode, status, result.stderr)
        return {(module["kind"], module["name"]): module for module in json.loads(result.stdout)}

    def test_good(self):
        modules = self.list(PATH)
        for key in [("provider", "local"), ("provider", "mock"), ("history store", "none"),
                    ("history store", "memory"), ("history store", "sandbox")]:
            self.assertIsNone(modules[key]["error"])
            self.assertTrue(pathlib.Path(modules[key]["file"]).is_file())

    def test_table(self):
        text = self.assert_done(asb("modules")).decode()
        self.assertRegex(text, r"(?m)^KIND +NAME +STATE +FILE$")
        self.assertRegex(text, r"(?m)^provider +local +ok +/")

    def test_bad_ones_do_not_hide_the_others(self):
        (FOLDER / "libasb-provider-broken.so").write_bytes(b"no library")
        (FOLDER / "libasb-history-folder.so").mkdir(exist_ok=True)
        (FOLDER / "libasb-provider-.so").write_bytes(b"no name")
        (FOLDER / "other.so").write_bytes(b"")
        modules = self.list(f"{FOLDER}:{PATH}", status=1)
        self.assertIn("broken", modules["provider", "broken"]["error"])
        self.assertIsNotNone(modules["history store", "folder"]["error"])
        self.assertIsNone(modules["provider", "local"]["error"])
        self.assertNotIn(("provider", ""), modules)
        result = asb("modules", environment={"ASB_MODULE_PATH": f"{FOLDER}:{PATH}"})
        self.assertIn(b"libasb-provider-broken.so", result.stderr)

    def test_first_of_two(self):
        (FOLDER / "first").mkdir(exist_ok=True)
        (FOLDER / "first" / "libasb-provider-mock.so").write_bytes(b"no library")
        modules = self.list(f"{FOLDER}/first:{PATH}", status=1)
        self.assertEqual(modules["provider", "mock"]["file"], f"{FOLDER}/first/libasb-provider-mock.so")

    def test_did_you_mean(self):
        self.assert_refused(asb("run", "--provider", "locl", "true"), 125, "did you mean “local”?")
        self.assert_refused(asb("list", "--provider", "frobnicate"), 1, "no provider “frobnicate”", "registered")


if __name__ == "__main__":
    tap_unittest.main()
