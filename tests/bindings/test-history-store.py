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

    def do_wait(self, after_seq, limit, max_bytes, timeout_ms, task):
        self.asked.append(("wait", after_seq, limit, max_bytes, timeout_ms))
        if timeout_ms == 1:
            task.return_error(GLib.Error.new_literal(Asb.error_quark(), "not here", Asb.Error.UNSUPPORTED_CAPABILITY))
            return
        changes = Gio.ListStore.new(Asb.HistoryChange)
        changes.append(Asb.HistoryChange(seq=after_seq + 1))
        task.return_value(Asb.HistoryPage(changes=changes, next_seq=after_seq + 1))

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


class OldStore(GObject.Object, Asb.HistoryStore):
    """Cannot wait; the third question finds something."""

    __gtype_name__ = "OldStore"

    def __init__(self):
        super().__init__()
        self.n_asked = 0
        self.cancellable = None

    def do_query(self, after_seq, limit, max_bytes, task):
        self.n_asked += 1
        if self.cancellable and self.n_asked == 2:
            self.cancellable.cancel()
        changes = Gio.ListStore.new(Asb.HistoryChange)
        if self.n_asked == 3:
            changes.append(Asb.HistoryChange(seq=after_seq + 1))
        task.return_value(Asb.HistoryPage(changes=changes, next_seq=after_seq + len(changes)))


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

    def test_waiting(self):
        page = self.store.wait(7, 8, 1 << 40, 70000, None)
        self.assertEqual((page.get_next_seq(), page.get_changes().get_n_items()), (8, 1))
        page = wait_for(self.store.wait_async, self.store.wait_finish, 8, 8, 1 << 40, 500, None)
        self.assertEqual([change.get_seq() for change in page.get_changes()], [9])
        self.assertEqual(self.store.asked, [("wait", 7, 8, 1 << 40, 60000), ("wait", 8, 8, 1 << 40, 500)])

    def test_waiting_without_a_way_to(self):
        page = self.store.wait(7, 8, 1 << 40, 1, None)
        self.assertEqual((page.get_next_seq(), page.get_changes().get_n_items()), (9, 0))
        self.assertEqual(self.store.asked[:2], [("wait", 7, 8, 1 << 40, 1), ("query", 7, 8, 1 << 40)])

    def test_asked_again_and_again(self):
        store = OldStore()
        self.assertEqual(store.wait(7, 8, 1 << 40, 60000, None).get_next_seq(), 8)
        self.assertEqual(store.n_asked, 3)
        self.assertEqual(store.wait(7, 8, 1 << 40, 1, None).get_next_seq(), 7)

    def test_asking_is_cancelled(self):
        store = OldStore()
        store.cancellable = Gio.Cancellable()
        with self.assertRaises(GLib.Error) as caught:
            wait_for(store.wait_async, store.wait_finish, 7, 8, 1 << 40, 60000, store.cancellable)
        self.assertTrue(caught.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))

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
