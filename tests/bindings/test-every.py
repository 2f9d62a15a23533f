#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every public function can be called from here: once with None for all that is nullable, once with
a value for everything. It returns or fails with a GLib.Error; no TypeError, no critical, no crash.

usage: test-every.py GIR
"""

import unittest

import every
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


def case(function, with_none):
    return lambda self: call(function, with_none)


class TestEvery(unittest.TestCase):
    pass


for function in every.all_functions():
    if function.identifier not in C_ONLY:
        for with_none in (True, False):
            suffix = "with_none" if with_none else "with_values"
            setattr(TestEvery, f"test_{function.identifier}_{suffix}", case(function, with_none))

if __name__ == "__main__":
    tap_unittest.main()
