#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every public function can be called from here: once with None for all that is nullable, once with
a value for everything. It returns or fails with a GLib.Error; no TypeError, no critical, no crash.

usage: test-every.py GIR
"""

import itertools
import sys
import unittest

import gir
import tap_unittest
from asb_test import Asb, Gio, GLib, GObject, local_options

NAMESPACE = gir.load(sys.argv[1])

# What cannot be called from Python, and where it is called instead.
C_ONLY = {
    "asb_error_new_with_info": "C: bindings make no GError with details",
    "asb_pipe_ref": "C: bindings count the references of a boxed type themselves",
    "asb_pipe_unref": "C: as asb_pipe_ref ()",
    "asb_pipe_pull": "C: fills memory of the caller; pull_bytes ()",
    "asb_error_get_info": "C: a GLib.Error of Python has lost its details; Asb.ErrorInfo.get_last()",
}

INTEGERS = {"gint", "guint", "gint64", "guint64", "gsize", "gssize", "gint32", "guint32"}
counter = itertools.count()


class Subjects:
    """An object of each type to call functions of. All work in one sandbox, until it is closed."""

    def __init__(self):
        self.shared = None

    def backend(self):
        if self.shared is None:
            self.shared = Asb.create_backend(local_options(), None)
        return self.shared

    def renew(self):
        if self.shared is not None:
            self.shared.close(None)
        self.shared = None

    def make(self, name):
        special = getattr(self, f"make_{name}", None)
        return special() if special else getattr(Asb, name)()

    def make_Backend(self):
        return self.backend()

    def make_Provider(self):
        return Asb.Registry.get_default().create_provider("local", None)

    def make_Transport(self):
        return self.backend().get_transport()

    make_GuestTransport = make_Transport

    def make_HistoryStore(self):
        return self.backend().get_history_store()

    def make_Command(self):
        spec = Asb.CommandSpec(argv=["true"], flags=Asb.CommandFlags.STDIN_PIPE)
        return self.backend().start_command(spec, None)

    def make_Job(self):
        return self.backend().start_job(Asb.CommandSpec.new_argv(["true"]), None, None)

    def make_FileWatch(self):
        return self.backend().watch_files("/workspace", Asb.FileFlags.NONE, None)

    def make_SandboxRef(self):
        return self.backend().get_ref()

    def make_Pipe(self):
        return Asb.Pipe.new(100)

    def make_Process(self):
        return self.make_Transport().start_command(Asb.CommandSpec.new_argv(["true"]), None)


SUBJECTS = Subjects()


def type_of(parameter):
    array = parameter.find(gir.CORE + "array")
    if array is not None:
        return "array"
    return parameter.find(gir.CORE + "type").get("name")


def sample(parameter):
    """A value for a parameter that is not nullable, or shall not be None."""
    name, kind = parameter.get("name"), type_of(parameter)
    if kind == "array":
        if parameter.find(f"{gir.CORE}array/{gir.CORE}type").get("name") == "guint8":
            return b"bytes"
        return ["A=1"] if "environment" in name else ["true"]
    if kind in INTEGERS:
        # Renewed for less, the sandbox of the tests would be gone before their end.
        return 3600 if name == "seconds" else 1
    if kind == "gdouble":
        return 1.0
    if kind == "gboolean":
        return True
    if kind == "filename":
        return "/workspace/x"
    if kind == "utf8":
        return f"x{next(counter)}" if name == "name" else "x"
    if kind == "GType":
        return Asb.SandboxSpec.__gtype__
    if kind == "GLib.Variant":
        return GLib.Variant("a{sv}", {})
    if kind == "GLib.Bytes":
        return GLib.Bytes.new(b"bytes")
    if kind == "GLib.HashTable":
        return {"key": "value"}
    if kind == "GLib.DateTime":
        return GLib.DateTime.new_utc(2020, 1, 2, 3, 4, 5)
    if kind == "GLib.Error":
        return GLib.Error.new_literal(Asb.error_quark(), "An error", 1)
    if kind == "Gio.Cancellable":
        return Gio.Cancellable.new()
    if kind == "Gio.ListModel" and name == "mounts":
        mounts = Gio.ListStore.new(Asb.Mount)
        mounts.append(Asb.Mount(source="/tmp", target="/data", mode=Asb.MountMode.OVERLAY))
        return mounts
    if kind == "Gio.InputStream":
        return Gio.MemoryInputStream.new()
    if kind == "Gio.IOStream":
        return Gio.SimpleIOStream.new(Gio.MemoryInputStream.new(), Gio.MemoryOutputStream.new_resizable())
    if kind == "Gio.ListModel":
        return Gio.ListStore.new(Asb.SandboxInfo.__gtype__)
    if kind == "GObject.Object":
        return GObject.Object()
    return sample_of_ours(kind)


def sample_of_ours(kind):
    ours = getattr(Asb, kind)
    if issubclass(ours, (GObject.GEnum, GObject.GFlags)):
        return ours(0)
    return SUBJECTS.make(kind)


def is_nullable(parameter):
    return parameter.get("nullable") == "1" or parameter.get("allow-none") == "1"


def is_callback(parameter):
    return type_of(parameter) in {"Gio.AsyncReadyCallback", *CALLBACKS}


CALLBACKS = {element.get("name") for element in NAMESPACE.findall(gir.CORE + "callback")}


def arguments_for(function, with_none, ready):
    parameters = gir.parameters(function)
    hidden = {int(parameter.get(key)) for parameter in parameters for key in ("closure", "destroy")
              if parameter.get(key) is not None and is_callback(parameter)}
    hidden |= {int(array.get("length")) for parameter in parameters
               for array in parameter.findall(gir.CORE + "array") if array.get("length")}
    arguments = []
    for index, parameter in enumerate(parameters):
        if index in hidden or parameter.get("direction") == "out":
            continue
        if is_callback(parameter):
            arguments.append(ready)
        elif with_none and is_nullable(parameter):
            arguments.append(None)
        else:
            arguments.append(sample(parameter))
    return arguments


def call_async(function, start, finish, with_none):
    """Starts it on a context of its own, and finishes it."""
    context = GLib.MainContext.new()
    results = []
    context.push_thread_default()
    try:
        start(*arguments_for(function, with_none, lambda source, result, *data: results.append(result)))
        while not results:
            context.iteration(True)
    finally:
        context.pop_thread_default()
    finish(results[0])


class Function:
    def __init__(self, parent, element):
        self.element = element
        self.parent = parent
        self.name = element.get("name")
        self.identifier = element.get(gir.C + "identifier")
        self.is_method = element.tag == gir.CORE + "method"

    def owner(self):
        if self.parent is NAMESPACE:
            return Asb
        if self.is_method:
            return SUBJECTS.make(self.parent.get("name"))
        return getattr(Asb, self.parent.get("name"))

    def call(self, with_none):
        owner = self.owner()
        try:
            if self.name.endswith("_async"):
                call_async(self.element, getattr(owner, self.name),
                           getattr(owner, self.name.removesuffix("_async") + "_finish"), with_none)
            else:
                getattr(owner, self.name)(
                    *arguments_for(self.element, with_none, lambda *arguments: None))
        except GLib.Error as error:
            assert error.message, "an error without a message"
        if self.name.startswith(("close", "delete_sandbox")):
            SUBJECTS.renew()


def all_functions():
    for parent in [NAMESPACE, *NAMESPACE]:
        for element in parent:
            if element.tag not in gir.FUNCTIONS or element.tag == gir.CORE + "function-macro":
                continue
            function = Function(parent, element)
            # A …_finish is called by the call of its …_async.
            if not function.name.endswith("_finish") and function.identifier not in C_ONLY:
                yield function


def case(function, with_none):
    def test(self):
        function.call(with_none)
    return test


class TestEvery(unittest.TestCase):
    pass


for function in all_functions():
    for with_none in (True, False):
        suffix = "with_none" if with_none else "with_values"
        setattr(TestEvery, f"test_{function.identifier}_{suffix}", case(function, with_none))

if __name__ == "__main__":
    del sys.argv[1:]
    tap_unittest.main()
