#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest where descriptors, processes, memory and the size of files have an end: it answers with errors and lives on."""

from faultlib import *

KIB = 1024


def try_few_descriptors(n):
    """Whether the guest can serve at all."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))

    # Without a descriptor the leak checker of a sanitizer waits for ever.
    with Guest(preexec_fn=limit, stderr=subprocess.PIPE, env=checker.environment(leaks=False)) as guest:
        # Then who connects to a guest that ends learns of it.
        guest.listener.close()
        guest.listener = None
        try:
            client = guest.connect()
            call = client.command(["true"])
            assert "result" in call.reply or call.error["code"] in ("command_execution_error", "internal_error"), call.reply
            return True
        except (Closed, ConnectionRefusedError, ConnectionResetError, BrokenPipeError):
            guest.stop()
            complaint = guest.process.stderr.read()
            assert guest.process.returncode in (0, 1), (n, guest.process.returncode)
            assert guest.process.returncode == 0 or b"asb-guest: " in complaint, (n, complaint)
            return False
        finally:
            guest.stop()
            guest.process.stderr.close()


def test_few_descriptors_at_the_start():
    """It serves, or says that it cannot and ends."""
    skip_under_valgrind("needs descriptors of its own")
    served = {n: try_few_descriptors(n) for n in some_of(range(5, 33), 28)}
    assert served[max(served)], served


def test_no_descriptors_for_clients():
    """Who comes when there are none is turned away; who is there is served; afterwards all are."""
    skip_under_valgrind("needs descriptors of its own")
    with Guest() as guest:
        client = guest.connect()
        ping(client)
        with limited(guest, resource.RLIMIT_NOFILE, count_descriptors(guest.process.pid)):
            for _ in range(20):
                try:
                    guest.connect().close()
                    raise AssertionError("there was a descriptor")
                except (Closed, ConnectionResetError, BrokenPipeError):
                    pass
                ping(client)
            call = client.command(["true"])
            assert call.error["code"] == "command_execution_error", call.reply
            assert call.error["details"]["errno"] == "EMFILE", call.reply
        check_alive(guest)


def test_descriptors_end_anywhere():
    """Each call is answered, wherever the descriptors end."""
    skip_under_valgrind("needs descriptors of its own")
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        used = count_descriptors(guest.process.pid)
        for n in range(used, used + 12):
            with limited(guest, resource.RLIMIT_NOFILE, n):
                call = client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=envelope())
                client.write(call, b"abc", fin=True)
                client.wait(call, OUTPUT, ERRORS)
                assert "error" in call.reply or call.stdout == b"abc", call.reply
                read = client.read_file("/etc/passwd")
                assert "error" in read.reply or read.stdout, read.reply
        client.close()
        check_alive(guest)
        check_record(guest)


def try_few_processes(n):
    """Its user may have so many processes: whether commands could be run."""
    def become_nobody():
        # Each time another, so that no process of the last one counts.
        if os.getuid() == 0:
            os.setgid(54400 + n)
            os.setuid(54400 + n)
        resource.setrlimit(resource.RLIMIT_NPROC, (n, n))

    with Guest(listen=False) as guest:
        os.chmod(guest.directory, 0o777)
        os.chmod(guest.work, 0o777)
        # The leak checker of a sanitizer needs a process of its own.
        guest.start(preexec_fn=become_nobody, env=checker.environment(leaks=False))
        os.chmod(guest.path, 0o777)
        client = guest.connect()
        open_history(client)
        command = client.command(["sh", "-c", "true & true & wait"], record=envelope(required=False))
        assert "result" in command.reply or command.error["code"] == "command_execution_error", command.reply
        call = client.write_file(guest.in_work("file"), b"abc", record=envelope("file.write", required=False))
        assert "result" in call.reply or call.error["code"] == "internal_error", call.reply
        call = client.run("history.status")
        assert "result" in call.reply or call.error["code"] == "history_unavailable", call.reply
        check_zombies(guest, client)
        assert guest.process.poll() is None
        return "result" in command.reply


def test_few_processes():
    """What lacks a process is an error."""
    skip_under_valgrind("keeps all signals blocked where a fork fails, and then cannot let the stack grow")
    if os.getuid() != 0:
        raise Skip("the processes of this user count, too, and nobody knows how many there are")
    done = [try_few_processes(n) for n in some_of(range(1, 13), 12)]
    assert done[0] is False and done[-1] is True, done


def use_everything(guest, n):
    """A bit of each; the connection may be lost when there is no memory for it."""
    try:
        client = guest.connect()
        client.command(["true"], record=envelope(required=False))
        call = client.start("command.start", {"argv": ["cat"], "stdin": "stream"})
        client.write(call, b"x" * 100000, fin=True)
        client.wait(call, OUTPUT, ERRORS)
        client.write_file(guest.in_work(f"memory-{n % 4}"), b"y" * 300000)
        client.list("/etc")
        client.run("history.query", {"after_change_seq": 0, "limit": 100}, channels=[OUTPUT])
        client.command(["a" * 100] * 3000)
        client.close()
    except (Closed, ConnectionResetError, BrokenPipeError):
        pass


def test_little_memory():
    """Wherever memory ends, the broker goes on when there is some again."""
    if is_sanitized():
        raise Skip("the guest is built with AddressSanitizer")
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        client.close()
        use_everything(guest, 0)
        for extra in some_of(range(0, 2048 * KIB, 32 * KIB), 12):
            used = int(open(f"/proc/{guest.process.pid}/statm").read().split()[0]) * resource.getpagesize()
            with limited(guest, resource.RLIMIT_AS, used + extra):
                use_everything(guest, extra // KIB)
            assert guest.process.poll() is None, f"with {extra} bytes the guest has ended with {guest.process.returncode}"
        check_alive(guest)
        check_record(guest)


def test_size_of_files():
    """A limit on the size of files ends neither the guest nor its workers nor the record."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512 * KIB, 512 * KIB))

    with Guest(preexec_fn=limit) as guest:
        client = guest.connect()
        open_history(client)
        path = guest.in_work("file")
        assert client.write_file(path, b"small").result["size"] == 5
        call = client.write_file(path, b"x" * (1024 * KIB), record=envelope("file.write", required=False))
        assert call.error["code"] == "too_large", call.reply
        assert call.error["details"]["errno"] == "EFBIG", call.reply
        assert client.read_file(path).stdout == b"small"
        assert os.listdir(guest.work) == ["file"], os.listdir(guest.work)
        call = client.command("yes | head -c 2000000", record=envelope(required=False))
        assert call.result["exit_code"] == 0 and call.result["stdout_bytes"] == 2000000, call.reply
        client.close()
        check_alive(guest)


def test_memory_is_bounded():
    """Clients that ask and do not read cost what is allowed them, and nothing when they are gone."""
    with Guest() as guest:
        first = guest.connect()
        first.command(["true"])
        before = memory(guest)
        for _ in range(3 if not THOROUGH else 30):
            clients = [guest.connect() for _ in range(8)]
            for client in clients:
                for _ in range(4):
                    client.start("command.start", {"argv": ["head", "-c", "3000000", "/dev/zero"]})
            ping(first)
            # A window for each of 2 channels of 4 calls of 8 clients, and what the kernel has of it.
            if not is_sanitized():
                assert memory(guest) - before < 8 * 4 * 2 * WINDOW + MAX_GROWTH, memory(guest) - before
            for client in clients:
                client.close()
            ping(first)
        check_alive(guest)
        # What is left of the last clients' commands may still be ending.
        for _ in range(200):
            if memory(guest) - before < MAX_GROWTH:
                break
            check_alive(guest)
        check_growth(guest, before)


if __name__ == "__main__":
    main()
