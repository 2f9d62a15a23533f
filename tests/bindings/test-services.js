// SPDX-License-Identifier: LGPL-2.1-or-later
// What a backend has its provider do with its sandbox, from JavaScript, with the mock.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {equal, fails, ok, run} from './tap.js';

for (const verb of ['pause', 'resume', 'list_files', 'call_service', 'renew'])
  Gio._promisify(Asb.Backend.prototype, `${verb}_async`, `${verb}_finish`);
Gio._promisify(Asb, 'create_opensandbox_backend_async', 'create_opensandbox_backend_finish');

function make() {
  const mock = Asb.Registry.get_default().create_provider('mock', null);
  return [mock, Asb.create_backend(new Asb.BackendOptions({provider: mock}), null)];
}

async function pause() {
  const [, backend] = make();
  equal((await backend.pause_async(null)).get_state(), Asb.SandboxState.PAUSED);
  await fails(Asb.Error, Asb.Error.SANDBOX_STATE, () => backend.list_files_async('/', null));
  equal((await backend.resume_async(null)).get_state(), Asb.SandboxState.RUNNING);
  backend.close(null);
}

async function renew() {
  const [, backend] = make();
  ok(backend.renew(90, null).get_expires_at() !== null, 'it expires');
  await fails(Asb.Error, Asb.Error.INVALID_ARGUMENT, () => backend.renew_async(0, null));
  backend.close(null);
}

function endpoint() {
  const [, backend] = make();
  const found = backend.get_endpoint(8080, 0, null);
  ok(found.get_uri().endsWith(':8080'), 'the port');
  equal(found.get_headers()['X-Mock-Sandbox'], backend.get_ref().get_sandbox_id());
  backend.close(null);
}

function network() {
  const [, backend] = make();
  const policy = new Asb.NetworkPolicy();
  policy.add_rule(Asb.NetworkAction.ALLOW, 'a.example');
  backend.set_network_policy(policy, null);
  backend.patch_network_policy(policy, null);
  equal(backend.get_network_policy(null).get_rules().get_n_items(), 2);
  equal(backend.remove_network_rules(['a.example'], null).get_rules().get_n_items(), 0);
  backend.close(null);
}

function metadata() {
  const [, backend] = make();
  const info = backend.patch_metadata(new GLib.Variant('a{sms}', {a: '1'}), null);
  equal(info.get_ref().get_metadata().a, '1');
  backend.close(null);
}

function snapshot() {
  const [mock, backend] = make();
  const made = backend.create_snapshot(null, null);
  equal(made.get_state(), Asb.SnapshotState.READY);
  equal(mock.list_snapshots(new Asb.SnapshotFilter(), null).get_n_items(), 1);
  backend.close(null);
}

async function metrics() {
  const [mock, backend] = make();
  const watch = backend.watch_metrics(null);
  const seen = [];
  watch.connect('sample', (_, sample) => seen.push(sample.get_memory_used()));
  const ended = new Promise(resolve => watch.connect('ended', resolve));
  mock.emit('set-metrics', backend.get_ref().get_sandbox_id(),
    new GLib.Variant('a{sv}', {'memory-used': new GLib.Variant('x', 7)}));
  backend.close(null);
  await ended;
  equal(seen, [0, 7]);
  equal(watch.get_state(), Asb.MetricsWatchState.GONE);
}

function diagnostics() {
  const [mock, backend] = make();
  mock.emit('set-diagnostics', 'logs', 'it broke');
  equal(backend.get_diagnostics('logs', null, null).get_content(), 'it broke');
  equal(backend.get_metrics(null).get_memory_used(), 0);
  backend.close(null);
}

async function service() {
  const [mock, backend] = make();
  mock.emit('set-service-result', 'pools.list',
    new GLib.Variant('a{sv}', {pools: new GLib.Variant('as', ['a'])}));
  equal(backend.call_service('pools.list', null, null).recursiveUnpack(), {pools: ['a']});
  await fails(Asb.Error, Asb.Error.UNSUPPORTED_CAPABILITY,
    () => backend.call_service_async('x', null, null));
  backend.close(null);
}

async function config() {
  const made = [];
  const registry = new Asb.Registry();
  registry.register_provider_factory('opensandbox', (_registry, _name, options) => {
    made.push(options.recursiveUnpack());
    return Asb.Registry.get_default().create_provider('mock', null);
  });
  const wanted = new Asb.OpensandboxConfig({registry, api_key: 'key', use_server_proxy: false,
    history: new Asb.HistoryConfig({mode: Asb.HistoryMode.NONE})});
  wanted.set_headers({'X-One': '1'});
  const backend = await Asb.create_opensandbox_backend_async('host', wanted, null);
  equal([made[0].url, made[0]['api-key'], made[0]['use-server-proxy'], made[0].headers],
    ['host', 'key', false, {'X-One': '1'}]);
  backend.close(null);
}

run([pause, renew, endpoint, network, metadata, snapshot, metrics, diagnostics, service, config]);
