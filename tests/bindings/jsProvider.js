// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider written in JavaScript: sandboxes are maps, and one works inside with a transport of
// its own.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

function failure(code, message) {
  return new GLib.Error(Asb.error_quark(), code, message);
}

export const MapTransport = GObject.registerClass({
  GTypeName: 'MapTransport',
  Implements: [Asb.Transport],
  Properties: {state: GObject.ParamSpec.override('state', Asb.Transport)},
}, class MapTransport extends GObject.Object {
  constructor(files) {
    super();
    this._files = files;
    this._state = Asb.TransportState.CONNECTED;
  }

  get state() {
    return this._state ?? Asb.TransportState.CONNECTED;
  }

  vfunc_get_capabilities() {
    return Asb.Capabilities.new();
  }

  vfunc_get_state() {
    return this.state;
  }

  vfunc_read_file(request, task) {
    const contents = this._files.get(request.get_path());
    if (!contents)
      throw failure(Asb.Error.FILE_NOT_FOUND, `There is no file “${request.get_path()}”`);
    task.return_value(new GLib.Bytes(contents));
  }

  vfunc_write_file(request, task) {
    const contents = request.get_contents().toArray();
    this._files.set(request.get_path(), contents);
    task.return_value(new Asb.FileInfo({path: request.get_path(), size: contents.length}));
  }

  vfunc_make_directory(request, task) {
    task.return_boolean(true);
  }

  vfunc_close(task) {
    this._state = Asb.TransportState.CLOSED;
    this.notify('state');
    task.return_boolean(true);
  }
});

export const MapProvider = GObject.registerClass({
  GTypeName: 'MapProvider',
  Implements: [Asb.Provider],
}, class MapProvider extends GObject.Object {
  constructor() {
    super();
    this.sandboxes = new Map();
    this.specs = new Map();
  }

  vfunc_dup_name() {
    return 'map';
  }

  vfunc_dup_key() {
    return 'map-1';
  }

  vfunc_dup_endpoint_fingerprint() {
    return 'here';
  }

  vfunc_get_capabilities() {
    return Asb.Capabilities.new();
  }

  _info(id) {
    const ref = new Asb.SandboxRef({
      provider_name: 'map',
      provider_key: 'map-1',
      endpoint_fingerprint: 'here',
      sandbox_id: id,
      sandbox_instance_id: this.specs.get(id).get_instance_id() ?? id,
    });
    return new Asb.SandboxInfo({ref, state: Asb.SandboxState.RUNNING,
      name: this.specs.get(id).get_name()});
  }

  vfunc_create_sandbox(spec, task) {
    const id = `map-${this.sandboxes.size + 1}`;
    this.sandboxes.set(id, new Map());
    this.specs.set(id, spec);
    const source = GLib.idle_source_new();
    source.set_callback(() => {
      task.return_value(this._info(id));
      return GLib.SOURCE_REMOVE;
    });
    source.attach(task.get_context());
  }

  async vfunc_get_sandbox(id, task) {
    await null;
    if (!this.sandboxes.has(id))
      throw failure(Asb.Error.SANDBOX_NOT_FOUND, `There is no sandbox “${id}”`);
    task.return_value(this._info(id));
  }

  vfunc_list_sandboxes(_filter, task) {
    const listing = Gio.ListStore.new(Asb.SandboxInfo.$gtype);
    for (const id of this.sandboxes.keys())
      listing.append(this._info(id));
    task.return_value(listing);
  }

  vfunc_delete_sandbox(id, task) {
    this.sandboxes.delete(id);
    task.return_boolean(true);
  }

  vfunc_pause_sandbox(_id, _task) {
    throw new TypeError('it never sleeps');
  }

  vfunc_open_transport(id, task) {
    task.return_value(new MapTransport(this.sandboxes.get(id)));
  }
});
