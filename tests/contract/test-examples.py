#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The providers among the examples have no more lines of code than was promised, their checks and
main functions included. Blank lines and comments do not count. The guide shows the one in C as it is.

usage: test-examples.py FOLDER GUIDE.md
"""

import pathlib
import re
import sys

import tap

MOST = 50
COMMENTS = {
    ".c": r"/\*.*?\*/",
    ".js": r"^\s*//[^\n]*",
    ".py": r'^\s*#[^\n]*|^\s*"""[^"]*"""',
    ".vala": r"^\s*//[^\n]*",
}
EXAMPLES = ["c/box-provider.c", "js/boxProvider.js", "python/box_provider.py"]


def count(path):
    text = re.sub(COMMENTS[path.suffix], "", path.read_text(encoding="utf-8"),
                  flags=re.DOTALL | re.MULTILINE)
    return sum(1 for line in text.splitlines() if line.strip())


def check(path):
    n_lines = count(path)
    return [] if 10 < n_lines <= MOST else [f"{path.name} has {n_lines} lines, not up to {MOST}"]


def check_guide(guide, path):
    text = path.read_text(encoding="utf-8")
    code = text[text.index("#include"):]
    return [] if f"```c\n{code}```" in guide.read_text(encoding="utf-8") else [f"{path.name} is another"]


def main():
    folder, guide = map(pathlib.Path, sys.argv[1:])
    tap.run([*((f"{example} has at most {MOST} lines", lambda path=folder / example: check(path))
               for example in EXAMPLES),
             ("the guide shows the example in C as it is",
              lambda: check_guide(guide, folder / "c" / "box-provider.c"))])


main()
