# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reference's own helper on our database, and beside us.

The environment variable ASB_TEST_PYTHON_REFERENCE names the folder in which version 0.1.0 of the Python
package agent-sandbox-backends is installed."""

import base64
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading

from historian_client import (IDENTITY, Historian, Skip, b64, command, equal, main,
                              refused)

VARIABLE = "ASB_TEST_PYTHON_REFERENCE"


class HelperError(Exception):
    pass


def build_helper(target):
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise Skip(f"{VARIABLE} is not set")
    path = os.path.join(folder, "agent_sandbox_backends", "helper", "build.py")
    if not os.path.exists(path):
        raise Skip(f"{VARIABLE} names no folder with the package")
    spec = importlib.util.spec_from_file_location("reference_build", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.build_helper(target)


class Helper:
    def __init__(self, directory):
        self.path = os.path.join(directory, "history.sqlite3")
        self.folder = tempfile.mkdtemp(dir=os.path.dirname(directory))
        self.program = os.path.join(self.folder, "history-helper-v1.pyz")
        build_helper(self.program)

    def run(self, name, *options, **files):
        arguments = [sys.executable, self.program, "--database", self.path, name, *map(str, options)]
        for option, content in files.items():
            handle, path = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "w") as file:
                json.dump(content, file)
            arguments += [f"--{option.replace('_', '-')}", path]
        done = subprocess.run(arguments, capture_output=True, text=True)
        if done.returncode != 0:
            raise HelperError(done.stderr)
        return json.loads(done.stdout)["data"]

    def init(self, identity=IDENTITY, **more):
        return self.run("init", identity_file={**identity, "sdk_version": "0.1.0",
                                               "schema_version": 1, **more})

    def apply(self, batch_id, records):
        return self.run("apply", batch_file={"batch_id": batch_id, "schema_version": 1,
                                             "records": records})


def helper_refuses(function, *arguments, **more):
    try:
        function(*arguments, **more)
    except HelperError as error:
        return str(error)
    raise AssertionError("the helper did not refuse")


def opened(directory, **more):
    helper = Helper(directory)
    historian = Historian(directory)
    historian.open(**more)
    return historian, helper


def record_some(historian):
    call = historian.start("command", **command("printf 'ä\\n'", "/tmp", timeout_ms=1000))
    historian.output(call, b"out\xff" * 30000)
    historian.output(call, b"err", channel=2)
    historian.finish(call, "failed", result={"command_id": "k", "state": "completed",
                                             "exit_code": 3})
    call = historian.start("edit", operation_type="file.write",
                           request={"path": "/a", "size": 2, "is_edit": True},
                           file_operation={"path": "/a", "change_type": "write",
                                           "before_hash": "0"})
    historian.finish(call, result={"path": "/a", "size": 2, "content_hash": "2",
                                   "previous_hash": "1", "diff": "--- /a (before)\n+ä\n",
                                   "diff_truncated": False})
    historian.start("running", operation_type="file.read", request={"path": "/b"},
                    file_operation={"path": "/b", "change_type": "read"})
    call = historian.start("raw", **command(b64(b"ls \xff"), b64(b"/\xfe")))
    historian.finish(call, "cancelled", error_code="cancelled")
    return ["command", "edit", "running", "raw"]


def objects(rows):
    return {(row["type"], row["name"]): row["sql"] for row in rows
            if not row["name"].startswith("asb_") and not row["tbl_name"].startswith("asb_")}


def test_same_schema(directory):
    historian, helper = opened(directory)
    other = Historian(directory + "-theirs")
    theirs = Helper(directory + "-theirs")
    theirs.init()
    sql = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    equal(objects(historian.rows(sql)), objects(other.rows(sql)))
    for pragma in ("user_version", "application_id", "page_size", "encoding", "auto_vacuum",
                   "journal_mode"):
        equal(historian.row(f"PRAGMA {pragma}"), other.row(f"PRAGMA {pragma}"))


def test_identity_and_config(directory):
    historian, helper = opened(directory)
    equal(helper.run("health"), {"schema_version": 1, "journal_mode": "wal", "identity": {
        **IDENTITY, "sandbox_name": None, "sandbox_metadata": {}}})
    equal(helper.run("identity-get"), {**IDENTITY, "sandbox_name": None, "sandbox_metadata": {}})
    config = helper.run("config-get")
    equal((config["version"], config["revision"], config["updated_by"]), (1, 0, "sdk:initialize"))
    equal(config["config"], historian.open()["config"])
    helper.init(history_config={"ttl_days": 1})
    equal(helper.run("config-get"), config)
    for key in IDENTITY:
        assert key in helper_refuses(helper.init, {**IDENTITY, key: "other"})


def test_reads(directory):
    historian, helper = opened(directory)
    ids = record_some(historian)
    theirs = helper.run("query", "--after-change-seq", 0, "--limit", 100, "--max-bytes", 1 << 20)
    changes, result = historian.read_lines("history.query", after_change_seq=0, limit=100)
    equal(theirs, {"changes": changes, **result})
    page = helper.run("query", "--after-change-seq", 2, "--limit", 3, "--max-bytes", 500)
    changes, result = historian.read_lines("history.query", after_change_seq=2, limit=3,
                                           max_bytes=500)
    equal(page, {"changes": changes, **result})

    ours, _ = historian.read_lines("history.get_operations", event_ids=ids)
    equal([o["command"]["command"] for o in ours if o["event_id"] == "raw"], [b64(b"ls \xff")])
    ours[-1]["command"].update(command="ls \ufffd", cwd="/\ufffd")
    ours[-1]["request"].update(command="ls \ufffd", cwd="/\ufffd")
    equal([helper.run("get-operation", "--event-id", i) for i in ids], ours)
    theirs = helper.run("get-operations", "--event-ids", ",".join([*ids, "none"]))["operations"]
    equal(sorted(theirs, key=lambda o: o["seq"]), ours)

    for stream in ("stdout", "stderr"):
        theirs = helper.run("get-output", "--event-id", "command", "--stream", stream)
        data, result = historian.read("history.get_output", event_id="command", stream=stream)
        equal(b"".join(base64.b64decode(c["data_base64"]) for c in theirs["chunks"]), data)
        equal(len(theirs["chunks"]), result["chunks"])
        equal({c["encoding"] for c in theirs["chunks"]}, {"identity"})


def started(event_id, **event):
    return {"type": "operation_started", "event": {
        "event_id": event_id, "operation_type": "command.execute",
        "occurred_at": "2026-01-01T00:00:00Z", "request": {"command": "x"}, **event}}


def completed(event_id, status="succeeded", **event):
    return {"type": "operation_completed", "change_id": f"{event_id}:completed:{status}", "event": {
        "event_id": event_id, "status": status, "completed_at": "2026-01-01T00:00:01Z", **event}}


def chunks(event_id, *values, **more):
    return {"type": "command_output", "event_id": event_id, "chunks": [
        {"stream": "stdout", "chunk_index": i, "data_base64": base64.b64encode(v).decode(),
         "created_at": "2026-01-01T00:00:00Z", **more} for i, v in enumerate(values)]}


def test_writes_beside_us(directory):
    historian, helper = opened(directory)
    call = historian.start("ours", **command())
    helper.init()
    helper.apply("b", [started("theirs", command={"command": "x"}), chunks("theirs", b"1", b"2")])
    historian.output(call, b"y")
    historian.finish(call, result={"exit_code": 0})
    helper.apply("c", [completed("theirs", command={"exit_code": 0})])
    operations, _ = historian.read_lines("history.get_operations", event_ids=["ours", "theirs"])
    equal([o["status"] for o in operations], ["succeeded", "succeeded"])
    equal(historian.read("history.get_output", event_id="theirs", stream="stdout")[0], b"12")
    changes, _ = historian.read_lines("history.query", after_change_seq=0)
    equal([c["change_id"] for c in changes],
          ["ours:created", "b:0:operation_started", "b:1:command_output", "ours:output:stdout:0",
           "ours:completed:succeeded", "theirs:completed:succeeded"])
    assert historian.status()["foreign_commits"] >= 1
    equal(historian.status()["incidents"], [])
    equal(helper.run("ack", "--consumer-id", "console:1", "--seq", 3)["acknowledged_seq"], 3)
    equal(historian.call("history.acknowledge", consumer_id="console:1", seq=2)["acknowledged_seq"], 3)


def test_idempotence_across_writers(directory):
    historian, helper = opened(directory)
    batch = [started("e", command={"command": "x"}), chunks("e", b"1"), completed("e", result={"a": 1})]
    historian.call("history.record", batch_id="b", records=batch)
    before = helper.run("query", "--after-change-seq", 0, "--limit", 100, "--max-bytes", 1 << 20)
    helper.apply("b", batch)
    historian.call("history.record", batch_id="b", records=batch)
    equal(helper.run("query", "--after-change-seq", 0, "--limit", 100, "--max-bytes", 1 << 20), before)


DUMP = {
    "history_events": "*",
    "command_executions": "*",
    "file_operations": "*",
    "command_output_chunks": "id, event_id, stream, chunk_index, data, encoding, original_size,"
                             " created_at",
    "history_changes": "seq, change_id, event_id, change_type, schema_version",
}

# Each is one batch; both writers must make the same of it.
BATCHES = [
    [started("a")], [started("a")], [started("a", operation_type="file.read")],
    [started("b", source="console", schema_version=1, actor={
        "actor_type": "user", "actor_id": "u", "thread_id": "t", "run_id": "r",
        "correlation_id": "c"}, command={"command": "x", "cwd": "/", "timeout_ms": 5,
                                         "environment": {"B": "1", "A": "ä"}})],
    [started("c", request=None, actor=None, command={"command": "x"})],
    [started("d", request={"z": 1, "a": [1.0, 1e-7, 123456789.125, 1e16, -0.0, True, None],
                           "t": "\u0001\u001f\u007f/ä\U0001f600\\\""})],
    [started("e", file_operation={"path": "/a", "change_type": "write", "old_path": "/o",
                                  "before_hash": "1", "after_hash": "2", "before_size": 3,
                                  "after_size": 4, "diff_complete": False})],
    [completed("e", result=None, duration_ms=5, file_operation={
        "after_hash": "9", "diff_data": "ä", "diff_encoding": "identity", "diff_complete": 0})],
    [completed("e", file_operation={"before_size": 7})],
    [started("f", file_operation={"path": "", "change_type": "upload"})],
    [started("f", command={"command": ""})], [started("", command=None)],
    [started("f", occurred_at="")], [{"type": "operation_started"}], [{"type": "x"}], [],
    [chunks("a", b"1", b"2")], [chunks("a", b"9")], [chunks("a", b"")], [chunks("nobody", b"1")],
    [{"type": "command_output", "event_id": "a", "chunks": []}],
    [chunks("b", b"x", encoding="gzip", original_size=77)], [chunks("b", b"x", encoding="lzma")],
    [chunks("c", b"x", stream="stdin")],
    [completed("a", "started")], [completed("nobody")],
    [completed("a", "failed", result={"error": "x"}, command={"exit_code": 1})],
    [completed("b", "failed", result={}, command={
        "exit_code": None, "provider_command_id": "p", "output_complete": False,
        "history_storage_state": "partial"})],
    [completed("a")], [completed("a", "failed", duration_ms=9)],
    [{"type": "storage_state_changed", "event_id": "b", "history_storage_state": "metadata_only"}],
    [{"type": "storage_state_changed", "event_id": "b"}],
    [started("g"), completed("g"), completed("g", "failed")],
    [started("g", change_id="own"), {**completed("g"), "change_id": ""}],
]


def test_same_outcome_of_batches(directory):
    historian, _ = opened(directory)
    helper = Helper(directory + "-theirs")
    helper.init()
    other = Historian(directory + "-theirs")
    for number, records in enumerate(BATCHES):
        batch_id = f"batch-{number}"
        arguments = {"batch_id": batch_id, "records": records}
        try:
            theirs = helper.apply(batch_id, records)["records_applied"]
        except HelperError:
            theirs = None
        if theirs is None:
            equal(refused(historian.call, "history.record", **arguments).code, "invalid_argument")
        else:
            equal(historian.call("history.record", **arguments), {"records_applied": theirs})
        for table, columns in DUMP.items():
            sql = f"SELECT {columns} FROM {table} ORDER BY 1"
            try:
                equal(historian.rows(sql), other.rows(sql))
            except AssertionError:
                print(f"# batch {records}")
                raise


def test_database_of_the_reference(directory):
    helper = Helper(directory)
    helper.init(sandbox_name="theirs")
    helper.apply("b", [started("running", command={"command": "x"})])
    historian = Historian(directory)
    reply = historian.open()
    assert "renamed" not in reply
    equal((reply["config"]["ttl_days"], reply["revision"]), (7, 0))
    equal(historian.row("SELECT status FROM history_events"), {"status": "started"})
    historian.finish(historian.start("ours"))
    helper.run("config-set", "--expected-revision", 0,
               config_file={"changes": {"ttl_days": 3}, "updated_by": "console"})
    historian.close()
    equal(helper.run("get-operation", "--event-id", "ours")["status"], "succeeded")
    historian = Historian(directory)
    reply = historian.open()
    equal((reply["config"]["ttl_days"], reply["revision"]), (3, 1))
    historian.call("historian.close")
    equal(os.listdir(directory), ["history.sqlite3"])


def test_cleanup_by_the_reference(directory):
    historian, helper = opened(directory)
    record_some(historian)
    result = helper.run("cleanup", "--max-bytes", 1, "--overflow-policy", "delete_oldest")
    equal((result["executed"], result["deleted_operations"]), (True, 3))
    equal([r["event_id"] for r in historian.rows("SELECT event_id FROM history_events")], ["running"])
    equal(historian.rows("SELECT * FROM asb_raw_texts"), [])
    _, result = historian.read_lines("history.query", after_change_seq=0)
    equal(result["reset_required"], True)
    historian.finish(historian.start("after"))


def test_cleanup_beside_the_reference(directory):
    """Either sees what the other has deleted, and one cleans up at a time."""
    historian, helper = opened(directory)
    record_some(historian)
    helper.run("ack", "--consumer-id", "console:1", "--seq", 5)
    result = historian.call("history.cleanup", max_bytes=0)
    equal(result["protected_acknowledged_seq"], 5)
    helper.run("ack", "--consumer-id", "console:1", "--seq", 100)
    historian.call("history.cleanup", max_bytes=0)
    ours, mine = historian.read_lines("history.query", after_change_seq=0)
    theirs = helper.run("query", "--after-change-seq", 0, "--limit", 100, "--max-bytes", 1 << 20)
    equal((theirs["changes"], theirs["reset_required"]), (ours, mine["reset_required"]))
    equal(helper.run("cleanup", "--max-bytes", 1, "--overflow-policy", "delete_oldest", "--if-due")["reason"],
          "not_due")
    result = helper.run("cleanup", "--max-bytes", 1, "--overflow-policy", "delete_oldest")
    equal((result["executed"], result["deleted_operations"]), (True, 1))
    equal(historian.call("history.cleanup", if_due=True)["reason"], "not_due")
    helper.apply("b", [started("theirs"), completed("theirs")])
    historian.finish(historian.start("ours"))
    equal(helper.run("get-operation", "--event-id", "ours")["status"], "succeeded")


def test_both_at_once(directory):
    historian, helper = opened(directory)
    failures = []

    def work():
        try:
            for i in range(10):
                helper.apply(f"t{i}", [started(f"t{i}"), completed(f"t{i}")])
        except HelperError as error:
            failures.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    n = 0
    while thread.is_alive() or n < 50:
        call = historian.start(f"o{n}", **command())
        historian.output(call, b"x" * 1000)
        equal(historian.finish(call), {"state": "complete"})
        n += 1
    thread.join()
    equal(failures, [])
    equal(historian.row("SELECT count(*) AS n FROM history_events WHERE status='succeeded'"),
          {"n": n + 10})
    equal(historian.row("PRAGMA integrity_check"), {"integrity_check": "ok"})


if __name__ == "__main__":
    main(globals())
