# SPDX-License-Identifier: LGPL-2.1-or-later
"""What libasb adds for Python to what introspection gives.

- A virtual function that raises answers its task with the error: nobody waits for a task that was
  forgotten. A GLib.Error is left to the core; any other exception becomes Asb.Error.INTERNAL.
  So does a function that is asked to approve an upload.
- A class that changes a function of an interface its parent implements has to name the interface, too.
- The functions of a simple provider need not return True, and what else they raise becomes a
  GLib.Error, too.
- Properties that are tables of strings can be given to a constructor as a dict.
- A backend is a context manager: "with Asb.create_backend(options) as backend:" closes it. So is a pool:
  it is started, and shut down.
- A preparer of a pool that raises answers its task with the error.
"""

import functools

from gi.repository import Gio, GLib

from ..module import get_introspection_module
from ..overrides import override

Asb = get_introspection_module("Asb")

__all__ = []


def _error_for(exception):
    if isinstance(exception, GLib.Error):
        return exception
    if isinstance(exception, (KeyboardInterrupt, SystemExit)):
        message = "The program is being ended"
    else:
        message = f"Unexpected {type(exception).__name__}: {exception}"
    return GLib.Error.new_literal(Asb.error_quark(), message, Asb.Error.INTERNAL)


def _answering(function, position=-1):
    """The function, with its task, the argument at that position, answered when it raises."""

    @functools.wraps(function)
    def wrapper(*arguments):
        try:
            return function(*arguments)
        except BaseException as exception:
            task = arguments[position]
            if task.get_completed():
                raise
            task.return_error(_error_for(exception))
            if not isinstance(exception, Exception):
                raise
            return None

    return wrapper


def _takes_task(interface, name):
    info = interface.__info__
    for vfunc in info.get_vfuncs():
        if vfunc.get_name() == name:
            arguments = vfunc.get_arguments()
            return bool(arguments) and arguments[-1].get_name() == "task"
    return False


def _check_bases(cls, interface, attribute):
    """PyGObject would give the function to the parent, too, which has the interface the class has not."""
    if not any(base.__gtype__ == interface.__gtype__ for base in cls.__bases__ if hasattr(base, "__gtype__")):
        raise TypeError(f"“{cls.__name__}” has “{attribute}”: name Asb.{interface.__name__} among its bases once more")


def _answering_interface(interface):
    names = {f"do_{vfunc.get_name()}" for vfunc in interface.__info__.get_vfuncs()}

    class Interface(interface):
        def __init_subclass__(cls, **arguments):
            super().__init_subclass__(**arguments)
            for attribute, function in list(vars(cls).items()):
                if attribute in names:
                    _check_bases(cls, interface, attribute)
                    if _takes_task(interface, attribute[3:]):
                        setattr(cls, attribute, _answering(function))

    Interface.__name__ = interface.__name__
    return override(Interface)


for _name in ("Provider", "Transport", "Process", "HistoryStore"):
    globals()[_name] = _answering_interface(getattr(Asb, _name))
    __all__.append(_name)


def _failing(function, says_true):
    """The function, with what it raises as an error that can be passed on."""

    @functools.wraps(function)
    def wrapper(self, *arguments):
        try:
            result = function(self, *arguments)
        except Exception as exception:
            raise _error_for(exception) from exception
        return True if says_true and result is None else result

    return wrapper


class SimpleProvider(Asb.SimpleProvider):
    def __init_subclass__(cls, **arguments):
        super().__init_subclass__(**arguments)
        for name in ("create", "remove", "store_file", "open_program", "get_state"):
            function = vars(cls).get(f"do_{name}")
            if function:
                says_true = name in ("create", "remove", "store_file")
                setattr(cls, f"do_{name}", _failing(function, says_true))


SimpleProvider = override(SimpleProvider)
__all__.append("SimpleProvider")


class UploadConfig(Asb.UploadConfig):
    def set_approval(self, approval, *data):
        super().set_approval(approval and _answering(approval, 1), *data)


UploadConfig = override(UploadConfig)
__all__.append("UploadConfig")


class Backend(Asb.Backend):
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close(None)


Backend = override(Backend)
__all__.append("Backend")


class Pool(Asb.Pool):
    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.shutdown(None)

    def set_preparer(self, preparer, *data):
        super().set_preparer(preparer and _answering(preparer, 1), *data)


Pool = override(Pool)
__all__.append("Pool")


def _with_tables(parent, *tables):
    """PyGObject takes a dict for a table that is set, and none for one that an object is made with."""

    class Tables(parent):
        def __init__(self, *arguments, **properties):
            given = {name: properties.pop(name) for name in tables if name in properties}
            super().__init__(*arguments, **properties)
            for name, value in given.items():
                if not hasattr(self, f"set_{name}"):
                    raise TypeError(f"“{name}” cannot be set: give it to Asb.{parent.__name__}.new()")
                getattr(self, f"set_{name}")(value)

    Tables.__name__ = parent.__name__
    return override(Tables)


for _name, _tables in (("BackendOptions", ("metadata", "resources")), ("Capability", ("limits",)),
                       ("Endpoint", ("headers",)), ("OpensandboxConfig", ("headers",)),
                       ("SandboxFilter", ("metadata",)), ("SandboxRef", ("metadata",)),
                       ("SandboxSpec", ("metadata", "resources"))):
    globals()[_name] = _with_tables(getattr(Asb, _name), *_tables)
    __all__.append(_name)
