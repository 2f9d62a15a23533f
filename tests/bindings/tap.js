// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs functions, some of them asynchronous, and tells them as TAP.

import GLib from 'gi://GLib';
import System from 'system';

export function equal(actual, expected, what = '') {
  const [a, b] = [actual, expected].map(value => JSON.stringify(value) ?? String(value));
  if (a !== b)
    throw new Error(`${what}${what ? ': ' : ''}${a} is not ${b}`);
}

export function ok(value, what = 'it') {
  if (!value)
    throw new Error(`${what} is not so`);
}

export async function fails(domain, code, action) {
  let caught = null;
  try {
    await action();
  } catch (error) {
    caught = error;
  }
  ok(caught, 'failing');
  if (!(caught instanceof GLib.Error) || !caught.matches(domain, code))
    throw new Error(`another error was expected than: ${caught}`);
  return caught;
}

// A test that is one of many made alike.
export function named(name, test) {
  return Object.defineProperty(test, 'name', {value: name});
}

async function runOne(test, number) {
  let report = null;
  try {
    await test();
  } catch (error) {
    report = `${error}\n${error.stack ?? ''}`;
  }
  print(`${report ? 'not ok' : 'ok'} ${number} - ${test.name}`);
  if (report)
    printerr(report);
  return report === null;
}

export function run(tests) {
  const loop = new GLib.MainLoop(null, false);
  let failed = false;

  async function runAll() {
    for (const [index, test] of tests.entries()) {
      // eslint-disable-next-line no-await-in-loop
      if (!await runOne(test, index + 1))
        failed = true;
    }
  }

  print(`1..${tests.length}`);
  runAll().catch(error => {
    failed = true;
    logError(error);
  }).finally(() => loop.quit());
  loop.run();
  System.exit(failed ? 1 : 0);
}
