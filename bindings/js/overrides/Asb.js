// SPDX-License-Identifier: LGPL-2.1-or-later
/* exported _init */

// What libasb adds for JavaScript to what introspection gives: a virtual function that throws, or
// whose promise is rejected, answers its task with the error. Nobody waits for a task that was
// forgotten. A GLib.Error is left to the core; anything else becomes Asb.Error.INTERNAL. The
// functions of a simple provider need not return true. Properties that are tables of strings can be
// read, set and given to a constructor. A preparer of a pool answers as a virtual function does.

const Gio = imports.gi.Gio;
const GLib = imports.gi.GLib;
const GObject = imports.gi.GObject;

const INTERFACES = ['Provider', 'Transport', 'Process', 'HistoryStore'];

function errorFor(Asb, thrown) {
  if (thrown instanceof GLib.Error)
    return thrown;
  return new GLib.Error(Asb.error_quark(), Asb.Error.INTERNAL, `Unexpected ${thrown}`);
}

function answering(Asb, method) {
  return function (...args) {
    const task = args[args.length - 1];
    const fail = thrown => {
      if (task.get_completed())
        throw thrown;
      task.return_error(errorFor(Asb, thrown));
    };

    try {
      const returned = method.apply(this, args);
      if (returned instanceof Promise)
        returned.catch(fail);
      return undefined;
    } catch (thrown) {
      return fail(thrown);
    }
  };
}

// Those that do not take a task return something, and must not be touched.
const WITHOUT_TASK = new Set([
  'dup_name', 'dup_key', 'dup_endpoint_fingerprint', 'get_capabilities', 'get_state',
  'dup_command_id', 'get_stdin', 'get_stdout', 'get_stderr', 'force_exit', 'get_records_in_place',
]);

function wrapMethods(Asb, klass) {
  for (const name of Object.getOwnPropertyNames(klass.prototype)) {
    if (name.startsWith('vfunc_') && !WITHOUT_TASK.has(name.slice('vfunc_'.length)))
      klass.prototype[name] = answering(Asb, klass.prototype[name]);
  }
}

function failing(Asb, method, saysTrue) {
  return function (...args) {
    try {
      const returned = method.apply(this, args);
      return saysTrue ? returned ?? true : returned;
    } catch (thrown) {
      throw errorFor(Asb, thrown);
    }
  };
}

function wrapSimpleProvider(Asb, klass) {
  for (const name of ['create', 'remove', 'store_file', 'open_program', 'get_state']) {
    const method = Object.getOwnPropertyDescriptor(klass.prototype, `vfunc_${name}`)?.value;
    if (method)
      klass.prototype[`vfunc_${name}`] = failing(Asb, method, !['open_program', 'get_state'].includes(name));
  }
}

// As those of Gio.ListStore, which is all that Gio's own override looks after.
function* items() {
  for (let i = 0; i < this.get_n_items(); i++)
    yield this.get_item(i);
}

// Of a table that comes as a property gjs cannot see what is in it; of one that comes from a function
// it can. What cannot be set later is to be given to the function that makes the object.
const TABLES = {
  BackendOptions: ['metadata', 'resources'],
  Capability: ['limits'],
  Endpoint: ['headers'],
  OpensandboxConfig: ['headers'],
  SandboxFilter: ['metadata'],
  SandboxRef: ['metadata'],
  SandboxSpec: ['metadata', 'resources'],
};

function addTable(prototype, property, className) {
  Object.defineProperty(prototype, property, {
    configurable: true,
    get() {
      return this[`get_${property}`]();
    },
    set(value) {
      if (!prototype[`set_${property}`])
        throw new TypeError(`“${property}” cannot be set: give it to Asb.${className}.new()`);
      this[`set_${property}`](value);
    },
  });
}

function addTables(prototype, tables, className) {
  const init = prototype._init;

  for (const property of tables)
    addTable(prototype, property, className);
  prototype._init = function (properties = {}, ...args) {
    const given = Object.entries(properties);

    init.call(this, Object.fromEntries(given.filter(([name]) => !tables.includes(name))), ...args);
    for (const [table, value] of given.filter(([name]) => tables.includes(name)))
      this[table] = value;
  };
}

function wrapPool(Asb) {
  const setPreparer = Asb.Pool.prototype.set_preparer;

  Asb.Pool.prototype.set_preparer = function (preparer) {
    setPreparer.call(this, preparer && answering(Asb, preparer));
  };
}

function _init() {
  const Asb = this;

  wrapPool(Asb);

  for (const [name, tables] of Object.entries(TABLES))
    addTables(Asb[name].prototype, tables, name);

  for (const name of ['Capabilities', 'SearchResult'])
    Asb[name].prototype[Symbol.iterator] = items;
  const registerClass = GObject.registerClass;

  GObject.registerClass = function (...args) {
    const klass = args[args.length - 1];
    const implemented = args.length > 1 ? args[0].Implements ?? [] : klass[GObject.interfaces] ?? [];
    const ours = INTERFACES.map(name => Asb[name]);

    if (implemented.some(candidate => ours.includes(candidate)))
      wrapMethods(Asb, klass);
    if (klass.prototype instanceof Asb.SimpleProvider)
      wrapSimpleProvider(Asb, klass);
    return registerClass.apply(this, args);
  };
}
