#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a program that is given the options of the provider, on a look-alike of a server.

usage: run-contract.py LOOKALIKE_FOLDER SERVER OPTIONS PROGRAM [ARGUMENTS…]

SERVER: the program of the look-alike; or “real”: the server that ASB_TEST_OPENSANDBOX names (a URL; its
key is in OPEN_SANDBOX_API_KEY), and all is skipped without one.

OPTIONS are those of the provider beside the address: “'transport': <'native'>”. The output is that
of the program.
"""

import os
import shlex
import subprocess
import sys

VALGRIND = shlex.split(os.environ.get("ASB_TEST_GUEST_VALGRIND", ""))[:-1]


def run(url, more, program):
    # Valgrind, or a server that starts containers for others, too, may need more than the default.
    time = "'request-timeout-seconds': <600.0>, " if VALGRIND or sys.argv[1] == "real" else ""
    command = [*VALGRIND, program[0], "--options", f"{{'url': <'{url}'>, {time}{more}}}", *program[1:]]
    return subprocess.run(command, check=False).returncode


def main():
    folder, server, more, *program = sys.argv[1:]
    sys.path.insert(0, folder)
    sys.argv[1:] = [server]
    from lookalike import Server, skip_all  # pylint: disable=import-outside-toplevel

    if server == "real":
        if not os.environ.get("ASB_TEST_OPENSANDBOX"):
            skip_all("ASB_TEST_OPENSANDBOX names no server")
        sys.exit(run(os.environ["ASB_TEST_OPENSANDBOX"], more, program))
    with Server() as running:
        status = run(f"http://127.0.0.1:{running.port}", more, program)
    sys.exit(status)


main()
