#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example of a provider, built by a stranger: with the installed library, and nothing of this
tree but that one file. It passes all checks. The C of the guides compiles so, too.

usage: test-installed.py MESON BUILD-FOLDER COMPILER EXAMPLE.c GUIDES-FOLDER
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MESON, BUILD, COMPILER, EXAMPLE, GUIDES = sys.argv[1:6]
# Around what is a part of a function, with what it is said to have …
STATEMENTS = """#include <asb.h>

static void
part (AsbProvider *provider, const char *key, char *instance_id)
{{
  GError *error = NULL;

  {}
}}
"""
# … and of a file.
FUNCTIONS = "#include <asb.h>\n\n{}"


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def install(folder):
    """Installs below the folder; the place of the pkg-config file, which is told of it."""
    run(*shlex.split(MESON), "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", folder)
    file = next(pathlib.Path(folder).rglob("libasb-1.pc"))
    file.write_text(re.sub(r"(?m)^prefix=", f"prefix={folder}", file.read_text()))
    return file.parent


def pkg_config(folder, *arguments):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(folder))
    return shlex.split(run("pkg-config", *arguments, "libasb-1", env=environment))


def build(pkgconfig, folder):
    module = f"{folder}/libasb-provider-box.so"
    run(*shlex.split(COMPILER), "-Wall", "-Werror", "-shared", "-fPIC", EXAMPLE, "-o", module,
        *pkg_config(pkgconfig, "--cflags", "--libs"))


def as_file(code):
    if code.startswith("#include"):
        return code
    return (FUNCTIONS if code.startswith("static ") else STATEMENTS).format(code)


def compile_guides(pkgconfig, folder):
    for page in sorted(pathlib.Path(GUIDES).glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for number, code in enumerate(re.findall(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL), 1):
            source = pathlib.Path(folder, f"{page.stem}-{number}.c")
            source.write_text(as_file(code), encoding="utf-8")
            run(*shlex.split(COMPILER), "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only", str(source),
                *pkg_config(pkgconfig, "--cflags"))


def check(pkgconfig, folder):
    prefix, library, modules, guests = (pkg_config(pkgconfig, f"--variable={name}")[0]
                                        for name in ("prefix", "libdir", "moduledir", "guestdir"))
    guest = next(pathlib.Path(guests).rglob("asb-guest"))
    environment = dict(os.environ, LD_LIBRARY_PATH=library, ASB_MODULE_PATH=modules,
                       ASB_GUEST_PATH=str(guest), XDG_STATE_HOME=f"{folder}/state")
    return subprocess.run([f"{prefix}/bin/asb-provider-check", f"--module-path={folder}",
                           "--history=sandbox", "box"], env=environment, check=False).returncode


def main():
    with tempfile.TemporaryDirectory(prefix="asb-installed-") as folder:
        pkgconfig = install(f"{folder}/root")
        build(pkgconfig, folder)
        compile_guides(pkgconfig, folder)
        return check(pkgconfig, folder)


if __name__ == "__main__":
    sys.exit(main())
