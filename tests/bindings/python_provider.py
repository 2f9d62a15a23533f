# SPDX-License-Identifier: LGPL-2.1-or-later
"""A provider written in Python: sandboxes are dictionaries, and one works inside with a transport
of its own."""

import hashlib

from asb_test import Asb, Gio, GLib, GObject


def fail(task, code, message):
    task.return_error(GLib.Error.new_literal(Asb.error_quark(), message, code))


class DictionaryTransport(GObject.Object, Asb.Transport):
    __gtype_name__ = "DictionaryTransport"

    def __init__(self, files):
        super().__init__()
        self.files = files
        self._state = Asb.TransportState.CONNECTED

    @GObject.Property(type=Asb.TransportState, default=Asb.TransportState.CONNECTED)
    def state(self):
        return self._state

    def do_get_capabilities(self):
        capabilities = Asb.Capabilities.new()
        capabilities.add(Asb.CAPABILITY_FILESYSTEM, Asb.CapabilitySupport.NATIVE, "dictionary", None)
        return capabilities

    def do_get_state(self):
        return self._state

    def info(self, path):
        contents = self.files[path]
        return Asb.FileInfo(path=path, kind=Asb.FileKind.FILE, size=len(contents),
                            hash=hashlib.sha256(contents).hexdigest())

    def do_query_file(self, request, task):
        task.return_value(self.info(request.get_path()))

    def do_list_files(self, request, task):
        listing = Gio.ListStore.new(Asb.FileInfo.__gtype__)
        for path in sorted(self.files):
            listing.append(self.info(path))
        task.return_value(listing)

    def do_read_file(self, request, task):
        path = request.get_path()
        if path not in self.files:
            fail(task, Asb.Error.FILE_NOT_FOUND, f"There is no file “{path}”")
        else:
            task.return_value(GLib.Bytes.new(self.files[path]))

    def do_write_file(self, request, task):
        self.files[request.get_path()] = request.get_contents().get_data()
        task.return_value(self.info(request.get_path()))

    def do_make_directory(self, request, task):
        task.return_boolean(True)

    def do_delete_file(self, request, task):
        del self.files[request.get_path()]
        task.return_boolean(True)

    def do_close(self, task):
        self._state = Asb.TransportState.CLOSED
        self.notify("state")
        task.return_boolean(True)


class DictionaryProvider(GObject.Object, Asb.Provider):
    __gtype_name__ = "DictionaryProvider"

    def __init__(self, **properties):
        super().__init__(**properties)
        self.sandboxes = {}
        self.specs = {}
        self.waiting = []
        self.findings = GLib.Variant("aa{sv}", [{"name": GLib.Variant("s", "dictionary"),
                                                 "state": GLib.Variant("s", "ok"),
                                                 "message": GLib.Variant("s", "it is open")}])

    def do_diagnose(self, task):
        task.return_value(self.findings)

    def do_dup_name(self):
        return "dictionary"

    def do_dup_key(self):
        return "dictionary-1"

    def do_dup_endpoint_fingerprint(self):
        return "here"

    def do_get_capabilities(self):
        return Asb.Capabilities.new()

    def info(self, sandbox_id):
        ref = Asb.SandboxRef(provider_name="dictionary", provider_key="dictionary-1",
                             sandbox_id=sandbox_id, endpoint_fingerprint="here",
                             sandbox_instance_id=self.specs[sandbox_id].get_instance_id() or sandbox_id)
        return Asb.SandboxInfo(ref=ref, state=Asb.SandboxState.RUNNING,
                               name=self.specs[sandbox_id].get_name())

    def do_create_sandbox(self, spec, task):
        sandbox_id = f"dictionary-{len(self.sandboxes) + 1}"
        self.sandboxes[sandbox_id] = {}
        self.specs[sandbox_id] = spec
        # Answered later, as a provider that asks a server would.
        source = GLib.Idle()
        source.set_callback(lambda *_: task.return_value(self.info(sandbox_id)))
        source.attach(task.get_context())

    def do_get_sandbox(self, sandbox_id, task):
        if sandbox_id not in self.sandboxes:
            fail(task, Asb.Error.SANDBOX_NOT_FOUND, f"There is no sandbox “{sandbox_id}”")
        else:
            task.return_value(self.info(sandbox_id))

    def do_list_sandboxes(self, filter, task):
        listing = Gio.ListStore.new(Asb.SandboxInfo.__gtype__)
        for sandbox_id in self.sandboxes:
            listing.append(self.info(sandbox_id))
        task.return_value(listing)

    def do_delete_sandbox(self, sandbox_id, task):
        del self.sandboxes[sandbox_id]
        task.return_boolean(True)

    def do_pause_sandbox(self, sandbox_id, task):
        raise GLib.Error.new_literal(Asb.error_quark(), "It never sleeps",
                                     Asb.Error.SANDBOX_STATE)

    def do_resume_sandbox(self, sandbox_id, task):
        task.get_cancellable().connect(lambda *_: task.return_error_if_cancelled())

    def do_open_transport(self, sandbox_id, task):
        task.return_value(DictionaryTransport(self.sandboxes[sandbox_id]))
