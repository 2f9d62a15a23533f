#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a page of the reference of a Markdown file: gi-docgen wants the title in a field of its
own, its pages end in .html, and its style breaks words in the narrow columns of tables.

usage: guide-page.py SOURCE TARGET
"""

import pathlib
import re
import sys


STYLE = """
<style>
table { display: block; overflow-x: auto; }
td:nth-child(-n+2) > code:only-child, th > code { white-space: nowrap; }
</style>
"""


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    text = source.read_text(encoding="utf-8")
    heading, body = re.fullmatch(r"# ([^\n]+)\n(.*)", text, re.DOTALL).groups()
    body = re.sub(r"\]\(([\w-]+)\.md(#[\w-]+)?\)", r"](\1.html\2)", body)
    target.write_text(f"Title: {heading}\n\n# {heading}\n{body}{STYLE}", encoding="utf-8")


main()
