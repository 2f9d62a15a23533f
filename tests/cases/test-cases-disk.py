#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The disk of a sandbox is full: what is promised about the record, as a program sees it."""

import contextlib
import ctypes
import os
import pathlib
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_REC, MS_PRIVATE = 16384, 1 << 18
DISK = 16 << 20

libc = ctypes.CDLL(None, use_errno=True)


def call_libc(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def mount_small_disk(path):
    """A file system that only this program and what it starts see."""
    uid, gid = os.getuid(), os.getgid()
    call_libc("unshare", CLONE_NEWNS if uid == 0 else CLONE_NEWNS | CLONE_NEWUSER)
    if uid != 0:
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    call_libc("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    call_libc("mount", b"tmpfs", path.encode(), b"tmpfs", 0, f"size={DISK},mode=0755".encode())


# Before the library has threads, and before its tests make their folder.
try:
    os.makedirs(os.environ["XDG_STATE_HOME"], exist_ok=True)
    mount_small_disk(os.environ["XDG_STATE_HOME"])
except OSError as error:
    print(f"1..0 # SKIP no small disk can be had: {error}")
    sys.exit(0)

import tap_unittest  # noqa: E402
from asb_test import Asb, GLib, STATE, TestCase, local_options  # noqa: E402


@contextlib.contextmanager
def full_disk():
    """Nothing more fits, as long as it lasts."""
    path = pathlib.Path(STATE, "ballast")
    with path.open("wb", buffering=0) as file:
        size = 1 << 20
        while size > 0:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    try:
        yield
    finally:
        path.unlink()


class FullDisk(TestCase):
    def create(self, consistency):
        options = local_options()
        options.get_history().set_consistency(consistency)
        backend = Asb.create_backend(options, None)
        # The log has its size before the disk is filled, or not: both must do.
        self.assertEqual(self.run_shell(backend, "echo before").get_exit_status(), 0)
        return backend

    def run_shell(self, backend, text):
        return backend.execute(Asb.CommandSpec(shell=text), None)

    def start(self, backend):
        """A command that prints far more than there is room for when it is told to."""
        command = backend.start_command(Asb.CommandSpec(
            shell="echo ready; read x; head -c 30000000 /dev/urandom; exit 3",
            flags=Asb.CommandFlags.STDIN_PIPE), None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(6, None).get_data(), b"ready\n")
        return command

    def finish(self, command):
        """It has its output and its exit status, whatever becomes of the record."""
        command.get_stdin_pipe().write_all(b"go\n", None)
        total = 0
        while piece := command.get_stdout_pipe().read_bytes(1 << 20, None).get_data():
            total += len(piece)
        command.wait(None)
        self.assertEqual((total, command.get_exit_status()), (30000000, 3))

    def statuses(self, backend):
        store = backend.get_history_store()
        ids = dict.fromkeys(change.get_event_id() for change in store.query(0, 1000, 1 << 20, None).get_changes())
        return [operation.get_status() for operation in store.get_operations(list(ids), None)
                if operation.get_operation_type() == "command.execute"]

    def check_afterwards(self, backend):
        result = self.run_shell(backend, "echo after")
        self.assertEqual(result.dup_stdout_text(), "after\n")
        self.assertIsNone(result.get_record_error())
        self.assertEqual(backend.get_history_store().get_status(None).get_state(), "open")

    def test_strict_start(self):
        """What cannot be recorded is not begun; what runs already finishes."""
        with self.create(Asb.HistoryConsistency.STRICT_START) as backend:
            command = self.start(backend)
            with full_disk():
                refused = 0
                # A little still fits, perhaps, where the log has been before.
                while refused < 3:
                    try:
                        self.run_shell(backend, "echo ran >> /tmp/ran; head -c 100000 /dev/urandom")
                    except GLib.Error as error:
                        self.assertTrue(error.matches(Asb.error_quark(), Asb.Error.HISTORY_STORAGE_EXHAUSTED),
                                        error)
                        refused += 1
                self.finish(command)
                self.assertTrue(command.get_result().get_record_error())
            self.check_afterwards(backend)
            self.assertIn(Asb.OperationStatus.FAILED, self.statuses(backend))
            self.assertNotIn(Asb.OperationStatus.STARTED, self.statuses(backend))

    def test_best_effort(self):
        """Work goes on, and each result says that it is not recorded."""
        with self.create(Asb.HistoryConsistency.BEST_EFFORT) as backend:
            command = self.start(backend)
            with full_disk():
                said = 0
                while said < 3:
                    result = self.run_shell(backend, "echo done; head -c 100000 /dev/urandom")
                    self.assertEqual(result.get_exit_status(), 0)
                    self.assertEqual(result.get_stdout_bytes().get_data()[:5], b"done\n")
                    said += result.get_record_error() is not None
                self.finish(command)
                self.assertTrue(command.get_result().get_record_error())
            self.check_afterwards(backend)
            self.assertNotIn(Asb.OperationStatus.STARTED, self.statuses(backend))

    def test_files(self):
        with self.create(Asb.HistoryConsistency.BEST_EFFORT) as backend:
            backend.write_file("kept", GLib.Bytes.new(b"before"), None, None)
            with full_disk():
                self.assert_fails(Asb.Error.NO_SPACE, backend.write_file, "kept",
                                  GLib.Bytes.new(b"x" * 1000000), None, None)
                self.assertEqual(backend.read_file("kept", None).get_data(), b"before")
                self.assertEqual([info.dup_name() for info in backend.list_files(".", None)], ["kept"])
            backend.write_file("kept", GLib.Bytes.new(b"after"), None, None)
            self.assertEqual(backend.read_file("kept", None).get_data(), b"after")


if __name__ == "__main__":
    tap_unittest.main()
