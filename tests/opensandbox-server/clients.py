# SPDX-License-Identifier: LGPL-2.1-or-later
"""The public clients, from the package registry, in a folder of the build."""

import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

from lookalike import skip_all

PACKAGES = ["opensandbox==0.1.16", "opensandbox-cli", "agent-sandbox-backends==0.1.0"]
PIP = ["install", "--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1",
       "--timeout", "30", "--target"]


CONSOLE = ["sandbox-console==0.2.0", *PACKAGES]


def install(folder, packages=None):
    """Makes the packages importable; skips the whole test with the reason when it cannot."""
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
                lines = [line for line in done.stderr.splitlines() if line.strip()]
                skip_all("the clients could not be installed: "
                         + (lines[-1] if lines else f"pip ended with {done.returncode}"))
            stamp.write_text(wanted)
    sys.path.insert(0, str(target))
    os.environ["PYTHONPATH"] = str(target)
    return target
