# SPDX-License-Identifier: LGPL-2.1-or-later
"""A server that speaks TLS and lets sessions be resumed, and the proxies in front of it."""

import base64
import hashlib
import pathlib
import re
import socket
import ssl
import threading

TLS = pathlib.Path(__file__).resolve().parent / "tls"
TIMEOUT = 60
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def read_head(connection):
    """Up to the empty line; nothing if the other side has gone."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = connection.recv(1)
        if not piece:
            return ""
        head += piece
    return head.decode()


def read_bytes(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise ConnectionError("it has gone")
        data += piece
    return data


class Listener:
    """Each connection has its thread, and what went wrong in it is its end."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.lock = threading.Lock()
        self.notes = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.guard, args=[connection], daemon=True).start()

    def guard(self, connection):
        connection.settimeout(TIMEOUT)
        with connection:
            try:
                self.serve(connection)
            except (OSError, ValueError):
                pass

    def note(self, text):
        with self.lock:
            self.notes.append(text)

    def take_notes(self):
        with self.lock:
            notes, self.notes = self.notes, []
        return notes

    def close(self):
        self.socket.close()


class Server(Listener):
    """Over TLS, or plain without a certificate. Notes heads, and how the session came about."""

    def __init__(self, certificate=None, version=None):
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(TLS / certificate)
            if version:
                self.context.maximum_version = version
        super().__init__()

    def serve(self, connection):
        if self.context:
            with self.context.wrap_socket(connection, server_side=True) as secure:
                self.note("resumed" if secure.session_reused else "new")
                self.talk(secure)
        else:
            self.talk(connection)

    def talk(self, connection):
        while head := read_head(connection):
            self.note(head)
            length = re.search(r"(?i)^content-length: *(\d+)", head, re.MULTILINE)
            read_bytes(connection, int(length[1]) if length else 0)
            connection.sendall(self.answer(head).encode())

    def answer(self, head):
        key = re.search(r"(?i)^sec-websocket-key: *(\S+)", head, re.MULTILINE)
        if not key:
            return "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure"
        accept = base64.b64encode(hashlib.sha1((key[1] + GUID).encode()).digest()).decode()
        return ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Accept: {accept}\r\n\r\n")


class Proxy(Listener):
    """Whatever name is asked for, it is @server's; notes what it can read, and how it was asked."""

    def __init__(self, server):
        self.server = server
        super().__init__()

    def pass_on(self, connection, first=b""):
        with socket.create_connection(("127.0.0.1", self.server.port), TIMEOUT) as onward:
            onward.sendall(first)
            back = threading.Thread(target=self.copy, args=[onward, connection], daemon=True)
            back.start()
            self.copy(connection, onward, True)
            back.join()

    def copy(self, source, target, is_noted=False):
        try:
            while piece := source.recv(65536):
                if is_noted:
                    self.note(piece.decode("latin-1"))
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class HttpProxy(Proxy):
    """With a certificate it is one that is itself talked to over TLS."""

    def __init__(self, server, certificate=None):
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(TLS / certificate)
        super().__init__(server)

    def serve(self, connection):
        if self.context:
            connection = self.context.wrap_socket(connection, server_side=True)
        head = read_head(connection)
        self.note(head)
        if head.startswith("CONNECT "):
            connection.sendall(b"HTTP/1.1 200 Here it is\r\n\r\n")
            self.pass_on(connection)
        elif head:
            self.pass_on(connection, head.encode())


class SocksProxy(Proxy):
    """SOCKS 5, with a login if it is offered; and 4a."""

    def serve(self, connection):
        version = read_bytes(connection, 1)[0]
        if version == 5:
            self.greet(connection)
            self.note(self.read_target(connection))
            connection.sendall(b"\5\0\0\1\0\0\0\0\0\0")
        else:
            self.note(self.read_old_target(connection))
            connection.sendall(b"\0\x5a\0\0\0\0\0\0")
        self.pass_on(connection)

    def greet(self, connection):
        methods = read_bytes(connection, read_bytes(connection, 1)[0])
        if 2 not in methods:
            connection.sendall(b"\5\0")
            return
        connection.sendall(b"\5\2")
        read_bytes(connection, 1)
        user = read_bytes(connection, read_bytes(connection, 1)[0])
        password = read_bytes(connection, read_bytes(connection, 1)[0])
        self.note(f"login {user.decode()}:{password.decode()}")
        connection.sendall(b"\1\0")

    @staticmethod
    def read_target(connection):
        _, _, _, kind = read_bytes(connection, 4)
        size = {1: 4, 4: 16}.get(kind) or read_bytes(connection, 1)[0]
        host = read_bytes(connection, size)
        port = int.from_bytes(read_bytes(connection, 2), "big")
        return f"socks5 {host.decode() if kind == 3 else host.hex()}:{port}"

    @staticmethod
    def read_old_target(connection):
        _, high, low, *_ = read_bytes(connection, 7)
        texts = b""
        while texts.count(b"\0") < 2:
            texts += read_bytes(connection, 1)
        return f"socks4 {texts.split(bytes(1))[1].decode()}:{high * 256 + low}"
