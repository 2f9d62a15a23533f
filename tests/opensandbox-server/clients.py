# SPDX-License-Identifier: LGPL-2.1-or-later
"""The public clients, from the package registry, in a folder of the build."""

import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys

from lookalike import bail_out, skip_all

PACKAGES = ["opensandbox==0.1.16", "opensandbox-cli", "agent-sandbox-backends==0.1.0"]
PIP = ["install", "--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1",
       "--timeout", "30", "--target"]


CONSOLE = ["sandbox-console==0.2.0", *PACKAGES]

# What pip says where no registry can be reached. Whatever else goes wrong is a fault.
UNREACHABLE = re.compile(r"from versions: none\)|Max retries exceeded|connection broken by"
                         r"|Read timed out|No module named pip")


def give_up(errors, status):
    lines = [line for line in errors.splitlines() if line.strip()]
    reason = ("the clients could not be installed: "
              + (lines[-1] if lines else f"pip ended with {status}"))
    if UNREACHABLE.search(errors):
        skip_all(reason)
    bail_out(reason)


def install(folder, packages=None):
    """Makes the packages importable; without a package registry the whole test is skipped."""
    packages = packages or PACKAGES
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "packages"
    stamp = folder / "stamp"
    wanted = "\n".join([sys.version, *packages])
    with open(folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(target, ignore_errors=True)
            done = subprocess.run([sys.executable, "-m", "pip", *PIP, str(target), *packages],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                give_up(done.stderr, done.returncode)
            stamp.write_text(wanted)
    sys.path.insert(0, str(target))
    os.environ["PYTHONPATH"] = str(target)
    return target
