# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a historian has begun and has not ended, and whether somebody will yet end it."""

import os

from dying_process import CannotBeMade, DyingProcess
from historian_client import Historian, Skip, equal, main


def opened(directory):
    historian = Historian(directory)
    historian.open()
    return historian


def statuses(historian):
    return {row["event_id"]: row["status"]
            for row in historian.rows("SELECT event_id, status FROM history_events")}


def leave_to(directory, process):
    """An operation that has begun, of a historian that is @process."""
    historian = opened(directory)
    historian.start("e")
    name = historian.row("SELECT boot_id AS name FROM asb_operations")["name"].split()
    historian.kill()
    name[3:5] = str(process.pid), str(process.start_time())
    historian.write(f"UPDATE asb_operations SET boot_id = '{' '.join(name)}'")


def test_one_that_is_dying(directory):
    """Its successor may be there before it is a zombie."""
    try:
        with DyingProcess() as process:
            leave_to(directory, process)
            historian = opened(directory)
            equal(statuses(historian), {"e": "started"})
            historian.status()
            historian.finish(historian.start("meanwhile"))
            equal(statuses(historian), {"e": "started", "meanwhile": "succeeded"})
            historian.close()
            process.die()
            historian = opened(directory)
            equal(statuses(historian), {"e": "unknown", "meanwhile": "succeeded"})
    except CannotBeMade:
        raise Skip("takes processes of their own numbering")


def test_one_that_dies_while_another_records(directory):
    try:
        with DyingProcess() as process:
            leave_to(directory, process)
            historian = opened(directory)
            equal(statuses(historian), {"e": "started"})
            process.die()
            historian.finish(historian.start("next"))
            equal(statuses(historian), {"e": "unknown", "next": "succeeded"})
    except CannotBeMade:
        raise Skip("takes processes of their own numbering")


def test_numbers_that_others_have_now(directory):
    """A process with the number of one that recorded, started at another time, is another."""
    historian = opened(directory)
    historian.start("e")
    name = historian.row("SELECT boot_id AS name FROM asb_operations")["name"].split()
    historian.kill()
    name[3:5] = str(os.getpid()), "1"
    historian.write(f"UPDATE asb_operations SET boot_id = '{' '.join(name)}'")
    equal(statuses(opened(directory)), {"e": "unknown"})


def written_out(directory, fault):
    os.makedirs(directory)
    log = os.path.join(directory, "synced")
    historian = Historian(os.path.join(directory, "history"), fault, environment={"ASB_TEST_SYNCED": log})
    historian.open()
    for event in ("first", "second"):
        historian.finish(historian.start(event))
    historian.close()
    assert not os.path.exists(historian.path + "-wal")
    equal(historian.row("SELECT count(*) AS n FROM history_events"), {"n": 2})
    with open(log) as file:
        return file.read().split()


def test_what_is_written_out(directory):
    """What comes of a record reaches the disk; of one that is older its log does before."""
    equal(written_out(os.path.join(directory, "young"), ""), ["history.sqlite3"])
    log, _, database = written_out(os.path.join(directory, "old"), "late")
    equal((log, database), ("history.sqlite3-wal", "history.sqlite3"))


if __name__ == "__main__":
    main(globals())
