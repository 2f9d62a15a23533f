# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is public, and what it can be called with: for tests that go through all of it. The first
argument of the program is the GIR file."""

import itertools
import sys

import gir
from asb_test import Asb, Gio, GLib, GObject, local_options

NAMESPACE = gir.load(sys.argv[1])
del sys.argv[1:]

INTEGERS = {"gint", "guint", "gint64", "guint64", "gsize", "gssize", "gint32", "guint32"}
counter = itertools.count()


class Boxes(Asb.SimpleProvider):
    """A class cannot be made that is only there to be derived from."""


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

    def make_SimpleProvider(self):
        return Boxes()

    def make_SubprocessStream(self):
        return Asb.SubprocessStream.new(["true"], None)

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


def sample(parameter, subjects):
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
    return sample_of_ours(kind, subjects)


def sample_of_ours(kind, subjects):
    ours = getattr(Asb, kind)
    if issubclass(ours, (GObject.GEnum, GObject.GFlags)):
        return ours(0)
    return subjects.make(kind)


def is_nullable(parameter):
    return parameter.get("nullable") == "1" or parameter.get("allow-none") == "1"


def is_callback(parameter):
    return type_of(parameter) in {"Gio.AsyncReadyCallback", *CALLBACKS}


CALLBACKS = {element.get("name") for element in NAMESPACE.findall(gir.CORE + "callback")}


def nullable_names(function):
    """Of those that are not there for every function."""
    return [parameter.get("name") for parameter in gir.parameters(function)
            if is_nullable(parameter) and parameter.get("direction") != "out"
            and type_of(parameter) not in {"Gio.AsyncReadyCallback", "Gio.Cancellable", "gpointer",
                                           "GLib.DestroyNotify"}]


def arguments_for(function, with_none, ready, subjects=SUBJECTS):
    """with_none: whether what is nullable is None, or the name of the one that shall be."""
    parameters = gir.parameters(function)
    hidden = {int(parameter.get(key)) for parameter in parameters for key in ("closure", "destroy")
              if parameter.get(key) is not None and is_callback(parameter)}
    hidden |= {int(array.get("length")) for parameter in parameters
               for array in parameter.findall(gir.CORE + "array") if array.get("length")}
    arguments = []
    for index, parameter in enumerate(parameters):
        if index in hidden or parameter.get("direction") == "out":
            continue
        if with_none == parameter.get("name"):
            arguments.append(None)
        elif is_callback(parameter):
            arguments.append(ready)
        elif with_none is True and is_nullable(parameter):
            arguments.append(None)
        else:
            arguments.append(sample(parameter, subjects))
    return arguments


class Function:
    def __init__(self, parent, element):
        self.element = element
        self.parent = parent
        self.name = element.get("name")
        self.identifier = element.get(gir.C + "identifier")
        self.is_method = element.tag == gir.CORE + "method"
        self.is_async = self.name.endswith("_async")
        # After these there is another sandbox for the others.
        self.is_last = self.name.startswith(("close", "delete_sandbox"))

    def owner(self, subjects=SUBJECTS):
        if self.parent is NAMESPACE:
            return Asb
        if self.is_method:
            return subjects.make(self.parent.get("name"))
        return getattr(Asb, self.parent.get("name"))

    def finish(self, owner, result):
        return getattr(owner, self.name.removesuffix("_async") + "_finish")(result)


def all_functions():
    """All but those that finish another one."""
    for parent in [NAMESPACE, *NAMESPACE]:
        for element in parent:
            if element.tag not in gir.FUNCTIONS or element.tag == gir.CORE + "function-macro":
                continue
            if not element.get("name").endswith("_finish"):
                yield Function(parent, element)
