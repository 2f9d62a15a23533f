# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb history: the record of sandboxes, live and removed."""

import contextlib
import os
import signal
import sqlite3
import subprocess

import tap_unittest
from cli_test import BYTES, FOLDER, SandboxTestCase, TestCase, asb, finish, kill_guest, prepare, start


class Live(SandboxTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        asb("exec", "box", "--", "sh", "-c", "cat; echo oops >&2; exit 3", stdin=BYTES)
        asb("exec", "box", "--", "sh", "-c", "kill -9 $$")
        asb("exec", "box", "--timeout", "0.2", "--", "sleep", "1000")
        asb("put", "box", "-", "file", stdin=b"12345")
        asb("exec", "box", "--", "printf", "%s", b"\xff")

    def events(self):
        return self.json("history", "list", "box")

    def command(self, number):
        return [event for event in self.events()
                if event["operation_type"] == "command.execute"][number]

    def test_order(self):
        events = self.events()
        self.assertEqual(events[0]["operation_type"], "sandbox.create")
        self.assertEqual([event["seq"] for event in events],
                         sorted(event["seq"] for event in events))
        types = [event["operation_type"] for event in events]
        self.assertEqual(types.count("command.execute"), 4)
        self.assertIn("file.write", types)

    def test_reading_leaves_no_trace(self):
        before = self.events()
        asb("history", "list", "box")
        asb("history", "show", "box")
        asb("history", "output", "box", str(before[-1]["seq"]))
        self.assertEqual(self.events(), before)

    def test_json(self):
        event = self.command(0)
        self.assertEqual(set(event), {"seq", "event_id", "operation_type", "status", "source", "actor",
                                      "occurred_at", "completed_at", "duration_ms", "request",
                                      "result", "command", "file_operation"})
        self.assertEqual(event["status"], "failed")
        self.assertEqual(event["result"]["exit_code"], 3)
        self.assertEqual(event["result"]["stdout_total_bytes"], len(BYTES))
        self.assertEqual(event["result"]["stderr_total_bytes"], 5)

    def test_table(self):
        text = self.assert_done(asb("history", "list", "box")).decode()
        self.assertRegex(text, r"\A *EVENT +OPERATION +OUTCOME +TOOK +SIZE +SUBJECT *\n")
        self.assertRegex(text, r"(?m)^ *1 +sandbox\.create +succeeded ")
        self.assertRegex(text, r"(?m) command\.execute +exit 3 .* out \d+ B, err 5 B  .*cat; echo")
        self.assertRegex(text, r"(?m) command\.execute +signal 9 \(Killed\) ")
        self.assertRegex(text, r"(?m) command\.execute +timeout ")
        self.assertRegex(text, r"(?m) file\.write +succeeded .* 5 B +/workspace/file$")

    def test_output(self):
        seq = str(self.command(0)["seq"])
        self.assert_done(asb("history", "output", "box", seq), BYTES)
        self.assert_done(asb("history", "output", "box", seq, "--stderr"), b"oops\n")
        self.assert_done(asb("history", "output", "box", self.command(0)["event_id"]), BYTES)
        self.assert_done(asb("history", "output", "box", str(self.command(3)["seq"])), b"\xff")

    def test_output_of_others(self):
        self.assert_refused(asb("history", "output", "box", "1"), 1, "no command")
        self.assert_refused(asb("history", "output", "box", "99999"), 1, "“99999”")

    def test_show(self):
        event = self.command(0)
        text = self.assert_done(asb("history", "show", "box", str(event["seq"]))).decode()
        self.assertRegex(text, rf"(?m)^event +{event['seq']} \({event['event_id']}\)$")
        self.assertRegex(text, r"(?m)^outcome +exit 3$")
        self.assertEqual(self.json("history", "show", "box", str(event["seq"])), event)
        self.assertEqual(self.json("history", "show", "box"), self.events())
        self.assertEqual(text.count("operation "), 1)

    def test_find_event(self):
        event = self.command(1)
        others = [other["event_id"] for other in self.events() if other["seq"] != event["seq"]]
        beginning = next(event["event_id"][:length] for length in range(4, 37)
                         if not any(other.startswith(event["event_id"][:length]) for other in others))
        for name in [str(event["seq"]), event["event_id"], beginning]:
            self.assertEqual(self.json("history", "show", "box", name)["seq"], event["seq"], name)
        for name in ["0", "-", "abc", event["event_id"][:3], "nothing-like-it"]:
            self.assert_refused(asb("history", "show", "box", name), 1, "asb history list")

    def test_several_events(self):
        common = self.events()[0]["event_id"][:4]
        self.assert_refused(asb("history", "show", "box", common), 1, "Several events")

    def test_export(self):
        """One whole file, of what was done until then; what was there before is replaced by it."""
        path = FOLDER / "record.sqlite3"
        path.write_bytes(b"before")
        self.assert_done(asb("history", "export", self.sandbox, str(path)), b"")
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        with contextlib.closing(sqlite3.connect(path)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            exported = database.execute("SELECT event_id, status FROM history_events ORDER BY seq").fetchall()
        listed = [(event["event_id"], event["status"]) for event in self.json("history", "list", self.sandbox)]
        self.assertEqual(exported, listed)
        self.assertEqual(self.assert_done(asb("history", "export", self.sandbox, "-"))[:16], b"SQLite format 3\0")
        folder = FOLDER / "exported"
        folder.mkdir()
        self.assert_done(asb("history", "export", self.sandbox, str(folder)), b"")
        self.assertEqual(os.listdir(folder), [f"{self.sandbox}.sqlite3"])

    def test_export_refused(self):
        path = FOLDER / "kept"
        path.write_bytes(b"before")
        self.assert_refused(asb("history", "export", "nobody", str(path)), 1, "nobody")
        self.assertEqual(path.read_bytes(), b"before")
        self.assert_refused(asb("history", "export", self.sandbox, "/nowhere/file"), 1, "/nowhere/file")

    def test_status(self):
        status = self.json("history", "status", "box")
        self.assertEqual((status["state"], status["operations"], status["journal_mode"]),
                         ("open", len(self.events()), "wal"))
        text = self.assert_done(asb("history", "status", "box")).decode()
        self.assertRegex(text, r"\Astate +open\n")
        self.assertRegex(text, rf"(?m)^operations +{status['operations']}$")

    def test_cleanup(self):
        """Nothing here is old or much, and this alone leaves a trace: none of an operation."""
        before = self.events()
        self.assert_done(asb("history", "cleanup", "box"),
                         f"deleted 0 operations, {len(before)} are left\n".encode())
        self.assertEqual(self.events(), before)
        told = self.json("history", "cleanup", "box")
        self.assertEqual((told["deleted_operations"], told["operations"] > 0), (0, True))
        self.assert_refused(asb("history", "cleanup", "nobody"), 1, "“nobody”")

    def test_sandboxes(self):
        self.assertIn(self.sandbox, [sandbox["id"] for sandbox in self.json("history", "list")])
        self.assertRegex(self.assert_done(asb("history", "list")).decode(), r"(?m)^box +\w")

    def test_unknown_sandbox(self):
        self.assert_refused(asb("history", "list", "nobody"), 1, "“nobody”", "asb list --all")


class Removed(TestCase):
    def test_after_run(self):
        asb("run", "--name", "gone", "--", "sh", "-c", "cat; exit 3", stdin=BYTES)
        events = self.json("history", "list", "gone")
        command = next(event for event in events if event["operation_type"] == "command.execute")
        self.assertEqual((command["status"], command["result"]["exit_code"]), ("failed", 3))
        self.assert_done(asb("history", "output", "gone", str(command["seq"])), BYTES)
        self.assertIn("gone", [sandbox["name"] for sandbox in self.json("history", "list")])

    def test_after_rm(self):
        asb("create", "--name", "removed")
        asb("put", "removed", "-", "file", stdin=b"1")
        before = self.json("history", "list", "removed")
        self.assert_done(asb("rm", "removed"))
        after = self.json("history", "list", "removed")
        self.assertEqual(after[:len(before)], before)
        exported = self.assert_done(asb("history", "export", "removed", "-"))
        self.assertEqual(exported[:16], b"SQLite format 3\0")

    def test_again_and_again(self):
        """What the one before reads with may not have ended yet."""
        asb("run", "--name", "often", "--", "true")
        for _ in range(20):
            self.assert_done(asb("history", "list", "often"))

    def test_too_much_to_keep(self):
        asb("run", "--name", "much", "--", "head", "-c", "67108864", "/dev/zero")
        text = self.assert_done(asb("history", "list", "much")).decode()
        self.assertRegex(text, r"exit 0 .* out 64\.0 MiB, err 0 B, not all kept ")
        (seq,) = [event["seq"] for event in self.json("history", "list", "much")
                  if event["operation_type"] == "command.execute"]
        kept = self.assert_done(asb("history", "output", "much", str(seq)))
        self.assertEqual(kept, bytes(len(kept)))

    def test_what_was_cut_off(self):
        """The record of a command that was running when its sandbox was removed."""
        asb("create", "--name", "cut")
        self.assertEqual(asb("exec", "cut", "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 &").returncode, 0)
        self.assert_done(asb("rm", "cut"))
        for event in self.json("history", "list", "cut"):
            self.assertNotEqual(event["status"], "started")


class Unknown(TestCase):
    """Of what ran when its guest was killed nothing is known that nobody saw."""

    def setUp(self):
        self.sandbox = self.assert_done(prepare("create")).decode().strip()

    def tearDown(self):
        prepare("rm", "-f", self.sandbox)

    def test_what_is_not_known(self):
        process = start("exec", self.sandbox, "echo ready; sleep 1000")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        kill_guest(self.sandbox)
        status, _, errors = finish(process)
        self.assertEqual(status, 125)
        self.assertIn(b"; see asb history list", errors)
        (event,) = [event for event in self.json("history", "list", self.sandbox)
                    if event["operation_type"] == "command.execute"]
        self.assertEqual((event["status"], event["duration_ms"], event["result"]["exit_code"]),
                         ("unknown", None, None))
        text = self.assert_done(asb("history", "show", self.sandbox, str(event["seq"]))).decode()
        self.assertIn("outcome      unknown\n", text)
        self.assertNotIn("took", text)
        table = self.assert_done(asb("history", "list", self.sandbox)).decode()
        self.assertRegex(table, r"(?m) command\.execute +unknown +- +echo ready")


class Follow(TestCase):
    def setUp(self):
        self.sandbox = self.assert_done(prepare("create", "--name", "followed")).decode().strip()
        self.process = None

    def tearDown(self):
        if self.process:
            self.process.kill()
            finish(self.process)
        prepare("rm", "-f", "followed")

    def follow(self, *arguments):
        self.process = start("history", *arguments)
        return self.process.stdout

    def end(self):
        self.process.send_signal(signal.SIGINT)
        status, _, errors = finish(self.process)
        self.process = None
        self.assertEqual((status, errors), (0, b""))

    def read_until(self, stream, *words):
        """Lines to the first one with all these words."""
        lines = []
        for line in stream:
            lines.append(line)
            if all(word in line for word in words):
                return lines
        raise EOFError(f"{words} are not in {lines}")

    def test_text(self):
        stream = self.follow("list", "--follow", "followed")
        self.read_until(stream, b"sandbox.create", b"succeeded")
        job = start("exec", "followed", "--", "sh", "-c", "read line; exit 3", stdin=subprocess.PIPE)
        self.read_until(stream, b"command.execute", b"running", b"read line")
        job.stdin.write(b"\n")
        self.assertEqual(finish(job)[0], 3)
        lines = self.read_until(stream, b"command.execute", b"exit 3")
        self.assertEqual(sum(b"command.execute" in line for line in lines), 1)
        self.end()

    def test_json(self):
        stream = self.follow("-f", "--json", "followed")
        self.read_until(stream, b'"status": "succeeded"')
        self.end()

    def test_removed(self):
        stream = self.follow("-f", "followed")
        self.read_until(stream, b"sandbox.create")
        self.assert_done(asb("rm", "followed"))
        status, _, errors = finish(self.process)
        self.process = None
        self.assertEqual((status, errors), (0, b""))
        self.assertIn(b"sandbox.create", self.assert_done(asb("history", "-f", self.sandbox)))

    def test_without_a_name(self):
        self.assert_refused(asb("history", "--follow"), 2, "--follow ID")

    def test_usual_command(self):
        self.assertEqual(self.assert_done(asb("history", "followed")),
                         self.assert_done(asb("history", "list", "followed")))
        self.assertEqual(self.json("jobs", "followed"), [])


if __name__ == "__main__":
    tap_unittest.main()
