#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors and filters that must not make two states look the same, and modules that are asked for again
and again: with the local provider, and with one for a server by each of its ways.

usage: test-cases-telling.py SERVER MODULES    (the look-alike; the folder of the tiny modules)
"""

import gc
import pathlib
import sys
import tempfile
import weakref

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "opensandbox-server"))

import lookalike
import tap_unittest
from asb_test import Asb, GLib, TestCase

MODULES = sys.argv[2]
del sys.argv[2:]
ROUNDS = 100
CODES = Asb.Error


def settings(url, **more):
    return GLib.Variant("a{sv}", {"url": GLib.Variant("s", url), **more})


class Modules(TestCase):
    def setUp(self):
        self.registry = Asb.Registry()
        self.registry.prepend_module_path(MODULES)

    def test_many_times(self):
        """Of registries and providers that are dropped nothing is left, and the types stay."""
        left = []
        for _ in range(ROUNDS):
            registry = Asb.Registry()
            provider = registry.create_provider("opensandbox", settings("http://127.0.0.1:1"))
            self.assertEqual(type(provider).__gtype__.name, "AsbOpensandboxProvider")
            left += [weakref.ref(registry), weakref.ref(provider)]
        del registry, provider
        gc.collect()
        self.assertFalse([reference for reference in left if reference() is not None])

    def test_two_registries(self):
        other = Asb.Registry()
        other.prepend_module_path(MODULES)
        made = [registry.create_provider("good", None) for registry in (self.registry, other)]
        self.assertEqual(made[0].__gtype__, made[1].__gtype__)

    def test_bad_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "libasb-provider-text.so").write_text("This is no module.\n")
            self.registry.prepend_module_path(folder)
            for name, code in [("minor", CODES.MODULE_INVALID), ("major", CODES.MODULE_INVALID),
                               ("plain", CODES.MODULE_INVALID), ("text", CODES.MODULE_INVALID),
                               ("nobody", CODES.MODULE_NOT_FOUND)]:
                with self.subTest(name):
                    error = self.assert_fails(code, self.registry.create_provider, name, None)
                    self.assertIn(name, error.message)
                    # They do not stop the rest.
                    self.assertEqual(self.registry.create_provider("good", None).dup_name(), "good")


class Telling:
    """What is alike with each provider."""

    @classmethod
    def options(cls, **properties):
        return Asb.BackendOptions(provider=cls.provider, **properties)

    @classmethod
    def setUpClass(cls):
        cls.backend = Asb.create_backend(cls.options(), None)

    @classmethod
    def tearDownClass(cls):
        cls.backend.close(None)

    def execute(self, backend, text="exit 1"):
        return backend.execute(Asb.CommandSpec.new_shell(text), None)

    def execute_after_the_end(self, backend):
        """The guest may go while a command is on its way: how that one ended nobody can tell."""
        while True:
            try:
                return self.execute(backend)
            except GLib.Error as error:
                if error.code != CODES.INTERRUPTED:
                    raise

    def connect(self, ref):
        return Asb.create_backend(self.options(mode=Asb.BackendMode.CONNECT, ref=ref,
                                               cleanup=Asb.CleanupPolicy.NEVER), None)

    def other(self):
        return Asb.create_backend(self.options(), None)

    def assert_details(self, operation):
        self.assertEqual(Asb.ErrorInfo.get_last().get_operation(), operation)

    def test_command_that_fails(self):
        self.assertEqual(self.execute(self.backend).get_exit_status(), 1)

    def test_unknown(self):
        ref = self.backend.get_ref()
        unknown = Asb.SandboxRef(
            provider_name=ref.get_provider_name(), provider_key=ref.get_provider_key(),
            sandbox_id="000000000000", sandbox_instance_id=ref.get_sandbox_instance_id(),
            endpoint_fingerprint=ref.get_endpoint_fingerprint())
        self.assert_fails(CODES.SANDBOX_NOT_FOUND, self.connect, unknown)

    def test_deleted(self):
        backend = self.other()
        self.provider.delete_sandbox(backend.get_ref().get_sandbox_id(), None)
        self.assert_fails(CODES.SANDBOX_DELETED, self.execute, backend)
        self.assert_details("command.execute")
        backend.close(None)

    def test_expired(self):
        """One that nobody keeps alive, and a command runs in it when its time is up."""
        info = self.provider.create_sandbox(Asb.SandboxSpec(
            lifetime=Asb.Lifetime.PERSISTENT, ttl_mode=Asb.TtlMode.SECONDS, ttl_seconds=3600), None)
        backend = self.connect(info.get_ref())
        command = backend.start_command(Asb.CommandSpec(shell="echo begun; exec sleep 600"), None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(6, None).get_data(), b"begun\n")
        self.provider.renew_sandbox(info.get_ref().get_sandbox_id(), 1, None)
        self.check_end(command)
        self.assert_fails(CODES.SANDBOX_EXPIRED, self.execute_after_the_end, backend)
        self.assert_details("command.execute")
        backend.close(None)

    def check_end(self, command):
        """Of the command that runs at the end nobody can tell how far it came."""
        error = self.assert_fails(CODES.INTERRUPTED, command.wait, None)
        self.assertIn("its time was up", error.message)

    def test_filter(self):
        """A search for nothing finds nothing."""
        some = self.provider.create_sandbox(Asb.SandboxSpec(
            metadata={"tag": "some"}, lifetime=Asb.Lifetime.PERSISTENT, ttl_mode=Asb.TtlMode.SECONDS,
            ttl_seconds=600), None).get_ref().get_sandbox_id()
        def find(tag):
            found = self.provider.list_sandboxes(Asb.SandboxFilter(metadata={"tag": tag}), None)
            return [info.get_ref().get_sandbox_id() for info in found]

        self.assertEqual((find("none"), find("some")), ([], [some]))
        self.provider.delete_sandbox(some, None)

    def test_background(self):
        """What cannot start says why, or is known as failed: never “not found” for an id given out."""
        for spec, code in [(Asb.CommandSpec.new_argv(["/nope/prog"]), CODES.COMMAND_NOT_FOUND),
                           (Asb.CommandSpec(argv=["true"], cwd="/nope"), CODES.WORKING_DIRECTORY),
                           (Asb.CommandSpec(argv=["true"], uid=54321), None)]:
            with self.subTest(spec.get_argv(), cwd=spec.get_cwd(), uid=spec.get_uid()):
                self.check_background(spec, code)

    def check_background(self, spec, code):
        try:
            job = self.backend.start_job(spec, None, None)
        except GLib.Error as error:
            self.assertTrue(code is None or error.matches(Asb.error_quark(), code), error)
            self.assertTrue(error.message)
            return
        result = job.wait(None)
        known = self.backend.query_job(job.get_id(), None)
        # A user that nobody has heard of may do.
        self.assertEqual(known.get_state(), result.get_state())
        self.assertEqual(known.get_result().get_exit_status(), result.get_exit_status())
        job.open_output(Asb.OutputStream.STDERR, 0, False, None).close(None)
        job.remove(None)


class Local(Telling, TestCase):
    provider = Asb.Registry.get_default().create_provider("local", None)

    def check_end(self, command):
        """The guest itself ends what runs, and can tell."""
        command.wait(None)
        self.assertEqual(command.get_state(), Asb.CommandState.CANCELLED)


class OnServer(Telling):
    @classmethod
    def setUpClass(cls):
        cls.server = lookalike.Server("--grace", "20")
        cls.provider = Asb.Registry.get_default().create_provider("opensandbox", settings(
            f"http://127.0.0.1:{cls.server.port}", transport=GLib.Variant("s", cls.way)))
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.server.__exit__(None, None, None)

    @classmethod
    def options(cls, **properties):
        return super().options(image="python:3.12", workdir="/tmp", **properties)

    def test_paused(self):
        backend = self.other()
        backend.pause(None)
        self.assert_fails(CODES.SANDBOX_STATE, self.execute, backend)
        self.assert_details("command.execute")
        backend.resume(None)
        self.assertEqual(self.execute(backend).get_exit_status(), 1)
        backend.close(None)

    def fault(self, items, times, more):
        body = {"items": items, "pagination": {"hasNextPage": more}}
        self.server.fetch("POST", "/_faults", {"method": "GET", "path": "/v1/sandboxes", "action": "reply",
                                               "status": 200, "times": times, "json": body})

    def find(self, **properties):
        return len(self.provider.list_sandboxes(Asb.SandboxFilter(**properties), None))

    def test_unheeded_filter(self):
        items = [{"id": "a", "status": {"state": "Running"}, "metadata": {"tag": "some"}},
                 {"id": "b", "status": {"state": "Running"}}, {"id": "c", "status": {"state": "Paused"}}]
        self.fault(items, 2, False)
        self.assertEqual(self.find(metadata={"tag": "none"}), 0)
        self.assertEqual(self.find(states=GLib.Variant("as", ["failed"])), 0)

    def test_pages(self):
        def page(first, count):
            return [{"id": f"s{number}", "status": {"state": "Running"}}
                    for number in range(first, first + count)]

        for first, count, more in [(0, 100, True), (100, 100, True), (190, 60, False)]:
            self.fault(page(first, count), 1, more)
        self.assertEqual(self.find(page_size=1000), 250)
        self.fault(page(0, 100), 2, True)
        self.assertEqual(self.find(page_size=1000), 100)


class ByGuest(OnServer, TestCase):
    way = "websocket"


class ByPty(OnServer, TestCase):
    way = "pty"


class Native(OnServer, TestCase):
    way = "native"

    def check_end(self, command):
        self.assert_fails(CODES.SANDBOX_EXPIRED, command.wait, None)


if __name__ == "__main__":
    lookalike.binary()
    tap_unittest.main()
