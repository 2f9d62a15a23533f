#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What checks providers says of those that are wrong what is wrong. Each is the example of a provider with
one fault.

usage: test-check.py EXAMPLES    (the folder of the examples in Python)
"""

import subprocess
import sys
import threading
import time

sys.path.insert(0, sys.argv.pop(1))

import tap_unittest
from asb_test import Asb, TestCase
from memory_provider import MemoryProvider

import gi

gi.require_version("AsbCheck", "1")
from gi.repository import AsbCheck


class TwiceProvider(MemoryProvider, Asb.Provider):
    def do_get_sandbox(self, sandbox_id, task):
        super().do_get_sandbox(sandbox_id, task)
        task.return_boolean(True)


class ForgetfulProvider(MemoryProvider, Asb.Provider):
    def do_list_sandboxes(self, filter, task):
        filter = Asb.SandboxFilter()
        super().do_list_sandboxes(filter, task)


class GreedyProvider(MemoryProvider, Asb.Provider):
    def do_create_sandbox(self, spec, task):
        super().do_create_sandbox(spec, task)
        spec.set_name("mine")


class SilentProvider(MemoryProvider, Asb.Provider):
    def do_delete_sandbox(self, sandbox_id, task):
        self.find(sandbox_id)
        task.return_value(False)


class NamelessProvider(MemoryProvider, Asb.Provider):
    def do_get_sandbox(self, sandbox_id, task):
        self.find(sandbox_id)
        task.return_value(Asb.SandboxInfo())


class HomelyProvider(MemoryProvider, Asb.Provider):
    """As one in JavaScript: what it is asked in another thread it never answers."""

    def do_create_sandbox(self, spec, task):
        if threading.current_thread() is threading.main_thread():
            super().do_create_sandbox(spec, task)


PROVIDERS = {kind.__name__: kind for kind in
             (MemoryProvider, TwiceProvider, ForgetfulProvider, GreedyProvider, SilentProvider, NamelessProvider,
              HomelyProvider)}


def check(name, store=None):
    registry = Asb.Registry.new()
    registry.register_provider("memory", PROVIDERS[name].__gtype__)
    return AsbCheck.provider(registry, "memory", None, store, None, AsbCheck.Flags.LIFECYCLE)


class TestCheck(TestCase):
    @staticmethod
    def run_check(kind, *store):
        return subprocess.run([sys.executable, __file__, *sys.path[:1], kind.__name__, *store], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=100)

    def lines_of(self, kind):
        """The lines that say what is wrong, by the names of the checks that failed."""
        done = self.run_check(kind)
        lines = done.stdout.splitlines()
        failed = {line.partition(" - ")[2]: lines[at + 1] for at, line in enumerate(lines) if line.startswith("not ok")}
        self.assertEqual(done.returncode, 1 if failed else 0, done.stdout)
        return failed

    def assert_says(self, kind, name, words):
        self.assertIn(words, self.lines_of(kind).get(name, "nothing"))

    def test_right(self):
        self.assertEqual(self.lines_of(MemoryProvider), {})

    def test_answers_twice(self):
        self.assert_says(TwiceProvider, "provider/create", "a critical warning: GLib-GIO: g_task_return")

    def test_heeds_no_filter(self):
        self.assert_says(ForgetfulProvider, "provider/list/metadata", "g_list_model_get_n_items (infos) is 2, not 1")

    def test_changes_the_specification(self):
        self.assert_says(GreedyProvider, "provider/create", "asb_sandbox_spec_get_name (spec) is “mine”, not “check-1”")

    def test_boolean_as_a_value(self):
        self.assert_says(SilentProvider, "provider/delete", "the answer was not given as a boolean (protocol_error)")

    def test_no_reference(self):
        self.assert_says(NamelessProvider, "provider/create", "the answer tells of a sandbox without a reference")

    def test_one_thread(self):
        began = time.monotonic()
        done = self.run_check(HomelyProvider)
        failed = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
        self.assertEqual([line.partition(" - ")[2] for line in failed], ["provider/calls/many-threads"])
        self.assertIn("ONE_THREAD", done.stdout)
        self.assertLess(time.monotonic() - began, 50)

    def test_no_store(self):
        done = self.run_check(MemoryProvider, "no-such-store")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\ATAP version 13\nBail out! There is no history store “no-such-store”.*\n\Z")


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(1 if check(*sys.argv[1:]) else 0)
    tap_unittest.main()
