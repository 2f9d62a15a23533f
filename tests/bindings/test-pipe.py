#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The streams of a transport that is written in Python."""

import threading
import unittest

import tap_unittest
from asb_test import BYTES, Asb, GLib


class TestPipe(unittest.TestCase):
    def test_input(self):
        pipe = Asb.Pipe.new(100)
        stream = pipe.create_input_stream(None)
        self.assertEqual(pipe.push(BYTES), len(BYTES))
        self.assertEqual(pipe.push(bytes(200)), 100 - len(BYTES))
        self.assertEqual(pipe.get_room(), 0)
        self.assertEqual(stream.read_bytes(len(BYTES), None).get_data(), BYTES)
        self.assertEqual(pipe.get_taken(), len(BYTES))
        pipe.finish_error(GLib.Error.new_literal(
            Asb.error_quark(), "The line is cut", Asb.Error.INTERRUPTED))
        self.assertEqual(stream.read_bytes(200, None).get_size(), 100 - len(BYTES))
        with self.assertRaises(GLib.Error) as caught:
            stream.read_bytes(1, None)
        self.assertTrue(caught.exception.matches(Asb.error_quark(), Asb.Error.INTERRUPTED))

    def test_output(self):
        pipe = Asb.Pipe.new(100)
        stream = pipe.create_output_stream(Asb.PipeClose.AT_ONCE, None)
        self.assertEqual(stream.write(BYTES, None), len(BYTES))
        self.assertEqual(pipe.get_waiting(), len(BYTES))
        self.assertEqual(pipe.pull_bytes(1000).get_data(), BYTES)
        self.assertTrue(stream.close(None))
        self.assertTrue(pipe.is_finished())

    def test_source(self):
        """A transport in its own context hears what a stream does in another thread, and says how it
        went."""
        pipe = Asb.Pipe.new(10)
        stream = pipe.create_output_stream(Asb.PipeClose.COMMITS, None)
        outcome = []

        def write():
            stream.write_all(b"x" * 1000, None)
            outcome.append(stream.close(None))

        context = GLib.MainContext.new()
        taken = []

        def readable(_data):
            taken.append(pipe.pull_bytes(1000).get_data() or b"")
            if pipe.is_finished() and not pipe.get_waiting():
                pipe.settle()
                return GLib.SOURCE_REMOVE
            return GLib.SOURCE_CONTINUE

        source = pipe.create_source(Asb.PipeCondition.READABLE)
        source.set_callback(readable, None)
        source.attach(context)
        thread = threading.Thread(target=write)
        thread.start()
        while not source.is_destroyed():
            context.iteration(True)
        thread.join()
        self.assertEqual(b"".join(taken), b"x" * 1000)
        self.assertEqual(outcome, [True])


if __name__ == "__main__":
    tap_unittest.main()
