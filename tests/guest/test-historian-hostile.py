# SPDX-License-Identifier: LGPL-2.1-or-later
"""The historian where the database is broken, replaced, locked, full, or not writable."""

import ctypes
import json
import os
import sqlite3
import subprocess
import sys

from historian_client import (IDENTITY, Historian, Skip, command, equal, main, refused)


def opened(directory, **more):
    historian = Historian(directory, **more)
    historian.open()
    return historian


def kinds(historian):
    return [i["kind"] for i in reversed(historian.status()["incidents"])]


def works(historian):
    """A whole operation is recorded and can be read."""
    historian.finish(historian.start("after"))
    lines, _ = historian.read_lines("history.get_operations", event_ids=["after"])
    equal([line["status"] for line in lines], ["succeeded"])
    equal(historian.row("PRAGMA integrity_check"), {"integrity_check": "ok"})


def aside(directory):
    return sorted(name for name in os.listdir(directory) if ".aside-" in name)


def aside_databases(directory):
    return [name for name in aside(directory) if not name.endswith(("-wal", "-shm"))]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def test_things_in_its_place(directory):
    target = directory + "-target"
    write(target, b"precious")

    def link(path):
        os.symlink(target, path)

    def dangling(path):
        os.symlink(target + "-new", path)

    def hard_link(path):
        os.link(target, path)

    for number, make in enumerate((link, dangling, hard_link, os.mkfifo, os.mkdir)):
        place = f"{directory}{number}"
        os.mkdir(place)
        make(os.path.join(place, "history.sqlite3"))
        historian = Historian(place)
        reply = historian.open()
        equal(os.path.basename(reply["renamed"]), aside(place)[0])
        works(historian)
        equal(kinds(historian), ["unsound_file", "moved_aside"])
        historian.close()
    equal(read(target), b"precious")
    assert not os.path.exists(target + "-new")


def test_links_beside_it(directory):
    target = directory + "-target"
    write(target, b"precious")
    for number, suffix in enumerate(("-wal", "-shm", "-journal")):
        place = f"{directory}{number}"
        opened(place).close()
        os.symlink(target, os.path.join(place, "history.sqlite3" + suffix))
        historian = Historian(place)
        assert "renamed" in historian.open()
        works(historian)
        historian.close()
    equal(read(target), b"precious")


def test_leftover_log_is_not_taken_over(directory):
    historian = opened(directory)
    historian.start("old")
    historian.kill()
    os.unlink(historian.path)
    assert os.path.exists(historian.path + "-wal")
    historian = opened(directory)
    works(historian)
    equal([r["event_id"] for r in historian.rows("SELECT event_id FROM history_events")], ["after"])
    assert any(name.endswith("-wal") for name in aside(directory))


def test_folder_that_is_a_link(directory):
    os.mkdir(directory + "-elsewhere")
    os.symlink(directory + "-elsewhere", directory)
    historian = Historian(directory)
    error = refused(historian.open)
    equal(error.code, "history_unavailable")
    assert directory in error.message
    equal(refused(historian.start, "e").code, "history_unavailable")
    equal(historian.status()["state"], "failed")
    equal(os.listdir(directory + "-elsewhere"), [])
    os.unlink(directory)
    works(historian)
    equal(historian.status()["state"], "open")


def test_folder_becomes_a_link(directory):
    historian = opened(directory)
    running = historian.start("running", **command())
    os.rename(directory, directory + "-gone")
    os.mkdir(directory + "-elsewhere")
    os.symlink(directory + "-elsewhere", directory)
    works(historian)
    equal(os.listdir(directory + "-elsewhere"), [])
    assert not os.path.islink(directory)
    historian.finish(running)
    equal(len(historian.rows("SELECT * FROM history_events")), 2)
    assert "unsound_folder" in kinds(historian)


def test_garbage(directory):
    for number, (data, kind) in enumerate((
        (b"x" + os.urandom(20000), "unsound_file"), (b"x", "unsound_file"),
        (b"SQLite format 3\0" + bytes(8176), "damaged_database"),
    )):
        place = f"{directory}{number}"
        os.mkdir(place)
        path = os.path.join(place, "history.sqlite3")
        write(path, data)
        historian = Historian(place)
        reply = historian.open()
        equal(read(reply["renamed"]), data)
        works(historian)
        equal(kinds(historian), [kind, "moved_aside"])
        detail = historian.status()["incidents"][0]["detail"]
        assert reply["renamed"] in detail, detail


def test_empty_file_is_used(directory):
    os.mkdir(directory)
    write(os.path.join(directory, "history.sqlite3"), b"")
    historian = Historian(directory)
    assert "renamed" not in historian.open()
    works(historian)


def make_database(directory, *statements):
    os.mkdir(directory)
    connection = sqlite3.connect(os.path.join(directory, "history.sqlite3"))
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_foreign_database(directory):
    make_database(directory, "CREATE TABLE users(name TEXT)", "INSERT INTO users VALUES ('x')")
    historian = Historian(directory)
    renamed = historian.open()["renamed"]
    equal(sqlite3.connect(renamed).execute("SELECT name FROM users").fetchall(), [("x",)])
    works(historian)
    equal(kinds(historian), ["foreign_database", "moved_aside"])


def test_tables_of_another_shape(directory):
    make_database(directory, "CREATE TABLE history_meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)",
                  "CREATE TABLE history_events(seq INTEGER)", "PRAGMA user_version=1")
    historian = Historian(directory)
    assert "renamed" in historian.open()
    works(historian)


def test_views_and_virtual_tables(directory):
    make_database(directory, "CREATE VIEW history_meta AS SELECT 'a' AS key, 'b' AS value")
    historian = Historian(directory)
    assert "renamed" in historian.open()
    works(historian)


def test_triggers_do_not_fire(directory):
    historian = opened(directory)
    historian.write("CREATE TRIGGER t AFTER INSERT ON history_events BEGIN"
                    " DELETE FROM history_events; END")
    historian.start("e")
    equal(len(historian.rows("SELECT * FROM history_events")), 1)


def test_newer_version_is_refused(directory):
    historian = opened(directory)
    historian.start("e")
    historian.close()
    historian.write("PRAGMA user_version=2")
    before = read(historian.path)
    historian = Historian(directory)
    error = refused(historian.open)
    equal(error.code, "history_unavailable")
    assert "2" in error.message
    equal(refused(historian.start, "f").code, "history_unavailable")
    historian.close()
    equal(read(historian.path), before)
    equal(aside(directory), [])


def test_other_identity(directory):
    historian = opened(directory)
    historian.start("theirs")
    historian.close()
    historian = Historian(directory)
    renamed = historian.open({**IDENTITY, "sandbox_id": "s-2"})["renamed"]
    works(historian)
    equal(sqlite3.connect(renamed).execute("SELECT event_id FROM history_events").fetchall(),
          [("theirs",)])
    equal(kinds(historian), ["other_identity", "moved_aside"])
    again = historian.open({**IDENTITY, "sandbox_id": "s-2"})
    equal(again["renamed"], renamed)


def test_identity_is_completed(directory):
    historian = opened(directory)
    historian.close()
    historian.write("DELETE FROM history_meta WHERE key IN ('sandbox_id', 'history_config_json')")
    historian = Historian(directory)
    assert "renamed" not in historian.open()
    equal(historian.row("SELECT value FROM history_meta WHERE key='sandbox_id'"), {"value": "s-1"})


def test_removed_while_open(directory):
    historian = opened(directory)
    running = historian.start("running", **command())
    historian.output(running, b"x" * 40000)
    historian.status()
    for suffix in ("", "-wal", "-shm"):
        os.unlink(historian.path + suffix)
    works(historian)
    equal(kinds(historian), ["database_missing"])
    historian.output(running, b"more")
    equal(historian.finish(running)["state"], "partial")
    row = historian.row("SELECT * FROM history_events WHERE event_id='running'")
    result = json.loads(row["result_json"])
    equal((row["status"], result["stdout_total_bytes"], result["stdout_bytes"],
           result["history_storage_state"]), ("succeeded", 40004, 4, "partial"))
    assert "gone" in result["history_storage_error"]


def test_folder_removed_while_open(directory):
    historian = opened(directory)
    call = historian.start("e")
    subprocess.run(["rm", "-rf", directory], check=True)
    equal(historian.finish(call), {"state": "complete"})
    equal(historian.row("SELECT status FROM history_events"), {"status": "succeeded"})
    works(historian)


def test_replaced_while_open(directory):
    historian = opened(directory)
    historian.start("before")
    target = directory + "-target"
    write(target, b"precious")
    os.unlink(historian.path)
    os.symlink(target, historian.path)
    works(historian)
    equal(read(target), b"precious")
    equal(kinds(historian)[:2], ["database_replaced", "unsound_file"])


def test_cut_while_open(directory):
    historian = opened(directory)
    historian.start("before")
    os.truncate(historian.path, 0)
    os.truncate(historian.path + "-wal", 0)
    first = historian.start_call({"call": "record.start", "record": {
        "event_id": "e", "operation_type": "file.read", "request": {}}})
    try:
        historian.wait(first)
    except Exception as error:
        print(f"# {error}")
    historian.close()
    historian = Historian(directory)
    historian.open()
    works(historian)


def test_garbage_while_open(directory):
    historian = opened(directory)
    for i in range(200):
        historian.start(f"e{i}", request={"text": "x" * 1000})
    connection = sqlite3.connect(historian.path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    size = os.path.getsize(historian.path)
    with open(historian.path, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    historian.write("PRAGMA user_version=1")
    works(historian)
    assert "damaged_database" in kinds(historian)
    equal(len(aside_databases(directory)), 1)


def test_table_dropped_while_open(directory):
    historian = opened(directory)
    historian.start("before")
    historian.write("DROP TABLE history_changes")
    works(historian)
    assert "damaged_database" in kinds(historian)


def test_log_removed_while_open(directory):
    historian = opened(directory)
    historian.start("before")
    os.unlink(historian.path + "-wal")
    works(historian)
    equal(kinds(historian), ["journal_changed"])
    equal(len(historian.rows("SELECT * FROM history_events")), 2)


def test_shared_memory_cut_while_open(directory):
    historian = opened(directory)
    historian.start("before")
    os.truncate(historian.path + "-shm", 0)
    works(historian)
    assert "journal_changed" in kinds(historian)
    equal(len(historian.rows("SELECT * FROM history_events")), 2)


def test_rows_changed_by_others(directory):
    historian = opened(directory)
    removed = historian.start("removed", **command())
    changed = historian.start("changed")
    equal(historian.status()["foreign_commits"], 0)
    connection = sqlite3.connect(historian.path)
    connection.execute("PRAGMA foreign_keys=ON")
    with connection:
        connection.execute("DELETE FROM history_events WHERE event_id='removed'")
        connection.execute("UPDATE history_events SET status='succeeded' WHERE event_id='changed'")
    connection.close()
    historian.finish(removed, result={"exit_code": 4}, status="failed")
    historian.finish(changed, status="cancelled")
    rows = historian.rows("SELECT event_id, status FROM history_events ORDER BY event_id")
    equal(rows, [{"event_id": "changed", "status": "cancelled"},
                 {"event_id": "removed", "status": "failed"}])
    equal(historian.row("SELECT exit_code FROM command_executions"), {"exit_code": 4})
    status = historian.status()
    equal((sorted(kinds(historian)), status["foreign_commits"]), (["row_changed", "row_removed"], 1))
    assert status["message"]


def test_values_of_other_types(directory):
    historian = opened(directory)
    historian.start("e", file_operation={"path": "/a", "change_type": "read"}, **{})
    historian.start("big")
    connection = sqlite3.connect(historian.path)
    with connection:
        connection.execute("UPDATE history_events SET actor_id=CAST(x'ff00' AS TEXT),"
                           " duration_ms=9223372036854775807, request_json='{\"a\":', run_id=1e999,"
                           " result_json=? WHERE event_id='e'", ("[" * 5000,))
        connection.execute("UPDATE file_operations SET diff_data=x'ff', before_size='many'")
        connection.execute("UPDATE history_events SET request_json=zeroblob(20000000)"
                           " WHERE event_id='big'")
    connection.close()
    operations, result = historian.read_lines("history.get_operations", event_ids=["big", "e"])
    equal(result, {"count": 1, "unreadable": 1})
    operation = operations[0]
    equal((operation["actor_id"], operation["duration_ms"], operation["request"],
           operation["request_json"], operation["result"], operation["result_json"],
           operation["run_id"]),
          ({"b64": "/wA="}, 9.223372036854776e18, None, '{"a":', None, "[" * 5000, "Inf"))
    equal((operation["file_operation"]["diff_data"], operation["file_operation"]["before_size"]),
          ({"b64": "/w=="}, "many"))


def test_long_json_stays_text(directory):
    """As values, short text could be many times as much."""
    historian = opened(directory)
    historian.start("e")
    short, long = ("[" + ",".join(["[]"] * n) + "]" for n in (1000, 1000000))
    historian.write(f"UPDATE history_events SET request_json='{short}', result_json='{long}' WHERE event_id='e'")
    [operation], _ = historian.read_lines("history.get_operations", event_ids=["e"])
    equal((operation["request"], operation["result"], operation["result_json"]), ([[]] * 1000, None, long))
    assert "request_json" not in operation


def test_texts_that_are_too_long_for_an_answer(directory):
    """What is told of the record fits a frame, whatever others have written into it."""
    historian = opened(directory)
    long = "replace(hex(zeroblob(10000)), '0', char(1))"
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)"
    historian.write(f"{numbers} INSERT INTO asb_incidents(noticed_at, kind, detail) SELECT {long}, {long}, {long} FROM n")
    status = historian.status()
    assert len(json.dumps(status)) < 1 << 20 and len(status["incidents"]) == 20, len(json.dumps(status))
    works(historian)
    historian.close()
    for size in (256, 20000):
        historian.write(f"UPDATE history_meta SET value = substr({long}, 1, {size}) WHERE key = 'sandbox_id'")
        historian = Historian(directory)
        error = refused(historian.call, "history.open", existing=True)
        equal(error.code, "history_unavailable")
        assert "does not say" in error.message, error.message
        historian.close()


def fill(historian, n):
    """So many operations, and as many notes of ours that belong to none of them."""
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n})"
    historian.write(
        f"{numbers} INSERT INTO history_events(event_id, provider_key, sandbox_id, sandbox_instance_id, actor_type,"
        f" operation_type, status, occurred_at) SELECT '{n}-' || i, '', '', '', '', 'file.read', 'started', '' FROM n",
        f"{numbers} INSERT INTO asb_operations(event_id, boot_id) SELECT CAST('{n}-' || i AS BLOB), '' FROM n")


def test_statement_that_takes_long(directory):
    """Of what others can make as large as they like: it is given up after ten seconds, which here pass quickly."""
    historian = opened(directory)
    fill(historian, 10)
    historian.close()
    historian = Historian(directory, fault="late")
    historian.open()
    works(historian)
    fill(historian, 100000)
    historian.close()
    historian = Historian(directory, fault="late")
    error = refused(historian.open)
    equal(error.code, "history_database_error")
    assert "interrupted" in error.message, error.message
    # It is as it was, for whoever has the time.
    equal(historian.row("SELECT count(*) AS n FROM asb_operations")["n"], 100010)
    historian.close()


def test_busy(directory):
    historian = opened(directory)
    running = historian.start("running")
    connection = sqlite3.connect(historian.path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    error = refused(historian.start, "late")
    equal(error.code, "history_database_error")
    assert "locked" in error.message
    waiting = historian.start_call({"call": "record.finish", "start": running,
                                    "status": "succeeded"})
    connection.execute("ROLLBACK")
    equal(historian.wait(waiting), {"state": "complete"})
    works(historian)


def full_disk(directory):
    flag = directory + "-full"
    environment = {"ASB_TEST_DISK_FULL": flag}
    historian = Historian(directory, fault="full", environment=environment)
    return flag, historian


def test_disk_full_at_opening(directory):
    flag, historian = full_disk(directory)
    write(flag, b"")
    error = refused(historian.open)
    equal(error.code, "history_storage_exhausted")
    equal(refused(historian.start, "e").code, "history_storage_exhausted")
    equal(historian.status()["state"], "failed")
    os.unlink(flag)
    works(historian)
    equal(historian.status()["state"], "open")


def test_disk_full_in_the_middle(directory):
    flag, historian = full_disk(directory)
    historian.open(config={"output_flush_bytes": 1000, "output_queue_max_bytes": 1 << 20})
    first = historian.start("first", **command())
    second = historian.start("second", **command())
    write(flag, b"")
    error = refused(historian.start, "third")
    equal(error.code, "history_storage_exhausted")
    assert historian.path in error.message, error.message
    historian.output(first, b"x" * 20000)
    historian.output(second, b"y" * 2000000)
    equal(historian.status()["state"], "failed")
    equal(refused(historian.finish, second).code, "history_storage_exhausted")
    os.unlink(flag)
    equal(historian.finish(first), {"state": "complete"})
    works(historian)
    historian.close()
    rows = {r["event_id"]: r for r in historian.rows("SELECT * FROM history_events")}
    equal({name: row["status"] for name, row in rows.items()},
          {"first": "succeeded", "second": "succeeded", "after": "succeeded"})
    result = json.loads(rows["second"]["result_json"])
    equal((result["history_storage_state"], result["stdout_bytes"], result["stdout_total_bytes"]),
          ("partial", 0, 2000000))
    assert "full" in result["history_storage_error"], result
    equal(sum(len(r["data"]) for r in historian.rows("SELECT data FROM command_output_chunks")),
          20000)


def test_output_for_a_full_disk_is_bounded(directory):
    """That of all operations together, also between two attempts to write it."""
    flag, historian = full_disk(directory)
    historian.open()
    calls = [historian.start(f"e{i}", **command()) for i in range(16)]
    write(flag, b"")
    for call in calls:
        historian.output(call, bytes(3 << 20))
    equal(historian.status()["state"], "failed")
    os.unlink(flag)
    states = [historian.finish(call)["state"] for call in calls]
    historian.close()
    kept = historian.row("SELECT sum(original_size) AS n FROM command_output_chunks")["n"]
    assert 0 < kept <= 32 << 20, kept
    assert states.count("partial") >= 6 and states.count("complete") >= 1, states


def test_small_disk(directory):
    libc = ctypes.CDLL(None, use_errno=True)
    os.mkdir(directory)
    if os.geteuid() != 0 or libc.mount(b"tmpfs", directory.encode(), b"tmpfs", 0, b"size=1m") != 0:
        raise Skip("a small file system cannot be mounted here")
    try:
        historian = opened(directory)
        call = historian.start("e", **command())
        for _ in range(40):
            historian.output(call, os.urandom(65536))
        reply = None
        try:
            reply = historian.finish(call)
        except Exception as error:
            equal(error.code, "history_storage_exhausted")
        if reply:
            equal(reply["state"], "partial")
        row = historian.row("SELECT status FROM history_events WHERE event_id='e'")
        equal(row["status"], "succeeded" if reply else "started")
        historian.close()
        equal(historian.row("PRAGMA integrity_check"), {"integrity_check": "ok"})
    finally:
        libc.umount2(directory.encode(), 2)


def test_file_size_limit(directory):
    historian = Historian(directory, file_limit=400000)
    historian.open()
    call = historian.start("e", **command())
    historian.output(call, os.urandom(1000000))
    equal(historian.finish(call)["state"], "partial")
    error = None
    for i in range(1000):
        try:
            historian.finish(historian.start(f"e{i}"))
        except Exception as refusal:
            error = refusal
            break
    equal(error.code, "history_storage_exhausted")
    equal(historian.row("SELECT status FROM history_events WHERE event_id='e'"),
          {"status": "succeeded"})


def as_nobody(directory):
    if os.geteuid() != 0:
        return None
    os.chmod(os.path.dirname(directory), 0o755)
    return 65534


def test_closed_by_a_command(directory):
    """What is the guest's own is opened again, while it is used and before."""
    user = as_nobody(directory)
    opened(directory).close()
    names = [directory, *(os.path.join(directory, name) for name in os.listdir(directory))]
    if user:
        for name in names:
            os.chown(name, user, user)
    historian = opened(directory, user=user)
    call = historian.start("running", **command())
    historian.output(call, b"before")
    for mode in (0, 0o500, 0o055):
        os.chmod(directory, mode)
        historian.output(call, b"after")
        historian.finish(historian.start(f"e{mode}"))
        equal(os.stat(directory).st_mode & 0o777, 0o700)
    historian.finish(call)
    equal(set(kinds(historian)), {"closed_to_guest"})
    historian.close()
    for name in reversed(names):
        os.chmod(name, 0)
    historian = Historian(directory, user=user)
    assert "renamed" not in historian.open()
    works(historian)
    equal(historian.row("SELECT status FROM history_events WHERE event_id='running'"), {"status": "succeeded"})
    equal(aside(directory), [])


def test_link_in_place_of_what_is_closed(directory):
    """Nothing is changed through it."""
    user = as_nobody(directory)
    target = os.path.join(os.path.dirname(directory), "target")
    os.mkdir(target)
    if user:
        os.chown(target, user, user)
    os.chmod(target, 0)
    os.symlink(target, directory)
    equal(refused(Historian(directory, user=user).open).code, "history_unavailable")
    equal(os.stat(target).st_mode & 0o777, 0)
    os.rmdir(target)


def test_folder_that_cannot_be_written(directory):
    user = as_nobody(directory)
    if user is None:
        raise Skip("only root has folders of others")
    historian = opened(directory)
    historian.close()
    os.chmod(directory, 0o555)
    before = read(historian.path)
    historian = Historian(directory, user=user)
    error = refused(historian.open)
    equal(error.code, "history_database_error")
    assert directory in error.message, error.message
    equal(refused(historian.start, "e").code, "history_database_error")
    equal(historian.status()["state"], "failed")
    historian.close()
    equal(read(historian.path), before)
    os.chmod(directory, 0o755)


def test_folder_that_cannot_be_made(directory):
    user = as_nobody(directory)
    if user is None:
        os.chmod(os.path.dirname(directory), 0o555)
    historian = Historian(directory, user=user)
    error = refused(historian.open)
    equal(error.code, "history_database_error")
    os.chmod(os.path.dirname(directory), 0o777)
    historian.start("e")
    os.chmod(os.path.dirname(directory), 0o755)


def test_file_of_another_user(directory):
    if os.geteuid() != 0:
        raise Skip("only root can give files away")
    historian = opened(directory)
    historian.close()
    os.chown(historian.path, 65533, 65533)
    historian = Historian(directory)
    assert "renamed" in historian.open()
    works(historian)
    historian.close()
    os.chown(directory, 65533, 65533)
    os.chown(historian.path, 65533, 65533)
    historian = Historian(directory)
    assert "renamed" not in historian.open()


def test_no_shared_memory(directory):
    historian = opened(directory)
    historian.start("before")
    historian.close()
    for place in (directory, directory + "-new"):
        historian = Historian(place, fault="no-shared-memory")
        equal(historian.open()["journal_mode"], "delete")
        works(historian)
        assert "rollback journal" in historian.status()["message"]
        historian.close()
        equal(os.listdir(place), ["history.sqlite3"])
    historian = Historian(directory)
    equal(historian.open()["journal_mode"], "wal")
    equal(len(historian.rows("SELECT * FROM history_events")), 2)


def test_no_locks(directory):
    historian = Historian(directory, fault="no-locks")
    equal(historian.open()["journal_mode"], "delete")
    works(historian)
    assert "Locks do not work" in historian.status()["message"]
    historian.close()
    equal(os.listdir(directory), ["history.sqlite3"])


if __name__ == "__main__":
    main(globals())
