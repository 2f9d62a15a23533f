#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A local sandbox, from Python: commands, files, errors, cancelling, the record."""

import hashlib
import threading

import tap_unittest
from asb_test import Asb, BYTES, BackendTestCase, Gio, GLib, local_options, TestCase, wait_for


class TestCommands(BackendTestCase):
    def execute(self, spec, cancellable=None):
        return self.backend.execute(spec, cancellable)

    def test_exit_status(self):
        result = self.execute(Asb.CommandSpec.new_shell("echo hi; echo oops >&2; exit 3"))
        self.assertEqual(result.get_exit_status(), 3)
        self.assertEqual(result.get_state(), Asb.CommandState.FAILED)
        self.assertEqual(result.get_stdout_bytes().get_data(), b"hi\n")
        self.assertEqual(result.get_stderr_bytes().get_data(), b"oops\n")
        self.assertTrue(result.get_exact())

    def test_signal(self):
        result = self.execute(Asb.CommandSpec.new_shell("kill -SEGV $$"))
        self.assertFalse(result.get_has_exit_status())
        self.assertEqual(result.get_term_signal(), 11)

    def test_output_is_bytes(self):
        spec = Asb.CommandSpec(argv=["cat"], flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        done, output, errors = command.communicate(GLib.Bytes.new(BYTES), None)
        self.assertTrue(done)
        self.assertEqual(output.get_data(), BYTES)
        self.assertIn(errors.get_data(), (None, b""))

    def test_arguments_are_bytes(self):
        name = b"a\xffb c\r\n$'".decode("utf-8", "surrogateescape")
        result = self.execute(Asb.CommandSpec.new_argv(["printf", "%s", name]))
        self.assertEqual(result.get_stdout_bytes().get_data(), b"a\xffb c\r\n$'")

    def test_environment_and_cwd(self):
        self.backend.make_directory("/workspace/here", None)
        spec = Asb.CommandSpec(shell="echo $GREETING; pwd", cwd="/workspace/here",
                               environment=["GREETING=hello"])
        self.assertEqual(self.execute(spec).dup_stdout_text(), "hello\n/workspace/here\n")

    def test_streams(self):
        spec = Asb.CommandSpec(argv=["cat"], flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        command.get_stdin_pipe().write_all(b"one\0two", None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(100, None).get_data(), b"one\0two")
        command.get_stdin_pipe().close(None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(100, None).get_size(), 0)
        self.assertTrue(command.wait(None))
        self.assertTrue(command.get_successful())

    def test_signals_of_the_output(self):
        loop = GLib.MainLoop()
        pieces = []
        spec = Asb.CommandSpec(shell="printf 'a\\377b'", flags=Asb.CommandFlags.OUTPUT_SIGNALS)
        command = self.backend.start_command(spec, None)
        command.connect("stdout-data", lambda command, data: pieces.append(data.get_data()))
        command.connect("exited", lambda command: loop.quit())
        loop.run()
        self.assertEqual(b"".join(pieces), b"a\xffb")
        self.assertEqual(command.get_exit_status(), 0)

    def test_send_signal(self):
        spec = Asb.CommandSpec(argv=["cat"], flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        self.assertTrue(command.send_signal(15, None))
        command.wait(None)
        self.assertTrue(command.get_if_signaled())
        self.assertEqual(command.get_term_sig(), 15)

    def test_many_at_once(self):
        context = GLib.MainContext.new()
        texts = []
        context.push_thread_default()
        for number in range(20):
            self.backend.execute_async(
                Asb.CommandSpec.new_shell(f"echo {number}"), None,
                lambda backend, result: texts.append(backend.execute_finish(result).dup_stdout_text()))
        while len(texts) < 20:
            context.iteration(True)
        context.pop_thread_default()
        self.assertEqual(sorted(texts), sorted(f"{number}\n" for number in range(20)))

    def test_from_many_threads(self):
        texts = []
        threads = [threading.Thread(target=lambda number=number: texts.append(self.execute(
            Asb.CommandSpec.new_shell(f"echo {number}")).dup_stdout_text())) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(texts), sorted(f"{number}\n" for number in range(8)))

    def test_cancelled_before(self):
        cancellable = Gio.Cancellable.new()
        cancellable.cancel()
        self.assert_cancelled(self.execute, Asb.CommandSpec.new_shell("true"), cancellable)

    def test_force_exit(self):
        """Ends a command that said that it runs."""
        spec = Asb.CommandSpec(shell="echo ready; cat", flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(6, None).get_data(), b"ready\n")
        command.force_exit()
        command.wait(None)
        self.assertEqual(command.get_state(), Asb.CommandState.CANCELLED)

    def test_execute_cancelled_during(self):
        cancellable = Gio.Cancellable.new()

        def cancel_when_running():
            # Opening the FIFO waits for its reader, the command.
            self.backend.execute(Asb.CommandSpec.new_shell("echo go > /workspace/fifo"), None)
            cancellable.cancel()

        self.backend.execute(Asb.CommandSpec.new_argv(["mkfifo", "/workspace/fifo"]), None)
        thread = threading.Thread(target=cancel_when_running)
        thread.start()
        self.assert_cancelled(self.execute, Asb.CommandSpec.new_shell(
            "read line < /workspace/fifo; tail -f /dev/null"), cancellable)
        thread.join()

    def test_deadline(self):
        spec = Asb.CommandSpec(argv=["tail", "-f", "/dev/null"], timeout_ms=50)
        self.assertEqual(self.execute(spec).get_state(), Asb.CommandState.TIMEOUT)

    def test_limits(self):
        limits = Asb.ResourceLimits(open_files=20, cpu_seconds=100)
        spec = Asb.CommandSpec(shell="ulimit -n; ulimit -Ht", limits=limits)
        self.assertEqual(self.execute(spec).dup_stdout_text(), "20\n100\n")
        limits.set_open_files(0)
        self.assertNotEqual(self.execute(spec).dup_stdout_text(), "20\n100\n")
        limits.set_open_files(2 ** 53 - 1)
        error = self.assert_fails(Asb.Error.INVALID_ARGUMENT, self.execute, spec)
        self.assertIn("open_files", error.message)

    def test_user(self):
        """A local sandbox has one user."""
        own = int(self.execute(Asb.CommandSpec.new_shell("id -u")).dup_stdout_text())
        spec = Asb.CommandSpec(shell="id -u", uid=own)
        self.assertEqual(self.execute(spec).dup_stdout_text(), f"{own}\n")
        spec.set_uid(own + 1)
        error = self.assert_fails(Asb.Error.PERMISSION_DENIED, self.execute, spec)
        self.assertIn(f"user {own + 1}", error.message)

    def test_terminal(self):
        spec = Asb.CommandSpec(shell="stty size; read line; stty size; test -t 2", tty=True, columns=100, rows=30,
                               flags=Asb.CommandFlags.STDIN_PIPE)
        command = self.backend.start_command(spec, None)
        self.assertIsNone(command.get_stderr_pipe())
        output = b""
        while not output.endswith(b"\n"):
            output += command.get_stdout_pipe().read_bytes(1000, None).get_data()
        self.assertEqual(output, b"30 100\r\n")
        self.assertTrue(command.resize(132, 43, None))
        done, output, _ = command.communicate(GLib.Bytes.new(b"go\n"), None)
        self.assertTrue(done)
        self.assertEqual(output.get_data(), b"go\r\n43 132\r\n")
        self.assertEqual(command.get_exit_status(), 0)
        self.assertFalse(command.resize(80, 24, None))
        self.assertTrue(self.backend.get_capabilities().supports("command_terminal"))

    def test_resize_without_a_terminal(self):
        command = self.backend.start_command(Asb.CommandSpec(argv=["cat"], flags=Asb.CommandFlags.STDIN_PIPE), None)
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, command.resize, 80, 24, None)
        command.force_exit()
        command.wait(None)

    def test_missing_program(self):
        error = self.assert_fails(Asb.Error.COMMAND_NOT_FOUND, self.execute,
                                  Asb.CommandSpec.new_argv(["no-such-program"]))
        self.assertIn("no-such-program", error.message)
        info = Asb.ErrorInfo.get_last()
        self.assertEqual(info.get_operation(), "command.execute")
        self.assertFalse(info.get_retryable())

    def test_missing_folder(self):
        spec = Asb.CommandSpec(shell="true", cwd="/nowhere/at/all")
        error = self.assert_fails(Asb.Error.WORKING_DIRECTORY, self.execute, spec)
        self.assertIn("/nowhere/at/all", error.message)


class TestFiles(BackendTestCase):
    def write(self, path, contents, expected_hash=None):
        return self.backend.write_file(path, GLib.Bytes.new(contents), expected_hash, None)

    def test_bytes(self):
        info = self.write("/workspace/bytes", BYTES)
        self.assertEqual(info.get_size(), len(BYTES))
        self.assertEqual(info.get_hash(), hashlib.sha256(BYTES).hexdigest())
        self.assertEqual(self.backend.read_file("/workspace/bytes", None).get_data(), BYTES)

    def test_empty(self):
        self.write("/workspace/empty", b"")
        self.assertEqual(self.backend.read_file("/workspace/empty", None).get_size(), 0)

    def test_relative(self):
        self.write("relative", b"x")
        self.assertEqual(self.backend.read_file("/workspace/relative", None).get_data(), b"x")

    def test_names_are_bytes(self):
        name = b"/workspace/names/\xff\xfe \r\n".decode("utf-8", "surrogateescape")
        self.write(name, b"odd")
        (info,) = self.backend.list_files("/workspace/names", None)
        self.assertEqual(info.get_path(), name)
        self.assertEqual(self.backend.read_file(info.get_path(), None).get_data(), b"odd")

    def test_list(self):
        for name in ("c", "a", "b"):
            self.write(f"/workspace/list/{name}", b"")
        names = [info.dup_name() for info in self.backend.list_files("/workspace/list", None)]
        self.assertEqual(names, ["a", "b", "c"])

    def test_compare_and_swap(self):
        first = self.write("/workspace/swap", b"one")
        second = self.write("/workspace/swap", b"two", first.get_hash())
        self.assertEqual(second.get_previous_hash(), first.get_hash())
        self.assert_fails(Asb.Error.CONCURRENT_MODIFICATION, self.write, "/workspace/swap", b"three",
                          first.get_hash())
        self.assertEqual(self.backend.read_file("/workspace/swap", None).get_data(), b"two")

    def test_streams(self):
        big = bytes(range(256)) * 8192
        stream = self.backend.open_write("/workspace/big", -1, None)
        stream.write_all(big, None)
        stream.close(None)
        stream = self.backend.open_read("/workspace/big", None)
        memory = Gio.MemoryOutputStream.new_resizable()
        memory.splice(stream, Gio.OutputStreamSpliceFlags.CLOSE_TARGET, None)
        self.assertEqual(memory.steal_as_bytes().get_data(), big)

    def test_missing(self):
        error = self.assert_fails(Asb.Error.FILE_NOT_FOUND, self.backend.read_file,
                                  "/workspace/missing", None)
        self.assertIn("/workspace/missing", error.message)
        info = Asb.ErrorInfo.get_last()
        self.assertEqual(info.get_operation(), "file.read")
        self.assertEqual(info.get_sandbox_id(), self.backend.get_ref().get_sandbox_id())

    def test_directory(self):
        self.assert_fails(Asb.Error.IS_DIRECTORY, self.backend.read_file, "/workspace", None)

    def test_device(self):
        self.assert_fails(Asb.Error.NOT_REGULAR_FILE, self.backend.read_file, "/dev/null", None)

    def test_protected(self):
        self.assert_fails(Asb.Error.PATH_PROTECTED, self.write, "/.agent-history/x", b"")

    def test_move_and_delete(self):
        self.write("/workspace/old", b"x")
        self.assertTrue(self.backend.move_file("/workspace/old", "/workspace/new",
                                               Asb.FileFlags.NONE, None))
        self.assertEqual(self.backend.query_file("/workspace/new", None).get_size(), 1)
        self.assertTrue(self.backend.delete_file("/workspace/new", Asb.FileFlags.NONE, None))
        self.assert_fails(Asb.Error.FILE_NOT_FOUND, self.backend.query_file, "/workspace/new", None)

    def test_async(self):
        wait_for(self.backend.write_file_async, self.backend.write_file_finish, "/workspace/async",
                 GLib.Bytes.new(BYTES), None, None)
        contents = wait_for(self.backend.read_file_async, self.backend.read_file_finish,
                            "/workspace/async", None)
        self.assertEqual(contents.get_data(), BYTES)

    def test_cancelled(self):
        cancellable = Gio.Cancellable.new()
        cancellable.cancel()
        self.assert_cancelled(self.backend.read_file, "/workspace/bytes", cancellable)


class TestRecord(TestCase):
    def test_record(self):
        backend = Asb.create_backend(local_options(agent_name="the agent"), None)
        backend.execute(Asb.CommandSpec.new_shell("printf 'a\\000b'; exit 4"), None)
        store = backend.get_history_store()
        page = store.query(0, 100, 1 << 20, None)
        event_ids = list(dict.fromkeys(change.get_event_id() for change in page.get_changes()))
        operations = list(store.get_operations(event_ids, None))
        (command,) = [operation for operation in operations
                      if operation.get_operation_type() == "command.execute"]
        self.assertEqual(command.get_status(), Asb.OperationStatus.FAILED)
        self.assertEqual(command.get_actor_id(), "the agent")
        self.assertEqual(command.get_result()["exit_code"], 4)
        output = store.get_output(command.get_event_id(), Asb.OutputStream.STDOUT, None)
        self.assertEqual(output.read_bytes(100, None).get_data(), b"a\0b")
        memory = Gio.MemoryOutputStream.new_resizable()
        memory.splice(store.export(None), Gio.OutputStreamSpliceFlags.CLOSE_TARGET, None)
        self.assertEqual(memory.steal_as_bytes().get_data()[:16], b"SQLite format 3\0")
        backend.close(None)

    def test_closed(self):
        backend = Asb.create_backend(local_options(), None)
        backend.close(None)
        self.assertTrue(backend.get_closed())
        self.assert_fails(Asb.Error.CLOSED, backend.execute, Asb.CommandSpec.new_shell("true"), None)

    def test_none_recorded(self):
        with Asb.create_backend(Asb.BackendOptions(provider_name="local"), None) as backend:
            self.assertEqual(backend.execute(Asb.CommandSpec.new_shell("exit 0"),
                                             None).get_exit_status(), 0)

    def test_readiness_check(self):
        asked = []

        def check(provider, ref, task, *data):
            asked.append(ref.get_sandbox_id())
            task.return_boolean(len(asked) == 2)

        options = Asb.BackendOptions(provider_name="local")
        options.set_readiness_check(check)
        with Asb.create_backend(options, None) as backend:
            self.assertEqual(asked, [backend.get_ref().get_sandbox_id()] * 2)

    def test_unknown_provider(self):
        error = self.assert_fails(Asb.Error.MODULE_NOT_FOUND, Asb.create_backend,
                                  Asb.BackendOptions(provider_name="nobody"), None)
        self.assertIn("“nobody”", error.message)


if __name__ == "__main__":
    tap_unittest.main()
