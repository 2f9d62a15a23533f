# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the Python tests share. Each program has a state folder of its own."""

import atexit
import os
import shutil
import tempfile
import unittest

_state_home = os.environ["XDG_STATE_HOME"]
os.makedirs(_state_home, exist_ok=True)
STATE = tempfile.mkdtemp(prefix="bindings-", dir=_state_home)
os.environ["XDG_STATE_HOME"] = STATE
atexit.register(shutil.rmtree, STATE, ignore_errors=True)

import gi  # noqa: E402

gi.require_version("Asb", "1")
from gi.repository import Asb, Gio, GLib, GObject  # noqa: E402

BYTES = b"nul \0, cr \r, lf \n, high \x80\xff\xfe, utf-8 \xc3\xa9"


def wait_for(start, finish, *arguments):
    """Makes an asynchronous call on a main context of its own and returns what it finishes with."""
    context = GLib.MainContext.new()
    results = []
    context.push_thread_default()
    try:
        start(*arguments, lambda source, result: results.append(result))
        assert not results, "the callback ran before the call returned"
        while not results:
            context.iteration(True)
    finally:
        context.pop_thread_default()
    return finish(results[0])


def local_options(**properties):
    return Asb.BackendOptions(provider_name="local", history=Asb.HistoryConfig(), **properties)


class TestCase(unittest.TestCase):
    def assert_fails(self, code, function, *arguments):
        """The call fails with this code of the library; the error is returned."""
        with self.assertRaises(GLib.Error) as caught:
            function(*arguments)
        error = caught.exception
        self.assertTrue(error.matches(Asb.error_quark(), code), error)
        return error

    def assert_cancelled(self, function, *arguments):
        with self.assertRaises(GLib.Error) as caught:
            function(*arguments)
        self.assertTrue(caught.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED),
                        caught.exception.message)


class BackendTestCase(TestCase):
    """Tests that share one local sandbox."""

    @classmethod
    def setUpClass(cls):
        cls.backend = Asb.create_backend(local_options(sandbox_name="bindings"), None)

    @classmethod
    def tearDownClass(cls):
        cls.backend.close(None)
