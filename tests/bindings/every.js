// SPDX-License-Identifier: LGPL-2.1-or-later
// What is public, and what it can be called with: for tests that go through all of it. The first
// argument of the program is the GIR file.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

import * as gir from './gir.js';

export const NAMESPACE = gir.load(ARGV[0]);

const {CommandFlags, CommandSpec} = Asb;
const BYTES = new Uint8Array([0, 13, 10, 255]);
const INTEGERS = ['gint', 'guint', 'gint64', 'guint64', 'gsize', 'gssize', 'gint32', 'guint32'];
const CALLBACKS = ['Gio.AsyncReadyCallback', ...NAMESPACE.all('callback').map(element => element.name)];
let counter = 0;

// A class cannot be made that is only there to be derived from.
const Boxes = GObject.registerClass(class Boxes extends Asb.SimpleProvider {});

// An object of each type to call functions of. All work in one sandbox, until it is closed.
export class Subjects {
  constructor() {
    this._backend = null;
  }

  get backend() {
    this._backend ??= Asb.create_backend(
      new Asb.BackendOptions({provider_name: 'local', history: new Asb.HistoryConfig()}), null);
    return this._backend;
  }

  renew() {
    this._backend?.close(null);
    this._backend = null;
  }

  make(name) {
    const makers = {
      Backend: () => this.backend,
      Provider: () => Asb.Registry.get_default().create_provider('local', null),
      Transport: () => this.backend.get_transport(),
      GuestTransport: () => this.backend.get_transport(),
      HistoryStore: () => this.backend.get_history_store(),
      Command: () => this.backend.start_command(
        new CommandSpec({argv: ['true'], flags: CommandFlags.STDIN_PIPE}), null),
      Job: () => this.backend.start_job(CommandSpec.new_argv(['true']), null, null),
      FileWatch: () => this.backend.watch_files('/workspace', Asb.FileFlags.NONE, null),
      SandboxRef: () => this.backend.get_ref(),
      SimpleProvider: () => new Boxes(),
      SubprocessStream: () => Asb.SubprocessStream.new(['true'], null),
      Pipe: () => Asb.Pipe.new(100),
      Process: () => this.backend.get_transport().start_command(CommandSpec.new_argv(['true']), null),
    };
    return makers[name] ? makers[name]() : new Asb[name]();
  }
}

export const SUBJECTS = new Subjects();

function mounts() {
  const list = Gio.ListStore.new(Asb.Mount.$gtype);
  list.append(Asb.Mount.new('/tmp', '/data', Asb.MountMode.OVERLAY));
  return list;
}

function sampleOfArray(parameter) {
  if (parameter.first('array').first('type').name === 'guint8')
    return BYTES;
  return parameter.name.includes('environment') ? ['A=1'] : ['true'];
}

const SAMPLES = {
  'gdouble': () => 1.5,
  'gboolean': () => true,
  'filename': () => '/workspace/x',
  'utf8': name => name === 'name' ? `x${counter++}` : 'x',
  'GType': () => Asb.SandboxSpec.$gtype,
  'GLib.Variant': () => new GLib.Variant('a{sv}', {}),
  'GLib.Bytes': () => new GLib.Bytes(BYTES),
  'GLib.HashTable': () => ({key: 'value'}),
  'GLib.DateTime': () => GLib.DateTime.new_utc(2020, 1, 2, 3, 4, 5),
  'GLib.Error': () => new GLib.Error(Asb.error_quark(), Asb.Error.INTERNAL, 'An error'),
  'Gio.Cancellable': () => new Gio.Cancellable(),
  'Gio.InputStream': () => new Gio.MemoryInputStream(),
  'Gio.IOStream': () => Gio.SimpleIOStream.new(new Gio.MemoryInputStream(), Gio.MemoryOutputStream.new_resizable()),
  'Gio.ListModel': name => name === 'mounts' ? mounts() : Gio.ListStore.new(Asb.SandboxInfo.$gtype),
  'GObject.Object': () => new GObject.Object(),
};

// A value for a parameter that is not nullable, or shall not be null.
function sample(parameter, subjects) {
  const {name, type} = parameter;
  if (type === 'array')
    return sampleOfArray(parameter);
  // Renewed for less, the sandbox of the tests would be gone before their end.
  if (INTEGERS.includes(type))
    return name === 'seconds' ? 3600 : 1;
  if (SAMPLES[type])
    return SAMPLES[type](name);
  if (NAMESPACE.all('enumeration', 'bitfield').some(element => element.name === type))
    return 0;
  return subjects.make(type);
}

function isCallback(parameter) {
  return CALLBACKS.includes(parameter.type);
}

// The places of those that come with another one: what a callback is given, the length of an array.
function hidden(parameters) {
  const places = new Set();
  for (const parameter of parameters) {
    for (const place of isCallback(parameter) ? [parameter.closure, parameter.destroy] : [])
      places.add(Number(place ?? -1));
    places.add(Number(parameter.first('array')?.length ?? -1));
  }
  return places;
}

export class Call {
  constructor(parent, element) {
    this.element = element;
    this.parent = parent;
    this.name = element.name;
    this.identifier = element['c:identifier'];
    this.isAsync = this.name.endsWith('_async');
    this.finishName = this.name.replace(/_async$/, '_finish');
    // After these there is another sandbox for the others.
    this.isLast = /^(close|delete_sandbox)/.test(this.name);
  }

  owner(subjects = SUBJECTS) {
    if (this.parent === NAMESPACE)
      return Asb;
    return this.element.tag === 'method' ? subjects.make(this.parent.name) : Asb[this.parent.name];
  }

  args(ready, {withNull = false, cancellable = null, subjects = SUBJECTS} = {}) {
    const {parameters} = this.element;
    const left = hidden(parameters);
    return parameters.filter((parameter, i) => !left.has(i) && parameter.direction !== 'out').map(parameter => {
      if (isCallback(parameter))
        return ready;
      if (withNull && (parameter.nullable === '1' || parameter['allow-none'] === '1'))
        return null;
      if (cancellable && parameter.type === 'Gio.Cancellable')
        return cancellable;
      return sample(parameter, subjects);
    });
  }
}

// All but those that finish another one.
export function* allCalls() {
  for (const parent of [NAMESPACE, ...NAMESPACE.children]) {
    for (const element of parent.all(...gir.CALLABLE)) {
      if (!element.name.endsWith('_finish'))
        yield new Call(parent, element);
    }
  }
}

export function allIdentifiers() {
  return [NAMESPACE, ...NAMESPACE.children].flatMap(
    parent => parent.all(...gir.CALLABLE).map(element => element['c:identifier']));
}
