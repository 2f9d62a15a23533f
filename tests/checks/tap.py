# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that give a list of offenders, told as TAP."""

import sys


def run(checks):
    """Runs (title, function) pairs; a function returns what is wrong, line by line."""
    print(f"1..{len(checks)}")
    failed = False
    for number, (title, check) in enumerate(checks, 1):
        offenders = list(check())
        failed = failed or bool(offenders)
        print(f"{'not ok' if offenders else 'ok'} {number} - {title}")
        for offender in offenders[:40]:
            print(f"{title}: {offender}", file=sys.stderr)
    sys.exit(1 if failed else 0)
