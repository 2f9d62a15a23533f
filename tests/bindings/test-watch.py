#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Watching the files of a local sandbox, from Python."""

import itertools
import os

import tap_unittest
from asb_test import Asb, BackendTestCase, Gio, GLib, wait_for

Kind, State, FLAGS = Asb.FileEventKind, Asb.FileWatchState, Asb.FileFlags
MAX_WATCHES = 16


class WatchTestCase(BackendTestCase):
    def setUp(self):
        super().setUp()
        self.context = GLib.MainContext.new()
        self.context.push_thread_default()
        self.addCleanup(self.context.pop_thread_default)
        self.backend.execute(Asb.CommandSpec.new_shell("rm -rf d; mkdir -p d/below"), None)
        self.events = []
        self.seen = set()

    def watch(self, path="d", flags=FLAGS.NONE):
        watch = self.watch_again(path, flags)
        watch.connect("changed", self.take)
        return watch

    def take(self, _watch, event):
        self.events.append(event)
        self.seen.add((event.get_kind(), event.get_path()))

    def shell(self, text):
        self.assertEqual(self.backend.execute(Asb.CommandSpec.new_shell(text), None).get_exit_status(), 0)

    def until(self, condition):
        while not condition():
            self.context.iteration(True)

    def told(self):
        return [(event.get_kind(), event.get_path()) for event in self.events]

    def until_told(self, kind, path):
        self.until(lambda: (kind, path) in self.seen)

    def watch_again(self, path="d", flags=FLAGS.NONE):
        """The guest has room once it has heard of the end of others."""
        while True:
            try:
                return self.backend.watch_files(path, flags, None)
            except GLib.Error as error:
                if not error.matches(Asb.error_quark(), Asb.Error.TOO_MANY_REQUESTS):
                    raise
                self.shell("true")


class TestWatch(WatchTestCase):
    def test_directory(self):
        watch = self.watch()
        self.assertEqual((watch.get_path(), watch.get_state()), ("/workspace/d", State.ACTIVE))
        self.shell("cd d && echo x > a && mv a b && : > below/unseen && rm b && mkdir mark")
        self.until_told(Kind.CREATED, "/workspace/d/mark")
        self.assertEqual([event for event in self.told() if event[0] != Kind.CHANGED], [
            (Kind.CREATED, "/workspace/d/a"), (Kind.MOVED, "/workspace/d/a"), (Kind.DELETED, "/workspace/d/b"),
            (Kind.CREATED, "/workspace/d/mark")])
        moved = next(event for event in self.events if event.get_kind() == Kind.MOVED)
        self.assertEqual(moved.get_new_path(), "/workspace/d/b")
        self.assertTrue(any(event.get_is_closed() for event in self.events))
        self.assertEqual([event.get_is_directory() for event in self.events][-1], True)
        self.assertEqual(watch.get_state(), State.ACTIVE)

    def test_recursive_and_names_that_are_no_text(self):
        watch = self.watch(flags=FLAGS.RECURSIVE)
        self.shell("printf x > \"$(printf 'd/below/\\377')\"")
        self.until(lambda: self.events)
        self.assertEqual(os.fsencode(self.events[0].get_path()), b"/workspace/d/below/\xff")
        watch.close()

    def test_end_of_what_is_watched(self):
        watch = self.watch()
        ended, notified = [], []
        watch.connect("ended", lambda watch: ended.append(watch.get_state()))
        watch.connect("notify::state", lambda watch, pspec: notified.append(watch.props.state))
        self.shell("rm -rf d")
        self.until(lambda: ended)
        self.assertEqual((ended, notified), ([State.GONE], [State.GONE]))
        self.assertIsNone(watch.dup_error())

    def test_closing(self):
        watch = self.watch()
        ended = []
        watch.connect("ended", lambda watch: ended.append(watch.get_state()))
        self.shell("echo > d/a")
        watch.close()
        watch.close()
        self.until(lambda: ended)
        self.assertEqual((ended, self.events), ([State.CLOSED], []))

    def test_more_than_is_taken(self):
        watch = self.watch()
        self.shell("cd d && seq 3000 | xargs touch")
        self.until_told(Kind.OVERFLOW, None)
        # It goes on, once the guest has caught up.
        mark = None
        for number in itertools.count():
            if mark in self.seen:
                break
            self.seen.clear()
            mark = (Kind.CREATED, f"/workspace/d/mark{number}")
            self.shell(f"mkdir d/mark{number}")
            self.until(lambda: {(Kind.OVERFLOW, None), mark} & self.seen)
        watch.close()

    def test_asynchronously(self):
        watch = wait_for(self.backend.watch_files_async, self.backend.watch_files_finish, "d", FLAGS.NONE, None)
        self.assertEqual(watch.get_state(), State.ACTIVE)
        watch.close()

    def test_what_cannot_be_watched(self):
        self.assert_fails(Asb.Error.FILE_NOT_FOUND, self.backend.watch_files, "nope", FLAGS.NONE, None)
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, self.backend.watch_files, "../x", FLAGS.NONE, None)
        cancellable = Gio.Cancellable()
        cancellable.cancel()
        self.assert_cancelled(self.backend.watch_files, "d", FLAGS.NONE, cancellable)

    def test_capability(self):
        self.assertTrue(self.backend.get_capabilities().supports(Asb.CAPABILITY_FILE_WATCH))
        mock = Asb.create_backend(Asb.BackendOptions(provider_name="mock", history=Asb.HistoryConfig(
            mode=Asb.HistoryMode.NONE)), None)
        self.assertFalse(mock.get_capabilities().supports(Asb.CAPABILITY_FILE_WATCH))
        self.assert_fails(Asb.Error.UNSUPPORTED_CAPABILITY, mock.watch_files, "/", FLAGS.NONE, None)
        mock.close(None)


class TestManyInARow(WatchTestCase):
    def test_closed_and_dropped_watches_end(self):
        """More than can be at once, and the context does not run."""
        kept = []
        for _ in range(3 * MAX_WATCHES):
            watch = self.watch_again()
            watch.close()
            kept.append(watch)
        for _ in range(3 * MAX_WATCHES):
            watch = self.watch_again()
            del watch


class TestTooMany(WatchTestCase):
    def test_too_many(self):
        watches = [self.watch_again() for _ in range(MAX_WATCHES)]
        self.assert_fails(Asb.Error.TOO_MANY_REQUESTS, self.backend.watch_files, "d", FLAGS.NONE, None)
        del watches


class TestClosedBackend(BackendTestCase):
    def test_watch_of_a_backend_that_is_closed(self):
        context = GLib.MainContext.new()
        context.push_thread_default()
        self.addCleanup(context.pop_thread_default)
        watch = self.backend.watch_files(".", FLAGS.NONE, None)
        ended = []
        watch.connect("ended", lambda watch: ended.append(watch.get_state()))
        self.backend.close(None)
        while not ended:
            context.iteration(True)
        self.assertEqual(ended, [State.FAILED])
        self.assertIsInstance(watch.dup_error(), GLib.Error)


if __name__ == "__main__":
    tap_unittest.main()
