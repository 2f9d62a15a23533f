#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs (docs/guest-protocol.md §4.5)."""

import hashlib
import os
import resource
import shutil
import signal
import subprocess

import checker
from guestlib import *

MIN_KEPT = 64 * 1024
MAX_KEPT = 8 * 1024 * 1024
MAX_TOTAL = 128 * 1024 * 1024
MAX_JOBS = 1000



def start(client, command, **args):
    if isinstance(command, str):
        args["shell"] = command
    else:
        args["argv"] = command
    return client.run("job.start", args).result


def wait(client, job):
    return client.run("job.wait", {"job_id": job["job_id"]}).result


def status(client, job):
    return client.run("job.status", {"job_id": job["job_id"]}).result


def output(client, job, stream="stdout", **args):
    return client.run("job.output", {"job_id": job["job_id"], "stream": stream, **args}, channels=[OUTPUT])


def read_whole(path):
    """What is written into a FIFO, to its end."""
    with open(path, "rb") as fifo:
        return fifo.read()


def make_fifo(guest, name):
    path = guest.in_work(name)
    os.mkfifo(path)
    return path


def test_runs_and_ends():
    with Guest() as guest:
        client = guest.connect()
        job = start(client, "echo a; echo b >&2; exit 5", name="both", cwd=guest.work)
        assert job["state"] == "running" and "result" not in job and job["pid"] > 0
        assert job["name"] == "both" and job["command"] == "echo a; echo b >&2; exit 5"
        ended = wait(client, job)
        assert ended["job_id"] == job["job_id"] and ended["state"] == "ended"
        result = ended["result"]
        assert result["reason"] == "exited" and result["exit_code"] == 5 and result["signal"] is None
        assert result["command_id"] == job["job_id"]
        assert ended["stdout"] == {"bytes": 2, "first": 0} and ended["stderr"] == {"bytes": 2, "first": 0}
        assert "record" not in ended and "output_error" not in ended
        assert output(client, job).stdout == b"a\n"
        assert output(client, job, "stderr").stdout == b"b\n"
        assert status(client, job) == ended


def test_every_end_is_known():
    with Guest() as guest:
        client = guest.connect()
        for command, reason, exit_code, number in [
            ("echo a; exit 5", "exited", 5, None),
            ("exec false", "exited", 1, None),
            ("kill -9 $$", "signaled", None, 9),
            (["/bin/true"], "exited", 0, None),
        ]:
            result = wait(client, start(client, command))["result"]
            assert (result["reason"], result["exit_code"], result["signal"]) == (reason, exit_code, number), result
        never = make_fifo(guest, "never")

        def run(deadline_ms):
            job = start(client, f"echo before; read x < {never}", deadline_ms=deadline_ms)
            assert wait(client, job)["result"]["reason"] == "timeout"
            return output(client, job)

        assert overdue(run).stdout == b"before\n"


def test_what_cannot_start_is_no_job():
    skip_under_valgrind("makes vfork () a fork (), from which no failure comes back")
    with Guest() as guest:
        client = guest.connect()
        for args, code in [
            ({"argv": ["/nope/prog"]}, "command_not_found"),
            ({"argv": [guest.work]}, "command_not_executable"),
            ({"argv": ["/bin/true"], "cwd": "/nope"}, "working_directory"),
            ({"argv": ["/bin/true"], "stdin": "stream"}, "invalid_argument"),
            ({"argv": ["/bin/true"], "name": "x" * 129}, "invalid_argument"),
            ({"argv": ["/bin/true"], "name": ""}, "invalid_argument"),
            ({"argv": ["/bin/true"], "name": 5}, "invalid_argument"),
            ({"argv": ["/bin/true"], "deadline_ms": 0}, "invalid_argument"),
            ({}, "invalid_argument"),
        ]:
            call = client.run("job.start", args)
            assert call.error["code"] == code, call.reply
            assert not call.events
        assert client.run("job.list").result == {"jobs": [], "more": False}
        # It still works.
        assert wait(client, start(client, "exit 3"))["result"]["exit_code"] == 3


def test_survives_its_client():
    with Guest() as guest:
        fifo = make_fifo(guest, "go")
        client = guest.connect()
        job = start(client, f"echo begun; read x < {fifo}; echo $x; exit 7")
        client.close()
        again = guest.connect()
        [listed] = again.run("job.list").result["jobs"]
        assert listed["job_id"] == job["job_id"] and listed["state"] == "running"
        follower = again.start("job.output", {"job_id": job["job_id"], "stream": "stdout", "follow": True})
        again.until(lambda: follower.stdout == b"begun\n")
        again.close()
        with open(fifo, "w") as stream:
            stream.write("went on\n")
        last = guest.connect()
        ended = wait(last, job)
        assert ended["result"]["reason"] == "exited" and ended["result"]["exit_code"] == 7, ended
        assert output(last, job, offset=6).stdout == b"went on\n"


def test_client_is_killed_while_it_starts():
    with Guest() as guest:
        fifo = make_fifo(guest, "pids")
        client = guest.connect()
        client.start("job.start", {"shell": f"echo $$ > {fifo}; exit 4"})
        client.close()
        assert int(read_whole(fifo)) > 0
        again = guest.connect()
        jobs = []
        # It is heard of a moment after it runs.
        while not jobs:
            jobs = again.run("job.list").result["jobs"]
        [job] = jobs
        assert wait(again, job)["result"]["exit_code"] == 4


def test_binary_output_from_an_offset():
    with Guest() as guest:
        client = guest.connect()
        data = os.urandom(700_001)
        path = guest.in_work("data")
        with open(path, "wb") as file:
            file.write(data)
        job = start(client, ["/bin/cat", path])
        ended = wait(client, job)
        assert ended["stdout"] == {"bytes": len(data), "first": 0}
        for offset in [0, 1, 65535, 65536, 262144, 700_000, 700_001, 800_000]:
            call = output(client, job, offset=offset)
            assert call.stdout == data[offset:], offset
            [event] = call.events
            assert event == {"event": "opened", "offset": offset, "first_offset": 0}
            assert call.result == {"offset": offset, "next_offset": max(offset, len(data)), "ended": True}


def test_follow_ends_with_the_job():
    with Guest() as guest:
        client = guest.connect()
        fifo = make_fifo(guest, "go")
        job = start(client, f"printf 123; read x < {fifo}; printf 456; printf e >&2")
        calls = [client.start("job.output", {"job_id": job["job_id"], "stream": stream, "offset": offset, "follow": True})
                 for stream, offset in [("stdout", 0), ("stdout", 2), ("stdout", 5), ("stderr", 0)]]
        client.until(lambda: calls[0].stdout == b"123" and calls[1].stdout == b"3")
        # Without follow there is an end.
        call = output(client, job)
        assert call.stdout == b"123" and call.result == {"offset": 0, "next_offset": 3, "ended": False}
        with open(fifo, "w") as stream:
            stream.write("\n")
        for call, expected in zip(calls, [b"123456", b"3456", b"6", b"e"]):
            client.wait(call, OUTPUT)
            assert call.stdout == expected and call.result["ended"], (call.stdout, call.reply)


def test_follow_ends_with_a_job_that_says_nothing_more():
    with Guest() as guest:
        client = guest.connect()
        fifo = make_fifo(guest, "go")
        job = start(client, f"echo; read x < {fifo}")
        call = client.start("job.output", {"job_id": job["job_id"], "stream": "stdout", "follow": True})
        client.until(lambda: call.stdout == b"\n")
        # It has the credit for that by then, and waits.
        assert status(client, job)["state"] == "running"
        with open(fifo, "w") as stream:
            stream.write("\n")
        assert client.wait(call, OUTPUT).result == {"offset": 0, "next_offset": 1, "ended": True}


def test_follow_of_much_output():
    with Guest() as guest:
        client = guest.connect()
        n = 200_000
        job = start(client, f"seq 1 {n}")
        call = output(client, job, follow=True)
        expected = "".join(f"{i}\n" for i in range(1, n + 1)).encode()
        assert hashlib.sha256(call.stdout).digest() == hashlib.sha256(expected).digest()
        assert call.result == {"offset": 0, "next_offset": len(expected), "ended": True}


def test_last_bytes_are_kept():
    with Guest() as guest:
        client = guest.connect()
        n = (MAX_KEPT + 1_000_000) // 16
        job = start(client, f"awk 'BEGIN {{ for (i = 0; i < {n}; i++) printf \"%015d\\n\", i }}'")
        ended = wait(client, job)
        total = n * 16
        assert ended["stdout"] == {"bytes": total, "first": total - MAX_KEPT}, ended
        call = output(client, job)
        assert call.stdout == b"".join(b"%015d\n" % i for i in range((total - MAX_KEPT) // 16, n))
        for offset in [0, total - MAX_KEPT - 1]:
            call = output(client, job, offset=offset)
            assert call.error["code"] == "output_dropped" and not call.stdout and not call.events, call.reply
            assert call.error["details"] == {"offset": offset, "first_offset": total - MAX_KEPT}
        assert len(output(client, job, offset=total - MAX_KEPT).stdout) == MAX_KEPT


def test_reading_ends_with_what_there_was():
    """However late the reader gets there, and whatever has come meanwhile."""
    with Guest() as guest:
        client = guest.connect()
        slow = guest.connect()
        slow.credits = False
        fifo = make_fifo(guest, "go")
        job = start(client, f"head -c {WINDOW + 1000} /dev/zero; read x < {fifo}; head -c 5000 /dev/zero")
        while status(client, job)["stdout"]["bytes"] < WINDOW + 1000:
            pass
        call = slow.start("job.output", {"job_id": job["job_id"], "stream": "stdout"})
        slow.until(lambda: call.received[OUTPUT] == WINDOW)
        with open(fifo, "w") as stream:
            stream.write("\n")
        wait(client, job)
        slow.credit(call, OUTPUT, WINDOW)
        slow.wait(call, OUTPUT)
        assert call.result == {"offset": 0, "next_offset": WINDOW + 1000, "ended": False}, call.reply
        assert len(call.stdout) == WINDOW + 1000


def test_slow_reader_is_told_what_it_missed():
    with Guest() as guest:
        client = guest.connect()
        slow = guest.connect()
        slow.credits = False
        fifo = make_fifo(guest, "go")
        job = start(client, f"echo; read x < {fifo}; head -c {2 * MAX_KEPT} /dev/zero")
        call = slow.start("job.output", {"job_id": job["job_id"], "stream": "stdout", "follow": True})
        slow.until(lambda: call.stdout)
        with open(fifo, "w") as stream:
            stream.write("\n")
        assert wait(client, job)["result"]["exit_code"] == 0
        slow.until(lambda: call.received[OUTPUT] == WINDOW)
        slow.credit(call, OUTPUT, WINDOW)
        slow.wait(call, OUTPUT)
        assert call.error["code"] == "output_dropped", call.reply
        details = call.error["details"]
        assert details["offset"] == WINDOW < details["first_offset"] <= MAX_KEPT + 1, details


def test_discarded_and_merged():
    with Guest() as guest:
        client = guest.connect()
        ended = wait(client, start(client, "echo a; echo b >&2", stdout="discard"))
        assert ended["stdout"] == {"bytes": 2, "first": 2} and ended["stderr"] == {"bytes": 2, "first": 0}
        assert output(client, ended, offset=0).error["code"] == "output_dropped"
        assert output(client, ended).stdout == b""
        merged = wait(client, start(client, "echo a; echo b >&2", stderr="merge"))
        assert output(client, merged).stdout == b"a\nb\n"
        assert output(client, merged, "stderr").stdout == b""


def test_terminal():
    with Guest() as guest:
        client = guest.connect()
        fifo = make_fifo(guest, "go")
        job = start(client, f"test -t 0 && test -t 1 && test -t 2 && echo yes; read x < {fifo}; stty size", pty={})
        client.close()
        client = guest.connect()
        assert client.run("command.resize", {"command_id": job["job_id"], "columns": 101, "rows": 51}).result["resized"]
        with open(fifo, "w") as stream:
            stream.write("\n")
        assert wait(client, job)["result"]["exit_code"] == 0
        assert output(client, job).stdout == b"yes\r\n51 101\r\n"


def test_another_user():
    with Guest() as guest:
        client = guest.connect()
        if os.geteuid() == 0:
            assert output(client, wait(client, start(client, "id -u", uid=65534))).stdout == b"65534\n"
        else:
            call = client.run("job.start", {"shell": "id -u", "uid": 0})
            assert call.error["code"] == "permission_denied", call.reply
            assert client.run("job.list").result["jobs"] == []


def test_stop_ends_everything():
    with Guest() as guest:
        client = guest.connect()
        fifo = make_fifo(guest, "pids")
        job = start(client, f"(setsid sh -c 'trap \"\" TERM; echo $$; exec 1>&-; while :; do read x < {fifo}.no; done' > {fifo}) & "
                            f"wait")
        process = os.pidfd_open(int(read_whole(fifo)))
        ended = client.run("job.stop", {"job_id": job["job_id"]}).result
        assert ended["state"] == "ended" and ended["result"]["reason"] == "cancelled", ended
        wait_for_end(process)
        # What has ended stays as it is.
        assert client.run("job.stop", {"job_id": job["job_id"]}).result == ended
        done = wait(client, start(client, "exit 3"))
        assert client.run("job.stop", {"job_id": done["job_id"]}).result == done


def test_signal():
    with Guest() as guest:
        client = guest.connect()
        fifo = make_fifo(guest, "ready")
        job = start(client, f"trap 'exit 9' USR1; echo > {fifo}; while :; do read x < {fifo}.no || wait; done")
        with open(fifo) as stream:
            stream.read()
        call = client.run("job.signal", {"job_id": job["job_id"], "signal": signal.SIGUSR1})
        assert call.result == {"delivered": True}
        assert wait(client, job)["result"]["exit_code"] == 9
        assert client.run("job.signal", {"job_id": job["job_id"], "signal": 15}).result == {"delivered": False}
        assert client.run("job.signal", {"job_id": job["job_id"]}).error["code"] == "invalid_argument"
        assert client.run("job.signal", {"job_id": "x", "signal": 15}).error["code"] == "job_not_found"


def test_remove():
    with Guest() as guest:
        client = guest.connect()
        job = start(client, "read x < %s" % make_fifo(guest, "never"))
        assert client.run("job.remove", {"job_id": job["job_id"]}).error["code"] == "job_running"
        client.run("job.stop", {"job_id": job["job_id"]})
        assert client.run("job.remove", {"job_id": job["job_id"]}).result == {}
        for name in ["job.remove", "job.status", "job.wait", "job.stop", "job.output"]:
            call = client.run(name, {"job_id": job["job_id"], "stream": "stdout"})
            assert call.error["code"] == "job_not_found", (name, call.reply)


def test_removed_while_being_read():
    with Guest() as guest:
        client = guest.connect()
        slow = guest.connect()
        slow.credits = False
        job = wait(client, start(client, "head -c 1000000 /dev/zero"))
        call = slow.start("job.output", {"job_id": job["job_id"], "stream": "stdout"})
        slow.until(lambda: call.received[OUTPUT] == WINDOW)
        assert client.run("job.remove", {"job_id": job["job_id"]}).result == {}
        slow.wait(call, OUTPUT)
        assert call.error["code"] == "job_not_found"


def test_calls_can_be_cancelled():
    with Guest() as guest:
        client = guest.connect()
        fifo = make_fifo(guest, "go")
        job = start(client, f"read x < {fifo}")
        waiting = client.start("job.wait", {"job_id": job["job_id"]})
        following = client.start("job.output", {"job_id": job["job_id"], "stream": "stdout", "follow": True})
        client.wait_event(following)
        stopped = client.start("job.output", {"job_id": job["job_id"], "stream": "stdout", "follow": True})
        client.wait_event(stopped)
        client.send(CANCEL, call=waiting.number)
        client.send(CANCEL, call=following.number)
        client.send(STOP, call=stopped.number, channel=OUTPUT)
        assert client.wait(waiting).error["code"] == "cancelled"
        assert client.wait(following, OUTPUT).error["code"] == "cancelled"
        assert not client.wait(stopped, OUTPUT).result["ended"]
        assert status(client, job)["state"] == "running"
        with open(fifo, "w") as stream:
            stream.write("\n")
        assert wait(client, job)["result"]["exit_code"] == 0


def test_calls_of_lost_clients_end():
    """However long the job runs: what they asked for would fill the guest."""
    with Guest() as guest:
        client = guest.connect()
        job = start(client, f"read x < {make_fifo(guest, 'never')}")["job_id"]
        for args in ({"call": "job.wait"}, {"call": "job.output", "stream": "stdout", "follow": True}):
            for _ in range(checker.often(80, 3)):
                lost = guest.connect()
                lost.start(args["call"], {**args, "job_id": job, "more": "x" * 1_000_000})
                assert lost.run("job.status", {"job_id": job}).result["state"] == "running"
                lost.close()
            assert client.run("job.status", {"job_id": job, "more": "x" * 1_000_000}).result["state"] == "running"


def test_arguments_are_checked():
    with Guest() as guest:
        client = guest.connect()
        job = wait(client, start(client, "true"))["job_id"]
        for name, args in [
            ("job.status", {}), ("job.status", {"job_id": 3}), ("job.wait", {"job_id": None}),
            ("job.output", {"job_id": job}), ("job.output", {"job_id": job, "stream": "stdin"}),
            ("job.output", {"job_id": job, "stream": "stdout", "offset": -1}),
            ("job.output", {"job_id": job, "stream": "stdout", "offset": "0"}),
            ("job.output", {"job_id": job, "stream": "stdout", "follow": 1}),
            ("job.list", {"limit": 0}), ("job.list", {"limit": 101}), ("job.list", {"after": "x"}),
        ]:
            call = client.run(name, args, channels=[OUTPUT] if name == "job.output" else [])
            assert call.error["code"] == "invalid_argument", (name, args, call.reply)
        call = client.run("job.start", {"argv": ["true"], "name": "x" * 129})
        assert call.error["code"] == "invalid_argument", call.reply
        assert start(client, ["true"], name="x" * 128)["name"] == "x" * 128
        assert "jobs" in client.hello["features"]


def test_long_command_is_shown_in_part():
    with Guest() as guest:
        client = guest.connect()
        job = start(client, ["/bin/true", "x" * 243, "\u20ac", "tail"])
        assert job["command"] == "/bin/true " + "x" * 243 + " '"
        odd = start(client, ["/bin/true", {"b64": "/w=="}], name={"b64": "/w=="})
        assert raw(odd["command"]) == b"/bin/true '\xff'" and raw(odd["name"]) == b"\xff"
        for argv, shown in [(["/bin/true", "a b", "", "it's", "$x", "-o=1,2:@%+./"], r"/bin/true 'a b' '' 'it'\''s' '$x' -o=1,2:@%+./"),
                            (["/bin/true", "'" * 100], "/bin/true '" + r"'\''" * 61 + "'")]:
            assert start(client, argv)["command"] == shown, shown


def test_list_comes_in_parts():
    with Guest() as guest:
        client = guest.connect()
        ids = [wait(client, start(client, ["/bin/true"]))["job_id"] for _ in range(7)]
        seen = []
        after, more = 0, True
        while more:
            result = client.run("job.list", {"after": after, "limit": 3}).result
            assert len(result["jobs"]) == min(3, len(ids) - len(seen))
            seen += [job["job_id"] for job in result["jobs"]]
            after, more = result["jobs"][-1]["number"], result["more"]
        assert seen == ids


def test_bound_of_jobs():
    with Guest() as guest:
        client = guest.connect()
        running = start(client, "read x < %s" % make_fifo(guest, "never"))
        first = wait(client, start(client, "echo first"))
        calls = [client.start("job.start", {"argv": ["/bin/true"]}) for _ in range(50)]
        for i in range(50, MAX_JOBS - 2):
            client.wait(calls[i - 50])
            wait(client, calls[i - 50].result)
            calls.append(client.start("job.start", {"argv": ["/bin/true"]}))
        for call in calls:
            client.wait(call)
            wait(client, call.result)
        assert status(client, first)["state"] == "ended"
        last = wait(client, start(client, "echo last"))
        # The one that ended first is gone, the one that runs is not.
        assert client.run("job.status", {"job_id": first["job_id"]}).error["code"] == "job_not_found"
        assert status(client, running)["state"] == "running"
        assert output(client, last).stdout == b"last\n"
        n = 0
        result = {"jobs": [{"number": 0}], "more": True}
        while result["more"]:
            result = client.run("job.list", {"after": result["jobs"][-1]["number"]}).result
            n += len(result["jobs"])
        assert n == MAX_JOBS


def test_jobs_that_are_gone_take_no_place():
    with Guest() as guest:
        client = guest.connect()
        first = wait(client, start(client, ["true"]))
        # Valgrind makes vfork () a fork (), from which no failure comes back.
        can_fail = not checker.VALGRIND
        for _ in range(0, MAX_JOBS, 100):
            calls = [client.start("job.start", {"argv": ["/no/such/program"] if i % 50 == 0 and can_fail else []}) for i in range(100)]
            assert all("error" in client.wait(call).reply for call in calls)
        assert status(client, first)["state"] == "ended"
        client.run("job.remove", {"job_id": first["job_id"]})
        assert wait(client, start(client, ["true"]))["result"]["exit_code"] == 0


def test_bound_of_bytes_of_running_jobs():
    """Nobody makes room: each has a little for itself, beyond that there is what is left."""
    with Guest() as guest:
        client = guest.connect()
        never = make_fifo(guest, "never")

        def fill(size):
            job = start(client, f"head -c {size} /dev/zero; read x < {never}")
            while status(client, job)["stdout"]["bytes"] < size:
                pass
            return status(client, job)["stdout"]

        for _ in range(MAX_TOTAL // MAX_KEPT - 1):
            assert fill(MAX_KEPT)["first"] == 0
        assert fill(MAX_KEPT - 100_000)["first"] == 0
        assert fill(MAX_KEPT)["first"] == MAX_KEPT - 100_000
        for size in (MAX_KEPT, 1_000_000):
            assert fill(size)["first"] == size - MIN_KEPT


def test_bound_of_bytes():
    with Guest() as guest:
        client = guest.connect()
        jobs = [wait(client, start(client, f"head -c {MAX_KEPT} /dev/zero")) for _ in range(MAX_TOTAL // MAX_KEPT)]
        assert status(client, jobs[0])["stdout"]["first"] == 0
        last = wait(client, start(client, f"head -c {MAX_KEPT} /dev/zero"))
        assert last["stdout"] == {"bytes": MAX_KEPT, "first": 0} and "output_error" not in last
        assert client.run("job.status", {"job_id": jobs[0]["job_id"]}).error["code"] == "job_not_found"
        assert status(client, jobs[1])["stdout"]["first"] == 0


def test_small_files():
    # What comes first stands in the file; it may not grow further.
    size = 1024 * 1024

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    with Guest(listen=False) as guest:
        guest.start(preexec_fn=limit)
        client = guest.connect()
        n = 4 * size // 16
        job = start(client, f"awk 'BEGIN {{ for (i = 0; i < {n}; i++) printf \"%015d\\n\", i }}'; echo e >&2; exit 6")
        ended = wait(client, job)
        assert ended["result"]["exit_code"] == 6 and ended["output_error"] == "File too large", ended
        assert ended["stdout"] == {"bytes": n * 16, "first": n * 16 - size}, ended
        assert output(client, job).stdout == b"".join(b"%015d\n" % i for i in range(n - size // 16, n))
        assert ended["stderr"] == {"bytes": 2, "first": 2}


def test_no_place_beside_the_history():
    with Guest(listen=False) as guest:
        # A file where the directory should be.
        with open(guest.history, "w"):
            pass
        guest.start()
        client = guest.connect()
        ended = wait(client, start(client, "echo a; exit 2"))
        assert ended["result"]["exit_code"] == 2
        assert ended["stdout"] == {"bytes": 2, "first": 0} and "output_error" not in ended, ended
        assert output(client, ended).stdout == b"a\n"


def test_full_disk():
    if os.geteuid() != 0 or not shutil.which("mount"):
        raise Skip("only root can make a small file system")
    with Guest(listen=False) as guest:
        os.mkdir(guest.history)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", guest.history],
                              stderr=subprocess.PIPE, check=False)
        if made.returncode != 0:
            raise Skip(f"there is no mounting here: {made.stderr.decode().strip()}")
        try:
            guest.start()
            client = guest.connect()
            job = start(client, f"awk 'BEGIN {{ for (i = 0; i < 200000; i++) printf \"%015d\\n\", i }}'; exit 6")
            ended = wait(client, job)
            first = ended["stdout"]["first"]
            assert ended["result"]["exit_code"] == 6, ended
            assert ended["output_error"] == "No space left on device" and 0 < 3_200_000 - first <= 1024 * 1024, ended
            assert output(client, job).stdout == b"".join(b"%015d\n" % i for i in range(200000))[first:]
            # A job that comes when it is full.
            other = wait(client, start(client, "echo a; exit 3"))
            assert other["result"]["exit_code"] == 3 and other["stdout"] == {"bytes": 2, "first": 2}, other
            # Room comes back with a job that goes.
            client.run("job.remove", {"job_id": job["job_id"]})
            third = wait(client, start(client, "echo a"))
            assert output(client, third).stdout == b"a\n" and "output_error" not in third
        finally:
            guest.stop()
            subprocess.run(["umount", guest.history], check=True)


def test_nothing_is_left_in_the_directory():
    with Guest() as guest:
        client = guest.connect()
        job = wait(client, start(client, "echo a"))
        assert output(client, job).stdout == b"a\n"
        assert os.listdir(guest.history) == []
        assert os.stat(guest.history).st_mode & 0o777 == 0o700


def test_guest_ends():
    with Guest() as guest:
        client = guest.connect()
        fifo = make_fifo(guest, "pid")
        job = start(client, f"echo $$ > {fifo}; exec sleep 1000")
        process = os.pidfd_open(int(read_whole(fifo)))
        calls = [client.start("job.wait", {"job_id": job["job_id"]}),
                 client.start("job.output", {"job_id": job["job_id"], "stream": "stdout", "follow": True})]
        client.wait_event(calls[1])
        client.run("guest.shutdown")
        assert all(call.reply is not None for call in calls)
        guest.process.wait(PATIENCE)
        wait_for_end(process)
        guest.start()
        again = guest.connect()
        assert again.run("job.status", {"job_id": job["job_id"]}).error["code"] == "job_not_found"
        assert again.run("job.list").result["jobs"] == []


if __name__ == "__main__":
    main()
