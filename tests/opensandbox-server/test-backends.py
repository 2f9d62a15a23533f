#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python package this library is a peer of makes a backend on the look-alike.

usage: test-backends.py SERVER FOLDER    (where the package is, or is put)
"""

import asyncio
import sys

import clients
from lookalike import Server, run, test

clients.install(sys.argv[2])

from agent_sandbox_backends import (  # noqa: E402
    HistoryConfig, HistoryMode, SandboxState, create_opensandbox_backend)
from agent_sandbox_backends.domain.errors import (  # noqa: E402
    ConcurrentModificationError, SandboxNotFoundError)


async def use(server, mode, proxy):
    backend = await create_opensandbox_backend(
        f"http://127.0.0.1:{server.port}", history=HistoryConfig(mode=mode), sandbox_name="demo",
        use_server_proxy=proxy, env={"GREETING": "hello"})
    info = await backend.info()
    assert info.state == SandboxState.RUNNING and info.image == "python:3.12"
    assert info.ref.metadata["agent_sandbox.name"] == "demo"
    result = await backend.execute("echo $GREETING")
    assert (result.exit_code, result.stdout) == (0, b"hello"), result
    await backend.write_file("/tmp/folder/file", b"abc")
    assert await backend.read_file("/tmp/folder/file") == b"abc"
    assert [entry.path for entry in await backend.list_files("/tmp/folder")] == ["/tmp/folder/file"]
    try:
        await backend.write_file("/tmp/folder/file", b"x", expected_hash="0" * 64)
        raise AssertionError("it was written")
    except ConcurrentModificationError:
        pass
    if mode == HistoryMode.SANDBOX:
        result = await backend.execute(
            "python3 -c \"import sqlite3; c = sqlite3.connect('/.agent-history/history.sqlite3'); "
            "print(c.execute('select count(*) > 5 from history_events').fetchone()[0])\"")
        assert result.stdout == b"1", result
    else:
        assert (await backend.pause()).state == SandboxState.PAUSED
        assert (await backend.resume()).state == SandboxState.RUNNING
    await backend.delete_file("/tmp/folder/file")
    try:
        await backend.close()
    except SandboxNotFoundError:
        # Its release 0.1.0 renews a sandbox that it has just deleted.
        assert mode == HistoryMode.NONE
    assert not server.fetch("GET", "/v1/sandboxes").json()["items"]


@test
def without_a_history(server):
    for proxy in (False, True):
        asyncio.run(use(server, HistoryMode.NONE, proxy))


@test
def with_a_history_in_the_sandbox(server):
    for proxy in (False, True):
        asyncio.run(use(server, HistoryMode.SANDBOX, proxy))


# Each record of a history is a command, which would wait for the grace time.
run(Server("--grace", "20"))
