// SPDX-License-Identifier: LGPL-2.1-or-later
// What a provider may do beyond the least can be written in JavaScript, and used from there.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

import {equal, fails, run} from './tap.js';

const FullProvider = GObject.registerClass({
  GTypeName: 'FullProvider',
  Implements: [Asb.Provider],
}, class FullProvider extends GObject.Object {
  vfunc_dup_name() {
    return 'full';
  }

  vfunc_get_capabilities() {
    return new Asb.Capabilities();
  }

  vfunc_get_endpoint(id, port, expires, task) {
    task.return_value(Asb.Endpoint.new(port, `http://${id}:${port}`, {'X-Expires': `${expires}`}));
  }

  vfunc_put_file(id, path, contents, mode, task) {
    this.file = [id, path, contents.get_size(), mode];
    task.return_boolean(true);
  }

  vfunc_get_network_policy(_id, task) {
    task.return_value(this._policy ?? new Asb.NetworkPolicy());
  }

  vfunc_set_network_policy(_id, policy, task) {
    this._policy = policy;
    task.return_value(policy);
  }

  vfunc_patch_network_policy(_id, policy, task) {
    for (let i = 0; i < policy.get_rules().get_n_items(); i++) {
      const rule = policy.get_rules().get_item(i);
      this._policy.add_rule(rule.get_action(), rule.get_target());
    }
    task.return_value(this._policy);
  }

  vfunc_remove_network_rules(_id, targets, task) {
    const policy = new Asb.NetworkPolicy();
    targets.forEach(target => policy.add_rule(Asb.NetworkAction.DENY, target));
    task.return_value(policy);
  }

  vfunc_patch_metadata(id, changes, task) {
    const ref = Asb.SandboxRef.new('full', 'full-default', id, id, null, null);
    task.return_value(new Asb.SandboxInfo({ref, reason: `${id} ${changes.print(false)}`}));
  }

  vfunc_create_snapshot(id, name, task) {
    task.return_value(new Asb.Snapshot({id: 's', sandbox_id: id, name}));
  }

  async vfunc_get_snapshot(_id, _task) {
    await null;
    throw new GLib.Error(Asb.error_quark(), Asb.Error.SNAPSHOT_NOT_FOUND, 'There is none');
  }

  vfunc_list_snapshots(filter, task) {
    const all = Gio.ListStore.new(Asb.Snapshot.$gtype);
    ['a', 'b'].forEach(id => all.append(new Asb.Snapshot({id, sandbox_id: id})));
    task.return_value(filter.select(all));
  }

  vfunc_delete_snapshot(_id, task) {
    task.return_boolean(true);
  }

  vfunc_get_metrics(_id, task) {
    task.return_value(new Asb.SandboxMetrics({cpu_percent: 12.5, memory_used: 7}));
  }

  vfunc_watch_metrics(_id, task) {
    this.watch = Asb.MetricsWatch.new();
    this.watch.push(new Asb.SandboxMetrics({memory_used: 1}));
    task.return_value(this.watch);
  }

  vfunc_get_diagnostics(_id, kind, scope, task) {
    task.return_value(new Asb.Diagnostics({kind, scope, content: 'text'}));
  }

  vfunc_call_service(id, name, args, task) {
    task.return_value(new GLib.Variant('a{sv}', {
      id: new GLib.Variant('s', id ?? 'none'), name: new GLib.Variant('s', name), args,
    }));
  }
});

Gio._promisify(FullProvider.prototype, 'get_snapshot_async', 'get_snapshot_finish');

function endpoint() {
  const found = new FullProvider().get_endpoint('a', 80, 7, null);
  equal([found.get_port(), found.get_uri(), found.get_headers()['X-Expires']],
    [80, 'http://a:80', '7']);
}

function file() {
  const provider = new FullProvider();
  equal(provider.put_file('a', '/näme', new GLib.Bytes(new Uint8Array(2)), 0o640, null), true);
  equal(provider.file, ['a', '/näme', 2, 0o640]);
}

function policy() {
  const provider = new FullProvider();
  const wanted = new Asb.NetworkPolicy({default_action: Asb.NetworkAction.ALLOW});
  wanted.add_rule(Asb.NetworkAction.DENY, 'a.example');
  provider.set_network_policy('a', wanted, null);
  const more = new Asb.NetworkPolicy();
  more.add_rule(Asb.NetworkAction.ALLOW, 'b.example');
  equal(provider.patch_network_policy('a', more, null).get_rules().get_n_items(), 2);
  equal(provider.get_network_policy('a', null).get_default_action(), Asb.NetworkAction.ALLOW);
  equal(provider.remove_network_rules('a', ['x', 'y'], null).get_rules().get_n_items(), 2);
}

function metadata() {
  const changes = new GLib.Variant('a{sms}', {kept: 'yes', gone: null});
  equal(new FullProvider().patch_metadata('a', changes, null).get_reason().startsWith('a {'), true);
}

async function snapshots() {
  const provider = new FullProvider();
  equal(provider.create_snapshot('a', null, null).get_name(), null);
  equal(provider.list_snapshots(new Asb.SnapshotFilter({sandbox_id: 'b'}), null).get_n_items(), 1);
  equal(provider.delete_snapshot('a', null), true);
  await fails(Asb.Error, Asb.Error.SNAPSHOT_NOT_FOUND, () => provider.get_snapshot_async('a', null));
}

function metrics() {
  const found = new FullProvider().get_metrics('a', null);
  equal([found.get_cpu_percent(), found.get_memory_used()], [12.5, 7]);
}

async function watch() {
  const provider = new FullProvider();
  const watched = provider.watch_metrics('a', null);
  const seen = [];
  watched.connect('sample', (_, sample) => seen.push(sample.get_memory_used()));
  const ended = new Promise(resolve => watched.connect('ended', resolve));
  provider.watch.push(new Asb.SandboxMetrics({memory_used: 2}));
  provider.watch.end();
  await ended;
  equal(seen, [1, 2]);
  equal(watched.get_state(), Asb.MetricsWatchState.GONE);
}

function diagnostics() {
  const found = new FullProvider().get_diagnostics('a', 'logs', null, null);
  equal([found.get_kind(), found.get_scope(), found.get_content()], ['logs', null, 'text']);
}

function service() {
  const answer = new FullProvider().call_service(null, 'pools.list', null, null).recursiveUnpack();
  equal([answer.id, answer.name], ['none', 'pools.list']);
}

run([endpoint, file, policy, metadata, snapshots, metrics, watch, diagnostics, service]);
