#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of the guides run: those of a page are one program.

usage: test-guides.py PAGE.md…

With ASB_TEST_OPENSANDBOX_SERVER, the look-alike of a server, one of these runs meanwhile.
"""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap_unittest
from asb_test import TestCase

PAGES = [pathlib.Path(page) for page in sys.argv[1:]]


@contextlib.contextmanager
def server():
    """The environment in which the examples find it."""
    program = os.environ.get("ASB_TEST_OPENSANDBOX_SERVER")
    if not program:
        yield os.environ
        return
    with tempfile.TemporaryDirectory() as root:
        command = [program, "--port", "0", "--print-port", "--root", root]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            yield {**os.environ, "OPEN_SANDBOX_DOMAIN": "127.0.0.1:" + process.stdout.readline().strip()}
            process.terminate()


class TestGuides(TestCase):
    pass


def run_page(page):
    def test(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"),
                            re.MULTILINE | re.DOTALL)
        self.assertTrue(blocks, "the page has no examples")
        with tempfile.TemporaryDirectory() as folder, server() as environment:
            program = pathlib.Path(folder, page.stem + ".py")
            program.write_text("\n".join(blocks), encoding="utf-8")
            done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False,
                                  env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
    return test


for guide in PAGES:
    setattr(TestGuides, "test_" + guide.stem.replace("-", "_"), run_page(guide))

if __name__ == "__main__":
    del sys.argv[1:]
    tap_unittest.main()
