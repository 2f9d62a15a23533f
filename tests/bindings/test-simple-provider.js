// SPDX-License-Identifier: LGPL-2.1-or-later
// A simple provider written in JavaScript: what it answers, and what it throws, reaches the caller.

import Asb from 'gi://Asb?version=1';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

import {equal, fails, ok, run} from './tap.js';

const failure = (code, message) => new GLib.Error(Asb.error_quark(), code, message);

const Shelf = GObject.registerClass(class Shelf extends Asb.SimpleProvider {
  constructor() {
    super();
    this.set_name('shelf-js');
    this.states = new Map();
    this.fault = null;
  }

  vfunc_create(id, spec, cancellable) {
    if (this.fault instanceof Error || this.fault instanceof GLib.Error)
      throw this.fault;
    this.states.set(id, Asb.SandboxState.RUNNING);
    return this.fault === 'nothing' ? false : undefined;
  }

  vfunc_remove(id, cancellable) {
    this.states.delete(id);
  }

  vfunc_get_state(id, cancellable) {
    if (!this.states.has(id))
      throw failure(Asb.Error.SANDBOX_NOT_FOUND, `There is no sandbox “${id}”`);
    return this.states.get(id);
  }

  vfunc_open_program(id, argv, cancellable) {
    return Asb.SubprocessStream.new(['env', '--'], argv);
  }

  vfunc_store_file(id, path, contents, mode, cancellable) {
    GLib.file_set_contents(this.dup_folder(id) + path, contents.toArray());
  }
});

function withShelf(test) {
  const wrapper = async () => {
    const shelf = new Shelf();
    try {
      await test(shelf);
    } finally {
      for (const id of [...shelf.states.keys()])
        shelf.delete_sandbox(id, null);
    }
  };
  return Object.defineProperty(wrapper, 'name', {value: test.name});
}

const create = shelf => shelf.create_sandbox(new Asb.SandboxSpec({name: 'first'}), null).get_ref().get_sandbox_id();

function find(shelf) {
  const id = create(shelf);

  equal(shelf.get_name(), 'shelf-js');
  equal(shelf.get_sandbox(id, null).get_name(), 'first');
  shelf.states.set(id, Asb.SandboxState.PAUSED);
  equal(shelf.get_sandbox(id, null).get_state(), Asb.SandboxState.PAUSED);
  ok(shelf.end_guest(id, null));
}

async function thrownError(shelf) {
  shelf.fault = failure(Asb.Error.PROVIDER_UNAVAILABLE, 'Nobody answers');
  await fails(Asb.Error, Asb.Error.PROVIDER_UNAVAILABLE, () => create(shelf));
}

async function thrownException(shelf) {
  shelf.fault = new TypeError('shelf');
  await fails(Asb.Error, Asb.Error.INTERNAL, () => create(shelf));
}

async function neither(shelf) {
  shelf.fault = 'nothing';
  await fails(Asb.Error, Asb.Error.INTERNAL, () => create(shelf));
  shelf.states.clear();
}

async function gone(shelf) {
  const id = create(shelf);

  shelf.states.clear();
  await fails(Asb.Error, Asb.Error.SANDBOX_NOT_FOUND, () => shelf.get_sandbox(id, null));
}

function fileAndProgram(shelf) {
  const id = create(shelf);

  ok(shelf.put_file(id, '/note', GLib.Bytes.new(new TextEncoder().encode('hello')), 0o644, null));
  const spec = new Asb.StreamSpec({argv: ['cat', `${shelf.dup_folder(id)}/note`]});
  const stream = shelf.open_stream(id, spec, null);
  equal(new TextDecoder().decode(stream.get_input_stream().read_bytes(10, null).toArray()), 'hello');
  ok(stream.get_subprocess().wait_check(null));
}

run([find, thrownError, thrownException, neither, gone, fileAndProgram].map(withShelf));
