# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a question waits until the record has an answer."""

import os

from historian_client import CANCEL, STOP, Historian, equal, main, refused

# What ends by it is a fault, and takes longer than anything is waited for here.
LONG = 60000
PATIENCE = 50

# As another program adds a change to an event that is there.
FOREIGN_CHANGE = ("INSERT INTO history_changes(change_id, event_id, change_type, changed_at, schema_version)"
                  " VALUES ('foreign', 'e', 'completed', '2026-01-01T00:00:00.000000Z', 1)")


def opened(directory, **more):
    historian = Historian(directory)
    historian.open(**more)
    historian.socket.settimeout(PATIENCE)
    return historian


def begin(historian, after, wait_ms=LONG, **more):
    """A question that has come to the historian, which goes on to answer others."""
    call = historian.start_call({"call": "history.query",
                                 "args": {"after_change_seq": after, "wait_ms": wait_ms, **more}})
    equal(historian.status()["state"], "open")
    return call


def end(historian, call):
    result = historian.wait(call)
    assert call in historian.finished, "no last data before the reply"
    return bytes(historian.data.get(call, b"")).count(b"\n"), result


def test_what_is_there_is_not_waited_for(directory):
    historian = opened(directory)
    historian.start("e")
    call = begin(historian, 0)
    n, result = end(historian, call)
    equal((n, result["next_change_seq"]), (1, 1))


def test_own_work_ends_the_waiting(directory):
    historian = opened(directory)
    calls = [begin(historian, 0), begin(historian, 0)]
    assert not historian.replies.keys() & set(calls), historian.replies
    start = historian.start("e")
    for call in calls:
        n, result = end(historian, call)
        equal((n, result["next_change_seq"], result["max_change_seq"]), (1, 1, 1))
    call = begin(historian, 1)
    historian.finish(start)
    n, result = end(historian, call)
    equal((n, result["next_change_seq"]), (1, 2))


def test_output_ends_the_waiting(directory):
    historian = opened(directory, config={"output_flush_interval_ms": 50})
    start = historian.start("e", operation_type="command.execute",
                            command={"command": "c", "cwd": "/", "timeout_ms": None})
    call = begin(historian, 1)
    historian.output(start, b"said")
    n, result = end(historian, call)
    equal((n, result["next_change_seq"]), (1, 2))


def test_others_end_the_waiting(directory):
    historian = opened(directory)
    historian.start("e")
    for seq in (1, 2):
        call = begin(historian, seq)
        assert call not in historian.replies
        historian.write(FOREIGN_CHANGE.replace("'foreign'", f"'foreign-{seq}'"))
        n, result = end(historian, call)
        equal((n, result["next_change_seq"]), (1, seq + 1))


def test_others_without_a_log_end_the_waiting(directory):
    historian = opened(directory)
    historian.start("e")
    historian.call("historian.close")
    historian.write("PRAGMA journal_mode = DELETE", FOREIGN_CHANGE)
    historian.call("history.open", existing=True)
    call = begin(historian, 2)
    historian.write(FOREIGN_CHANGE.replace("'foreign'", "'second'"))
    n, result = end(historian, call)
    equal((n, result["next_change_seq"]), (1, 3))


def test_time_is_over(directory):
    historian = opened(directory)
    historian.start("e")
    call = begin(historian, 1, wait_ms=1)
    n, result = end(historian, call)
    equal((n, result["next_change_seq"], result["max_change_seq"], result["reset_required"]), (0, 1, 1, False))
    # The earliest goes first, whichever was asked first.
    late, early = begin(historian, 1), begin(historian, 1, wait_ms=20)
    end(historian, early)
    assert late not in historian.replies


def test_cancel_and_stop(directory):
    historian = opened(directory)
    historian.start("e")
    cancelled, stopped = begin(historian, 1), begin(historian, 1)
    historian.send(historian.frame(CANCEL, cancelled))
    equal(refused(historian.wait, cancelled).code, "cancelled")
    assert stopped not in historian.replies
    historian.send(historian.frame(STOP, stopped, channel=1))
    n, result = end(historian, stopped)
    equal((n, result["next_change_seq"]), (0, 1))


def test_another_record_ends_the_waiting(directory):
    historian = opened(directory)
    historian.start("e")
    call = begin(historian, 1)
    os.rename(directory, directory + "-aside")
    n, result = end(historian, call)
    equal((n, result["reset_required"], result["max_change_seq"]), (0, True, 0))
    # And the new folder is watched as the old one was.
    historian.start("e")
    call = begin(historian, 1)
    historian.write(FOREIGN_CHANGE)
    n, result = end(historian, call)
    equal((n, result["next_change_seq"]), (1, 2))


def test_closing_ends_the_waiting(directory):
    historian = opened(directory)
    call = begin(historian, 0)
    historian.call("historian.close")
    equal(refused(historian.wait, call).code, "history_unavailable")


def test_no_watch_to_be_had(directory):
    """It is looked now and then instead."""
    import resource

    historian = opened(directory)
    historian.start("e")
    n_open = len(os.listdir(f"/proc/{historian.process.pid}/fd"))
    resource.prlimit(historian.process.pid, resource.RLIMIT_NOFILE, (n_open, n_open))
    call = begin(historian, 1)
    historian.write(FOREIGN_CHANGE)
    n, result = end(historian, call)
    equal((n, result["next_change_seq"]), (1, 2))


def test_arguments(directory):
    historian = opened(directory)
    for wait_ms in (-1, 60001, "1", 0.5, True):
        equal(refused(historian.call, "history.query", after_change_seq=0, wait_ms=wait_ms).code,
              "invalid_argument")


if __name__ == "__main__":
    main(globals())
