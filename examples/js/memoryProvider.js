// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider written in JavaScript: its sandboxes are maps of this process, and one works inside
// them with a transport of its own. Run it (gjs -m) to have it checked.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import System from 'system';

const failure = (code, message) => new GLib.Error(Asb.error_quark(), code, message);
const parent = path => GLib.path_get_dirname(path);

// Files are bytes by their path, directories null.
const MemoryTransport = GObject.registerClass({
  GTypeName: 'ExampleMemoryTransport',
  Implements: [Asb.Transport],
  Properties: {state: GObject.ParamSpec.override('state', Asb.Transport)},
}, class MemoryTransport extends GObject.Object {
  constructor(files) {
    super();
    this._files = files;
    this._state = Asb.TransportState.CONNECTED;
  }

  get state() {
    return this._state ?? Asb.TransportState.CONNECTED;
  }

  vfunc_get_state() {
    return this.state;
  }

  vfunc_get_capabilities() {
    const capabilities = Asb.Capabilities.new();
    for (const name of [Asb.CAPABILITY_FILESYSTEM, Asb.CAPABILITY_BINARY_FILES, Asb.CAPABILITY_FILE_HASH])
      capabilities.add(name, Asb.CapabilitySupport.NATIVE, 'memory', null);
    return capabilities;
  }

  _find(path) {
    if (!this._files.has(path))
      throw failure(Asb.Error.FILE_NOT_FOUND, `There is no “${path}”`);
    return this._files.get(path);
  }

  _info(path) {
    const contents = this._find(path);
    if (!contents)
      return new Asb.FileInfo({path, kind: Asb.FileKind.DIRECTORY});
    const hash = GLib.compute_checksum_for_bytes(GLib.ChecksumType.SHA256, contents);
    return new Asb.FileInfo({path, kind: Asb.FileKind.FILE, size: contents.get_size(), hash});
  }

  makeDirectories(path) {
    for (; !this._files.has(path); path = parent(path))
      this._files.set(path, null);
  }

  vfunc_query_file(request, task) {
    task.return_value(this._info(request.get_path()));
  }

  vfunc_list_files(request, task) {
    const path = request.get_path();
    if (this._find(path))
      throw failure(Asb.Error.NOT_DIRECTORY, `“${path}” is not a directory`);
    const listing = Gio.ListStore.new(Asb.FileInfo.$gtype);
    for (const name of [...this._files.keys()].sort()) {
      if (name !== path && parent(name) === path)
        listing.append(this._info(name));
    }
    task.return_value(listing);
  }

  vfunc_read_file(request, task) {
    const contents = this._find(request.get_path());
    if (!contents)
      throw failure(Asb.Error.IS_DIRECTORY, `“${request.get_path()}” is a directory`);
    task.return_value(contents);
  }

  vfunc_write_file(request, task) {
    const path = request.get_path();
    const expected = request.get_expected_hash();
    if (expected && (!this._files.has(path) || this._info(path).get_hash() !== expected))
      throw failure(Asb.Error.CONCURRENT_MODIFICATION, `“${path}” has been changed`);
    this.makeDirectories(parent(path));
    this._files.set(path, request.get_contents());
    task.return_value(this._info(path));
  }

  vfunc_make_directory(request, task) {
    this.makeDirectories(request.get_path());
    task.return_boolean(true);
  }

  vfunc_delete_file(request, task) {
    const path = request.get_path();
    this._find(path);
    const inside = [...this._files.keys()].filter(name => name.startsWith(`${path}/`));
    if (inside.length > 0 && !(request.get_flags() & Asb.FileFlags.RECURSIVE))
      throw failure(Asb.Error.DIRECTORY_NOT_EMPTY, `“${path}” is not empty`);
    for (const name of [path, ...inside])
      this._files.delete(name);
    task.return_boolean(true);
  }

  vfunc_close(task) {
    this._state = Asb.TransportState.CLOSED;
    this.notify('state');
    task.return_boolean(true);
  }
});

export const MemoryProvider = GObject.registerClass({
  GTypeName: 'ExampleMemoryProvider',
  Implements: [Asb.Provider],
}, class MemoryProvider extends GObject.Object {
  vfunc_dup_name() {
    return 'memory';
  }

  vfunc_dup_key() {
    return 'memory-example';
  }

  vfunc_dup_endpoint_fingerprint() {
    return 'this-process';
  }

  vfunc_get_capabilities() {
    return Asb.Capabilities.new();
  }

  get sandboxes() {
    return this._sandboxes ??= new Map();
  }

  _find(id) {
    if (!this.sandboxes.has(id))
      throw failure(Asb.Error.SANDBOX_NOT_FOUND, 'There is no such sandbox');
    return this.sandboxes.get(id);
  }

  vfunc_create_sandbox(spec, task) {
    const id = Asb.uuid_v7_new();
    const workdir = spec.get_workdir() ?? '/workspace';
    const files = new Map([['/', null]]);
    const ref = Asb.SandboxRef.new('memory', 'memory-example', id,
      spec.get_instance_id() ?? Asb.uuid_v7_new(), 'this-process', spec.get_metadata());
    const info = new Asb.SandboxInfo({ref, workdir, state: Asb.SandboxState.RUNNING,
      name: spec.get_name(), created_at: GLib.DateTime.new_now_utc()});

    new MemoryTransport(files).makeDirectories(workdir);
    this.sandboxes.set(id, {info, files});
    task.return_value(info);
  }

  vfunc_get_sandbox(id, task) {
    task.return_value(this._find(id).info);
  }

  vfunc_list_sandboxes(filter, task) {
    const listing = Gio.ListStore.new(Asb.SandboxInfo.$gtype);
    for (const {info} of this.sandboxes.values())
      listing.append(info);
    task.return_value(filter.select(listing));
  }

  vfunc_delete_sandbox(id, task) {
    this._find(id);
    this.sandboxes.delete(id);
    task.return_boolean(true);
  }

  vfunc_open_transport(id, task) {
    task.return_value(new MemoryTransport(this._find(id).files));
  }
});

async function main() {
  const {default: AsbCheck} = await import('gi://AsbCheck?version=1');
  const registry = Asb.Registry.new();

  registry.register_provider('memory', MemoryProvider.$gtype);
  return AsbCheck.provider(registry, 'memory', null, 'memory', null, AsbCheck.Flags.ONE_THREAD);
}

if (import.meta.url.endsWith(System.programInvocationName.split('/').pop()))
  System.exit(await main() > 0 ? 1 : 0);
