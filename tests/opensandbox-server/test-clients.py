# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a client that cannot be had is told from one that cannot be installed."""

import os
import subprocess
import sys
import tempfile

from lookalike import run, test

INSTALL = "import sys, clients; clients.install(sys.argv[1], sys.argv[2:])"
NOWHERE = {"PIP_INDEX_URL": "http://127.0.0.1:1/simple", "PIP_FIND_LINKS": "",
           "PIP_EXTRA_INDEX_URL": "", "PIP_CONFIG_FILE": os.devnull}


def install(folder, package):
    return subprocess.run(
        [sys.executable, "-B", "-c", INSTALL, folder, package], capture_output=True, text=True,
        check=False, cwd=os.path.dirname(os.path.abspath(__file__)), env={**os.environ, **NOWHERE})


@test
def no_registry(folder):
    done = install(folder, "opensandbox==0.1.16")
    assert done.returncode == 0 and "# SKIP" in done.stdout, done


@test
def what_is_broken_is_not_skipped(folder):
    done = install(folder, "no such requirement")
    assert done.returncode == 1 and done.stdout.startswith("Bail out! "), done


run(tempfile.TemporaryDirectory(prefix="clients-test-"))
