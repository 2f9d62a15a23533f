#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The public command line works on the look-alike.

usage: test-cli.py SERVER FOLDER    (where the command line is, or is put)
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import clients
from lookalike import Server, run, test

TARGET = clients.install(sys.argv[2])


class Place:
    def __enter__(self):
        self.server = Server("--api-key", "secret")
        self.home = tempfile.TemporaryDirectory(prefix="lookalike-home-")
        policy = pathlib.Path(self.home.name) / "policy.json"
        policy.write_text('{"defaultAction":"deny","egress":[]}')
        self.sandbox = self.json("sandbox", "create", "--image", "python:3.12", "--timeout", "10m",
                                 "--metadata", "team=x", "--network-policy-file", str(policy))["id"]
        return self

    def __exit__(self, *arguments):
        self.home.cleanup()
        self.server.__exit__(*arguments)

    def run(self, *arguments, text=None, status=0):
        done = subprocess.run(
            [sys.executable, str(TARGET / "bin" / "osb"), "--no-color", "--api-key", "secret",
             "--domain", f"127.0.0.1:{self.server.port}", *arguments],
            env={**os.environ, "HOME": self.home.name}, input=text, capture_output=True, text=True,
            check=False, timeout=120)
        assert done.returncode == status, (arguments, done)
        return done.stdout

    def json(self, *arguments, **options):
        return json.loads(self.run(*arguments, "--output", "json", **options))


@test
def sandboxes(place):
    found = place.json("sandbox", "get", place.sandbox)
    assert found["status"]["state"] == "Running" and found["metadata"] == {"team": "x"}, found
    listed = place.json("sandbox", "list", "--metadata", "team=x")
    assert place.sandbox in json.dumps(listed), listed
    assert place.json("sandbox", "health", place.sandbox)
    assert place.json("sandbox", "metrics", place.sandbox)["cpu_count"] >= 1
    place.json("sandbox", "renew", place.sandbox, "--timeout", "30m")
    endpoint = place.json("sandbox", "endpoint", place.sandbox, "--port", "8000")
    assert "/proxy/8000" in json.dumps(endpoint), endpoint


@test
def commands(place):
    assert place.run("command", "run", place.sandbox, "--output", "raw", "--", "echo", "hello"
                     ).strip() == "hello"
    started = json.loads(place.run("command", "run", place.sandbox, "--background", "--output",
                                   "json", "--", "sh", "-c", "echo begin; exit 4"))
    command = started.get("execution_id") or started["id"]
    while place.json("command", "status", place.sandbox, command)["running"]:
        pass
    assert place.json("command", "status", place.sandbox, command)["exit_code"] == 4
    assert "begin" in place.run("command", "logs", place.sandbox, command, "--output", "raw")


@test
def files(place):
    place.run("file", "write", place.sandbox, "/tmp/cli/a.txt", "--content", "abc abc")
    assert place.run("file", "cat", place.sandbox, "/tmp/cli/a.txt").strip() == "abc abc"
    place.run("file", "replace", place.sandbox, "/tmp/cli/a.txt", "--old", "abc", "--new", "x")
    place.run("file", "mv", place.sandbox, "/tmp/cli/a.txt", "/tmp/cli/b.txt")
    place.run("file", "chmod", place.sandbox, "/tmp/cli/b.txt", "--mode", "0600")
    assert "600" in json.dumps(place.json("file", "info", place.sandbox, "/tmp/cli/b.txt"))
    local = pathlib.Path(place.home.name) / "local"
    place.run("file", "download", place.sandbox, "/tmp/cli/b.txt", str(local))
    assert local.read_text() == "x x"
    place.run("file", "upload", place.sandbox, str(local), "/tmp/cli/c.txt")
    found = json.dumps(place.json("file", "search", place.sandbox, "/tmp/cli", "--pattern", "*.txt"))
    assert "/tmp/cli/b.txt" in found and "/tmp/cli/c.txt" in found, found
    place.run("file", "rm", place.sandbox, "/tmp/cli/c.txt")
    place.run("file", "mkdir", place.sandbox, "/tmp/cli/folder")
    place.run("file", "rmdir", place.sandbox, "/tmp/cli")


@test
def egress_and_diagnostics(place):
    place.run("egress", "patch", place.sandbox, "--rule", "allow=example.org")
    assert "example.org" in json.dumps(place.json("egress", "get", place.sandbox))
    assert place.sandbox in place.run("diagnostics", "logs", place.sandbox, "--scope", "container")


@test
def pause_resume_kill(place):
    place.run("sandbox", "pause", place.sandbox)
    assert place.json("sandbox", "get", place.sandbox)["status"]["state"] == "Paused"
    place.run("sandbox", "resume", place.sandbox)
    place.run("sandbox", "kill", place.sandbox)
    assert place.server.fetch("GET", "/v1/sandboxes/" + place.sandbox, headers={
        "OPEN-SANDBOX-API-KEY": "secret"}).status == 404


run(Place())
