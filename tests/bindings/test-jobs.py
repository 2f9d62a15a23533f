#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs of a local sandbox, as a Python program uses them."""

import json
import signal
import subprocess
import sys
import unittest

import tap_unittest
from asb_test import BYTES, Asb, BackendTestCase, TestCase, Gio, GLib, local_options, wait_for

OUT, ERR = Asb.OutputStream.STDOUT, Asb.OutputStream.STDERR
State = Asb.CommandState

# What a client does that is killed: it starts a job in a sandbox that stays.
CLIENT = """
import json, sys
import gi
gi.require_version("Asb", "1")
from gi.repository import Asb

lifetime = getattr(Asb.Lifetime, sys.argv[1])
options = Asb.BackendOptions(provider_name="local", lifetime=lifetime,
                             cleanup=Asb.CleanupPolicy.NEVER, history=Asb.HistoryConfig())
backend = Asb.create_backend(options, None)
backend.execute(Asb.CommandSpec.new_shell("mkfifo go"), None)
job = backend.start_job(Asb.CommandSpec.new_shell("echo begun; read x < go; echo went on; exit 7"), "long", None)
reference = backend.get_ref()
print(json.dumps([reference.get_provider_key(), reference.get_sandbox_id(), reference.get_sandbox_instance_id(),
                  job.get_id()]), flush=True)
sys.stdin.read()
"""


def shell(text, **properties):
    return Asb.CommandSpec(shell=text, **properties)


def read_all(stream):
    parts = []
    while True:
        part = stream.read_bytes(65536, None).get_data()
        if not part:
            return b"".join(parts)
        parts.append(part)


class TestJobs(BackendTestCase):
    def start(self, text, name=None, **properties):
        return self.backend.start_job(shell(text, **properties), name, None)

    def output(self, job, stream=OUT, offset=-1, follow=False):
        return read_all(job.open_output(stream, offset, follow, None))

    def test_life_of_a_job(self):
        job = self.start("echo a; echo bc >&2; exit 5", "life")
        self.assertEqual(job.get_state(), State.RUNNING)
        self.assertIsNone(job.get_result())
        self.assertEqual(job.get_name(), "life")
        self.assertEqual(job.get_command(), "echo a; echo bc >&2; exit 5")
        self.assertGreater(job.get_pid(), 0)
        self.assertIsNone(job.get_record_error())
        result = job.wait(None)
        self.assertEqual((result.get_state(), result.get_exit_status()), (State.FAILED, 5))
        self.assertEqual(result.get_command_id(), job.get_id())
        ended = self.backend.query_job(job.get_id(), None)
        self.assertEqual(ended.get_state(), State.FAILED)
        self.assertEqual((ended.get_stdout_total(), ended.get_stderr_total()), (2, 3))
        self.assertEqual((ended.get_stdout_first(), ended.get_stderr_first()), (0, 0))
        self.assertIsNone(ended.get_output_error())
        self.assertEqual(ended.get_result().get_exit_status(), 5)
        self.assertIsNotNone(ended.get_started_at())
        self.assertEqual(self.output(ended), b"a\n")
        self.assertEqual(self.output(ended, ERR, 1), b"c\n")
        self.assertTrue(ended.remove(None))
        self.assert_fails(Asb.Error.JOB_NOT_FOUND, self.backend.query_job, job.get_id(), None)
        self.assert_fails(Asb.Error.JOB_NOT_FOUND, ended.remove, None)

    def test_asynchronously(self):
        backend = self.backend
        job = wait_for(backend.start_job_async, backend.start_job_finish, shell("echo a"), None, None)
        self.assertEqual(wait_for(job.wait_async, job.wait_finish, None).get_state(), State.SUCCEEDED)
        stream = wait_for(job.open_output_async, job.open_output_finish, OUT, 0, True, None)
        self.assertEqual(read_all(stream), b"a\n")
        self.assertFalse(wait_for(job.send_signal_async, job.send_signal_finish, 15, None))
        self.assertEqual(wait_for(job.stop_async, job.stop_finish, None).get_state(), State.SUCCEEDED)
        same = wait_for(backend.query_job_async, backend.query_job_finish, job.get_id(), None)
        self.assertEqual(same.get_id(), job.get_id())
        jobs = wait_for(backend.list_jobs_async, backend.list_jobs_finish, None)
        self.assertIn(job.get_id(), [item.get_id() for item in jobs])
        self.assertTrue(wait_for(job.remove_async, job.remove_finish, None))

    def test_what_cannot_start(self):
        for spec, code in [
            (Asb.CommandSpec.new_argv(["/nope/prog"]), Asb.Error.COMMAND_NOT_FOUND),
            (shell("true", cwd="/nope"), Asb.Error.WORKING_DIRECTORY),
            (shell(" "), Asb.Error.INVALID_ARGUMENT),
            (shell("true", flags=Asb.CommandFlags.STDIN_PIPE), Asb.Error.INVALID_ARGUMENT),
        ]:
            self.assert_fails(code, self.backend.start_job, spec, None, None)
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, self.backend.start_job, shell("true"), "x" * 200, None)

    def test_ends(self):
        self.assertEqual(self.start("exec false").wait(None).get_exit_status(), 1)
        result = self.start("kill -9 $$").wait(None)
        self.assertEqual((result.get_state(), result.get_term_signal()), (State.FAILED, 9))
        self.assertEqual(self.start("sleep 1000", timeout_ms=300).wait(None).get_state(), State.TIMEOUT)
        result = self.start("setsid sleep 1000 & sleep 1000").stop(None)
        self.assertEqual(result.get_state(), State.CANCELLED)

    def test_signal_and_removing(self):
        job = self.start("trap 'echo caught; exit 3' USR1; echo ready; while :; do sleep 0.01; done")
        stream = job.open_output(OUT, 0, True, None)
        self.assertEqual(stream.read_bytes(100, None).get_data(), b"ready\n")
        self.assert_fails(Asb.Error.JOB_RUNNING, job.remove, None)
        self.assertTrue(job.send_signal(signal.SIGUSR1, None))
        self.assertEqual(read_all(stream), b"caught\n")
        self.assertEqual(job.wait(None).get_exit_status(), 3)

    def test_following_a_quiet_job(self):
        self.backend.execute(shell("mkfifo quiet"), None)
        job = self.start("read x < quiet; echo $x")
        # The stream is there before the first byte.
        stream = job.open_output(OUT, 0, True, None)
        self.backend.execute(shell("echo now > quiet"), None)
        self.assertEqual(read_all(stream), b"now\n")

    def test_exact_bytes(self):
        self.backend.write_file("bytes", GLib.Bytes.new(BYTES), None, None)
        job = self.start("cat bytes")
        job.wait(None)
        self.assertEqual(self.output(job), BYTES)
        self.assertEqual(self.output(job, offset=5), BYTES[5:])
        self.assertEqual(self.output(job, offset=1000), b"")

    def test_dropped_output(self):
        job = self.start("head -c 9000000 /dev/zero")
        job.wait(None)
        first = self.backend.query_job(job.get_id(), None).get_stdout_first()
        self.assertEqual(first, 9000000 - 8 * 1024 * 1024)
        self.assert_fails(Asb.Error.OUTPUT_DROPPED, job.open_output, OUT, 0, False, None)
        details = Asb.ErrorInfo.get_last().get_details().unpack()
        self.assertEqual(details, {"offset": 0, "first_offset": first})
        self.assertEqual(len(self.output(job, offset=first)), 8 * 1024 * 1024)

    def test_cancelled_waiting_ends_nothing(self):
        self.backend.execute(shell("mkfifo hold"), None)
        job = self.start("read x < hold; exit 4")
        cancellable = Gio.Cancellable()
        context = GLib.MainContext.new()
        results = []
        context.push_thread_default()
        job.wait_async(cancellable, lambda source, result: results.append(result))
        cancellable.cancel()
        while not results:
            context.iteration(True)
        context.pop_thread_default()
        self.assert_cancelled(job.wait_finish, results[0])
        self.assertEqual(self.backend.query_job(job.get_id(), None).get_state(), State.RUNNING)
        self.backend.execute(shell("echo > hold"), None)
        self.assertEqual(job.wait(None).get_exit_status(), 4)

    def test_the_record(self):
        job = self.start("echo recorded; exit 2")
        job.wait(None)
        status = self.backend.get_history_store().get_status(None)
        self.assertIsNotNone(status)
        page = self.backend.get_history_store().query(0, 10000, 1 << 20, None)
        ids = {change.get_event_id() for change in page.get_changes()}
        operations = self.backend.get_history_store().get_operations(sorted(ids)[:1000], None)
        [mine] = [operation for operation in operations
                  if (operation.get_result() or GLib.Variant("a{sv}", {})).unpack().get("command_id") == job.get_id()]
        self.assertEqual(mine.get_operation_type(), "command.execute")
        self.assertEqual(mine.get_status(), Asb.OperationStatus.FAILED)

    def test_capability(self):
        self.assertTrue(self.backend.get_capabilities().supports(Asb.CAPABILITY_BACKGROUND_JOBS))


class TestMany(BackendTestCase):
    def test_list_is_longer_than_a_page(self):
        ids = [self.backend.start_job(Asb.CommandSpec.new_argv(["true"]), None, None).get_id() for _ in range(230)]
        self.assertEqual([job.get_id() for job in self.backend.list_jobs(None)], ids)


class TestSurvival(TestCase):
    def kill_client(self, lifetime):
        """(a backend in the sandbox of a client that was killed, the id of its job)"""
        client = subprocess.Popen([sys.executable, "-c", CLIENT, lifetime], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        provider_key, sandbox_id, instance_id, job_id = json.loads(client.stdout.readline())
        client.kill()
        client.wait()
        client.stdin.close()
        client.stdout.close()
        reference = Asb.SandboxRef(provider_name="local", provider_key=provider_key, sandbox_id=sandbox_id,
                                   sandbox_instance_id=instance_id)
        return self.connect(reference), job_id

    def connect(self, reference):
        while True:
            try:
                return Asb.create_backend(local_options(mode=Asb.BackendMode.CONNECT, ref=reference), None)
            except GLib.Error as error:
                # A guest that is ending answers nobody any more.
                if not error.matches(Asb.error_quark(), Asb.Error.GUEST_UNAVAILABLE):
                    raise

    def test_persistent(self):
        backend, job_id = self.kill_client("PERSISTENT")
        [job] = backend.list_jobs(None)
        self.assertEqual((job.get_id(), job.get_name(), job.get_state()), (job_id, "long", State.RUNNING))
        stream = job.open_output(OUT, 0, True, None)
        self.assertEqual(stream.read_bytes(6, None).get_data(), b"begun\n")
        backend.execute(shell("echo > go"), None)
        self.assertEqual(read_all(stream), b"went on\n")
        self.assertEqual(job.wait(None).get_exit_status(), 7)
        self.assertTrue(backend.delete_sandbox(None))
        backend.close(None)


    def test_owned(self):
        backend, job_id = self.kill_client("OWNED")
        # The guest has ended with its owner, and another knows nothing of the job; the record does.
        self.assert_fails(Asb.Error.JOB_NOT_FOUND, backend.query_job, job_id, None)
        store = backend.get_history_store()
        events = sorted({change.get_event_id() for change in store.query(0, 100, 1 << 20, None).get_changes()})
        statuses = [operation.get_status() for operation in store.get_operations(events, None)]
        self.assertIn(Asb.OperationStatus.CANCELLED, statuses)
        self.assertTrue(backend.delete_sandbox(None))
        backend.close(None)


class TestOtherStores(unittest.TestCase):
    def test_record_in_memory_gets_its_end(self):
        store = Asb.Registry.get_default().create_history_store("memory", None)
        backend = Asb.create_backend(Asb.BackendOptions(provider_name="local", history_store=store), None)
        backend.start_job(shell("exit 3"), None, None).wait(None)
        context = GLib.MainContext.default()
        statuses = []
        while Asb.OperationStatus.FAILED not in statuses:
            context.iteration(True)
            page = store.query(0, 100, 1 << 20, None)
            events = sorted({change.get_event_id() for change in page.get_changes()})
            statuses = [operation.get_status() for operation in store.get_operations(events, None)]
        backend.close(None)

    def test_mock_says_no(self):
        backend = Asb.create_backend(Asb.BackendOptions(provider_name="mock", history=Asb.HistoryConfig(
            mode=Asb.HistoryMode.NONE)), None)
        self.assertFalse(backend.get_capabilities().supports(Asb.CAPABILITY_BACKGROUND_JOBS))
        for function, arguments in [(backend.start_job, (shell("true"), None)), (backend.list_jobs, ()),
                                    (backend.query_job, ("x",))]:
            with self.assertRaises(GLib.Error) as caught:
                function(*arguments, None)
            self.assertTrue(caught.exception.matches(Asb.error_quark(), Asb.Error.UNSUPPORTED_CAPABILITY), caught.exception)
        backend.close(None)


if __name__ == "__main__":
    tap_unittest.main()
