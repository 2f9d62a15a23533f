#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Everything public is documented.

usage: test-documentation.py GIR CONFIG SOURCE_FOLDER GI_DOCGEN
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import gir
import tap


def undocumented(namespace):
    for name, element in gir.public(namespace):
        if element.find(gir.CORE + "doc") is None:
            yield name


def without_version(namespace):
    for name, element in gir.public(namespace):
        if not element.get("version"):
            yield name


def undocumented_parameters(namespace):
    for name, element in gir.public(namespace):
        if element.tag not in gir.CALLABLE:
            continue
        for parameter in gir.parameters(element):
            if parameter.find(gir.CORE + "doc") is None:
                yield f"{name} ({parameter.get('name')})"


def undocumented_returns(namespace):
    for name, element in gir.public(namespace):
        returned = element.find(gir.CORE + "return-value")
        if element.tag not in gir.CALLABLE or returned is None or name.endswith("_get_type"):
            continue
        is_void = any(kind.get("name") == "none" for kind in returned.findall(gir.CORE + "type"))
        if not is_void and returned.find(gir.CORE + "doc") is None:
            yield name


def docgen_complaints(docgen, config, gir_file):
    report = subprocess.run([docgen, "check", f"--config={config}", gir_file],
                            capture_output=True, text=True, check=False)
    lines = (report.stdout + report.stderr).splitlines()
    return [] if report.returncode == 0 else [line for line in lines if "INFO" not in line]


def reference_complaints(docgen, config, gir_file):
    """What is said when the pages are made: of links that lead nowhere. The guides are left out."""
    with tempfile.TemporaryDirectory() as folder:
        settings = pathlib.Path(config).read_text(encoding="utf-8")
        plain = pathlib.Path(folder, "plain.toml")
        plain.write_text(re.sub(r"(?m)^content_files = .*$", "content_files = []", settings), encoding="utf-8")
        report = subprocess.run([docgen, "generate", "--quiet", "--fatal-warnings", "--no-namespace-dir",
                                 f"--config={plain}", f"--output-dir={folder}/pages", gir_file],
                                capture_output=True, text=True, check=False)
    lines = (report.stdout + report.stderr).splitlines()
    return [] if report.returncode == 0 else lines or ["it failed, and did not say why"]


def error_codes(source):
    text = (source / "libasb/asb-error.c").read_text(encoding="utf-8")
    return re.findall(r"^  \[ASB_ERROR_(\w+)\] = \"(\w+)\",$", text, re.MULTILINE)


def error_table(source):
    text = (source / "docs/errors.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([A-Z_]+)` \| `([a-z_]+)` \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)


def table_differences(source):
    codes, table = error_codes(source), error_table(source)
    if not codes:
        yield "no codes were found in libasb/asb-error.c"
    yield from (f"{code}: missing, or in another place" for code in codes if code not in table)
    yield from (f"{row}: there is no such code" for row in table if row not in codes)
    if codes != table:
        yield "the table does not follow the order of the codes"


def dead_links(source):
    for page in [*source.glob("*.md"), *source.glob("docs/*.md")]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(source)}: {target}"


def main():
    gir_file, config, source, docgen = sys.argv[1:]
    namespace, source = gir.load(gir_file), pathlib.Path(source)

    tap.run([
        ("everything public has a description", lambda: undocumented(namespace)),
        ("everything public says since when", lambda: without_version(namespace)),
        ("each parameter is described", lambda: undocumented_parameters(namespace)),
        ("what is returned is described", lambda: undocumented_returns(namespace)),
        ("gi-docgen has no complaint", lambda: docgen_complaints(docgen, config, gir_file)),
        ("gi-docgen makes the pages", lambda: reference_complaints(docgen, config, gir_file)),
        ("docs/errors.md has each code", lambda: table_differences(source)),
        ("no link leads nowhere", lambda: dead_links(source)),
    ])


main()
