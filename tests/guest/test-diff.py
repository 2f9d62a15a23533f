# SPDX-License-Identifier: LGPL-2.1-or-later
"""The diffs of the guest, beside those of Python's difflib, and applied again."""

import difflib
import os
import random
import re
import subprocess

from historian_client import equal, main

HOST = subprocess.Popen([os.environ["ASB_TEST_DIFF_HOST"]], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE)
MARK = "\n... [diff truncated]\n"
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$")


def diff(before, after, path="/a", max_size=65536):
    before, after = (s.encode() if isinstance(s, str) else s for s in (before, after))
    HOST.stdin.write(f"{len(before)} {len(after)} {max_size} ".encode() + os.fsencode(path) + b"\n")
    HOST.stdin.write(before + after)
    HOST.stdin.flush()
    size, truncated = map(int, HOST.stdout.readline().split())
    return (HOST.stdout.read(size).decode() if size >= 0 else None), bool(truncated)


def lines(text):
    return text.splitlines(keepends=True)


def reference(before, after, path="/a"):
    parts = difflib.unified_diff(lines(before), lines(after), fromfile=f"{path} (before)",
                                 tofile=f"{path} (after)")
    return "".join(p if p.endswith("\n") else p + "\n" for p in parts) or None


def apply(before, text):
    """Makes the other side from a diff, checking all that it says. The last newline is not told."""
    old = [line.rstrip("\n") for line in lines(before)]
    new, position = [], 0
    body = lines(text)[2:]
    while body:
        start, old_count, new_start, new_count = (
            int(g) if g is not None else 1 for g in HUNK.match(body.pop(0)).groups())
        begin = start - 1 if old_count else start
        new += old[position:begin]
        position = begin
        equal(len(new), new_start - 1 if new_count else new_start)
        n_old = n_new = 0
        while body and not body[0].startswith("@@"):
            sign, content = body[0][0], body.pop(0)[1:].rstrip("\n")
            if sign in " -":
                equal(old[position], content)
                position, n_old = position + 1, n_old + 1
            if sign in " +":
                new.append(content)
                n_new += 1
        equal((n_old, n_new), (old_count, new_count))
    return new + old[position:]


def edits(text):
    return sum(line[0] in "+-" for line in lines(text)[2:])


def test_like_difflib(_):
    numbers = "".join(f"{i}\n" for i in range(1, 41))
    cases = [
        ("", "a\n"), ("a\n", ""), ("a", "b"), ("a\n", "a"), ("a\nb\n", "a\nc\n"), ("", "a"),
        (numbers, numbers.replace("\n20\n", "\ntwenty\n")),
        (numbers, numbers.replace("\n10\n", "\n").replace("\n30\n", "\nx\ny\n")),
        (numbers, numbers.replace("\n10\n", "\nx\n").replace("\n17\n", "\ny\n")),
        (numbers, numbers.replace("\n10\n", "\nx\n").replace("\n18\n", "\ny\n")),
        (numbers, "0\n" + numbers), (numbers, numbers + "41\n"), (numbers, numbers[2:]),
        (numbers, numbers[:-3]), ("ä\n€\n", "ä\n\U0001f600\n"), ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("\n\n\n", "\n\n"), ("x\n" * 5, "x\n" * 5 + "y\n"),
    ]
    for before, after in cases:
        equal(diff(before, after), (reference(before, after), False))


def test_no_diff(_):
    for before, after in (("", ""), ("a\n", "a\n"), (b"\xff", "a"), ("a", b"\xff"), (b"a\0b", "a"),
                          (b"\xed\xa0\x80", "a")):
        equal(diff(before, after), (None, False))


def test_labels(_):
    equal(diff("a\n", "b\n", "/tmp/ä b")[0].split("@@")[0],
          "--- /tmp/ä b (before)\n+++ /tmp/ä b (after)\n")
    equal(diff("a\n", "b\n", b"/tmp/\xff")[0].split("@@")[0],
          "--- /tmp/\ufffd (before)\n+++ /tmp/\ufffd (after)\n")


def random_text(generator, n_lines, n_words):
    return "".join(f"{generator.randrange(n_words)}\n" for _ in range(n_lines))


def changed(generator, text, n_edits, n_words):
    parts = lines(text)
    for _ in range(n_edits):
        place = generator.randrange(len(parts) + 1)
        if generator.randrange(2) and parts:
            del parts[place : place + generator.randrange(1, 4)]
        else:
            parts[place:place] = [f"{generator.randrange(n_words)}\n"]
    return "".join(parts)


def test_random_edits_apply(_):
    generator = random.Random(1)
    for n_words in (2, 5, 1000):
        for _ in range(150):
            before = random_text(generator, generator.randrange(60), n_words)
            after = changed(generator, before, generator.randrange(1, 12), n_words)
            text, truncated = diff(before, after)
            equal(truncated, False)
            if text is None:
                equal(before, after)
                continue
            equal(apply(before, text), [line.rstrip("\n") for line in lines(after)])
            theirs = reference(before, after)
            assert edits(text) <= edits(theirs), (before, after)
            assert not lines(text)[3].startswith("@@")


def test_cut(_):
    before, after = "a\n" * 10, "ä" * 300 + "\n"
    whole, truncated = diff(before, after)
    equal(truncated, False)
    for size in (1, 10, 40, 100, len(whole) - 1):
        equal(diff(before, after, max_size=size), (whole[:size] + MARK, True))
    equal(diff(before, after, max_size=len(whole)), (whole, False))


def test_much_work_is_bounded(_):
    generator = random.Random(2)
    before = random_text(generator, 50000, 3)
    after = random_text(generator, 50000, 3)
    text, truncated = diff(before, after)
    equal((len(text), truncated), (65536 + len(MARK), True))
    before = "".join(f"a{i}\n" for i in range(3000))
    after = "".join(f"b{i}\n" for i in range(3000))
    text, truncated = diff("x\n" + before, "x\n" + after)
    equal((text, truncated), (reference("x\n" + before, "x\n" + after), False))


def test_nothing_is_left(_):
    HOST.stdin.close()
    equal(HOST.wait(), 0)


if __name__ == "__main__":
    main(globals())
