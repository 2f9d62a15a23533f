// SPDX-License-Identifier: LGPL-2.1-or-later
// Errors and filters that must not make two states look the same, and modules that are asked for
// again and again: with the local provider, and with one for a server.
//
// usage: test-cases-telling.js SERVER MODULES    (the look-alike; the folder of the tiny modules)

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {equal, fails, named, ok, run} from '../bindings/tap.js';

const [SERVER, MODULES] = ARGV;
// Whoever else works there would take away what has expired.
const STATE = `${GLib.getenv('XDG_STATE_HOME')}/telling-${GLib.uuid_string_random()}`;
GLib.mkdir_with_parents(STATE, 0o700);
GLib.setenv('XDG_STATE_HOME', STATE, true);
const ROUNDS = 100;
const Code = Asb.Error;
const {CommandSpec} = Asb;

Gio._promisify(Asb, 'create_backend_async', 'create_backend_finish');
for (const verb of ['close', 'execute', 'pause', 'resume', 'start_job', 'query_job'])
  Gio._promisify(Asb.Backend.prototype, `${verb}_async`, `${verb}_finish`);
Gio._promisify(Asb.Job.prototype, 'wait_async', 'wait_finish');

function settings(url, transport = 'auto') {
  return new GLib.Variant('a{sv}', {url: new GLib.Variant('s', url), transport: new GLib.Variant('s', transport)});
}

function modulesManyTimes() {
  for (let i = 0; i < ROUNDS; i++) {
    const provider = new Asb.Registry().create_provider('opensandbox', settings('http://127.0.0.1:1'));
    equal(provider.constructor.$gtype.name, 'AsbOpensandboxProvider');
    if (i % 10 === 0)
      System.gc();
  }
}

function registryWithModules() {
  const registry = new Asb.Registry();
  registry.prepend_module_path(MODULES);
  return registry;
}

function twoRegistries() {
  const [one, other] = [registryWithModules(), registryWithModules()].map(
    registry => registry.create_provider('good', null));
  equal(one.constructor.$gtype.name, other.constructor.$gtype.name);
}

async function badModules() {
  const registry = registryWithModules();
  for (const [name, code] of [['minor', Code.MODULE_INVALID], ['major', Code.MODULE_INVALID],
    ['plain', Code.MODULE_INVALID], ['nobody', Code.MODULE_NOT_FOUND]]) {
    // eslint-disable-next-line no-await-in-loop
    const error = await fails(Asb.Error, code, () => registry.create_provider(name, null));
    ok(error.message.includes(name), `“${error.message}” naming it`);
    equal(registry.create_provider('good', null).dup_name(), 'good');
  }
}

// What is alike with each provider.
class Place {
  constructor(provider, properties) {
    this.provider = provider;
    this.properties = properties;
  }

  create() {
    return Asb.create_backend_async(new Asb.BackendOptions({provider: this.provider, ...this.properties}), null);
  }

  connect(ref) {
    return Asb.create_backend_async(new Asb.BackendOptions({provider: this.provider, ref,
      mode: Asb.BackendMode.CONNECT, cleanup: Asb.CleanupPolicy.NEVER, ...this.properties}), null);
  }

  make(seconds, metadata = null) {
    return this.provider.create_sandbox(new Asb.SandboxSpec({lifetime: Asb.Lifetime.PERSISTENT,
      ttl_mode: Asb.TtlMode.SECONDS, ttl_seconds: seconds, metadata}), null);
  }
}

function execute(backend, text = 'exit 1') {
  return backend.execute_async(CommandSpec.new_shell(text), null);
}

async function commandThatFails(place) {
  const backend = await place.create();
  equal((await execute(backend)).get_exit_status(), 1);
  const ref = backend.get_ref();
  await fails(Asb.Error, Code.SANDBOX_NOT_FOUND, () => place.connect(Asb.SandboxRef.new(
    ref.provider_name, ref.provider_key, '000000000000', ref.sandbox_instance_id,
    ref.endpoint_fingerprint, null)));
  await backend.close_async(null);
}

async function deleted(place) {
  const backend = await place.create();
  place.provider.delete_sandbox(backend.get_ref().get_sandbox_id(), null);
  const error = await fails(Asb.Error, Code.SANDBOX_DELETED, () => execute(backend));
  equal([Asb.ErrorInfo.get_last().operation, Asb.error_get_info(error).operation],
    ['command.execute', 'command.execute']);
  await backend.close_async(null);
}

// The guest may go while a command is on its way: how that one ended nobody can tell.
async function executeAfterTheEnd(backend) {
  try {
    return await execute(backend);
  } catch (error) {
    if (!error.matches(Asb.Error, Code.INTERRUPTED) && !error.matches(Asb.Error, Code.CLOSED))
      throw error;
    return executeAfterTheEnd(backend);
  }
}

// How far the command came that ran at the end is another matter.
async function expired(place) {
  const ref = place.make(3600).get_ref();
  const backend = await place.connect(ref);
  place.provider.renew_sandbox(ref.get_sandbox_id(), 1, null);
  await execute(backend, 'sleep 600').catch(error => ok(error instanceof GLib.Error, error));
  await fails(Asb.Error, Code.SANDBOX_EXPIRED, () => executeAfterTheEnd(backend));
  await backend.close_async(null);
}

async function paused(place) {
  const backend = await place.create();
  await backend.pause_async(null);
  await fails(Asb.Error, Code.SANDBOX_STATE, () => execute(backend));
  await backend.resume_async(null);
  equal((await execute(backend)).get_exit_status(), 1);
  await backend.close_async(null);
}

function filter(place) {
  const some = place.make(600, {tag: 'some'}).get_ref().get_sandbox_id();
  const find = tag => [...place.provider.list_sandboxes(new Asb.SandboxFilter({metadata: {tag}}), null)].map(
    info => info.get_ref().get_sandbox_id());
  equal([find('none'), find('some')], [[], [some]]);
  place.provider.delete_sandbox(some, null);
}

async function background(place) {
  const backend = await place.create();
  await fails(Asb.Error, Code.COMMAND_NOT_FOUND,
    () => backend.start_job_async(CommandSpec.new_argv(['/nope/prog']), null, null));
  await fails(Asb.Error, Code.WORKING_DIRECTORY,
    () => backend.start_job_async(new CommandSpec({argv: ['true'], cwd: '/nope'}), null, null));
  const job = await backend.start_job_async(new CommandSpec({argv: ['true'], uid: 54321}), null, null)
    .catch(error => ok(error instanceof GLib.Error && error.message, error));
  if (job) {
    // A user that nobody has heard of may do.
    const result = await job.wait_async(null);
    equal((await backend.query_job_async(job.id, null)).get_result().exit_status, result.exit_status);
  }
  await backend.close_async(null);
}

class Server {
  constructor() {
    this.folder = GLib.dir_make_tmp('asb-telling-XXXXXX');
    this.process = Gio.Subprocess.new(
      [SERVER, '--port', '0', '--print-port', '--root', this.folder, '--grace', '20'],
      Gio.SubprocessFlags.STDOUT_PIPE);
    const lines = new Gio.DataInputStream({base_stream: this.process.get_stdout_pipe()});
    this.port = new TextDecoder().decode(lines.read_line(null)[0]);
  }

  place(transport) {
    const provider = Asb.Registry.get_default().create_provider(
      'opensandbox', settings(`http://127.0.0.1:${this.port}`, transport));
    return new Place(provider, {image: 'python:3.12', workdir: '/tmp'});
  }

  end() {
    this.process.send_signal(15);
    this.process.wait_check(null);
    GLib.rmdir(this.folder);
  }
}

const server = new Server();
const places = {
  local: new Place(Asb.Registry.get_default().create_provider('local', null), {}),
  guest: server.place('websocket'),
  native: server.place('native'),
};
const tests = [modulesManyTimes, twoRegistries, badModules];
for (const [name, place] of Object.entries(places)) {
  for (const test of [commandThatFails, deleted, expired, filter, background])
    tests.push(named(`${name}: ${test.name}`, () => test(place)));
  if (name !== 'local')
    tests.push(named(`${name}: paused`, () => paused(place)));
}
tests.push(named('the server ends', () => server.end()));
tests.push(named('nothing is left', () => Gio.Subprocess.new(
  ['rm', '-rf', '--', STATE], Gio.SubprocessFlags.NONE).wait_check(null)));
run(tests);
