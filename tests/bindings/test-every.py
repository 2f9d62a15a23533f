#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every public function can be called from here: once with None for all that is nullable, once with
None for each of it alone, once with a value for everything. It returns or fails with a GLib.Error;
no TypeError, no critical, no crash.

usage: test-every.py GIR
"""

import unittest

import every
import gir
import tap_unittest
from asb_test import GLib

# What cannot be called from Python, and where it is called instead.
C_ONLY = {
    "asb_error_new_with_info": "C: bindings make no GError with details",
    "asb_pipe_ref": "C: bindings count the references of a boxed type themselves",
    "asb_pipe_unref": "C: as asb_pipe_ref ()",
    "asb_pipe_pull": "C: fills memory of the caller; pull_bytes ()",
    "asb_error_get_info": "C: a GLib.Error of Python has lost its details; Asb.ErrorInfo.get_last()",
}


def call_async(function, owner, with_none):
    """Starts it on a context of its own, and finishes it."""
    context = GLib.MainContext.new()
    results = []
    context.push_thread_default()
    try:
        getattr(owner, function.name)(*every.arguments_for(
            function.element, with_none, lambda source, result, *data: results.append(result)))
        while not results:
            context.iteration(True)
    finally:
        context.pop_thread_default()
    function.finish(owner, results[0])


def call(function, with_none):
    owner = function.owner()
    try:
        if function.is_async:
            call_async(function, owner, with_none)
        else:
            getattr(owner, function.name)(
                *every.arguments_for(function.element, with_none, lambda *arguments: None))
    except GLib.Error as error:
        assert error.message, "an error without a message"
    if function.is_last:
        every.SUBJECTS.renew()


class TestEvery(unittest.TestCase):
    def test_all(self):
        """What finishes a call is called with it."""
        called = {function.identifier for function in every.all_functions()}
        called |= {function.identifier.removesuffix("_async") + "_finish"
                   for function in every.all_functions() if function.is_async}
        public = {name for name in gir.exported(every.NAMESPACE) if not name.endswith("_get_type")}
        self.assertEqual(public, called)
        self.assertLessEqual(set(C_ONLY), public)


def add(function, suffix, with_none):
    setattr(TestEvery, f"test_{function.identifier}_{suffix}", lambda self: call(function, with_none))


for function in every.all_functions():
    if function.identifier not in C_ONLY:
        add(function, "with_none", True)
        add(function, "with_values", False)
        for name in every.nullable_names(function.element):
            add(function, f"with_no_{name}", name)

if __name__ == "__main__":
    tap_unittest.main()
