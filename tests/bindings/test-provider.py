#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A provider and a transport written in Python answer through the library."""

import threading

import tap_unittest
from asb_test import Asb, BYTES, Gio, GLib, TestCase, wait_for
from python_provider import DictionaryProvider


class TestProvider(TestCase):
    def setUp(self):
        self.provider = DictionaryProvider()

    def create(self, name="first"):
        return self.provider.create_sandbox(Asb.SandboxSpec(name=name, instance_id="i-1"), None)

    def test_getters(self):
        self.assertEqual(self.provider.dup_name(), "dictionary")
        self.assertEqual(self.provider.dup_key(), "dictionary-1")
        self.assertEqual(self.provider.dup_endpoint_fingerprint(), "here")
        self.assertFalse(self.provider.get_capabilities().supports(Asb.CAPABILITY_FILESYSTEM))

    def test_derived(self):
        class Derived(DictionaryProvider, Asb.Provider):
            def do_dup_name(self):
                return "derived"

        self.assertEqual((self.provider.dup_name(), Derived().dup_name()), ("dictionary", "derived"))

    def test_derived_without_the_interface(self):
        with self.assertRaisesRegex(TypeError, "name Asb.Provider among its bases"):
            class Derived(DictionaryProvider):
                def do_dup_name(self):
                    return "derived"
        self.assertEqual(self.provider.dup_name(), "dictionary")

    def test_create_blocking(self):
        info = self.create()
        self.assertEqual(info.get_ref().get_sandbox_id(), "dictionary-1")
        self.assertEqual(info.get_ref().get_sandbox_instance_id(), "i-1")
        self.assertEqual(info.get_name(), "first")
        self.assertEqual(info.get_state(), Asb.SandboxState.RUNNING)

    def test_create_async(self):
        info = wait_for(self.provider.create_sandbox_async, self.provider.create_sandbox_finish,
                        Asb.SandboxSpec(name="later"), None)
        self.assertEqual(info.get_name(), "later")

    def test_create_in_another_thread(self):
        names = []
        thread = threading.Thread(target=lambda: names.append(self.create("there").get_name()))
        thread.start()
        thread.join()
        self.assertEqual(names, ["there"])

    def test_list(self):
        self.create("one")
        self.create("two")
        listing = self.provider.list_sandboxes(Asb.SandboxFilter.new(), None)
        self.assertEqual([info.get_name() for info in listing], ["one", "two"])

    def test_delete(self):
        sandbox_id = self.create().get_ref().get_sandbox_id()
        self.assertTrue(self.provider.delete_sandbox(sandbox_id, None))
        self.assert_fails(Asb.Error.SANDBOX_NOT_FOUND, self.provider.get_sandbox, sandbox_id, None)

    def test_diagnose(self):
        self.assertEqual([finding["state"] for finding in self.provider.diagnose(None).unpack()], ["ok"])
        self.provider.findings = GLib.Variant("s", "fine")
        error = self.assert_fails(Asb.Error.PROVIDER, self.provider.diagnose, None)
        self.assertIn("“s”, not “aa{sv}”", error.message)

    def test_limits_are_not_left_out(self):
        spec = Asb.SandboxSpec(limits=Asb.ResourceLimits(processes=5))
        self.assert_fails(Asb.Error.UNSUPPORTED_CAPABILITY, self.provider.create_sandbox, spec, None)
        self.assertEqual(self.provider.sandboxes, {})

    def test_returned_error(self):
        error = self.assert_fails(Asb.Error.SANDBOX_NOT_FOUND, self.provider.get_sandbox, "x", None)
        self.assertEqual(error.message, "There is no sandbox “x”")

    def test_raised_error(self):
        error = self.assert_fails(Asb.Error.SANDBOX_STATE, self.provider.pause_sandbox, "x", None)
        self.assertEqual(error.message, "It never sleeps")

    def test_raised_exception(self):
        error = self.assert_fails(Asb.Error.INTERNAL, self.provider.delete_sandbox, "x", None)
        self.assertEqual(error.message, "Unexpected KeyError: 'x'")

    def test_missing_operation(self):
        self.assert_fails(Asb.Error.UNSUPPORTED_CAPABILITY, self.provider.renew_sandbox, "x", 60,
                          None)

    def test_cancelled_before(self):
        cancellable = Gio.Cancellable.new()
        cancellable.cancel()
        self.assert_cancelled(self.provider.resume_sandbox, "x", cancellable)

    def test_cancelled_during(self):
        cancellable = Gio.Cancellable.new()
        GLib.idle_add(cancellable.cancel)
        loop = GLib.MainLoop()
        results = []

        def ready(provider, result):
            results.append(result)
            loop.quit()

        self.provider.resume_sandbox_async("x", cancellable, ready)
        loop.run()
        self.assert_cancelled(self.provider.resume_sandbox_finish, results[0])


class TestBackend(TestCase):
    """A backend over the provider above."""

    def setUp(self):
        self.provider = DictionaryProvider()
        self.backend = Asb.create_backend(Asb.BackendOptions(provider=self.provider), None)

    def test_files(self):
        info = self.backend.write_file("/workspace/x", GLib.Bytes.new(BYTES), None, None)
        self.assertEqual(info.get_size(), len(BYTES))
        self.assertEqual(self.backend.read_file("/workspace/x", None).get_data(), BYTES)
        self.assertTrue(self.backend.delete_file("/workspace/x", Asb.FileFlags.NONE, None))
        self.assert_fails(Asb.Error.FILE_NOT_FOUND, self.backend.read_file, "/workspace/x", None)

    def test_what_is_missing(self):
        self.assert_fails(Asb.Error.UNSUPPORTED_CAPABILITY, self.backend.execute,
                          Asb.CommandSpec.new_shell("true"), None)

    def test_close_deletes(self):
        self.assertEqual(len(self.provider.sandboxes), 1)
        self.backend.close(None)
        self.assertEqual(self.provider.sandboxes, {})

    def test_context_manager(self):
        with self.backend as backend:
            self.assertFalse(backend.get_closed())
        self.assertTrue(self.backend.get_closed())


if __name__ == "__main__":
    tap_unittest.main()
