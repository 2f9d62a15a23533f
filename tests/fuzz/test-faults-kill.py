#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest whose own processes are killed and stopped: calls are answered, and the next ones work."""

import select
import signal

from faultlib import *


def kill_all(guest, name, number=signal.SIGKILL):
    pids = helpers(guest, name)
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return pids


def wait_for_end(pidfd):
    """A signal that was sent need not have done its work yet."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    assert poll.poll(PATIENCE * 1000), "a child of the command is left"
    os.close(pidfd)


def test_historian_killed():
    """Again and again, while something is being recorded."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for _ in range(5 if not THOROUGH else 100):
            call = client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=envelope(required=False))
            client.until(lambda: call.events or call.reply)
            assert kill_all(guest, "asb-historian")
            client.write(call, b"abc", fin=True)
            client.wait(call, OUTPUT, ERRORS)
            assert call.result["exit_code"] == 0 and call.stdout == b"abc", call.reply
            assert call.reply["record"]["state"] in ("complete", "failed")
            while "error" in client.run("history.status").reply:
                pass
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}
        client.close()
        check_alive(guest)
        check_record(guest, ended=False)


def test_historian_stopped():
    """What is not recorded goes on, and what is goes on when the historian does."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        kill_all(guest, "asb-historian", signal.SIGSTOP)
        recorded = client.start("command.start", {"argv": ["true"]}, record=envelope())
        assert client.command(["true"]).result["exit_code"] == 0
        assert client.write_file(guest.in_work("file"), b"x").result["size"] == 1
        assert recorded.reply is None and not recorded.events
        kill_all(guest, "asb-historian", signal.SIGCONT)
        client.wait(recorded, OUTPUT, ERRORS)
        assert recorded.result["exit_code"] == 0 and recorded.reply["record"] == {"state": "complete"}
        client.close()
        check_alive(guest)
        check_record(guest)


def test_supervisors_killed():
    """Everything their commands started ends with them."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        for _ in range(3 if not THOROUGH else 50):
            call = client.start("command.start", {"shell": "setsid sleep 1000 & echo $!; exec sleep 1000"}, record=envelope())
            client.until(lambda: call.stdout.endswith(b"\n") or call.reply)
            left = os.pidfd_open(int(call.stdout))
            assert kill_all(guest, "asb-supervisor")
            client.wait(call, OUTPUT, ERRORS)
            assert call.result["reason"] == "unknown" and call.result["exit_code"] is None, call.reply
            wait_for_end(left)
        client.close()
        check_alive(guest)
        statuses = check_record(guest)
        assert set(statuses.values()) == {"unknown"}, statuses


def test_supervisor_stopped():
    """It is killed when its command shall end."""
    with Guest() as guest:
        client = guest.connect()
        call = client.start_command(["sleep", "1000"])
        client.until(lambda: call.events)
        kill_all(guest, "asb-supervisor", signal.SIGSTOP)
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT, ERRORS)
        assert call.result["reason"] == "cancelled", call.reply
        kill_all(guest, "asb-supervisor", signal.SIGCONT)
        client.close()
        check_alive(guest)


def start_reading(client, path):
    """A call that waits in the middle, since its reader does not."""
    client.credits = False
    call = client.start("file.read", {"path": path})
    client.until(lambda: call.received[OUTPUT] == WINDOW)
    return call


def test_worker_killed():
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("large")
        with open(path, "wb") as file:
            file.write(bytes(4 * WINDOW))
        for _ in range(3 if not THOROUGH else 100):
            call = start_reading(client, path)
            assert kill_all(guest, "asb-worker")
            client.wait(call, OUTPUT)
            assert call.error["code"] == "internal_error", call.reply
        client.credits = True
        assert len(client.read_file(path).stdout) == 4 * WINDOW
        client.close()
        check_alive(guest)


def test_worker_killed_while_writing():
    """The file is as it was, and what was begun does not stand in the way."""
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("file")
        client.write_file(path, b"before")
        call = client.start("file.write", {"path": path})
        client.write(call, b"x" * WINDOW)
        client.until(lambda: call.input_credit > 0)
        assert kill_all(guest, "asb-worker")
        client.wait(call)
        assert call.error["code"] == "internal_error", call.reply
        assert client.read_file(path).stdout == b"before"
        assert client.write_file(path, b"after").result["size"] == 5
        assert client.read_file(path).stdout == b"after"
        client.close()
        check_alive(guest)


def test_worker_stopped():
    """Other calls have other workers, and the one it holds can be cancelled."""
    with Guest() as guest:
        client = guest.connect()
        path = guest.in_work("large")
        with open(path, "wb") as file:
            file.write(bytes(4 * WINDOW))
        call = start_reading(client, path)
        stopped = kill_all(guest, "asb-worker", signal.SIGSTOP)
        assert stopped
        assert "result" in client.run("file.stat", {"path": path}).reply
        client.send(CANCEL, call=call.number)
        client.wait(call, OUTPUT)
        assert call.error["code"] == "cancelled", call.reply
        client.close()
        check_alive(guest)
        assert not [pid for pid in stopped if is_running(pid)], "a stopped worker is left"


def test_everything_killed():
    """All of them at once, with everything in flight."""
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        before = memory(guest)
        for n in range(5 if not THOROUGH else 100):
            calls = [client.start_command(["cat"], stdin="stream") for _ in range(4)]
            calls += [client.start("file.list", {"path": "/"}) for _ in range(4)]
            calls += [client.start("history.query", {"after_change_seq": 0, "limit": 10})]
            for name in ("asb-supervisor", "asb-worker", "asb-historian"):
                kill_all(guest, name)
            for call in calls[:4]:
                if call.reply is None:
                    client.send(DATA, call=call.number, flags=FIN)
            for call in calls:
                if call.reply is None:
                    client.send(CANCEL, call=call.number)
            for call in calls:
                client.until(lambda: call.reply)
        client.close()
        check_alive(guest)
        check_growth(guest, before)
        check_record(guest)


if __name__ == "__main__":
    main()
