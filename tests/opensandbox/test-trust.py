# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whom a provider trusts is its own: GLib resumes TLS sessions that another one has made.

usage: test-trust.py ASK
"""

import pathlib
import ssl
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bindings"))

import tap_unittest
from tls_server import TLS, HttpProxy, Server, SocksProxy

ROOT = str(TLS / "root.pem")
KEY = "the-key-of-tests"
VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]
REFUSED = "The certificate of the server is not accepted: nobody who is trusted here has signed it"


def ask(*requests):
    """What is said of each request."""
    arguments = [part for request in requests for part in request]
    told = subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return told.stdout.splitlines()


class TrustTestCase(unittest.TestCase):
    def start(self, kind, *arguments):
        server = kind(*arguments)
        self.addCleanup(server.close)
        return server

    def check(self, url, server, proxy=""):
        """Those who trust the authority, and those who do not, by turns."""
        kinds = ["http", "websocket"]
        trusting = [(kind, url, ROOT, proxy) for kind in kinds]
        others = [(kind, url, "", proxy) for kind in kinds]
        for requests in [trusting + others + trusting, others + trusting + others]:
            said = ask(*requests)
            self.assertEqual(len(said), len(requests))
            for (kind, _, authority, _), line in zip(requests, said):
                if authority:
                    self.assertEqual(line, "ok " + {"http": "secure"}.get(kind, "connected"))
                else:
                    self.assertTrue(line.startswith("error (not sent) "), line)
                    self.assertIn(REFUSED, line)
            notes = server.take_notes()
            heads = [note for note in notes if KEY in note]
            self.assertEqual(len(heads), len([1 for request in requests if request[2]]))
            yield notes

    def test_sessions_are_resumed_by_who_made_them_only(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                server = self.start(Server, "chain.pem", version)
                for notes in self.check(f"https://127.0.0.1:{server.port}", server):
                    print("#", [note for note in notes if "\r\n" not in note])
                    if version == ssl.TLSVersion.TLSv1_3:
                        self.assertIn("resumed", notes)

    def test_connections_are_kept(self):
        server = self.start(Server, "chain.pem")
        url = f"https://127.0.0.1:{server.port}"
        self.assertEqual(ask(("twice", url, ROOT, ""), ("twice", url, ROOT, "")), ["ok secure"] * 2)
        notes = server.take_notes()
        self.assertEqual(len(notes), 6)
        self.assertEqual([note for note in notes if KEY not in note], ["new", "resumed"])

    def test_behind_a_proxy(self):
        server = self.start(Server, "chain.pem")
        for scheme, kind in [("http", HttpProxy), ("socks5", SocksProxy)]:
            with self.subTest(scheme=scheme):
                proxy = self.start(kind, server)
                for notes in self.check("https://sandboxes.example", server,
                                        f"{scheme}://127.0.0.1:{proxy.port}"):
                    self.assertIn("resumed", notes)
                self.assertNotIn(KEY, "".join(proxy.take_notes()))


if __name__ == "__main__":
    tap_unittest.main()
