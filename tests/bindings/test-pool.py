#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pools from Python: blocking without a main loop, with one, and prepared."""

import threading
import unittest

import tap_unittest
from asb_test import Asb, GLib, TestCase, local_options, wait_for

FAIL_FAST = Asb.AcquirePolicy.FAIL_FAST
DIRECT_CREATE = Asb.AcquirePolicy.DIRECT_CREATE


def mock():
    return Asb.Registry.get_default().create_provider("mock", None)


def count(provider):
    return provider.props.sandbox_count


def run_until(condition):
    while not condition():
        GLib.MainContext.default().iteration(True)


def text(backend, shell):
    return backend.execute(Asb.CommandSpec.new_shell(shell)).dup_stdout_text()


class TestPool(TestCase):
    def test_blocking(self):
        """Nobody runs a main loop."""
        pool = Asb.Pool.new(local_options(), 1)
        pool.start()
        with pool.acquire(DIRECT_CREATE, 0) as backend:
            self.assertEqual(text(backend, "echo here"), "here\n")
        ready = threading.Event()
        while pool.get_idle_count() == 0:
            ready.wait(0.01)
        with pool.acquire(FAIL_FAST, 60) as backend:
            self.assertEqual(text(backend, "echo here"), "here\n")
        pool.shutdown()
        self.assertEqual(pool.get_state(), Asb.PoolState.STOPPED)
        self.assert_fails(Asb.Error.POOL_NOT_RUNNING, pool.acquire, DIRECT_CREATE, 0)

    def test_deleted(self):
        """Somebody deletes what waits: it is noticed, and another made."""
        options = local_options(metadata={"of": "test_deleted"})
        pool = Asb.Pool.new(options, 1)
        pool.start()
        run_until(lambda: pool.get_idle_count() == 1)
        provider = Asb.Registry.get_default().create_provider("local", None)

        def ids():
            found = provider.list_sandboxes(Asb.SandboxFilter(metadata={"of": "test_deleted"}), None)
            return {info.get_ref().get_sandbox_id() for info in found}

        gone, = ids()
        provider.delete_sandbox(gone, None)
        while not ids() - {gone}:
            pass
        run_until(lambda: pool.get_idle_count() == 1)
        with pool.acquire(FAIL_FAST, 0) as backend:
            self.assertNotEqual(backend.get_ref().get_sandbox_id(), gone)
            self.assertEqual(text(backend, "echo here"), "here\n")
        pool.shutdown()

    def test_context_manager(self):
        provider = mock()
        with Asb.Pool(options=Asb.BackendOptions(provider=provider), max_idle=2) as pool:
            run_until(lambda: pool.props.idle_count == 2)
            with pool.acquire(FAIL_FAST, 0):
                pass
        self.assertEqual(count(provider), 0)

    def test_asynchronous(self):
        provider, told = mock(), []
        pool = Asb.Pool.new(Asb.BackendOptions(provider=provider), 2)
        pool.connect("notify::idle-count", lambda *arguments: told.append(threading.current_thread()))
        pool.start()
        run_until(lambda: pool.get_idle_count() == 2)
        run_until(lambda: told)
        self.assertEqual(set(told), {threading.main_thread()})
        backend = wait_for(pool.acquire_async, pool.acquire_finish, FAIL_FAST, 0, None)
        backend.close()
        run_until(lambda: pool.get_idle_count() == 2)
        self.assertEqual(wait_for(pool.release_all_idle_async, pool.release_all_idle_finish, None), 2)
        self.assertTrue(wait_for(pool.shutdown_async, pool.shutdown_finish, None))
        self.assertEqual(count(provider), 0)

    def test_threads(self):
        pool, ids = Asb.Pool.new(Asb.BackendOptions(provider=mock()), 3), []

        def work():
            with pool.acquire(DIRECT_CREATE, 0) as backend:
                ids.append(backend.get_ref().get_sandbox_id())

        with pool:
            threads = [threading.Thread(target=work) for _ in range(10)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(set(ids)), 10)

    def test_preparer(self):
        provider, prepared = mock(), []
        pool = Asb.Pool.new(Asb.BackendOptions(provider=provider), 1)

        def prepare(backend, task):
            prepared.append(threading.current_thread())
            if len(prepared) == 1:
                raise ValueError("not the first time")
            backend.write_file_async("/ready", GLib.Bytes.new(b"yes"), None, None,
                                     lambda backend, result: task.return_boolean(
                                         bool(backend.write_file_finish(result))))

        pool.set_preparer(prepare)
        pool.start()
        run_until(lambda: pool.get_failure_count() == 1)
        self.assertIn("not the first time", pool.get_last_error().message)
        run_until(lambda: pool.get_idle_count() == 1)
        self.assertIsNone(pool.get_last_error())
        with pool.acquire(FAIL_FAST, 0) as backend:
            self.assertEqual(backend.read_file("/ready").get_data(), b"yes")
        self.assertEqual(set(prepared), {threading.main_thread()})
        wait_for(pool.shutdown_async, pool.shutdown_finish, None)
        self.assertEqual(count(provider), 0)

    def test_refused_options(self):
        options = Asb.BackendOptions(provider=mock(), idempotency_key="key")
        error = self.assert_fails(Asb.Error.INVALID_ARGUMENT, Asb.Pool.new(options, 1).start)
        self.assertIn("“idempotency-key”", error.message)

    def test_empty(self):
        with Asb.Pool.new(Asb.BackendOptions(provider=mock()), 0) as pool:
            self.assert_fails(Asb.Error.POOL_EMPTY, pool.acquire, FAIL_FAST, 0)
            self.assertTrue(Asb.ErrorInfo.get_last().get_retryable())

    def test_dropped(self):
        provider = mock()
        pool = Asb.Pool.new(Asb.BackendOptions(provider=provider), 2)
        pool.start()
        run_until(lambda: pool.get_idle_count() == 2)
        del pool
        GLib.timeout_add(1, lambda: True)
        run_until(lambda: count(provider) == 0)


if __name__ == "__main__":
    tap_unittest.main()
