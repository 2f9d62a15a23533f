# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ways to a server through proxies: those that are told, and those of the environment.

usage: test-ways.py ASK
"""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bindings"))

import tap_unittest
from tls_server import TLS, HttpProxy, Listener, Server, SocksProxy

ROOT = str(TLS / "root.pem")
KEY = "the-key-of-tests"
LOGIN = "somebody:proxy-secret"
HIDDEN = ["dXM6", "c29tZWJvZHk6cHJveHktc2VjcmV0", "proxy-secret"]
SANDBOXES = "sandboxes.example"
VARIABLES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]


def ask(*requests, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if name.lower() not in VARIABLES and (not variables or name != "GIO_USE_PROXY_RESOLVER")}
    # GLib 2.74 forgets the eight bytes that a SOCKS 4a proxy replies, below functions without a name.
    if "ASAN_OPTIONS" in environment and any(proxy.startswith("socks4a:") for *_, proxy in requests):
        environment["ASAN_OPTIONS"] += ":detect_leaks=0"
    arguments = [part for request in requests for part in request]
    told = subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE, text=True, check=True,
                          env={**environment, **variables})
    return told.stdout.splitlines()


class Silence(Listener):
    def serve(self, connection):
        while connection.recv(4096):
            pass


class WaysTestCase(unittest.TestCase):
    def setUp(self):
        self.servers = {"http": self.start(Server), "https": self.start(Server, "chain.pem")}

    def start(self, kind, *arguments):
        listener = kind(*arguments)
        self.addCleanup(listener.close)
        return listener

    def check_secrets(self, scheme, proxy, scheme_of_proxy):
        """What a proxy could read, and what of it came to the server."""
        read = "".join(proxy.take_notes())
        came = "".join(self.servers[scheme].take_notes())
        self.assertIn(SANDBOXES, read)
        self.assertIn(KEY, came)
        for hidden in HIDDEN:
            self.assertNotIn(hidden, came if scheme_of_proxy.startswith("socks") else "")
        if scheme == "https":
            self.assertNotIn(KEY, read)
            self.assertNotIn("Proxy-Authorization", came)
        if scheme_of_proxy in ["socks", "socks5"]:
            self.assertIn(f"login {LOGIN}", read)
            self.assertIn(f"socks5 {SANDBOXES}:", read)
        elif scheme_of_proxy == "http":
            self.assertIn(f"Proxy-Authorization: Basic {HIDDEN[1]}", read)

    def test_proxies_that_are_told(self):
        for scheme in ["http", "https"]:
            for way in ["http", "socks", "socks5", "socks4a"]:
                for kind, expected in [("http", "ok secure"), ("websocket", "ok connected")]:
                    with self.subTest(scheme=scheme, way=way, kind=kind):
                        proxy = self.start(HttpProxy if way == "http" else SocksProxy,
                                           self.servers[scheme])
                        said = ask((kind, f"{scheme}://{SANDBOXES}", ROOT,
                                    f"{way}://{LOGIN}@127.0.0.1:{proxy.port}"))
                        self.assertEqual(said, [expected])
                        self.check_secrets(scheme, proxy, way)

    def test_a_proxy_over_tls_that_nobody_trusts(self):
        """Whom the option tls-ca-file trusts are servers."""
        for scheme in ["http", "https"]:
            with self.subTest(scheme=scheme):
                proxy = self.start(HttpProxy, self.servers[scheme], "chain.pem")
                said, = ask(("http", f"{scheme}://{SANDBOXES}", ROOT,
                             f"https://{LOGIN}@127.0.0.1:{proxy.port}"))
                self.assertTrue(said.startswith("error (not sent) "), said)
                self.assertIn(f"through the proxy “https://127.0.0.1:{proxy.port}”", said)
                self.assertEqual(proxy.take_notes(), [])
                self.assertNotIn("proxy-secret", said)

    def test_a_silent_proxy_is_named(self):
        silence = self.start(Silence)
        for scheme in ["http", "https"]:
            for way in ["http", "socks5"]:
                said, = ask(("1500", f"{scheme}://{SANDBOXES}", ROOT,
                             f"{way}://{LOGIN}@127.0.0.1:{silence.port}"))
                self.assertIn(f"through the proxy “{way}://127.0.0.1:{silence.port}”", said)

    def test_proxies_of_the_environment(self):
        for scheme in ["http", "https"]:
            for way, kind in [("http", HttpProxy), ("socks5", SocksProxy)]:
                with self.subTest(scheme=scheme, way=way):
                    proxy = self.start(kind, self.servers[scheme])
                    request = ("http", f"{scheme}://{SANDBOXES}", ROOT, "")
                    variables = {f"{scheme}_proxy": f"{way}://{LOGIN}@127.0.0.1:{proxy.port}"}
                    said = ask(request, **variables)
                    if not proxy.take_notes():
                        self.skipTest("GLib reads no proxy from the environment here")
                    self.assertEqual(said, ["ok secure"])
                    self.assertEqual(ask(request, **variables), ["ok secure"])
                    self.check_secrets(scheme, proxy, way)
                    self.check_exceptions(scheme, request, variables, proxy)

    def check_exceptions(self, scheme, request, variables, proxy):
        """Names that are excepted, this machine, and a proxy that is told instead."""
        said, = ask(request, **variables, no_proxy=SANDBOXES)
        self.assertTrue(said.startswith("error (not sent) "), said)
        here = f"{scheme}://127.0.0.1:{self.servers[scheme].port}"
        self.assertEqual(ask(("http", here, ROOT, ""), **variables), ["ok secure"])
        said, = ask((*request[:3], "direct://"), **variables)
        self.assertTrue(said.startswith("error (not sent) "), said)
        # Connections before may say late that they end.
        began = [note for note in proxy.take_notes() if note.startswith(("CONNECT", "POST", "socks", "login"))]
        self.assertEqual(began, [])


if __name__ == "__main__":
    tap_unittest.main()
