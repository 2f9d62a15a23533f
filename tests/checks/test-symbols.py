#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the library exports is what it declares, and what stands in libasb.symbols.

usage: test-symbols.py LIBRARY GIR SYMBOLS
"""

import pathlib
import subprocess
import sys

import gir
import tap


def main():
    library, gir_file, symbols_file = sys.argv[1:]
    dynamic = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", library],
                             capture_output=True, text=True, check=True).stdout
    exported = {line.split()[0] for line in dynamic.splitlines()}
    introspected = gir.exported(gir.load(gir_file))
    committed = pathlib.Path(symbols_file).read_text(encoding="ascii").splitlines()

    tap.run([
        ("the list is sorted, each symbol once",
         lambda: [] if committed == sorted(set(committed)) else ["sort it with LC_ALL=C sort -u"]),
        ("what is exported stands in the list", lambda: sorted(exported - set(committed))),
        ("what stands in the list is exported", lambda: sorted(set(committed) - exported)),
        ("what is exported is introspected", lambda: sorted(exported - introspected)),
        ("what is introspected is exported", lambda: sorted(introspected - exported)),
        ("each symbol has the prefix of the library",
         lambda: sorted(symbol for symbol in exported if not symbol.startswith("asb_"))),
    ])


main()
