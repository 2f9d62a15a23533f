# SPDX-License-Identifier: LGPL-2.1-or-later
"""An address with http where the server speaks TLS, and with https where it does not.

usage: test-schemes.py ASK
"""

import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bindings"))

import tap_unittest
from tls_server import TLS, Listener, Server

ROOT = str(TLS / "root.pem")
BAD = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n"
PAGE = b"Content-Type: text/html\r\n\r\n<html><title>400 plain HTTP to a TLS port</title></html>"
PLAIN = "if the server speaks plain HTTP, its address begins with “http://”"
SECURE = "if the server speaks TLS, its address begins with “https://”"
# What the library gives a server to agree on TLS.
PATIENCE = 10


class Raw(Listener):
    """Says one thing when something has come, or waits for the rest of it without end."""

    def __init__(self, says):
        self.says = says
        super().__init__()

    def serve(self, connection):
        if self.says is None:
            while connection.recv(4096):
                pass
        else:
            connection.recv(4096)
            connection.sendall(self.says)


def start(url, kind="http", authority=""):
    return subprocess.Popen([sys.argv[1], kind, url, authority, ""], stdout=subprocess.PIPE, text=True)


def ask(*arguments):
    with start(*arguments) as process:
        return process.stdout.read().strip()


class SchemesTestCase(unittest.TestCase):
    def listen(self, listener):
        self.addCleanup(listener.close)
        return f"127.0.0.1:{listener.port}"

    def test_https_where_there_is_none(self):
        for says in [BAD + b"\r\n", BAD + PAGE, b"", b"SSH-2.0-OpenSSH_9.2\r\n"]:
            place = self.listen(Raw(says))
            for kind in ["http", "websocket"]:
                with self.subTest(says=says, kind=kind):
                    said = ask(f"https://{place}", kind)
                    self.assertTrue(said.startswith("error (not sent) "), said)
                    self.assertIn(f"; {PLAIN}", said)
                    self.assertNotIn(".;", said)

    def test_https_where_there_is_silence(self):
        place = self.listen(Raw(None))
        before = time.monotonic()
        with start(f"https://{place}") as patient, start(f"https://{place}", "websocket") as other:
            hurried = ask(f"https://{place}", "5000")
            told = [patient.stdout.read(), other.stdout.read()]
        self.assertLess(time.monotonic() - before, 2 * PATIENCE)
        self.assertIn("did not agree on TLS within 5 seconds", hurried)
        for said in told:
            self.assertIn("did not agree on TLS within 10 seconds", said)
        for said in [hurried, *told]:
            self.assertTrue(said.startswith("error (not sent) "), said)
            self.assertIn(PLAIN, said)

    def test_http_where_there_is_tls(self):
        place = self.listen(Server("chain.pem"))
        alert = self.listen(Raw(b"\x15\x03\x01\x00\x02\x02\x46"))
        for url in [f"http://{place}", f"http://{alert}"]:
            with self.subTest(url=url):
                self.assertIn(SECURE, ask(url))
        large = ask("http://" + self.listen(Raw(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 1000000)))
        self.assertTrue(large.startswith("error "), large)
        self.assertNotIn(SECURE, large)
        page = ask("http://" + self.listen(Raw(BAD + PAGE)))
        self.assertTrue(page.endswith("; check the address of the server"), page)

    def test_what_is_right(self):
        place = self.listen(Server("chain.pem"))
        self.assertEqual(ask(f"https://{place}", "http", ROOT), "ok secure")
        self.assertNotIn("its address begins", ask(f"https://{place}"))


if __name__ == "__main__":
    tap_unittest.main()
