// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider and a transport written in JavaScript answer through the library.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {MapProvider} from './jsProvider.js';
import {equal, fails, ok, run} from './tap.js';

const BYTES = Uint8Array.from([0, 13, 10, 128, 255, 254, 195, 169]);

for (const verb of ['create_sandbox', 'get_sandbox', 'pause_sandbox', 'renew_sandbox'])
  Gio._promisify(MapProvider.prototype, `${verb}_async`, `${verb}_finish`);
Gio._promisify(Asb, 'create_backend_async', 'create_backend_finish');
for (const verb of ['read_file', 'write_file', 'execute', 'close'])
  Gio._promisify(Asb.Backend.prototype, `${verb}_async`, `${verb}_finish`);

function getters() {
  const provider = new MapProvider();
  equal(provider.dup_name(), 'map');
  equal(provider.dup_key(), 'map-1');
  equal(provider.dup_endpoint_fingerprint(), 'here');
  equal(provider.get_capabilities().supports(Asb.CAPABILITY_FILESYSTEM), false);
}

function createBlocking() {
  const provider = new MapProvider();
  const info = provider.create_sandbox(new Asb.SandboxSpec({name: 'first', instance_id: 'i-1'}), null);
  equal(info.get_ref().get_sandbox_id(), 'map-1');
  equal(info.get_ref().get_sandbox_instance_id(), 'i-1');
  equal(info.get_state(), Asb.SandboxState.RUNNING);
}

async function createAsync() {
  const provider = new MapProvider();
  const info = await provider.create_sandbox_async(new Asb.SandboxSpec({name: 'later'}), null);
  equal(info.get_name(), 'later');
}

function list() {
  const provider = new MapProvider();
  for (const name of ['one', 'two'])
    provider.create_sandbox(new Asb.SandboxSpec({name}), null);
  const listing = provider.list_sandboxes(new Asb.SandboxFilter(), null);
  equal([...listing].map(info => info.get_name()), ['one', 'two']);
}

async function rejectedPromise() {
  const provider = new MapProvider();
  const error = await fails(Asb.Error, Asb.Error.SANDBOX_NOT_FOUND,
    () => provider.get_sandbox_async('x', null));
  equal(error.message, 'There is no sandbox “x”');
}

async function thrownException() {
  const provider = new MapProvider();
  const error = await fails(Asb.Error, Asb.Error.INTERNAL,
    () => provider.pause_sandbox_async('x', null));
  equal(error.message, 'Unexpected TypeError: it never sleeps');
}

async function missingOperation() {
  const provider = new MapProvider();
  await fails(Asb.Error, Asb.Error.UNSUPPORTED_CAPABILITY,
    () => provider.renew_sandbox_async('x', 60, null));
}

async function cancelledBefore() {
  const cancellable = new Gio.Cancellable();
  cancellable.cancel();
  const provider = new MapProvider();
  provider.vfunc_resume_sandbox = undefined;
  await fails(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED, () =>
    Asb.create_backend_async(new Asb.BackendOptions({provider}), cancellable));
  equal(provider.sandboxes.size, 0);
}

async function backend() {
  const provider = new MapProvider();
  const made = await Asb.create_backend_async(new Asb.BackendOptions({provider}), null);
  const info = await made.write_file_async('/workspace/x', new GLib.Bytes(BYTES), null, null);
  equal(info.get_size(), BYTES.length);
  const contents = await made.read_file_async('/workspace/x', null);
  equal([...contents.toArray()], [...BYTES]);
  await fails(Asb.Error, Asb.Error.FILE_NOT_FOUND, () => made.read_file_async('/workspace/y', null));
  await fails(Asb.Error, Asb.Error.UNSUPPORTED_CAPABILITY,
    () => made.execute_async(Asb.CommandSpec.new_shell('true'), null));
  equal(provider.sandboxes.size, 1);
  await made.close_async(null);
  ok(made.get_closed(), 'being closed');
  equal(provider.sandboxes.size, 0);
}

run([getters, createBlocking, createAsync, list, rejectedPromise, thrownException,
  missingOperation, cancelledBefore, backend]);
