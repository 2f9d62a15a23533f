// SPDX-License-Identifier: LGPL-2.1-or-later
// A history store can be written in JavaScript: each function gets what was given to the call.

import Asb from 'gi://Asb?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

import {equal, run} from './tap.js';

const ListStore = GObject.registerClass({
  GTypeName: 'ListStore',
  Implements: [Asb.HistoryStore],
}, class ListStore extends GObject.Object {
  vfunc_wait(after_seq, limit, max_bytes, timeout_ms, task) {
    const changes = Gio.ListStore.new(Asb.HistoryChange);
    changes.append(new Asb.HistoryChange({seq: after_seq + 1}));
    task.return_value(new Asb.HistoryPage({changes, next_seq: after_seq + timeout_ms}));
  }

  vfunc_get_operations(ids, task) {
    const operations = Gio.ListStore.new(Asb.HistoryOperation);
    ids.forEach(id => operations.append(new Asb.HistoryOperation({event_id: id})));
    task.return_value(operations);
  }

  vfunc_get_output(id, stream, task) {
    const text = new TextEncoder().encode(`${id} ${stream}`);
    task.return_value(Gio.MemoryInputStream.new_from_bytes(new GLib.Bytes(text)));
  }

  vfunc_export_database(task) {
    task.return_value(Gio.MemoryInputStream.new_from_bytes(new GLib.Bytes([1, 2, 3])));
  }
});

function operations_by_id() {
  const store = new ListStore();
  for (const ids of [[], ['one'], ['one', 'two', 'three']]) {
    const found = store.get_operations(ids, null);
    equal(Array.from({length: found.get_n_items()}, (_, i) => found.get_item(i).get_event_id()), ids);
  }
}

function waiting() {
  const page = new ListStore().wait(7, 10, 1000, 30, null);
  equal([page.get_next_seq(), page.get_changes().get_item(0).get_seq()], [37, 8]);
}

function output() {
  const bytes = new ListStore().get_output('e', Asb.OutputStream.STDERR, null).read_bytes(100, null);
  equal(new TextDecoder().decode(bytes.toArray()), `e ${Asb.OutputStream.STDERR}`);
}

function the_whole() {
  equal(new ListStore().export(null).read_bytes(100, null).get_size(), 3);
}

run([operations_by_id, waiting, output, the_whole]);
