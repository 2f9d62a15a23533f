#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb exec --detach and asb jobs."""

import json
import signal
import subprocess

import tap_unittest
from cli_test import ASB, BYTES, ENVIRONMENT, LIMIT, SandboxTestCase, asb, finish, start


class Jobs(SandboxTestCase):
    def detach(self, *arguments, name=None):
        options = ["--name", name] if name else []
        output = self.assert_done(asb("exec", "-d", *options, self.sandbox, *arguments))
        self.assertRegex(output, rb"\A\S+\n\Z")
        return output.decode().strip()

    def jobs(self, verb, *arguments, **options):
        return asb("jobs", verb, self.sandbox, *arguments, **options)

    def test_output_and_exit_status(self):
        job = self.detach("--", "sh", "-c", "echo a; echo b >&2; exit 5")
        result = self.jobs("wait", job)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (5, b"", b""))
        result = self.jobs("logs", job)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"a\n", b"b\n"))
        result = self.jobs("attach", job)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (5, b"a\n", b"b\n"))
        # The number at the end is enough.
        self.assert_done(self.jobs("rm", job.rpartition("-")[2]))
        self.assert_refused(self.jobs("logs", job), 1, job, "asb jobs list")

    def test_signal_that_ended_it(self):
        self.assertEqual(self.jobs("wait", self.detach("kill -9 $$")).returncode, 128 + 9)

    def test_end_as_json(self):
        """What is told is how it ended, whether asb came before that or after."""
        self.exec("--", "mkfifo", "awaited")
        job = self.detach("read x < awaited; exit $x")
        waiting = start("jobs", "wait", "--json", self.sandbox, job)
        listed = {job["id"]: job for job in self.json("jobs", "list", self.sandbox)}
        self.assertEqual((listed[job]["state"], listed[job]["exit_status"]), ("running", None))
        self.exec("echo 4 > awaited")
        first = finish(waiting)
        again = self.jobs("wait", "--json", job)
        for status, output, errors in [first, (again.returncode, again.stdout, again.stderr)]:
            self.assertEqual((status, errors), (4, b""))
            told = json.loads(output)
            self.assertEqual((told["id"], told["state"], told["exit_status"]), (job, "failed", 4))
            self.assertIsNotNone(told["ended_at"])

    def test_what_cannot_start(self):
        for status, arguments in [(127, ["--", "/nope/prog"]), (125, ["-w", "/nope", "--", "true"]), (126, ["--", "/usr"])]:
            self.assert_refused(asb("exec", "-d", self.sandbox, *arguments), status)
        self.assert_refused(asb("exec", "--name", "x", self.sandbox, "--", "true"), 125, "--detach")

    def test_no_input(self):
        """Asked for it is refused; what merely stands there, as in a script, is left to others."""
        self.assert_refused(asb("exec", "-d", "-i", self.sandbox, "--", "cat"), 125, "no input", "asb put")
        result = asb("exec", "-d", self.sandbox, "--", "cat", stdin=b"not for it")
        job = result.stdout.decode().strip()
        self.assertEqual(self.jobs("wait", job).returncode, 0)
        self.assertEqual(self.jobs("logs", job).stdout, b"")

    def test_id_that_cannot_be_told(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([ASB, "exec", "-d", self.sandbox, "true"], stdin=subprocess.DEVNULL,
                                    stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT,
                                    timeout=LIMIT, check=False)
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"Could not write to standard output", result.stderr)
        self.assertRegex(result.stderr.decode(), "Job “[0-9a-f]+-[0-9]+” was started all the same")

    def test_exact_bytes(self):
        self.assert_done(asb("put", self.sandbox, "-", "all-bytes", stdin=BYTES))
        job = self.detach("--", "cat", "all-bytes")
        self.jobs("wait", job)
        self.assertEqual(self.jobs("logs", job).stdout, BYTES)

    def test_input_is_empty(self):
        job = asb("exec", "-d", self.sandbox, "--", "wc", "-c", stdin=b"not for it").stdout.decode().strip()
        self.assertEqual(self.jobs("attach", job).stdout, b"0\n")

    def test_follow(self):
        self.exec("--", "mkfifo", "follow")
        job = self.detach("echo first; read x < follow; echo $x", name="followed")
        follower = start("jobs", "logs", "-f", self.sandbox, "followed")
        self.assertEqual(follower.stdout.readline(), b"first\n")
        attached = start("jobs", "attach", self.sandbox, job)
        self.assertEqual(attached.stdout.readline(), b"first\n")
        # An interrupt ends asb, and not the job.
        attached.send_signal(signal.SIGINT)
        self.assertEqual(finish(attached)[0], 130)
        killed = start("jobs", "wait", self.sandbox, job)
        killed.kill()
        finish(killed)
        self.exec("echo second > follow")
        self.assertEqual(finish(follower), (0, b"second\n", b""))
        self.assertEqual(self.jobs("wait", "followed").returncode, 0)

    def test_stop_and_signal(self):
        job = self.detach("--", "sh", "-c", "trap 'exit 3' USR1; echo ready; while :; do sleep 0.01; done")
        self.assert_refused(self.jobs("rm", job), 1, "has not ended")
        self.assert_refused(self.jobs("signal", "-s", "NOPE", job), 2, "NOPE")
        follower = start("jobs", "logs", "-f", self.sandbox, job)
        self.assertEqual(follower.stdout.readline(), b"ready\n")
        self.assert_done(self.jobs("signal", "--signal", "sigusr1", job))
        self.assertEqual(self.jobs("wait", job).returncode, 3)
        self.assertEqual(finish(follower)[:2], (0, b""))
        self.assert_refused(self.jobs("signal", job), 1, "has ended")
        first, second = self.detach("setsid sleep 1000 & sleep 1000"), self.detach("--", "sleep", "1000")
        self.assert_done(self.jobs("stop", first, second))
        states = {job["id"]: job["state"] for job in self.json("jobs", "list", self.sandbox)}
        self.assertEqual((states[first], states[second]), ("cancelled", "cancelled"))
        self.assert_refused(self.jobs("wait", second), 128 + signal.SIGTERM, "stopped")
        self.assert_refused(self.jobs("wait", first), 128 + signal.SIGTERM, "stopped")
        willing = self.detach("--", "sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done")
        follower = start("jobs", "logs", "-f", self.sandbox, willing)
        self.assertEqual(follower.stdout.readline(), b"ready\n")
        self.assert_done(self.jobs("stop", willing))
        finish(follower)
        self.assert_refused(self.jobs("wait", willing), 125, "cancelled")
        self.assert_done(self.jobs("rm", first, second))

    def test_completion(self):
        self.exec("--", "mkfifo", "completed")
        named, other = self.detach("--", "cat", "completed", name="server"), self.detach("--", "cat", "completed")

        self.assert_refused(self.jobs("logs", "srever"), 1, "“srever”", "did you mean “server”?")
        self.assert_refused(self.jobs("logs", "nothing"), 1, "“nothing”", "asb jobs list")

        def complete(*words):
            return asb("help", "--complete", "--", "jobs", *words).stdout.decode().split()

        self.assertIn("server", complete("logs", "box", ""))
        self.assertIn(other, complete("logs", self.sandbox, ""))
        self.assertNotIn(named, complete("logs", "box", ""))
        self.assertEqual(complete("stop", "box", "x", "serv"), ["server"])
        self.assertEqual(complete("signal", "-s", "KILL", "box", named), [named])
        self.assertEqual(complete("logs", "nobody", ""), [])
        self.assert_done(self.jobs("stop", named, other))

    def test_list(self):
        self.exec("--", "mkfifo", "listed")
        running = self.detach("--", "cat", "listed", name="running")
        ended = self.detach("echo hi; exit 7")
        self.jobs("wait", ended)
        jobs = {job["id"]: job for job in self.json("jobs", "list", self.sandbox)}
        self.assertEqual((jobs[running]["state"], jobs[running]["name"], jobs[running]["command"]),
                         ("running", "running", "cat listed"))
        self.assertIsNone(jobs[running]["exit_status"])
        self.assertEqual((jobs[ended]["state"], jobs[ended]["exit_status"], jobs[ended]["stdout_bytes"]), ("failed", 7, 3))
        table = self.assert_done(self.jobs("list")).decode()
        self.assertRegex(table, r"\AID +NAME +STATE +AGE +OUTPUT +COMMAND\n")
        self.assertRegex(table, rf"(?m)^{running} +running +running .* cat listed$")
        self.assertRegex(table, rf"(?m)^{ended} +- +exit 7 .* echo hi; exit 7$")
        self.assert_done(self.jobs("stop", running))

    def test_missing_bytes_are_said(self):
        job = self.detach("head -c 9000000 /dev/zero")
        self.jobs("wait", job)
        result = self.jobs("logs", job)
        self.assertEqual((result.returncode, len(result.stdout)), (0, 8 * 1024 * 1024))
        self.assertRegex(result.stderr, rb"\Aasb: 611392 bytes of standard output are missing")

    def test_record(self):
        job = self.detach("echo recorded")
        self.jobs("wait", job)
        events = self.json("history", "list", self.sandbox)
        [event] = [event for event in events if (event.get("result") or {}).get("command_id") == job]
        self.assertEqual((event["operation_type"], event["status"]), ("command.execute", "succeeded"))


if __name__ == "__main__":
    tap_unittest.main()
