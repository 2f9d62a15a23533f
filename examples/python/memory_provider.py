# SPDX-License-Identifier: LGPL-2.1-or-later
"""A provider written in Python: its sandboxes are dictionaries of this process, and one works
inside them with a transport of its own. Run it to have it checked."""

import hashlib
import posixpath
import sys

import gi

gi.require_version("Asb", "1")
from gi.repository import Asb, Gio, GLib, GObject  # noqa: E402


def failure(code, message):
    return GLib.Error.new_literal(Asb.error_quark(), message, code)


class MemoryTransport(GObject.Object, Asb.Transport):
    """Files are bytes by their path, directories None."""

    __gtype_name__ = "ExampleMemoryTransport"

    def __init__(self, files):
        super().__init__()
        self.files = files
        self._state = Asb.TransportState.CONNECTED

    @GObject.Property(type=Asb.TransportState, default=Asb.TransportState.CONNECTED)
    def state(self):
        return self._state

    def do_get_state(self):
        return self._state

    def do_get_capabilities(self):
        capabilities = Asb.Capabilities.new()
        for name in (Asb.CAPABILITY_FILESYSTEM, Asb.CAPABILITY_BINARY_FILES, Asb.CAPABILITY_FILE_HASH):
            capabilities.add(name, Asb.CapabilitySupport.NATIVE, "memory", None)
        return capabilities

    def find(self, path):
        if path not in self.files:
            raise failure(Asb.Error.FILE_NOT_FOUND, f"There is no “{path}”")
        return self.files[path]

    def children(self, path):
        return [name for name in sorted(self.files) if posixpath.dirname(name) == path != name]

    def info(self, path):
        contents = self.find(path)
        if contents is None:
            return Asb.FileInfo(path=path, kind=Asb.FileKind.DIRECTORY)
        return Asb.FileInfo(path=path, kind=Asb.FileKind.FILE, size=len(contents),
                            hash=hashlib.sha256(contents).hexdigest())

    def make_directories(self, path):
        while path not in self.files:
            self.files[path] = None
            path = posixpath.dirname(path)

    def do_query_file(self, request, task):
        task.return_value(self.info(request.get_path()))

    def do_list_files(self, request, task):
        path = request.get_path()
        if self.find(path) is not None:
            raise failure(Asb.Error.NOT_DIRECTORY, f"“{path}” is not a directory")
        listing = Gio.ListStore.new(Asb.FileInfo.__gtype__)
        for child in self.children(path):
            listing.append(self.info(child))
        task.return_value(listing)

    def do_read_file(self, request, task):
        contents = self.find(request.get_path())
        if contents is None:
            raise failure(Asb.Error.IS_DIRECTORY, f"“{request.get_path()}” is a directory")
        task.return_value(GLib.Bytes.new(contents))

    def do_write_file(self, request, task):
        path = request.get_path()
        expected = request.get_expected_hash()
        if expected and (path not in self.files or self.info(path).get_hash() != expected):
            raise failure(Asb.Error.CONCURRENT_MODIFICATION, f"“{path}” has been changed")
        self.make_directories(posixpath.dirname(path))
        self.files[path] = request.get_contents().get_data() or b""
        task.return_value(self.info(path))

    def do_make_directory(self, request, task):
        self.make_directories(request.get_path())
        task.return_boolean(True)

    def do_delete_file(self, request, task):
        path = request.get_path()
        self.find(path)
        inside = [name for name in self.files if name.startswith(path + "/")]
        if inside and not request.get_flags() & Asb.FileFlags.RECURSIVE:
            raise failure(Asb.Error.DIRECTORY_NOT_EMPTY, f"“{path}” is not empty")
        for name in [path, *inside]:
            del self.files[name]
        task.return_boolean(True)

    def do_close(self, task):
        self._state = Asb.TransportState.CLOSED
        self.notify("state")
        task.return_boolean(True)


class MemoryProvider(GObject.Object, Asb.Provider):
    __gtype_name__ = "ExampleMemoryProvider"

    def __init__(self, **properties):
        super().__init__(**properties)
        self.sandboxes = {}

    def do_dup_name(self):
        return "memory"

    def do_dup_key(self):
        return "memory-example"

    def do_dup_endpoint_fingerprint(self):
        return "this-process"

    def do_get_capabilities(self):
        return Asb.Capabilities.new()

    def find(self, sandbox_id):
        if sandbox_id not in self.sandboxes:
            raise failure(Asb.Error.SANDBOX_NOT_FOUND, "There is no such sandbox")
        return self.sandboxes[sandbox_id]

    def do_create_sandbox(self, spec, task):
        sandbox_id = Asb.uuid_v7_new()
        workdir = spec.get_workdir() or "/workspace"
        ref = Asb.SandboxRef.new("memory", "memory-example", sandbox_id,
                                 spec.get_instance_id() or Asb.uuid_v7_new(), "this-process",
                                 spec.get_metadata())
        info = Asb.SandboxInfo(ref=ref, state=Asb.SandboxState.RUNNING, name=spec.get_name(),
                               workdir=workdir, created_at=GLib.DateTime.new_now_utc())
        transport = MemoryTransport({"/": None})
        transport.make_directories(workdir)
        self.sandboxes[sandbox_id] = info, transport.files
        task.return_value(info)

    def do_get_sandbox(self, sandbox_id, task):
        task.return_value(self.find(sandbox_id)[0])

    def do_list_sandboxes(self, filter, task):
        listing = Gio.ListStore.new(Asb.SandboxInfo.__gtype__)
        for info, _ in self.sandboxes.values():
            listing.append(info)
        task.return_value(filter.select(listing))

    def do_delete_sandbox(self, sandbox_id, task):
        self.find(sandbox_id)
        del self.sandboxes[sandbox_id]
        task.return_boolean(True)

    def do_open_transport(self, sandbox_id, task):
        task.return_value(MemoryTransport(self.find(sandbox_id)[1]))


def main():
    gi.require_version("AsbCheck", "1")
    from gi.repository import AsbCheck

    registry = Asb.Registry.new()
    registry.register_provider("memory", MemoryProvider.__gtype__)
    return AsbCheck.provider(registry, "memory", None, "memory", None, AsbCheck.Flags.NONE)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
