# SPDX-License-Identifier: LGPL-2.1-or-later
"""What becomes of old operations: how large and how old a record may get."""

import os
import sqlite3
import threading

import checker
from historian_client import PATIENCE, Historian, command, equal, main, refused

MIB = 1 << 20
SMALL = {"max_database_bytes": 8 * MIB, "max_operation_output_bytes": 2 * MIB}
LONG_AGO = "2020-01-01T00:00:00.000000Z"


def opened(directory, **config):
    historian = Historian(directory)
    historian.open(config=config)
    return historian


def record(historian, event_id, output=b"", **more):
    call = historian.start(event_id, **command())
    if output:
        historian.output(call, output)
    return historian.finish(call, result={"exit_code": 0}, **more)


def ids(historian):
    return [row["event_id"] for row in historian.rows("SELECT event_id FROM history_events ORDER BY seq")]


def size(historian):
    return sum(os.stat(historian.path + end).st_size for end in ("", "-wal", "-shm")
               if os.path.exists(historian.path + end))


def used(historian):
    """What of the database is not free to be written to again."""
    pages, free, page = (list(historian.row(f"PRAGMA {name}").values())[0]
                         for name in ("page_count", "freelist_count", "page_size"))
    return (pages - free) * page


def changes(historian, after=0, **more):
    return historian.read_lines("history.query", after_change_seq=after, **more)


def age(historian, *event_ids):
    historian.write(*(f"UPDATE history_events SET completed_at = '{LONG_AGO}' WHERE event_id = '{i}'"
                      for i in event_ids))


def settle(historian):
    """What is done when nobody waits is done in steps, one for each call at the least."""
    for _ in range(8):
        historian.status()
    while historian.rows("SELECT * FROM history_leases"):
        historian.status()


def record_many(historian, n, n_between):
    """Small operations, and among them some with 1 MiB of output; how large the record became."""
    largest = 0
    for first in range(0, n, 50):
        if first % n_between == 0:
            record(historian, f"large-{first}", os.urandom(MIB))
        starts = []
        for i in range(first, first + 50):
            starts.append(historian.start_call({"call": "record.start", "record": {
                "event_id": f"small-{i}", "operation_type": "file.read", "required": True,
                "actor": {"actor_type": "agent"}, "request": {"path": "/a" * 20}}}))
        ends = [historian.start_call({"call": "record.finish", "start": start,
                                      "status": "succeeded"}) for start in starts]
        for call in (*starts, *ends):
            historian.wait(call)
            del historian.replies[call]
        largest = max(largest, size(historian))
        equal(ids(historian)[-1], f"small-{first + 49}")
    return largest


def test_bounded_on_a_slow_machine(directory):
    """A step has no time for more than one operation, and many come before there is another step."""
    historian = Historian(directory, fault="slow")
    historian.open(config={**SMALL, "max_database_bytes": 4 * MIB})
    frames = []
    for i in range(8000):
        start, frame = historian.call_frame({"call": "record.start", "record": {
            "event_id": f"small-{i}", "operation_type": "file.read", "required": True,
            "actor": {"actor_type": "agent"}, "request": {"path": "/a" * 500}}})
        end, end_frame = historian.call_frame({"call": "record.finish", "start": start, "status": "succeeded"})
        frames += [frame, end_frame]
    # All of it is one sending, which lasts as long as the whole.
    historian.socket.settimeout(10 * PATIENCE)
    sender = threading.Thread(target=historian.send, args=frames)
    sender.start()
    historian.wait(end)
    sender.join()
    assert size(historian) < 3 * 4 * MIB, size(historian)


def test_bounded_under_load(directory):
    """20,000 small operations and 100 with 1 MiB of output each in a record of 8 MiB."""
    n = checker.often(20000, under_valgrind=5000)
    historian = opened(directory, **SMALL)
    running = historian.start("running", **command())
    largest = record_many(historian, n, n // 100)
    assert largest < 2 * 8 * MIB, largest
    kept = ids(historian)
    equal(kept[0], "running")
    small = [int(i.split("-")[1]) for i in kept if i.startswith("small")]
    equal(small, list(range(small[0], n)))
    assert small[0] > n // 2, small[0]
    equal(historian.finish(running)["state"], "complete")
    equal(historian.rows("PRAGMA foreign_key_check"), [])
    equal(historian.rows("PRAGMA integrity_check"), [{"integrity_check": "ok"}])
    equal(historian.rows("SELECT count(*) AS n FROM history_changes WHERE event_id NOT IN"
                         " (SELECT event_id FROM history_events)"), [{"n": 0}])
    # The file does not shrink: how large it became tells how slow the machine was. With less than
    # 256 KiB of news nobody looks how much of it is used.
    for _ in range(20000):
        if used(historian) <= 8 * MIB + MIB // 4:
            break
        historian.status()
    assert used(historian) <= 8 * MIB + MIB // 4, used(historian)
    historian.close()
    equal(os.listdir(directory), ["history.sqlite3"])
    assert size(historian) <= largest, (size(historian), largest)


def test_cleanup_by_age(directory):
    historian = opened(directory)
    for name in ("old", "older", "new"):
        record(historian, name, b"printed")
    running = historian.start("running", **command())
    age(historian, "old", "older")
    result = historian.call("history.cleanup")
    equal((result["executed"], result["reason"], result["ttl_deleted_operations"],
           result["capacity_deleted_operations"], result["deleted_operations"],
           result["deleted_changes"], result["protected_acknowledged_seq"]),
          (True, "ttl_or_capacity", 2, 0, 2, 6, None))
    equal((result["min_available_change_seq"], result["max_change_seq"]), (7, 10))
    equal(result["physical_database_bytes"], result["main_database_bytes"] + result["wal_bytes"])
    assert result["next_cleanup_not_before"] > result["last_cleanup_at"]
    equal(ids(historian), ["new", "running"])
    for table in ("command_executions", "command_output_chunks"):
        equal({row["event_id"] for row in historian.rows(f"SELECT event_id FROM {table}")} - {"running"},
              {"new"})
    meta = {row["key"]: row["value"] for row in historian.rows("SELECT * FROM history_meta")}
    equal((meta["last_cleanup_at"], meta["last_cleanup_reason"], meta["last_cleanup_deleted_operations"]),
          (result["last_cleanup_at"], "ttl_or_capacity", "2"))
    equal(historian.rows("SELECT * FROM history_leases"), [])
    equal(historian.call("history.cleanup", if_due=True)["reason"], "not_due")
    equal(historian.finish(running)["state"], "complete")
    record(historian, "again")
    age(historian, "new")
    equal(historian.call("history.cleanup", ttl_days=None)["deleted_operations"], 0)
    equal(historian.call("history.cleanup", ttl_days=30)["deleted_operations"], 1)


def test_cleanup_arguments(directory):
    historian = Historian(directory)
    equal(refused(historian.call, "history.cleanup").code, "history_unavailable")
    historian.open()
    for arguments in ({"max_bytes": -1}, {"max_bytes": "1"}, {"ttl_days": 0}, {"ttl_days": 1.5},
                      {"overflow_policy": "nonsense"}, {"overflow_policy": 7}):
        equal(refused(historian.call, "history.cleanup", **arguments).code, "invalid_argument")
    equal(historian.rows("SELECT * FROM history_leases"), [])
    equal(historian.call("history.cleanup")["executed"], True)


def test_cleanup_by_size_goes_from_the_oldest(directory):
    historian = opened(directory)
    for i in range(10):
        record(historian, f"e{i}", os.urandom(MIB))
    before = ids(historian)
    equal(historian.call("history.cleanup", max_bytes=5 * MIB,
                         overflow_policy="stop_recording")["deleted_operations"], 0)
    result = historian.call("history.cleanup", max_bytes=5 * MIB)
    kept = ids(historian)
    equal(kept, before[-len(kept):])
    assert 3 <= len(kept) <= 5, kept
    equal(result["capacity_deleted_operations"], 10 - len(kept))
    assert result["logical_database_bytes"] <= 5 * MIB < result["database_bytes_before"]
    historian.call("history.cleanup", max_bytes=0)
    equal(ids(historian), ["e9"])


def test_lease_of_another(directory):
    historian = opened(directory)
    record(historian, "old")
    age(historian, "old")
    record(historian, "new")
    historian.write("INSERT INTO history_leases VALUES ('history:cleanup', 'other',"
                    " '2999-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z')")
    result = historian.call("history.cleanup")
    equal((result["executed"], result["reason"]), (False, "cleanup_in_progress"))
    equal(len(ids(historian)), 2)
    historian.write(f"UPDATE history_leases SET expires_at = '{LONG_AGO}'")
    equal(historian.call("history.cleanup")["deleted_operations"], 1)


def test_readers_hold_it_back(directory):
    historian = opened(directory)
    for name in ("a", "b", "c", "d"):
        record(historian, name)
    age(historian, "a", "b", "c")
    historian.call("history.acknowledge", consumer_id="slow", seq=2)
    historian.call("history.acknowledge", consumer_id="fast", seq=8)
    result = historian.call("history.cleanup")
    equal((result["protected_acknowledged_seq"], ids(historian)), (2, ["b", "c", "d"]))
    historian.call("history.acknowledge", consumer_id="slow", seq=3)
    historian.call("history.cleanup", max_bytes=0)
    equal(ids(historian), ["b", "c", "d"])
    historian.call("history.acknowledge", consumer_id="slow", seq=4)
    historian.call("history.cleanup")
    equal(ids(historian), ["c", "d"])
    historian.write(f"UPDATE history_consumers SET updated_at = '{LONG_AGO}' WHERE consumer_id = 'slow'")
    result = historian.call("history.cleanup")
    equal((result["protected_acknowledged_seq"], ids(historian)), (8, ["d"]))


def test_readers_do_not_unbound_it(directory):
    historian = opened(directory, **SMALL)
    historian.call("history.acknowledge", consumer_id="asleep", seq=0)
    for i in range(40):
        record(historian, f"e{i}", os.urandom(MIB))
        settle(historian)
        assert size(historian) < 16 * MIB, (i, size(historian))
    equal(ids(historian)[-1], "e39")
    assert len(ids(historian)) >= 6, ids(historian)
    record(historian, "last")
    kinds = {incident["kind"] for incident in historian.status()["incidents"]}
    equal(kinds, {"reader_outrun"})
    _, result = changes(historian, 1)
    equal(result["reset_required"], True)


def test_due_on_connecting_and_by_count(directory):
    historian = opened(directory, cleanup_interval_operations=5, cleanup_min_interval_seconds=0)
    record(historian, "old")
    age(historian, "old")
    for i in range(4):
        record(historian, f"e{i}")
    settle(historian)
    equal(ids(historian), ["e0", "e1", "e2", "e3"])
    age(historian, "e0")
    historian.close()
    historian = opened(directory)
    settle(historian)
    equal(ids(historian), ["e1", "e2", "e3"])
    age(historian, "e1")
    historian.write("UPDATE history_meta SET value = replace(value, '_connect\":true', '_connect\":false')"
                    " WHERE key = 'history_config_json'")
    historian.close()
    historian = opened(directory)
    settle(historian)
    equal(ids(historian), ["e1", "e2", "e3"])


def test_not_too_often(directory):
    historian = opened(directory, cleanup_interval_operations=1)
    record(historian, "a")
    settle(historian)
    age(historian, "a")
    record(historian, "b")
    settle(historian)
    equal(ids(historian), ["a", "b"])
    historian.write(f"UPDATE history_meta SET value = '{LONG_AGO}' WHERE key = 'last_cleanup_at'")
    record(historian, "c")
    settle(historian)
    equal(ids(historian), ["b", "c"])


def test_reset_required(directory):
    historian = opened(directory)
    first = historian.start("first", **command())
    for name in ("a", "b", "c"):
        record(historian, name)
    _, result = changes(historian, 0, limit=3)
    cursor = result["next_change_seq"]
    equal((cursor, result["reset_required"]), (3, False))
    age(historian, "a", "b", "c")
    _, end = changes(historian, 3)
    historian.call("history.cleanup")
    equal(ids(historian), ["first"])
    page, result = changes(historian, cursor)
    equal((page, result["reset_required"], result["deleted_change_seq"]), ([], True, 7))
    # Who had read all has missed nothing.
    equal(changes(historian, end["next_change_seq"])[1]["reset_required"], False)
    # Whoever begins anew does not come to a hole that was there already.
    page, result = changes(historian, 0, limit=1)
    equal((len(page), result["next_change_seq"]), (1, 7))
    page, result = changes(historian, result["next_change_seq"])
    equal((page, result["reset_required"]), ([], False))
    historian.finish(first)
    page, result = changes(historian, result["next_change_seq"])
    equal((len(page), result["reset_required"]), (1, False))
    # A cursor of another database.
    equal(changes(historian, 1000)[1]["reset_required"], True)


def test_emptied(directory):
    historian = opened(directory)
    record(historian, "a")
    age(historian, "a")
    historian.call("history.cleanup")
    equal(ids(historian), [])
    page, result = changes(historian, 1)
    equal((page, result["reset_required"], result["next_change_seq"]), ([], True, 2))
    equal(changes(historian, 2)[1]["reset_required"], False)


def test_full_stops_recording(directory):
    historian = opened(directory, overflow_policy="stop_recording", **SMALL)
    running = historian.start("running", **command())
    n = 0
    while True:
        try:
            record(historian, f"e{n}", os.urandom(MIB))
        except Exception as error:
            refusal = error
            break
        settle(historian)
        n += 1
    equal(refusal.code, "history_storage_exhausted")
    assert 6 <= n <= 10, n
    kept = ids(historian)
    equal(kept, ["running"] + [f"e{i}" for i in range(n)])
    reply = historian.replies[historian.next_call - 1]
    equal(reply["error"]["details"], {"overflow_policy": "stop_recording"})
    historian.output(running, b"too late")
    historian.finish(running, result={"exit_code": 0})
    row = historian.row("SELECT * FROM command_executions WHERE event_id = 'running'")
    equal((row["history_storage_state"], row["exit_code"]), ("truncated_by_policy", 0))
    batch = [{"type": "operation_started", "event": {
        "event_id": "x", "operation_type": "sandbox.get", "occurred_at": LONG_AGO}}]
    equal(historian.call("history.record", batch_id="x", records=batch)["records_applied"], 0)
    equal(ids(historian), kept)
    age(historian, "e0", "e1", "e2")
    historian.call("history.cleanup")
    settle(historian)
    record(historian, "again")
    equal(ids(historian)[-1], "again")


def test_full_fails_operations(directory):
    historian = opened(directory, overflow_policy="fail_operation", **SMALL)
    for i in range(9):
        try:
            record(historian, f"e{i}", os.urandom(MIB))
        except Exception:
            break
        settle(historian)
    error = refused(historian.start, "more", **command())
    equal(error.code, "history_storage_exhausted")
    equal(historian.replies[historian.next_call - 1]["error"]["details"],
          {"overflow_policy": "fail_operation"})
    batch = [{"type": "operation_started", "event": {
        "event_id": "x", "operation_type": "sandbox.get", "occurred_at": LONG_AGO}}]
    equal(refused(historian.call, "history.record", batch_id="x", records=batch).code,
          "history_storage_exhausted")


def test_reader_that_holds_the_log(directory):
    """A transaction that another program leaves open keeps the log from being shortened."""
    historian = opened(directory, **SMALL)
    record(historian, "first")
    reader = sqlite3.connect(historian.path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM history_events").fetchone()
    states = []
    for i in range(30):
        states.append(record(historian, f"e{i}", os.urandom(MIB))["state"])
        settle(historian)
        assert size(historian) < 16 * MIB, (i, size(historian))
    equal(states[0], "complete")
    equal(states[-1], "partial")
    assert "log" in historian.read_lines("history.get_operations", event_ids=["e29"])[0][0]["result"][
        "history_storage_error"]
    reader.close()
    record(historian, "after")
    settle(historian)
    equal(record(historian, "well", os.urandom(MIB))["state"], "complete")


def test_incidents_are_bounded(directory):
    historian = opened(directory)
    historian.write("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                    " INSERT INTO asb_incidents(noticed_at, kind, detail) SELECT '', 'x', i FROM n")
    call = historian.start("e", **command())
    historian.write("DELETE FROM history_events")
    historian.finish(call)
    record(historian, "next")
    equal(historian.row("SELECT count(*) AS n, max(kind = 'row_removed') AS k FROM asb_incidents"),
          {"n": 1000, "k": 1})


if __name__ == "__main__":
    main(dict(globals()))
