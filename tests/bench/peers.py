#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does with public Python packages what bench-library does: microseconds, one number a line.

usage: peers.py sdk|backends|backends-none VERB NUMBER

VERB: create, exec, files, at-once, text. Where the server is, and its key, is in the environment
(OPEN_SANDBOX_DOMAIN, OPEN_SANDBOX_API_KEY). The last line is how many KiB were resident at most.
"""

import asyncio
import os
import resource
import sys
import time
from datetime import timedelta

IMAGE = os.environ.get("ASB_BENCH_IMAGE", "python:3.12")
AT_ONCE = 16
LINE = "0123456789abcdefghijklmnopqrstuvwxyz" * 2
LIFETIME = 600


class Sdk:
    """opensandbox"""

    @classmethod
    async def create(cls):
        from opensandbox import Sandbox
        from opensandbox.config import ConnectionConfig
        self = cls()
        self.sandbox = await Sandbox.create(
            IMAGE, connection_config=ConnectionConfig(use_server_proxy=True),
            timeout=timedelta(seconds=LIFETIME))
        return self

    async def execute(self, command):
        result = await self.sandbox.commands.run(command)
        assert result.exit_code == 0, result
        return sum(len(message.text) + 1 for message in result.logs.stdout)

    async def write(self, path, text):
        await self.sandbox.files.write_file(path, text)

    async def read(self, path):
        return await self.sandbox.files.read_file(path)

    async def close(self):
        await self.sandbox.kill()
        await self.sandbox.close()


class Backends:
    """agent-sandbox-backends, with a history in the sandbox"""
    mode = "SANDBOX"

    @classmethod
    async def create(cls):
        from agent_sandbox_backends import HistoryConfig, HistoryMode, create_opensandbox_backend
        self = cls()
        self.backend = await create_opensandbox_backend(
            "http://" + os.environ["OPEN_SANDBOX_DOMAIN"], image=IMAGE,
            history=HistoryConfig(mode=HistoryMode[cls.mode]), use_server_proxy=True)
        return self

    async def execute(self, command):
        result = await self.backend.execute(command)
        assert result.exit_code == 0, result
        return len(result.stdout)

    async def write(self, path, text):
        await self.backend.write_file(path, text.encode())

    async def read(self, path):
        return (await self.backend.read_file(path)).decode()

    async def close(self):
        from agent_sandbox_backends.domain.errors import SandboxNotFoundError
        try:
            await self.backend.close()
        except SandboxNotFoundError:
            pass  # its release 0.1.0 renews a sandbox that it has just deleted


class BackendsWithout(Backends):
    """agent-sandbox-backends, without a history"""
    mode = "NONE"


PEERS = {"sdk": Sdk, "backends": Backends, "backends-none": BackendsWithout}


def print_since(start):
    print(int((time.perf_counter() - start) * 1e6), flush=True)


async def create(peer, number):
    for _ in range(number):
        start = time.perf_counter()
        made = await peer.create()
        print_since(start)
        await made.close()


async def work(peer, verb, number):
    made = await peer.create()
    try:
        if verb == "text":
            start = time.perf_counter()
            came = await made.execute(f"yes {LINE} | head -c {number}")
            print_since(start)
            assert came >= number - len(LINE), f"only {came} bytes came"
            return
        for _ in range(number):
            start = time.perf_counter()
            if verb == "exec":
                await made.execute("true")
            elif verb == "at-once":
                await asyncio.gather(*(made.execute("true") for _ in range(AT_ONCE)))
            elif verb == "files":
                await made.write("/tmp/small", "x" * 100)
                assert await made.read("/tmp/small") == "x" * 100
            print_since(start)
    finally:
        await made.close()


def main():
    peer, verb, number = PEERS[sys.argv[1]], sys.argv[2], int(sys.argv[3])
    asyncio.run(create(peer, number) if verb == "create" else work(peer, verb, number))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


main()
