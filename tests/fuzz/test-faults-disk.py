#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest on disks that are full or read-only: it says so, work goes on, and the record is whole."""

from faultlib import *

DISK = 2 * 1024 * 1024


@contextlib.contextmanager
def guest_on_small_disk(where, size=DISK):
    """The history or the work of the guest has a disk of its own."""
    with Guest(listen=False) as guest:
        path = getattr(guest, where)
        with small_disk(path, size):
            guest.start()
            try:
                yield guest
            finally:
                guest.stop()


def test_record_that_cannot_begin():
    with guest_on_small_disk("history") as guest:
        ballast = fill(os.path.join(guest.history, "ballast"))
        client = guest.connect()
        call = open_history(client)
        assert call.error["code"] == "history_storage_exhausted", call.reply
        refused = client.command(["true"], record=envelope())
        assert refused.error["code"].startswith("history_"), refused.reply
        done = client.command(["true"], record=envelope(required=False))
        assert done.result["exit_code"] == 0 and done.reply["record"]["state"] == "failed", done.reply
        os.unlink(ballast)
        assert "result" in open_history(client).reply
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}
        client.close()
        check_alive(guest)
        check_record(guest)


def test_disk_that_fills_up_while_recording():
    """The command gets all of its output, the record says what it lacks, and goes on when there is room."""
    with guest_on_small_disk("history") as guest:
        client = guest.connect()
        open_history(client)
        record = envelope()
        size = 4 * DISK
        call = client.command(["head", "-c", str(size), "/dev/urandom"], record=record)
        assert call.result["exit_code"] == 0 and len(call.stdout) == size, call.reply
        assert call.reply["record"]["state"] == "failed", call.reply
        refused = client.command(["true"], record=envelope())
        assert "result" in refused.reply or refused.error["code"].startswith("history_"), refused.reply
        assert client.command(["true"], record=envelope(required=False)).result["exit_code"] == 0
        assert client.command(["true"]).result["exit_code"] == 0
        client.close()
        check_alive(guest)
        call_libc("mount", b"tmpfs", guest.history.encode(), b"tmpfs", MS_REMOUNT, f"size={16 * DISK}".encode())
        client = guest.connect()
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}
        client.close()
        check_record(guest)


def test_full_disk_at_any_moment():
    """However little is left when it fills up. All that is recorded fits without the ballast."""
    with guest_on_small_disk("history", 8 * DISK) as guest:
        client = guest.connect()
        open_history(client)
        for spare in some_of(range(0, 256 * 1024, 4096), 8):
            ballast = fill(os.path.join(guest.history, "ballast"))
            os.truncate(ballast, max(0, os.path.getsize(ballast) - spare))
            call = client.command(["head", "-c", "100000", "/dev/urandom"], record=envelope())
            assert "error" not in call.reply or call.error["code"].startswith("history_"), call.reply
            call = client.write_file(guest.in_work("file"), b"x" * 1000, record=envelope("file.write", required=False))
            assert "result" in call.reply, call.reply
            os.unlink(ballast)
            call = client.command(["true"], record=envelope())
            assert call.reply["record"]["state"] == "complete", (spare, call.reply)
        client.close()
        check_alive(guest)
        check_record(guest)


def test_full_disk_in_a_large_commit():
    """More is written at once than the database keeps in memory; what others read is whole all the time."""
    config = {"sqlite_cache_bytes": 1 << 20, "output_queue_max_bytes": 64 << 20, "output_flush_bytes": 1 << 20}
    with guest_on_small_disk("history", 20 * DISK) as guest:
        client = guest.connect()
        assert "result" in client.run("history.open", {"identity": IDENTITY, "sdk_version": "1", "config": config}).reply
        database = os.path.join(guest.history, "history.sqlite3")
        for spare in some_of(range(0, 3 << 20, 64 << 10), 8):
            ballast = fill(os.path.join(guest.history, "ballast"))
            os.truncate(ballast, max(0, os.path.getsize(ballast) - spare))
            calls = [client.start("command.start", {"argv": ["head", "-c", "900000", "/dev/urandom"]},
                                  record=envelope(required=False)) for _ in range(3)]
            for call in calls:
                client.wait(call, OUTPUT, ERRORS)
                assert call.result["exit_code"] == 0 and len(call.stdout) == 900000, call.reply
            with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            os.unlink(ballast)
            with contextlib.closing(sqlite3.connect(database, timeout=PATIENCE)) as connection:
                connection.execute("DELETE FROM command_output_chunks")
                connection.commit()
        client.close()
        check_alive(guest)
        check_record(guest, ended=False)


def test_files_on_a_full_disk():
    with guest_on_small_disk("work") as guest:
        client = guest.connect()
        path = guest.in_work("file")
        assert client.write_file(path, b"before").result["size"] == 6
        call = client.write_file(path, b"x" * 2 * DISK)
        assert call.error["code"] == "no_space", call.reply
        assert client.read_file(path).stdout == b"before"
        assert os.listdir(guest.work) == ["file"], "something was left behind"
        fill(guest.in_work("ballast"))
        assert client.write_file(path, b"x" * 100000).error["code"] == "no_space"
        call = client.run("file.mkdir", {"path": guest.in_work("folder/in/folders")})
        assert "result" in call.reply or call.error["code"] == "no_space", call.reply
        assert client.read_file(path).stdout == b"before"
        assert "result" in client.run("file.delete", {"path": guest.in_work("ballast")}).reply
        client.close()
        check_alive(guest)


def test_read_only_history():
    with guest_on_small_disk("history") as guest:
        make_read_only(guest.history)
        client = guest.connect()
        call = open_history(client)
        assert call.error["code"].startswith("history_"), call.reply
        assert client.command(["true"], record=envelope()).error["code"].startswith("history_")
        assert client.command(["true"], record=envelope(required=False)).result["exit_code"] == 0
        make_read_only(guest.history, False)
        assert "result" in open_history(client).reply
        assert client.command(["true"], record=envelope()).reply["record"] == {"state": "complete"}
        client.close()
        check_alive(guest)
        check_record(guest)


def test_history_nobody_may_write():
    """The folder belongs to somebody else."""
    def become_nobody():
        os.setgid(54324)
        os.setuid(54324)

    if os.getuid() != 0:
        raise Skip("only root can give a folder away")
    with Guest(listen=False) as guest:
        os.mkdir(guest.history, 0o755)
        os.chmod(guest.directory, 0o755)
        os.chmod(guest.work, 0o777)
        guest.start(preexec_fn=become_nobody)
        os.chmod(guest.path, 0o777)
        client = guest.connect()
        assert open_history(client).error["code"].startswith("history_")
        assert client.command(["true"], record=envelope(required=False)).result["exit_code"] == 0
        client.close()
        check_alive(guest)


if __name__ == "__main__":
    try:
        leave_mounts()
    except Skip as reason:
        print(f"1..0 # SKIP {reason}")
        sys.exit(0)
    main()
