#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The three that pass requests on: the server, execd and a gateway.

usage: test-proxy.py SERVER
"""

import hashlib
import http.server
import json
import socketserver
import struct
import threading
import base64

import lookalike
from lookalike import SANDBOX, Server, WebSocket, exchange, fetch, parse_events, run, test

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Service(http.server.BaseHTTPRequestHandler):
    """A user's service: tells what it got, and speaks WebSocket."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self):
        if self.headers.get("Upgrade"):
            self.talk()
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        told = json.dumps({"method": self.command, "path": self.path, "body": body.decode(),
                           "headers": self.headers.items()}).encode()
        if self.path.startswith("/redirect"):
            self.send_response(302)
            self.send_header("Location", "/elsewhere?x=1")
            told = b""
        else:
            self.send_response(200)
        self.send_header("Set-Cookie", "a=1")
        self.send_header("Set-Cookie", "b=2")
        if self.path.startswith("/short"):
            self.send_header("Content-Length", str(len(told) + 10))
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

    def talk(self):
        if self.path.startswith("/refuse"):
            self.send_error(403)
            return
        accept = hashlib.sha1((self.headers["Sec-WebSocket-Key"] + GUID).encode()).digest()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Accept: " + base64.b64encode(accept).decode()]
        if self.headers.get("Sec-WebSocket-Protocol"):
            lines.append("Sec-WebSocket-Protocol: "
                         + self.headers["Sec-WebSocket-Protocol"].partition(",")[0])
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.close_connection = True
        if self.path.startswith("/vanish"):
            return
        while True:
            opcode, payload = self.read_frame()
            if opcode is None:
                return
            if opcode == 8:
                code = payload[:2] or struct.pack(">H", 1000)
                self.write_frame(8, code + b"bye")
                return
            if opcode in (1, 2):
                self.write_frame(opcode, payload)

    def read_frame(self):
        head = self.rfile.read(2)
        if len(head) < 2:
            return None, b""
        first, second = head
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self.rfile.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.rfile.read(8))[0]
        mask = self.rfile.read(4)
        payload = self.rfile.read(length)
        return first & 0x0F, bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))

    def write_frame(self, opcode, payload):
        length = len(payload)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([length])
        elif length < 65536:
            head += bytes([126]) + struct.pack(">H", length)
        else:
            head += bytes([127]) + struct.pack(">Q", length)
        self.wfile.write(head + payload)


class Services(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False


class Place:
    """A server with a sandbox, and a service the sandbox can be asked for."""

    def __enter__(self):
        self.server = Server()
        self.sandbox = self.server.create()
        self.execd = self.server.execd(self.sandbox)
        self.service = Services(("127.0.0.1", 0), Service)
        self.port = self.service.server_port
        threading.Thread(target=self.service.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *arguments):
        self.service.shutdown()
        self.service.server_close()
        self.server.__exit__(*arguments)

    def path(self, rest="/", port=None, version="/v1"):
        return f"{version}/sandboxes/{self.sandbox}/proxy/{port or self.port}{rest}"


def names(told):
    return [name.lower() for name, value in told["headers"]]


@test
def methods_and_bodies_go_through(place):
    for version in ("", "/v1"):
        for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
            answer = place.server.fetch(method, place.path("/a%2Fb/c?x=1&x=2&y", version=version),
                                        b"text" if method != "GET" else None)
            told = answer.json()
            assert (told["method"], told["path"]) == (method, "/a%2Fb/c?x=1&x=2&y"), told
            assert told["body"] == ("text" if method != "GET" else ""), told
    assert place.server.fetch("GET", place.path("")).json()["path"] == "/"


@test
def head_and_options_are_not_allowed(place):
    for method in ("HEAD", "OPTIONS"):
        answer = place.server.fetch(method, place.path())
        assert answer.status == 405, answer
        assert set(answer.header("Allow").split(", ")) == {"GET", "POST", "PUT", "DELETE", "PATCH"}


@test
def the_server_keeps_what_is_its_own(place):
    sent = {"Authorization": "x", "Cookie": "x", "OPEN-SANDBOX-API-KEY": "x", "X-Mine": "kept",
            "OpenSandbox-Secure-Access": "x", "X-Forwarded-For": "1.2.3.4", "Forwarded": "x",
            "X-Real-IP": "x", "OpenSandbox-Access-Renew": "skip", "Connection": "X-Hop",
            "X-Hop": "x", "TE": "trailers", "X-EXECD-ACCESS-TOKEN": "kept",
            "OPENSANDBOX-EGRESS-AUTH": "kept"}
    told = place.server.fetch("GET", place.path(), headers=sent).json()
    headers = {name.lower(): value for name, value in told["headers"]}
    for name in ("authorization", "cookie", "open-sandbox-api-key", "opensandbox-secure-access",
                 "forwarded", "x-real-ip", "opensandbox-access-renew", "x-hop", "te"):
        assert name not in headers, name
    assert headers["x-mine"] == headers["x-execd-access-token"] == "kept"
    assert headers["opensandbox-egress-auth"] == "kept"
    assert headers["x-forwarded-for"] == "127.0.0.1" and headers["x-forwarded-proto"] == "http"
    assert headers["x-forwarded-host"] == f"127.0.0.1:{place.server.port}"


@test
def execd_passes_more(place):
    told = fetch(place.execd, "GET", f"/proxy/{place.port}/x",
                 headers={"Authorization": "x", "Cookie": "x"}).json()
    assert "authorization" in names(told) and "cookie" in names(told)
    assert "x-forwarded-for" in names(told) and "x-forwarded-host" not in names(told)


@test
def answers_come_back_whole(place):
    answer = place.server.fetch("GET", place.path())
    assert [v for n, v in answer.headers if n.lower() == "set-cookie"] == ["a=1", "b=2"]
    assert len([v for n, v in answer.headers if n.lower() == "date"]) == 1
    answer = place.server.fetch("GET", place.path("/redirect"))
    assert answer.status == 302
    assert answer.header("Location") == place.path("/elsewhere?x=1")
    answer = fetch(place.execd, "GET", f"/proxy/{place.port}/redirect")
    assert answer.header("Location") == "/elsewhere?x=1"


@test
def a_body_that_is_cut_stays_cut(place):
    received, end = exchange(place.server.port,
                             f"GET {place.path('/short')} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    assert len(body) < length and end in ("end", "reset"), (length, body)


@test
def what_does_not_listen_is_502(place):
    with lookalike.socket.create_server(("127.0.0.1", 0)) as listening:
        free = listening.getsockname()[1]
    answer = place.server.fetch("GET", place.path(port=free))
    assert answer.status == 502 and answer.json()["code"] == "BACKEND_CONNECTION_FAILED", answer
    answer = fetch(place.execd, "GET", f"/proxy/{free}/")
    assert (answer.status, answer.body.strip()) == (502, b"Bad Gateway"), answer
    answer = fetch(place.execd, "GET", "/proxy/")
    assert (answer.status, answer.body.strip()) == (400, b"port is required"), answer
    answer = place.server.fetch("GET", place.path(port=18080))
    assert answer.status == 502, "there is no sidecar without a policy"
    answer = place.server.fetch("GET", "/v1/sandboxes/none/proxy/80/")
    assert answer.status == 404 and answer.json()["code"] == "DOCKER::SANDBOX_NOT_FOUND"
    assert place.server.fetch("GET", f"/v1/sandboxes/{place.sandbox}/proxy/x").status == 422


@test
def execd_is_behind_its_own_proxy(place):
    assert fetch(place.execd, "GET", "/proxy/44772/ping").status == 200
    answer = fetch(place.execd, "POST", "/proxy/44772/command", {"command": "echo x"})
    assert [event["type"] for event in parse_events(answer.body)[0]] == [
        "init", "ping", "stdout", "execution_complete"]


@test
def events_pass_as_they_come(place):
    with lookalike.socket.create_connection(("127.0.0.1", place.server.port), 60) as connection:
        body = b'{"command":"echo first; read <> /tmp/never; echo second"}'
        place.server.fetch("POST", place.path("/command", port=44772),
                           {"command": "mkfifo /tmp/never"})
        connection.sendall(f"POST {place.path('/command', port=44772)} HTTP/1.1\r\nHost: localhost\r\n"
                           f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        received = b""
        while b"first" not in received:
            received += connection.recv(65536)
        assert b"second" not in received and b"text/event-stream" in received


def echo(socket):
    for payload in (b"", b"x", b"y" * 200, b"z" * 100000):
        socket.send_binary(payload)
        assert socket.receive() == (2, payload)
    socket.send_text("text")
    assert socket.receive() == (1, b"text")


def close(socket, code=4000):
    socket.send(8, struct.pack(">H", code))
    assert socket.receive()[0] == 8
    assert (socket.close_code, socket.close_reason) == (code, "bye")


@test
def websockets_go_through_server_and_execd(place):
    for port, path in ((place.server.port, place.path("/ws?x=1")),
                       (place.execd, f"/proxy/{place.port}/ws"),
                       (place.server.port, place.path(f"/proxy/{place.port}/ws", port=44772))):
        with WebSocket(port, path, {"Sec-WebSocket-Protocol": "one, two"}) as socket:
            assert socket.status == 101 and "Sec-WebSocket-Protocol: one" in socket.head
            echo(socket)
            close(socket)


def closes(socket, code):
    assert socket.status == 101, socket.head
    assert socket.receive()[0] == 8 and socket.close_code == code, socket.close_code


@test
def the_server_tells_failures_with_a_close(place):
    with WebSocket(place.server.port, place.path("/refuse")) as socket:
        closes(socket, 1008)
        assert socket.close_reason == ""
    with WebSocket(place.server.port, place.path(port=18080)) as socket:
        closes(socket, 1011)
    with WebSocket(place.server.port, "/v1/sandboxes/none/proxy/80/") as socket:
        closes(socket, 1011)
        assert "SANDBOX_NOT_FOUND" in socket.close_reason
    with WebSocket(place.server.port, place.path("/vanish")) as socket:
        closes(socket, 1011)
    assert WebSocket(place.execd, f"/proxy/{place.port}/refuse").status == 403
    assert WebSocket(place.execd, "/proxy/18080/").status == 502


@test
def a_websocket_that_is_none_is_refused(place):
    answer = place.server.fetch("GET", place.path(), headers={"Upgrade": "websocket"})
    assert answer.status == 400 and answer.json()["code"] == "GENERAL::UNKNOWN_ERROR", answer


@test
def access_can_extend_the_life(place):
    sandbox = place.server.create(timeout=60,
                                  extensions={"access.renew.extend.seconds": "300"})
    before = place.server.fetch("GET", f"/v1/sandboxes/{sandbox}").json()["expiresAt"]
    path = f"/v1/sandboxes/{sandbox}/proxy/44772/ping"
    place.server.fetch("GET", path, headers={"OpenSandbox-Access-Renew": "skip"})
    assert place.server.fetch("GET", f"/v1/sandboxes/{sandbox}").json()["expiresAt"] == before
    place.server.fetch("GET", path)
    assert place.server.fetch("GET", f"/v1/sandboxes/{sandbox}").json()["expiresAt"] > before


@test
def endpoints_of_a_host_network(_):
    with Server("--endpoints", "host") as server:
        sandbox = server.create()
        endpoint = server.fetch("GET", f"/v1/sandboxes/{sandbox}/endpoints/44772").json()["endpoint"]
        assert fetch(int(endpoint.rpartition(":")[2]), "GET", "/ping").status == 200


@test
def an_address_in_front(_):
    with Server("--eip", "example.org/base") as server:
        sandbox = server.create()
        answer = server.fetch("GET", f"/v1/sandboxes/{sandbox}/endpoints/80?use_server_proxy=true")
        assert answer.json()["endpoint"] == f"example.org/base/sandboxes/{sandbox}/proxy/80"


def gateway(server, sandbox, port, query=""):
    answer = server.fetch("GET", f"/v1/sandboxes/{sandbox}/endpoints/{port}{query}")
    assert answer.status == 200, answer
    address, _, path = answer.json()["endpoint"].partition("/")
    host, _, number = address.rpartition(":")
    headers = answer.json().get("headers", {})
    if host != "127.0.0.1":
        headers["Host"] = address
    return int(number), "/" + path if path else "", headers


@test
def gateways(place):
    for kind in ("header", "uri", "wildcard"):
        with Server("--endpoints", kind) as server:
            sandbox = server.create()
            port, path, headers = gateway(server, sandbox, 44772)
            assert ("OpenSandbox-Ingress-To" in headers) == (kind == "header")
            assert (path == f"/{sandbox}/44772") == (kind == "uri")
            assert fetch(port, "GET", path + "/ping", headers=headers).status == 200, kind
            port, path, headers = gateway(server, sandbox, place.port)
            told = fetch(port, "GET", path + "/x?y=1", headers=headers).json()
            assert told["path"] == "/x?y=1" and "opensandbox-ingress-to" not in names(told)
            host = headers.pop("Host", None)
            with WebSocket(port, path + "/ws", headers, host) as socket:
                assert socket.status == 101, socket.head
                echo(socket)
            assert fetch(port, "GET", "/none/80/x").status == 404
            answer = server.fetch(
                "GET", f"/v1/sandboxes/{sandbox}/endpoints/80?use_server_proxy=true").json()
            assert "headers" not in answer


@test
def secure_access_is_checked_by_gateway_and_server(_):
    with Server("--endpoints", "uri") as server:
        answer = server.fetch("POST", "/v1/sandboxes", {**SANDBOX, "secureAccess": True})
        assert answer.status == 202, answer
        sandbox = answer.json()["id"]
        port, path, headers = gateway(server, sandbox, 44772)
        assert list(headers) == ["OpenSandbox-Secure-Access"]
        assert fetch(port, "GET", path + "/ping").status == 401
        assert fetch(port, "GET", path + "/ping", headers=headers).status == 200
        inside = f"/v1/sandboxes/{sandbox}/proxy/44772/ping"
        answer = server.fetch("GET", inside)
        assert answer.status == 401
        assert answer.json()["code"] == "MISSING_OR_INVALID_SECURE_ACCESS", answer
        assert server.fetch("GET", inside, headers=headers).status == 200
        with WebSocket(server.port, inside) as socket:
            closes(socket, 1008)


@test
def signed_endpoints(_):
    secret = b"a secret of the operator"
    key = base64.b64encode(secret).decode()
    expires = 4102444800
    text = ""
    left = expires
    while left:
        left, digit = divmod(left, 36)
        text = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + text
    for kind in ("header", "uri", "wildcard"):
        with Server("--endpoints", kind, "--signing-key", key) as server:
            sandbox = server.fetch("POST", "/v1/sandboxes",
                                   {**SANDBOX, "secureAccess": True}).json()["id"]
            port, path, headers = gateway(server, sandbox, 44772, f"?expires={expires}")
            canonical = f"v1\nshort\n{sandbox}\n44772\n{text}\n".encode()
            digest = hashlib.sha256(struct.pack(">I", len(secret)) + secret
                                    + struct.pack(">I", len(canonical)) + canonical).hexdigest()
            signature = digest[:8] + "a"
            assert "OpenSandbox-Secure-Access" not in headers
            place = {"uri": path, "header": headers.get("OpenSandbox-Ingress-To", ""),
                     "wildcard": headers.get("Host", "")}[kind]
            assert text in place and signature in place, (place, signature)
            assert fetch(port, "GET", path + "/ping", headers=headers).status == 200
            wrong = signature.replace(signature[0], "0" if signature[0] != "0" else "1", 1)
            assert fetch(port, "GET", path.replace(signature, wrong) + "/ping", headers={
                name: value.replace(signature, wrong)
                for name, value in headers.items()}).status == 401
            answer = server.fetch("GET", f"/v1/sandboxes/{sandbox}/endpoints/80?expires=5")
            assert answer.status == 400, answer


run(Place())
