#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Guests and clients of different versions (docs/guest-protocol.md §2 and §5). ASB_GUEST_NEXT is a guest of major version
2, ASB_GUEST_MINOR one of 1.7."""

import json
import os
import select
import signal
import sqlite3
import uuid

from guest_place import Place
from guestlib import *

NEXT, MINOR = os.environ["ASB_GUEST_NEXT"], os.environ["ASB_GUEST_MINOR"]
IDENTITY = {"provider_key": "p", "sandbox_id": "s", "sandbox_instance_id": "i"}


def greet(place, **hello):
    """What comes first from a guest that is told this."""
    client = place.connect(hello=False)
    client.send(HELLO, hello)
    frame = client.read()
    return frame.type, frame.json, client


class Ending:
    """The process behind a client's connection, to be waited for."""

    def __init__(self, client):
        pid = int(client.command("echo $(($(ps -o ppid= $PPID)))").stdout)
        self.fd = os.pidfd_open(pid)

    def has_come(self, wait=PATIENCE):
        return bool(select.select([self.fd], [], [], wait)[0])


def goodbye(client):
    client.send(GOODBYE, {"code": "closed", "message": ""})
    client.until_closed()


def test_lower_minor():
    with Place(program=MINOR) as place:
        place.serve()
        for asked, agreed in [(0, 0), (3, 3), (7, 7), (8, 7), (2 ** 53 - 1, 7)]:
            type, hello, client = greet(place, major=1, minor=asked)
            assert type == HELLO and hello["major"] == 1 and hello["minor"] == agreed, (asked, hello)
            assert hello["version"] == "1.7.0"
    with Place() as place:
        place.serve()
        type, hello, client = greet(place, major=1, minor=7)
        assert type == HELLO and hello["minor"] == 0


def test_features_nobody_knows():
    with Place() as place:
        place.serve()
        _, plain, _ = greet(place, major=1, minor=0)
        for features in (["telepathy", "commands"], ["x" * 1000] * 1000, [1, None]):
            type, hello, client = greet(place, major=1, minor=0, features=features, more={"of": "it"})
            assert type == HELLO and hello["features"] == plain["features"], hello
            assert "telepathy" not in hello["features"]
            client.hello = hello
            assert client.command(["true"]).result["exit_code"] == 0


def test_same_major_is_one_guest():
    with Place() as old, Place(program=MINOR, beside=old) as new:
        old.serve()
        boot_id = old.connect().hello["boot_id"]
        new.serve()
        client = new.join()
        assert client.hello["boot_id"] == boot_id and client.hello["version"] != "1.7.0"
        assert client.command(["echo", "hi"]).stdout == b"hi\n"


def test_other_major_is_refused():
    with Place() as place:
        place.serve()
        for major in (0, 2, 3, 2 ** 53 - 1):
            type, answer, client = greet(place, major=major, minor=0, session="unknown")
            assert type == GOODBYE and answer["code"] == "unsupported_version", answer
            assert "speaks version 1 of the protocol" in answer["message"], answer
        assert place.connect().command(["true"]).result["exit_code"] == 0
    with Place(program=NEXT, major=2) as place:
        place.serve()
        type, answer, client = greet(place, major=1, minor=0)
        assert answer == {"code": "unsupported_version", "message": "asb-guest 2.0.0 speaks version 2 of the protocol"}


class Both:
    """A guest of version 1, with a client, and then one of version 2 beside it."""

    def __enter__(self):
        self.old = Place()
        self.new = Place(program=NEXT, major=2, beside=self.old)
        self.old.serve()
        self.client = self.old.connect()
        self.ending = Ending(self.client)
        return self

    def replace(self):
        self.new.serve()
        return self.new.connect()

    def __exit__(self, *exception):
        self.new.__exit__()
        self.old.__exit__()


def test_idle_guest_makes_room():
    with Both() as both:
        goodbye(both.client)
        assert both.replace().hello["version"] == "2.0.0"
        assert both.ending.has_come() and not os.path.exists(both.old.path)
        # An older client has one again that it starts.
        assert both.old.join().hello["major"] == 1
        assert both.new.connect().command(["echo", "hi"]).stdout == b"hi\n"


def test_guest_that_drains():
    with Both() as both:
        call = both.client.start_command(["cat"], stdin="stream")
        both.client.wait_event(call)
        newer = both.replace()
        assert newer.command(["echo", "new"]).stdout == b"new\n"
        # It takes nobody in …
        type, answer, client = greet(both.old, major=1, minor=0)
        assert type == GOODBYE and answer["code"] == "draining", answer
        # … and serves the one it has, also with what is new.
        assert both.client.command(["echo", "old"]).stdout == b"old\n"
        both.client.write(call, b"to the end", fin=True)
        assert both.client.wait(call, OUTPUT).stdout == b"to the end"
        assert not both.ending.has_come(0) and os.path.exists(both.old.path)
        goodbye(both.client)
        assert both.ending.has_come() and not os.path.exists(both.old.path)
        assert newer.command(["echo", "still"]).stdout == b"still\n"


def test_session_that_lost_its_connection():
    with Both() as both:
        type, hello, client = greet(both.old, major=1, minor=0, linger_ms=60000)
        goodbye(both.client)
        both.replace()
        client.close()
        resume = {"session": hello["session"]["id"], "secret": hello["session"]["secret"], "boot_id": hello["boot_id"], "received": 0}
        type, again, client = greet(both.old, major=1, minor=0, resume=resume)
        assert type == HELLO and again["resumed"] == {"received": 0}, again
        assert not both.ending.has_come(0)
        client.hello = again
        goodbye(client)
        assert both.ending.has_come()


def test_command_without_a_client():
    """A job goes on to its end, and so does the guest."""
    with Both() as both:
        fifo = os.path.join(both.old.directory, "fifo")
        done = os.path.join(both.old.directory, "done")
        os.mkfifo(fifo)
        both.client.run("job.start", {"shell": f"cat {fifo} > {done}"})
        goodbye(both.client)
        both.replace()
        with open(fifo, "w") as end:
            assert not both.ending.has_come(0)
            end.write("something")
        assert both.ending.has_come()
        with open(done) as file:
            assert file.read() == "something"


def test_who_may_not_ask_to_drain():
    with Place() as place:
        place.serve()
        for hello in ({"major": 1, "drain": True}, {"major": 2, "drain": 1}, {"major": 2, "drain": "true"}, {"major": 2},
                      {"major": 0, "drain": True}, {"major": "2", "drain": True}):
            greet(place, minor=0, **hello)
        door = place.connect().run("guest.listen").result
        from websocket_client import WebSocket
        web = Client(WebSocket(door["port"]), hello=False)
        web.send(HELLO, {"major": 2, "minor": 0, "drain": True, "token": door["token"]})
        assert web.until_closed()["code"] == "unsupported_version"
        assert place.connect().command(["true"]).result["exit_code"] == 0


def test_socket_of_another_name():
    """Whoever calls its socket otherwise takes nobody's place."""
    with Place() as old, Place(program=NEXT, major=2, beside=old) as new:
        old.serve()
        new.path = os.path.join(new.run, "guest.sock")
        new.options[1] = new.path
        new.serve()
        assert new.connect().hello["major"] == 2
        assert old.connect().command(["true"]).result["exit_code"] == 0


def record(operation_type="command.execute"):
    return {"event_id": str(uuid.uuid4()), "operation_type": operation_type, "required": True, "request": {},
            "actor": {"actor_type": "system"}, "command": {"command": "some command", "cwd": "/"}}


def open_history(client):
    return client.run("history.open", {"identity": IDENTITY, "sdk_version": "1"}).result


def test_two_historians():
    """Both guests write into one record, and nothing of it is lost."""
    with Both() as both:
        old = both.client
        open_history(old)
        long_record = record()
        long = old.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=long_record)
        old.wait_event(long)
        old.write(long, b"before\n")
        old.until(lambda: b"before\n" in long.stdout)
        new = both.replace()
        assert open_history(new)["identity"] == open_history(old)["identity"]
        # The new one knows that it still runs.
        assert status_of(new, long_record) == "started"
        records = {}
        for round in range(20):
            batch = []
            for client, name in ((old, "old"), (new, "new")):
                for number in range(5):
                    one = record()
                    text = f"{name} {round} {number}\n"
                    records[one["event_id"]] = text.encode()
                    batch.append((client, client.start("command.start", {"argv": ["echo", "-n", text]}, record=one), text))
            for client, call, text in batch:
                client.wait(call, OUTPUT)
                assert call.result["exit_code"] == 0 and call.reply["record"] == {"state": "complete"}, call.reply
        old.write(long, b"after\n", fin=True)
        old.wait(long, OUTPUT)
        assert long.reply["record"] == {"state": "complete"}, long.reply
        records[long_record["event_id"]] = b"before\nafter\n"
        goodbye(old)
        assert both.ending.has_come()
        new.run("guest.shutdown")
        new.until_closed()
        check_record(os.path.join(both.old.directory, "history", "history.sqlite3"), records)


def status_of(client, record):
    call = client.run("history.get_operations", {"event_ids": [record["event_id"]]}, [OUTPUT])
    [operation] = [json.loads(line) for line in call.stdout.splitlines()]
    return operation["status"]


def test_historian_beside_is_killed():
    """What it had not completed is unknown from then on, and only that."""
    with Both() as both:
        open_history(both.client)
        records = [record(), record()]
        calls = [both.client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=one) for one in records]
        both.client.until(lambda: all(call.events for call in calls))
        new = both.replace()
        open_history(new)
        both.client.write(calls[0], fin=True)
        assert both.client.wait(calls[0], OUTPUT).reply["record"] == {"state": "complete"}
        assert [status_of(new, one) for one in records] == ["succeeded", "started"]
        signal.pidfd_send_signal(both.ending.fd, signal.SIGKILL)
        assert both.ending.has_come()
        assert [status_of(new, one) for one in records] == ["succeeded", "unknown"]
        changes = new.run("history.query", {"after_change_seq": 0, "limit": 100, "max_bytes": 1 << 20}, [OUTPUT])
        last = json.loads(changes.stdout.splitlines()[-1])
        assert last["change_id"] == records[1]["event_id"] + ":completed:unknown", last


def check_record(path, records):
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        status = dict(connection.execute("SELECT event_id, status FROM history_events"))
        assert set(status) == set(records) and set(status.values()) == {"succeeded"}, status
        for event_id, text in records.items():
            chunks = connection.execute("SELECT data FROM command_output_chunks WHERE event_id = ? AND stream = 'stdout'"
                                        " ORDER BY chunk_index", (event_id,)).fetchall()
            assert b"".join(bytes(data) if isinstance(data, bytes) else data.encode() for [data] in chunks) == text, event_id
        changes = connection.execute("SELECT seq FROM history_changes ORDER BY seq").fetchall()
        assert len(changes) == len(set(changes)) >= 2 * len(records), len(changes)
        assert connection.execute("SELECT count(*) FROM asb_operations").fetchone() == (0,)


if __name__ == "__main__":
    main()
