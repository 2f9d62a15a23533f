#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lifecycle server of the look-alike, line by line of what a server must do.

usage: test-lifecycle.py SERVER
"""

import contextlib
import datetime
import http.client
import os
import re
import shutil
import socket
import subprocess
import tempfile
import urllib.parse
from unittest import mock

from lookalike import (SANDBOX, TIMEOUT, Server, Skip, binary, exchange, fetch, fetch_on,
                       parse_events, run, test)

JSON = "application/json"


def is_error(answer, status, code, type=JSON):
    assert answer.status == status, answer
    assert answer.header("content-type") == type, answer
    assert answer.json()["code"] == code, answer
    assert answer.json()["message"], answer


@test
def health_needs_no_key(server):
    answer = server.fetch("GET", "/health")
    assert (answer.status, answer.json()) == (200, {"status": "healthy"})


@test
def only_files_have_parts(server):
    for part in ("bytes=5-", "bytes=9223372036854775807-"):
        answer = server.fetch("GET", "/health", headers={"Range": part})
        assert (answer.status, answer.json()) == (200, {"status": "healthy"}), answer


@test
def every_route_has_two_places(server):
    """Old clients leave out the version, and nothing else differs."""
    for prefix in ("", "/v1"):
        created = server.fetch("POST", prefix + "/sandboxes",
                               {**SANDBOX, "networkPolicy": {"defaultAction": "deny"}})
        base = f"{prefix}/sandboxes/{created.json()['id']}"
        snapshot = server.fetch("POST", base + "/snapshots")
        one = f"{prefix}/snapshots/{snapshot.json()['id']}"
        while server.fetch("GET", one).json()["status"]["state"] == "Creating":
            pass
        assert (created.status, snapshot.status) == (202, 202), prefix
        for method, path, body, status in (
                ("GET", prefix + "/sandboxes", None, 200), ("GET", base, None, 200),
                ("PATCH", base + "/metadata", {"a": "b"}, 200),
                ("POST", base + "/renew-expiration", {"expiresAt": "2100-01-01T00:00:00Z"}, 200),
                ("GET", base + "/endpoints/80", None, 200), ("GET", base + "/networkpolicy", None, 200),
                ("GET", base + "/proxy/44772/ping", None, 200),
                *[("GET", f"{base}/diagnostics/{kind}", None, 200)
                  for kind in ("logs", "events", "inspect", "summary")],
                ("GET", prefix + "/snapshots", None, 200), ("DELETE", one, None, 204),
                ("GET", prefix + "/pools", None, 501), ("GET", prefix + "/templates", None, 501),
                ("POST", base + "/pause", None, 202), ("POST", base + "/resume", None, 202),
                ("DELETE", base, None, 204)):
            answer = server.fetch(method, path, body)
            assert answer.status == status, (method, path, answer)
    assert server.fetch("POST", "/v1/metrics/events", {"eventType": "x"}).status != 404
    assert server.fetch("POST", "/metrics/events", {"eventType": "x"}).status == 404


@test
def request_ids_are_made_or_echoed(server):
    assert re.fullmatch("[0-9a-f]{32}", server.fetch("GET", "/health").header("X-Request-ID"))
    answer = server.fetch("GET", "/v1/sandboxes/none", headers={"X-Request-ID": "  mine "})
    assert answer.header("x-request-id") == "mine"
    is_error(answer, 404, "DOCKER::SANDBOX_NOT_FOUND")


@test
def keys_are_asked_for(_):
    with Server("--api-key", "secret") as server:
        is_error(server.fetch("GET", "/v1/sandboxes"), 401, "MISSING_API_KEY")
        key = "OPEN-SANDBOX-API-KEY"
        is_error(server.fetch("GET", "/v1/sandboxes", headers={key: ""}), 401, "MISSING_API_KEY")
        is_error(server.fetch("GET", "/v1/sandboxes", headers={key: "x"}), 401, "INVALID_API_KEY")
        assert server.fetch("GET", "/v1/sandboxes", headers={key: "secret"}).status == 200
        for path in ("/health", "/version", "/v1/sandboxes/none/proxy/80/x"):
            assert server.fetch("GET", path).status != 401, path
        is_error(server.fetch("GET", "/v1/sandboxes/none/proxy/x/y"), 401, "MISSING_API_KEY")


@test
def unknown_routes_and_methods(server):
    answer = server.fetch("GET", "/v1/nothing")
    assert (answer.status, answer.json()) == (404, {"detail": "Not Found"}), answer
    answer = server.fetch("PUT", "/v1/sandboxes")
    assert (answer.status, answer.json()) == (405, {"detail": "Method Not Allowed"}), answer
    assert answer.header("Allow") == "POST", answer


@test
def connections_are_kept(server):
    """Every kind of answer leaves the connection open"""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    sandbox = server.create()
    base = f"/v1/sandboxes/{sandbox}"
    connection.connect()
    socket = connection.sock
    for method, path, status in (("GET", base, 200), ("POST", base + "/pause", 202),
                                 ("POST", base + "/resume", 202), ("GET", "/v1/none", 404),
                                 ("GET", base + "/proxy/44772/ping", 200),
                                 ("DELETE", base, 204), ("DELETE", base, 404)):
        assert fetch_on(connection, method, path).status == status, path
        assert connection.sock is socket, path
    connection.close()


def refuse(server, body, *place):
    answer = server.fetch("POST", "/v1/sandboxes", body)
    assert answer.status == 422, answer
    detail = answer.json()["detail"]
    assert place in [tuple(error["loc"]) for error in detail], detail
    assert all(error["type"] and error["msg"] and "input" in error for error in detail)
    return detail


@test
def what_is_not_valid_is_422(server):
    refuse(server, {**SANDBOX, "timeout": 59}, "body", "timeout")
    refuse(server, {**SANDBOX, "timeout": "x"}, "body", "timeout")
    refuse(server, {**SANDBOX, "image": {}}, "body", "image", "uri")
    refuse(server, {**SANDBOX, "entrypoint": []}, "body", "entrypoint")
    refuse(server, {**SANDBOX, "env": {"A": 1}}, "body", "env", "A")
    refuse(server, {**SANDBOX, "env": {"OPENSANDBOX_LIFECYCLE": "x"}}, "body")
    refuse(server, {**SANDBOX, "metadata": []}, "body", "metadata")
    for left_out in ("image", "entrypoint", "resourceLimits"):
        body = {name: value for name, value in SANDBOX.items() if name != left_out}
        [error] = refuse(server, body, "body")
        assert error["input"] == body
        assert error["type"] == "value_error" and error["msg"].startswith("Value error, ")
    [error] = refuse(server, {**SANDBOX, "timeout": 59}, "body", "timeout")
    assert error["ctx"] == {"ge": 60} and error["type"] == "greater_than_equal"
    assert len(refuse(server, {**SANDBOX, "timeout": 1, "env": {"A": 1}}, "body", "timeout")) == 2


@test
def a_body_must_be_json_and_say_so(server):
    answer = server.fetch("POST", "/v1/sandboxes", b"{", headers={"Content-Type": JSON})
    assert answer.json()["detail"][0]["type"] == "json_invalid"
    assert server.fetch("POST", "/v1/sandboxes", SANDBOX, json_type=False).status == 422
    assert server.fetch("POST", "/v1/sandboxes").status == 422
    deep = b"[" * 100000
    answer = server.fetch("POST", "/v1/sandboxes", deep, headers={"Content-Type": JSON})
    assert (answer.status, answer.json()) == (
        400, {"detail": "There was an error parsing the body"})


@test
def creation_answers_202_with_what_was_asked(server):
    answer = server.fetch("POST", "/v1/sandboxes",
                          {**SANDBOX, "metadata": {"team": "x"}, "unknown": 1,
                           "platform": {"os": "linux", "arch": "amd64"}})
    assert answer.status == 202 and answer.header("Location") is None
    created = answer.json()
    assert created["status"]["state"] == "Running", created
    assert created["status"]["reason"] == "CONTAINER_RUNNING"
    assert created["metadata"] == {"team": "x"}
    assert created["platform"] == {"os": "linux", "arch": "amd64"}
    assert created["entrypoint"] == SANDBOX["entrypoint"]
    assert "image" not in created
    assert created["createdAt"].endswith("Z") and created["expiresAt"].endswith("Z")
    found = server.fetch("GET", "/v1/sandboxes/" + created["id"]).json()
    assert found["image"] == {"uri": "python:3.12"}
    assert found["expiresAt"] == created["expiresAt"]
    assert "metadata" not in server.fetch(
        "GET", "/v1/sandboxes/" + server.create()).json()


@test
def without_a_timeout_nothing_expires(server):
    for timeout in ({"timeout": None}, {}):
        body = {**{n: v for n, v in SANDBOX.items() if n != "timeout"}, **timeout}
        created = server.fetch("POST", "/v1/sandboxes", body).json()
        assert "expiresAt" not in created
        answer = server.fetch("POST", f"/v1/sandboxes/{created['id']}/renew-expiration",
                              {"expiresAt": "2100-01-01T00:00:00Z"})
        is_error(answer, 409, "DOCKER::INVALID_EXPIRATION")


@test
def passwords_do_not_come_back(server):
    sandbox = server.create(image={"uri": "python:3.12",
                                   "auth": {"username": "u", "password": "hidden"}})
    assert b"hidden" not in server.fetch("GET", "/v1/sandboxes/" + sandbox).body


@test
def labels_keep_the_rules_of_kubernetes(server):
    good = {"a": "", "example.org/x": "y", "A.b_c-d": "1" * 63, "a" * 63: "v"}
    server.create(metadata=good)
    for metadata in ({"opensandbox.io/x": "y"}, {"a b": "c"}, {"a": "b c"}, {"a": "x" * 64},
                     {"-a": "b"}, {"a": "-b"}, {"A.org/x": "y"}, {"/x": "y"}, {"a": "ü"}):
        answer = server.fetch("POST", "/v1/sandboxes", {**SANDBOX, "metadata": metadata})
        is_error(answer, 400, "SANDBOX::INVALID_METADATA_LABEL")


@test
def what_docker_cannot_do_is_refused(server):
    for members, code in (
            ({"secureAccess": True}, "SANDBOX::INVALID_PARAMETER"),
            ({"extensions": {"poolRef": "p"}}, "SANDBOX::UNSUPPORTED_POOL_REF"),
            ({"extensions": {"access.renew.extend.seconds": "1"}}, "SANDBOX::INVALID_PARAMETER"),
            ({"resourceLimits": {"memory": "lots"}}, "SANDBOX::INVALID_PARAMETER"),
            ({"env": {"OPENSANDBOX_EGRESS_X": "1"}}, "SANDBOX::INVALID_PARAMETER"),
            ({"platform": {"os": "plan9", "arch": "amd64"}}, "SANDBOX::INVALID_PARAMETER"),
            ({"volumes": [{"name": "a", "mountPath": "/a", "host": {"path": "/a"},
                           "subPath": "../b"}]}, "VOLUME::INVALID_SUB_PATH")):
        is_error(server.fetch("POST", "/v1/sandboxes", {**SANDBOX, **members}), 400, code)


@test
def limits_and_volumes_are_taken(server):
    server.create(resourceLimits={"cpu": "500m", "memory": "2Gi"},
                  volumes=[{"name": "v", "mountPath": "/v", "pvc": {
                      "claimName": "claim", "storageClass": None}, "readOnly": True}],
                  extensions={"access.renew.extend.seconds": "300"})
    refuse(server, {**SANDBOX, "volumes": [{"name": "v", "mountPath": "/v"}]}, "body", "volumes", 0)
    refuse(server, {**SANDBOX, "volumes": [{"name": "V", "mountPath": "/v",
                                            "host": {"path": "/"}}]}, "body", "volumes", 0, "name")
    refuse(server, {**SANDBOX, "volumes": [{"name": "v", "mountPath": "/v", "host": {
        "path": "a"}}]}, "body", "volumes", 0, "host", "path")


@test
def images_that_are_not_there(server):
    answer = server.fetch("POST", "/v1/sandboxes", {**SANDBOX, "image": {"uri": "no-such-image"}})
    is_error(answer, 500, "DOCKER::SANDBOX_IMAGE_PULL_FAILED")


@test
def what_bubblewrap_says_is_told(_):
    program = shutil.which("bwrap")
    if program is None:
        raise Skip("there is no bubblewrap")
    with tempfile.TemporaryDirectory(prefix="lookalike-test-") as folder:
        with open(f"{folder}/bwrap", "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\n[ ! -e {folder}/broken ] && exec {program} \"$@\"\n"
                         "echo 'bwrap: no more mounts' >&2; exit 1\n")
        os.chmod(f"{folder}/bwrap", 0o755)
        with mock.patch.dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"), Server() as server:
            with open(f"{folder}/broken", "w", encoding="utf-8"):
                pass
            answer = server.fetch("POST", "/v1/sandboxes", SANDBOX)
    if answer.status == 202:
        raise Skip("bubblewrap does not work here")
    assert answer.status == 500 and "bwrap: no more mounts" in answer.json()["message"], answer


@test
def the_longest_time_is_kept(_):
    with Server("--max-timeout", "100") as server:
        server.create(timeout=100)
        answer = server.fetch("POST", "/v1/sandboxes", {**SANDBOX, "timeout": 101})
        is_error(answer, 400, "SANDBOX::INVALID_PARAMETER")


@test
def the_end_of_the_entry_point_is_the_end(server):
    for command, state in (("exit 0", "Terminated"), ("exit 137", "Failed")):
        sandbox = server.create(entrypoint=["sh", "-c", "read line; " + command])
        port = server.execd(sandbox)
        events = server.fetch("GET", f"/v1/sandboxes/{sandbox}/proxy/44772/ping")
        assert events.status in (200, 500, 502)
        # The entry point reads from /dev/null: it ends by itself.
        while True:
            found = server.fetch("GET", f"/v1/sandboxes/{sandbox}").json()
            if found["status"]["state"] == state:
                break
            assert found["status"]["state"] == "Running", found
        answer = server.fetch("GET", f"/v1/sandboxes/{sandbox}/proxy/44772/ping")
        is_error(answer, 500, "DOCKER::NETWORK_MODE_ENDPOINT_UNAVAILABLE")
        try:
            exchange(port, b"GET /ping HTTP/1.1\r\n\r\n")
            raise AssertionError("execd still listens")
        except ConnectionRefusedError:
            pass


@test
def lists_are_filtered_and_paged(_):
    with Server() as server:
        made = [server.create(metadata={"n": str(n), "example.org/k": "a.b"}) for n in range(5)]
        server.fetch("POST", f"/v1/sandboxes/{made[0]}/pause")

        def listed(query=""):
            answer = server.fetch("GET", "/v1/sandboxes" + query)
            assert answer.status == 200, answer
            return [item["id"] for item in answer.json()["items"]]

        assert listed() == made[::-1]
        assert listed("?state=Paused") == made[:1]
        assert set(listed("?state=paused&state=RUNNING")) == set(made)
        assert listed("?state=Failed") == []
        inner = urllib.parse.urlencode({"n": "3", "example.org/k": "a.b"})
        assert listed("?" + urllib.parse.urlencode({"metadata": inner})) == [made[3]]
        assert listed("?metadata=" + urllib.parse.quote("n=9")) == []
        is_error(server.fetch("GET", "/v1/sandboxes?metadata=broken"), 400,
                 "INVALID_METADATA_FORMAT")
        answer = server.fetch("GET", "/v1/sandboxes?page=2&pageSize=2").json()
        assert [item["id"] for item in answer["items"]] == made[::-1][2:4]
        assert answer["pagination"] == {"page": 2, "pageSize": 2, "totalItems": 5,
                                        "totalPages": 3, "hasNextPage": True}
        assert not server.fetch("GET", "/v1/sandboxes?page=9").json()["items"]
        for query in ("page=0", "pageSize=0", "pageSize=201", "page=x"):
            assert server.fetch("GET", "/v1/sandboxes?" + query).status == 422, query


@test
def the_value_of_metadata_is_decoded_twice(_):
    with Server() as server:
        sandbox = server.create(metadata={"key": "a.b"})
        # %2E is a dot after one decoding, %252E after two.
        for value, found in (("key%3Da.b", 1), ("key%3Da%252Eb", 1), ("key%3Da%25252Eb", 0)):
            items = server.fetch("GET", "/v1/sandboxes?metadata=" + value).json()["items"]
            assert len(items) == found, value
        assert server.fetch("DELETE", "/v1/sandboxes/" + sandbox).status == 204


@test
def deletion_is_at_once(server):
    sandbox = server.create()
    answer = server.fetch("DELETE", "/v1/sandboxes/" + sandbox)
    assert answer.status == 204 and answer.body == b""
    assert answer.header("content-length") is None
    is_error(server.fetch("GET", "/v1/sandboxes/" + sandbox), 404, "DOCKER::SANDBOX_NOT_FOUND")
    is_error(server.fetch("DELETE", "/v1/sandboxes/" + sandbox), 404, "DOCKER::SANDBOX_NOT_FOUND")


@test
def pause_and_resume(server):
    base = "/v1/sandboxes/" + server.create()
    is_error(server.fetch("POST", base + "/resume"), 409, "DOCKER::SANDBOX_NOT_PAUSED")
    answer = server.fetch("POST", base + "/pause")
    assert (answer.status, answer.body) == (202, b"")
    assert server.fetch("GET", base).json()["status"]["state"] == "Paused"
    is_error(server.fetch("POST", base + "/pause"), 409, "DOCKER::SANDBOX_NOT_RUNNING")
    assert server.fetch("POST", base + "/resume").status == 202
    assert server.fetch("GET", base).json()["status"]["state"] == "Running"


def in_seconds(seconds):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (now + datetime.timedelta(seconds=seconds)).isoformat()


@test
def its_folder_is_for_whoever_started_it(_):
    with tempfile.TemporaryDirectory() as parent:
        given = os.path.join(parent, "given")
        os.mkdir(given, 0o700)
        for options in ((), ("--root", given)):
            with mock.patch.dict(os.environ, TMPDIR=parent):
                process = subprocess.Popen([binary(), "--port", "0", "--print-port", *options],
                                           stdout=subprocess.PIPE)
                process.stdout.readline()
                for name in os.listdir(parent):
                    assert os.stat(os.path.join(parent, name)).st_mode & 0o066 == 0, name
                process.terminate()
                process.communicate(timeout=TIMEOUT)
            assert os.listdir(parent) == ["given"], os.listdir(parent)
        assert os.stat(given).st_mode & 0o777 == 0o700, oct(os.stat(given).st_mode)


@test
def renewal(server):
    path = f"/v1/sandboxes/{server.create()}/renew-expiration"
    for seconds in (7200, 3600):
        answer = server.fetch("POST", path, {"expiresAt": in_seconds(seconds)})
        assert answer.status == 200 and list(answer.json()) == ["expiresAt"], answer
    assert server.fetch("POST", path, {"expiresAt": 4102444800}).json() == {
        "expiresAt": "2100-01-01T00:00:00Z"}
    assert server.fetch("POST", path, {"expiresAt": "2100-01-02T00:00:00"}).json() == {
        "expiresAt": "2100-01-02T00:00:00Z"}
    is_error(server.fetch("POST", path, {"expiresAt": in_seconds(-5)}), 400,
             "DOCKER::INVALID_EXPIRATION")
    for body in ({}, {"expiresAt": "rubbish"}, {"expiresAt": []}):
        assert server.fetch("POST", path, body).status == 422, body


@test
def what_expires_is_gone(server):
    sandbox = server.create()
    port = server.execd(sandbox)
    body = b'{"command":"echo up; tail -f /dev/null"}'
    path = f"/v1/sandboxes/{sandbox}/renew-expiration"
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
        connection.sendall(b"POST /command HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n"
                           b"\r\n%s" % (len(body), body))
        with connection.makefile("rb") as stream:
            while b'"up"' not in stream.readline():
                pass
            assert server.fetch("POST", path, {"expiresAt": in_seconds(0.5)}).status == 200
            with contextlib.suppress(ConnectionResetError):
                stream.read()
    is_error(server.fetch("GET", "/v1/sandboxes/" + sandbox), 404, "DOCKER::SANDBOX_NOT_FOUND")


@test
def metadata_is_patched(server):
    base = "/v1/sandboxes/" + server.create(metadata={"a": "1", "b": "2"})
    answer = server.fetch("PATCH", base + "/metadata", {"a": None, "c": "3", "none": None})
    assert answer.status == 200 and answer.json()["metadata"] == {"b": "2", "c": "3"}
    assert server.fetch("PATCH", base + "/metadata", {}).json()["metadata"] == {"b": "2", "c": "3"}
    is_error(server.fetch("PATCH", base + "/metadata", {"opensandbox.io/a": "b"}), 400,
             "INVALID_METADATA_LABEL")
    is_error(server.fetch("PATCH", base + "/metadata", {"a b": "c"}), 400,
             "SANDBOX::INVALID_METADATA_LABEL")


@test
def endpoints_have_no_scheme(server):
    sandbox = server.create()
    base = f"/v1/sandboxes/{sandbox}/endpoints/"
    for port in (44772, 18080, 1, 65535):
        answer = server.fetch("GET", f"{base}{port}?use_server_proxy=false")
        assert answer.status == 200 and "headers" not in answer.json()
        assert re.fullmatch(rf"127\.0\.0\.1:\d+/proxy/{port}", answer.json()["endpoint"])
    answer = server.fetch("GET", base + "8000?use_server_proxy=true").json()
    assert answer == {"endpoint": f"127.0.0.1:{server.port}/v1/sandboxes/{sandbox}/proxy/8000"}
    answer = server.fetch("GET", f"/sandboxes/{sandbox}/endpoints/8000?use_server_proxy=true")
    assert answer.json()["endpoint"] == f"127.0.0.1:{server.port}/sandboxes/{sandbox}/proxy/8000"
    for port in (0, 65536):
        is_error(server.fetch("GET", f"{base}{port}"), 400, "DOCKER::INVALID_PORT")
    assert server.fetch("GET", base + "x").status == 422
    is_error(server.fetch("GET", base + "80?use_server_proxy=true&expires=4102444800"), 400,
             "SANDBOX::INVALID_PARAMETER")
    is_error(server.fetch("GET", base + "80?expires=4102444800"), 400,
             "SANDBOX::API_NOT_SUPPORTED")
    is_error(server.fetch("GET", "/v1/sandboxes/none/endpoints/80"), 404,
             "DOCKER::SANDBOX_NOT_FOUND")


def ready_snapshot(server, sandbox, body=None):
    answer = server.fetch("POST", f"/v1/sandboxes/{sandbox}/snapshots", body)
    assert answer.status == 202, answer
    snapshot = answer.json()
    assert answer.header("Location") == "/v1/snapshots/" + snapshot["id"]
    while snapshot["status"]["state"] == "Creating":
        snapshot = server.fetch("GET", "/v1/snapshots/" + snapshot["id"]).json()
    assert snapshot["status"]["state"] == "Ready", snapshot
    return snapshot


@test
def snapshots(server):
    sandbox = server.create()
    command = {"command": "echo kept > /root/file"}
    server.fetch("POST", f"/v1/sandboxes/{sandbox}/proxy/44772/command", command)
    snapshot = ready_snapshot(server, sandbox, {"name": "mine"})
    assert snapshot["sandboxId"] == sandbox and snapshot["name"] == "mine"
    listed = server.fetch("GET", f"/v1/snapshots?sandboxId={sandbox}&state=Ready").json()
    assert [item["id"] for item in listed["items"]] == [snapshot["id"]]
    assert listed["pagination"]["totalItems"] == 1
    body = {"snapshotId": snapshot["id"], "resourceLimits": {}, "timeout": 600}
    restored = server.fetch("POST", "/v1/sandboxes", body).json()
    assert restored["entrypoint"] == ["tail", "-f", "/dev/null"]
    found = server.fetch("GET", "/v1/sandboxes/" + restored["id"]).json()
    assert found["snapshotId"] == snapshot["id"] and "image" not in found
    answer = server.fetch("GET", f"/v1/sandboxes/{restored['id']}"
                          "/proxy/44772/files/download?path=/root/file")
    assert answer.body == b"kept\n"
    is_error(server.fetch("DELETE", "/v1/snapshots/" + snapshot["id"]), 409,
             "SNAPSHOT::DELETE_CONFLICT")
    server.fetch("DELETE", "/v1/sandboxes/" + restored["id"])
    assert server.fetch("DELETE", "/v1/snapshots/" + snapshot["id"]).status == 204
    is_error(server.fetch("GET", "/v1/snapshots/" + snapshot["id"]), 404, "SNAPSHOT::NOT_FOUND")
    is_error(server.fetch("POST", "/v1/sandboxes", body), 404, "SNAPSHOT::NOT_FOUND")
    server.fetch("POST", f"/v1/sandboxes/{sandbox}/pause")
    is_error(server.fetch("POST", f"/v1/sandboxes/{sandbox}/snapshots"), 409,
             "SNAPSHOT::INVALID_SOURCE_STATE")


@test
def pools_and_templates_are_not_there(server):
    capacity = {"bufferMax": 1, "bufferMin": 0, "poolMax": 1, "poolMin": 0}
    for method, path, body, code in (
            ("GET", "pools", None, "KUBERNETES::POOL_NOT_SUPPORTED"),
            ("PUT", "pools/x", {"capacitySpec": capacity}, "KUBERNETES::POOL_NOT_SUPPORTED"),
            ("GET", "templates", None, "FSB::API_NOT_SUPPORTED"),
            ("DELETE", "templates/x", None, "FSB::API_NOT_SUPPORTED")):
        is_error(server.fetch(method, "/v1/" + path, body), 501, code)
    assert server.fetch("PUT", "/v1/pools/x", {}).status == 422


@test
def diagnostics(server):
    base = f"/v1/sandboxes/{server.create()}/diagnostics/"
    for kind, scope in (("logs", "container"), ("events", "runtime")):
        answer = server.fetch("GET", f"{base}{kind}?scope={scope}").json()
        assert answer["kind"] == kind and answer["delivery"] == "inline"
        assert answer["contentLength"] == len(answer["content"].encode())
        assert server.fetch("GET", f"{base}{kind}?scope=all").json()["warnings"]
        is_error(server.fetch("GET", f"{base}{kind}?scope=x"), 400,
                 "DIAGNOSTICS_SCOPE_UNSUPPORTED")
        answer = server.fetch("GET", base + kind)
        assert answer.header("Deprecation") == "true"
        assert answer.header("content-type").startswith("text/plain")
    for kind in ("inspect", "summary"):
        assert server.fetch("GET", base + kind).status == 200
    assert server.fetch("GET", base + "logs?tail=0").status == 422


@test
def metrics_events_are_taken(server):
    event = {"eventType": "sandbox.create", "createDurationMs": 5, "success": True}
    assert server.fetch("POST", "/v1/metrics/events", event).status == 204
    assert server.fetch("POST", "/v1/metrics/events", {**event, "eventType": "x"}).status == 422


@test
def the_version_is_told(server):
    assert server.fetch("GET", "/version").json() == {"version": "1.1.1"}


@test
def an_old_server_does_not_know_newer_routes(_):
    with Server("--old") as server:
        body = {**SANDBOX, "timeout": 600}
        sandbox = server.fetch("POST", "/v1/sandboxes", body).json()["id"]
        base = "/v1/sandboxes/" + sandbox
        for method, path in (("GET", "/v1/snapshots"), ("PATCH", base + "/metadata"),
                             ("GET", base + "/networkpolicy"), ("GET", "/v1/templates"),
                             ("GET", base + "/diagnostics/inspect"), ("GET", "/version")):
            answer = server.fetch(method, path)
            assert (answer.status, answer.json()) == (404, {"detail": "Not Found"}), path
        assert server.fetch("POST", "/v1/sandboxes", {**SANDBOX, "timeout": None}).status == 422
        answer = server.fetch("GET", base + "/endpoints/80?use_server_proxy=true").json()
        assert answer["endpoint"] == f"127.0.0.1:{server.port}/sandboxes/{sandbox}/proxy/80"
        for method, path in (("POST", "session"), ("POST", "pty"),
                             ("GET", "directories/list?path=/")):
            answer = server.fetch(method, f"{base}/proxy/44772/{path}")
            assert (answer.status, answer.body) == (404, b"404 page not found"), path
        answer = server.fetch("POST", base + "/proxy/44772/command",
                              {"command": "true", "cwd": "/none"})
        events, _ = parse_events(answer.body)
        assert answer.status == 200 and events[-1]["type"] == "error", events
        answer = server.fetch("GET", base + "/proxy/80/", headers={
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
        is_error(answer, 400, "GENERAL::UNKNOWN_ERROR")


@test
def server_0_1_8_says_null(_):
    with Server("--nulls") as server:
        found = server.fetch("GET", "/v1/sandboxes/" + server.create(timeout=None)).json()
        assert found["expiresAt"] is None and found["platform"] is None


@test
def it_listens_on_loopback_only(server):
    listening = set()
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name, encoding="ascii") as lines:
            for line in list(lines)[1:]:
                fields = line.split()
                address, _, port = fields[1].rpartition(":")
                if int(port, 16) == server.port and fields[3] == "0A":
                    listening.add(address)
    assert listening and listening <= {"0100007F", "00000000000000000000000001000000"}, listening


@test
def pages_of_others_are_refused(server):
    """A browser shows it neither to pages of others nor under names of others"""
    execd = server.new_execd()
    for port, path in ((server.port, "/v1/sandboxes"), (server.port, "/_faults"), (execd, "/ping")):
        for name, value in (("Host", "evil.example"), ("Host", "localhost.evil.example"),
                            ("Host", "127.0.0.1.evil.example:80"), ("Origin", "null"),
                            ("Origin", "http://evil.example"), ("Origin", "http://192.0.2.1"),
                            ("Origin", "http://localhost.evil.example:80")):
            answer = fetch(port, "GET", path, headers={name: value})
            is_error(answer, 403, "GENERAL::UNKNOWN_ERROR", type=answer.header("content-type"))
        for name, value in (("Host", f"localhost:{port}"), ("Host", "[::1]"), ("Host", "192.0.2.1"),
                            ("Host", "id-80.localhost:1"), ("Origin", "http://localhost:3000"),
                            ("Origin", f"http://127.0.0.1:{port}"), ("Origin", "https://[::1]:1")):
            assert fetch(port, "GET", path, headers={name: value}).status == 200, (name, value)
    answer = server.fetch("POST", "/_faults", b'{"action":"reset"}',
                          headers={"Origin": "http://evil.example", "Content-Type": "text/plain"})
    assert answer.status == 403 and server.fetch("GET", "/_faults").json()["faults"] == []
    with Server("--eip", "front.example:8443/path") as other:
        for host, status in (("front.example", 200), ("other.example", 403)):
            assert other.fetch("GET", "/health", headers={"Host": host}).status == status


def find_processes(argument):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as words:
            if argument in words.read().split(b"\0"):
                found.append(pid)
    return found


@test
def with_it_all_that_it_started_ends(_):
    name = f"ends-with-{os.getpid()}"
    command = (f"setsid sh -c 'trap \"\" TERM; tail -f /dev/null; :' {name} & "
               f"exec sh -c 'tail -f /dev/null; :' {name}")
    for options in ((), ("--plain",)):
        with Server(*options) as server:
            for _ in range(4):
                execd = server.new_execd()
                fetch(execd, "POST", "/command", {"command": command, "background": True})
            while len(find_processes(name.encode())) < 8:
                assert server.fetch("GET", "/health").status == 200
        assert find_processes(name.encode()) == [], options


@test
def whatever_comes_it_goes_on(server):
    execd = server.new_execd()
    for line in (b"GET / HTTP/1.1\r\nHost: localhost", b"CONNECT a:1 HTTP/1.1", b"GET http://127.0.0.1 HTTP/1.1",
                 b"OPTIONS * HTTP/1.1",
                 b"GET http://[::1 HTTP/1.1", b"GET /%00 HTTP/1.1", b"GET //sandboxes HTTP/1.1",
                 b"GET /?a=%zz HTTP/1.1", b"GET / HTTP/9.9", b"\0\0\0", b"GET " + b"a" * 200000,
                 b"POST / HTTP/1.1\r\nContent-Length: -1",
                 b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx"):
        for port in (server.port, execd):
            with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
                with contextlib.suppress(OSError):
                    connection.sendall(line + b"\r\n\r\n")
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1000)
        assert server.fetch("GET", "/health").status == 200, line
        assert fetch(execd, "GET", "/ping").status == 200, line


@test
def pages_of_this_machine_may_look_into_answers(server):
    origin = {"Origin": "http://localhost:3000"}
    answer = server.fetch("GET", "/v1/sandboxes", headers=origin)
    assert answer.header("Access-Control-Allow-Origin") == origin["Origin"], answer
    answer = server.fetch("OPTIONS", "/v1/sandboxes", headers={
        **origin, "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type"})
    assert (answer.status, answer.body) == (200, b"OK"), answer
    assert "POST" in answer.header("Access-Control-Allow-Methods"), answer
    assert answer.header("Access-Control-Allow-Headers") == "content-type", answer
    assert server.fetch("OPTIONS", "/v1/sandboxes").status == 405


run(Server())
