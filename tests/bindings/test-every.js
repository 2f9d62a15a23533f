// SPDX-License-Identifier: LGPL-2.1-or-later
// Every public function can be called from here: with null for all that is nullable, and with a value
// for everything; an asynchronous one also cancelled before, cancelled under way, and with all that
// it was called on and with dropped meanwhile. It answers once, or fails with a GLib.Error that says
// what happened; no TypeError, no critical, no crash. Every property can be read.
//
// usage: test-every.js GIR

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {Subjects, SUBJECTS, NAMESPACE, allCalls, allIdentifiers} from './every.js';
import {equal, named, ok, run} from './tap.js';

// What cannot be called from JavaScript, and why.
const C_ONLY = new Map([
  ['asb_error_new_with_info', 'C: bindings make no GError with details'],
  ['asb_pipe_ref', 'C: bindings count the references of a boxed type themselves'],
  ['asb_pipe_unref', 'C: as asb_pipe_ref ()'],
  ['asb_pipe_pull', 'C: fills memory of the caller; pull_bytes ()'],
]);

// What is closed is closed although that was cancelled.
const CLOSING = ['asb_transport_close_async', 'asb_history_store_close_async'];

const called = new Set();

function checkError(error) {
  ok(error instanceof GLib.Error, `${error} being a GLib.Error`);
  ok(error.message, 'an error with a message');
  const [ours, last] = [Asb.error_get_info(error), Asb.ErrorInfo.get_last()];
  equal([ours?.operation, ours?.sandbox_id], [last?.operation, last?.sandbox_id], 'details');
}

// A function that fails has failed as it should.
function attempt(action) {
  try {
    return action();
  } catch (error) {
    checkError(error);
    return error;
  }
}

function begin(call, owner, args) {
  called.add(call.identifier);
  return owner[call.name](...args);
}

function start(call, options) {
  let hasReturned = false;
  return new Promise((resolve, reject) => {
    const answers = [];
    const ready = (source, result) => {
      answers.push(result);
      if (!hasReturned)
        reject(new Error('answered before the call returned'));
      if (answers.length > 1)
        reject(new Error('answered twice'));
      // What comes now would be another answer.
      GLib.idle_add(GLib.PRIORITY_LOW, () => {
        resolve([source, result]);
        return GLib.SOURCE_REMOVE;
      });
    };
    begin(call, call.owner(options.subjects), call.args(ready, options));
    hasReturned = true;
  });
}

function finish(call, source, result) {
  called.add(call.identifier.replace(/_async$/, '_finish'));
  const owner = call.element.tag === 'method' ? source : call.owner();
  return attempt(() => owner[call.finishName](result));
}

// An error before, whose details are not to be taken for those of the next one.
function failBefore() {
  attempt(() => SUBJECTS.backend.read_file('/workspace/missing', null));
  ok(Asb.ErrorInfo.get_last(), 'an error with details');
}

async function callOnce(call, options) {
  failBefore();
  try {
    if (!call.isAsync)
      return attempt(() => begin(call, call.owner(), call.args(() => null, options)));
    return finish(call, ...await start(call, options));
  } finally {
    if (call.isLast)
      SUBJECTS.renew();
  }
}

async function cancelledBefore(call) {
  const cancellable = new Gio.Cancellable();
  cancellable.cancel();
  const answer = await callOnce(call, {cancellable});
  if (CLOSING.includes(call.identifier))
    return;
  // What nobody could do may be refused first.
  ok(answer instanceof GLib.Error && (answer.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED) ||
    answer.matches(Asb.Error, Asb.Error.INVALID_ARGUMENT)), `“${answer}” being cancelled`);
}

async function cancelledUnderWay(call) {
  const cancellable = new Gio.Cancellable();
  const answer = callOnce(call, {cancellable});
  cancellable.cancel();
  await answer;
}

// One that nobody has any more may go by itself meanwhile.
function removeSandbox(provider, id) {
  try {
    provider.delete_sandbox(id, null);
  } catch (error) {
    if (!error.matches(Asb.Error, Asb.Error.SANDBOX_NOT_FOUND))
      throw error;
  }
}

function removeSandboxes() {
  const provider = Asb.Registry.get_default().create_provider('local', null);
  for (const info of provider.list_sandboxes(new Asb.SandboxFilter(), null))
    removeSandbox(provider, info.get_ref().get_sandbox_id());
}

async function dropped(call) {
  const answer = start(call, {subjects: new Subjects()});
  System.gc();
  finish(call, ...await answer);
  removeSandboxes();
}

function plain(value) {
  // Nothing is told from an empty array, but from its getter.
  if (value === null || Array.isArray(value))
    return [...value ?? []];
  if (value instanceof GLib.Bytes)
    return [...value.toArray()];
  if (value instanceof GLib.Variant)
    return value.print(true);
  if (value instanceof GLib.DateTime)
    return value.format_iso8601();
  if (value instanceof Gio.ListModel)
    return [...Array(value.get_n_items()).keys()].map(i => value.get_item(i)).map(String);
  return value.constructor === Object ? value : String(value);
}

function readProperty(parent, property) {
  const subject = SUBJECTS.make(parent.name);
  const name = property.name.replaceAll('-', '_');
  ok(name in subject, `“${name}” being there`);
  equal(plain(subject[name]), plain(subject[property.getter ?? `get_${name}`]()), name);
}

function tables() {
  const spec = new Asb.SandboxSpec({name: 'x', metadata: {a: 'b'}});
  const told = [];
  spec.connect('notify::metadata', () => told.push(spec.metadata));
  equal([spec.name, spec.metadata, spec.get_metadata()], ['x', {a: 'b'}, {a: 'b'}]);
  spec.metadata = {c: 'd'};
  equal([spec.get_metadata(), told], [{c: 'd'}, [{c: 'd'}]]);
  spec.metadata = null;
  equal([spec.metadata, new Asb.SandboxSpec({metadata: null}).metadata], [null, null]);
  equal(Asb.Endpoint.new(80, 'http://example.org', {a: 'b'}).headers, {a: 'b'});
}

function tableThatCannotBeSet() {
  let caught = null;
  try {
    new Asb.Endpoint({port: 80, headers: {a: 'b'}});
  } catch (error) {
    caught = error;
  }
  ok(caught instanceof TypeError && caught.message.includes('Asb.Endpoint.new'), `“${caught}” telling how`);
}

function* propertyTests() {
  for (const parent of NAMESPACE.all('class')) {
    for (const property of parent.all('property'))
      yield named(`${parent.name}:${property.name}`, () => readProperty(parent, property));
  }
}

function* callTests() {
  for (const call of allCalls()) {
    if (C_ONLY.has(call.identifier))
      continue;
    yield named(`${call.identifier} with null`, () => callOnce(call, {withNull: true}));
    yield named(`${call.identifier} with values`, () => callOnce(call, {}));
    if (!call.isAsync)
      continue;
    yield named(`${call.identifier} cancelled before`, () => cancelledBefore(call));
    yield named(`${call.identifier} cancelled under way`, () => cancelledUnderWay(call));
  }
}

function* droppingTests() {
  for (const call of allCalls()) {
    if (call.isAsync)
      yield named(`${call.identifier} with all dropped`, () => dropped(call));
  }
}

function end() {
  SUBJECTS.renew();
}

function allWereCalled() {
  equal(allIdentifiers().filter(identifier => !called.has(identifier)).sort(), [...C_ONLY.keys()].sort());
}

run([tables, tableThatCannotBeSet, ...propertyTests(), ...callTests(), end, ...droppingTests(), allWereCalled]);
