#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The record as it goes wrong for people who run agents: secrets, tampering, deaths, neighbours."""

import os
import pathlib
import re
import select
import signal
import sqlite3
import subprocess
import threading

import tap_unittest
from asb_test import Asb, GLib, STATE, TestCase, local_options

ASB = os.environ["ASB"]
LIMIT = 120


def folder(backend):
    return pathlib.Path(STATE, "asb", "local", backend.get_ref().get_sandbox_id())


def guest_of(backend):
    """The first process of the sandbox."""
    status = (folder(backend) / "guest.status").read_text()
    return int(re.search(r'"child-pid": (\d+)', status).group(1))


def connect(backend, **properties):
    return Asb.create_backend(Asb.BackendOptions(
        provider_name="local", mode=Asb.BackendMode.CONNECT, ref=backend.get_ref(),
        cleanup=Asb.CleanupPolicy.NEVER, history=Asb.HistoryConfig(), **properties), None)


def operations(backend, kind="command.execute"):
    store = backend.get_history_store()
    changes = store.query(0, 10000, 1 << 20, None).get_changes()
    ids = list(dict.fromkeys(change.get_event_id() for change in changes))
    return [operation for operation in store.get_operations(ids, None)
            if operation.get_operation_type() == kind]


def output(backend, operation, stream=Asb.OutputStream.STDOUT):
    pieces = []
    reader = backend.get_history_store().get_output(operation.get_event_id(), stream, None)
    while piece := reader.read_bytes(1 << 16, None).get_data():
        pieces.append(piece)
    return b"".join(pieces)


class Case(TestCase):
    def setUp(self):
        self.backend = Asb.create_backend(local_options(), None)

    def tearDown(self):
        self.backend.close(None)

    def shell(self, text, backend=None, **properties):
        result = (backend or self.backend).execute(Asb.CommandSpec(shell=text, **properties), None)
        self.assertEqual(result.get_exit_status(), 0, result.dup_stderr_text())
        self.assertIsNone(result.get_record_error())
        return result.get_stdout_bytes().get_data() or b""

    def database(self):
        return sqlite3.connect(folder(self.backend) / "history" / "history.sqlite3")


class Secrets(Case):
    """Values of variables are nowhere, command text stands as it is."""

    def test_bytes_of_the_record(self):
        text = "API_KEY=abc123x curl -u me:pw https://u:p@h/ --token=t0kx; [ $SECRET = zzz-s3cret ]"
        self.shell(text, environment=["SECRET=zzz-s3cret"])
        with self.assertRaises(GLib.Error) as caught:
            self.shell("true", cwd="/nowhere", environment=["SECRET=zzz-s3cret"])
        self.assertNotIn("zzz-s3cret", caught.exception.message)
        contents = b"".join(path.read_bytes() for path in (folder(self.backend) / "history").iterdir()
                            if path.is_file())
        # The text says "zzz-s3cret" itself, once in each of the places where it stands.
        self.assertEqual(contents.count(b"zzz-s3cret"), contents.count(b"$SECRET = zzz-s3cret"))
        recorded = operations(self.backend)[0].get_command()
        self.assertEqual(recorded["command"], text)

    def test_environment_of_the_sandbox(self):
        options = local_options(environment=["SECRET=of-the-box-s3cret"])
        with Asb.create_backend(options, None) as backend:
            self.assertEqual(self.shell("echo $SECRET | wc -c", backend), b"18\n")
            contents = b"".join(path.read_bytes() for path in (folder(backend) / "history").iterdir()
                                if path.is_file())
            self.assertNotIn(b"of-the-box-s3cret", contents)
            self.assertNotIn(b"of-the-box-s3cret", (folder(backend) / "meta.json").read_bytes())


class Tampering(Case):
    """What a command does to the record is noticed, and stops nothing."""

    def assert_noticed(self, *kinds):
        self.shell("echo one")
        self.shell("echo two")
        last = operations(self.backend)[-1]
        self.assertEqual((last.get_status(), output(self.backend, last)),
                         (Asb.OperationStatus.SUCCEEDED, b"two\n"))
        status = self.backend.get_history_store().get_status(None)
        self.assertEqual(status.get_state(), "open")
        self.assertTrue(status.get_message())
        found = {kind for (kind,) in self.database().execute("SELECT kind FROM asb_incidents")}
        self.assertTrue(found.issuperset(kinds), found)

    def test_removed(self):
        self.backend.execute(Asb.CommandSpec(shell="rm -rf /.agent-history/*"), None)
        self.assert_noticed("database_missing")

    def test_replaced_by_a_link(self):
        self.shell("echo precious > /tmp/precious; chmod 600 /tmp/precious")
        self.backend.execute(Asb.CommandSpec(
            shell="rm /.agent-history/history.sqlite3*; ln -s /tmp/precious /.agent-history/history.sqlite3"), None)
        self.assert_noticed("database_replaced", "unsound_file")
        self.assertEqual(self.shell("cat /tmp/precious"), b"precious\n")

    def test_replaced_by_a_folder(self):
        self.backend.execute(Asb.CommandSpec(
            shell="rm /.agent-history/history.sqlite3*; mkdir -p /.agent-history/history.sqlite3/x"), None)
        self.assert_noticed("unsound_file")

    def test_overwritten(self):
        self.backend.execute(Asb.CommandSpec(
            shell="for file in /.agent-history/history.sqlite3*; do head -c 200000 /dev/urandom > $file; done"), None)
        self.assert_noticed()

    def test_cut(self):
        self.backend.execute(Asb.CommandSpec(shell="truncate -s 0 /.agent-history/history.sqlite3*"), None)
        self.assert_noticed()

    def test_row_changed(self):
        script = ("import sqlite3; c = sqlite3.connect('/.agent-history/history.sqlite3');"
                  "c.execute(\"UPDATE history_events SET status = 'succeeded'\"); c.commit()")
        result = self.backend.execute(Asb.CommandSpec(argv=["python3", "-c", script]), None)
        self.assertEqual(result.get_exit_status(), 0)
        self.shell("echo after")
        status = self.backend.get_history_store().get_status(None)
        self.assertIn("before it ended", status.get_message())


class Export(Case):
    """The whole record as a file, while the sandbox lives."""

    def export(self):
        path = pathlib.Path(STATE, "exported.sqlite3")
        with path.open("wb") as file:
            stream = self.backend.get_history_store().export(None)
            while piece := stream.read_bytes(1 << 16, None).get_data():
                file.write(piece)
        return sqlite3.connect(path)

    def test_main_file_alone(self):
        """Five operations are in what is exported, whatever is in the main file."""
        for number in range(5):
            self.shell(f"echo {number}")
        database = self.export()
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        self.assertEqual(database.execute(
            "SELECT status FROM history_events WHERE operation_type = 'command.execute'").fetchall(),
            [("succeeded",)] * 5)
        self.assertEqual(b"".join(data for (data,) in database.execute(
            "SELECT data FROM command_output_chunks ORDER BY rowid")), b"0\n1\n2\n3\n4\n")
        database.close()

    def test_while_commands_run(self):
        """It takes nothing away from them, and is whole."""
        threads = [threading.Thread(target=lambda: [self.shell("head -c 300000 /dev/urandom | wc -c")
                                                    for _ in range(10)]) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            database = self.export()
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            database.close()
        for thread in threads:
            thread.join()
        self.assertEqual(len(operations(self.backend)), 30)


class Deaths(Case):
    """Whoever dies, the record says what is known, and no more."""

    def asb(self, *arguments):
        return subprocess.run([ASB, *arguments], check=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE).stdout

    def test_client_killed(self):
        """The guest completes what a client that is no more has begun."""
        self.asb("create", "--name", "left")
        try:
            client = subprocess.Popen(
                [ASB, "exec", "left", "--", "sh", "-c",
                 "mkfifo fifo; echo started; read x < fifo; echo after; exit 3"],
                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
            self.assertEqual(client.stdout.readline(), b"started\n")
            client.kill()
            client.wait(LIMIT)
            client.stdout.close()
            self.asb("exec", "left", "--", "sh", "-c", "echo go > fifo")
            # What the guest is told comes after the end it waited for.
            while b"exit 3" not in (listed := self.asb("history", "list", "left")):
                self.assertIn(b"started", listed)
            sequence = next(line.split()[0].decode() for line in listed.splitlines() if b"exit 3" in line)
            self.assertEqual(self.asb("history", "output", "left", sequence), b"started\nafter\n")
        finally:
            self.asb("rm", "left")

    def kill_guest(self, backend):
        """Until it is gone, so that the operation after this finds it so."""
        pid = guest_of(backend)
        descriptor = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([descriptor], [], [])
        os.close(descriptor)

    def test_guest_killed(self):
        """Nobody knows how the command ended, and nobody says so; the next operation works."""
        command = self.backend.start_command(Asb.CommandSpec(shell="echo started; sleep 77704"), None)
        self.assertEqual(command.get_stdout_pipe().read_bytes(100, None).get_data(), b"started\n")
        self.kill_guest(self.backend)
        with self.assertRaises(GLib.Error) as caught:
            command.wait(None)
        self.assertTrue(caught.exception.matches(Asb.error_quark(), Asb.Error.INTERRUPTED),
                        caught.exception)
        self.assertEqual(command.get_state(), Asb.CommandState.UNKNOWN)
        self.assertEqual(self.shell("echo works"), b"works\n")
        with connect(self.backend) as again:
            self.assertEqual(self.shell("echo there, too", again), b"there, too\n")
        first, *others = operations(self.backend)
        self.assertEqual([operation.get_status() for operation in (first, *others)],
                         [Asb.OperationStatus.UNKNOWN] + 2 * [Asb.OperationStatus.SUCCEEDED])

    def test_guest_killed_again_and_again(self):
        """Whatever comes next brings it back, on the same files."""
        contents = GLib.Bytes.new(b"kept")
        self.backend.write_file("file", contents, None, None)
        for use in (lambda: self.backend.read_file("file", None), lambda: self.shell("cat file"),
                    lambda: self.backend.write_file("file", contents, None, None),
                    lambda: self.backend.list_files(".", None),
                    lambda: self.backend.query_info(None)):
            before = self.backend.get_transport()
            command = self.backend.start_command(Asb.CommandSpec(shell="sleep 77705"), None)
            self.kill_guest(self.backend)
            with self.assertRaises(GLib.Error):
                command.wait(None)
            use()
            self.assertEqual(before.get_state(), Asb.TransportState.CLOSED)
            self.assertEqual(self.backend.get_transport().get_state(), Asb.TransportState.CONNECTED)
        self.assertEqual(self.backend.read_file("file", None).get_data(), b"kept")

    def test_guest_killed_under_many(self):
        """All that was under way is answered, and all that comes then works, from any thread."""
        commands = [self.backend.start_command(Asb.CommandSpec(shell="sleep 77706"), None) for _ in range(8)]
        self.kill_guest(self.backend)
        for command in commands:
            with self.assertRaises(GLib.Error):
                command.wait(None)
            self.assertEqual(command.get_state(), Asb.CommandState.UNKNOWN)
        outputs = []
        threads = [threading.Thread(target=lambda number=number: outputs.append(
            self.shell(f"echo {number}"))) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(outputs), sorted(b"%d\n" % number for number in range(8)))

    def test_sandbox_gone(self):
        """Nothing is brought back that was deleted."""
        backend = connect(self.backend)
        self.backend.delete_sandbox(None)
        with self.assertRaises(GLib.Error) as caught:
            while True:
                self.shell("true", backend)
        self.assertTrue(caught.exception.matches(Asb.error_quark(), Asb.Error.SANDBOX_DELETED)
                        or caught.exception.matches(Asb.error_quark(), Asb.Error.GUEST_UNAVAILABLE),
                        caught.exception)
        self.assert_fails(Asb.Error.SANDBOX_DELETED, self.shell, "true", backend)
        backend.close(None)


class Bounds(Case):
    """The log and the database shrink as fast as they grow."""

    def tearDown(self):
        pass

    def test_much_work(self):
        config = Asb.HistoryConfig(max_database_bytes=8 << 20, max_operation_output_bytes=2 << 20)
        self.backend.close(None)
        options = local_options()
        options.set_history(config)
        self.backend = Asb.create_backend(options, None)
        largest = 0
        for turn in range(40):
            self.shell("head -c 1048576 /dev/urandom")
            for number in range(25):
                self.shell(f"echo {turn}-{number}")
            files = (folder(self.backend) / "history").glob("history.sqlite3*")
            largest = max(largest, sum(file.stat().st_size for file in files))
        self.assertLess(largest, 2 * 8 << 20)
        kept = operations(self.backend)
        self.assertEqual(output(self.backend, kept[-1]), b"39-24\n")
        self.assertLess(len(kept), 40 * 26)
        self.assertGreater(len(kept), 26)
        self.backend.close(None)


class Neighbours(Case):
    """Several programs on one sandbox, and others at the same database."""

    def test_several_clients(self):
        """Each sees what all have done, once and in one order."""
        others = [connect(self.backend) for _ in range(3)]

        def work(number, backend):
            for turn in range(10):
                self.shell(f"echo {number}-{turn}", backend)

        threads = [threading.Thread(target=work, args=pair)
                   for pair in enumerate([self.backend, *others])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        everything = operations(self.backend)
        self.assertEqual(sorted(output(self.backend, operation).decode() for operation in everything),
                         sorted(f"{number}-{turn}\n" for number in range(4) for turn in range(10)))
        sequences = [operation.get_seq() for operation in everything]
        self.assertEqual(sequences, sorted(set(sequences)))
        for other in others:
            self.assertEqual([operation.get_event_id() for operation in operations(other)],
                             [operation.get_event_id() for operation in everything])
            other.close(None)

    def test_other_writers(self):
        """Programs inside that write at the same time lose nothing and stop nobody."""
        script = """
import sqlite3
connection = sqlite3.connect("/.agent-history/history.sqlite3", timeout=60, isolation_level=None)
for number in range(200):
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO history_meta(key, value) VALUES (?, ?)", (f"other-{number}", "x" * 1000))
    connection.execute("COMMIT")
"""
        writers = [self.backend.start_command(Asb.CommandSpec(argv=["python3", "-c", script.replace(
            "other-", f"other-{n}-")]), None) for n in range(2)]
        for number in range(40):
            self.shell(f"echo {number}; head -c 20000 /dev/zero")
        for writer in writers:
            writer.wait(None)
            self.assertTrue(writer.get_successful())
        self.assertEqual(len(operations(self.backend)), 42)
        database = self.database()
        self.assertEqual(database.execute(
            "SELECT count(*) FROM history_meta WHERE key LIKE 'other-%'").fetchone(), (400,))
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))

    def test_writer_that_keeps_its_lock(self):
        """Work goes on under best_effort, and what was held up is recorded afterwards."""
        options = Asb.BackendOptions(provider_name="local", history=Asb.HistoryConfig(
            consistency=Asb.HistoryConsistency.BEST_EFFORT, sqlite_busy_timeout_ms=100,
            output_write_timeout_seconds=1))
        with Asb.create_backend(options, None) as backend:
            path = folder(backend) / "history" / "history.sqlite3"
            database = sqlite3.connect(path, isolation_level=None)
            database.execute("BEGIN IMMEDIATE")
            result = backend.execute(Asb.CommandSpec(shell="echo done all the same"), None)
            self.assertEqual(result.dup_stdout_text(), "done all the same\n")
            self.assertTrue(result.get_record_error())
            database.execute("ROLLBACK")
            self.shell("true", backend)


if __name__ == "__main__":
    tap_unittest.main()
