#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every asynchronous function, called in a thread with a main context of its own, answers once, in
that context, and not before it has returned; also when it is cancelled before it, while it is under
way, or when it is done; when nobody but the call holds what it was made on and with; and when nobody
wants its answer.

usage: test-asynchronous.py GIR
"""

import gc
import threading
import unittest

import every
import tap_unittest
from asb_test import Asb, Gio, GLib


# What is closed is closed although that was cancelled.
CLOSING = {"asb_transport_close_async", "asb_history_store_close_async"}


class Call:
    """One call, in a thread of its own."""

    def __init__(self, function, owner, cancellable, cancel_when):
        self.function = function
        self.owner = owner
        self.cancellable = cancellable
        self.cancel_when = cancel_when
        self.threads = []
        self.result = self.error = self.trouble = None

    def arguments(self):
        arguments = every.arguments_for(self.function.element, False, self.ready)
        return [self.cancellable if isinstance(argument, Gio.Cancellable) else argument
                for argument in arguments]

    def ready(self, source, result, *data):
        self.threads.append((threading.current_thread(), self.started))
        self.result = result

    def run(self):
        context = GLib.MainContext.new()
        context.push_thread_default()
        try:
            self.run_in(context)
        except Exception as exception:  # pylint: disable=broad-except
            self.trouble = exception
        finally:
            context.pop_thread_default()

    def run_in(self, context):
        self.started = False
        getattr(self.owner, self.function.name)(*self.arguments())
        self.started = True
        if self.cancel_when == "under way":
            self.cancellable.cancel()
        while not self.threads:
            context.iteration(True)
        try:
            self.value = self.function.finish(self.owner, self.result)
        except GLib.Error as error:
            self.value, self.error = None, error
        if self.cancel_when == "done":
            self.cancellable.cancel()
        while context.iteration(False):
            pass

    def was_refused(self):
        return self.error is not None and self.error.matches(
            Asb.error_quark(), Asb.Error.INVALID_ARGUMENT)

    def was_cancelled(self):
        return self.error is not None and self.error.matches(
            Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED)


def start_and_drop(function, ready):
    subjects = every.Subjects()
    getattr(function.owner(subjects), function.name)(
        *every.arguments_for(function.element, False, ready, subjects))


def finish_dropped(function, source, result, *_data):
    try:
        function.finish(source if function.is_method else function.owner(), result)
    except GLib.Error as error:
        assert error.message, "an error without a message"


def finish_closing(backend, result):
    """What was done may have ended the sandbox, or another closing may be under way."""
    try:
        backend.close_finish(result)
    except GLib.Error as error:
        assert "still running" not in error.message, error.message


def remove_sandboxes():
    """What was dropped nobody has closed."""
    every.SUBJECTS.renew()
    provider = every.SUBJECTS.make("Provider")
    for info in provider.list_sandboxes(Asb.SandboxFilter(), None):
        try:
            provider.delete_sandbox(info.get_ref().get_sandbox_id(), None)
        except GLib.Error as error:
            # What nobody waited for removes its own.
            if not error.matches(Asb.error_quark(), Asb.Error.SANDBOX_NOT_FOUND):
                raise


class TestAsynchronous(unittest.TestCase):
    def call(self, function, cancel_when):
        cancellable = Gio.Cancellable.new()
        if cancel_when == "before":
            cancellable.cancel()
        call = Call(function, function.owner(), cancellable, cancel_when)
        thread = threading.Thread(target=call.run)
        thread.start()
        thread.join()
        if function.is_last:
            every.SUBJECTS.renew()
        if call.trouble:
            raise call.trouble
        self.assertEqual(call.threads, [(thread, True)])
        return call

    def check(self, function, cancel_when):
        call = self.call(function, cancel_when)
        if cancel_when == "before" and function.identifier not in CLOSING:
            # What nobody could do may be refused first.
            self.assertTrue(call.was_cancelled() or call.was_refused(), call.error or call.value)
        elif cancel_when == "done":
            self.assertFalse(call.was_cancelled())
            self.check_goes_on(call.value)

    def check_goes_on(self, value):
        """What was made by a call that is done is not ended by its cancellable."""
        if isinstance(value, Asb.Command):
            value.wait(None)
            self.assertTrue(value.get_successful())
        elif isinstance(value, Asb.FileWatch):
            self.assertEqual(value.get_state(), Asb.FileWatchState.ACTIVE)
        elif isinstance(value, Asb.Process):
            self.assertEqual(value.wait(None).get_exit_status(), 0)

    def check_dropped(self, function):
        context, answers = GLib.MainContext.new(), []
        context.push_thread_default()
        try:
            start_and_drop(function, lambda *answer: answers.append(answer))
            gc.collect()
            while not answers:
                context.iteration(True)
            self.assertEqual(len(answers), 1)
            finish_dropped(function, *answers[0])
        finally:
            context.pop_thread_default()
        remove_sandboxes()

    def check_without_callback(self, function):
        """It is done all the same, and holds up nothing."""
        context, subjects, closed = GLib.MainContext.new(), every.Subjects(), []
        backend = subjects.backend()
        context.push_thread_default()
        try:
            getattr(function.owner(subjects), function.name)(
                *every.arguments_for(function.element, False, None, subjects))
            backend.close_async(None, lambda source, result, *_data: closed.append(result))
            while not closed:
                context.iteration(True)
            finish_closing(backend, closed[0])
        finally:
            context.pop_thread_default()
        remove_sandboxes()

    @classmethod
    def tearDownClass(cls):
        every.SUBJECTS.renew()


def case(function, cancel_when):
    return lambda self: self.check(function, cancel_when)


for function in every.all_functions():
    if function.is_async:
        for cancel_when in ("before", "under way", "done"):
            name = f"test_{function.identifier}_cancelled_{cancel_when.replace(' ', '_')}"
            setattr(TestAsynchronous, name, case(function, cancel_when))
        setattr(TestAsynchronous, f"test_dropped_{function.identifier}",
                lambda self, function=function: self.check_dropped(function))
        setattr(TestAsynchronous, f"test_without_callback_{function.identifier}",
                lambda self, function=function: self.check_without_callback(function))

if __name__ == "__main__":
    tap_unittest.main()
