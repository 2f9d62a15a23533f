#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each member of each answer of a server, spoilt in each way: the call ends with what there is or with
an error that can be told on, and what is needed is not made up."""

import copy
import http.server
import itertools
import json
import threading

import gi

gi.require_version("Asb", "1")
from gi.repository import Asb, GLib  # noqa: E402

SANDBOX = {
    "id": "sb-1", "image": {"uri": "python:3.12"}, "platform": {"os": "linux", "arch": "amd64"},
    "status": {"state": "Running", "reason": "R", "message": "M"},
    "metadata": {"a": "b", "sandbox_instance_id": "i", "agent_sandbox.name": "n"},
    "expiresAt": "2036-03-01T10:00:00.123456Z", "createdAt": "2026-03-01T10:00:00Z"}
# No more than is read of it: where it is spoilt the sandbox is looked for, and that takes its time.
CREATED = {"id": "sb-1", "status": {"state": "Running"}}
SNAPSHOT = {
    "id": "sn-1", "sandboxId": "sb-1", "name": "x", "createdAt": "2026-03-01T10:00:00Z",
    "status": {"state": "Ready", "reason": "r", "message": "m"}}
PAGINATION = {"page": 1, "pageSize": 100, "totalItems": 1, "totalPages": 1, "hasNextPage": False}
POLICY = {"status": "ok", "mode": "enforcing", "enforcementMode": "dns", "policy": {
    "egress": [{"action": "allow", "target": "example.org"}], "defaultAction": "deny"}}
METRICS = {"cpu_count": 4.0, "cpu_used_pct": 2.5, "mem_total_mib": 7950.1, "mem_used_mib": 812.4,
           "timestamp": 1770000000000}
DIAGNOSTICS = {"sandboxId": "sb-1", "kind": "logs", "scope": "all", "delivery": "inline",
               "contentType": "text/plain", "content": "c", "contentLength": 1, "truncated": False,
               "warnings": ["w"]}

# What stands in the place of a member, as JSON text; None: it is not there at all.
WRONG = [None, "null", "7", "[]", "{}", "true"]
ODD = ["-1", "1e400", "99999999999999999999", "9223372036854775807", "0.5", '""', '"\\u0000"',
       '"\\ud800"', '"\\r\\nX: y\\u001b[31m"', '"../../x"', '"9999-12-31T23:59:59Z"', "[null]",
       '{"": null}', '{"a": {"a": 7}}', "[" * 100 + "]" * 100, "NaN",
       json.dumps("x" * 100000), '{"a": 1, "a": 2}']
MARK = "in place of a member"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20  # head and body in one piece

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        status, body = 200, self.server.spoilt
        if not path.endswith(self.server.target) or self.command != self.server.method:
            body = json.dumps(self.usual(path)).encode()
        self.send_response(202 if self.command == "POST" and path == "/v1/sandboxes" else status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def usual(self, path):
        if "/endpoints/" in path:
            return {"endpoint": f"127.0.0.1:{self.server.server_port}/inside"}
        if path == "/v1/sandboxes":
            return {"items": [], "pagination": PAGINATION}
        return SANDBOX

    def log_message(self, *arguments):
        pass

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer


class World:
    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.provider = Asb.Registry.get_default().create_provider(
            "opensandbox", GLib.Variant("a{sv}", {
                "url": GLib.Variant("s", f"127.0.0.1:{self.server.server_port}"),
                "ready-timeout-seconds": GLib.Variant("d", 0.001)}))
        self.port = itertools.count(1000)

    def create(self):
        return self.provider.create_sandbox(
            Asb.SandboxSpec(image="python:3.12", await_readiness=False), None)


def paths(value, above=()):
    if above:
        yield above
    items = value.items() if isinstance(value, dict) else enumerate(value) \
        if isinstance(value, list) else ()
    for name, member in items:
        yield from paths(member, above + (name,))


def spoil(answer, path, text):
    answer = copy.deepcopy(answer)
    parent = answer
    for name in path[:-1]:
        parent = parent[name]
    if text is None:
        del parent[path[-1]]
        return json.dumps(answer).encode()
    parent[path[-1]] = MARK
    return json.dumps(answer).replace(json.dumps(MARK), text).encode()


CALLS = {
    # name: what is called, what of it is spoilt, the answer, the members without which there is none
    "get": (lambda w: w.provider.get_sandbox("sb-1", None), "GET", "/sandboxes/sb-1", SANDBOX,
            ["id", "status", "status.state"]),
    "create": (World.create, "POST", "/sandboxes", CREATED, ["id"]),
    "list": (lambda w: w.provider.list_sandboxes(Asb.SandboxFilter(), None), "GET", "/sandboxes",
             {"items": [SANDBOX], "pagination": PAGINATION},
             ["items", "items.0.id", "items.0.status", "items.0.status.state"]),
    "renew": (lambda w: w.provider.renew_sandbox("sb-1", 600, None), "POST", "/renew-expiration",
              {"expiresAt": "2036-03-01T10:00:00Z"}, ["expiresAt"]),
    "metadata": (lambda w: w.provider.patch_metadata(
        "sb-1", GLib.Variant("a{sms}", {"a": "b"}), None), "PATCH", "/metadata", SANDBOX,
        ["id", "status", "status.state"]),
    # Endpoints are remembered, and so each is another one.
    "endpoint": (lambda w: w.provider.get_endpoint("sb-1", w.server.port, 0, None), "GET", "",
                 {"endpoint": "127.0.0.1:1/x", "headers": {"X-A": "b"}}, ["endpoint"]),
    "policy": (lambda w: w.provider.get_network_policy("sb-1", None), "GET", "/policy", POLICY,
               ["policy", "policy.egress.0.action", "policy.egress.0.target"]),
    "snapshot": (lambda w: w.provider.create_snapshot("sb-1", "x", None), "POST", "/snapshots",
                 SNAPSHOT, ["id", "status", "status.state"]),
    "snapshots": (lambda w: w.provider.list_snapshots(Asb.SnapshotFilter(), None), "GET",
                  "/snapshots", {"items": [SNAPSHOT], "pagination": PAGINATION},
                  ["items", "items.0.id", "items.0.status"]),
    "metrics": (lambda w: w.provider.get_metrics("sb-1", None), "GET", "/metrics", METRICS,
                ["cpu_count", "cpu_used_pct", "mem_total_mib", "mem_used_mib"]),
    "diagnostics": (lambda w: w.provider.get_diagnostics("sb-1", "logs", "all", None), "GET",
                    "/diagnostics/logs", DIAGNOSTICS, ["kind", "content"]),
}


def is_right(original, text):
    """Whether it is of the same kind as what stands there."""
    kinds = {"7": (int, float), "[]": list, "{}": dict, "true": bool}
    return text in kinds and isinstance(original, kinds[text])


def check(world, name, path, text):
    call, method, target, answer, needed = CALLS[name]
    world.server.port = next(world.port)
    world.server.method = method
    world.server.target = target or f"/endpoints/{world.server.port}"
    world.server.spoilt = spoil(answer, path, text)
    shown = f"{name}: {'.'.join(map(str, path))}: {(text or 'left out')[:40]}"
    original = answer
    for member in path:
        original = original[member]
    try:
        call(world)
    except GLib.Error as error:
        assert error.domain == "AsbError", (shown, error)
        assert error.code != Asb.Error.INTERNAL, (shown, error)
        assert len(error.message) < 1200 and error.message.isprintable(), (shown, error)
        return
    assert ".".join(map(str, path)) not in needed or text not in WRONG \
        or is_right(original, text), f"{shown} was taken"


def main():
    world = World()
    print(f"1..{len(CALLS)}")
    for number, name in enumerate(CALLS, 1):
        count = 0
        for path in paths(CALLS[name][3]):
            for text in WRONG + ODD:
                if text is None and isinstance(path[-1], int):
                    continue
                check(world, name, path, text)
                count += 1
        print(f"ok {number} - {name}, {count} answers", flush=True)


if __name__ == "__main__":
    main()
