# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs for tests that change their user: a build folder may be closed to others, as that of
root is."""

import atexit
import functools
import os
import shutil
import tempfile


@functools.lru_cache(maxsize=None)
def reachable(program):
    """A program of the build folder, where any user can run it."""
    if os.geteuid() != 0:
        return program
    folder = tempfile.mkdtemp(prefix="asb-reachable-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    return shutil.copy(program, folder)
