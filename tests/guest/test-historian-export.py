# SPDX-License-Identifier: LGPL-2.1-or-later
"""The record as one whole file, while it is being written."""

import contextlib
import os
import resource
import sqlite3
import tempfile

from historian_client import (CANCEL, STOP, WINDOW, Historian, command, equal, main, refused)


def opened(directory, size=0, **more):
    historian = Historian(directory, **more)
    historian.open()
    if size:
        call = historian.start("large", **command())
        historian.output(call, os.urandom(size))
        historian.finish(call)
    return historian


@contextlib.contextmanager
def opened_alone(data):
    """The exported file where nothing else is, and nothing can be made beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "record")
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(folder, 0o555)
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=0", uri=True)) as connection:
            equal(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            equal(connection.execute("PRAGMA journal_mode").fetchall(), [("delete",)])
            equal(os.listdir(folder), ["record"])
            yield connection


def events(connection):
    return dict(connection.execute("SELECT event_id, status FROM history_events"))


def export(historian):
    data, result = historian.read("history.export")
    equal(result, {"bytes": len(data)})
    return data


def files(directory):
    return sorted(os.listdir(directory))


def test_whole(directory):
    """All that was done, also what is in the log only, and output that is not written yet."""
    historian = opened(directory)
    for i in range(5):
        call = historian.start(f"e{i}", **command(f"echo {i}"))
        historian.output(call, b"%d\n" % i)
        if i < 4:
            historian.finish(call)
    before = files(directory)
    with opened_alone(export(historian)) as connection:
        equal(events(connection), {"e0": "succeeded", "e1": "succeeded", "e2": "succeeded",
                                   "e3": "succeeded", "e4": "started"})
        equal([data for (data,) in connection.execute(
            "SELECT data FROM command_output_chunks ORDER BY event_id")],
            [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"])
    equal(files(directory), before)
    historian.finish(call)
    historian.start("after")


def test_of_one_moment(directory):
    """Others write, and a slow reader takes what is his: neither sees anything of it."""
    historian = opened(directory, size=3000000)
    historian.auto_credit = False
    call = historian.start_call({"call": "history.export", "args": {}})
    while len(historian.data.get(call, b"")) < WINDOW:
        historian.receive()
    for i in range(300):
        historian.finish(historian.start(f"later{i}", **command()))
    historian.write("INSERT INTO history_meta(key, value) VALUES ('by', 'another')")
    historian.auto_credit = True
    historian.credit(call, len(historian.data[call]))
    equal(historian.wait(call), {"bytes": len(historian.data[call])})
    with opened_alone(bytes(historian.data[call])) as connection:
        equal(events(connection), {"large": "succeeded"})
    with opened_alone(export(historian)) as connection:
        equal(len(events(connection)), 301)


def test_writers_do_not_wait(directory):
    """While it is copied what is asked for meanwhile is done, and stands in the copy or does not."""
    historian = opened(directory, size=8000000)
    call = historian.start_call({"call": "history.export", "args": {}})
    for i in range(50):
        historian.finish(historian.start(f"e{i}", **command()))
        if i % 10 == 0:
            historian.write(f"INSERT INTO history_meta(key, value) VALUES ('by{i}', 'another')")
    historian.wait(call)
    with opened_alone(bytes(historian.data[call])) as connection:
        seen = events(connection)
        equal(seen.pop("large"), "succeeded")
        equal(sorted(seen), sorted(f"e{i}" for i in range(len(seen))))


def test_one_at_a_time(directory):
    historian = opened(directory, size=3000000)
    historian.auto_credit = False
    for kind in (STOP, CANCEL):
        # Both at once: the second comes while the first is copied.
        (call, first), (another, second) = (historian.call_frame({"call": "history.export", "args": {}}) for _ in range(2))
        historian.send(first, second)
        equal(refused(historian.wait, another).code, "too_many_requests")
        historian.send(historian.frame(kind, call, channel=1 if kind == STOP else 0))
        if kind == STOP:
            assert historian.wait(call)["bytes"] <= 3 * WINDOW
        else:
            equal(refused(historian.wait, call).code, "cancelled")
        assert call in historian.finished
    historian.auto_credit = True
    export(historian)


def test_record_goes_meanwhile(directory):
    """What is copied is given, and the next is of the new record."""
    historian = opened(directory, size=3000000)
    historian.auto_credit = False
    call = historian.start_call({"call": "history.export", "args": {}})
    while len(historian.data.get(call, b"")) < WINDOW:
        historian.receive()
    os.unlink(historian.path)
    historian.finish(historian.start("new", **command()))
    historian.auto_credit = True
    historian.credit(call, len(historian.data[call]))
    historian.wait(call)
    with opened_alone(bytes(historian.data[call])) as connection:
        equal(events(connection), {"large": "succeeded"})
    with opened_alone(export(historian)) as connection:
        equal(events(connection), {"new": "succeeded"})


def test_closed_meanwhile(directory):
    historian = opened(directory, size=3000000)
    historian.auto_credit = False
    historian.start_call({"call": "history.export", "args": {}})
    historian.call("historian.close")
    historian.close()
    equal(files(directory), ["history.sqlite3"])


def test_not_open(directory):
    historian = Historian(directory)
    equal(refused(historian.read, "history.export").code, "history_unavailable")


def test_no_room(directory):
    """A copy that does not fit is an error, and nothing is left of it."""
    historian = opened(directory, size=3000000)
    limit = os.path.getsize(historian.path) // 2
    before = resource.prlimit(historian.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(historian.process.pid, resource.RLIMIT_FSIZE, (limit, before[1]))
    error = refused(historian.read, "history.export")
    assert error.code in ("history_storage_exhausted", "history_database_error"), error
    equal([name for name in files(directory) if "export" in name], [])
    resource.prlimit(historian.process.pid, resource.RLIMIT_FSIZE, before)
    with opened_alone(export(historian)) as connection:
        equal(events(connection), {"large": "succeeded"})


def test_something_in_its_place(directory):
    """A leftover is removed, a link is not followed, a folder is an error."""
    historian = opened(directory)
    place = historian.path + "-export"
    elsewhere = directory + "-elsewhere"
    for content in (b"", b"leftover" * 1000):
        with open(place, "wb") as file:
            file.write(content)
        export(historian)
    with open(elsewhere, "wb") as file:
        file.write(b"precious")
    os.symlink(elsewhere, place)
    export(historian)
    with open(elsewhere, "rb") as file:
        equal(file.read(), b"precious")
    os.mkdir(place)
    equal(refused(historian.read, "history.export").code, "history_database_error")
    os.rmdir(place)
    export(historian)


if __name__ == "__main__":
    main(globals())
