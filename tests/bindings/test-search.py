#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Searches and edits in a local sandbox, from Python."""

import threading

import tap_unittest
from asb_test import Asb, BackendTestCase, Gio, GLib, wait_for

FLAGS = Asb.SearchFlags


class TestSearch(BackendTestCase):
    def setUp(self):
        super().setUp()
        for path, text in [("src/app/main.py", "import os\nprint('Hello')\n"), ("src/.hid/x.py", "x = 1\n"), ("top.py", "# hello\n"),
                           ("README", "Say hello\nto the world\nHELLO again\n"), ("binary", "\0hello\n")]:
            self.backend.write_file(path, GLib.Bytes.new(text.encode()), None, None)
        self.backend.execute(Asb.CommandSpec.new_argv(["mkfifo", "pipe"]), None)

    def find(self, **properties):
        result = self.backend.find_files(Asb.FileSearch(**properties), None)
        return [info.get_path().removeprefix("/workspace/") for info in result], result

    def grep(self, text, **properties):
        result = self.backend.search_text(Asb.FileSearch(text=text, **properties), None)
        return [(match.get_path().removeprefix("/workspace/"), match.get_line_number(), match.get_column()) for match in result], result

    def test_find(self):
        self.assertEqual(self.find(pattern="*.py")[0], ["top.py", "src/.hid/x.py", "src/app/main.py"])
        self.assertEqual(self.find(pattern="src/**/*.py", flags=FLAGS.NO_HIDDEN)[0], ["src/app/main.py"])
        self.assertEqual(self.find(path="src", pattern="[!x]*.PY", flags=FLAGS.IGNORE_CASE)[0], ["src/app/main.py"])
        paths, result = self.find(max_depth=1, max_results=2)
        self.assertEqual((paths, result.get_cut()), (["README", "binary"], Asb.SearchCut.RESULTS))
        paths, result = self.find(max_depth=1, flags=FLAGS.FILES)
        self.assertEqual((paths, result.get_cut(), result.get_n_errors()), (["README", "binary", "top.py"], Asb.SearchCut.NONE, 0))

    def test_grep(self):
        matches, result = self.grep("hello")
        self.assertEqual(matches, [("README", 1, 4), ("top.py", 1, 2)])
        self.assertEqual((result.get_n_files(), result.get_n_binary(), result.get_n_errors()), (4, 1, 0))
        self.assertEqual([match.dup_text() for match in result], ["Say hello", "# hello"])
        matches, result = self.grep("hello", flags=FLAGS.IGNORE_CASE, pattern="READ*", context_lines=1)
        self.assertEqual(matches, [("README", 1, 4), ("README", 2, 0), ("README", 3, 0)])
        self.assertEqual([match.get_context() for match in result], [False, True, False])
        self.assertEqual(self.grep(r"^print\(", flags=FLAGS.REGEX)[0], [("src/app/main.py", 2, 0)])
        self.assertEqual(self.grep("world", path="README")[0], [("README", 2, 7)])

    def test_errors(self):
        for code, call in [(Asb.Error.INVALID_ARGUMENT, lambda: self.find(pattern="../*")), (Asb.Error.INVALID_ARGUMENT, lambda: self.find(path="../x")),
                           (Asb.Error.INVALID_ARGUMENT, lambda: self.grep("(", flags=FLAGS.REGEX)), (Asb.Error.INVALID_ARGUMENT, lambda: self.grep("")),
                           (Asb.Error.NOT_DIRECTORY, lambda: self.find(path="README")), (Asb.Error.FILE_NOT_FOUND, lambda: self.grep("x", path="none")),
                           (Asb.Error.NOT_REGULAR_FILE, lambda: self.grep("x", path="pipe"))]:
            self.assert_fails(code, call)

    def test_async_and_cancelled(self):
        search = Asb.FileSearch(pattern="*.py")

        def start(search, cancellable, callback):
            self.backend.find_files_async(search, cancellable, callback)
            search.set_pattern("changed while it ran")

        self.assertEqual(len(wait_for(start, self.backend.find_files_finish, search, None)), 3)
        cancellable = Gio.Cancellable.new()
        cancellable.cancel()
        self.assert_cancelled(self.backend.search_text, Asb.FileSearch(text="x"), cancellable)

    def test_the_record(self):
        self.find(pattern="*.py", max_results=1)
        self.grep("hello")
        store = self.backend.get_history_store()
        page = store.query(0, 1000, 1000000, None)
        ids = [change.get_event_id() for change in page.get_changes()]
        found = {}
        for operation in store.get_operations(list(dict.fromkeys(ids)), None):
            found[operation.get_operation_type()] = operation
        glob, grep = found["file.glob"], found["file.grep"]
        self.assertEqual(glob.get_request()["pattern"], "*.py")
        self.assertEqual(glob.get_result().unpack(), {"count": 1, "cut": "results"})
        self.assertEqual(grep.get_result().unpack(), {"count": 2})
        self.assertEqual(grep.get_file_operation()["change_type"], "grep")

    def test_capabilities(self):
        for name in ("file_attributes", "file_edit", "file_search", "line_windows", "text_search"):
            self.assertEqual(self.backend.get_capabilities().get(name).get_support(), Asb.CapabilitySupport.NATIVE)


class TestEdit(BackendTestCase):
    def write(self, text, path="f"):
        return self.backend.write_file(path, GLib.Bytes.new(text), None, None)

    def read(self, path="f"):
        return self.backend.read_file(path, None).get_data()

    def edit(self, old, new, path="f", **properties):
        return self.backend.edit_file(Asb.FileEdit(path=path, old_text=old, new_text=new, **properties), None)

    def test_edit(self):
        before = self.write(b"one two two").get_hash()
        info = self.edit("one", "1")
        self.assertEqual((self.read(), info.get_n_replaced(), info.get_previous_hash()), (b"1 two two", 1, before))
        self.assertEqual(self.edit("two", "2", replace_all=True).get_n_replaced(), 2)
        self.write(b"one\r\ntwo\r\nthree\r\n")
        self.edit("two\nthree", "2\n3")
        self.assertEqual(self.read(), b"one\r\n2\r\n3\r\n")

    def test_refused(self):
        self.write(b"a b b")
        self.assert_fails(Asb.Error.TEXT_NOT_FOUND, self.edit, "x", "y")
        self.assert_fails(Asb.Error.TEXT_AMBIGUOUS, self.edit, "b", "y")
        self.assertEqual(Asb.ErrorInfo.get_last().get_operation(), "file.write")
        self.assert_fails(Asb.Error.FILE_NOT_FOUND, self.edit, "x", "y", "none")
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, self.edit, "x", "x")
        with self.assertRaises(GLib.Error):
            self.edit("a", "y", expected_hash="0" * 64)
        self.assertEqual(self.read(), b"a b b")

    def test_many_at_once(self):
        self.write(b"".join(b"marker %02d.\n" % i for i in range(20)))
        other = Asb.create_backend(Asb.BackendOptions(provider_name="local", mode=Asb.BackendMode.CONNECT, ref=self.backend.get_ref()), None)
        failures = []

        def change(backend, i):
            try:
                backend.edit_file(Asb.FileEdit(path="/workspace/f", old_text=f"marker {i:02}.", new_text=f"changed {i:02}"), None)
            except GLib.Error as error:
                failures.append(error)

        threads = [threading.Thread(target=change, args=((self.backend, other)[i % 2], i)) for i in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        other.close(None)
        self.assertEqual(failures, [])
        self.assertEqual(self.read(), b"".join(b"changed %02d\n" % i for i in range(20)))

    def test_the_record_shows_the_difference(self):
        self.write(b"one\ntwo\n", "recorded")
        self.edit("two", "2", "recorded")
        store = self.backend.get_history_store()
        ids = [change.get_event_id() for change in store.query(0, 1000, 1000000, None).get_changes()]
        (operation,) = [operation for operation in store.get_operations(list(dict.fromkeys(ids)), None)
                        if operation.get_operation_type() == "file.write" and "is_edit" in operation.get_request().unpack()
                        and operation.get_request()["path"] == "/workspace/recorded"]
        self.assertIn("-two\n+2\n", operation.get_result()["diff"])
        self.assertEqual(operation.get_file_operation()["change_type"], "write")


class TestLines(BackendTestCase):
    def test_windows(self):
        self.backend.write_file("f", GLib.Bytes.new(b"a\n\n\n\nb"), None, None)
        self.backend.write_file("empty", GLib.Bytes.new(b""), None, None)
        state = Asb.LineState
        for path, offset, limit, expected in [
                ("f", 1, 3, (state.BLANK, "\n\n\n", 3, True, -1)), ("f", 3, -1, (state.LINES, "\nb", 2, False, 5)),
                ("f", 5, 1, (state.PAST_END, "", 0, False, 5)), ("f", 0, 0, (state.NOTHING, "", 0, True, -1)),
                ("empty", 0, -1, (state.EMPTY_FILE, "", 0, False, 0))]:
            window = self.backend.read_lines(path, offset, limit, None)
            self.assertEqual((window.get_state(), window.dup_text(), window.get_n_lines(), window.get_more(), window.get_total_lines()), expected)
        self.assert_fails(Asb.Error.FILE_NOT_FOUND, self.backend.read_lines, "none", 0, -1, None)

    def test_attributes(self):
        self.backend.write_file("run.sh", GLib.Bytes.new(b"#!/bin/sh\necho ran\n"), None, None)
        self.assertEqual(self.backend.set_attributes("run.sh", 0o755, -1, -1, None).get_mode(), 0o755)
        self.backend.edit_file(Asb.FileEdit(path="run.sh", old_text="ran", new_text="ran on"), None)
        self.assertEqual(self.backend.execute(Asb.CommandSpec.new_argv(["/workspace/run.sh"]), None).dup_stdout_text(), "ran on\n")
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, self.backend.set_attributes, "run.sh", -1, -1, -1, None)
        self.assert_fails(Asb.Error.PATH_PROTECTED, self.backend.set_attributes, "/.agent-history", 0o777, -1, -1, None)


if __name__ == "__main__":
    tap_unittest.main()
