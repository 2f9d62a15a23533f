# SPDX-License-Identifier: LGPL-2.1-or-later
"""A client whose connections break, and that comes back (docs/guest-protocol.md §2.1)."""

import collections

from guestlib import *

LINGER = 60000
BROKEN = (Closed, ConnectionResetError, BrokenPipeError)


class CutSocket:
    """Breaks when so many bytes were sent or received; None: never."""

    def __init__(self, sock, sendable=None, receivable=None):
        self.socket = sock
        self.sendable = sendable
        self.receivable = receivable
        self.n_sent = 0
        self.n_received = 0

    def settimeout(self, seconds):
        self.socket.settimeout(seconds)

    def sendall(self, data):
        if self.sendable is not None and len(data) > self.sendable:
            self.socket.sendall(data[:self.sendable])
            self.n_sent += self.sendable
            self.close()
            raise BrokenPipeError
        self.socket.sendall(data)
        self.n_sent += len(data)
        if self.sendable is not None:
            self.sendable -= len(data)

    def recv(self, size):
        if self.receivable == 0:
            self.close()
            raise ConnectionResetError
        data = self.socket.recv(size if self.receivable is None else min(size, self.receivable))
        self.n_received += len(data)
        if self.receivable is not None:
            self.receivable -= len(data)
        return data

    def close(self):
        self.socket.close()


class ResumingClient(Client):
    """@cuts: for each connection what CutSocket takes; when there are no more, none breaks."""

    def __init__(self, guest, cuts=(), linger=LINGER):
        self.guest = guest
        self.cuts = iter(cuts)
        self.linger = linger
        self.kept = collections.deque()
        self.session = None
        self.n_resumed = 0
        super().__init__(self.connection(), hello=False)
        try:
            Client.send(self, HELLO, {"major": 1, "minor": 0, "linger_ms": self.linger})
            self.welcome(Client.read(self))
        except BROKEN:
            # Nothing is lost with a session in which nothing was done.
            self.__init__(guest, self.cuts, linger)

    def connection(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(self.guest.path)
        sock.settimeout(PATIENCE)
        return CutSocket(sock, *next(self.cuts, (None, None)))

    def welcome(self, frame):
        assert frame.type == HELLO, frame
        self.hello = frame.json
        self.session = self.hello["session"]
        assert self.session["linger_ms"] == self.linger

    def resume_request(self, **changes):
        return {"session": self.session["id"], "secret": self.session["secret"], "boot_id": self.hello["boot_id"],
                "received": self.received, **changes}

    def try_to_resume(self):
        self.socket.close()
        self.socket = self.connection()
        self.buffer.clear()
        Client.send(self, HELLO, {"major": 1, "minor": 0, "linger_ms": self.linger, "resume": self.resume_request()})
        session = self.session
        self.welcome(Client.read(self))
        assert "resumed" in self.hello, "the guest did not know the session"
        assert self.session == session
        self.n_resumed += 1
        received = self.hello["resumed"]["received"]
        assert received <= self.sequence
        while self.kept and self.kept[0][0] <= received:
            self.kept.popleft()
        assert not self.kept or self.kept[0][0] == received + 1
        for _, frame in self.kept:
            self.socket.sendall(frame)
        self.restate_credit()

    def restate_credit(self):
        for call in self.calls.values():
            for channel, count in call.received.items():
                if self.credits and count > 0:
                    Client.send(self, CREDIT, struct.pack(">Q", count), call=call.number, channel=channel)

    def resume(self):
        while True:
            try:
                self.try_to_resume()
                return
            except BROKEN:
                pass

    def send(self, type, payload=b"", call=0, channel=0, flags=0, sequence=None):
        if not isinstance(payload, (bytes, bytearray)):
            payload = json.dumps(payload).encode()
        if type <= STOP:
            self.sequence += 1
            frame = HEADER.pack(len(payload), type, flags, channel, call, self.sequence) + payload
            self.kept.append((self.sequence, frame))
        else:
            frame = HEADER.pack(len(payload), type, flags, channel, call, 0) + payload
        try:
            self.socket.sendall(frame)
        except BROKEN:
            self.resume()

    def read(self):
        while True:
            try:
                return super().read()
            except BROKEN:
                self.resume()

    def step(self):
        frame = super().step()
        while self.kept and self.kept[0][0] <= self.acknowledged:
            self.kept.popleft()
        return frame
