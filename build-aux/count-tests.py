#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up what "meson test" logged, subtest by subtest, and prints one line; above it, what failed.

usage: count-tests.py FOLDER    (the meson-logs of a build folder)
       count-tests.py --sum     (adds up such lines from standard input)

Exits 1 when something failed, a checker of memory found something, or nothing ran.
"""

import json
import pathlib
import re
import sys

PLAN = re.compile(r"^1\.\.\d+", re.MULTILINE)
SUBTEST = re.compile(r"^(not )?ok\b[^#\n]*(?P<skip># *SKIP)?", re.MULTILINE | re.IGNORECASE)
TOTALS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)
# What a test says of its failure may stand before or behind it.
FAILURE = re.compile(r"(?:^#.*\n){0,20}^not ok\b.*(?:\n#.*){0,20}", re.MULTILINE)
# What a checker of memory says, one at a time. Its program may be a child whose exit status nobody asks
# for, or which has become another program by its end.
FINDING = re.compile(r"^==\d+==(?: .*|ERROR: .*)(?:\n==\d+== .+)*|^.*: runtime error: .*", re.MULTILINE)
# A child loses what only threads held on to that it does not have. What the test itself loses fails it.
LOST = re.compile(r"are (?:definitely|indirectly|possibly) lost in loss record")
FINE = {"OK", "EXPECTEDFAIL", "SKIP"}
SHOWN_CHARACTERS = 2000


def count_subtests(output):
    passed = failed = skipped = 0
    for match in SUBTEST.finditer(output):
        if match["skip"]:
            skipped += 1
        elif match[1]:
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def find(test):
    """What a checker found while the test passed."""
    if test["result"] not in FINE:
        return []
    said = test.get("stdout", "") + "\n" + test.get("stderr", "")
    return [finding for finding in FINDING.findall(said) if finding.strip("=0123456789 ") and not LOST.search(finding)]


def count_test(test):
    passed = failed = skipped = 0
    output = test.get("stdout", "")
    result = test["result"]
    if PLAN.search(output):
        passed, failed, skipped = count_subtests(output)
    if result not in FINE and failed == 0:
        failed = 1  # it crashed, took too long, or broke off before its last subtest
    elif passed + failed + skipped == 0:
        passed, skipped = (0, 1) if result == "SKIP" else (1, 0)
    return passed, failed + bool(find(test)), skipped


def show_failures(test):
    """The log of a run may be all that one has of another machine, and of that often only the end."""
    output = test.get("stdout", "")
    failures = "\n".join(match[0] for match in FAILURE.finditer(output))
    shown = failures[:SHOWN_CHARACTERS] or output[-SHOWN_CHARACTERS:]
    print(f"{test['name']}: {test['result']}", *shown.splitlines(), sep="\n  ")


def count_folder(folder):
    for log in sorted(pathlib.Path(folder).glob("testlog*.json")):
        with log.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                test = json.loads(line)
                if test["result"] not in FINE:
                    show_failures(test)
                elif findings := "\n".join(find(test)):
                    print(f"{test['name']}: passed, but", *findings[:SHOWN_CHARACTERS].splitlines(), sep="\n  ")
                yield count_test(test)


def count_lines(lines):
    for match in TOTALS.finditer(lines):
        yield tuple(int(number or 0) for number in match.groups())


def main():
    if sys.argv[1:] == ["--sum"]:
        counts = list(count_lines(sys.stdin.read()))
    elif len(sys.argv) == 2:
        counts = list(count_folder(sys.argv[1]))
    else:
        sys.exit(__doc__)
    passed, failed, skipped = (sum(column) for column in zip(*counts)) if counts else (0, 0, 0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(0 if failed == 0 and passed > 0 else 1)


main()
