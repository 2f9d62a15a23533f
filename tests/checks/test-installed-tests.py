#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an installed test imports from this tree is installed with it.

usage: test-installed-tests.py TESTS-FOLDER
"""

import ast
import pathlib
import re
import sys

import tap


def imported(file):
    if file.suffix == ".js":
        yield from re.findall(r"from '\./([\w-]+)\.js'", file.read_text(encoding="utf-8"))
        return
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def missing(tests, files):
    for file in files:
        ours = {other.stem for other in tests.rglob("*" + file.suffix)}
        installed = {other.stem for other in files if other.suffix == file.suffix}
        for name in sorted(set(imported(file)) & ours - installed):
            yield f"{file.name} imports {name}, which is not installed"


def main():
    tests = pathlib.Path(sys.argv[1])
    text = (tests / "installed" / "meson.build").read_text(encoding="utf-8")
    files = [tests / "installed" / name for name in re.findall(r"'(\.\./[\w/-]+\.(?:py|js))'", text)]

    tap.run([
        ("some tests are installed", lambda: [] if len(files) > 5 else ["none were found"]),
        ("what they import is, too", lambda: list(missing(tests, files))),
    ])


main()
