#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A simple provider written in Python: what it answers, and what it raises, reaches the caller."""

import os
import unittest

import tap_unittest
from asb_test import Asb, Gio, GLib, wait_for


def error(code, message):
    return GLib.Error.new_literal(Asb.error_quark(), message, code)


class Shelf(Asb.SimpleProvider):
    def __init__(self):
        super().__init__()
        self.set_name("shelf")
        self.fault = None
        self.states = {}

    def do_create(self, sandbox_id, spec, cancellable):
        if isinstance(self.fault, Exception):
            raise self.fault
        self.states[sandbox_id] = Asb.SandboxState.RUNNING
        return False if self.fault == "nothing" else None

    def do_remove(self, sandbox_id, cancellable):
        del self.states[sandbox_id]

    def do_get_state(self, sandbox_id, cancellable):
        if sandbox_id not in self.states:
            raise error(Asb.Error.SANDBOX_NOT_FOUND, f"There is no sandbox “{sandbox_id}”")
        return self.states[sandbox_id]

    def do_open_program(self, sandbox_id, argv, cancellable):
        if argv[0] == "/missing":
            raise error(Asb.Error.COMMAND_NOT_FOUND, "There is no “/missing”")
        return Asb.SubprocessStream.new(["env", "--"], argv)

    def do_store_file(self, sandbox_id, path, contents, mode, cancellable):
        with open(self.dup_folder(sandbox_id) + path, "wb") as file:
            file.write(contents.get_data())


class TestSimpleProvider(unittest.TestCase):
    def setUp(self):
        self.shelf = Shelf()

    def tearDown(self):
        for sandbox_id in list(self.shelf.states):
            self.shelf.delete_sandbox(sandbox_id, None)

    def create(self, name=None):
        info = self.shelf.create_sandbox(Asb.SandboxSpec(name=name), None)
        return info.get_ref().get_sandbox_id()

    def failure(self, function, *arguments):
        with self.assertRaises(GLib.Error) as raised:
            function(*arguments)
        return raised.exception

    def test_name(self):
        self.assertEqual(self.shelf.get_name(), "shelf")
        self.assertEqual(self.shelf.dup_name(), "shelf")
        self.assertEqual(self.shelf.props.name, "shelf")

    def test_create_and_find(self):
        sandbox_id = self.create("first")
        self.assertEqual(self.shelf.get_sandbox(sandbox_id, None).get_name(), "first")
        self.assertTrue(os.path.isdir(self.shelf.dup_folder(sandbox_id)))
        self.assertTrue(self.shelf.end_guest(sandbox_id, None))

    def test_asynchronous(self):
        info = wait_for(self.shelf.create_sandbox_async, self.shelf.create_sandbox_finish,
                        Asb.SandboxSpec(name="later"), None)
        self.assertEqual(info.get_name(), "later")

    def test_state(self):
        sandbox_id = self.create()
        self.shelf.states[sandbox_id] = Asb.SandboxState.PAUSED
        self.assertEqual(self.shelf.get_sandbox(sandbox_id, None).get_state(), Asb.SandboxState.PAUSED)

    def test_gone(self):
        sandbox_id = self.create()
        del self.shelf.states[sandbox_id]
        failure = self.failure(self.shelf.get_sandbox, sandbox_id, None)
        self.assertTrue(failure.matches(Asb.error_quark(), Asb.Error.SANDBOX_NOT_FOUND))
        self.assertFalse(os.path.exists(self.shelf.dup_folder(sandbox_id)))

    def test_raised_error(self):
        self.shelf.fault = error(Asb.Error.PROVIDER_UNAVAILABLE, "Nobody answers")
        failure = self.failure(self.create)
        self.assertTrue(failure.matches(Asb.error_quark(), Asb.Error.PROVIDER_UNAVAILABLE))
        self.assertEqual(failure.message, "Nobody answers")

    def test_raised_exception(self):
        self.shelf.fault = KeyError("shelf")
        failure = self.failure(self.create)
        self.assertTrue(failure.matches(Asb.error_quark(), Asb.Error.INTERNAL))
        self.assertIn("KeyError", failure.message)

    def test_neither(self):
        self.shelf.fault = "nothing"
        failure = self.failure(self.create)
        self.assertTrue(failure.matches(Asb.error_quark(), Asb.Error.INTERNAL))
        self.assertIn("“create”", failure.message)
        self.shelf.states.clear()

    def test_file_and_program(self):
        sandbox_id = self.create()
        self.assertTrue(self.shelf.put_file(sandbox_id, "/note", GLib.Bytes.new(b"hello"), 0o644, None))
        spec = Asb.StreamSpec(argv=["cat", self.shelf.dup_folder(sandbox_id) + "/note"])
        stream = self.shelf.open_stream(sandbox_id, spec, None)
        self.assertEqual(stream.get_input_stream().read_bytes(10, None).get_data(), b"hello")
        self.assertTrue(stream.get_subprocess().wait_check(None))
        self.assertEqual(stream.props.subprocess, stream.get_subprocess())

    def test_program_missing(self):
        spec = Asb.StreamSpec(argv=["/missing"])
        failure = self.failure(self.shelf.open_stream, self.create(), spec, None)
        self.assertTrue(failure.matches(Asb.error_quark(), Asb.Error.COMMAND_NOT_FOUND))

    def test_not_for_others(self):
        failure = self.failure(self.shelf.put_file, "x", "/note", GLib.Bytes.new(b""), 0o644, None)
        self.assertTrue(failure.matches(Asb.error_quark(), Asb.Error.SANDBOX_NOT_FOUND))
        self.assertIsInstance(self.shelf, Asb.Provider)
        self.assertNotIsInstance(self.shelf, Gio.Initable)


if __name__ == "__main__":
    tap_unittest.main()
