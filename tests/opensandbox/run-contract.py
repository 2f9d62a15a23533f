#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a program that is given the options of the provider, on a look-alike of a server.

usage: run-contract.py LOOKALIKE_FOLDER SERVER OPTIONS PROGRAM [ARGUMENTS…]

OPTIONS are those of the provider beside the address: “'transport': <'native'>”. The output is that
of the program.
"""

import subprocess
import sys


def main():
    folder, server, more, *program = sys.argv[1:]
    sys.path.insert(0, folder)
    sys.argv[1:] = [server]
    from lookalike import Server  # pylint: disable=import-outside-toplevel

    with Server() as running:
        options = f"{{'url': <'http://127.0.0.1:{running.port}'>, {more}}}"
        status = subprocess.run([program[0], "--options", options, *program[1:]],
                                check=False).returncode
    sys.exit(status)


main()
