#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sandbox with a guest that is frozen and goes on, with its record inside.

The local provider cannot freeze sandboxes: one written in Python stops their processes."""

import contextlib
import os
import pathlib
import signal

import tap_unittest
from asb_test import Asb, GLib, GObject, TestCase


def descendants(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            children = (task / "children").read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *descendants_of_one(child)]
    return found


def descendants_of_one(pid):
    try:
        return descendants(pid)
    except OSError:
        return []


class FreezingProvider(GObject.Object, Asb.Provider):
    __gtype_name__ = "FreezingProvider"

    def __init__(self):
        super().__init__()
        self.local = Asb.Registry.get_default().create_provider("local", None)
        self.state = Asb.SandboxState.RUNNING
        self.n_streams = 0

    def do_dup_name(self):
        return self.local.dup_name()

    def do_dup_key(self):
        return self.local.dup_key()

    def do_dup_endpoint_fingerprint(self):
        return self.local.dup_endpoint_fingerprint()

    def do_get_capabilities(self):
        capabilities = self.local.get_capabilities()
        capabilities.add(Asb.CAPABILITY_PAUSE_RESUME, Asb.CapabilitySupport.NATIVE, "test", None)
        return capabilities

    def do_create_sandbox(self, spec, task):
        task.return_value(self.local.create_sandbox(spec, None))

    def info(self, sandbox_id):
        info = self.local.get_sandbox(sandbox_id, None)
        return Asb.SandboxInfo(ref=info.get_ref(), state=self.state)

    def do_get_sandbox(self, sandbox_id, task):
        task.return_value(self.info(sandbox_id))

    def do_delete_sandbox(self, sandbox_id, task):
        task.return_boolean(self.local.delete_sandbox(sandbox_id, None))

    def do_open_stream(self, sandbox_id, spec, task):
        self.n_streams += 1
        task.return_value(self.local.open_stream(sandbox_id, spec, None))

    def signal_all(self, number):
        signalled = set()
        while new := set(descendants(os.getpid())) - signalled:
            for pid in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            signalled |= new

    def do_pause_sandbox(self, sandbox_id, task):
        self.signal_all(signal.SIGSTOP)
        self.state = Asb.SandboxState.PAUSED
        task.return_value(self.info(sandbox_id))

    def do_resume_sandbox(self, sandbox_id, task):
        self.signal_all(signal.SIGCONT)
        self.state = Asb.SandboxState.RUNNING
        task.return_value(self.info(sandbox_id))


class TestPause(TestCase):
    def setUp(self):
        self.provider = FreezingProvider()
        self.backend = Asb.create_backend(
            Asb.BackendOptions(provider=self.provider,
                               history=Asb.HistoryConfig(mode=Asb.HistoryMode.SANDBOX)), None)

    def tearDown(self):
        self.backend.close(None)

    def operations(self):
        page = self.backend.get_history_store().query(0, 100, 1 << 20, None)
        ids = []
        for change in page.get_changes():
            if change.get_event_id() not in ids:
                ids.append(change.get_event_id())
        found = self.backend.get_history_store().get_operations(ids, None)
        return [(each.get_operation_type(), each.get_status().value_nick) for each in found]

    def test_command_goes_on(self):
        spec = Asb.CommandSpec(argv=["cat"], flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        command.get_stdin_pipe().write_all(b"before", None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(100, None).get_data(), b"before")
        self.assertEqual(self.backend.pause(None).get_state(), Asb.SandboxState.PAUSED)
        command.get_stdin_pipe().write_all(b"meanwhile", None)
        self.assertEqual(self.backend.resume(None).get_state(), Asb.SandboxState.RUNNING)
        self.assertEqual(command.get_stdout_pipe().read_bytes(100, None).get_data(), b"meanwhile")
        command.get_stdin_pipe().close(None)
        self.assertTrue(command.wait(None))
        self.assertTrue(command.get_successful())
        self.assertEqual(self.provider.n_streams, 1, "the connection was not lost")

    def test_record(self):
        self.backend.pause(None)
        error = self.assert_fails(Asb.Error.SANDBOX_STATE, self.backend.execute,
                                  Asb.CommandSpec.new_shell("true"), None)
        self.assertIn("is paused; resume it first", error.message)
        self.assertEqual(self.backend.query_info(None).get_state(), Asb.SandboxState.PAUSED)
        self.backend.resume(None)
        self.backend.execute(Asb.CommandSpec.new_shell("true"), None)
        self.assertEqual(self.operations(),
                         [("sandbox.create", "succeeded"), ("sandbox.pause", "succeeded"),
                          ("sandbox.get", "succeeded"), ("sandbox.resume", "succeeded"),
                          ("command.execute", "succeeded")])

    def test_closed_while_paused(self):
        self.backend.start_command(Asb.CommandSpec.new_shell("exec sleep 1000"), None)
        self.backend.pause(None)
        self.backend.close(None)
        self.assertTrue(self.backend.get_closed())


if __name__ == "__main__":
    tap_unittest.main()
