#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recording in place (docs/guest-protocol.md §4.3), as far as the broker has a part in it."""

import contextlib
import hashlib
import os
import pathlib
import signal
import sqlite3
import subprocess
import time
import uuid

from guestlib import *
from treelib import children, name_of

IDENTITY = {"provider_key": "p", "sandbox_id": "s", "sandbox_instance_id": "i"}


def envelope(operation_type="command.execute", required=True, **members):
    record = {
        "event_id": str(uuid.uuid4()),
        "operation_type": operation_type,
        "required": required,
        "actor": {"actor_type": "system", "correlation_id": "c"},
        "request": {"asked": True},
    }
    if operation_type.startswith("command"):
        record["command"] = {"command": "some command", "cwd": "/"}
    else:
        record["file_operation"] = {"path": "/path", "change_type": operation_type.split(".")[1]}
    record.update(members)
    return record


def open_history(client, **config):
    return client.run("history.open", {"identity": IDENTITY, "sdk_version": "1", "config": config})


def operation(client, record):
    call = client.run("history.get_operations", {"event_ids": [record["event_id"]]}, channels=[OUTPUT])
    [line] = call.lines
    return line


def output(client, record, stream="stdout"):
    call = client.run("history.get_output", {"event_id": record["event_id"], "stream": stream, "after_chunk": -1},
                      channels=[OUTPUT])
    assert call.result["bytes"] == len(call.stdout)
    return call.stdout


def rows(guest):
    """What is in the database of a guest that has ended."""
    database = os.path.join(guest.history, "history.sqlite3")
    # The guest waits a third of a second for its historian, for which a checker of memory makes that too slow.
    end = time.monotonic() + (PATIENCE if checker.is_used() else 0)
    while os.path.exists(database + "-wal") and time.monotonic() < end:
        os.sched_yield()
    assert not os.path.exists(database + "-wal"), "the record is not one file"
    with sqlite3.connect(database) as connection:
        return dict(connection.execute("SELECT event_id, status FROM history_events"))


def test_history_that_is_not_open():
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("made")
        refused = client.command(["touch", path], record=envelope())
        assert refused.error["code"] == "history_unavailable" and refused.events == []
        assert refused.reply["record"]["state"] == "failed" and not os.path.exists(path)
        done = client.command(["touch", path], record=envelope(required=False))
        assert done.result["exit_code"] == 0 and done.reply["record"]["state"] == "failed" and os.path.exists(path)
        assert done.reply["record"]["message"] == "The history has not been opened"
        refused = client.write_file(path, b"x", record=envelope("file.write"))
        assert refused.error["code"] == "history_unavailable"
        assert "record" not in client.command(["true"]).reply
        assert client.run("history.status").result["state"] == "closed"


def test_record_that_is_full():
    """What becomes of an operation says the configuration, not whether it needs a record."""
    for policy, goes_on in (("stop_recording", True), ("fail_operation", False)):
        with Guest() as guest:
            client = guest.connect()
            open_history(client, overflow_policy=policy, max_database_bytes=4 << 20,
                         max_operation_output_bytes=3 << 20)
            for _ in range(3):
                client.command(["head", "-c", str(2 << 20), "/dev/zero"], record=envelope())
            client.run("history.status")
            for required in (True, False):
                path = guest.in_work(f"made-{required}")
                record = envelope(required=required)
                call = client.command(["touch", path], record=record)
                assert os.path.exists(path) == goes_on, (policy, required)
                assert call.reply["record"]["state"] == "failed"
                assert "4194304" in call.reply["record"]["message"]
                if not goes_on:
                    assert call.error["code"] == "history_storage_exhausted"
                assert client.run("history.get_operations", {"event_ids": [record["event_id"]]},
                                  channels=[OUTPUT]).lines == []
            assert client.run("history.cleanup", {"max_bytes": 0, "overflow_policy": "delete_oldest"}
                              ).result["deleted_operations"] >= 1
            client.run("history.status")
            assert client.command(["true"], record=envelope()).reply["record"]["state"] == "complete"


def test_command():
    with Guest() as guest:
        client = guest.connect()
        assert open_history(client).result["revision"] == 0
        record = envelope()
        call = client.command("printf 'a\\000\\377'; echo oops >&2; exit 3", record=record)
        assert call.result["exit_code"] == 3 and call.reply["record"] == {"state": "complete"}, call.reply
        row = operation(client, record)
        assert row["status"] == "failed" and row["request"] == {"asked": True}
        assert row["result"] == {
            "command_id": call.result["command_id"], "state": "failed", "exit_code": 3, "stdout_bytes": 3,
            "stderr_bytes": 5, "stdout_total_bytes": 3, "stderr_total_bytes": 5, "stdout_truncated": False,
            "stderr_truncated": False, "output_complete": True, "history_storage_state": "complete",
            "history_storage_error": None,
        }, row["result"]
        assert row["command"]["exit_code"] == 3
        assert row["command"]["provider_command_id"] == call.result["command_id"]
        assert output(client, record) == b"a\0\xff" and output(client, record, "stderr") == b"oops\n"


def test_statuses():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for script, args, status in [
            ("true", {}, "succeeded"),
            ("kill -9 $$", {}, "failed"),
            ("sleep 1000", {"deadline_ms": 50}, "timeout"),
        ]:
            record = envelope()
            client.command(script, record=record, **args)
            row = operation(client, record)
            assert row["status"] == row["result"]["state"] == status, row
        record = envelope()
        call = client.start("command.start", {"argv": ["sleep", "1000"]}, record=record)
        client.wait_event(call)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        row = operation(client, record)
        assert row["status"] == "cancelled" and row["result"]["signal"] == signal.SIGTERM
        # Whoever ends well when it is asked to has not succeeded.
        record = envelope()
        call = client.start("command.start", {"shell": "trap 'exit 0' TERM; echo ready; while :; do sleep 0.1; done"},
                            record=record)
        client.until(lambda: call.stdout)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        row = operation(client, record)
        assert row["status"] == row["result"]["state"] == "cancelled" and row["result"]["exit_code"] == 0, row


def test_what_could_not_begin():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for args, code in [
            ({"argv": ["/nonexistent/none"]}, "command_not_found"),
            ({"argv": ["true"], "cwd": "/nonexistent/none"}, "working_directory"),
            ({"argv": []}, "invalid_argument"),
        ]:
            record = envelope()
            call = client.run("command.start", args, record=record, channels=[OUTPUT, ERRORS])
            assert call.error["code"] == code and call.reply["record"]["state"] == "complete", call.reply
            row = operation(client, record)
            assert row["status"] == "failed" and row["result"]["error"] == call.error["message"], row
            assert row["result"]["error_type"] == code


def test_start_that_cannot_be_recorded():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        broken = envelope()
        del broken["event_id"]
        call = client.command(["true"], record=broken)
        assert "error" in call.reply and call.events == [] and call.reply["record"]["state"] == "failed", call.reply
        broken = envelope(required=False)
        del broken["event_id"]
        call = client.command(["true"], record=broken)
        assert call.result["exit_code"] == 0 and call.reply["record"]["state"] == "failed", call.reply


def test_cancel_before_the_start_is_recorded():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        path = guest.in_work("made")
        call = client.start("file.mkdir", {"path": path}, record=record)
        client.send(CANCEL, call=call.number)
        client.wait(call)
        # Which of the two came first is not for us to say, but record and result agree.
        row = operation(client, record)
        if "error" in call.reply:
            assert call.error["code"] == "cancelled" and row["status"] == "cancelled", (call.reply, row)
        else:
            assert row["status"] == "succeeded" and os.path.isdir(path)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def helpers(guest, name):
    found = []
    for pid in children(guest.process.pid):
        with open(f"/proc/{pid}/comm") as file:
            if file.read().strip() == name:
                found.append(pid)
    return found


@contextlib.contextmanager
def start_being_recorded(guest, client, *argv):
    """(the call, the supervisor of who waits to become the command); the record goes on afterwards."""
    [historian] = helpers(guest, "asb-historian")
    os.kill(historian, signal.SIGSTOP)
    call = client.start("command.start", {"argv": argv}, record=envelope())
    while not (waiting := [pid for pid in helpers(guest, "asb-supervisor") if children(pid)]):
        os.sched_yield()
    yield call, waiting[0]
    os.kill(historian, signal.SIGCONT)


def test_command_waits_for_its_record():
    """It is ready by then, and nothing of it runs before."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        path = guest.in_work("made")
        with start_being_recorded(guest, client, "mkdir", path) as (call, supervisor):
            assert not os.path.exists(path) and call.events == []
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["exit_code"] == 0 and os.path.exists(path), call.reply
        with start_being_recorded(guest, client, "rmdir", path) as (call, supervisor):
            both = [os.pidfd_open(pid) for pid in (supervisor, *children(supervisor))]
            client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.error["code"] == "cancelled" and os.path.exists(path), call.reply
        for pidfd in both:
            wait_for_end(pidfd)


def test_who_waits_is_killed():
    """Another becomes the command, once."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        path = guest.in_work("log")
        argv = ["sh", "-c", f"echo begun >> {path}"]
        with start_being_recorded(guest, client, *argv) as (call, supervisor):
            pidfd = os.pidfd_open(supervisor)
            os.kill(supervisor, signal.SIGKILL)
            wait_for_end(pidfd)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["exit_code"] == 0, call.reply
        with open(path) as file:
            assert file.read() == "begun\n"
        with start_being_recorded(guest, client, *argv) as (call, supervisor):
            [waiting] = children(supervisor)
            os.kill(waiting, signal.SIGKILL)
            while os.path.exists(f"/proc/{waiting}"):
                os.sched_yield()
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["exit_code"] == 0, call.reply
        with open(path) as file:
            assert file.read() == "begun\nbegun\n"


def test_connection_lost():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        gate, done = guest.in_work("gate"), guest.in_work("done")
        os.mkfifo(gate)
        os.mkfifo(done)
        client.credits = False
        call = client.start("command.start", {
            "shell": "head -c 1000000 /dev/zero; read x < gate; echo last; exit 7", "cwd": guest.work}, record=record)
        client.until(lambda: call.received[OUTPUT] == WINDOW)
        client.close()
        open(gate, "w").close()
        client = guest.connect()
        # The next change of the operation after the output is its end.
        while operation(client, record)["status"] == "started":
            client.command(["true"])
        row = operation(client, record)
        assert row["status"] == "failed" and row["command"]["exit_code"] == 7
        assert output(client, record) == bytes(1000000) + b"last\n"


def test_client_that_does_not_read():
    """The record gets what the client has not taken yet."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        client.credits = False
        call = client.start("command.start", {"shell": "head -c 400000 /dev/zero"}, record=record)
        client.wait(call)
        assert call.reply["record"]["state"] == "complete"
        client.credits = True
        assert output(client, record) == bytes(400000)


def test_discarded_output_is_recorded():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        call = client.command("echo out; echo err >&2", channels=[], stdout="discard", stderr="discard", record=record)
        assert call.stdout == b"" and output(client, record) == b"out\n" and output(client, record, "stderr") == b"err\n"


def test_more_output_than_is_kept():
    with Guest() as guest:
        client = guest.connect()
        client.keep = False
        client.run("history.open", {"identity": IDENTITY, "sdk_version": "1",
                                    "config": {"max_operation_output_bytes": 100000}}).result
        record = envelope()
        call = client.command("head -c 30000000 /dev/zero", record=record)
        assert call.result["stdout_bytes"] == 30000000 and call.reply["record"]["state"] == "complete", call.reply
        client.keep = True
        result = operation(client, record)["result"]
        assert result["history_storage_state"] == "truncated_by_policy" and result["stdout_truncated"]
        assert result["stdout_bytes"] == 100000 and result["stdout_total_bytes"] == 30000000
        assert output(client, record) == bytes(100000)


def test_memory_is_flat():
    if checker.is_used():
        raise Skip("a checker of memory needs memory of its own")
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        client.keep = False
        call = client.command("head -c 256M /dev/zero", record=envelope())
        assert call.received[OUTPUT] == call.result["stdout_bytes"] == 256 << 20
        with open(f"/proc/{guest.process.pid}/status") as status:
            peak = int([line for line in status if line.startswith("VmHWM")][0].split()[1])
        assert peak < 32 * 1024, peak


def test_files():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        path = guest.in_work("file")
        old, new = b"one\ntwo\n", b"one\n2\n"

        def run(name, args, **members):
            record = envelope(name, **members)
            call = client.run(name, args, record=record, channels=[OUTPUT] if name in ("file.list", "file.read") else ())
            assert call.reply["record"] == {"state": "complete"}, call.reply
            return operation(client, record)

        record = envelope("file.write")
        call = client.write_file(path, old, record=record)
        assert set(call.result) == {"size", "hash", "entry"}, "what is for the record stays there"
        row = operation(client, record)
        old_hash, new_hash = (hashlib.sha256(data).hexdigest() for data in (old, new))
        assert row["result"] == {"path": path, "size": 8, "content_hash": old_hash, "content": "one\ntwo\n",
                                 "content_truncated": False}, row["result"]
        assert row["file_operation"]["after_hash"] == old_hash and row["file_operation"]["after_size"] == 8

        record = envelope("file.write")
        client.write_file(path, new, expected_hash=old_hash, record=record).result
        result = operation(client, record)["result"]
        diff = f"--- {path} (before)\n+++ {path} (after)\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        assert result == {"path": path, "size": 6, "content_hash": new_hash, "previous_hash": old_hash, "diff": diff,
                          "diff_truncated": False}, result
        file_operation = operation(client, record)["file_operation"]
        assert file_operation["before_hash"] == old_hash and file_operation["diff_data"] == diff

        assert run("file.read", {"path": path})["result"] == {"size": 6}
        assert run("file.list", {"path": guest.work})["result"] == {"count": 1}
        for name, args in [
            ("file.mkdir", {"path": guest.in_work("d")}),
            ("file.move", {"from": guest.in_work("d"), "to": guest.in_work("e")}),
            ("file.delete", {"path": guest.in_work("e")}),
        ]:
            row = run(name, args)
            assert row["status"] == "succeeded" and row["result"] is None, row
        row = run("file.delete", {"path": guest.in_work("missing")})
        assert row["status"] == "failed" and row["result"]["error_type"] == "file_not_found", row


def test_content_of_odd_files():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for data, content, truncated in [
            (b"\xff\0caf\xc3\xa9", "\ufffd\ufffdcaf\u00e9", False),
            (b"x" * 10241, "x" * 10240, True),
            (b"x" * 10239 + b"\xc3\xa9", "x" * 10239 + "\ufffd", True),
            (b"", "", False),
        ]:
            record = envelope("file.write")
            client.write_file(guest.in_work("file"), data, record=record).result
            result = operation(client, record)["result"]
            assert (result["content"], result["content_truncated"]) == (content, truncated), result
        # An edit of what is no text has no difference to show.
        record = envelope("file.write")
        old = hashlib.sha256(b"").hexdigest()
        client.write_file(guest.in_work("file"), b"\xff", expected_hash=old, record=record).result
        result = operation(client, record)["result"]
        assert "diff" not in result and result["content"] == "\ufffd", result


def test_historian_that_does_not_keep_up():
    """What waits for it in memory is bounded, and commands do not wait for it."""
    with Guest() as guest:
        client = guest.connect()
        # It must not give up before we are ready, however slow this is.
        open_history(client, sqlite_busy_timeout_ms=60000)
        record = envelope()
        call = client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=record)
        client.until(lambda: call.events)
        database = sqlite3.connect(os.path.join(guest.history, "history.sqlite3"), isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        # It waits for the lock, and reads nothing meanwhile.
        waiting = client.start("history.acknowledge", {"consumer_id": "c", "seq": 0})
        # More than is kept of output; what is slow must be done before the historian gives up.
        size = checker.often(40, 20) << 20
        client.write(call, bytes(size), fin=True)
        client.until(lambda: call.received[OUTPUT] == size)
        calls = [client.start("history.record", {"batch_id": "b", "records": [], "unknown": "x" * 1000000})
                 for _ in range(checker.often(20, 2))]
        client.until(lambda: calls[-1].reply is not None)
        assert calls[-1].error["code"] == "too_many_requests", calls[-1].reply
        database.execute("ROLLBACK")
        database.close()
        client.wait(call, OUTPUT, ERRORS)
        for each in (waiting, *calls):
            client.wait(each)
        assert call.result["exit_code"] == 0 and call.result["stdout_bytes"] == size
        assert call.reply["record"]["state"] == "failed", call.reply
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}


def test_odd_path():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope("file.write")
        client.write_file(guest.work.encode() + b"/\xff", b"x", record=record).result
        assert operation(client, record)["result"]["path"] == guest.in_work("\ufffd")


def test_killed_historian():
    """Running commands do not notice, their record says so, and the next ones are recorded again."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        call = client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=record)
        client.write(call, b"before")
        client.until(lambda: call.stdout == b"before")
        kill = ["pkill", "-KILL", "-P", str(guest.process.pid), "-x", "asb-historian"]
        assert client.command(kill).result["exit_code"] == 0
        while client.run("history.status").reply.get("error"):
            pass
        client.write(call, b" after", fin=True)
        client.wait(call, OUTPUT, ERRORS)
        assert call.stdout == b"before after" and call.result["exit_code"] == 0
        assert call.reply["record"]["state"] == "failed", call.reply
        assert operation(client, record)["status"] == "unknown"
        record = envelope()
        call = client.command(["true"], record=record)
        assert call.reply["record"] == {"state": "complete"}, call.reply
        assert operation(client, record)["status"] == "succeeded"


def test_opening_while_the_historian_is_killed():
    """Who opens the history just then hears nothing of it."""
    with Guest() as guest:
        first = open_history(guest.connect())
        historian = next(pid for pid in children(guest.process.pid) if name_of(pid) == "asb-historian")
        client = guest.connect()
        os.kill(historian, signal.SIGSTOP)
        call = client.start("history.open", {"identity": IDENTITY, "sdk_version": "1"})
        client.send(PING)
        client.until(lambda: client.pongs)
        os.kill(historian, signal.SIGKILL)
        assert client.wait(call).result == first.result
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}


def below(pid):
    for child in children(pid):
        yield child
        yield from below(child)


def test_historian_that_had_no_memory():
    """What the kernel counts of that is said."""
    groups = "/sys/fs/cgroup"
    if not os.path.isdir(groups):
        raise Skip("there are no control groups")
    if subprocess.run(["bwrap", "--dev-bind", "/", "/", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("bubblewrap cannot make a sandbox here")
    for name, before, after, words in [("memory.events", "low 0\noom 4\noom_kill 2\n", "oom_kill 3\n", "lack of memory"),
                                       ("memory/memory.oom_control", "under_oom 0\noom_kill 0\n", "oom_kill 1", "lack of memory"),
                                       ("memory.events", "oom_kill 2\n", "oom_kill 2\n", None)]:
        with Guest(listen=False) as guest:
            counters = pathlib.Path(guest.directory, "groups")
            (counters / name).parent.mkdir(parents=True)
            (counters / name).write_text(before)
            guest.start(program=["bwrap", "--dev-bind", "/", "/", "--bind", str(counters), groups, "--die-with-parent", "--"])
            client = guest.connect()
            open_history(client)
            [historian] = [pid for pid in below(guest.process.pid) if name_of(pid) == "asb-historian"]
            os.kill(historian, signal.SIGSTOP)
            call = client.start("history.status")
            client.send(PING)
            client.until(lambda: client.pongs)
            (counters / name).write_text(after)
            os.kill(historian, signal.SIGKILL)
            message = client.wait(call).error["message"]
            assert message.startswith("The historian ended before it answered"), message
            assert ("lack of memory" in message) == bool(words), message


def test_history_is_opened_once():
    with Guest() as guest:
        client = guest.connect()
        first = open_history(client)
        assert open_history(guest.connect()).result == first.result
        other = client.run("history.open", {"identity": {**IDENTITY, "sandbox_id": "other"}, "sdk_version": "1"})
        assert other.error["code"] == "history_identity"
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}


def test_query_that_is_not_read():
    """A client that takes no answer holds nobody else, and gets the rest when it wants it."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        client.keep = False
        client.command("head -c 3000000 /dev/zero", record=record)
        client.keep = True
        slow = guest.connect()
        slow.credits = False
        call = slow.start("history.get_output", {"event_id": record["event_id"], "stream": "stdout", "after_chunk": -1})
        slow.until(lambda: call.received[OUTPUT] == WINDOW)
        other = envelope()
        assert client.command(["true"], record=other).reply["record"] == {"state": "complete"}
        slow.credits = True
        slow.credit(call, OUTPUT, WINDOW)
        slow.wait(call, OUTPUT)
        assert call.received[OUTPUT] == call.result["bytes"] == 3000000
        # Stopped, cancelled, lost.
        for number, end in enumerate((STOP, CANCEL, None)):
            slow = guest.connect()
            slow.credits = False
            call = slow.start("history.get_output",
                              {"event_id": record["event_id"], "stream": "stdout", "after_chunk": -1})
            slow.until(lambda: call.received[OUTPUT] == WINDOW)
            if end == STOP:
                slow.send(STOP, call=call.number, channel=OUTPUT)
            elif end == CANCEL:
                slow.send(CANCEL, call=call.number)
            if end:
                slow.wait(call, OUTPUT)
            slow.close()
            assert operation(client, record)["status"] == "succeeded"


def test_job():
    """Recorded as a command: the start before it runs, the end when it ends, whoever is connected."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        go = guest.in_work("go")
        os.mkfifo(go)
        call = client.run("job.start", {"shell": f"echo begun; read x < {go}; echo $x; exit 3"}, record=record)
        job = call.result["job_id"]
        assert call.reply["record"] == {"state": "complete"}, call.reply
        assert operation(client, record)["status"] == "started"
        client.close()
        with open(go, "w") as fifo:
            fifo.write("went on\n")
        client = guest.connect()
        ended = client.run("job.wait", {"job_id": job}).result
        assert ended["record"] == {"state": "complete"}, ended
        row = operation(client, record)
        assert row["status"] == "failed" and row["command"]["exit_code"] == 3, row
        assert row["command"]["provider_command_id"] == job
        assert row["result"]["stdout_total_bytes"] == 14 and row["result"]["history_storage_state"] == "complete"
        assert output(client, record) == b"begun\nwent on\n"


def test_job_that_could_not_begin():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        refused = client.run("job.start", {"argv": ["true"]}, record=envelope())
        assert refused.error["code"] == "history_unavailable" and refused.reply["record"]["state"] == "failed"
        done = client.run("job.start", {"argv": ["true"]}, record=envelope(required=False))
        assert done.reply["record"] == {"state": "failed", "message": "The history has not been opened"}
        ended = client.run("job.wait", {"job_id": done.result["job_id"]}).result
        assert ended["result"]["exit_code"] == 0 and ended["record"]["state"] == "failed"
        open_history(client)
        record = envelope()
        call = client.run("job.start", {"argv": ["/nope/prog"]}, record=record)
        assert call.error["code"] == "command_not_found" and call.reply["record"] == {"state": "complete"}
        row = operation(client, record)
        assert row["status"] == "failed" and row["result"]["error_type"] == "command_not_found", row


def end_with_shutdown(guest, client):
    assert client.run("guest.shutdown").reply == {"result": {}}


def end_with_signal(guest, client):
    guest.process.send_signal(signal.SIGTERM)


def test_end():
    """Everything is ended, recorded as cancelled, in one file."""
    for end in (end_with_shutdown, end_with_signal):
        with Guest() as guest:
            client = guest.connect()
            open_history(client)
            running, finished, job = envelope(), envelope(), envelope()
            client.command(["true"], record=finished)
            client.run("job.start", {"argv": ["sleep", "1000"]}, record=job).result
            pids = guest.in_work("pids")
            os.mkfifo(pids)
            call = client.start("command.start", {
                "shell": "echo $$ > pids; trap '' TERM; sleep 1000; sleep 1001", "cwd": guest.work}, record=running)
            with open(pids) as fifo:
                process = os.pidfd_open(int(fifo.readline()))
            end(guest, client)
            assert guest.process.wait(PATIENCE) == 0
            wait_for_end(process)
            assert rows(guest) == {running["event_id"]: "cancelled", finished["event_id"]: "succeeded",
                                   job["event_id"]: "cancelled"}
            # Under valgrind the two seconds, which the guest has for its end, may be over before that is said.
            if end is end_with_shutdown and (call.reply or not checker.VALGRIND):
                assert call.result["reason"] == "cancelled" and call.reply["record"] == {"state": "complete"}


def test_end_of_the_owner():
    with Guest(listen=False) as guest:
        ours, theirs = os.pipe()
        guest.start("--liveness-fd", str(ours), pass_fds=[ours])
        os.close(ours)
        client = guest.connect()
        open_history(client)
        record = envelope()
        pids = guest.in_work("pids")
        os.mkfifo(pids)
        job = envelope()
        client.run("job.start", {"argv": ["sleep", "1000"]}, record=job).result
        client.start("command.start", {"shell": "setsid sh -c 'echo $$ > pids; exec sleep 1000' & sleep 1000",
                                       "cwd": guest.work}, record=record)
        with open(pids) as fifo:
            pid = int(fifo.readline())
        os.write(theirs, b"still alive")
        assert client.command(["true"]).result["exit_code"] == 0
        os.close(theirs)
        assert guest.process.wait(PATIENCE) == 0
        assert not is_running(pid)
        assert rows(guest) == {record["event_id"]: "cancelled", job["event_id"]: "cancelled"}


def test_expiry():
    """The time may be given at the start or later, and what was said last counts."""
    with Guest(listen=False) as guest:
        guest.start("--expire-after", "3600000")
        client = guest.connect()
        open_history(client)
        for wrong in (0, -1, 1.5, "1", True):
            assert client.run("guest.expire", {"after_ms": wrong}).error["code"] == "invalid_argument", wrong
        assert client.run("guest.expire", {"after_ms": 300}).reply == {"result": {}}
        assert client.run("guest.expire").reply == {"result": {}}
        finished, cut = envelope(), envelope()
        assert client.command(["sleep", "0.6"], record=finished).result["exit_code"] == 0
        client.start("command.start", {"shell": "setsid sleep 1000 & sleep 1001"}, record=cut)
        assert client.run("guest.expire", {"after_ms": 1}).reply == {"result": {}}
        assert guest.process.wait(PATIENCE) == 0
        assert rows(guest) == {finished["event_id"]: "succeeded", cut["event_id"]: "cancelled"}
        guest.start("--expire-after", "1")
        assert guest.process.wait(PATIENCE) == 0


def test_record_only():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        client.command("echo kept", record=record)
        client.run("guest.shutdown")
        guest.process.wait(PATIENCE)
        guest.start("--record-only")
        client = guest.connect()
        assert client.hello["features"] == ["history", "history-wait"]
        for name in ("command.start", "command.signal", "file.read", "file.write", "history.record", "job.start",
                     "job.list"):
            assert client.run(name, {"argv": ["true"], "path": "/"}).error["code"] == "unsupported_call", name
        assert client.run("history.open", {"existing": True}).result["identity"]["sandbox_id"] == "s"
        assert operation(client, record)["status"] == "succeeded" and output(client, record) == b"kept\n"
        assert client.run("guest.shutdown").reply == {"result": {}}
        assert guest.process.wait(PATIENCE) == 0


def test_killed_guest():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        client.wait_event(client.start("command.start", {"argv": ["sleep", "1000"]}, record=record))
        job = envelope()
        started = client.run("job.start", {"argv": ["sleep", "1000"]}, record=job).result
        guest.process.kill()
        guest.process.wait(PATIENCE)
        guest.start()
        client = guest.connect()
        open_history(client).result
        assert operation(client, record)["status"] == "unknown"
        assert operation(client, job)["status"] == "unknown"
        gone = client.run("job.wait", {"job_id": started["job_id"]})
        assert gone.error["code"] == "job_not_found"


def test_command_that_kills_its_supervisor_at_once():
    """Be it before or after that could say that the command runs: nobody knows how it ended."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for _ in range(20):
            record = envelope()
            call = client.command(["/bin/sh", "-c", "kill -KILL $PPID; :"], record=record)
            assert call.events[0]["event"] == "started" and call.events[0]["pid"] > 0, call.events
            assert call.result["reason"] == "unknown" and call.result["exit_code"] is None, call.result
            assert operation(client, record)["status"] == "unknown"


if __name__ == "__main__":
    main()
