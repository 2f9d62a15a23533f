#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a callback costs in memory: a signal nothing, a call no more than one of GIO.

PyGObject before 3.44.2 does not give back the closure of an asynchronous call. Nothing can be done
about that here, but that streams need no such call for each piece."""

import tap_unittest
from asb_test import Asb, Gio, GLib, TestCase

KIB_PER_PAGE = 4


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * KIB_PER_PAGE


def growth(function, count):
    """In KiB, of doing it so often once it has been done a while."""
    function(count // 10)
    before = resident()
    function(count)
    return resident() - before


class TestMemory(TestCase):
    def setUp(self):
        self.loop = GLib.MainLoop()

    def repeat(self, begin, finish, count):
        left = [count]

        def done(_source, result):
            finish(result)
            left[0] -= 1
            if left[0] == 0:
                self.loop.quit()
            else:
                begin(done)

        begin(done)
        self.loop.run()

    def stream(self, backend, count, kept=False):
        """Output that is told of in pieces, each of them written when the one before has come."""
        told = []
        spec = Asb.CommandSpec(argv=["cat"],
                               flags=Asb.CommandFlags.OUTPUT_SIGNALS | Asb.CommandFlags.STDIN_PIPE)
        command = backend.start_command(spec)
        stdin = command.get_stdin_pipe()

        def data(_command, piece):
            told.append(piece if kept else None)
            if len(told) < count:
                stdin.write(b"x", None)
            else:
                stdin.close(None)

        command.connect("stdout-data", data)
        command.connect("exited", lambda command: self.loop.quit())
        stdin.write(b"x", None)
        self.loop.run()
        self.assertEqual(len(told), count)
        return told

    def test_signals(self):
        backend = Asb.create_backend(Asb.BackendOptions(provider_name="mock"))
        # A closure for each of them would be more than 8 MiB.
        self.assertLess(growth(lambda count: self.stream(backend, count), 50000), 4096)
        backend.close()

    def test_pieces_that_are_kept(self):
        """They take what they have in them, not what there was room for."""
        backend = Asb.create_backend(Asb.BackendOptions(provider_name="mock"))
        self.stream(backend, 1000)
        before = resident()
        pieces = self.stream(backend, 10000, kept=True)
        # A page for each of them would be 40 MiB.
        self.assertLess(resident() - before, 20 * 1024)
        self.assertEqual({piece.get_size() for piece in pieces}, {1})
        backend.close()

    def test_calls(self):
        backend = Asb.create_backend(Asb.BackendOptions(provider_name="mock"))
        spec = Asb.CommandSpec.new_argv(["true"])
        file = Gio.File.new_for_path("/proc/self/stat")
        ours = growth(lambda count: self.repeat(
            lambda done: backend.execute_async(spec, None, done), backend.execute_finish, count), 10000)
        theirs = growth(lambda count: self.repeat(
            lambda done: file.query_info_async("*", 0, 0, None, done), file.query_info_finish, count), 10000)
        self.assertLess(ours, 2 * theirs + 2048)
        backend.close()


if __name__ == "__main__":
    tap_unittest.main()
