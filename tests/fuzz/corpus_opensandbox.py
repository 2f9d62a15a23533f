# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the targets of OpenSandbox begin with. The first byte says what is meant."""

import base64
import json
import struct


def dump(value):
    if isinstance(value, bytes):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def told(choice, value):
    return bytes([choice]) + dump(value)


def refusals():
    problem = {"type": "missing", "loc": ["body", "image", 0], "msg": "Field required", "input": {}}
    return {
        "normal": told(0x03, {"code": "DOCKER::SANDBOX_NOT_FOUND", "message": "Sandbox x not found"}),
        "state": told(0x07, {"code": "DOCKER::SANDBOX_NOT_RUNNING", "message": "paused"}),
        "file": told(0x03, {"code": "FILE_NOT_FOUND", "message": "no such file"}),
        "validation": told(0x09, {"detail": [problem, problem, problem, problem]}),
        "detail-text": told(0x03, {"detail": "Not Found"}),
        "detail-object": told(0x00, {"detail": {"code": "X", "message": "y"}}),
        "detail-odd": told(0x09, {"detail": [1, None, {"loc": {}, "msg": []}]}),
        "execd": told(0x01, {"error": "Unauthorized: invalid or missing header"}),
        "two": told(0x0b, b'{"code":"RUNTIME_ERROR","message":"a } \\" {"}{"session_id":"x"}'),
        "text": told(0x1b, b"Internal Server Error"),
        "route": told(0x13, b"404 page not found"),
        "page": told(0x2d, b"<!DOCTYPE html><html><body>502</body></html>"),
        "page-inside": told(0x00, {"message": "see <html><p>"}),
        "early": told(0x10, b'HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{"code":"A","message":"b"}'),
        "early-chunks": told(0x10, b"HTTP/1.1 401 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n"),
        "empty": told(0x3e, b""),
        "controls": told(0x00, {"code": "a\nb", "message": "\u001b[31m\u202ex\u2028y\u0085z"}),
        "long": told(0x10, "\u00e4" * 900),
        "not-utf8": told(0x10, b"\xff\xfe\x80 bytes"),
        "deep": told(0x00, b'{"detail":' * 70),
        "wrong": told(0x00, {"code": 1, "message": [], "detail": 7}),
    }


def replies():
    sandbox = {
        "id": "6f1d3b0e-0000-4000-8000-000000000001", "image": {"uri": "python:3.12"},
        "status": {"state": "Running", "reason": "CONTAINER_RUNNING", "message": "ok", "lastTransitionAt": "2026-03-01T10:00:00Z"},
        "metadata": {"sandbox_instance_id": "i", "agent_sandbox.name": "n"}, "entrypoint": ["tail", "-f", "/dev/null"],
        "expiresAt": "2026-03-01T10:10:00.123456Z", "createdAt": "2026-03-01T10:00:00+00:00",
        "platform": {"os": "linux", "arch": "amd64"}, "extensions": {"a": "b"}}
    snapshot = {"id": "s", "sandboxId": "b", "name": "n", "status": {"state": "Ready"}, "createdAt": "2026-03-01T10:00:00Z"}
    policy = {"status": "ok", "mode": "enforcing", "enforcementMode": "dns",
              "policy": {"defaultAction": "deny", "egress": [{"action": "allow", "target": "*.example.org"}]}}
    return {
        "sandbox": told(0, sandbox),
        "sandbox-nulls": told(0, {**sandbox, "metadata": None, "expiresAt": None, "platform": None}),
        "sandbox-least": told(0, {"id": "x", "status": {"state": "Odd"}, "createdAt": "2026-03-01T10:00:00Z"}),
        "sandbox-wrong": told(0, {**sandbox, "metadata": {"a": 1}}),
        "sandbox-id": told(0, {**sandbox, "id": "../x"}),
        "snapshot": told(1, snapshot),
        "policy": told(2, policy),
        "policy-null": told(2, {"mode": "deny_all", "policy": {"egress": None, "defaultAction": "deny"}}),
        "metrics": told(3, {"cpu_count": 4, "cpu_used_pct": 2.5, "mem_total_mib": 7950.1, "mem_used_mib": 812.4, "timestamp": 1770000000000}),
        "metrics-error": told(3, {"error": "no"}),
        "metrics-large": told(3, b'{"cpu_count":1e308,"cpu_used_pct":-1,"mem_total_mib":1e300,"mem_used_mib":0,"timestamp":9223372036854775807}'),
        "diagnostics": told(4, {"sandboxId": "x", "kind": "logs", "scope": "all", "delivery": "inline", "contentType": "text/plain; charset=utf-8",
                                "content": "a\nb", "contentLength": 3, "truncated": False, "warnings": ["w"]}),
        "endpoint": told(5, {"endpoint": "127.0.0.1:40000/proxy/44772", "headers": {"OpenSandbox-Ingress-To": "x-44772"}}),
        "endpoint-proxy": told(5, {"endpoint": "127.0.0.1:8080/v1/sandboxes/x/proxy/44772"}),
        "endpoint-evil": told(5, {"endpoint": "user@host/../x?y#z", "headers": {"A\r\nB": "c"}}),
        "answer": told(6, {"items": [{"name": "p", "capacitySpec": {"bufferMax": 3}}, None, 1.5, True], "none": None}),
        "answer-list": told(6, [[], {}, [None]]),
        "answer-text": told(6, "x"),
    }


def events():
    text = b"".join(dump(event) + b"\n\n" for event in (
        {"type": "init", "text": "0c1d", "timestamp": 1770000000001},
        {"type": "ping", "text": "pong", "timestamp": 1770000000001},
        {"type": "stdout", "text": "h\u00e9\t\U0001f600 <\n", "timestamp": 1770000000050},
        {"type": "stderr", "text": "\n", "timestamp": 1770000000050},
        {"type": "result", "timestamp": 1, "results": {"text": "4"}},
        {"type": "execution_count", "execution_count": 3, "timestamp": 1},
        {"type": "status", "text": "error", "timestamp": 1},
        {"type": "something", "text": []},
        {"type": "execution_complete", "execution_time": 12, "timestamp": 1}))
    line = b'{"type":"stdout","text":"a\\u0041\\ud83d\\ude00\\n\\u003c","timestamp":1770000000050}'
    failed = {"type": "error", "timestamp": 1, "error": {"ename": "E", "evalue": "-1", "traceback": ["signal: killed", None, "b"]}}
    return {
        "all": told(200, text),
        "all-in-bytes": told(1, text),
        "sse": told(3, b": a comment\r\nevent: x\nid: 7\nretry: 5\ndata: " + line + b"\r\n\r\ndata:" + line),
        "line": told(7, line),
        "nul": told(5, line.replace(b"\\u0041", b"\\u0000")),
        "half-a-pair": told(5, line.replace(b"\\ude00", b"")),
        "error": told(9, failed),
        "error-text": told(9, {"type": "error", "error": {"ename": "E", "evalue": "x", "traceback": None}}),
        "tail": told(9, dump({"type": "init", "text": "x"}) + b"\n\n" + b'{"code":"RUNTIME_ERROR","message":"it broke"}'),
        "page": told(9, b"<html>502</html>\n"),
        "wrong": told(2, {"type": "stdout", "text": {}}),
        "stat": told(0, b"81a4 5 0 0 1770000000 2026-02-02 02:40:00.123456789 +0000"),
        "stat-odd": told(0, b"ffff 9223372036854775807 4294967295 0 -9223372036854775808 x"),
        "base64": told(0, b"aGVsbG8=\naGVsbG8=\n.\n7"),
        "signal": told(0, b"signal: signal 35"),
    }


def values():
    times = {"z": "2026-03-01T10:00:00Z", "offset": "2026-03-01T18:00:00.123456789+08:00", "none": "2026-03-01 10:00:00",
             "leap": "2026-12-31T23:59:60Z", "first": "0001-01-01T00:00:00+23:59", "last": "9999-12-31T23:59:59-23:59"}
    headers = {"number": "120", "large": "99999999999999999999", "date": "Sun, 01 Mar 2026 10:00:00 GMT",
               "old-date": "Sunday, 01-Mar-26 10:00:00 GMT", "asctime": "Sun Mar  1 10:00:00 2026",
               "range": "bytes 0-9/100", "range-open": "bytes 0-9/*", "range-none": "bytes */100"}
    urls = {"plain": "127.0.0.1:8080", "https": "https://Host.example/", "six": "[::1]:8080", "user": "http://a:b@c", "path": "a/v1",
            "zone": "[fe80::1%25eth0]:1", "encoded": "a%2fb", "idn": "http://b\u00fccher.example"}
    others = {"name": "X-Request-ID", "value": "a b", "proxy": "socks5://user:pass@host:1080", "loopback": "a.localhost.", "mapped": "::ffff:127.0.0.1"}
    kinds = [("time", times), ("header", headers), ("url", urls), ("other", others)]
    return {f"{kind}-{name}": told(choice, text.encode())
            for choice, (kind, texts) in enumerate(kinds) for name, text in texts.items()}


def exchanges():
    length = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n"
    return {
        "length": told(0, length),
        "length-post": told(1, length),
        "length-stream": told(2, length),
        "chunks": told(0, chunks),
        "chunks-stream": told(2, chunks),
        "chunks-bytes": told(6, chunks),
        "chunks-cut": told(2, chunks[:-5]),
        "chunks-odd": told(6, chunks.replace(b"3;x=y", b"-3")),
        "end": told(0, b"HTTP/1.0 200 OK\r\n\r\nhello"),
        "end-large": told(0, b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 2500),
        "informational": told(0, b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + length),
        "informational-many": told(0, b"HTTP/1.1 100 Continue\r\n\r\n" * 20 + length),
        "refused": told(1, b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"),
        "redirect": told(0, b"HTTP/1.1 302 Found\r\nLocation: http://other.example/\r\nContent-Length: 0\r\n\r\n"),
        "misdirected": told(1, b"HTTP/1.1 421 No\r\nContent-Length: 2\r\n\r\nno"),
        "busy": told(0, b"HTTP/1.1 429 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"),
        "gzip": told(0, b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
        "upgrade": told(8, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           b"Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"),
        "upgrade-refused": told(8, b"HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\nno"),
        "nothing": told(0, b""),
        "nonsense": told(1, b"SSH-2.0-OpenSSH\r\n\r\n"),
    }


def guests():
    return {
        "listens": b'{"port": 40001, "pid": 7}',
        "listens-where": b'{"port": 70000}',
        "listens-odd": b'{"port": "1", "token": []}',
        "ready": b"asb-guest: ready",
        "missing": b"asb-guest: missing x86_64 /.agent-history",
        "missing-elsewhere": b"asb-guest: missing aarch64 /root/a b/.agent-history",
        "missing-where": b"asb-guest: missing  relative",
        "nowhere": b"asb-guest: nowhere riscv64 ",
        "failed": b"asb-guest: failed 126 s390x\nsh: cannot execute: Exec format error\n",
        "failed-how": b"asb-guest: failed 99999999999999999999 \x1b[31m\n\x1b]0;x\x07\xff\xfe" + b"y" * 900,
        "else": b"sh: 1: syntax error",
        "not-utf8": b"asb-guest: missing \xff /\xff",
    }


def works():
    """Frames of a PTY in binary (0) and in text (1), its session, a job, a directory, code."""
    job = b"0c1d2e.a1b2\n4711\n1770000000000000\n300\nbmFtZQ==\nc2xlZXAgMQ==\n.\n12\n0\n0\n"
    status = {"id": "0c1d2e", "content": "x", "running": False, "exit_code": 0, "started_at": "2026-03-01T10:00:00.123456789Z",
              "finished_at": "2026-03-01T10:00:01Z"}
    killed = {**status, "exit_code": -1, "error": "signal: killed"}
    stat = b"81a4 5 0 0 1770000000 2026-02-02 02:40:00.123456789 +0000"
    names, stats = base64.b64encode(b"./a\0./b c\0"), base64.b64encode(stat + b"/./a\n" + stat + b"/./b c\n")
    errors = base64.b64encode(b"find: './x': Permission denied\n")
    tree = names + b"\n.\n" + stats + b"\n.\n" + errors + b"\n.\n"
    return {
        "stdout": told(0, b"\x01out\n"),
        "stderr": told(0, b"\x02err"),
        "replay": told(0, b"\x03\0\0\0\0\0\0\1\2again"),
        "replay-largest": told(0, b"\x03" + b"\xff" * 8 + b"x"),
        "replay-short": told(0, b"\x03\0\0"),
        "nothing": told(0, b""),
        "connected": told(1, b'{"type":"connected","session_id":"s","mode":"pty"}\n'),
        "exit": told(1, {"type": "exit", "exit_code": 3}),
        "exit-odd": told(1, {"type": "exit", "exit_code": 9007199254740993}),
        "pong": told(1, {"type": "pong"}),
        "failed": told(1, {"type": "error", "error": "pty.StartWithSize: \u001b[31mno\n", "code": "START_FAILED"}),
        "failed-long": told(1, {"type": "error", "error": "x" * 700}),
        "failed-code": told(1, {"type": "error", "code": "STDIN_WRITE_FAILED"}),
        "wrong": told(1, {"type": "exit", "exit_code": "3"}),
        "session": told(2, {"session_id": "0a1b2c3d-0000-4000-8000-000000000001"}),
        "session-path": told(2, {"session_id": "../x"}),
        "session-two": told(2, b'{"code":"RUNTIME_ERROR","message":"m"}{"session_id":"x"}'),
        "job": told(3, job),
        "job-done": told(3, job + dump(status)),
        "job-killed": told(3, job + dump(killed)),
        "job-for-centuries": told(3, job + dump({**status, "finished_at": "2510-03-01T10:00:01Z"})),
        "job-odd": told(3, job.replace(b"4711", b"99999999999").replace(b"bmFtZQ==", b"%%")),
        "tree": told(4, b"whole\n" + tree),
        "tree-cut": told(4, b"cut\n" + tree),
        "tree-odd": told(4, b"whole\n" + stats + b"\n.\n" + names + b"\n.\n.\n"),
        "tree-file": told(4, b"file\n" + stat),
        "contexts": told(5, [{"id": "c", "language": "python"}, None]),
        "context": told(5, {"id": "c", "language": "python"}),
        "none": told(5, b""),
    }


def outputs():
    """What a terminal's shell prints (0, in pieces of a byte; 6, of four), and what a script says of two files (1)."""
    small = b"6\n" + base64.b64encode(b"hello\n") + b"\n.\n"
    return {
        "well": told(0, b"hello\nab0ab 0\n"),
        "status": told(6, b"xab0ab 3\r\nmore"),
        "signal": told(6, b"ab0ab -137\n"),
        "nearly": told(0, b"ab0 ab0a aab0ab 1\n"),
        "twice": told(6, b"ab0ab0ab 2\n"),
        "no-status": told(0, b"ab0ab and much more than that\nab0ab 7\n"),
        "odd-status": told(6, b"ab0ab  5\nab0ab 999\nab0ab +1\nab0ab 00000000000000000005\n"),
        "cut": told(6, b"done ab0"),
        "cut-status": told(0, b"done ab0ab 1"),
        "files": told(1, small + b"0\n.\n"),
        "files-large": told(1, b"20000000\n.\n" + small),
        "files-more": told(1, b"1\n" + base64.b64encode(b"hello") + b"\n.\n"),
        "files-odd": told(1, b"-1\n.\n"),
        "files-no-base64": told(1, b"5\n%%%%\n.\n"),
        "files-cut": told(1, b"6\naGVs"),
    }


def calls():
    """A call by its number, and what the server answers to each of its requests."""
    def conversation(choice, *answers):
        blocks = (dump(answer[1] if isinstance(answer, tuple) else answer) for answer in answers)
        statuses = (answer[0] if isinstance(answer, tuple) else 0 for answer in answers)
        return bytes([choice]) + b"".join(bytes([status]) + struct.pack(">H", len(block)) + block
                                          for status, block in zip(statuses, blocks))

    sandbox = {"id": "sb-1", "status": {"state": "Running"}, "createdAt": "2026-03-01T10:00:00Z", "expiresAt": "2026-03-01T10:10:00Z"}
    snapshot = {"id": "sn-1", "sandboxId": "sb-1", "status": {"state": "Ready"}, "createdAt": "2026-03-01T10:00:00Z"}
    page = {"items": [sandbox], "pagination": {"page": 1, "pageSize": 100, "totalItems": 2, "totalPages": 2, "hasNextPage": True}}
    last = {"items": [{**sandbox, "id": "sb-2"}], "pagination": {"hasNextPage": False}}
    sample = b'{"cpu_count":4,"cpu_used_pct":2.5,"mem_total_mib":7950.1,"mem_used_mib":812.4,"timestamp":1770000000000}\n'
    gone = (5, {"code": "DOCKER::SANDBOX_NOT_FOUND", "message": "Sandbox sb-1 not found"})
    policy = {"status": "ok", "mode": "enforcing", "policy": {"defaultAction": "deny", "egress": None}}
    return {
        "list": conversation(0, page, last),
        "list-again": conversation(0, page, page),
        "list-bare": conversation(0, {"items": []}),
        "list-odd": conversation(0, {"items": [sandbox, 7], "pagination": []}),
        "snapshots": conversation(1, {"items": [snapshot], "pagination": {"hasNextPage": False}}),
        "renew": conversation(2, sandbox, {"expiresAt": "2026-03-01T10:20:00Z"}, sandbox),
        "renew-refused": conversation(2, (6, {"code": "DOCKER::INVALID_EXPIRATION", "message": "manual"})),
        "metadata": conversation(3, {**sandbox, "metadata": {"a": "b"}}),
        "endpoint": conversation(0x84, {"endpoint": "127.0.0.1:1/proxy/8080", "headers": {"OpenSandbox-Ingress-To": "sb-1-8080"}}),
        "endpoint-odd": conversation(0x84, {"endpoint": "http://a@b/?c#d", "headers": {"Host": "x"}}),
        "policy": conversation(5, policy),
        "policy-by-server": conversation(5, (5, b"404 page not found"), policy),
        "metrics": conversation(6, sample),
        "watch": conversation(7, sample + b'{"error":"no"}\n' + sample, gone),
        "watch-cut": conversation(7, sample[:30], sandbox),
        "watch-odd": conversation(7, b"\r\n\n[]\n"),
        "diagnostics": conversation(8, {"sandboxId": "sb-1", "kind": "logs", "scope": "all", "delivery": "inline", "contentType": "text/plain",
                                        "content": "a", "contentLength": 1, "truncated": False}),
        "diagnostics-old": conversation(8, (7, {"code": "DIAGNOSTICS_NOT_IMPLEMENTED", "message": "no"}), b"text"),
        "get": conversation(9, sandbox),
        "get-other": conversation(9, {**sandbox, "id": "sb-9"}),
        "get-gone": conversation(9, gone),
        "create": conversation(10, (3, sandbox), sandbox),
        "create-lost": conversation(10, (3, b"nonsense"), {"items": []}),
        "snapshot": conversation(11, snapshot),
        "diagnose": conversation(12, {"status": "healthy"}, {"items": []}, {"version": "1.1.1"}),
        "diagnose-odd": conversation(12, {"status": "healthy"}, {"items": []}, {"version": 7}),
        "vault": conversation(13, {"revision": 3, "credentials": [], "bindings": []}),
        "vault-refused": conversation(13, (6, b"not ready\n")),
        "pause": conversation(14, (3, b""), {**sandbox, "status": {"state": "Pausing"}}, {**sandbox, "status": {"state": "Paused"}}),
        "pause-ended": conversation(14, (3, b""), {**sandbox, "status": {"state": "Failed", "reason": "OOMKilled", "message": "no memory"}}),
        "pause-already": conversation(14, (6, {"code": "DOCKER::SANDBOX_NOT_RUNNING", "message": "paused"}), {**sandbox, "status": {"state": "Paused"}}),
        "resume": conversation(15, (3, b""), sandbox, sandbox),
        "resume-refused": conversation(15, (6, {"code": "DOCKER::SANDBOX_NOT_PAUSED", "message": "running"}), sandbox),
        "policy-set": conversation(16, policy, policy),
        "policy-set-odd": conversation(16, {"status": "failed", "reason": "no"}, policy),
        "policy-patch": conversation(17, policy, policy),
        "policy-remove": conversation(18, policy, policy),
        "policy-remove-unknown": conversation(18, (5, b"404 page not found"), (5, b"404 page not found")),
        "snapshot-create": conversation(19, (3, snapshot), snapshot),
        "snapshot-refused": conversation(19, (7, {"code": "SNAPSHOT_NOT_SUPPORTED", "message": "no"})),
        "pools": conversation(20, {"items": [{"name": "p"}]}),
        "delete": conversation(21, (4, b"")),
        "delete-gone": conversation(21, gone),
        "delete-garbled": conversation(21, b"<html>", gone),
        "delete-busy": conversation(21, (7, {"code": "DOCKER::SANDBOX_DELETE_FAILED", "message": "busy"}), (4, b"")),
        "snapshot-delete": conversation(22, (4, b"")),
        "snapshot-delete-gone": conversation(22, (5, {"code": "SNAPSHOT_NOT_FOUND", "message": "no"})),
    }


OPENSANDBOX_WORDS = ["code", "message", "detail", "loc", "msg", "error", "status", "state", "metadata", "createdAt", "expiresAt", "egress", "endpoint",
                     "headers", "policy", "::NOT_FOUND", "<html", "404 page not found"]
HTTP_WORDS = ["HTTP/1.1 200 OK", "\r\n", "\r\n\r\n", "Content-Length: ", "Transfer-Encoding: chunked", "Connection: close", "Location: /", "0\r\n\r\n",
              "Content-Encoding: gzip", "Retry-After: 0", "HTTP/1.1 100 Continue\r\n\r\n"]

CORPORA = {
    "opensandbox-events": events,
    "opensandbox-guest": guests,
    "opensandbox-refusal": refusals,
    "opensandbox-replies": replies,
    "opensandbox-values": values,
    "opensandbox-exchange": exchanges,
    "opensandbox-work": works,
    "opensandbox-output": outputs,
    "opensandbox-calls": calls,
}
EVENT_WORDS = ["data:", "event:", "stdout", "stderr", "init", "execution_complete", "evalue", "traceback", "timestamp", "signal: killed"]

JSON_DICTIONARIES = {"opensandbox-events": EVENT_WORDS, "opensandbox-refusal": OPENSANDBOX_WORDS, "opensandbox-replies": OPENSANDBOX_WORDS,
                     "opensandbox-calls": OPENSANDBOX_WORDS + ["items", "pagination", "hasNextPage", "sb-1", "version", "cpu_count", "mem_total_mib"],
                     "opensandbox-work": ["type", "exit", "exit_code", "error", "session_id", "running", "started_at", "finished_at", "file", "whole"]}
DICTIONARIES = {"opensandbox-guest": ["asb-guest: ", "missing ", "nowhere ", "failed ", "ready", "{\"port\":"],
                "opensandbox-values": ["bytes ", "*/", "GMT", "+00:00", "://", "@", "%25", "[::1]"]}
BYTE_DICTIONARIES = {"opensandbox-exchange": HTTP_WORDS, "opensandbox-output": ["ab0ab", "ab0ab 0\n", " -", "\n.\n", "\r\n"]}
