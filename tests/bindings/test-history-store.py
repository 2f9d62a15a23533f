#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A history store can be written in Python: each function gets what was given to the call."""

import tap_unittest
from asb_test import Asb, Gio, GLib, GObject, TestCase, wait_for


class ListStore(GObject.Object, Asb.HistoryStore):
    """Notes what it is asked."""

    __gtype_name__ = "ListStore"

    def __init__(self):
        super().__init__()
        self.asked = []

    def do_get_records_in_place(self):
        return True

    def do_open(self, transport, ref, config, task):
        self.asked.append(("open", ref.get_sandbox_id(), config.get_ttl_days()))
        task.return_boolean(True)

    def do_record(self, batch, task):
        self.asked.append(("record", batch.unpack()))
        task.return_boolean(True)

    def do_query(self, after_seq, limit, max_bytes, task):
        self.asked.append(("query", after_seq, limit, max_bytes))
        task.return_value(Asb.HistoryPage(changes=Gio.ListStore.new(Asb.HistoryChange), next_seq=9))

    def do_get_operations(self, event_ids, task):
        operations = Gio.ListStore.new(Asb.HistoryOperation)
        for event_id in event_ids:
            operations.append(Asb.HistoryOperation(event_id=event_id))
        task.return_value(operations)

    def do_get_output(self, event_id, stream, task):
        text = f"{event_id} {stream.value_nick}"
        task.return_value(Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(text.encode())))

    def do_export_database(self, task):
        task.return_value(Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(b"database")))

    def do_acknowledge(self, consumer_id, seq, task):
        self.asked.append(("acknowledge", consumer_id, seq))
        task.return_boolean(True)

    def do_cleanup(self, task):
        self.asked.append(("cleanup",))
        task.return_boolean(True)

    def do_get_status(self, task):
        task.return_value(Asb.HistoryStatus(state="open", operations=3))

    def do_close(self, task):
        self.asked.append(("close",))
        task.return_boolean(True)


class TestHistoryStore(TestCase):
    def setUp(self):
        self.store = ListStore()

    def test_whether_it_records_in_place(self):
        self.assertTrue(self.store.get_records_in_place())

    def test_operations_by_id(self):
        for ids in ([], ["one"], ["one", "two", "three"]):
            found = self.store.get_operations(ids, None)
            self.assertEqual([operation.get_event_id() for operation in found], ids)

    def test_operations_in_the_background(self):
        found = wait_for(self.store.get_operations_async, self.store.get_operations_finish, ["a", "b"], None)
        self.assertEqual([operation.get_event_id() for operation in found], ["a", "b"])

    def test_output(self):
        stream = self.store.get_output("e", Asb.OutputStream.STDERR, None)
        self.assertEqual(stream.read_bytes(100, None).get_data(), b"e stderr")

    def test_the_whole(self):
        self.assertEqual(self.store.export(None).read_bytes(100, None).get_data(), b"database")

    def test_changes(self):
        page = self.store.query(7, 8, 1 << 40, None)
        self.assertEqual((page.get_next_seq(), page.get_changes().get_n_items()), (9, 0))
        self.assertEqual(self.store.asked, [("query", 7, 8, 1 << 40)])

    def test_what_is_only_done(self):
        ref = Asb.SandboxRef.new("p", "p-1", "s", "i", None, None)
        transport = Asb.create_backend(Asb.BackendOptions(provider_name="mock"), None).get_transport()
        self.store.open(transport, ref, Asb.HistoryConfig(ttl_days=5), None)
        self.store.record(GLib.Variant("a{sv}", {"batch_id": GLib.Variant("s", "b")}), None)
        self.store.acknowledge("reader", 1 << 40, None)
        self.store.cleanup(None)
        self.store.close(None)
        self.assertEqual(self.store.asked, [("open", "s", 5), ("record", {"batch_id": "b"}),
                                            ("acknowledge", "reader", 1 << 40), ("cleanup",), ("close",)])

    def test_status(self):
        self.assertEqual(self.store.get_status(None).get_operations(), 3)


if __name__ == "__main__":
    tap_unittest.main()
