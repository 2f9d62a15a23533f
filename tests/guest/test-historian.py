# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the historian records and how it tells of it."""

import json
import os
import re
import select
import struct

import checker
from historian_client import (CANCEL, DATA, HEADER, IDENTITY, STOP, WINDOW, Historian, b64, command,
                              envelope, equal, main, refused)

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")

# name: (type, not null, default, position in the primary key)
SCHEMA = {
    "history_meta": {"key": ("TEXT", 0, None, 1), "value": ("TEXT", 1, None, 0)},
    "history_events": {
        "seq": ("INTEGER", 0, None, 1),
        "event_id": ("TEXT", 1, None, 0),
        "provider_key": ("TEXT", 1, None, 0),
        "sandbox_id": ("TEXT", 1, None, 0),
        "sandbox_instance_id": ("TEXT", 1, None, 0),
        "source": ("TEXT", 1, "'sdk'", 0),
        "actor_type": ("TEXT", 1, None, 0),
        "actor_id": ("TEXT", 0, None, 0),
        "thread_id": ("TEXT", 0, None, 0),
        "run_id": ("TEXT", 0, None, 0),
        "correlation_id": ("TEXT", 0, None, 0),
        "operation_type": ("TEXT", 1, None, 0),
        "status": ("TEXT", 1, None, 0),
        "occurred_at": ("TEXT", 1, None, 0),
        "completed_at": ("TEXT", 0, None, 0),
        "duration_ms": ("INTEGER", 0, None, 0),
        "request_json": ("TEXT", 0, None, 0),
        "result_json": ("TEXT", 0, None, 0),
        "schema_version": ("INTEGER", 1, "1", 0),
    },
    "history_changes": {
        "seq": ("INTEGER", 0, None, 1),
        "change_id": ("TEXT", 1, None, 0),
        "event_id": ("TEXT", 1, None, 0),
        "change_type": ("TEXT", 1, None, 0),
        "changed_at": ("TEXT", 1, None, 0),
        "schema_version": ("INTEGER", 1, "1", 0),
    },
    "command_executions": {
        "event_id": ("TEXT", 0, None, 1),
        "command": ("TEXT", 1, None, 0),
        "cwd": ("TEXT", 1, None, 0),
        "environment_json": ("TEXT", 0, None, 0),
        "timeout_ms": ("INTEGER", 0, None, 0),
        "exit_code": ("INTEGER", 0, None, 0),
        "provider_command_id": ("TEXT", 0, None, 0),
        "output_complete": ("INTEGER", 1, "1", 0),
        "history_storage_state": ("TEXT", 1, "'complete'", 0),
    },
    "command_output_chunks": {
        "id": ("INTEGER", 0, None, 1),
        "event_id": ("TEXT", 1, None, 0),
        "stream": ("TEXT", 1, None, 0),
        "chunk_index": ("INTEGER", 1, None, 0),
        "data": ("BLOB", 1, None, 0),
        "encoding": ("TEXT", 1, "'identity'", 0),
        "original_size": ("INTEGER", 1, None, 0),
        "created_at": ("TEXT", 1, None, 0),
    },
    "file_operations": {
        "event_id": ("TEXT", 0, None, 1),
        "path": ("TEXT", 1, None, 0),
        "old_path": ("TEXT", 0, None, 0),
        "change_type": ("TEXT", 1, None, 0),
        "before_hash": ("TEXT", 0, None, 0),
        "after_hash": ("TEXT", 0, None, 0),
        "before_size": ("INTEGER", 0, None, 0),
        "after_size": ("INTEGER", 0, None, 0),
        "diff_data": ("BLOB", 0, None, 0),
        "diff_encoding": ("TEXT", 0, None, 0),
        "diff_complete": ("INTEGER", 1, "1", 0),
    },
    "history_consumers": {
        "consumer_id": ("TEXT", 0, None, 1),
        "acknowledged_seq": ("INTEGER", 1, "0", 0),
        "updated_at": ("TEXT", 1, None, 0),
    },
    "history_leases": {
        "resource_key": ("TEXT", 0, None, 1),
        "owner_id": ("TEXT", 1, None, 0),
        "expires_at": ("TEXT", 1, None, 0),
        "updated_at": ("TEXT", 1, None, 0),
    },
}

INDEXES = {
    "idx_history_sandbox_seq": ("history_events", "provider_key sandbox_id sandbox_instance_id seq"),
    "idx_history_run": ("history_events", "thread_id run_id seq"),
    "idx_history_operation": ("history_events", "operation_type status seq"),
    "idx_history_changes_event": ("history_changes", "event_id seq"),
    "idx_command_output_chunks": ("command_output_chunks", "event_id stream chunk_index"),
}

UNIQUE = {
    "history_events": ["event_id"],
    "history_changes": ["change_id"],
    "command_output_chunks": ["event_id stream chunk_index"],
}

CONFIG = (
    '{"capture_stderr":true,"capture_stdout":true,"cleanup_interval_operations":100,'
    '"cleanup_min_interval_seconds":3600,"cleanup_on_connect":true,"compression":"identity",'
    '"compression_level":1,"compression_min_bytes":4096,"consumer_active_ttl_days":30,'
    '"helper_envelope_max_bytes":1048576,"helper_query_max_bytes":4194304,'
    '"max_database_bytes":134217728,"max_operation_output_bytes":16777216,'
    '"output_chunk_bytes":16384,"output_flush_bytes":32768,"output_flush_interval_ms":500,'
    '"output_queue_max_bytes":4194304,"output_queue_max_chunks":256,'
    '"output_write_timeout_seconds":10.0,"overflow_policy":"delete_oldest",'
    '"sqlite_busy_timeout_ms":5000,"sqlite_cache_bytes":4194304,'
    '"stale_started_after_seconds":300,"ttl_days":7}'
)


def opened(directory, config=None, **more):
    historian = Historian(directory, **more)
    historian.open(**({"config": config} if config else {}))
    return historian


def changes(historian, event_id=None):
    where = "WHERE event_id = ?" if event_id else ""
    values = [event_id] if event_id else []
    rows = historian.rows(f"SELECT change_id, change_type FROM history_changes {where} ORDER BY seq",
                          *values)
    return [(row["change_id"], row["change_type"]) for row in rows]


def test_columns(directory):
    historian = opened(directory)
    for table, columns in SCHEMA.items():
        found = historian.rows(f"PRAGMA table_info({table})")
        equal({c["name"]: (c["type"], c["notnull"], c["dflt_value"], c["pk"]) for c in found}, columns)
        equal([c["name"] for c in found], list(columns))
    tables = {r["name"] for r in historian.rows("SELECT name FROM sqlite_master WHERE type='table'")}
    others = tables - set(SCHEMA) - {"sqlite_sequence"}
    equal(others, {"asb_operations", "asb_raw_texts", "asb_incidents"})
    equal(historian.rows("SELECT * FROM sqlite_master WHERE type IN ('view', 'trigger')"), [])


def test_indexes(directory):
    historian = opened(directory)
    for name, (table, columns) in INDEXES.items():
        info = [i for i in historian.rows(f"PRAGMA index_list({table})") if i["name"] == name]
        equal([(i["unique"], i["partial"]) for i in info], [(0, 0)])
        equal(" ".join(c["name"] for c in historian.rows(f"PRAGMA index_info({name})")), columns)
    named = {r["name"] for r in historian.rows(
        "SELECT name FROM sqlite_master WHERE type='index' AND sql IS NOT NULL")}
    equal(named, set(INDEXES))
    for table, expected in UNIQUE.items():
        unique = [i["name"] for i in historian.rows(f"PRAGMA index_list({table})") if i["origin"] == "u"]
        equal([" ".join(c["name"] for c in historian.rows(f"PRAGMA index_info({name})"))
               for name in unique], expected)


def test_constraints(directory):
    historian = opened(directory)
    for table in ("command_executions", "command_output_chunks", "file_operations",
                  "asb_operations", "asb_raw_texts"):
        keys = historian.rows(f"PRAGMA foreign_key_list({table})")
        equal([(k["table"], k["from"], k["to"], k["on_delete"]) for k in keys],
              [("history_events", "event_id", "event_id", "CASCADE")])
    sql = {r["name"]: re.sub(r"\s+", " ", r["sql"]) for r in
           historian.rows("SELECT name, sql FROM sqlite_master WHERE type='table'")}
    for table in ("history_events", "history_changes", "command_output_chunks"):
        assert "INTEGER PRIMARY KEY AUTOINCREMENT" in sql[table]
    for table, check in (
        ("history_changes", "CHECK(change_type IN ('created', 'output_appended', 'completed', "
                            "'storage_state_changed'))"),
        ("command_output_chunks", "CHECK(stream IN ('stdout', 'stderr'))"),
        ("command_output_chunks", "CHECK(encoding IN ('identity', 'gzip', 'zlib'))"),
        ("file_operations", "CHECK(diff_encoding IS NULL OR diff_encoding IN "
                            "('identity', 'gzip', 'zlib'))"),
    ):
        assert check in sql[table], sql[table]
    assert sum(text.count("CHECK") for name, text in sql.items() if name in SCHEMA) == 4


def test_file_properties(directory):
    historian = opened(directory)
    for pragma, value in (("user_version", 1), ("application_id", 0), ("page_size", 4096),
                          ("encoding", "UTF-8"), ("auto_vacuum", 0), ("journal_mode", "wal"),
                          ("integrity_check", "ok")):
        equal(list(historian.row(f"PRAGMA {pragma}").values()), [value])
    equal(os.stat(directory).st_mode & 0o777, 0o700)
    equal(os.stat(historian.path).st_mode & 0o777, 0o600)


def test_folder_that_was_there(directory):
    """As an image has it, or who uploaded the guest."""
    os.mkdir(directory, 0o755)
    os.chmod(directory, 0o755)
    opened(directory).close()
    equal(os.stat(directory).st_mode & 0o777, 0o700)


def test_meta(directory):
    historian = Historian(directory)
    identity = {**IDENTITY, "sandbox_name": "Näme"}
    reply = historian.open(identity)
    equal(reply["identity"], identity)
    equal((reply["revision"], reply["journal_mode"], "renamed" in reply), (0, "wal", False))
    equal(reply["config"], json.loads(CONFIG))
    meta = {r["key"]: r["value"] for r in historian.rows("SELECT * FROM history_meta")}
    created = meta["created_at"]
    assert TIME.match(created), created
    equal(meta, {
        "schema_version": "1", **IDENTITY, "created_at": created, "sdk_version": "1.0.0",
        "history_config_version": "1", "history_config_revision": "0",
        "history_config_json": CONFIG, "history_config_updated_at": created,
        "history_config_updated_by": "sdk:initialize", "sandbox_name": "Näme",
        "sandbox_metadata_json": '{"agent_sandbox.name":"Näme"}',
    })


def test_second_open(directory):
    historian = Historian(directory)
    first = historian.open()
    equal(historian.open(), first)
    error = refused(historian.open, {**IDENTITY, "sandbox_instance_id": "i-2"})
    equal(error.code, "history_identity")
    historian.call("history.open", identity={**IDENTITY, "sandbox_name": "n"}, sdk_version="1.0.1")
    equal(historian.row("SELECT value FROM history_meta WHERE key='sdk_version'")["value"], "1.0.1")
    equal(historian.row("SELECT value FROM history_meta WHERE key='sandbox_name'")["value"], "n")


def test_open_arguments(directory):
    historian = Historian(directory)
    for arguments, word in (
        ({}, "identity"),
        ({"identity": 1, "sdk_version": "1"}, "identity"),
        ({"identity": {**IDENTITY, "sandbox_id": ""}, "sdk_version": "1"}, "sandbox_id"),
        ({"identity": {**IDENTITY, "sandbox_id": "x" * 300}, "sdk_version": "1"}, "sandbox_id"),
        ({"identity": IDENTITY}, "sdk_version"),
        ({"identity": IDENTITY, "sdk_version": "1", "config": []}, "config"),
        ({"identity": IDENTITY, "sdk_version": "1", "config": {"nonsense": 1}}, "nonsense"),
    ):
        error = refused(historian.call, "history.open", **arguments)
        equal(error.code, "invalid_argument")
        assert f"{word}" in error.message, error.message
    assert not os.path.exists(directory)


def test_config_ranges(directory):
    historian = Historian(directory)
    ranges = {
        "ttl_days": (1, None), "max_database_bytes": (4 << 20, None),
        "output_chunk_bytes": (4096, 262144), "output_flush_bytes": (1, 1 << 20),
        "output_flush_interval_ms": (0, 5000), "output_queue_max_bytes": (4096, 64 << 20),
        "output_queue_max_chunks": (1, 4096), "cleanup_min_interval_seconds": (0, 86400),
        "consumer_active_ttl_days": (1, 3650), "compression_min_bytes": (0, None),
        "compression_level": (1, 9), "sqlite_busy_timeout_ms": (100, 60000),
        "sqlite_cache_bytes": (1 << 20, 64 << 20), "helper_query_max_bytes": (64 << 10, 32 << 20),
        "helper_envelope_max_bytes": (64 << 10, 16 << 20),
        "cleanup_interval_operations": (1, 10000), "stale_started_after_seconds": (30, 86400),
        "max_operation_output_bytes": (1, None),
    }
    wrong = [(n, low - 1) for n, (low, _) in ranges.items()]
    wrong += [(n, high + 1) for n, (_, high) in ranges.items() if high]
    wrong += [(n, "7") for n in ranges] + [(n, 7.5) for n in ranges] + [(n, True) for n in ranges]
    wrong += [(n, 1) for n in ("capture_stdout", "capture_stderr", "cleanup_on_connect")]
    wrong += [("overflow_policy", "x"), ("compression", 0), ("output_write_timeout_seconds", 0),
              ("output_write_timeout_seconds", 300.5), ("max_database_bytes", None)]
    for name, value in wrong:
        error = refused(historian.open, config={name: value})
        equal((error.code, name in error.message), ("invalid_argument", True))
    for config in ({"max_operation_output_bytes": 128 << 20},
                   {"output_queue_max_bytes": 4096, "output_flush_bytes": 4096},
                   {"output_queue_max_bytes": 16384}):
        equal(refused(historian.open, config=config).code, "invalid_argument")
    allowed = {"ttl_days": None, "output_write_timeout_seconds": 1, "compression": "gzip",
               "overflow_policy": "stop_recording", "capture_stderr": False}
    config = historian.open(config=allowed)["config"]
    equal({name: config[name] for name in allowed}, allowed)
    assert '"output_write_timeout_seconds":1.0,' in historian.row(
        "SELECT value FROM history_meta WHERE key='history_config_json'")["value"]


def test_config_is_adopted(directory):
    historian = opened(directory, {"ttl_days": 9})
    historian.close()
    historian.write(
        "UPDATE history_meta SET value='{\"ttl_days\":-5,\"output_chunk_bytes\":4096,\"x\":1}'"
        " WHERE key='history_config_json'",
        "UPDATE history_meta SET value='3' WHERE key='history_config_revision'")
    historian = Historian(directory)
    reply = historian.open(config={"ttl_days": 30})
    equal((reply["config"]["ttl_days"], reply["config"]["output_chunk_bytes"], reply["revision"]),
          (7, 4096, 3))
    equal(len(reply["config"]), 24)


def test_command(directory):
    historian = opened(directory)
    call = historian.start_call({"call": "record.start", "record": {
        "event_id": "e1", "operation_type": "command.execute", "required": True,
        "actor": {"actor_type": "agent", "actor_id": "a", "thread_id": "t", "run_id": "r",
                  "correlation_id": "c"},
        "request": {"cwd": "/tmp", "command": "echo \x1b[0m 'ä'", "n": 1.5, "m": 1e22, "k": 0.1},
        "command": {"command": "echo \x1b[0m 'ä'", "cwd": "/tmp", "timeout_ms": 1500}}})
    equal(historian.wait(call), {})
    started = historian.row("SELECT * FROM history_events")
    assert TIME.match(started["occurred_at"])
    equal({k: started[k] for k in ("event_id", "status", "source", "actor_type", "actor_id",
                                   "thread_id", "run_id", "correlation_id", "operation_type",
                                   "completed_at", "duration_ms", "result_json", "schema_version",
                                   "provider_key", "sandbox_id", "sandbox_instance_id")},
          {"event_id": "e1", "status": "started", "source": "sdk", "actor_type": "agent",
           "actor_id": "a", "thread_id": "t", "run_id": "r", "correlation_id": "c",
           "operation_type": "command.execute", "completed_at": None, "duration_ms": None,
           "result_json": None, "schema_version": 1, **IDENTITY})
    equal(started["request_json"],
          '{"command":"echo \\u001b[0m \'ä\'","cwd":"/tmp","k":0.1,"m":1e+22,"n":1.5}')

    historian.output(call, b"out\0\xff\r\n")
    historian.output(call, b"err", channel=2)
    reply = historian.finish(call, "failed", result={"command_id": "k1", "state": "completed",
                                                    "exit_code": 3})
    equal(reply, {"state": "complete"})
    row = historian.row("SELECT * FROM history_events")
    equal(row["status"], "failed")
    assert TIME.match(row["completed_at"]) and row["completed_at"] >= row["occurred_at"]
    assert 0 <= row["duration_ms"] < 60000
    equal(json.loads(row["result_json"]), {
        "command_id": "k1", "state": "completed", "exit_code": 3, "stdout_bytes": 7,
        "stderr_bytes": 3, "stdout_total_bytes": 7, "stderr_total_bytes": 3,
        "stdout_truncated": False, "stderr_truncated": False, "output_complete": True,
        "history_storage_state": "complete", "history_storage_error": None})
    equal(row["result_json"], json.dumps(json.loads(row["result_json"]), sort_keys=True,
                                         separators=(",", ":"), ensure_ascii=False))
    equal(historian.row("SELECT * FROM command_executions"), {
        "event_id": "e1", "command": "echo \x1b[0m 'ä'", "cwd": "/tmp", "environment_json": None,
        "timeout_ms": 1500, "exit_code": 3, "provider_command_id": "k1", "output_complete": 1,
        "history_storage_state": "complete"})
    equal([(c["stream"], c["chunk_index"], c["data"], c["encoding"], c["original_size"])
           for c in historian.rows("SELECT * FROM command_output_chunks ORDER BY id")],
          [("stdout", 0, b"out\0\xff\r\n", "identity", 7), ("stderr", 0, b"err", "identity", 3)])
    equal(changes(historian), [("e1:created", "created"),
                               ("e1:output:stdout:0,stderr:0", "output_appended"),
                               ("e1:completed:failed", "completed")])
    equal(historian.rows("SELECT * FROM asb_operations"), [])


def test_file_operations(directory):
    historian = opened(directory)

    def record(number, kind, result, request=None, **more):
        call = historian.start(f"f{number}", operation_type=f"file.{kind}",
                               request=request or {"path": "/a"},
                               file_operation={"path": "/a", "change_type": kind, **more})
        equal(historian.finish(call, result=result), {"state": "complete"})
        event = historian.row("SELECT * FROM history_events WHERE event_id=?", f"f{number}")
        satellite = historian.row("SELECT * FROM file_operations WHERE event_id=?", f"f{number}")
        return event, {k: v for k, v in satellite.items() if v is not None and k != "event_id"}

    event, row = record(1, "read", {"size": 5})
    equal((event["result_json"], row),
          ('{"size":5}', {"path": "/a", "change_type": "read", "after_size": 5, "diff_complete": 1}))
    event, row = record(2, "list", {"count": 2})
    equal((event["result_json"], row),
          ('{"count":2}', {"path": "/a", "change_type": "list", "diff_complete": 1}))
    event, row = record(3, "delete", None)
    equal((event["result_json"], event["status"]), (None, "succeeded"))
    event, row = record(4, "write", {"path": "/a", "size": 3, "content_hash": "h2",
                                     "previous_hash": "h1", "diff": "--- ä\n",
                                     "diff_truncated": True}, before_hash="h0")
    equal(row, {"path": "/a", "change_type": "write", "before_hash": "h1", "after_hash": "h2",
                "after_size": 3, "diff_data": "--- ä\n", "diff_encoding": "identity",
                "diff_complete": 0})
    equal(historian.row("SELECT typeof(diff_data) AS t FROM file_operations WHERE event_id='f4'"),
          {"t": "text"})
    event, row = record(5, "write", {"path": "/a", "size": 3, "content": "abc",
                                     "content_truncated": False, "content_hash": "h"})
    equal((row["after_hash"], "diff_data" in row), ("h", False))


def test_ends(directory):
    historian = opened(directory)
    for status in ("succeeded", "failed", "cancelled", "timeout", "unknown"):
        call = historian.start(status, **command())
        historian.finish(call, status, error_code="boom" if status == "failed" else None,
                         command={"exit_code": None, "provider_command_id": "p"})
        row = historian.row("SELECT * FROM history_events WHERE event_id=?", status)
        equal(row["status"], status)
        equal(json.loads(row["result_json"]).get("error_code"), "boom" if status == "failed" else None)
        equal(changes(historian, status)[-1], (f"{status}:completed:{status}", "completed"))
    call = historian.start("again")
    for status in ("started", "done", ""):
        equal(refused(historian.finish, call, status).code, "invalid_argument")
    historian.finish(call)
    equal(refused(historian.finish, call).code, "invalid_argument")
    equal(refused(historian.finish, 4711).code, "invalid_argument")


def test_start_arguments(directory):
    historian = opened(directory)
    good = envelope("e", command={"command": "x", "cwd": "/"})
    for change, word in (
        ({"event_id": None}, "event_id"), ({"event_id": ""}, "event_id"),
        ({"event_id": "x" * 65}, "event_id"), ({"event_id": 5}, "event_id"),
        ({"operation_type": None}, "operation_type"), ({"operation_type": "x" * 65}, "operation_type"),
        ({"request": None}, "request"), ({"request": []}, "request"),
        ({"actor": "agent"}, "actor"), ({"actor": {"actor_type": 1}}, "actor_type"),
        ({"actor": {"actor_type": "agent", "run_id": "ä" * 65}}, "run_id"),
        ({"command": {"command": 1, "cwd": "/"}}, "command"), ({"command": {"command": "x"}}, "cwd"),
        ({"command": {"command": {"b64": "!"}, "cwd": "/"}}, "command"),
        ({"command": {"command": "x", "cwd": "/", "timeout_ms": -1}}, "timeout_ms"),
        ({"file_operation": {"path": "/a"}}, "change_type"),
        ({"file_operation": {"change_type": "read"}}, "path"),
    ):
        call = historian.start_call({"call": "record.start", "record": {**good, **change}})
        error = refused(historian.wait, call)
        equal((error.code, word in error.message), ("invalid_argument", True))
    for record in (None, [], "x"):
        call = historian.start_call({"call": "record.start", "record": record})
        equal(refused(historian.wait, call).code, "invalid_argument")
    equal(historian.rows("SELECT * FROM history_events"), [])
    historian.start("x" * 64)


def test_event_is_recorded_once(directory):
    historian = opened(directory)
    historian.finish(historian.start("e"))
    error = refused(historian.start, "e")
    equal(error.code, "invalid_argument")
    equal(historian.row("SELECT status FROM history_events"), {"status": "succeeded"})


def test_not_open(directory):
    historian = Historian(directory)
    equal(refused(historian.start, "e").code, "history_unavailable")
    equal(refused(historian.call, "history.query", after_change_seq=0).code, "history_unavailable")
    equal(refused(historian.call, "history.record", batch_id="b", records=[{}]).code,
          "history_unavailable")
    status = historian.status()
    equal((status["state"], status["operations"]), ("closed", 0))
    historian.close()
    assert not os.path.exists(directory)


def commits_in_log(historian):
    """Frames of the write-ahead log that end a transaction."""
    with open(historian.path + "-wal", "rb") as log:
        data = log.read()
    header, frame = 32, 24 + 4096
    salts = data[16:24]
    n = 0
    for offset in range(header, len(data) - frame + 1, frame):
        if data[offset + 8 : offset + 16] != salts:
            break
        n += struct.unpack(">I", data[offset + 4 : offset + 8])[0] > 0
    return n


def test_group_commit(directory):
    historian = opened(directory)
    before = commits_in_log(historian)
    calls, frames = zip(*[historian.call_frame(
        {"call": "record.start", "record": envelope(f"e{i}" if i != 7 else "e6")})
        for i in range(20)])
    historian.send(*frames)
    results = []
    for i, call in enumerate(calls):
        if i == 7:
            equal(refused(historian.wait, call).code, "invalid_argument")
        else:
            results.append(historian.wait(call))
    equal(results, [{}] * 19)
    equal(historian.row("SELECT count(*) AS n FROM history_events"), {"n": 19})
    equal(commits_in_log(historian) - before, 1)
    equal([r["seq"] for r in historian.rows("SELECT seq FROM history_events ORDER BY seq")],
          list(range(1, 20)))


def test_start_and_end_in_one_breath(directory):
    historian = opened(directory)
    start, start_frame = historian.call_frame({"call": "record.start", "record": {
        **envelope("e"), **command()}})
    end, end_frame = historian.call_frame({"call": "record.finish", "start": start,
                                           "status": "succeeded"})
    historian.send(start_frame, historian.frame(DATA, start, b"x", 1), end_frame)
    equal(historian.wait(end), {"state": "complete"})
    equal([kind for _, kind in changes(historian)], ["created", "output_appended", "completed"])
    start, start_frame = historian.call_frame({"call": "record.start", "record": envelope("e")})
    end, end_frame = historian.call_frame({"call": "record.finish", "start": start,
                                           "status": "failed"})
    historian.send(start_frame, end_frame)
    equal(refused(historian.wait, start).code, "invalid_argument")
    equal(refused(historian.wait, end).code, "history_unavailable")
    equal(historian.row("SELECT status FROM history_events"), {"status": "succeeded"})
    historian.start("f")


def test_chunks_and_cap(directory):
    historian = opened(directory, {"output_chunk_bytes": 4096, "max_operation_output_bytes": 100000,
                                   "output_flush_bytes": 1048576, "output_flush_interval_ms": 0})
    data = os.urandom(150000)
    call = historian.start("e", **command())
    historian.output(call, data[:50000])
    historian.output(call, data[50000:], channel=2)
    equal(historian.finish(call, result={"exit_code": 0}), {"state": "truncated_by_policy"})
    equal(historian.stopped, [(call, 2)])
    chunks = historian.rows("SELECT * FROM command_output_chunks ORDER BY id")
    for stream, kept in (("stdout", data[:50000]), ("stderr", data[50000:100000])):
        mine = [c for c in chunks if c["stream"] == stream]
        equal([c["chunk_index"] for c in mine], list(range(13)))
        equal([c["original_size"] for c in mine], [4096] * 12 + [50000 - 12 * 4096])
        equal(b"".join(c["data"] for c in mine), kept)
    result = json.loads(historian.row("SELECT result_json AS r FROM history_events")["r"])
    equal({k: result[k] for k in ("stdout_bytes", "stdout_total_bytes", "stdout_truncated",
                                  "stderr_bytes", "stderr_total_bytes", "stderr_truncated",
                                  "output_complete", "history_storage_state")},
          {"stdout_bytes": 50000, "stdout_total_bytes": 50000, "stdout_truncated": False,
           "stderr_bytes": 50000, "stderr_total_bytes": 100000, "stderr_truncated": True,
           "output_complete": False, "history_storage_state": "truncated_by_policy"})
    satellite = historian.row("SELECT * FROM command_executions")
    equal((satellite["output_complete"], satellite["history_storage_state"]),
          (0, "truncated_by_policy"))
    names = [c for c, kind in changes(historian) if kind == "output_appended"]
    assert all(len(name) <= 255 for name in names), names
    listed = ",".join(name.split(":output:")[1] for name in names).split(",")
    equal(listed, [f"{c['stream']}:{c['chunk_index']}" for c in chunks])


def test_output_that_is_not_captured(directory):
    historian = opened(directory, {"capture_stdout": False})
    call = historian.start("e", **command())
    historian.output(call, b"out")
    historian.output(call, b"err", channel=2)
    equal(historian.finish(call), {"state": "complete"})
    equal(historian.stopped, [(call, 1)])
    equal([(c["stream"], c["data"]) for c in historian.rows("SELECT * FROM command_output_chunks")],
          [("stderr", b"err")])
    result = json.loads(historian.row("SELECT result_json AS r FROM history_events")["r"])
    equal((result["stdout_bytes"], result["stdout_total_bytes"], result["output_complete"]),
          (0, 3, True))


def test_output_is_written_before_the_end(directory):
    historian = opened(directory, {"output_flush_bytes": 1000, "output_flush_interval_ms": 0})
    call = historian.start("e", **command())
    historian.output(call, b"x" * 999)
    historian.status()
    equal(historian.rows("SELECT * FROM command_output_chunks"), [])
    historian.output(call, b"y")
    historian.status()
    historian.status()
    equal(historian.row("SELECT data FROM command_output_chunks")["data"], b"x" * 999 + b"y")
    historian.close()

    historian = opened(directory + "2", {"output_flush_interval_ms": 1})
    call = historian.start("e", **command())
    historian.output(call, b"soon")
    while not historian.rows("SELECT * FROM command_output_chunks"):
        historian.status()
    historian.finish(call)


def test_output_lost_on_the_way(directory):
    historian = opened(directory)
    call = historian.start("e", **command())
    historian.output(call, b"abc")
    reply = historian.finish(call, output_lost=True, result={"stdout_total_bytes": 10})
    equal(reply["state"], "partial")
    result = json.loads(historian.row("SELECT result_json AS r FROM history_events")["r"])
    equal((result["stdout_bytes"], result["stdout_total_bytes"], result["stdout_truncated"],
           result["history_storage_state"], result["history_storage_error"]),
          (3, 10, True, "partial", reply["message"]))
    equal(historian.row("SELECT history_storage_state AS s FROM command_executions"),
          {"s": "partial"})


def test_other_bytes(directory):
    historian = opened(directory)
    raw = b"/tmp/\xff\xfe\xe2\x82"
    call = historian.start("e", operation_type="file.write", request={"path": b64(raw)},
                           command={"command": b64(b"echo \xff"), "cwd": b64(raw)},
                           file_operation={"path": b64(raw), "change_type": "write"})
    historian.finish(call, result={"path": b64(raw), "size": 0})
    shown = raw.decode("utf-8", "replace")
    event = historian.row("SELECT * FROM history_events")
    equal(json.loads(event["request_json"]), {"path": shown})
    equal(json.loads(event["result_json"])["path"], shown)
    equal(historian.row("SELECT path FROM file_operations")["path"], shown)
    equal(historian.row("SELECT command, cwd FROM command_executions"),
          {"command": "echo \ufffd", "cwd": shown})
    (operation,), _ = historian.read_lines("history.get_operations", event_ids=["e"])
    equal((operation["request"]["path"], operation["result"]["path"],
           operation["file_operation"]["path"], operation["command"]["cwd"],
           operation["command"]["command"]), (b64(raw),) * 4 + (b64(b"echo \xff"),))


def fill(historian, n):
    """In portions, since there is a limit to the time that one batch takes."""
    for first in range(0, n, 100):
        historian.send(*[historian.call_frame({"call": "record.start", "record": envelope(f"e{i}")})[1]
                         for i in range(first, min(first + 100, n))])
        historian.wait(historian.next_call - 1)


def test_query(directory):
    historian = opened(directory)
    fill(historian, 500)
    every, result = historian.read_lines("history.query", after_change_seq=0, limit=10000)
    equal(result, {"next_change_seq": 500, "min_available_change_seq": 1, "max_change_seq": 500,
                   "reset_required": False})
    equal([c["source_seq"] for c in every], list(range(1, 501)))
    equal(every[0], {"source_seq": 1, "change_id": "e0:created", "event_id": "e0",
                     "change_type": "created", "changed_at": every[0]["changed_at"],
                     "schema_version": 1, "operation_type": "file.read", "status": "started"})
    page, result = historian.read_lines("history.query", after_change_seq=100, limit=7)
    equal(([c["source_seq"] for c in page], result["next_change_seq"]), (list(range(101, 108)), 107))
    size = len(json.dumps(every[200], sort_keys=True, separators=(",", ":")))
    page, result = historian.read_lines("history.query", after_change_seq=200, limit=100,
                                        max_bytes=3 * size + 10)
    equal(len(page), 3)
    equal(refused(historian.call, "history.query", after_change_seq=0, max_bytes=10).code,
          "invalid_argument")
    page, result = historian.read_lines("history.query", after_change_seq=500)
    equal((page, result["next_change_seq"]), ([], 500))
    for arguments in ({"limit": 0}, {"limit": 10001}, {"max_bytes": 0}, {"after_change_seq": -1},
                      {"after_change_seq": "0"}):
        equal(refused(historian.call, "history.query", **arguments).code, "invalid_argument")
    historian.write("DELETE FROM history_changes WHERE seq < 50")
    _, result = historian.read_lines("history.query", after_change_seq=10, limit=1)
    equal((result["reset_required"], result["min_available_change_seq"]), (True, 50))
    _, result = historian.read_lines("history.query", after_change_seq=49, limit=1)
    equal(result["reset_required"], False)


def test_query_with_tiny_credit(directory):
    historian = opened(directory)
    fill(historian, 6000)
    historian.auto_credit = False
    call = historian.start_call({"call": "history.query",
                                 "args": {"after_change_seq": 0, "limit": 10000}})
    historian.status()
    while len(historian.data.get(call, b"")) < WINDOW:
        historian.receive()
    historian.status()
    equal(len(historian.data[call]), WINDOW)
    step = 1000
    while call not in historian.replies:
        if len(historian.data[call]) == historian.credited.get(call, 0) + WINDOW:
            historian.credit(call, min(historian.credited.get(call, 0) + step, len(historian.data[call])))
        historian.receive()
    historian.wait(call)
    lines = [json.loads(line) for line in historian.data[call].splitlines()]
    equal([c["source_seq"] for c in lines], list(range(1, 6001)))


def test_stop_and_cancel(directory):
    historian = opened(directory)
    fill(historian, 6000)
    historian.auto_credit = False
    for kind in (STOP, CANCEL):
        call = historian.start_call({"call": "history.query",
                                     "args": {"after_change_seq": 0, "limit": 10000}})
        while len(historian.data.get(call, b"")) < WINDOW:
            historian.receive()
        historian.send(historian.frame(kind, call, channel=1 if kind == STOP else 0))
        if kind == STOP:
            assert historian.wait(call)["next_change_seq"] < 6000
        else:
            equal(refused(historian.wait, call).code, "cancelled")
        assert call in historian.finished
        historian.send(historian.frame(CANCEL, call), historian.frame(STOP, call, channel=1))
    equal(historian.status()["state"], "open")


def test_get_output(directory):
    historian = opened(directory, {"output_chunk_bytes": 4096})
    data = os.urandom(3000000)
    call = historian.start("e", **command())
    historian.output(call, data)
    historian.finish(call)
    got, result = historian.read("history.get_output", event_id="e", stream="stdout")
    assert got == data
    n = result["chunks"]
    equal(result, {"bytes": 3000000, "chunks": n, "next_chunk": n - 1})
    got, result = historian.read("history.get_output", event_id="e", stream="stdout",
                                 after_chunk=n - 2)
    equal((data.endswith(got), result["chunks"], result["next_chunk"]), (True, 1, n - 1))
    got, result = historian.read("history.get_output", event_id="e", stream="stderr")
    equal((got, result), (b"", {"bytes": 0, "chunks": 0, "next_chunk": -1}))
    for arguments in ({"event_id": "x", "stream": "stdout"}, {"event_id": "e", "stream": "stdin"},
                      {"event_id": "e"}, {"event_id": "e", "stream": "stdout", "after_chunk": -2}):
        error = refused(historian.call, "history.get_output", **arguments)
        equal(error.code, "invalid_argument")
        assert historian.next_call - 1 in historian.finished


def test_get_operations(directory):
    historian = opened(directory)
    call = historian.start("c", **command("ls"))
    historian.finish(call, result={"exit_code": 0})
    historian.start("f", request={"path": "/a"},
                    file_operation={"path": "/a", "change_type": "read"})
    operations, result = historian.read_lines("history.get_operations", event_ids=["f", "no", "c"])
    equal(result, {"count": 2, "unreadable": 0})
    equal([o["event_id"] for o in operations], ["f", "c"])
    equal(set(operations[0]), (set(SCHEMA["history_events"]) - {"request_json", "result_json"})
          | {"request", "result", "command", "file_operation"})
    equal((operations[0]["request"], operations[0]["result"], operations[0]["command"]),
          ({"path": "/a"}, None, None))
    equal(set(operations[0]["file_operation"]), set(SCHEMA["file_operations"]))
    equal(set(operations[1]["command"]), set(SCHEMA["command_executions"]))
    equal(operations[1]["result"]["exit_code"], 0)
    for ids in (None, [], "c", [1], ["x"] * 1001):
        equal(refused(historian.call, "history.get_operations", event_ids=ids).code,
              "invalid_argument")


def test_acknowledge(directory):
    historian = opened(directory)
    reply = historian.call("history.acknowledge", consumer_id="console:1", seq=5)
    equal((reply["consumer_id"], reply["acknowledged_seq"]), ("console:1", 5))
    assert TIME.match(reply["updated_at"])
    equal(historian.call("history.acknowledge", consumer_id="console:1", seq=3)["acknowledged_seq"], 5)
    equal(historian.call("history.acknowledge", consumer_id="console:1", seq=9)["acknowledged_seq"], 9)
    for arguments in ({"consumer_id": "", "seq": 1}, {"consumer_id": "x"}, {"seq": 1},
                      {"consumer_id": "x", "seq": -1}):
        equal(refused(historian.call, "history.acknowledge", **arguments).code, "invalid_argument")


def started(event_id, **event):
    return {"type": "operation_started", "change_id": f"{event_id}:created", "event": {
        "event_id": event_id, "operation_type": "command.execute",
        "occurred_at": "2026-01-01T00:00:00.000000Z", "request": {}, "command": {"command": "ls"},
        **event}}


def completed(event_id, status="succeeded", **event):
    return {"type": "operation_completed", "change_id": f"{event_id}:completed:{status}", "event": {
        "event_id": event_id, "status": status, "completed_at": "2026-01-01T00:00:01.000000Z",
        "duration_ms": 1000, "result": {"exit_code": 0},
        "command": {"exit_code": 0, "provider_command_id": "p"}, **event}}


def output(event_id, *chunks):
    return {"type": "command_output", "event_id": event_id,
            "chunks": [{"stream": "stdout", "chunk_index": i, **b64_chunk(c)} for i, c in chunks]}


def b64_chunk(data):
    return {"data_base64": b64(data)["b64"]}


def test_record(directory):
    historian = opened(directory)
    batch = [started("e"), output("e", (0, b"a"), (1, b"b")),
             {"type": "storage_state_changed", "event_id": "e", "history_storage_state": "partial"},
             completed("e", file_operation=None)]
    for _ in range(2):
        equal(historian.call("history.record", batch_id="b", records=batch), {"records_applied": 4})
        equal(changes(historian), [("e:created", "created"), ("b:1:command_output", "output_appended"),
                                   ("b:2:storage_state_changed", "storage_state_changed"),
                                   ("e:completed:succeeded", "completed")])
    event = historian.row("SELECT * FROM history_events")
    equal((event["status"], event["actor_type"], event["source"], event["request_json"],
           event["result_json"], event["duration_ms"], event["occurred_at"], event["completed_at"]),
          ("succeeded", "system", "sdk", "{}", '{"exit_code":0}', 1000,
           "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:01.000000Z"))
    equal(historian.row("SELECT * FROM command_executions")["cwd"], "/workspace")
    equal([c["data"] for c in historian.rows("SELECT data FROM command_output_chunks")], [b"a", b"b"])
    equal(historian.rows("SELECT * FROM asb_operations"), [])


def test_record_rules(directory):
    historian = opened(directory)

    def record(*records):
        return historian.call("history.record", batch_id="b", records=list(records))

    record(started("e"))
    for records in (
        (started("e", operation_type="file.read"),),
        (started("n"), completed("n"), completed("n", "failed")),
        (completed("no"),), (completed("e", "started"),), (output("no", (0, b"x")),),
        (output("e", (0, b"")),), (output("e"),),
        ({"type": "command_output", "event_id": "e", "chunks": [{"stream": "stdout",
          "chunk_index": 0, "data_base64": "!!!!"}]},),
        ({"type": "nonsense"},), (7,), (started("n", occurred_at=None),),
        (started("n", command={"command": ""}),),
        (started("n", file_operation={"path": "", "change_type": "upload"}),),
        (completed("e", file_operation={"diff_data": "d", "diff_encoding": "lzma"}),),
        ({"type": "storage_state_changed", "event_id": "e"},),
        (started("n"), {"type": "operation_completed"}),
    ):
        equal(refused(record, *records).code, "invalid_argument")
    equal(refused(historian.call, "history.record", batch_id="", records=[started("n")]).code,
          "invalid_argument")
    equal(refused(historian.call, "history.record", batch_id="b", records=[]).code,
          "invalid_argument")
    equal([r["event_id"] for r in historian.rows("SELECT event_id FROM history_events")], ["e"])
    equal(len(changes(historian)), 1)
    record(completed("e"))
    record(completed("e", duration_ms=7))
    equal(historian.row("SELECT duration_ms AS d FROM history_events"), {"d": 7})
    record(output("e", (0, b"x")), output("e", (0, b"y")))
    equal(historian.row("SELECT data FROM command_output_chunks")["data"], b"x")
    for wrong in ({"stream": "stdlog"}, {"encoding": "lzma"}):
        odd = output("e", (1, b"z"))
        odd["chunks"][0].update(wrong)
        record(odd)
    equal(len(historian.rows("SELECT * FROM command_output_chunks")), 1)


def test_killed_in_the_middle(directory):
    historian = opened(directory, {"output_flush_interval_ms": 1})
    historian.call("history.record", batch_id="b", records=[started("foreign")])
    call = historian.start("c", **command())
    historian.start("f", file_operation={"path": "/a", "change_type": "write"})
    historian.finish(historian.start("done"))
    historian.output(call, b"some")
    while not historian.rows("SELECT * FROM command_output_chunks"):
        historian.status()
    historian.kill()

    historian = opened(directory)
    status = {r["event_id"]: r["status"] for r in
              historian.rows("SELECT event_id, status FROM history_events")}
    equal(status, {"foreign": "started", "c": "unknown", "f": "unknown", "done": "succeeded"})
    equal(changes(historian, "c")[-1], ("c:completed:unknown", "completed"))
    row = historian.row("SELECT * FROM history_events WHERE event_id='c'")
    result = json.loads(row["result_json"])
    equal((result["state"], result["exit_code"], result["stdout_bytes"],
           result["history_storage_state"], row["duration_ms"]),
          ("unknown", None, 4, "partial", None))
    assert TIME.match(row["completed_at"])
    equal(historian.row("SELECT output_complete AS o, history_storage_state AS s"
                        " FROM command_executions WHERE event_id='c'"), {"o": 0, "s": "partial"})
    historian.kill()
    historian = opened(directory)
    equal(len(changes(historian, "c")), 3)
    equal(historian.rows("SELECT * FROM asb_operations"), [])


def test_one_file_after_closing(directory):
    historian = opened(directory)
    call = historian.start("e", **command())
    historian.output(call, b"late")
    equal(historian.call("historian.close"), {})
    equal(os.listdir(directory), ["history.sqlite3"])
    equal(historian.row("SELECT data FROM command_output_chunks")["data"], b"late")
    equal(refused(historian.start, "f").code, "history_unavailable")
    equal(historian.call("historian.close"), {})
    equal(historian.open()["journal_mode"], "wal")
    equal(historian.finish(call), {"state": "complete"})
    historian.start("f")
    historian.close()
    equal(os.listdir(directory), ["history.sqlite3"])
    equal(len(historian.rows("SELECT * FROM history_events")), 2)


def test_existing(directory):
    historian = Historian(directory)
    equal(refused(historian.call, "history.open", existing=True).code, "history_unavailable")
    assert not os.path.exists(directory)
    os.mkdir(directory)
    equal(refused(historian.call, "history.open", existing=True).code, "history_unavailable")
    equal(os.listdir(directory), [])
    equal(historian.open()["identity"], IDENTITY)
    historian.start("e")
    historian.kill()
    historian = Historian(directory)
    equal(historian.call("history.open", existing=True)["identity"], IDENTITY)
    equal(historian.row("SELECT status FROM history_events"), {"status": "unknown"})
    equal(historian.open()["identity"], IDENTITY)


def test_status(directory):
    historian = opened(directory)
    historian.start("e")
    status = historian.status()
    size = sum(os.path.getsize(historian.path + suffix) for suffix in ("", "-wal"))
    equal(status, {"state": "open", "identity": IDENTITY, "user_version": 1, "journal_mode": "wal",
                   "database_bytes": size, "operations": 1, "min_available_change_seq": 1,
                   "max_change_seq": 1, "incidents": [], "foreign_commits": 0})


def test_reads_are_bounded(directory):
    historian = opened(directory)
    waiting = [historian.start_call({"call": "history.query", "args": {"after_change_seq": 0, "wait_ms": 60000}}) for _ in range(256)]
    equal(refused(historian.read, "history.query", after_change_seq=0).code, "too_many_requests")
    historian.send(historian.frame(CANCEL, waiting[0]))
    equal(refused(historian.wait, waiting[0]).code, "cancelled")
    historian.read("history.query", after_change_seq=0)


def peak(historian):
    for line in open(f"/proc/{historian.process.pid}/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the historian is gone")


def test_bytes_of_reads_are_bounded(directory):
    """However many there are, and however much each may have on its way."""
    historian = opened(directory)
    call = historian.start("e", **command())
    historian.output(call, os.urandom(1000000))
    historian.finish(call)
    historian.read("history.get_output", event_id="e", stream="stdout")
    before = peak(historian)
    frames = [historian.call_frame({"call": "history.get_output", "args": {"event_id": "e", "stream": "stdout"}}) for _ in range(200)]
    historian.send(*(frame for _, frame in frames))
    for call, _ in frames:
        equal(historian.wait(call)["bytes"], 1000000)
    if not checker.is_used():
        assert peak(historian) - before < 16 << 20, peak(historian) - before


def test_answers_that_nobody_reads(directory):
    """With too many of them waiting nothing new is taken in."""
    historian = opened(directory)
    calls = []
    unsent = bytearray()
    for _ in range(300000):
        call, frame = historian.call_frame({"call": "history.status"})
        calls.append(call)
        unsent += frame
    while unsent and select.select([], [historian.socket], [], 3)[1]:
        sent = historian.socket.send(unsent[:1 << 18])
        del unsent[:sent]
    assert unsent, "all of it was taken"
    size = len(frame)
    taken = len(calls) - (len(unsent) + size - 1) // size
    historian.wait(calls[taken // 2])
    while calls[taken - 1] not in historian.replies:
        assert historian.receive()
    historian.kill()


def test_operations_are_bounded(directory):
    historian = opened(directory)
    calls = []
    for part in range(21):
        frames = []
        for number in range(1000):
            call, frame = historian.call_frame({"call": "record.start", "record": envelope(f"e{part}-{number}")})
            calls.append(call)
            frames.append(frame)
        historian.send(*frames)
        historian_waits = calls[part * 1000 + 999]
        while historian_waits not in historian.replies:
            assert historian.receive()
    answers = [historian.replies[call].get("error", {}).get("code") for call in calls]
    equal(answers, [None] * 20000 + ["too_many_requests"] * 1000)
    historian.finish(calls[0])
    historian.start("one-more")


def test_broken_calls(directory):
    historian = opened(directory)
    for payload in (b"", b"[]", b"{", b'{"call":7}', b'{"call":"a\\u0000"}', b"[" * 100000):
        call = historian.next_call
        historian.next_call += 1
        historian.send(historian.frame(1, call, payload))
        equal(refused(historian.wait, call).code, "invalid_argument")
    equal(refused(historian.call, "history.nonsense").code, "unsupported_call")
    historian.send(historian.frame(DATA, 4711, b"nobody's", 1), historian.frame(CANCEL, 4711))
    equal(historian.status()["state"], "open")
    historian.start("e")
    historian.send(HEADER.pack(0, 99, 0, 0, 1, 1))
    assert not historian.receive()
    historian.close(expected=1)
    equal(os.listdir(directory), ["history.sqlite3"])


def test_signals_do_not_cut_the_record(directory):
    import signal

    historian = opened(directory)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        historian.process.send_signal(number)
    historian.finish(historian.start("e"))
    historian.close()
    equal(historian.row("SELECT status FROM history_events"), {"status": "succeeded"})


if __name__ == "__main__":
    main(globals())
