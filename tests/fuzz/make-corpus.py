#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes what the fuzz targets begin with.

usage: make-corpus.py          writes corpus/TARGET/NAME and dictionaries/TARGET beside this file
       make-corpus.py --check  says, as TAP, whether that is what is there
"""

import io
import json
import pathlib
import shutil
import struct
import sys
import tarfile
import zipfile
import zlib

import corpus_opensandbox
import corpus_scripted

MAX_SIZE = 4096

HEADER = struct.Struct(">IBBHIQ")
CALL, REPLY, EVENT, DATA, CANCEL, STOP = range(1, 7)
HELLO, ACK, CREDIT, PING, PONG, GOODBYE = range(16, 22)
FIN = 1
INPUT, OUTPUT, ERRORS = range(3)

HASH = "0123456789abcdef" * 4


def dump(value):
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def short(number):
    return struct.pack(">H", number)


def block(value):
    """Bytes with their length before them."""
    data = dump(value)
    return short(len(data)) + data


def count(number):
    return struct.pack(">Q", number)


def frame(type, payload=b"", call=0, channel=0, flags=0, sequence=None, length=None):
    data = dump(payload)
    if sequence is None:
        sequence = 1 if type <= STOP else 0
    if length is None:
        length = len(data)
    return HEADER.pack(length, type, flags, channel, call, sequence) + data


# The frames alone: two bytes for the size of the pieces, then a stream.

def frames():
    each = {
        "call": frame(CALL, {"call": "file.stat", "args": {"path": "/"}}, call=1),
        "reply": frame(REPLY, {"result": {}}, call=1),
        "event": frame(EVENT, {"event": "started"}, call=0xFFFFFFFF, sequence=(1 << 53) - 1),
        "data": frame(DATA, b"abc", call=1, channel=2, flags=FIN),
        "cancel": frame(CANCEL, call=1),
        "stop": frame(STOP, call=1, channel=1),
        "hello": frame(HELLO, {"major": 1, "minor": 0}),
        "ack": frame(ACK, count(7)),
        "credit": frame(CREDIT, count(65536), call=1, channel=1),
        "ping": frame(PING, b"p" * 64),
        "pong": frame(PONG),
        "goodbye": frame(GOODBYE, {"code": "closed", "message": ""}),
    }
    corpus = {name: short(6) + data for name, data in each.items()}
    corpus["all"] = short(0) + b"".join(each.values())
    corpus["all-at-once"] = short(4095) + b"".join(each.values())
    corpus["long"] = short(500) + frame(DATA, b"x" * 2000, call=1) + frame(PING)
    corpus["cut"] = short(3) + frame(DATA, b"abc", call=1, length=4)
    corpus["huge"] = short(3) + frame(DATA, b"abc", call=1, length=0xFFFFFFFF)
    corpus["largest"] = short(3) + frame(CALL, b"{}", call=1, length=1048576)
    corpus["unknown"] = short(3) + frame(PING) + frame(7, call=1, sequence=1)
    corpus["zeros"] = short(0) + bytes(40)
    return corpus


# Control payloads.

def tower(depth, array):
    return b'{"a":' + (b"[" if array else b'{"a":') * depth + b"1" + (b"]" if array else b"}") * depth + b"}"


def controls():
    return {
        "empty": {},
        "values": {"n": None, "t": True, "f": False, "i": -42, "r": 1.5e-7, "s": "grün €😀", "a": [1, []], "o": {}},
        "integers": {"a": [9007199254740991, -9007199254740991, 0, -1]},
        "too-large": {"a": 9007199254740992},
        "beyond-64-bits": b'{"a":18446744073709551616}',
        "reals": b'{"a":[-0.0,1E308,1e-400,123.456e+7]}',
        "escapes": b'{"\\u0061":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"}',
        "half-a-pair": b'{"a":"\\ud83d"}',
        "escaped-nul": b'{"a":"\\u0000"}',
        "duplicate": b'{"a":1,"b":2,"a":3}',
        "bytes": {"a": {"b64": "/w=="}, "b": {"b64": ""}, "c": {"b64": "YWJj"}},
        "bad-base64": {"a": {"b64": "YWJ"}, "b": {"b64": "YR=="}, "c": {"b64": "=AAA"}},
        "base64": b"Zm9vYmFyZm9vYg==",
        "deep-arrays": tower(31, True),
        "deep-objects": tower(31, False),
        "too-deep": tower(32, True),
        "brackets-in-a-string": {"a": "[{" * 40 + '"\\'},
        "latin-1": b'{"a":"gr\xfcn"}',
        "overlong": b'{"a":"\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80"}',
        "rest": b"{} {}",
        "nul-after-a-number": b'{"a":1\0,"b":2}',
        "nul-after-a-word": b'{"a":true\0}',
        "array": [1, 2],
        "call": {"call": "command.start", "args": {"argv": ["ls", {"b64": "/w=="}], "cwd": "/", "deadline_ms": 1000}},
        "spaces": b' \t\r\n{ "a" : [ 1 , 2 ] } ',
    }


# Arguments: a byte for the kind, then JSON or records.

def arguments():
    def command(value):
        return b"\0" + dump(value)

    def file(value):
        return b"\1" + dump(value)

    def records(value):
        return b"\2" + value

    return {
        "argv": command({"argv": ["ls", "-l", "/"], "cwd": "/tmp", "env": ["A=2", "B=x=y", "A=3"], "unset_env": ["LANG"]}),
        "shell": command({"shell": "echo $A; exit 3", "stdin": "stream", "stderr": "merge", "deadline_ms": 5000}),
        "bytes": command({"argv": [{"b64": "/w=="}], "cwd": {"b64": "L/8="}, "env": [{"b64": "QT3/"}]}),
        "discard": command({"argv": ["true"], "stdin": "none", "stdout": "discard", "stderr": "stream"}),
        "nulls": command({"argv": ["true"], "shell": None, "cwd": None, "env": None, "stdin": None, "deadline_ms": None}),
        "both": command({"argv": ["true"], "shell": "true"}),
        "neither": command({"cwd": "/"}),
        "empty-argv": command({"argv": []}),
        "relative": command({"argv": ["true"], "cwd": "tmp"}),
        "bad-variables": command({"argv": ["true"], "env": ["A", "=1"], "unset_env": ["A=1", ""]}),
        "bad-types": command({"argv": "true", "env": {"A": 1}, "deadline_ms": "1", "stdout": 1}),
        "many": command({"argv": ["a"] * 700, "env": ["B=%d" % i for i in range(100)]}),
        "latest": command({"argv": ["true"], "deadline_ms": 9007199254740991}),
        "limits": command({"argv": ["true"], "limits": {"cpu_seconds": 5, "memory_bytes": 1 << 30, "file_size_bytes": 4096, "open_files": 20, "processes": None}}),
        "bad-limits": command({"argv": ["true"], "limits": {"open_files": 9007199254740991, "processes": "5"}}),
        "user": command({"argv": ["id"], "uid": 1000, "gid": None, "env": ["HOME=/home"]}),
        "bad-user": command({"argv": ["id"], "uid": 4294967295, "gid": "0"}),
        "terminal": command({"argv": ["sh"], "stdin": "stream", "pty": {"columns": 132, "rows": 43}}),
        "bad-terminal": command({"argv": ["sh"], "pty": {"columns": 0}, "stderr": "stream"}),
        "no-deadline": command({"argv": ["true"], "deadline_ms": 0}),
        "path": file({"path": "/tmp//a/./b/", "follow": False, "recursive": True, "offset": 1, "length": 10, "mode": 420}),
        "root": file({"path": "/", "from": "//", "to": "/./."}),
        "dots": file({"path": "/a/../b", "from": "/..", "to": "/a/.."}),
        "three-dots": file({"path": "/...", "from": "/a..", "to": "/..a/.b"}),
        "path-of-bytes": file({"path": {"b64": "L/8v/w=="}, "from": {"b64": "LwA="}}),
        "relative-paths": file({"path": "a", "from": "", "to": "./a"}),
        "bad-file": file({"path": 1, "follow": 1, "offset": -1, "mode": 4096, "expected_hash": [HASH]}),
        "write": file({"path": "/f", "expected_hash": HASH, "create_only": True, "make_parents": False}),
        "records": records(b"A=1\0B=\0PATH=/bin\0HOME=/home/x\0A=2\0"),
        "no-end": records(b"A=1\0B=2"),
        "no-name": records(b"=1\0"),
        "no-value": records(b"A\0"),
        "relative-home": records(b"HOME=x\0PATH=\0"),
    }


# Rows of the record: a byte for the kind and the pieces, then lines.

CHANGE = {
    "source_seq": 7, "change_id": "c-1", "event_id": "e-1", "change_type": "operation_started",
    "changed_at": "2025-01-01T00:00:00.000Z", "operation_type": "command.execute", "status": "started",
}
OPERATION = {
    "seq": 1, "event_id": "e-1", "operation_type": "command.execute", "status": "succeeded", "source": "sdk",
    "actor_type": "agent", "actor_id": "a", "thread_id": None, "run_id": None, "correlation_id": "c",
    "occurred_at": "2025-01-01T00:00:00.000Z", "completed_at": "2025-01-01T00:00:01.000Z", "duration_ms": 1000,
    "request": {"command": "ls", "cwd": "/"}, "result": {"exit_code": 0, "output": {"b64": "/w=="}},
    "command": {"command": "ls", "timeout_ms": None}, "file_operation": None,
}


def rows():
    def lines(*values, kind=1, pieces=20):
        return bytes([pieces << 1 | kind]) + b"".join(dump(value) + b"\n" for value in values)

    return {
        "change": lines(CHANGE),
        "changes": lines(*[{**CHANGE, "source_seq": i} for i in range(12)], pieces=127),
        "operation": lines(OPERATION, kind=0),
        "operations": lines(OPERATION, {**OPERATION, "status": "what?"}, kind=0, pieces=1),
        "one-byte-at-a-time": lines(CHANGE, pieces=0),
        "wrong-types": lines({**OPERATION, "seq": "1", "status": 5, "request": [1], "duration_ms": -1.5}, kind=0),
        "missing": lines({"event_id": "e-1"}),
        "empty-lines": lines(b"", b""),
        "no-end": b"\x28" + dump(CHANGE),
        "too-many": lines(*[{}] * 66),
        "nested": lines(tower(22, False), tower(23, True), tower(30, True)),
        "values": lines({"a": [None, True, {"b64": "AP8="}, {"b64": "?"}, {"b64": "AA==", "x": 1}, -0.0, 1e300]}),
        "no-json": lines(b"nothing"),
    }


# JSON of servers.

def json_checks():
    return {
        "object": {"id": "sb-1", "status": {"state": "Running", "n": 17}, "list": [1, 2.5, None, True]},
        "integers": b"[9223372036854775807,-9223372036854775808,0,-0,017]",
        "integer-bounds": b"[9223372036854775807,-9223372036854775808,0,-0]",
        "too-large": b"[9223372036854775808]",
        "unsigned": b"[18446744073709551615]",
        "reals": b"[0.1,-1.5e+300,2E-300,0e1,1e-400,-0.0]",
        "overflow": b"[1e309]",
        "strings": b'["\\"\\\\\\/\\b\\f\\n\\r\\t","\\u00e9\\ud83d\\ude00","gr\xc3\xbcn"]',
        "escaped-nul": b'["a\\u0000b"]',
        "half-a-pair": b'["\\ud83d"]',
        "comment": b"[1/*a*/,2//b\n]",
        "deep": b"[" * 64 + b"]" * 64,
        "deep-objects": b'{"a":' * 64 + b"1" + b"}" * 64,
        "too-deep": b"[" * 65 + b"]" * 65,
        "alone": b" 42 ",
        "words": b"[true,false,null]",
        "duplicate": b'{"a":1,"a":2}',
        "empty-key": b'{"":{"":[]}}',
        "trailing-comma": b"[1,]",
        "long-number": b"[0." + b"1" * 126 + b"]",
        "single-quotes": b"{'a':'b'}",
        "var": b"var a = 1;",
        "nul-after-a-number": b"4\0",
    }


# WebSockets.

WEB_BINARY, WEB_CLOSE, WEB_PING, WEB_PONG = 2, 8, 9, 10
WEB_REQUEST = (b"GET /proxy/8080 HTTP/1.1\r\nHost: localhost:1234\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
               b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")


def web_frame(opcode, payload=b"", fin=True, mask=b"\x9a\x5c\x01\xf3", length=None, size=None, reserved=0):
    length = len(payload) if length is None else length
    if size is None:
        size = 0 if length < 126 else 2 if length < 65536 else 8
    first = (0x80 if fin else 0) | reserved << 4 | opcode
    second = (0x80 if mask else 0) | (length if size == 0 else 126 if size == 2 else 127)
    payload = bytes(byte ^ (mask or bytes(4))[i % 4] for i, byte in enumerate(payload))
    return bytes([first, second]) + (length.to_bytes(size, "big") if size else b"") + (mask or b"") + payload


# What happens around the guest: the numbers of HAPPENINGS in fuzz-guest.c, with what each takes.

(NOTHING, FRAME, BYTES, COME, GO, READ, ACKNOWLEDGE, SAY, SEND, SEND_BYTES, PRINT, CLOSE_STREAM, DIE, REAP, WAIT,
 FORKS_FAIL, SILENT, NO_MEMORY, RESUME, VISIT, VISITOR_SENDS, VISITOR_GOES) = range(22)

# Its helpers in the order they are made; the spare supervisor is the second, the first that a call makes the third.
HISTORIAN, SUPERVISOR = range(2)
STARTED, FAILED, EXITED, KILLING, SIGNALLED, ENDED, GAVE_UP = range(3, 10)


def client(type, payload=b"", call=0, channel=0, flags=0, who=0):
    return bytes([FRAME, who, type, flags, channel, call]) + block(payload)


def call(name, args=None, number=1, who=0, **more):
    return client(CALL, {"call": name, "args": args or {}, **more}, call=number, who=who)


def come(who=0, greet=1):
    return bytes([COME, who, greet])


# How a client resumes: to linger again, after its connection has gone, as time passes, with a wrong secret, with too high or too low
# a number.
LINGER, CUT, LATER, STRANGER, BEYOND, BEFORE = 1, 2, 4, 8, 0x10, 0x20


def resume(how=LINGER, who=0):
    return bytes([RESUME, who, how]) + pause()


def visit(*parts, who=0, token="a-token-for-fuzzing"):
    """A client that comes by a WebSocket and says HELLO, which is not masked so that it can be changed."""
    hello = frame(HELLO, {"major": 1, "minor": 0, "token": token})
    return bytes([VISIT, who]) + visitor(WEB_REQUEST, who=who) + visitor(web_frame(WEB_BINARY, hello, mask=bytes(4)), *parts, who=who)


def visitor(*parts, who=0):
    return bytes([VISITOR_SENDS, who]) + block(b"".join(parts)) + pause()


def pause(n=2):
    return bytes([NOTHING]) * n


def say(helper, kind, value=0, stage=0, last=0):
    return bytes([SAY, helper, kind, stage]) + short(value) + bytes([last])


def helper_frame(helper, type, payload=b"", channel=0, flags=0):
    return bytes([SEND, helper, type, flags, channel]) + block(payload)


def output(helper, data, stream=1, times=1):
    return bytes([PRINT, helper, stream]) + short(times) + block(data)


def die(helper, last=b"", when=2):
    return bytes([DIE, helper, when]) + block(last)


IDENTITY = {"provider_key": "p", "sandbox_id": "s", "sandbox_instance_id": "i"}
JOB = "000000000000-1"
RECORD = {"event_id": "e", "operation_type": "command.execute", "required": True, "actor": {"actor_type": "agent"}, "request": {}}


def guests():
    open_history = call("history.open", {"identity": IDENTITY, "sdk_version": "1"}, number=9) + pause()
    cat = call("command.start", {"argv": ["cat"], "stdin": "stream"})
    job = call("job.start", {"argv": ["cat"], "name": "n"})

    def job_call(name, number, who=0, **args):
        return call("job." + name, {"job_id": JOB, **args}, number=number, who=who)

    silent = bytes([SILENT, 1])
    hello = {"major": 1, "minor": 0, "features": [], "client": "x"}
    run = web_frame(WEB_BINARY, frame(CALL, {"call": "command.start", "args": {"shell": "cat", "stdin": "stream"}}, call=1), mask=bytes(4))
    return {
        "nothing": b"",
        "visit": visit() + visitor(run) + visitor(web_frame(WEB_PING, b"1")) + visitor(web_frame(WEB_CLOSE)),
        "visit-early-ping": bytes([VISIT, 0]) + visitor(WEB_REQUEST) + visitor(web_frame(WEB_PING, b"1")) + visitor(web_frame(WEB_CLOSE)),
        "visit-in-pieces": visit(run[:40]) + visitor(run[40:]) + bytes([VISITOR_GOES, 0]),
        "visit-without-token": visit(token="") + visit(token="a-token-for-nothing", who=1) + visit(run, who=1),
        "visit-with-text": visit(run, web_frame(1, b"x")),
        "visit-to-ask": bytes([VISIT, 0]) + visitor(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") + visitor(b"more"),
        "visit-slowly": bytes([VISIT, 0]) + visitor(WEB_REQUEST[:9]) + bytes([WAIT]) + short(1100) + visitor(WEB_REQUEST[9:]),
        "visit-silently": visit(run) + b"".join(bytes([WAIT]) + short(2100) + pause() for _ in range(6)),
        "visit-before-hello": bytes([VISIT, 0]) + visitor(WEB_REQUEST) + visitor(web_frame(WEB_PING, b"1")) + visitor(web_frame(WEB_BINARY, b"\0")) + visitor(web_frame(WEB_CLOSE)),
        "visits": b"".join(bytes([VISIT, i]) + pause(3) for i in range(20)) + visit(run, who=19) + bytes([VISITOR_GOES, 3]),
        "visitors": b"".join(visit(run, who=i)[:-2] for i in range(9)) + bytes([NO_MEMORY, 40]) + visit(run, who=12),
        "listen": come() + call("guest.listen") + call("guest.listen", {"port": 2}, number=2) + pause() + visit(run),
        "hello": come(greet=0) + client(HELLO, hello) + client(PING, b"abc"),
        "hello-twice": come() + client(HELLO, hello),
        "wrong-major": come(greet=0) + client(HELLO, {"major": 2, "minor": 0}),
        "no-hello": come(greet=0) + client(PING),
        "late-hello": come(greet=0) + bytes([WAIT]) + short(1100),
        "garbage": come() + bytes([BYTES, 0]) + block(bytes(range(64))),
        "goodbye": come() + client(GOODBYE, {"code": "closed", "message": ""}),
        "clients": b"".join(come(i) + call("file.stat", {"path": "/"}, who=i) for i in range(4)) + bytes([GO, 2]),
        "echo": come() + call("command.start", {"shell": "echo", "env": ["A=1"], "cwd": "/"}) + pause()
        + output(SUPERVISOR, b"hello\n") + output(SUPERVISOR, b"oh\n", stream=2) + say(SUPERVISOR, EXITED, 256) + say(SUPERVISOR, ENDED, last=1),
        "echo-and-background": come() + call("command.start", {"argv": ["sh"]}) + pause() + say(SUPERVISOR, EXITED)
        + output(SUPERVISOR, b"late") + bytes([CLOSE_STREAM, SUPERVISOR, 1]) + say(SUPERVISOR, ENDED, last=1),
        "cat": come() + cat + pause() + client(DATA, b"abc", call=1) + client(DATA, b"", call=1, flags=FIN)
        + output(SUPERVISOR, b"abc") + say(SUPERVISOR, EXITED, last=1),
        "cat-closes": come() + cat + pause() + bytes([CLOSE_STREAM, SUPERVISOR, 0]) + client(DATA, b"abc", call=1) + pause() + client(DATA, b"abc", call=1),
        "data-without-input": come() + call("command.start", {"argv": ["true"]}) + client(DATA, b"abc", call=1),
        "much-output": come() + call("command.start", {"argv": ["yes"]}) + pause() + output(SUPERVISOR, b"y\n" * 150, times=1000)
        + client(CREDIT, count(65536), call=1, channel=1) + client(STOP, call=1, channel=2) + client(STOP, call=1, channel=1),
        "unread-output": come() + bytes([READ, 0, 0]) + call("command.start", {"argv": ["yes"], "stderr": "merge"}) + pause()
        + output(SUPERVISOR, b"y" * 300, times=1000) + bytes([READ, 0, 1]) + client(CREDIT, count(1 << 40), call=1, channel=1),
        "cancel": come() + cat + pause() + client(CANCEL, call=1),
        "cancel-before": come() + silent + cat + client(CANCEL, call=1) + pause() + say(SUPERVISOR, STARTED, 7),
        "deadline": come() + silent + call("command.start", {"argv": ["sleep"], "deadline_ms": 1000}) + pause() + say(SUPERVISOR, STARTED, 7)
        + bytes([WAIT]) + short(100) + say(SUPERVISOR, KILLING, 1) + bytes([WAIT]) + short(300),
        "not-found": come() + silent + call("command.start", {"argv": ["nothing"]}) + pause() + say(SUPERVISOR, FAILED, 2, stage=2, last=1),
        "no-directory": come() + silent + call("command.start", {"argv": ["a"], "cwd": "/none"}) + pause() + say(SUPERVISOR, FAILED, 2, stage=1),
        "no-limit": come() + silent + call("command.start", {"argv": ["a"], "limits": {"open_files": 20}}) + pause() + say(SUPERVISOR, FAILED, 1, stage=4, last=1),
        "no-user": come() + silent + call("command.start", {"argv": ["a"], "uid": 1000}) + pause() + say(SUPERVISOR, FAILED, 1, stage=5, last=1),
        "supervisor-dies": come() + cat + pause() + die(SUPERVISOR),
        "spare-dies": come() + die(SUPERVISOR, when=0) + cat + pause() + bytes([REAP]),
        "supervisor-lies": come() + cat + pause() + say(SUPERVISOR, EXITED) * 2 + say(SUPERVISOR, STARTED) + say(SUPERVISOR, SIGNALLED, 1)
        + bytes([SEND_BYTES, SUPERVISOR]) + block(b"xyz"),
        "terminal": come() + call("command.start", {"argv": ["sh"], "stdin": "stream", "pty": {"columns": 80, "rows": 24}}) + pause() + client(DATA, b"exit", call=1, flags=FIN)
        + output(SUPERVISOR, b"hello\n") + call("command.resize", {"command_id": "x", "columns": 132, "rows": 43}, number=2) + call("command.signal", {"command_id": "x", "signal": 2}, number=3)
        + pause() + say(SUPERVISOR, EXITED, 256, last=1),
        "terminal-is-lost": come() + call("command.start", {"argv": ["sh"], "stdin": "stream", "pty": {}}) + pause() + output(SUPERVISOR, b"hello\n") + bytes([GO, 0]),
        "signal": come() + cat + pause() + call("command.signal", {"command_id": "x", "signal": 15}, number=2),
        "no-forks": come() + bytes([FORKS_FAIL, 1]) + die(SUPERVISOR) + cat + call("file.stat", {"path": "/"}, number=2) + bytes([FORKS_FAIL, 0]) + cat,
        "client-goes": come() + cat + pause() + output(SUPERVISOR, b"abc") + bytes([GO, 0]) + output(SUPERVISOR, b"abc", times=60),
        "files": come() + call("file.read", {"path": "/a"}) + call("file.mkdir", {"path": "/b"}, number=2) + call("file.delete", {"path": "/c"}, number=3),
        "read": come() + silent + call("file.read", {"path": "/a"}) + pause() + helper_frame(2, EVENT, {"event": "opened", "entry": {}})
        + helper_frame(2, DATA, b"abc" * 100, channel=1) + helper_frame(2, REPLY, {"result": {"bytes": 300}}),
        "write": come() + silent + call("file.write", {"path": "/a"}) + client(DATA, b"x" * 100, call=1) + pause() + helper_frame(2, EVENT, {"lock": "a"})
        + helper_frame(2, CREDIT, count(100)) + client(DATA, b"y", call=1, flags=FIN) + pause() + helper_frame(2, REPLY, {"error": {"code": "no_space", "message": "m"}}),
        "writers": come() + silent + call("file.write", {"path": "/a"}) + call("file.write", {"path": "/a"}, number=2) + pause()
        + helper_frame(2, EVENT, {"lock": "a"}) + helper_frame(3, EVENT, {"lock": "a"}) + helper_frame(2, REPLY, {"result": {}}),
        "worker-dies": come() + silent + call("file.read", {"path": "/a"}) + pause() + die(2) + call("file.read", {"path": "/a"}, number=2),
        "worker-hangs": come() + silent + call("file.read", {"path": "/a"}) + pause() + client(CANCEL, call=1) + bytes([WAIT]) + short(100),
        "worker-babbles": come() + silent + call("file.read", {"path": "/a"}) + pause() + helper_frame(2, REPLY, b"{") + pause(),
        "dead-worker-babbles": come() + silent + call("file.read", {"path": "/a"}) + pause() + die(2, b"{", when=1),
        "many-files": come() + silent + b"".join(call("file.list", {"path": "/"}, number=i) for i in range(1, 30)) + client(CANCEL, call=29),
        "unpacking-is-cancelled": come() + open_history + silent + call("file.unpack", {"path": "/a"}) + pause() + client(CANCEL, call=1)
        + call("history.status", number=2),
        "history": come() + open_history + call("history.status", number=2) + call("history.query", {"after_change_seq": 0, "limit": 10}, number=3),
        "query": come() + open_history + silent + call("history.query", {"after_change_seq": 0}) + pause() + helper_frame(HISTORIAN, DATA, b"{}\n", channel=1)
        + client(CREDIT, count(3), call=1, channel=1) + client(CANCEL, call=1) + helper_frame(HISTORIAN, REPLY, {"result": {}}),
        "recorded": come() + open_history + call("command.start", {"argv": ["cat"]}, record=RECORD) + pause(4) + output(SUPERVISOR, b"abc") + say(SUPERVISOR, EXITED, last=1),
        "record-refused": come() + open_history + silent + call("file.stat", {"path": "/"}, record=RECORD) + pause()
        + helper_frame(HISTORIAN, REPLY, {"error": {"code": "history_storage_exhausted", "message": "full"}}),
        "record-stopped": come() + open_history + call("command.start", {"argv": ["cat"]}, record=RECORD) + pause(4) + helper_frame(HISTORIAN, STOP, channel=1) + output(SUPERVISOR, b"abc"),
        "not-open": come() + call("command.start", {"argv": ["true"]}, record=RECORD) + call("file.stat", {"path": "/"}, number=2, record={**RECORD, "required": False}),
        "historian-dies": come() + open_history + silent + call("file.stat", {"path": "/"}, record=RECORD) + pause() + die(HISTORIAN) + pause(),
        "historian-hangs": come() + open_history + silent + call("file.stat", {"path": "/"}, record=RECORD) + bytes([WAIT]) + short(3100),
        "historian-babbles": come() + open_history + silent + call("history.status") + pause() + helper_frame(HISTORIAN, REPLY, b"[]"),
        "dead-historian-babbles": come() + open_history + silent + call("history.status") + pause() + die(HISTORIAN, b"[]", when=1),
        "no-memory": come() + b"".join(bytes([NO_MEMORY, i]) + call("command.start", {"argv": ["cat"]}, number=i + 1) for i in range(20)),
        "no-memory-for-files": come() + b"".join(bytes([NO_MEMORY, i]) + call("file.read", {"path": "/"}, number=i + 1) for i in range(20)),
        "no-memory-for-clients": b"".join(bytes([NO_MEMORY, i]) + come(i % 4) for i in range(30)),
        "acknowledge": come() + call("file.stat", {"path": "/"}) + bytes([ACKNOWLEDGE, 0, 0, ACKNOWLEDGE, 0, 255]),
        "credit-too-much": come() + call("file.list", {"path": "/"}) + client(CREDIT, count(1), call=1, channel=1),
        "same-number": come() + silent + call("file.stat", {"path": "/"}) + call("file.stat", {"path": "/"}),
        "unknown-calls": come() + call("file.format") + call("", number=2) + client(CALL, {}, call=3) + client(CALL, {"call": "file.stat", "args": 1}, call=4),
        "bad-records": come() + call("file.stat", {"path": "/"}, record=1) + call("file.stat", {"path": "/"}, number=2, record={"required": 1}),
        "job": come() + job + pause() + output(SUPERVISOR, b"abc") + job_call("output", 2, stream="stdout", offset=1) + job_call("status", 3)
        + job_call("wait", 4) + say(SUPERVISOR, EXITED, 256, last=1) + pause() + job_call("output", 5, stream="stderr", follow=True) + job_call("remove", 6),
        "job-is-followed": come() + job + pause() + job_call("output", 2, stream="stdout", follow=True) + output(SUPERVISOR, b"x" * 300, times=1000)
        + job_call("list", 3) + pause() + say(SUPERVISOR, EXITED, 9, last=1) + pause(),
        "job-survives": come() + job + bytes([GO, 0]) + output(SUPERVISOR, b"abc") + come(1) + job_call("output", 1, who=1, stream="stdout")
        + job_call("stop", 2, who=1) + pause(4) + job_call("signal", 3, who=1, signal=15),
        "job-is-removed": come() + job + pause() + output(SUPERVISOR, b"x" * 300, times=1000) + say(SUPERVISOR, EXITED, last=1) + pause()
        + job_call("output", 2, stream="stdout") + pause() + job_call("remove", 3) + client(CREDIT, count(65536), call=2, channel=1),
        "job-calls-end": come() + job + pause() + job_call("output", 2, stream="stdout", follow=True) + job_call("wait", 3) + job_call("stop", 4)
        + client(STOP, call=2, channel=1) + client(CANCEL, call=3) + client(CANCEL, call=4) + job_call("wait", 5) + bytes([GO, 0]),
        "job-fails": come() + silent + job + pause() + say(SUPERVISOR, FAILED, 2, stage=2, last=1) + job_call("list", 2),
        "job-is-cancelled": come() + silent + job + client(CANCEL, call=1) + pause() + say(SUPERVISOR, STARTED, 7) + say(SUPERVISOR, EXITED, 15, last=1),
        "job-is-lost": come() + silent + job + pause() + bytes([GO, 0]) + say(SUPERVISOR, STARTED, 7) + come(1) + job_call("list", 1, who=1),
        "job-is-recorded": come() + open_history + call("job.start", {"argv": ["cat"], "stderr": "merge"}, record=RECORD) + pause(4)
        + output(SUPERVISOR, b"abc") + say(SUPERVISOR, EXITED, last=1) + job_call("wait", 2),
        "no-memory-for-jobs": come() + b"".join(bytes([NO_MEMORY, i]) + call("job.start", {"argv": ["cat"]}, number=2 * i + 1)
                                                + job_call("list", 2 * i + 2) for i in range(15)),
        "shutdown": come() + cat + pause() + call("guest.shutdown", number=2) + pause(4),
        "terminated": come() + cat + b"",
        "resume": come() + cat + pause() + client(DATA, b"abc", call=1) + resume(LINGER | CUT) + client(DATA, b"", call=1, flags=FIN) + output(SUPERVISOR, b"abc") + say(SUPERVISOR, EXITED, last=1),
        "resume-half-open": come() + cat + pause() + output(SUPERVISOR, b"abc") + resume() + output(SUPERVISOR, b"def") + bytes([ACKNOWLEDGE, 0, 0]) + resume(),
        "resume-before-the-ack": b"".join(
            come(i) + call("command.start", {"argv": ["cat"], "stdin": "stream"}, who=i) + pause() + client(DATA, b"abc", call=1, who=i)
            + resume(LINGER | LATER | i << 6, who=i) for i in range(4)),
        "resume-unread": come() + call("command.start", {"argv": ["yes"]}) + pause() + bytes([READ, 0, 0]) + output(SUPERVISOR, b"y" * 300, times=1000) + resume(LINGER | CUT)
        + client(CREDIT, count(65536), call=1, channel=1) + resume(CUT),
        "resume-input": come() + cat + pause() + b"".join(client(DATA, b"x" * 250, call=1) for _ in range(8)) + resume(LINGER | CUT) + client(DATA, b"y", call=1),
        "resume-after-the-reply": come() + cat + pause() + bytes([GO, 0]) + output(SUPERVISOR, b"abc") + say(SUPERVISOR, EXITED) + pause() + resume(),
        "resume-late": come() + cat + pause() + bytes([GO, 0]) + output(SUPERVISOR, b"y" * 300, times=1000) + bytes([WAIT]) + short(6001) + pause() + output(SUPERVISOR, b"y") + resume(),
        "resume-wrongly": come() + cat + pause() + resume(STRANGER) + resume(BEYOND) + come() + cat + pause() + bytes([ACKNOWLEDGE, 0, 0]) + pause() + resume(BEFORE),
        "resume-nothing": come(greet=0) + resume() + resume(CUT) + client(GOODBYE, {}) + resume(),
        "resume-of-others": come() + come(1) + cat + call("command.start", {"argv": ["cat"]}, who=1) + pause() + resume(who=1) + resume() + resume(who=2),
        "resume-without-memory": come() + cat + pause() + b"".join(bytes([NO_MEMORY, i]) + resume(LINGER | CUT) for i in range(16)),
        "resume-no-memory-for-output": come() + cat + pause() + bytes([GO, 0, NO_MEMORY, 0]) + output(SUPERVISOR, b"abc", times=3) + resume(),
        "shutdown-while-interrupted": come() + cat + pause() + bytes([GO, 0]) + pause() + come(1) + call("guest.shutdown", who=1) + pause(4),
        "from-the-guest": come() + client(REPLY, {"result": {}}, call=1) + client(EVENT, {}, call=1),
    }


# What happens around a file worker: a byte for the locks, then the numbers of types in fuzz-files.c.

def file_calls():
    def call(name, recorded=False, **args):
        return b"\0" + block({"call": name, "args": args, "recorded": recorded})

    def data(value, fin=0):
        return bytes([1, fin]) + block(value)

    credit = b"\2\1"
    stop = b"\3"
    cancel = b"\4"
    now = 0x80
    start = b"\1"

    def write(path, *parts, **args):
        return start + call("file.write", path=path, **args) + b"".join(data(part) for part in parts) + data(b"", 1)

    return {
        "stat": start + call("file.stat", path="/a") + call("file.stat", path="/l", follow=False) + call("file.stat", path="/k"),
        "stat-loop": start + call("file.stat", path="/o") + call("file.stat", path="/a/x") + call("file.stat", path="/" + "n" * 256),
        "list": start + call("file.list", True, path="/") + credit + call("file.list", path="/d") + call("file.list", path="/a"),
        "list-stopped": start + call("file.list", path="/") + bytes([now | 3]),
        "read": start + call("file.read", True, path="/a") + credit + call("file.read", path="/a", offset=3, length=4),
        "read-bytes": start + call("file.read", path={"b64": "L2Qv/w=="}) + call("file.read", path="/p") + call("file.read", path="/d"),
        "read-cancelled": start + call("file.read", path="/a") + bytes([now | 4]),
        "write": write("/new", b"abc", b"def"),
        "write-recorded": write("/a", b"hello\nthere\n", recorded=True),
        "write-compared": write("/a", b"x", recorded=True, expected_hash="26c60a61d01db5836ca70fefd44a6a016620413c8ef5f259a6c5612d4f79d3b8"),
        "write-compared-wrongly": write("/a", b"x", expected_hash=HASH) + call("file.write", path="/none", expected_hash=HASH) + data(b"", 1),
        "write-new": write("/a", b"x", create_only=True) + call("file.write", path="/b", create_only=True, mode=0o600) + data(b"x", 1),
        "write-through-links": write("/l", b"x") + call("file.write", path="/k") + data(b"y", 1) + call("file.write", path="/o") + data(b"y", 1),
        "write-deep": write("/x/y/z/f", b"x") + call("file.write", path="/q/r", make_parents=False) + data(b"y", 1),
        "write-cut": start + call("file.write", path="/a") + data(b"abc"),
        "write-cancelled": start + call("file.write", path="/a") + data(b"abc") + cancel,
        "write-without-a-lock": b"\0" + call("file.write", path="/a") + data(b"abc", 1) + cancel,
        "write-odd": write("/d", b"x") + call("file.write", path="/p") + data(b"x", 1) + call("file.write", path="/") + data(b"x", 1),
        "history": write("/history/record", b"x") + call("file.write", path="/h/record") + data(b"x", 1) + call("file.write", path="/r") + data(b"x", 1),
        "history-deleted": start + call("file.delete", path="/history", recursive=True) + call("file.delete", path="/h/record") + call("file.delete", path="/", recursive=True),
        "history-moved": start + call("file.move", **{"from": "/history", "to": "/x"}) + call("file.move", **{"from": "/", "to": "/x"})
        + call("file.move", **{"from": "/a", "to": "/h/record", "overwrite": True}) + call("file.move", **{"from": "/d", "to": "/history", "overwrite": True}),
        "history-made": start + call("file.mkdir", path="/h/x") + call("file.mkdir", path="/history/x/y") + call("file.mkdir", path="/history"),
        "mkdir": start + call("file.mkdir", path="/x/y", mode=0o2775) + call("file.mkdir", path="/d", parents=False) + call("file.mkdir", path="/a"),
        "delete": start + call("file.delete", path="/l") + call("file.delete", path="/d") + call("file.delete", path="/d", recursive=True) + call("file.delete", path="/p"),
        "move": start + call("file.move", **{"from": "/a", "to": "/b"}) + call("file.move", **{"from": "/b", "to": "/d/b"}) + call("file.move", **{"from": "/d", "to": "/d/e/f"}),
        "move-over": start + call("file.move", **{"from": "/a", "to": "/d/b", "overwrite": True}) + call("file.move", **{"from": "/d", "to": "/p", "overwrite": True}),
        "walk": start + call("file.walk", True, path="/") + credit + call("file.walk", path="/", max_depth=1, hidden=False) + call("file.walk", path="/l"),
        "walk-cut": start + call("file.walk", path="/", max_results=2, time_limit_ms=1, kinds=["file", "other"]),
        "walk-stopped": start + call("file.walk", path="/") + bytes([now | 3]) + call("file.walk", path="/d") + cancel,
        "glob": start + call("file.glob", True, path="/", pattern="**/{a,b,\u00ff}*") + credit + call("file.glob", path="/", pattern="[!a-c]/", ignore_case=True)
        + call("file.glob", path="/d", pattern={"b64": "/w=="}) + call("file.glob", path="/", pattern="../*"),
        "grep": start + call("file.grep", True, path="/", text="o") + credit + call("file.grep", path="/", text="^W(o|r)+", regex=True, ignore_case=True, context_lines=2)
        + call("file.grep", path="/a", text="(", regex=True) + call("file.grep", path="/p", text="x") + call("file.grep", path="/l", text="hello", include=["*.c", "a"]),
        "grep-cut": start + call("file.grep", path="/", text="l", max_results=1, time_limit_ms=1, max_depth=1) + call("file.grep", path="/", text="") + bytes([now | 3]),
        "edit": start + call("file.edit", True, path="/a", old="world", new="there") + call("file.edit", path="/a", old="l", new="", replace_all=True) + call("file.edit", path="/l", old="\n", new="\r\n", expected_count=2),
        "edit-refused": start + call("file.edit", path="/a", old="x", new="y") + call("file.edit", path="/a", old="l", new="y") + call("file.edit", path="/p", old="x", new="y")
        + call("file.edit", path="/h/record", old="w", new="y") + call("file.edit", path="/r", old="w", new="y") + call("file.edit", path="/d", old="x", new="y"),
        "edit-without-a-lock": b"\0" + call("file.edit", path="/a", old="hello", new="x") + cancel,
        "lines": start + call("file.read_lines", True, path="/a", offset=1, limit=1) + credit + call("file.read_lines", path="/d/b") + call("file.read_lines", path="/a", offset=9)
        + call("file.read_lines", path="/l", limit=0) + call("file.read_lines", path="/p") + call("file.read_lines", path="/a", max_bytes=3),
        "attributes": start + call("file.set_attributes", True, path="/a", mode=0o711) + call("file.set_attributes", path="/l", follow=False, mode=0) + call("file.set_attributes", path="/d", gid=0)
        + call("file.set_attributes", path="/history", mode=0o777) + call("file.set_attributes", path="/h", mode=0o777) + call("file.set_attributes", path="/r", mode=0o777),
        "watch": start + call("file.watch", path="/") + credit + stop + call("file.watch", path="/d", recursive=True) + cancel + call("file.watch", path="/l") + stop,
        "watch-refused": start + call("file.watch", path="/o") + call("file.watch", path="/none") + call("file.watch", path="/a/x") + call("file.watch", path="/d", recursive=1),
        "watch-cut": start + call("file.watch", path="/", recursive=True) + bytes([now | 3]) + call("file.watch", path="/p"),
        "unpack": start + call("file.unpack", True, path="/new") + data(tar(("f", b"x"))[:600]) + data(tar(("f", b"x"))[600:], 1),
        "unpack-over": start + call("file.unpack", path="/", conflict="overwrite") + data(tar(("a", b"x"), ("d/b", b"")), 1),
        "unpack-history": start + call("file.unpack", path="/", conflict="overwrite") + data(tar(("history/x", b"")), 1) + call("file.unpack", path="/h") + data(b"", 1),
        "unpack-zip": start + call("file.unpack", path="/d", conflict="skip") + data(zipped(("b", b"x", 0o100644), ("c", b"y", 0o100755)), 1),
        "unpack-cancelled": start + call("file.unpack", path="/new") + data(tar(("f", b"x"))) + cancel,
        "unpack-cut": start + call("file.unpack", path="/", max_members=1) + data(tar(("f", b"x"), ("g", b""))),
        "pack": start + call("file.pack", True, path="/") + credit + call("file.pack", path="/d", names=["b", "none", "../x"]) + call("file.pack", path="/d", format="tar.gz") + credit,
        "pack-stopped": start + call("file.pack", path="/") + bytes([now | 3]) + call("file.pack", path="/a") + call("file.pack", path="/d", names=[""]),
        "unknown": start + call("file.format") + b"\0" + block(b"{}") + b"\0" + block(b"no"),
        "relative": start + call("file.stat", path="a") + call("file.delete", path=""),
    }


# Whether case counts, a pattern, a path.

def globs():
    def pair(pattern, path, ignore_case=0):
        return bytes([ignore_case]) + pattern.encode() + b"\n" + path.encode()

    return {
        "name": pair("*.py", "src/app/main.py"), "name-braces": pair("{top,main}.p?", "src/main.py"),
        "path": pair("src/**/*.py", "src/a/b/main.py"), "root": pair("/*.py", "main.py"), "below": pair("src/**", "src/a/b"),
        "class": pair("src/[!a-c]*/[]x^]", "src/d/]"), "class-no-slash": pair("a[!b]c/d", "a/c/d"),
        "nested": pair("{a,{b,c/}*}/{d,}", "c/x/d"), "escaped": pair("\\*\\[x\\]{\\},\\,}", "*[x]}"),
        "directory": pair("src/", "src"), "dots": pair("./a//./b", "a/b"), "out": pair("a/../b", "a/b"),
        "cut-class": pair("a[b-", "ab"), "cut-braces": pair("{a,{b}", "a"), "cut-escape": pair("a\\", "a"),
        "range": pair("[z-a]", "b"), "named": pair("[[:alpha:]]", "a"), "deep": pair("{" * 9, "a"),
        "case": pair("SRC/[M-N]AIN*", "src/main.py", 1), "many-stars": pair("*a*a*a*a*a*a*b", "a" * 40),
        "many-ways": pair("{a,aa}" * 10, "a" * 15), "many-folders": pair("**/**/**/**/x", "a/b/c/d/e/f"),
        "characters": pair("[\u00e0-\u00ff]?\u20ac*", "x/\u00fcb\u20ac\U0001f600"),
        "bytes": b"\0\xff[\xfe-\xff]?\n\xff\xfe\xc3", "empty": pair("", "a"),
    }


# What happens around the historian: the numbers of HAPPENINGS in fuzz-historian.c.

def historians():
    SAY, OUT, GRANT, HALT, DROP, RAW, SQL, DAMAGE, LATER = range(9)

    def say(number, name, args=None, **more):
        return bytes([SAY, number]) + block({"call": name, "args": args or {}, **more})

    def output(number, data, channel=1, times=0):
        return bytes([OUT, number, channel, times]) + block(data)

    def sql(text):
        return bytes([SQL]) + block(text.encode())

    def damage(which, how, where, data=b""):
        return bytes([DAMAGE, which + 4 * how]) + short(where) + (block(data) if how > 3 else b"")

    def start(number, event="e-1", **more):
        return say(number, "record.start", record={**RECORD, "event_id": event, **more})

    def finish(number, of, status="succeeded", **more):
        return say(number, "record.finish", start=of, status=status, **more)

    later = bytes([LATER]) + short(100)
    opened = say(1, "history.open", {"identity": IDENTITY, "sdk_version": "1.0.0"})
    command = {"command": {"command": "ls", "cwd": "/", "timeout_ms": 1000}}
    written = {"operation_type": "file.write", "file_operation": {"path": "/a", "change_type": "create", "before_hash": HASH}}
    worked = opened + start(3, **command) + output(3, b"hello\n") + later + finish(5, 3, command={"exit_code": 0, "provider_command_id": "c"}, result={"exit_code": 0})
    reads = say(7, "history.query", {"after_change_seq": 0, "limit": 10}) + say(9, "history.get_operations", {"event_ids": ["e-1", "e-2"]}) \
        + say(11, "history.get_output", {"event_id": "e-1", "stream": "stdout", "after_chunk": -1}) + say(13, "history.status")
    batch = [
        {"type": "operation_started", "event_id": "e-7", "operation_type": "file.read", "occurred_at": "2025-01-01T00:00:00.000000Z", "actor": {"actor_type": "user"}, "request": {}},
        {"type": "command_output", "event_id": "e-7", "stream": "stdout", "chunk_index": 0, "data": {"b64": "/w=="}},
        {"type": "operation_completed", "event_id": "e-7", "status": "succeeded", "completed_at": "2025-01-01T00:00:01.000000Z", "duration_ms": 1000, "result": None},
    ]
    return {
        "open": opened + say(3, "history.status"),
        "open-twice": opened + say(3, "history.open", {"identity": {**IDENTITY, "sandbox_id": "t"}, "sdk_version": "1"}),
        "open-badly": say(1, "history.open", {"identity": {"provider_key": ""}}) + say(3, "history.open", {"identity": 1}),
        "configured": say(1, "history.open", {"identity": IDENTITY, "sdk_version": "1", "config": {"output_flush_bytes": 1, "output_chunk_bytes": 4096, "ttl_days": None, "compression": "zlib"}})
        + start(3, **command) + output(3, b"x" * 300, times=7),
        "existing": say(1, "history.open", {"existing": True}) + opened + say(3, "history.open", {"existing": True}),
        "not-open": reads + start(3),
        "command": worked,
        "command-read": worked + reads,
        "file": opened + start(3, **written) + finish(5, 3, result={"path": "/a", "size": 3, "content_hash": HASH, "content": "abc"}),
        "failed": opened + start(3, **command) + output(3, b"\xff\0", channel=2) + finish(5, 3, status="failed", error_code="io_error", result={"error": "m", "error_type": "io_error"}),
        "unfinished": opened + start(3, **command) + output(3, b"abc") + start(15, event="e-2", **written),
        "twice": opened + start(3) + start(3) + start(15) + finish(5, 3) + finish(5, 3) + finish(17, 99),
        "batch": opened + say(3, "history.record", {"batch_id": "b", "records": batch}) + say(5, "history.record", {"batch_id": "b", "records": batch}) + reads,
        "bad-batch": opened + say(3, "history.record", {"batch_id": "b", "records": [1, {}, {"type": "x"}, {"type": "operation_started"}]}) + say(5, "history.record", {"records": {}}),
        "acknowledge": worked + say(15, "history.acknowledge", {"consumer_id": "c", "seq": 1}) + say(17, "history.acknowledge", {"consumer_id": "", "seq": -1}),
        "bounds": opened + say(3, "history.query", {"after_change_seq": -1, "limit": 0}) + say(5, "history.query", {"limit": 10001}) + say(7, "history.get_output", {"event_id": 1, "stream": "x"}),
        "export": worked + say(7, "history.export") + say(9, "history.export") + start(15, event="e-2") + later + say(11, "history.export"),
        "export-halt": worked + say(7, "history.export") + bytes([HALT, 7]) + say(9, "history.export") + bytes([DROP, 9]) + reads,
        "export-credit": worked + say(7, "history.export") + start(15, event="e-2") + bytes([GRANT, 7, 1]) + say(9, "historian.close") + later + opened,
        "export-drop": opened + say(3, "history.export") + sql("DROP TABLE history_events") + start(15, event="e-2") + say(5, "history.export"),
        "halt": worked + say(7, "history.query", {"after_change_seq": 0, "limit": 1}) + bytes([HALT, 7, DROP, 7]),
        "credit": worked + say(7, "history.get_output", {"event_id": "e-1", "stream": "stdout"}) + bytes([GRANT, 7, 1]) + bytes([GRANT, 7, 0]) + short(1000),
        "close": worked + say(15, "historian.close") + reads + opened,
        "raw": opened + bytes([RAW]) + block(frame(CALL, b"[]", call=3) + frame(PING)),
        "unknown": say(1, "history.drop") + say(3, "") + bytes([SAY, 5]) + block(b"{}"),
        "sql-delete": worked + sql("DELETE FROM history_events; DELETE FROM history_changes") + reads + start(15, event="e-2"),
        "sql-drop": worked + sql("DROP TABLE history_events") + reads + start(15, event="e-2") + say(17, "history.status"),
        "sql-trigger": worked + sql("CREATE TRIGGER t AFTER INSERT ON history_events BEGIN DELETE FROM history_events; END") + start(15, event="e-2"),
        "sql-view": worked + sql("DROP TABLE history_events; CREATE VIEW history_events AS SELECT 1") + reads,
        "sql-schema": worked + sql("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql='CREATE TABLE x(a)', name=NULL") + reads + start(15, event="e-2"),
        "sql-types": worked + sql("UPDATE history_events SET event_id=x'ff00', status=1e999, request_json='[', seq=9223372036854775807") + reads,
        "sql-json": worked + sql("UPDATE history_events SET request_json='{\"a\":18446744073709551615}', result_json=hex(zeroblob(1000))") + reads,
        "sql-version": worked + sql("PRAGMA user_version=99") + say(15, "historian.close") + opened + reads,
        "sql-lock": worked + sql("BEGIN EXCLUSIVE") + start(15, event="e-2"),
        "sql-journal": worked + sql("PRAGMA journal_mode=DELETE") + start(15, event="e-2") + reads,
        "sql-meta": worked + sql("UPDATE history_meta SET value=x'00'; DELETE FROM history_meta") + say(15, "historian.close") + opened,
        "damage-header": worked + damage(0, 4, 0, b"nothing like it" * 4) + reads + start(15, event="e-2"),
        "damage-page": worked + say(15, "historian.close") + damage(0, 4, 4096, bytes(range(200))) + opened + reads,
        "damage-log": worked + damage(1, 4, 32, b"\xff" * 100) + reads + start(15, event="e-2"),
        "cut": worked + damage(0, 0, 512) + reads + start(15, event="e-2"),
        "cut-log": worked + damage(1, 0, 0) + reads + start(15, event="e-2"),
        "removed": worked + damage(0, 1, 0) + start(15, event="e-2") + reads,
        "removed-log": worked + damage(1, 1, 0) + start(15, event="e-2") + reads,
        "linked": worked + damage(0, 2, 0) + start(15, event="e-2") + reads,
        "linked-log": worked + damage(1, 2, 0) + start(15, event="e-2") + reads,
        "folder": worked + damage(0, 3, 0) + start(15, event="e-2") + reads,
    }


# What happens around the library: the numbers of HAPPENINGS in fuzz-client.c, and of the actions in client-actions.c.

def clients():
    (FRAME_, BYTES_, HELLO_, LEAVE, HUSH, START, CANCEL_, READ_, WRITE, CLOSE_IN, CLOSE_OUT, DROP, USE, BREAK) = range(14)
    (QUERY, LIST, READ_FILE, OPEN_READ, WRITE_FILE, OPEN_WRITE, MAKE, DELETE, MOVE, COMMAND, SERVICE, OPEN_SERVICE, CLOSE) = range(13)

    def say(type, payload=b"", call=1, channel=0, flags=0):
        return bytes([FRAME_, type, flags, channel, call]) + block(payload)

    def start(kind, flags=0, data=b""):
        return bytes([START, kind, flags]) + block(data)

    def read(size=1000, stream=0):
        return bytes([READ_, stream]) + short(size)

    def write(data, stream=0):
        return bytes([WRITE, stream]) + block(data)

    hello = bytes([HELLO_])
    entry = {"name": "f", "path": "/d/f", "kind": "file", "size": 5, "mode": 420, "uid": 1, "gid": 2, "mtime": {"sec": 3, "nsec": 4000}}
    begun = say(EVENT, {"event": "started", "command_id": "c", "pid": 7})
    ended = say(REPLY, {"result": {
        "command_id": "c", "reason": "exited", "exit_code": 3, "signal": None, "duration_ns": 5, "stdout_bytes": 3,
        "stderr_bytes": 0, "started_at": {"sec": 1, "nsec": 0}, "ended_at": {"sec": 2, "nsec": 0}}})
    opened = say(EVENT, {"event": "opened", "entry": entry})
    fin = say(DATA, channel=1, flags=FIN) + say(DATA, channel=2, flags=FIN)
    fault = say(REPLY, {"error": {"code": "file_not_found", "message": "No", "details": {"path": {"b64": "/w=="}, "errno": "ENOENT"}}})
    written = say(REPLY, {"result": {"size": 3, "hash": HASH, "previous_hash": HASH, "entry": entry}})
    cat = hello + start(COMMAND, 1)

    def back(received, boot_id="b", session="i", **more):
        return bytes([BREAK]) + say(HELLO, {
            "major": 1, "minor": 0, "features": [], "version": "1", "arch": "a", "boot_id": boot_id, "uid": 0, "gid": 0, "home": "/",
            "clock": {"sec": 1, "nsec": 2}, "session": {"id": session, "secret": "s"}, "resumed": {"received": received}, **more}, call=0)

    return {
        "nothing": b"",
        "no-hello": say(PING, b"x", call=0),
        "goodbye-first": say(GOODBYE, {"code": "too_many_connections", "message": "m"}, call=0),
        "bad-hello": say(HELLO, {"major": 1, "minor": 0}, call=0),
        "newer-hello": say(HELLO, {"major": 2, "minor": 0, "features": []}, call=0),
        "hello": hello,
        "hello-twice": hello + hello,
        "garbage": hello + bytes([BYTES_]) + block(bytes(range(80))),
        "leaves": hello + start(QUERY) + bytes([LEAVE]),
        "hushes": hello + start(COMMAND) + bytes([HUSH]),
        "goodbye": hello + start(QUERY) + say(GOODBYE, {"code": "x", "message": "m"}, call=0),
        "resumed": cat + begun + back(1) + say(DATA, b"abc", channel=1) + write(b"abc") + back(2) + fin + ended,
        "resumed-with-nothing": cat + write(b"abc") + bytes([CLOSE_IN, 0]) + back(0) + begun + fin + ended,
        "resumed-too-far": cat + begun + back(9),
        "resumed-too-short": hello + start(QUERY) + say(ACK, count(1), call=0) + back(0),
        "resumed-oddly": hello + start(QUERY) + back(-1) + back(1, resumed=1) + back(1, resumed={}),
        "resumed-by-another": hello + start(QUERY) + back(1, boot_id="c"),
        "resumed-elsewhere": hello + start(QUERY) + back(1, session="j"),
        "resumed-in-vain": hello + start(QUERY) + bytes([BREAK]) + say(PING, call=0) + start(QUERY) + bytes([CANCEL_, 0]),
        "resumed-read": cat + begun + b"".join(say(DATA, b"x" * 250, channel=1) for _ in range(4)) + read(1000) + back(1) + read(),
        "interrupted-calls": cat + begun + bytes([BREAK, BREAK, CANCEL_, 0]) + start(QUERY) + start(WRITE_FILE, 0, b"abc") + bytes([CANCEL_, 1, DROP, 0, CLOSE_OUT, 0]) + write(b"x"),
        "interrupted-goodbye": cat + bytes([BREAK]) + say(GOODBYE, {"code": "too_many_connections", "message": "m"}, call=0) + start(CLOSE),
        "query": hello + start(QUERY) + say(REPLY, {"result": {"entry": entry}}),
        "query-recorded": hello + start(QUERY, 0x10) + say(REPLY, {"result": {"entry": entry}, "record": {"state": "failed", "message": "m"}}),
        "query-refused": hello + start(QUERY) + fault,
        "query-nonsense": hello + start(QUERY) + say(REPLY, {"result": {"entry": {"name": 1}}}),
        "both": hello + start(QUERY) + say(REPLY, {"result": {}, "error": {}}),
        "unknown-code": hello + start(QUERY) + say(REPLY, {"error": {"code": "x", "message": "m", "details": [1]}}),
        "list": hello + start(LIST) + say(DATA, dump(entry) + b"\n" + dump(entry) + b"\n", channel=1) + fin + say(REPLY, {"result": {"count": 2, "errors": [], "error_count": 0}}),
        "list-nonsense": hello + start(LIST) + say(DATA, b"{}\n", channel=1) + say(REPLY, {"result": {"count": 1}}),
        "read-file": hello + start(READ_FILE) + opened + say(DATA, b"hello", channel=1) + say(REPLY, {"result": {"bytes": 5, "size": 5, "hash": HASH}}) + say(DATA, channel=1, flags=FIN),
        "read-unopened": hello + start(READ_FILE) + say(DATA, b"hello", channel=1),
        "open-read": hello + start(OPEN_READ, 0x60) + opened + say(DATA, b"llo", channel=1) + read(2) + read(2) + say(REPLY, {"result": {"bytes": 3, "size": 5}}) + fin + read() + bytes([CLOSE_IN, 0]),
        "open-read-closed": hello + start(OPEN_READ) + opened + say(DATA, b"abc", channel=1) + bytes([CLOSE_IN, 0]) + say(DATA, b"abc", channel=1) + say(REPLY, {"result": {"bytes": 6, "size": 9}}),
        "open-read-failed": hello + start(OPEN_READ) + opened + say(DATA, b"abc", channel=1) + fault + read() + read(),
        "write-file": hello + start(WRITE_FILE, 0, b"abc" * 50) + say(CREDIT, count(100), channel=0) + written,
        "write-stopped": hello + start(WRITE_FILE, 0, b"abc" * 50) + say(STOP, channel=0) + fault,
        "open-write": hello + start(OPEN_WRITE) + write(b"abc") + say(CREDIT, count(3), channel=0) + bytes([CLOSE_OUT, 0]) + written,
        "open-write-dropped": hello + start(OPEN_WRITE) + write(b"abc") + bytes([DROP, 1]) + say(REPLY, {"error": {"code": "cancelled", "message": "m"}}),
        "open-write-fails": hello + start(OPEN_WRITE) + write(b"abc") + fault + write(b"abc") + bytes([CLOSE_OUT, 0]),
        "make-delete-move": hello + start(MAKE) + start(DELETE) + start(MOVE) + say(REPLY, {"result": {"created": True}}) + say(REPLY, {"result": {}}, call=2) + say(REPLY, {"result": {}}, call=3),
        "command": cat + begun + write(b"abc") + say(DATA, b"abc", channel=1) + read() + bytes([CLOSE_OUT, 0, USE, 0, 0]) + ended + fin + read() + read(stream=1),
        "command-recorded": hello + start(COMMAND, 0x10) + begun + say(REPLY, {"result": {}, "record": {"state": "what"}}),
        "command-refused": cat + say(REPLY, {"error": {"code": "command_not_found", "message": "m"}}) + fin,
        "command-signalled": cat + begun + bytes([USE, 0, 1]) + say(REPLY, {"result": {"delivered": True}}, call=2) + bytes([USE, 0, 2, USE, 0, 0]) + ended,
        "command-cancelled": cat + bytes([CANCEL_, 0]) + begun + say(REPLY, {"error": {"code": "cancelled", "message": "m"}}),
        "command-unread": cat + begun + say(DATA, b"x" * 300, channel=1) * 5 + bytes([DROP, 0, DROP, 0]) + say(DATA, b"x", channel=1) + ended,
        "command-started-twice": cat + begun + begun,
        "command-ends-twice": cat + begun + ended + ended,
        "data-after-the-end": cat + begun + fin + say(DATA, b"x", channel=1),
        "data-on-the-input": cat + begun + say(DATA, b"x", channel=0),
        "credit-too-much": cat + begun + write(b"abc") + say(CREDIT, count(4), channel=0),
        "acknowledge": hello + start(QUERY) + say(ACK, count(1), call=0) + say(ACK, count(2), call=0),
        "pings": hello + say(PING, b"x" * 64, call=0) * 3 + say(PONG, call=0),
        "never-called": hello + say(REPLY, {"result": {}}, call=9),
        "service": hello + start(SERVICE) + say(REPLY, {"result": {"a": [1, {"b64": "/w=="}, None, 1.5, True], "b": {"c": "d"}}}),
        "service-deep": hello + start(SERVICE) + say(REPLY, b'{"result":' + tower(28, True) + b"}"),
        "open-service": hello + start(OPEN_SERVICE) + say(DATA, b"{}\n", channel=1) + read() + say(REPLY, {"result": {"next_change_seq": 1}}) + fin + read(),
        "close": hello + start(QUERY) + start(CLOSE) + start(QUERY),
        "from-the-client": hello + say(CALL, {"call": "x"}) + say(CANCEL),
        "sequence": hello + start(QUERY) + bytes([BYTES_]) + block(frame(REPLY, {"result": {"entry": entry}}, call=1, sequence=3)),
    }


# WebSockets: a byte for the part, then a request, frames after a byte for the size of pieces, or what happens to a stream.

PEER_SENDS, PEER_READS, PEER_LEAVES, RECEIVES, SENDS, FINISHES, TIME_PASSES, MEMORY_ENDS = range(8)


def websockets():
    def frames(*parts, step=4):
        return bytes([1, step]) + b"".join(parts)

    def stream(*parts):
        return b"\2" + b"".join(parts)

    def peer(*parts):
        return bytes([PEER_SENDS]) + block(b"".join(parts))

    def receive(size=4000):
        return bytes([RECEIVES]) + short(size - 1)

    def send(*sizes):
        return bytes([SENDS, len(sizes)]) + b"".join(short(size) for size in sizes)

    read, finish = bytes([PEER_READS]), bytes([FINISHES])
    binary = web_frame(WEB_BINARY, b"abcdefg")
    requests = {
        "request": WEB_REQUEST,
        "origin": WEB_REQUEST.replace(b"Upgrade:", b"Origin: null\r\nUpgrade:"),
        "not-for-us": b"GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n",
        "post": WEB_REQUEST.replace(b"GET", b"POST"),
        "http-1.0": WEB_REQUEST.replace(b"1.1", b"1.0"),
        "no-host": WEB_REQUEST.replace(b"Host", b"Hast"),
        "folded": WEB_REQUEST.replace(b"Upgrade:", b"X: 1\r\n 2\r\nUpgrade:"),
        "length": WEB_REQUEST.replace(b"Upgrade:", b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\nUpgrade:"),
        "version": WEB_REQUEST.replace(b"13", b"8"),
        "bad-key": WEB_REQUEST.replace(b"dGhl", b"d\0hl"),
        "early": WEB_REQUEST + binary,
        "bare-newlines": WEB_REQUEST.replace(b"\r\n", b"\n") + b"\r\n\r\n",
        "many-fields": WEB_REQUEST.replace(b"Upgrade:", b"a:\r\n" * 64 + b"Upgrade:"),
    }
    corpus = {f"request-{name}": b"\0" + data for name, data in requests.items()}
    corpus |= {
        "frames": frames(binary, web_frame(WEB_PING, b"p"), web_frame(WEB_PONG), web_frame(WEB_BINARY, b"x" * 200),
                         web_frame(WEB_CLOSE, b"\x03\xe8bye"), step=0),
        "fragments": frames(web_frame(WEB_BINARY, b"ab", fin=False), web_frame(WEB_PING), web_frame(0, b"", fin=False),
                            web_frame(0, b"cd"), binary),
        "long": frames(web_frame(WEB_BINARY, b"x" * 2000), web_frame(WEB_BINARY, b"y" * 126), step=90),
        "text": frames(binary, web_frame(1, b"x")),
        "unmasked": frames(binary, web_frame(WEB_BINARY, b"x", mask=None)),
        "reserved": frames(web_frame(WEB_BINARY, b"x", reserved=4)),
        "continued-nothing": frames(web_frame(0, b"x")),
        "not-continued": frames(web_frame(WEB_BINARY, b"x", fin=False), binary),
        "long-ping": frames(web_frame(WEB_PING, b"x" * 126)),
        "half-a-ping": frames(web_frame(WEB_PING, b"x", fin=False)),
        "long-length": frames(web_frame(WEB_BINARY, b"x", size=8)),
        "largest": frames(web_frame(WEB_BINARY, b"x" * 100, length=16 << 20)),
        "too-large": frames(web_frame(WEB_BINARY, b"x", length=(1 << 64) - 1)),
        "short-close": frames(web_frame(WEB_CLOSE, b"x")),
        "stream-echo": stream(peer(binary, web_frame(WEB_PING, b"1")), receive(), read, send(5, 0, 200), read),
        "stream-full": stream(send(60000, 60000), send(100), peer(web_frame(WEB_PING, b"a"), web_frame(WEB_PING, b"b")),
                              receive(), send(10), read, send(10), read, read),
        "stream-small-reads": stream(peer(binary, binary, web_frame(WEB_PING)), receive(3), receive(1), receive(100)),
        "stream-headers": stream(peer(web_frame(WEB_BINARY) * 50), receive(6), receive(6)),
        "stream-close": stream(peer(binary, web_frame(WEB_CLOSE, b"\x03\xe9")), receive(), receive(), read, send(5)),
        "stream-violation": stream(send(60000), peer(binary, web_frame(1)), receive(), receive(), read),
        "stream-finish": stream(send(50000), finish, read, peer(web_frame(WEB_CLOSE)), receive()),
        "stream-silence": stream(send(5), bytes([TIME_PASSES, 21, TIME_PASSES, 21]), read, peer(web_frame(WEB_PONG, b"asb")),
                                 receive(), bytes([TIME_PASSES, 255])),
        "stream-leaves": stream(peer(binary), bytes([PEER_LEAVES, 0]), receive(), send(5), send(5)),
        "stream-half-leaves": stream(peer(binary[:5]), bytes([PEER_LEAVES, 1]), receive(), receive(), send(5), read),
        "stream-no-memory": stream(bytes([MEMORY_ENDS, 0]), send(60000), send(5), read),
    }
    return corpus


# Archives: a byte for how the folder is, then the bytes.

def tar(*members, format=tarfile.USTAR_FORMAT, end=1024):
    out = b""
    for name, data, *more in members:
        info = tarfile.TarInfo(name)
        info.size, info.mtime = len(data), 1_000_000_000
        for key, value in (more[0] if more else {}).items():
            setattr(info, key, value)
        out += info.tobuf(format, "utf-8", "surrogateescape") + data + b"\0" * (-len(data) % 512)
    return out + b"\0" * end


def gzipped(data):
    """Without compressing: that is not the same everywhere."""
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def zipped(*members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method, compresslevel=0) as archive:
        for name, data, mode in members:
            info = zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6))
            info.external_attr, info.create_system, info.compress_type = mode << 16, 3, method
            archive.writestr(info, data)
    return file.getvalue()


def archives():
    FOLDER, LINK, HARD, FIFO, DEVICE = ({"type": type} for type in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE))
    usual = tar(("d", b"", FOLDER), ("d/f", b"text"), ("l", b"", {**LINK, "linkname": "d/f"}), ("h", b"", {**HARD, "linkname": "d/f"}))
    sparse = {"pax_headers": {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "s", "GNU.sparse.realsize": "9000"}}
    each = {
        "usual": usual,
        "gzip": gzipped(usual),
        "gzip-twice": gzipped(usual[:700]) + gzipped(usual[700:]) + b"\0" * 10,
        "gnu": tar(("d/" + "m" * 120, b"", {**LINK, "linkname": "o" * 110}), format=tarfile.GNU_FORMAT),
        "pax": tar(("u\u0308/\udcff", b"x"), format=tarfile.PAX_FORMAT),
        "pax-long": tar(("n" * 300, b""), format=tarfile.PAX_FORMAT),
        "sparse": tar(("x", b"1\n512\n4\n" + b"\0" * 503 + b"data", sparse), format=tarfile.PAX_FORMAT),
        "conflicts": tar(("a", b"new"), ("d/c/e", b""), ("l", b"")),
        "kinds": tar(("a", b"", FOLDER), ("d", b"file")),
        "leak-link": tar(("l2", b"", {**LINK, "linkname": "../x"})),
        "leak-hard": tar(("h", b"", {**HARD, "linkname": "/etc/passwd"})),
        "leak-name": tar(("../x", b"bad")),
        "through": tar(("l3", b"", {**LINK, "linkname": "d"}), ("l3/x", b"bad")),
        "fifo": tar(("p", b"", FIFO)),
        "device": tar(("c", b"", DEVICE)),
        "set-id": tar(("s", b"x", {"mode": 0o4755})),
        "cut": usual[:1300],
        "no-end": tar(("a", b"x"), end=512),
        "empty": tar(),
        "zip": zipped(("d/", b"", 0o40755), ("d/f", b"text", 0o100644), ("l", b"d/f", 0o120777)),
        "zip-deflated": zipped(("\u00e4", b"text" * 20, 0o100755), method=zipfile.ZIP_DEFLATED),
        "zip-empty": zipped(),
        "zip-leak": zipped(("l", b"../../x", 0o120777)),
        "zip-method": zipped(("a", b"text", 0o100644)).replace(b"PK\x03\x04\x14\0\0\0\0\0", b"PK\x03\x04\x14\0\0\0\x0e\0"),
    }
    return {f"{name}-{how}": bytes([how]) + data for name, data in each.items() for how in (6, 3, 9, 17, 70) if how == 6 or name in ("usual", "zip", "gzip", "conflicts", "kinds")}


CORPORA = {
    **corpus_opensandbox.CORPORA,
    **corpus_scripted.CORPORA,
    "archive": archives,
    "websocket": websockets,
    "frame": frames,
    "control": controls,
    "arguments": arguments,
    "guest": guests,
    "files": file_calls, "glob": globs,
    "historian": historians,
    "client": clients,
    "record": rows,
    "json-check": json_checks,
}


# Words that no change of bytes would find.

JSON_WORDS = ["{}", "[]", "null", "true", "false", ":1,", '"":', "\\u0000", "\\ud83d\\ude00", "9007199254740992", "1e400", "-0", '{"b64":"/w=="}']
CALL_WORDS = ["call", "args", "record", "required", "event_id", "actor", "request"]
COMMAND_WORDS = ["argv", "shell", "cwd", "env", "unset_env", "stdin", "stdout", "stderr", "stream", "discard", "merge", "none", "deadline_ms", "command_id", "signal", "limits", "cpu_seconds", "memory_bytes", "file_size_bytes", "open_files", "processes", "uid", "gid", "pty", "columns", "rows"]
FILE_WORDS = ["path", "from", "to", "follow", "offset", "length", "expected_hash", "create_only", "mode", "make_parents", "parents", "recursive", "overwrite"]
FILE_CALLS = ["file.stat", "file.list", "file.read", "file.write", "file.mkdir", "file.delete", "file.move"]
SEARCH_WORDS = ["pattern", "ignore_case", "hidden", "kinds", "max_depth", "max_results", "time_limit_ms", "text", "regex", "include", "context_lines", "old", "new",
                "replace_all", "expected_count", "limit", "max_bytes", "uid", "gid", "conflict", "overwrite", "skip", "max_members", "names", "format"]
SEARCH_CALLS = ["file.walk", "file.glob", "file.grep", "file.edit", "file.read_lines", "file.set_attributes", "file.watch", "file.unpack", "file.pack"]
HISTORY_WORDS = ["identity", "provider_key", "sandbox_id", "sandbox_instance_id", "sdk_version", "config", "batch_id", "records", "after_change_seq", "limit",
                 "max_bytes", "event_ids", "stream", "after_chunk", "consumer_id", "seq", "start", "status", "result", "error_code", "file_operation"]
JOB_CALLS = ["job.start", "job.list", "job.status", "job.output", "job.wait", "job.signal", "job.stop", "job.remove"]
HISTORY_CALLS = ["history.open", "history.record", "history.query", "history.get_operations", "history.get_output", "history.export", "history.acknowledge", "history.status"]
REPLY_WORDS = ["result", "error", "code", "message", "details", "event", "started", "opened", "entry", "record", "state", "complete", "failed", "delivered", "created"]
SQL_WORDS = ["SELECT", "INSERT INTO", "UPDATE", "DELETE FROM", "DROP TABLE", "CREATE TRIGGER", "PRAGMA writable_schema=ON;", "PRAGMA user_version=", "sqlite_schema",
             "history_events", "history_changes", "history_meta", "zeroblob(9999)", "x'00'", "BEGIN EXCLUSIVE;"]

WEB_WORDS = ["GET / HTTP/1.1", "\r\n", "\r\n\r\n", "Host: ", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: ", "Content-Length: 0", "Transfer-Encoding: chunked"]
WEB_BYTES = [b"\x82\x80", b"\x02\x80", b"\x80\x80", b"\x89\x80", b"\x8a\x80", b"\x88\x82", b"\x82\xfe", b"\x82\xff",
             b"\0\0\0\0\0\1\0\0"]

DICTIONARIES = {
    **{target: JSON_WORDS + words for target, words in corpus_opensandbox.JSON_DICTIONARIES.items()},
    **corpus_opensandbox.DICTIONARIES,
    "control": JSON_WORDS,
    "json-check": JSON_WORDS,
    "arguments": JSON_WORDS + COMMAND_WORDS + FILE_WORDS,
    "guest": CALL_WORDS + COMMAND_WORDS + FILE_CALLS + HISTORY_CALLS + JOB_CALLS + ["command.start", "command.resize", "command.signal", "guest.shutdown", "job_id", "after", JOB],
    "files": FILE_CALLS + FILE_WORDS + SEARCH_CALLS + SEARCH_WORDS + ["/../", "/./", "//", "/h/", "/history", "/l", "/d/"],
    "glob": ["**/", "/**", "{a,", ",b}", "[!", "[a-z]", "\\*", "./", ".."],
    "historian": CALL_WORDS + HISTORY_CALLS + HISTORY_WORDS + SQL_WORDS + ["record.start", "record.finish", "historian.close"],
    "client": REPLY_WORDS + JSON_WORDS,
    "record": JSON_WORDS + ["seq", "source_seq", "event_id", "status", "request", "result", "duration_ms"],
}


def dictionary(words):
    lines = ['"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words]
    return ("# Made by make-corpus.py\n" + "\n".join(lines) + "\n").encode()


def dictionary_of_bytes(words):
    lines = ['"' + "".join(f"\\x{byte:02x}" for byte in word) + '"' for word in words]
    return ("# Made by make-corpus.py\n" + "\n".join(lines) + "\n").encode()


def make():
    files = {f"corpus/{target}/{name}": dump(data) for target, corpus in CORPORA.items() for name, data in corpus().items()}
    files.update({f"dictionaries/{target}": dictionary(words) for target, words in DICTIONARIES.items()})
    files.update({f"dictionaries/{target}": dictionary_of_bytes([word.encode() for word in words])
                  for target, words in {**corpus_opensandbox.BYTE_DICTIONARIES, **corpus_scripted.BYTE_DICTIONARIES}.items()})
    files["dictionaries/websocket"] = dictionary_of_bytes([word.encode() for word in WEB_WORDS] + WEB_BYTES)
    return files


def find(folder):
    return [path for name in ("corpus", "dictionaries") for path in (folder / name).rglob("*") if path.is_file()]


def write(folder):
    for name in ("corpus", "dictionaries"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name, data in make().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def check(folder):
    wanted = make()
    there = {str(path.relative_to(folder)): path.read_bytes() for path in find(folder)}
    wrong = [name for name in sorted(wanted.keys() | there.keys()) if wanted.get(name) != there.get(name)]
    large = [name for name, data in sorted(wanted.items()) if len(data) >= MAX_SIZE]
    print("1..2")
    print("not ok 1" if wrong else "ok 1", "what is there is what the script makes")
    print("not ok 2" if large else "ok 2", f"each file is smaller than {MAX_SIZE} bytes")
    for name in wrong + large:
        print("#", name)
    sys.exit(1 if wrong or large else 0)


def main():
    folder = pathlib.Path(__file__).resolve().parent
    if sys.argv[1:] == ["--check"]:
        check(folder)
    else:
        write(folder)


main()
