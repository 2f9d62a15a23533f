#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rules of CONTRIBUTING.md that can be read off the files, as a TAP test.

usage: check-sources.py [FOLDER]
"""

import ast
import collections
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

SPDX = "SPDX-License-Identifier: LGPL-2.1-or-later"
CODE = {".c", ".cpp", ".h", ".in", ".py", ".js", ".vala", ".sh"}
SCRIPTS = {"dev", ".ci/run"}
MAX_LINES = 800
MAX_TEST_LINES = 1000
MAX_COLUMNS = 100
MAX_FUNCTION = 80
MAX_MEDIAN_FUNCTION = 15

# Written so that this file does not match itself.
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/wo" r"rk/(?:main|notes|shared)\b")
GOTO = re.compile(r"^\s*go" r"to\s+\w+\s*;")
SLEEP = re.compile(r"\b(?:g_u|u|nano)?sl" r"eep(?:_ns)?\s*\(|\.sl" r"eep\s*\(|setTime" r"out\s*\(")
FUNCTION = re.compile(r"^(?!struct|enum|union|typedef|static const|const|extern)[a-z_]\w* \(.*$")
DOC_COMMENT = re.compile(r"^ */\*\*\n.*?\*/\n", re.DOTALL | re.MULTILINE)
# What is in a C file but code. What is in quotes may look like a comment.
PROSE = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'""", re.DOTALL)
# Whose type stands in its line, and that is no macro …
DECLARATION = re.compile(r"^(?!static |typedef )\w[\w *]*[ *](\w+) \([^;{}]*;", re.MULTILINE)
# … and whose type stands in the line above.
DEFINITION = re.compile(r"^(\w+) \(", re.MULTILINE)
# What the build puts in the place of the system's functions.
STAND_INS = {"tests/fuzz/stand-ins.h"}
# Lists of properties, however many there are.
PROPERTY_LIST = re.compile(r"^\w+_(?:class_init|[gs]et_property|finalize) \(")


def tracked_files(folder):
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=folder, capture_output=True, check=False)
    if listing.returncode == 0:
        names = listing.stdout.decode("utf-8", "surrogateescape").split("\0")
        return [name for name in names if name and (folder / name).is_file()]
    return [str(path.relative_to(folder)) for path in folder.rglob("*")
            if path.is_file() and not str(path.relative_to(folder)).startswith(("_build", "."))]


class Source:
    def __init__(self, folder, name):
        self.folder = folder
        self.name = name
        self.suffix = pathlib.Path(name).suffix
        self.text = (folder / name).read_bytes().decode("utf-8", "surrogateescape")
        self.lines = self.text.split("\n")
        lists = sum(length for _, length, is_list in self.all_functions() if is_list)
        doc_comments = sum(match[0].count("\n") for match in DOC_COMMENT.finditer(self.text)
                           if not match[0].startswith(" "))
        self.length = len(self.lines) - 1 - lists - doc_comments

    def is_c(self):
        return self.suffix in {".c", ".h"}

    def is_build(self):
        return self.name.endswith(("meson.build", "meson_options.txt"))

    def is_code(self):
        return self.suffix in CODE or self.is_build() or self.name in SCRIPTS

    def places(self, pattern):
        return [f"{self.name}:{number}" for number, line in enumerate(self.lines, 1)
                if pattern.search(line)]

    def all_functions(self):
        """The C functions: line of the name, lines to the closing brace, list of properties?"""
        start = None
        for number, line in enumerate(self.lines, 1):
            if start is None and FUNCTION.match(line) and not line.endswith(";"):
                start = number
            elif start is not None and line.endswith(");") and not line.startswith(" "):
                start = None
            elif start is not None and line == "}":
                is_list = bool(PROPERTY_LIST.match(self.lines[start - 1]))
                yield start, number - start + 1, is_list
                start = None

    def functions(self):
        return [(start, length) for start, length, is_list in self.all_functions() if not is_list]


def licence(sources):
    return [source.name for source in sources
            if source.is_code() and SPDX not in "\n".join(source.lines[:3])]


def first_line(sources):
    return [source.name for source in sources
            if source.is_c() and source.lines[0] != f"/* {SPDX} */"]


def jumps(sources):
    return sum((source.places(GOTO) for source in sources if source.is_c()), [])


def sleeps(sources):
    return sum((source.places(SLEEP) for source in sources
                if source.is_code() and not source.name.startswith("tests/bench/")), [])


def unfinished(sources):
    return sum((source.places(UNFINISHED) for source in sources), [])


def machine_paths(sources):
    return sum((source.places(MACHINE_PATH) for source in sources), [])


def long_files(sources):
    def limit(source):
        return MAX_TEST_LINES if source.name.startswith("tests/") else MAX_LINES

    return [f"{source.name}: {source.length} lines" for source in sources
            if source.is_code() and source.length > limit(source)]


def long_lines(sources):
    return [f"{source.name}:{number}" for source in sources if source.is_c()
            for number, line in enumerate(source.lines, 1) if len(line) > MAX_COLUMNS]


def tabs_and_blanks(sources):
    blank = re.compile(r"\t|[ \r]$")
    return sum((source.places(blank) for source in sources if source.is_code()), [])


def long_functions(sources):
    return [f"{source.name}:{start}: {length} lines" for source in sources if source.suffix == ".c"
            for start, length in source.functions() if length > MAX_FUNCTION]


def median_function(sources):
    lengths = [length for source in sources
               if source.suffix == ".c" and not source.name.startswith("tests/")
               for start, length in source.functions()]
    median = statistics.median(lengths) if lengths else 0
    return [f"the median is {median} lines"] if median > MAX_MEDIAN_FUNCTION else []


def headers(sources):
    guarded = re.compile(r"^#error \"Only <asb\.h> can be included directly", re.MULTILINE)
    public = [source for source in sources if source.suffix == ".h"]
    return ([f"{source.name}: no #pragma once" for source in public
             if "\n#pragma once\n" not in source.text]
            + [f"{source.name}: can be included directly" for source in public
               if re.fullmatch(r"libasb/asb-[a-z0-9-]+\.h", source.name)
               and not source.name.endswith(("-private.h", "-internal.h"))
               and not guarded.search(source.text)])


def unused_functions(sources):
    """What a header declares and no file names but those that declare and define it."""
    exported = {line for source in sources if source.name.endswith(".symbols")
                for line in source.lines}
    declared = []
    used = set()
    for source in sources:
        if not source.is_c() and not source.is_build():
            continue
        text = PROSE.sub("", source.text) if source.is_c() else source.text
        words = collections.Counter(re.findall(r"\w+", text))
        own = set(DEFINITION.findall(text)) if source.suffix == ".c" else set()
        if source.suffix == ".h" and source.name not in STAND_INS:
            names = DECLARATION.findall(text)
            declared += [(source.name, name) for name in names if name not in exported]
            own = {name for name in names if words[name] == 1}
        used.update(words.keys() - own)
    return [f"{name}: {function}()" for name, function in declared if function not in used]


def shadowed(sources):
    """Of two functions with one name in Python only the last is ever called: a test that is not run."""
    found = []
    for source in sources:
        if source.suffix != ".py":
            continue
        tree = ast.parse(source.text)
        for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
            names = collections.Counter(node.name for node in scope.body
                                        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
                                        and not node.decorator_list)
            found += [f"{source.name}: {name}" for name, count in names.items() if count > 1]
    return found


def formatting(sources):
    if shutil.which("clang-format") is None:
        return None
    names = [source.name for source in sources if source.is_c()]
    report = subprocess.run(["clang-format", "--dry-run", *names], cwd=sources[0].folder,
                            capture_output=True, text=True, check=True).stderr
    return sorted({line.split(":")[0] for line in report.splitlines() if ": warning:" in line})


RULES = [
    ("each source file names its licence", licence),
    ("a C file starts with its licence", first_line),
    ("nothing jumps", jumps),
    ("nothing sleeps", sleeps),
    ("nothing is left unfinished", unfinished),
    ("no path of one machine", machine_paths),
    (f"no file over {MAX_LINES} lines (tests {MAX_TEST_LINES}), API documentation and lists of "
     "properties left out", long_files),
    (f"no C line over {MAX_COLUMNS} columns", long_lines),
    ("no tabs, no blanks at the end of a line", tabs_and_blanks),
    (f"no function over {MAX_FUNCTION} lines, lists of properties left out", long_functions),
    (f"the median function has at most {MAX_MEDIAN_FUNCTION} lines", median_function),
    ("headers are guarded", headers),
    ("what is not static is used in another file", unused_functions),
    ("no function in Python takes the name of another", shadowed),
    ("C files stand as clang-format puts them", formatting),
]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    names = [name for name in tracked_files(folder) if name != "LICENSE"]
    sources = [Source(folder, name) for name in names]
    print(f"1..{len(RULES)}")
    failed = False
    for number, (title, rule) in enumerate(RULES, 1):
        offenders = rule(sources)
        if offenders is None:
            print(f"ok {number} - {title} # SKIP there is no clang-format")
            continue
        failed = failed or bool(offenders)
        print(f"{'not ok' if offenders else 'ok'} {number} - {title}")
        for offender in offenders[:20]:
            print(f"{title}: {offender}", file=sys.stderr)
    sys.exit(1 if failed else 0)


main()
