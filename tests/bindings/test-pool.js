// SPDX-License-Identifier: LGPL-2.1-or-later
// Pools from JavaScript, of a provider in C and of one in JavaScript, and prepared.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {MapProvider as JsProvider} from './jsProvider.js';
import {equal, fails, ok, run} from './tap.js';

for (const verb of ['acquire', 'shutdown', 'release_all_idle'])
  Gio._promisify(Asb.Pool.prototype, `${verb}_async`, `${verb}_finish`);
Gio._promisify(Asb.Backend.prototype, 'close_async', 'close_finish');
Gio._promisify(Asb.Backend.prototype, 'read_file_async', 'read_file_finish');
Gio._promisify(Asb.Backend.prototype, 'write_file_async', 'write_file_finish');

const {DIRECT_CREATE, FAIL_FAST} = Asb.AcquirePolicy;

function until(pool, condition) {
  return new Promise(resolve => {
    const handler = pool.connect('notify', () => {
      if (!condition())
        return;
      pool.disconnect(handler);
      resolve();
    });
    if (condition()) {
      pool.disconnect(handler);
      resolve();
    }
  });
}

const isReady = (pool, n) => until(pool, () => pool.idle_count === n);

async function handsOut() {
  const provider = Asb.Registry.get_default().create_provider('mock', null);
  const pool = new Asb.Pool({options: new Asb.BackendOptions({provider}), max_idle: 2});
  ok(pool.start(), 'starting');
  await isReady(pool, 2);
  const backend = await pool.acquire_async(FAIL_FAST, 60, null);
  await backend.close_async(null);
  await isReady(pool, 2);
  equal(await pool.release_all_idle_async(null), 2);
  await isReady(pool, 2);
  await pool.shutdown_async(null);
  equal(provider.sandbox_count, 0);
  await fails(Asb.Error, Asb.Error.POOL_NOT_RUNNING, () => pool.acquire_async(DIRECT_CREATE, 0, null));
}

// Its functions may be called in this thread only.
async function scriptedProvider() {
  const provider = new JsProvider();
  const pool = Asb.Pool.new(new Asb.BackendOptions({provider}), 2);
  pool.start();
  await isReady(pool, 2);
  const backend = await pool.acquire_async(FAIL_FAST, 0, null);
  await backend.close_async(null);
  await isReady(pool, 2);
  await pool.shutdown_async(null);
  equal(pool.state, Asb.PoolState.STOPPED);
}

async function prepared() {
  const provider = Asb.Registry.get_default().create_provider('mock', null);
  const pool = Asb.Pool.new(new Asb.BackendOptions({provider}), 1);
  let calls = 0;
  pool.set_preparer(async (backend, task) => {
    if (calls++ === 0)
      throw new Error('not the first time');
    await backend.write_file_async('/ready', new GLib.Bytes('yes'), null, null);
    task.return_boolean(true);
  });
  pool.start();
  await until(pool, () => pool.failure_count === 1);
  ok(pool.get_last_error().message.includes('not the first time'), 'the reason');
  await isReady(pool, 1);
  const backend = await pool.acquire_async(FAIL_FAST, 0, null);
  equal(new TextDecoder().decode((await backend.read_file_async('/ready', null)).toArray()), 'yes');
  await backend.close_async(null);
  await pool.shutdown_async(null);
  equal(provider.sandbox_count, 0);
}

run([handsOut, scriptedProvider, prepared]);
