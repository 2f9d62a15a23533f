# SPDX-License-Identifier: LGPL-2.1-or-later
"""Guests that bind their socket themselves."""

import os
import shutil
import socket
import subprocess
import tempfile

import checker
from guestlib import PATIENCE, Client, Closed, guest_program
from reachable import reachable


class Place:
    """A directory for guests that bind their socket themselves."""

    def __init__(self, user=None, program=None, major=1, beside=None):
        """@beside: another such place, whose directory this one shares."""
        self.user = user
        self.program = [reachable(program)] if program else checker.command(guest_program())
        self.major = major
        self.beside = beside
        self.directory = beside.directory if beside else tempfile.mkdtemp(prefix="asb-guest-test-")
        self.run = os.path.join(self.directory, "run")
        self.path = os.path.join(self.run, f"guest-{major}.sock")
        self.options = ["--socket", self.path, "--history-dir", os.path.join(self.directory, "history")]
        if user is not None:
            os.chown(self.directory, user, -1)
            os.chmod(self.directory, 0o755)

    def popen(self, verb, **kwargs):
        if self.user is not None:
            kwargs.setdefault("user", self.user)
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs["env"] = checker.environment(kwargs.get("env"))
        return subprocess.Popen([*self.program, verb, *self.options], cwd="/", **kwargs)

    def fail(self, verb, sentence, **kwargs):
        """Its status is 1, and the sentence in what it says."""
        process = self.popen(verb, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)
        out, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1 and out == b"" and sentence in errors.decode(), (verb, errors)

    def serve(self, *options, **kwargs):
        """One in the background."""
        kwargs["env"] = checker.environment(kwargs.get("env"))
        result = subprocess.run([*self.program, "serve", "--daemon", *self.options, *options], stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=PATIENCE, cwd="/", user=self.user, **kwargs)
        assert result.returncode == 0 and result.stderr == b"", result

    def connect(self, hello=True):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(self.path)
        return Client(sock, hello, major=self.major)

    def join(self, **kwargs):
        """A client through “connect”."""
        ours, theirs = socket.socketpair()
        process = self.popen("connect", stdin=theirs, stdout=theirs, **kwargs)
        theirs.close()
        client = Client(ours, major=self.major)
        client.process = process
        return client

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        try:
            client = self.connect()
            client.run("guest.shutdown")
            client.until_closed()
        except (OSError, Closed, AssertionError):
            pass
        if not self.beside:
            shutil.rmtree(self.directory, ignore_errors=True)
