# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sandboxes of an OpenSandbox server.

usage: test-servers.py SERVER

SERVER: the program of the look-alike; or “real”: the server that ASB_TEST_OPENSANDBOX names (a URL; its
key is in OPEN_SANDBOX_API_KEY), and all is skipped without one.
"""

import http.client
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "opensandbox-server"))

import lookalike
import tap_unittest
from cli_test import BYTES, FOLDER, Terminal, TestCase, asb, checker, finish, start

REAL = sys.argv[1] == "real"
if REAL and not os.environ.get("ASB_TEST_OPENSANDBOX"):
    lookalike.skip_all("ASB_TEST_OPENSANDBOX names no server")
KEY = os.environ.get("OPEN_SANDBOX_API_KEY", "") if REAL else "key-that-is-secret"
POLICY = {"defaultAction": "deny", "egress": [{"action": "allow", "target": "example.org"}]}
NONE = {"OPEN_SANDBOX_DOMAIN": "", "OPEN_SANDBOX_API_KEY": ""}
# Whole stacks for the leak checker, by which lsan.supp knows what libsecret leaks.
WHOLE_STACKS = {"ASAN_OPTIONS": checker.SANITIZER + ":fast_unwind_on_malloc=0"} if checker.SANITIZER else {}


class RealServer:
    """One that others use, too."""

    def __init__(self):
        parts = urllib.parse.urlsplit(os.environ["ASB_TEST_OPENSANDBOX"])
        self.host, self.port = parts.hostname, parts.port or 80

    def fetch(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=lookalike.TIMEOUT)
        try:
            return lookalike.fetch_on(connection, method, path, body, headers)
        finally:
            connection.close()


class ServerTestCase(TestCase):
    """Tests that share one server, which wants a key."""

    @classmethod
    def setUpClass(cls):
        cls.server = RealServer() if REAL else lookalike.Server("--api-key", KEY, "--grace", "20")
        cls.place = f"{cls.server.host if REAL else '127.0.0.1'}:{cls.server.port}"
        cls.environment = {"OPEN_SANDBOX_DOMAIN": cls.place, "OPEN_SANDBOX_API_KEY": KEY}
        cls.made = []

    @classmethod
    def tearDownClass(cls):
        for sandbox in cls.made if REAL else []:
            cls.fetch("DELETE", "/sandboxes/" + sandbox)
        if not REAL:
            cls.server.__exit__(None, None, None)

    def named(self, name):
        """Others may use the server, too."""
        items = self.fetch("GET", "/sandboxes?pageSize=200").json()["items"]
        return [info["id"] for info in items if name in (info.get("metadata") or {}).values()]

    @classmethod
    def fetch(cls, method, path, body=None):
        return cls.server.fetch(method, "/v1" + path, body, headers={"OPEN-SANDBOX-API-KEY": KEY})

    def create(self, **members):
        answer = self.fetch("POST", "/sandboxes", {**lookalike.SANDBOX, **members})
        self.assertEqual(answer.status, 202, answer)
        self.made.append(answer.json()["id"])
        return answer.json()["id"]

    def asb(self, *arguments, **options):
        return asb(*arguments, environment={**self.environment, **options.pop("environment", {})},
                   **options)

    def done(self, *arguments, **options):
        return self.assert_done(self.asb(*arguments, **options)).decode()

    def json(self, *arguments):
        return json.loads(self.done(*arguments, "--json"))


class Places(ServerTestCase):
    """Where the server is, and where its key comes from."""

    def list(self, *arguments, **environment):
        return self.asb("list", "--json", *arguments, environment={**NONE, **environment})

    def key_file(self, content, name="key"):
        path = FOLDER / name
        path.write_bytes(content)
        return str(path)

    def test_environment(self):
        sandbox = self.create()
        listed = json.loads(self.done("list", "--json", "--provider", "opensandbox"))
        self.assertIn(sandbox, [info["id"] for info in listed])

    def test_options(self):
        url = f"http://{self.place}"
        key = self.key_file(KEY.encode() + b"\r\nmore\n")
        sandbox = self.create()
        listed = json.loads(self.assert_done(self.list("--server", url, "--api-key-file", key)))
        self.assertIn(sandbox, [info["id"] for info in listed])
        # With a server that is given, its sandboxes are the usual ones.
        options = ["--server", url, "--api-key-file", key]
        info = json.loads(self.assert_done(self.asb("info", "--json", *options, sandbox[:8],
                                                    environment=NONE)))
        self.assertEqual((info["provider"], info["id"]), ("opensandbox", sandbox))

    def complete(self, *words, **environment):
        done = self.asb("help", "--complete", "--", *words, environment={**NONE, **environment})
        return self.assert_done(done).decode().splitlines()

    def test_completion(self):
        url, key = f"http://{self.place}", self.key_file(KEY.encode())
        sandbox = self.create()
        name = f"opensandbox:{sandbox}"
        self.assertIn(name, self.complete("exec", "opensandbox:", **self.environment))
        self.assertEqual(self.complete("exec", name[:-1], **self.environment), [name])
        options = ["--server", url, f"--api-key-file={key}"]
        self.assertEqual(self.complete("exec", *options, name[:-1]), [name])
        self.assertEqual(self.complete("exec", *options, sandbox[:-1]), [sandbox])
        (FOLDER / "completion" / "asb").mkdir(parents=True)
        (FOLDER / "completion" / "asb" / "config").write_text(f"[far]\nserver={url}\napi-key-file={key}\n")
        config = {"XDG_CONFIG_HOME": str(FOLDER / "completion")}
        self.assertEqual(self.complete("rm", "--profile=far", sandbox[:-1], **config), [sandbox])
        self.assertEqual(self.complete("rm", sandbox[:-1], ASB_PROFILE="far", **config), [sandbox])

    def test_completion_of_snapshots(self):
        self.assertEqual(self.complete("snapshot", "show", "opensandbox:none-", **self.environment), [])
        sandbox = self.create()
        answer = self.fetch("POST", f"/sandboxes/{sandbox}/snapshots", {})
        self.assertEqual(answer.status, 202, answer)
        name = "opensandbox:" + answer.json()["id"]
        self.assertEqual(self.complete("snapshot", "show", name[:-1], **self.environment), [name])
        self.assertEqual(self.complete("run", "--snapshot", name[:-1], **self.environment), [name])

    def test_completion_without_a_server(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            place = {"OPEN_SANDBOX_DOMAIN": f"127.0.0.1:{silent.getsockname()[1]}",
                     "ASB_COMPLETE_SECONDS": "1"}
            self.assertEqual(self.complete("exec", "opensandbox:", **place), [])

    def test_profile(self):
        (FOLDER / "config" / "asb").mkdir(parents=True, exist_ok=True)
        (FOLDER / "config" / "asb" / "config").write_text(
            f"[far]\nserver=http://{self.place}\n"
            f"api-key-file={self.key_file(KEY.encode())}\n")
        sandbox = self.create()
        place = {"XDG_CONFIG_HOME": str(FOLDER / "config"), "ASB_PROFILE": "far"}
        listed = json.loads(self.assert_done(self.list(**place)))
        self.assertIn(sandbox, [info["id"] for info in listed])
        self.assert_done(self.asb("rm", sandbox, environment={**NONE, **place}))
        self.assertEqual(self.fetch("GET", "/sandboxes/" + sandbox).status, 404)

    def test_a_wrong_key_is_not_shown(self):
        wrong = "wrong-key-123"
        result = self.list("--provider", "opensandbox",
                           OPEN_SANDBOX_DOMAIN=self.environment["OPEN_SANDBOX_DOMAIN"],
                           OPEN_SANDBOX_API_KEY=wrong)
        message = self.assert_refused(result, 1, "INVALID_API_KEY")
        self.assertNotIn(wrong, message)

    def test_key_files_that_are_none(self):
        for content, word in [(b"", "is empty"), (b"\n", "is empty"), (b"two words\n", "is no key"),
                              (b"a\0b\n", "is no key"), (b"\xc3\xa4\n", "is no key"),
                              (b"x" * 5000, "longer than any key")]:
            with self.subTest(content[:10]):
                path = self.key_file(content)
                message = self.assert_refused(
                    self.list("--provider", "opensandbox", "--api-key-file", path), 1, word, path)
                self.assertNotIn("words", message)
        self.assert_refused(self.list("--provider", "opensandbox", "--api-key-file", "/none/key"),
                            1, "“/none/key”", "No such file")

    def test_secrets_stand_on_no_command_line(self):
        for option in ["--connect", "--set"]:
            for setting in ["api-key", "api_key", "execd-token", "headers"]:
                command = ["list"] if option == "--connect" else ["run"]
                result = self.asb(*command, "--provider", "opensandbox", option, setting + "=hush",
                                  *([] if command == ["list"] else ["--", "true"]))
                message = self.assert_refused(result, 1 if command == ["list"] else 125,
                                              "may be secret", "-file")
                self.assertNotIn("hush", message)

    def test_connection_options(self):
        sandbox = "opensandbox:" + self.create()
        through = self.done("endpoint", sandbox, "8000")
        direct = self.done("endpoint", "--connect", "use-server-proxy=false", sandbox, "8000")
        self.assertIn(f":{self.server.port}/v1/sandboxes/", through)
        self.assertNotIn(f":{self.server.port}/", direct)
        self.assert_refused(self.asb("endpoint", "--connect", "nonsense=1", sandbox, "1"), 1,
                            "nonsense")

    def test_a_token_and_headers(self):
        """Of execd and of what stands before the server, from files."""
        if REAL:
            self.skipTest("it has no token")
        token = self.key_file(b"token-of-execd\n", "token")
        headers = self.key_file(b"X-Team: a b\n\nX-Execd-Access-Token: token-of-execd\r\n", "headers")
        with lookalike.Server("--execd-token", "token-of-execd") as server:
            place = {"OPEN_SANDBOX_DOMAIN": f"127.0.0.1:{server.port}"}
            run = ["run", "--provider", "opensandbox", "--no-record", "--connect", "transport=native"]
            message = self.assert_refused(
                self.asb(*run, "--", "true", environment={**NONE, **place}), 125, "execd-token")
            self.assertNotIn("token-of-execd", message)
            for options in [["--execd-token-file", token], ["--headers-file", headers]]:
                self.assert_done(self.asb(*run, *options, "--", "echo", "in",
                                          environment={**NONE, **place}), b"in\n")
            asked = server.requests(method="POST", path="/v1/sandboxes")["requests"][-1]
            self.assertIn("X-Team", asked["headers"])
        for content in [b"nothing\n", b": x\n", b"X-A\xff: b\n"]:
            path = self.key_file(b"A: b\n" + content, "no-headers")
            message = self.assert_refused(self.list("--server", "x", "--headers-file", path), 1,
                                          f"Line 2 of “{path}”")
        self.assert_refused(self.list("--server", "x", "--headers-file", "/none/file"), 1, "/none/file")
        self.assert_refused(self.list("--server", "x", "--execd-token-file", "/none/file"), 1,
                            "“/none/file”")

    def test_no_address(self):
        for address in ["", "http://", "ftp://host", "http://user:pass@host", "http://host/path"]:
            with self.subTest(address):
                result = self.list("--server", address or "http://", OPEN_SANDBOX_API_KEY=KEY)
                message = self.assert_refused(result, 1)
                self.assertNotIn("user:pass", message)

    def test_nobody_there(self):
        result = self.list("--server", "http://127.0.0.1:1")
        self.assert_refused(result, 1, "127.0.0.1:1")

    def test_doctor(self):
        text = self.done("doctor", "--provider", "opensandbox")
        self.assertIn("1.1.1", text)


# Of the 5 seconds that asb waits for libsecret valgrind needs 3 on an idle machine to open the file.
keeps_keys = unittest.skipIf(checker.VALGRIND, "with libsecret's file valgrind takes nearly as long as asb waits")


class Login(ServerTestCase):
    """Keys in libsecret, with its file for tests instead of a service."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.login_environment = {**NONE, "OPEN_SANDBOX_DOMAIN": cls.environment["OPEN_SANDBOX_DOMAIN"],
                     "SECRET_BACKEND": "file", "SECRET_FILE_TEST_PATH": str(FOLDER / "keyring"),
                     "SECRET_FILE_TEST_PASSWORD": "test", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/none"}

    def setUp(self):
        (FOLDER / "keyring").unlink(missing_ok=True)
        result = self.login(stdin=b"probe\n")
        if b"without libsecret" in result.stderr:
            self.skipTest("asb was built without libsecret")
        (FOLDER / "keyring").unlink(missing_ok=True)

    def login(self, *arguments, **options):
        return asb("login", *arguments, environment=self.login_environment, **options)

    def forget(self):
        return asb("login", "--forget", environment={**self.login_environment, **WHOLE_STACKS})

    def list(self):
        return asb("list", "--json", "--provider", "opensandbox", environment=self.login_environment)

    @keeps_keys
    def test_story(self):
        self.assert_refused(self.list(), 1, "MISSING_API_KEY")
        self.assert_done(self.login(stdin=KEY.encode() + b"\n"), b"")
        self.assert_done(self.list())
        # The same server, said otherwise.
        self.assert_done(asb("list", "--server", f"http://{self.place}",
                             environment=self.login_environment))
        # Another server does not get it.
        self.assertNotIn(KEY.encode(), (FOLDER / "keyring").read_bytes())
        self.assert_done(self.forget(), b"")
        self.assert_refused(self.list(), 1, "MISSING_API_KEY")
        self.assert_refused(self.forget(), 1, "is stored")

    @keeps_keys
    def test_what_is_given_counts_more(self):
        self.assert_done(self.login(stdin=b"wrong\n"), b"")
        self.assert_refused(self.list(), 1, "INVALID_API_KEY")
        self.assert_done(asb("list", "--provider", "opensandbox",
                             environment={**self.login_environment, "OPEN_SANDBOX_API_KEY": KEY}))

    def test_no_service(self):
        environment = {name: value for name, value in self.login_environment.items() if not name.startswith("SECRET_")}
        for arguments in [("login",), ("login", "--forget")]:
            result = asb(*arguments, stdin=KEY.encode() + b"\n", environment=environment)
            self.assert_refused(result, 1, f"http://{self.place}")
            self.assert_refused(result, 1, "OPEN_SANDBOX_API_KEY")
            self.assertNotIn(KEY.encode(), result.stderr)

    def test_no_library(self):
        """It is loaded only when a key is asked for, and its package may be missing."""
        folder = FOLDER / "no-library"
        folder.mkdir(exist_ok=True)
        (folder / "libsecret-1.so.0").write_text("no library\n")
        environment = {**self.login_environment,
                       "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":")}
        for arguments in [("login",), ("login", "--forget")]:
            result = asb(*arguments, stdin=KEY.encode() + b"\n", environment=environment)
            self.assert_refused(result, 1, "install its package")
            self.assert_refused(result, 1, "OPEN_SANDBOX_API_KEY")
        result = asb("list", "--provider", "opensandbox", environment=environment)
        self.assert_refused(result, 1, "MISSING_API_KEY")
        self.assertNotIn(b"libsecret", result.stderr)
        self.assert_done(asb("list", "--provider", "opensandbox",
                             environment={**environment, "OPEN_SANDBOX_API_KEY": KEY}))

    def test_no_key(self):
        for text in [b"", b"\n", b"a b\n"]:
            self.assert_refused(self.login(stdin=text), 1, "standard input")

    @keeps_keys
    def test_at_a_terminal_it_does_not_show(self):
        terminal = Terminal("login", environment=self.login_environment)
        terminal.read_until(f"API key of http://{self.place}: ".encode())
        terminal.write(KEY.encode() + b"\n")
        status, output = terminal.finish()
        self.assertEqual(status, 0, output)
        self.assertNotIn(KEY.encode(), output)
        self.assert_done(self.list())

    def test_an_interrupt_at_a_terminal(self):
        terminal = Terminal("login", environment=self.login_environment)
        terminal.read_until(f"API key of http://{self.place}: ".encode())
        terminal.write(b"\3")
        self.assertEqual(terminal.finish()[0], 130)


class SecretService:
    """One on a bus of its own, with the key of @place; see secret-service.c."""

    def __init__(self, behaviour, place):
        self.process = subprocess.Popen([os.environ["ASB_SECRET_SERVICE"], behaviour, f"http://{place}", KEY],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.environment = {**NONE, **WHOLE_STACKS, "OPEN_SANDBOX_DOMAIN": place,
                            "DBUS_SESSION_BUS_ADDRESS": self.process.stdout.readline().strip()}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.communicate(timeout=lookalike.TIMEOUT)
        assert kind or self.process.returncode == 0, f"the service ended with {self.process.returncode}"


@unittest.skipUnless(shutil.which("dbus-daemon"), "there is no dbus-daemon")
class KeyOfService(ServerTestCase):
    """Keys from a secret service, of which some are of little help."""

    def setUp(self):
        with SecretService("open", self.place) as service:
            result = asb("login", "--forget", environment=service.environment)
        if b"without libsecret" in result.stderr:
            self.skipTest("asb was built without libsecret")

    def list(self, service):
        return asb("list", "--json", "--provider", "opensandbox", environment=service.environment)

    def told(self, behaviour):
        """What is said before the server refuses a request without a key."""
        with SecretService(behaviour, self.place) as service:
            result = self.list(service)
        *told, refused = result.stderr.decode().splitlines()
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("MISSING_API_KEY", refused)
        self.assertNotIn(KEY.encode(), result.stderr)
        return told

    def test_open(self):
        with SecretService("open", self.place) as service:
            self.assert_done(self.list(service))
            self.assert_done(asb("login", "--forget", environment=service.environment), b"")

    def test_a_password_is_given(self):
        with SecretService("asking", self.place) as service:
            result = self.list(service)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr.decode(), r"\Aasb: [^\n]* asks for a password[^\n]*\n\Z")

    def test_locked(self):
        asked, told = self.told("locked")
        self.assertIn("asks for a password", asked)
        for word in (f"http://{self.place}", "locked", "OPEN_SANDBOX_API_KEY", "--api-key-file"):
            self.assertIn(word, told)

    def test_locked_and_forgotten(self):
        with SecretService("locked", self.place) as service:
            result = asb("login", "--forget", environment=service.environment)
        self.assert_refused(result, 1, f"http://{self.place}", "is locked")

    def test_kept_for_itself(self):
        told, = self.told("refusing")
        self.assertIn("does not give it", told)

    def test_silent(self):
        began = time.monotonic()
        told, = self.told("silent")
        self.assertIn("did not say within 5 seconds", told)
        # The bus itself would wait for 25 seconds, each time.
        self.assertLess(time.monotonic() - began, 20 * checker.SLOWNESS)

    def test_silent_login(self):
        for arguments in [("login",), ("login", "--forget")]:
            with SecretService("silent", self.place) as service:
                result = asb(*arguments, stdin=KEY.encode() + b"\n", environment=service.environment)
            message = self.assert_refused(result, 1, "within 5 seconds", "OPEN_SANDBOX_API_KEY")
            self.assertNotIn(KEY, message)

    def test_an_interrupt_while_it_asks(self):
        with SecretService("unheard", self.place) as service:
            process = start("list", "--provider", "opensandbox", environment=service.environment)
            self.assertIn(b"asks for a password", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            status, _, errors = finish(process)
        self.assertEqual((status, errors), (130, b""))

    def test_another_server(self):
        with SecretService("locked", "127.0.0.1:1") as service:
            environment = {**service.environment, "OPEN_SANDBOX_DOMAIN": self.place}
            result = asb("list", "--provider", "opensandbox", environment=environment)
        self.assert_refused(result, 1, "MISSING_API_KEY")


class Lifecycle(ServerTestCase):
    def test_list_by_metadata(self):
        both = self.create(metadata={"team": "x", "example.org/a": "1"})
        one = self.create(metadata={"team": "x"})

        def listed(*pairs):
            options = [word for pair in pairs for word in ("--metadata", pair)]
            return {info["id"] for info in self.json("list", "--provider", "opensandbox", *options)}
        self.assertLessEqual({both, one}, listed("team=x"))
        self.assertEqual(listed("team=x", "example.org/a=1") & {both, one}, {both})
        self.assertEqual(listed("team=y"), set())
        self.assert_refused(self.asb("list", "--metadata", "x"), 1, "“x”", "--metadata")

    def test_info(self):
        sandbox = self.create(metadata={"team": "x"})
        info = self.json("info", "opensandbox:" + sandbox)
        self.assertEqual((info["id"], info["state"], info["image"]),
                         (sandbox, "running", "python:3.12"))
        self.assertEqual(info["metadata"]["team"], "x")
        self.assertIn("running", self.done("info", "opensandbox:" + sandbox[:9]))

    def test_pause_and_resume(self):
        first, second = self.create(), self.create()
        names = ["opensandbox:" + first, "opensandbox:" + second]
        self.assertEqual(self.done("pause", *names), "")
        self.assertEqual(self.json("info", names[1])["state"], "paused")
        self.assertEqual(self.done("resume", names[0]), "")
        self.assertEqual(self.json("info", names[0])["state"], "running")
        result = self.asb("pause", "opensandbox:nothing", names[0])
        self.assert_refused(result, 1, "“opensandbox:nothing”", "asb list --provider opensandbox")
        self.assertEqual(self.json("info", names[0])["state"], "paused")
        self.assert_refused(self.asb("pause", "x" * 40), 1, "x" * 40)

    def test_renew(self):
        sandbox = "opensandbox:" + self.create()
        before = self.json("info", sandbox)["expires_at"]
        after = self.json("renew", sandbox, "2h")["expires_at"]
        self.assertGreater(after, before)
        self.assertEqual(self.json("info", sandbox)["expires_at"], after)
        self.assertRegex(self.done("renew", sandbox, "90"), r"\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n\Z")
        self.assertLess(self.json("info", sandbox)["expires_at"], after)
        self.assert_refused(self.asb("renew", sandbox, "soon"), 1, "“soon”")

    def test_endpoint(self):
        sandbox = self.create(networkPolicy=POLICY)
        name = "opensandbox:" + sandbox
        url = f"http://{self.place}/v1/sandboxes/{sandbox}/proxy/8000"
        self.assertEqual(self.done("endpoint", name, "8000"), url + "\n")
        self.assertEqual(self.json("endpoint", name, "8000"),
                         {"port": 8000, "url": url, "headers": {}})
        result = self.asb("endpoint", name, "18080")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"may be secret", result.stderr)
        [(header, token)] = self.json("endpoint", name, "18080")["headers"].items()
        self.assertEqual(header.lower(), "opensandbox-egress-auth")
        self.assertNotIn(token.encode(), result.stdout + result.stderr)
        for port in ["0", "65536", "http", "-1", "80 "]:
            self.assert_refused(self.asb("endpoint", name, "--", port), 1, "is no port")
        self.assert_refused(self.asb("endpoint", "--expires", "5m", "--connect",
                                     "use-server-proxy=false", name, "80"), 1)

    def test_egress(self):
        sandbox = "opensandbox:" + self.create(networkPolicy=POLICY)
        self.assertEqual(self.done("egress", "get", sandbox),
                         "allow  example.org\ndeny   everything else\n")
        self.assertEqual(self.done("egress", "deny", sandbox, "a.example.org", "10.0.0.0/8"),
                         "deny   a.example.org\ndeny   10.0.0.0/8\nallow  example.org\n"
                         "deny   everything else\n")
        self.assertEqual(
            self.json("egress", "allow", sandbox, "*.b.example")["rules"][0],
            {"action": "allow", "target": "*.b.example"})
        self.assertEqual(
            self.done("egress", "remove", sandbox, "a.example.org", "10.0.0.0/8", "*.b.example"),
            "allow  example.org\ndeny   everything else\n")
        policy = self.json("egress", "set", "--rest", "allow", "--deny", "x.org", sandbox)
        self.assertEqual((policy["default_action"], policy["rules"]),
                         ("allow", [{"action": "deny", "target": "x.org"}]))
        self.assertEqual(self.done("egress", "set", sandbox), "deny   everything else\n")
        self.assert_refused(self.asb("egress", "deny", sandbox, "https://x.org/"), 1, "write “x.org”")
        result = self.asb("egress", "set", "--rest", "maybe", sandbox)
        self.assert_refused(result, 2, "“maybe”")
        self.assertEqual(self.asb("egress", "allow", sandbox).returncode, 2)

    def test_egress_without_a_policy(self):
        sandbox = "opensandbox:" + self.create()
        self.assert_refused(self.asb("egress", "get", sandbox), 1, "network policy")

    def test_snapshots(self):
        sandbox = self.create()
        name = self.done("snapshot", "create", "--name", "kept", "opensandbox:" + sandbox).strip()
        self.assertRegex(name, r"\Aopensandbox:[0-9a-f-]{36}\Z")
        snapshot = self.json("snapshot", "show", name)
        self.assertEqual((snapshot["sandbox_id"], snapshot["name"]), (sandbox, "kept"))
        while snapshot["state"] == "creating":
            snapshot = self.json("snapshot", "show", name)
        self.assertEqual(snapshot["state"], "ready")
        listed = self.json("snapshot", "list", "--sandbox", "opensandbox:" + sandbox)
        self.assertEqual([entry["id"] for entry in listed], [snapshot["id"]])
        self.assertIn(snapshot["id"], self.done("snapshot", "list"))
        self.assertIn("ready", self.done("snapshot", "show", name))
        self.assertEqual(self.json("snapshot", "show", snapshot["id"]), snapshot)
        self.assertEqual(self.json("snapshot", "list", "--sandbox", sandbox), listed)
        self.assertEqual(self.json("snapshot", "list", "--sandbox", "opensandbox:none"), [])
        self.assertEqual(self.done("snapshot", "rm", name), "")
        self.assert_refused(self.asb("snapshot", "show", name), 1)
        self.assert_refused(self.asb("snapshot", "rm", "opensandbox:"), 1, "names no snapshot")

    def test_metrics(self):
        sandbox = "opensandbox:" + self.create()
        metrics = self.json("metrics", sandbox)
        self.assertGreater(metrics["memory_total"], metrics["memory_used"])
        self.assertGreater(metrics["cpu_count"], 0)
        self.assertRegex(self.done("metrics", sandbox), r"\Acpu [0-9.]+% of \d+, memory .* of .*\n\Z")

    def test_watched_metrics_end_with_the_sandbox(self):
        sandbox = self.create()
        process = start("metrics", "--watch", "opensandbox:" + sandbox, environment=self.environment)
        self.assertRegex(process.stdout.readline(), rb"\Acpu ")
        self.assertRegex(process.stdout.readline(), rb"\Acpu ")
        process.send_signal(2)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, 130, -2))

    def test_diagnostics(self):
        sandbox = self.create()
        for kind in ["events", "inspect", "summary"] if REAL else ["logs", "events", "inspect", "summary"]:
            self.assertIn(sandbox, self.done("diagnostics", "opensandbox:" + sandbox, kind))
        told = self.json("diagnostics", "--scope", "container", "opensandbox:" + sandbox, "logs")
        self.assertEqual((told["kind"], told["scope"]), ("logs", "container"))
        self.assert_refused(self.asb("diagnostics", "opensandbox:" + sandbox, "gossip"), 1)

    def test_rm(self):
        sandbox = "opensandbox:" + self.create()
        self.assertEqual(self.done("rm", sandbox), "")
        self.assert_refused(self.asb("info", sandbox), 1)
        self.assert_done(self.asb("rm", "--force", sandbox))

    def test_local_ones_have_none_of_it(self):
        box = self.done("create").strip()
        try:
            for command in [["pause", box], ["endpoint", box, "80"], ["egress", "get", box],
                            ["snapshot", "create", box], ["metrics", box], ["diagnostics", box]]:
                with self.subTest(command[0]):
                    self.assert_refused(self.asb(*command), 1, "not support")
        finally:
            self.done("rm", box)


class Work(ServerTestCase):
    """Inside sandboxes: by the guest, and where that does not run."""
    NATIVE = ["--connect", "transport=native"]

    def test_story(self):
        box = self.done("create", "--provider", "opensandbox", "--image", "debian:12", "--ttl", "600",
                        "--env", "GREETING=hi", "--resource", "cpu=1", "--resource", "memory=1Gi").strip()
        self.assertRegex(box, r"\Aopensandbox:[0-9a-f-]{36}\Z")
        told = self.json("create", "--provider", "opensandbox", "--ttl", "600", "--metadata", "a=b")
        self.assertEqual(told["metadata"]["a"], "b")
        self.assertEqual(self.json("info", "opensandbox:" + told["id"])["id"], told["id"])
        self.done("rm", "opensandbox:" + told["id"])
        self.assertEqual(self.json("info", box)["image"], "debian:12")
        result = self.asb("exec", box, "--", "sh", "-c", "echo $GREETING; echo oops >&2; exit 5")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (5, b"hi\n", b"oops\n"))
        self.assertEqual(self.done("exec", box, "pwd"), "/workspace\n")
        (FOLDER / "data").write_bytes(BYTES)
        self.done("put", box, str(FOLDER / "data"), "/workspace/data")
        self.assertEqual(self.asb("cat", box, "data").stdout, BYTES)
        self.assertEqual(self.done("ls", box), "data\n")
        told = self.done("history", "list", box)
        for words in ["sandbox.create", "command.execute", "exit 5", "file.write"]:
            self.assertIn(words, told)
        # Looking leaves no trace.
        self.assertEqual(self.done("history", "list", box), told)
        self.done("rm", box)

    def test_run(self):
        name = f"run-{os.getpid()}"
        result = self.asb("run", "--provider", "opensandbox", "--name", name, "--show-record", "--", "sh", "-c",
                          "cat; exit 3", stdin=b"in")
        self.assertEqual((result.returncode, result.stdout), (3, b"in"), result.stderr)
        self.assertIn(b"command.execute", result.stderr)
        self.assertEqual(self.named(name), [])

    def test_no_input_where_there_is_no_bash(self):
        """execd alone can give none there, and nobody who has none needs it."""
        box = self.done("create", "--provider", "opensandbox", "--image", "busybox", "--ttl", "600",
                        "--no-record", *self.NATIVE).strip()
        result = self.asb("exec", box, *self.NATIVE, "--", "cat", stdin=b"in")
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"no standard input here", result.stderr)
        status, output, errors = finish(start("exec", box, *self.NATIVE, "--", "cat", environment=self.environment))
        self.assertEqual((status, output), (0, b""), errors)
        self.done("rm", box)

    def test_of_a_snapshot(self):
        box = self.done("create", "--provider", "opensandbox", "--ttl", "600").strip()
        self.done("exec", box, "echo kept > /workspace/file")
        snapshot = self.done("snapshot", "create", box).strip()
        while self.json("snapshot", "show", snapshot)["state"] == "creating":
            pass
        other = self.done("create", "--provider", "opensandbox", "--snapshot", snapshot,
                          "--ttl", "600").strip()
        self.assertEqual(self.done("cat", other, "/workspace/file"), "kept\n")
        self.done("rm", box, other)
        result = self.asb("create", "--provider", "opensandbox", "--snapshot", "x", "--image", "y")
        self.assert_refused(result, 1, "--image or --snapshot")

    def test_no_guest(self):
        place = ["--provider", "opensandbox", *self.NATIVE]
        self.assert_refused(self.asb("run", *place, "--", "true"), 125, "--no-record")
        self.assertEqual(self.done("run", *place, "--no-record", "--", "echo", "bare"), "bare\n")
        self.assert_refused(self.asb("create", *place), 1, "“transport”", "it works with --no-record")
        box = self.done("create", *place, "--no-record", "--ttl", "600").strip()
        result = self.asb("exec", *self.NATIVE, box, "--", "sh", "-c", "echo bare; exit 2")
        self.assertEqual((result.returncode, result.stdout), (2, b"bare\n"))
        self.assertIn(b"Nothing of this is recorded", result.stderr)
        # A folder goes there and back.
        there, back = FOLDER / "there", FOLDER / "back"
        (there / "it's\n").mkdir(parents=True)
        (there / "it's\n" / "data").write_bytes(BYTES)
        for command in (["put", *self.NATIVE, box, str(there), "/workspace/folder"],
                        ["get", *self.NATIVE, box, "/workspace/folder", str(back)]):
            result = self.asb(*command)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((back / "it's\n" / "data").read_bytes(), BYTES)
        # What only the guest can do.
        for command in (["watch", *self.NATIVE, box, "."], ["history", "list", *self.NATIVE, box]):
            result = self.asb(*command)
            self.assertEqual((result.returncode, result.stdout), (1, b""), result.stderr)
            last = result.stderr.decode().splitlines()[-1]
            self.assertRegex(last, "not supported: the guest does not run here: .*“transport”")
        self.done("rm", box)

    def test_guest_is_not_installed(self):
        """What says that there is no guest says why."""
        for place in (FOLDER / "nowhere", FOLDER):
            result = asb("create", "--provider", "opensandbox",
                         environment={**self.environment, "ASB_GUEST_PATH": str(place)})
            self.assert_refused(result, 1, "the guest does not run here: Could not read", str(place))

    def test_of_a_user_without_rights(self):
        """Who may write neither / nor what is to be made there: each command says what there is to do."""
        place = ["--provider", "opensandbox", "--image", "nonroot", "--ttl", "600"]
        result = self.asb("create", "--no-record", *place)
        if b"IMAGE_PULL_FAILED" in result.stderr:
            self.skipTest("the server has no image “nonroot”")
        self.assert_refused(result, 1, "“/workspace”", "see --workdir")
        self.assert_refused(self.asb("create", "--workdir", "/tmp", *place), 1, "“/.agent-history”", "see --no-record")
        run = ["run", *place, "--sandbox-workdir", "/tmp/a b"]
        self.assert_refused(self.asb(*run[:-2], "--no-record", "pwd"), 125, "“/workspace”", "see --sandbox-workdir")
        self.assert_refused(self.asb(*run, "pwd"), 125, "“/.agent-history”", "see --no-record")
        self.assertEqual(self.done(*run, "--no-record", "pwd"), "/tmp/a b\n")
        box = self.done("create", "--no-record", "--workdir", "/tmp/wörk", *place).strip()
        self.assertEqual(self.json("info", box)["workdir"], "/tmp/wörk")
        (FOLDER / "data").write_bytes(b"some text\n")
        (FOLDER / "folder").mkdir()
        for words, output in [(["exec", box, "pwd"], "/tmp/wörk\n"),
                              (["put", box, str(FOLDER / "data"), "data"], ""),
                              (["upload", box, str(FOLDER / "folder")], None),
                              (["ls", box], "data\nfolder\n"),
                              (["find", box, "*a"], None),
                              (["grep", box, "text"], "/tmp/wörk/data:1:some text\n"),
                              (["cat", box, "data"], "some text\n"),
                              (["get", box, "data", str(FOLDER / "back")], ""),
                              (["exec", "-d", "-n", "job", box, "echo job"], None),
                              (["jobs", "wait", box, "job"], None),
                              (["jobs", "list", box], None), (["jobs", "logs", box, "job"], "job\n"),
                              (["jobs", "attach", box, "job"], "job\n"), (["jobs", "stop", box, "job"], None),
                              (["jobs", "rm", box, "job"], "")]:
            with self.subTest(words[:2]):
                result = self.asb(*words)
                self.assertIn(result.returncode, (1, 125), result)
                self.assertIn(b"see --no-record", result.stderr)
                told = self.done(words[0], *words[1:2], "--no-record", *words[2:]) if words[0] == "jobs" \
                    else self.done(words[0], "--no-record", *words[1:])
                self.assertIn(output, (None, told))
        for words in [["watch", box, "."], ["jobs", "signal", box, "job"]]:
            self.assertIn(b"see --no-record", self.asb(*words).stderr)
        shell = Terminal("shell", "--no-record", box, environment=self.environment)
        shell.write(b"pwd; exit 3\n")
        status, output = shell.finish()
        self.assertEqual(status, 3, output)
        self.assertIn("/tmp/wörk\n".encode(), output)
        self.done("rm", box)

    def test_resources_that_are_none(self):
        for text in ["cpu", "=1", "cpu="]:
            self.assert_refused(self.asb("create", "--provider", "opensandbox", "--resource", text),
                                1, f"“{text}”")

    def test_an_outcome_that_is_unknown(self):
        """What may have been made all the same is found by what the error says."""
        if REAL:
            self.skipTest("its answers cannot be spoilt")
        self.server.fault(method="POST", path="/v1/sandboxes", action="cut")
        self.server.fault(method="GET", path="/v1/sandboxes", action="reply", status=200,
                          json={"items": [], "pagination": {"hasNextPage": False}})
        result = self.asb("create", "--provider", "opensandbox", "--ttl", "600", "--set", "ready-timeout-seconds=1")
        self.server.fetch("DELETE", "/_faults")
        self.assert_refused(result, 1, "is unknown", "; see asb list --provider opensandbox --metadata sandbox_instance_id=")
        words = result.stderr.decode().split("; see asb ")[1].split()
        [found] = json.loads(self.done(*words, "--json"))
        self.done("rm", "opensandbox:" + found["id"])

    def test_an_outcome_that_nobody_records(self):
        if REAL:
            self.skipTest("its answers cannot be spoilt")
        box = self.create()
        self.server.fault(method="POST", path="*/renew-expiration", action="cut")
        result = self.asb("renew", "opensandbox:" + box, "600")
        self.server.fetch("DELETE", "/_faults")
        self.assertNotIn("history", self.assert_refused(result, 1, "is unknown"))

    def test_what_the_server_refuses(self):
        name = f"refused-{os.getpid()}"
        for options, word in [(["--image", "no-such-image"], "IMAGE_PULL_FAILED"),
                              (["--platform", "plan9/amd64"], "plan9"),
                              (["--resource", "memory=lots"], "lots"), (["--ttl", "59"], "60")]:
            with self.subTest(options):
                self.assert_refused(self.asb("create", "--provider", "opensandbox", "--name", name, *options), 1,
                                    word)
        self.assertEqual(self.named(name), [])


class Listener(http.server.BaseHTTPRequestHandler):
    """Refuses every sandbox, and keeps what it was asked for; lists some that have odd IDs."""

    ids = ["$(id)", "-rf", "a;id", "a'b", "a:b", "*", "~root", "plain-1"]

    def do_POST(self):
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer(400, b'{"code":"SANDBOX::NO","message":"no"}')

    def do_GET(self):
        items = [{"id": sandbox, "status": {"state": "Running"}, "createdAt": "2026-01-01T00:00:00Z",
                  "image": {"uri": "x"}, "entrypoint": ["x"],
                  "metadata": {"agent_sandbox.name": f"{sandbox}\x1b[m\n`id`"}} for sandbox in self.ids]
        pages = {"page": 1, "pageSize": 100, "totalItems": len(items), "totalPages": 1, "hasNextPage": False}
        self.answer(200, json.dumps({"items": items, "pagination": pages}).encode())

    def answer(self, status, answer):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Creation(TestCase):
    """All that a server takes for a new sandbox can be said."""

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.HTTPServer(("127.0.0.1", 0), Listener)
        cls.server.asked = []
        cls.thread = threading.Thread(target=cls.server.serve_forever)
        cls.thread.start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.thread.join()
        cls.server.server_close()

    def create(self, *options, command=("create",)):
        place = f"127.0.0.1:{self.server.server_address[1]}"
        return asb(command[0], "--provider", "opensandbox", *options, *command[1:],
                   environment={**NONE, "OPEN_SANDBOX_DOMAIN": place})

    def asked(self, *options, command=("create",)):
        self.server.asked.clear()
        self.assert_refused(self.create(*options, command=command),
                            125 if command[0] == "run" else 1, "SANDBOX::NO")
        self.assertEqual(len(self.server.asked), 1)
        self.server.asked[0]["metadata"].pop("sandbox_instance_id")
        return self.server.asked[0]

    def file(self, text, name="creation"):
        (FOLDER / name).write_text(text, errors="surrogateescape")
        return str(FOLDER / name)

    def test_nothing(self):
        self.assertEqual(self.asked(), {
            "image": {"uri": "python:3.12"}, "entrypoint": ["tail", "-f", "/dev/null"],
            "resourceLimits": {"cpu": "1", "memory": "2Gi"}, "metadata": {}})

    def test_everything(self):
        login = self.file("bob:pass:wörd 1\nmore\n")
        options = ["--name", "box", "--image", "debian:12", "--registry-login", login,
                   "--platform", "linux/arm64", "--entrypoint", "sleep", "--entrypoint", "inf",
                   "--env", "A=1", "--resource", "cpu=2", "--resource", "memory=1Gi", "--ttl", "2m",
                   "--metadata", "team=x", "--metadata", "empty=", "--egress-deny", "bad.example.org",
                   "--egress-allow", "*.example.org", "--egress-rest", "allow",
                   "--volume", "pvc:claim:/data", "--volume", "host:/srv:/srv:ro",
                   "--extension", "access.renew.extend.seconds=600", "--secure-access",
                   "--create-option", "credential_proxy=true",
                   "--create-option", 'resource_requests={"cpu": "1"}',
                   "--create-option", 'lifecycle={"pre_start": {"command": ["true"]}}']
        wanted = {
            "image": {"uri": "debian:12", "auth": {"username": "bob", "password": "pass:wörd 1"}},
            "platform": {"os": "linux", "arch": "arm64"}, "entrypoint": ["sleep", "inf"],
            "env": {"A": "1"}, "resourceLimits": {"cpu": "2", "memory": "1Gi"}, "timeout": 120,
            "metadata": {"agent_sandbox.name": "box", "team": "x", "empty": ""},
            "networkPolicy": {"defaultAction": "allow", "egress": [
                {"action": "deny", "target": "bad.example.org"},
                {"action": "allow", "target": "*.example.org"}]},
            "volumes": [{"name": "volume-1", "pvc": {"claimName": "claim"}, "mountPath": "/data",
                         "readOnly": False},
                        {"name": "volume-2", "host": {"path": "/srv"}, "mountPath": "/srv",
                         "readOnly": True}],
            "extensions": {"access.renew.extend.seconds": "600"}, "secureAccess": True,
            "credentialProxy": {"enabled": True}, "resourceRequests": {"cpu": "1"},
            "lifecycle": {"preStart": {"command": ["true"]}}}
        self.assertEqual(self.asked(*options), wanted)
        # For one command, too, whose environment is its own.
        del wanted["env"]
        self.assertEqual(self.asked(*options, command=("run", "--", "true")), wanted)

    def test_a_file(self):
        """As the server's API says it, secrets too; what is given beside it is added."""
        given = {"secureAccess": True, "extensions": {"a": "b"}, "volumes": [
            {"name": "o", "mountPath": "/o", "ossfs": {"bucket": "bucket", "endpoint": "e",
                                                       "accessKeyId": "i", "accessKeySecret": "s"}}]}
        asked = self.asked("--create-file", self.file(json.dumps(given)), "--extension", "c=d",
                           "--volume", "pvc:c:/c")
        self.assertIs(asked["secureAccess"], True)
        self.assertEqual(asked["extensions"], {"a": "b", "c": "d"})
        self.assertEqual(asked["volumes"][0], given["volumes"][0])
        self.assertEqual(asked["volumes"][1]["name"], "volume-2")

    def test_never_and_templates(self):
        self.assertIsNone(self.asked("--ttl", "never")["timeout"])
        asked = self.asked("--create-option", "template_id=t", "--ttl", "1h")
        self.assertEqual((asked["templateId"], asked["timeout"]), ("t", 3600))
        self.assertNotIn("image", asked)

    def test_what_makes_no_sense(self):
        none = self.file("no colon\n", "none")
        deep = self.file("[" * 100000, "deep")
        for options, words in [
                (["--metadata", "x"], ["“x”", "--metadata"]),
                (["--extension", "=x"], ["“=x”", "--extension"]),
                (["--volume", "nfs:a:/b"], ["“nfs:a:/b”", "pvc:NAME:TARGET", "--create-file"]),
                (["--volume", "pvc:a:b"], ["“pvc:a:b”"]), (["--volume", "pvc::/b"], ["“pvc::/b”"]),
                (["--volume", "pvc:a:/b:rx"], ["“pvc:a:/b:rx”"]), (["--volume", ""], ["“”"]),
                (["--network", "host"], ["--network", "--egress-rest"]),
                (["--registry-login", none], ["NAME:PASSWORD", none]),
                (["--registry-login", self.file("bob:a\tb\n", "tab")], ["control characters"]),
                (["--registry-login", self.file("bob:\udcff\n", "latin")], ["UTF-8"]),
                (["--registry-login", self.file(":x\n", "half")], ["NAME:PASSWORD"]),
                (["--registry-login", "/none/file"], ["“/none/file”", "No such file"]),
                (["--create-file", "/none/file"], ["“/none/file”", "No such file"]),
                (["--create-file", none], ["“" + none + "”", "JSON"]),
                (["--create-file", deep], ["“" + deep + "”"]),
                (["--create-file", self.file("[1]", "list")], ["JSON object"]),
                (["--create-file", self.file('{"a":1,"a":2}', "twice")], ["twice"]),
                (["--create-option", "cpu=1"], ["“cpu”", "secure_access"]),
                (["--create-option", "secure_access=maybe"], ["“secure_access”", "true or false"]),
                (["--create-option", "extensions=[1]"], ["“extensions”"]),
                (["--create-option", 'extensions={"a":1}'], ["“extensions”"])]:
            with self.subTest(options[:2]):
                self.server.asked.clear()
                self.assert_refused(self.create(*options), 1, *words)
                self.assertEqual(self.server.asked, [])
        self.assert_refused(self.create("--egress-rest", "maybe"), 2, "“maybe”", "allow or deny")

    def test_secrets_stand_on_no_command_line(self):
        for name in ["accessKeySecret", "access_key_secret", "password"]:
            text = 'volumes=[{"name": "o", "ossfs": {"%s": "hush"}}]' % name
            message = self.assert_refused(self.create("--create-option", text), 1, "“volumes”",
                                          "--create-file")
            self.assertNotIn("hush", message)

    def test_names_mean_nothing_to_a_shell(self):
        """What a server names is offered where a shell would take it as it is, and nowhere else."""
        place = f"http://127.0.0.1:{self.server.server_address[1]}"
        listed = self.assert_done(asb("list", "--server", place)).decode()
        self.assertNotIn("\x1b", listed)
        self.assertIn("$(id)\\x1b[m\\n`id`", listed)
        for words in (["opensandbox:"], ["--server", place, ""]):
            offered = asb("help", "--complete", "--", "exec", *words,
                          environment={**NONE, "OPEN_SANDBOX_DOMAIN": place})
            self.assertEqual(self.assert_done(offered).decode().split("\n")[:-1],
                             [words[-1] + "plain-1"])

    def test_local_ones_say_what_they_lack(self):
        for options, word in [(["--egress-allow", "example.org"], "network_policy"),
                              (["--secure-access"], "create_options")]:
            self.assert_refused(asb("create", *options), 1, "“local”", word)


if __name__ == "__main__":
    tap_unittest.main()
