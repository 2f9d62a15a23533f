#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of the guides run: those of a page are one program.

usage: test-guides.py PAGE.md…
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import tap_unittest
from asb_test import TestCase

PAGES = [pathlib.Path(page) for page in sys.argv[1:]]


class TestGuides(TestCase):
    pass


def run_page(page):
    def test(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"),
                            re.MULTILINE | re.DOTALL)
        self.assertTrue(blocks, "the page has no examples")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, page.stem + ".py")
            program.write_text("\n".join(blocks), encoding="utf-8")
            done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
    return test


for guide in PAGES:
    setattr(TestGuides, "test_" + guide.stem.replace("-", "_"), run_page(guide))

if __name__ == "__main__":
    del sys.argv[1:]
    tap_unittest.main()
