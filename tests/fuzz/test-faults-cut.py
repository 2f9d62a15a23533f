#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A conversation that is cut at each byte, in either direction: nothing is done by half, nothing is left behind."""

from faultlib import *

OLD, NEW = b"old" * 100, b"new" * 150


class Recorder:
    """Stands for a socket and remembers both directions."""

    def __init__(self, sock):
        self.socket = sock
        self.sent = bytearray()
        self.received = bytearray()

    def settimeout(self, seconds):
        self.socket.settimeout(seconds)

    def sendall(self, data):
        self.sent += data
        self.socket.sendall(data)

    def recv(self, size):
        data = self.socket.recv(size)
        self.received += data
        return data

    def close(self):
        self.socket.close()


def plain_socket(guest):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(guest.path)
    sock.settimeout(PATIENCE)
    return sock


def converse(client, guest):
    """A bit of everything. All that is recorded has the same names each time, which is allowed once only."""
    client.run("history.status")
    call = client.start("command.start", {"argv": ["cat"], "stdin": "stream"}, record=envelope(required=False))
    client.write(call, b"abc", fin=True)
    client.wait(call, OUTPUT, ERRORS)
    client.write_file(guest.in_work("file"), NEW, record=envelope("file.write", required=False))
    client.read_file(guest.in_work("file"))
    client.list(guest.work)
    call = client.start_command(["sleep", "1000"], deadline_ms=1)
    client.wait(call, OUTPUT, ERRORS)


def record_conversation(guest):
    recorder = Recorder(plain_socket(guest))
    client = Client(recorder)
    converse(client, guest)
    client.close()
    return bytes(recorder.sent), bytes(recorder.received)


def put_old(guest):
    with open(guest.in_work("file"), "wb") as file:
        file.write(OLD)


def check_file(guest):
    with open(guest.in_work("file"), "rb") as file:
        assert file.read() in (OLD, NEW), "the file was written by half"


def finish(guest, before):
    """The writes of connections that are gone go on; the guest ends them all with itself."""
    check_alive(guest)
    check_growth(guest, before)
    check_record(guest)
    check_file(guest)
    assert sorted(os.listdir(guest.work)) == ["alive", "file"], os.listdir(guest.work)


@contextlib.contextmanager
def prepared_guest():
    with Guest() as guest:
        client = guest.connect()
        open_history(client)
        client.close()
        put_old(guest)
        sent, received = record_conversation(guest)
        put_old(guest)
        yield guest, sent, received


def test_client_stops_in_the_middle():
    """The client says so much and is gone; or says so much, ends what it says, and reads on."""
    with prepared_guest() as (guest, sent, _):
        before = memory(guest)
        for cut in some_of(range(len(sent)), 150):
            sock = plain_socket(guest)
            sock.sendall(sent[:cut])
            if cut % 2:
                sock.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    while sock.recv(65536):
                        pass
            sock.close()
        finish(guest, before)


def test_client_stops_reading():
    """The client says everything, reads so much and is gone."""
    with prepared_guest() as (guest, sent, received):
        before = memory(guest)
        for cut in some_of(range(len(received)), 100):
            sock = plain_socket(guest)
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                sock.sendall(sent)
                left = cut
                while left > 0:
                    data = sock.recv(left)
                    if not data:
                        break
                    left -= len(data)
            sock.close()
        finish(guest, before)


def places_of_headers(sent):
    """Only there: a changed path would be somebody else's."""
    places, at = [], 0
    while at < len(sent):
        places += range(at, at + HEADER.size)
        at += HEADER.size + HEADER.unpack_from(sent, at)[0]
    return places


def test_byte_of_a_header_is_wrong():
    """One bit is another: the guest says goodbye, ignores the frame, or does what was asked."""
    with prepared_guest() as (guest, sent, _):
        before = memory(guest)
        for place in some_of(places_of_headers(sent), 100):
            damaged = bytearray(sent)
            damaged[place] ^= 1 << place % 8
            sock = plain_socket(guest)
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                sock.sendall(damaged)
                sock.shutdown(socket.SHUT_WR)
                while sock.recv(65536):
                    pass
            sock.close()
        check_alive(guest)
        check_growth(guest, before)
        check_record(guest)


if __name__ == "__main__":
    main()
