# SPDX-License-Identifier: LGPL-2.1-or-later
"""A WebSocket made by hand, that can also do it wrong, in the shape of a socket."""

import base64
import hashlib
import os
import socket

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

WEB_CONTINUATION, WEB_TEXT, WEB_BINARY = range(3)
WEB_CLOSE, WEB_PING, WEB_PONG = range(8, 11)

# What the guest may put into one message.
MAX_MESSAGE = 65536

# Its first message.
GREETING = b"\x82\x00"


def request(path="/", key=b"dGhlIHNhbXBsZSBub25jZQ==", leave_out=(), **changed):
    """The bytes of an opening request; names of fields are given with underscores."""
    fields = {"host": "localhost", "upgrade": "websocket", "connection": "Upgrade", "sec_websocket_version": "13",
              "sec_websocket_key": key.decode(), **changed}
    lines = [f"GET {path} HTTP/1.1"]
    for name, value in fields.items():
        if name not in leave_out:
            for one in value if isinstance(value, list) else [value]:
                lines.append(f"{name.replace('_', '-')}: {one}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def frame(opcode, payload=b"", fin=True, mask=b"\x9a\x5c\x01\xf3", length=None, size=None, reserved=0):
    """@length: what the header claims; @size: in how many bytes, 0, 2 or 8; @mask: None for none."""
    length = len(payload) if length is None else length
    if size is None:
        size = 0 if length < 126 else 2 if length < 65536 else 8
    first = (0x80 if fin else 0) | reserved << 4 | opcode
    second = (0x80 if mask else 0) | (length if size == 0 else 126 if size == 2 else 127)
    header = bytes([first, second]) + (length.to_bytes(size, "big") if size else b"") + (mask or b"")
    if mask and payload:
        key = (mask * (len(payload) // 4 + 1))[:len(payload)]
        payload = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")
    return header + payload


def read_answer(sock):
    """The head of the HTTP answer, and what came after it."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = sock.recv(4096)
        if not part:
            break
        data += part
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


class WebSocket:
    def __init__(self, port, piece=None, **changed):
        """@piece: how many bytes of a message go into one frame of it; None: all."""
        self.piece = piece
        self.buffer = b""
        self.control = []
        self.has_closed = False
        self.socket = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16))
        self.socket.sendall(request(key=key, **changed))
        head, self.raw = read_answer(self.socket)
        lines = head.split(b"\r\n")
        assert lines[0] == b"HTTP/1.1 101 Switching Protocols", head
        accept = base64.b64encode(hashlib.sha1(key + MAGIC).digest())
        # Each server on the way writes the name in a case of its own.
        assert (b"sec-websocket-accept", accept) in [(name.lower(), value) for name, _, value
                                                     in (line.partition(b": ") for line in lines)], head
        assert not any(b"sec-websocket-protocol" in line.lower() or b"sec-websocket-extensions" in line.lower()
                       for line in lines), head
        assert self.read_frame() == (WEB_BINARY, b"")

    def settimeout(self, seconds):
        self.socket.settimeout(seconds)

    def close(self):
        self.socket.close()

    def send_frame(self, opcode, *args, **kwargs):
        self.has_closed |= opcode == WEB_CLOSE
        self.socket.sendall(frame(opcode, *args, **kwargs))

    def sendall(self, data):
        piece = self.piece or max(1, len(data))
        parts = [bytes(data[i:i + piece]) for i in range(0, len(data), piece)] or [b""]
        for number, part in enumerate(parts):
            self.send_frame(WEB_CONTINUATION if number else WEB_BINARY, part, fin=number == len(parts) - 1)

    def take(self, size):
        while len(self.raw) < size:
            part = self.socket.recv(1 << 18)
            if not part:
                raise ConnectionResetError("closed within a frame" if self.raw else "closed without a Close")
            self.raw += part
        data, self.raw = self.raw[:size], self.raw[size:]
        return data

    def read_frame(self):
        first, second = self.take(2)
        assert first & 0x70 == 0 and second & 0x80 == 0, "a frame of the guest with a mask or extensions"
        length = second & 0x7f
        if length >= 126:
            size = 2 if length == 126 else 8
            length = int.from_bytes(self.take(size), "big")
            assert length >= (126 if size == 2 else 65536), "a length in more bytes than it needs"
        assert first & 0x80 and length <= (125 if first & 8 else MAX_MESSAGE), (first, length)
        return first & 0x0f, self.take(length)

    def answer_close(self, payload):
        """If that can be done still."""
        try:
            self.send_frame(WEB_CLOSE, payload[:2])
        except OSError:
            pass

    def recv(self, size):
        """Of the bytes in binary messages; none after the guest's Close, which is answered."""
        while not self.buffer:
            opcode, payload = self.read_frame()
            if opcode == WEB_BINARY:
                self.buffer = payload
                continue
            self.control.append((opcode, payload))
            if opcode == WEB_PING:
                self.send_frame(WEB_PONG, payload)
            if opcode == WEB_CLOSE:
                if not self.has_closed:
                    self.answer_close(payload)
                return b""
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def until_closed(self):
        """The code of the guest's Close, after which the connection has ended."""
        while self.recv(1 << 20):
            pass
        opcode, payload = self.control[-1]
        assert opcode == WEB_CLOSE, self.control
        try:
            assert self.socket.recv(1) == b"", "something came after the Close"
        except ConnectionResetError:
            pass
        return int.from_bytes(payload, "big")
