#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A conversation that is cut at each byte, in either direction, and goes on over a new connection: it ends as it would
have without the cut, and everything is done once."""

from faultlib import *
from resuming import *

CONTENT = b"content" * 50


def converse(client, guest):
    """A bit of everything; what it came to."""
    runs = guest.in_work("runs")
    cat = client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=envelope())
    client.write(cat, b"abc")
    counted = client.command(f"echo run >> {runs}; cat {runs}; echo more >&2; exit 3", record=envelope())
    written = client.write_file(guest.in_work("file"), CONTENT, record=envelope("file.write"))
    read = client.read_file(guest.in_work("file"))
    client.write(cat, b"def", fin=True)
    client.wait(cat, OUTPUT, ERRORS)
    sleeper = client.start_command(["sleep", "1000"])
    client.wait_event(sleeper)
    client.send(CANCEL, call=sleeper.number)
    client.wait(sleeper, OUTPUT, ERRORS)
    os.unlink(runs)
    return {
        "cat": (cat.result["exit_code"], cat.stdout, cat.stderr, cat.reply["record"]),
        "counted": (counted.result["exit_code"], counted.stdout, counted.stderr, counted.reply["record"]),
        "written": (written.result["hash"], written.reply["record"]),
        "read": read.stdout,
        "sleeper": sleeper.result["reason"],
    }


def check(outcome):
    assert outcome["cat"] == (0, b"abcdef", b"", {"state": "complete"}), outcome
    assert outcome["counted"] == (3, b"run\n", b"more\n", {"state": "complete"}), outcome
    assert outcome["written"][1] == {"state": "complete"} and outcome["read"] == CONTENT, outcome
    assert outcome["sleeper"] == "cancelled", outcome


@contextlib.contextmanager
def prepared_guest():
    with Guest() as guest:
        open_history(guest.connect())
        client = ResumingClient(guest)
        check(converse(client, guest))
        yield guest, client.socket.n_sent, client.socket.n_received


def check_records(guest, n):
    client = guest.connect()
    events = set()
    seq = 0
    while True:
        call = client.run("history.query", {"after_change_seq": seq, "limit": 10000}, channels=[OUTPUT])
        if not call.lines:
            break
        events |= {change["event_id"] for change in call.lines}
        seq = call.result["next_change_seq"]
    assert len(events) == n, (len(events), n)


def cut_and_check(cuts_of):
    with prepared_guest() as (guest, sent, received):
        before = memory(guest)
        n = 3
        n_resumed = 0
        for cuts in cuts_of(sent, received):
            client = ResumingClient(guest, cuts)
            check(converse(client, guest))
            client.close()
            n += 3
            n_resumed += client.n_resumed
        # A cut in the greeting, or after the last byte that matters, is none.
        assert n_resumed >= (n / 3 - 1) * 0.6, (n_resumed, n)
        check_records(guest, n)
        check_alive(guest)
        check_growth(guest, before)


def test_sending_is_cut():
    cut_and_check(lambda sent, _: ([(cut, None)] for cut in some_of(range(sent), 60)))


def test_receiving_is_cut():
    cut_and_check(lambda _, received: ([(None, cut)] for cut in some_of(range(received), 60)))


def test_cut_again_and_again():
    """Each connection carries little more than the greetings."""
    cut_and_check(lambda _, __: ([(600 + cut, 900 + cut)] * 100 for cut in some_of(range(0, 300, 10), 30)))


if __name__ == "__main__":
    main()
