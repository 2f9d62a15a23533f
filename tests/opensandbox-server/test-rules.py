#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What opensandbox-server 1.1.1 answers to requests that are a little wrong, as it was seen to.

usage: test-rules.py SERVER
"""

from lookalike import SANDBOX, Server, run, test

MODEL = "Input should be a valid dictionary or object to extract fields from"
NO_BACKEND = ("Value error, Exactly one backend (host, pvc, ossfs) must be specified, but none was "
              "provided.")
VOLUME = {"name": "v", "mountPath": "/data"}
LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"

# Members of a creation, and of each complaint its type, its place, its words and its context.
REFUSED = (
    ({"image": {"uri": 5}},
     ("string_type", ["image", "uri"], "Input should be a valid string", None)),
    ({"image": "python"}, ("model_attributes_type", ["image"], MODEL, None)),
    ({"image": {"uri": "x", "auth": {"username": "a"}}},
     ("missing", ["image", "auth", "password"], "Field required", None)),
    ({"snapshotId": 5}, ("string_type", ["snapshotId"], "Input should be a valid string", None)),
    ({"timeout": 60.5},
     ("int_from_float", ["timeout"],
      "Input should be a valid integer, got a number with a fractional part", None)),
    ({"timeout": "x"},
     ("int_parsing", ["timeout"],
      "Input should be a valid integer, unable to parse string as an integer", None)),
    ({"timeout": []}, ("int_type", ["timeout"], "Input should be a valid integer", None)),
    ({"timeout": True},
     ("greater_than_equal", ["timeout"], "Input should be greater than or equal to 60", {"ge": 60})),
    ({"entrypoint": []},
     ("too_short", ["entrypoint"], "List should have at least 1 item after validation, not 0",
      {"field_type": "List", "min_length": 1, "actual_length": 0})),
    ({"entrypoint": [1]}, ("string_type", ["entrypoint", 0], "Input should be a valid string", None)),
    ({"metadata": {"1": 1}},
     ("string_type", ["metadata", "1"], "Input should be a valid string", None)),
    ({"networkPolicy": []}, ("model_attributes_type", ["networkPolicy"], MODEL, None)),
    ({"networkPolicy": {"egress": None}},
     ("list_type", ["networkPolicy", "egress"], "Input should be a valid list", None)),
    ({"networkPolicy": {"egress": [{}]}},
     ("missing", ["networkPolicy", "egress", 0, "action"], "Field required", None),
     ("missing", ["networkPolicy", "egress", 0, "target"], "Field required", None)),
    ({"networkPolicy": {"egress": [{"action": "allow", "target": ""}]}},
     ("string_too_short", ["networkPolicy", "egress", 0, "target"],
      "String should have at least 1 character", {"min_length": 1})),
    ({"credentialProxy": {"enabled": "x"}},
     ("bool_parsing", ["credentialProxy", "enabled"],
      "Input should be a valid boolean, unable to interpret input", None)),
    ({"secureAccess": {}},
     ("bool_type", ["secureAccess"], "Input should be a valid boolean", None)),
    ({"platform": {"os": "linux"}}, ("missing", ["platform", "arch"], "Field required", None)),
    ({"volumes": "x"}, ("list_type", ["volumes"], "Input should be a valid list", None)),
    ({"volumes": [VOLUME]}, ("value_error", ["volumes", 0], NO_BACKEND, {"error": {}})),
    ({"volumes": [{**VOLUME, "host": {}}]},
     ("missing", ["volumes", 0, "host", "path"], "Field required", None)),
    ({"volumes": [{**VOLUME, "name": "a" * 64, "pvc": {"claimName": "ab"}}]},
     ("string_too_long", ["volumes", 0, "name"], "String should have at most 63 characters",
      {"max_length": 63})),
    ({"volumes": [{**VOLUME, "pvc": {"claimName": "A_B"}}]},
     ("string_pattern_mismatch", ["volumes", 0, "pvc", "claimName"],
      f"String should match pattern '{LABEL}'", {"pattern": LABEL})),
    ({"volumes": [{**VOLUME, "ossfs": {"bucket": "bbb", "endpoint": "e", "version": "3"}}]},
     ("literal_error", ["volumes", 0, "ossfs", "version"], "Input should be '1.0' or '2.0'",
      {"expected": "'1.0' or '2.0'"})),
    ({"lifecycle": {"x": 1}},
     ("extra_forbidden", ["lifecycle", "x"], "Extra inputs are not permitted", None)),
    ({"templateId": "x"},
     ("value_error", [], "Value error, templateId cannot be combined with: entrypoint, image, "
      "resourceLimits; the workload shape is fixed by the template's golden image.",
      {"error": {}})),
)


def is_error(answer, status, code):
    assert (answer.status, answer.json()["code"]) == (status, code), answer


@test
def each_member_is_looked_at(server):
    for members, *complaints in REFUSED:
        answer = server.fetch("POST", "/v1/sandboxes", {**SANDBOX, **members})
        assert answer.status == 422, (members, answer)
        seen = [(one["type"], one["loc"], one["msg"], one.get("ctx"))
                for one in answer.json()["detail"]]
        wanted = [(kind, ["body", *place], words, context)
                  for kind, place, words, context in complaints]
        assert seen == wanted, (members, seen, wanted)


@test
def what_stands_for_another_type_is_taken(server):
    for members in ({"timeout": "60"}, {"timeout": 60.0}, {"timeout": " 6_00 "},
                    {"secureAccess": "no"}, {"secureAccess": 0},
                    {"resource_limits": {"cpu": "1"}, "resourceLimits": None}):
        body = {name: value for name, value in {**SANDBOX, **members}.items() if value is not None}
        answer = server.fetch("POST", "/v1/sandboxes", body)
        assert answer.status == 202 and answer.json()["expiresAt"], (members, answer)
    is_error(server.fetch("POST", "/v1/sandboxes", {**SANDBOX, "secureAccess": "yes"}), 400,
             "SANDBOX::INVALID_PARAMETER")


@test
def what_docker_would_refuse_fails(server):
    for members, status, code in (
            ({"image": {"uri": "UPPER:1"}}, 500, "DOCKER::SANDBOX_IMAGE_PULL_FAILED"),
            ({"image": {"uri": "a b"}}, 500, "DOCKER::SANDBOX_IMAGE_PULL_FAILED"),
            ({"env": {"": "x"}}, 500, "DOCKER::SANDBOX_START_FAILED"),
            ({"networkPolicy": {"egress": [{"action": "x", "target": "y"}]}}, 500,
             "DOCKER::SANDBOX_START_FAILED"),
            ({"resourceLimits": {"gpu": "x"}}, 400, "SANDBOX::INVALID_PARAMETER"),
            ({"extensions": {"access.renew.extend.seconds": ""}}, 400,
             "SANDBOX::INVALID_PARAMETER"),
            ({"volumes": [{**VOLUME, "host": {"path": "/a/../b"}}]}, 400,
             "VOLUME::INVALID_HOST_PATH"),
            ({"volumes": [{**VOLUME, "host": {"path": "/a/"}}]}, 400,
             "VOLUME::INVALID_HOST_PATH")):
        is_error(server.fetch("POST", "/v1/sandboxes", {**SANDBOX, **members}), status, code)
    server.create(env={"OPENSANDBOX_EGRESS_MITMPROXY_TRANSPARENT": "true"})


@test
def only_some_extensions_are_kept(server):
    sandbox = server.create(extensions={"opensandbox.extensions.a": "b",
                                        "access.renew.extend.seconds": "600", "other": "c"})
    found = server.fetch("GET", "/v1/sandboxes/" + sandbox).json()
    assert found["extensions"] == {"opensandbox.extensions.a": "b"}, found


@test
def metadata_are_changed_to_strings_only(server):
    path = f"/v1/sandboxes/{server.create()}/metadata"
    for value in (1, True, [], {}):
        answer = server.fetch("PATCH", path, {"x": value})
        assert answer.status == 422, answer
        assert answer.json()["detail"][0]["loc"] == ["body", "x"]


@test
def a_time_has_many_forms(server):
    path = f"/v1/sandboxes/{server.create()}/renew-expiration"
    for when in ("2099-01-01", "2099-01-01T00:00Z", "2099-01-01t00:00:00z", 4070908800,
                 4070908800000, "4070908800", "2099-01-01 08:00:00+08:00"):
        answer = server.fetch("POST", path, {"expiresAt": when})
        assert answer.status == 200, (when, answer)
        assert answer.json()["expiresAt"] == "2099-01-01T00:00:00Z", (when, answer)
    assert server.fetch("POST", path, {"expires_at": "2099-01-01"}).status == 200
    for when in ("20990101T000000Z", "2099-01-01T00:00:60Z", "2099-01-01T00:00:00+24:00",
                 "10000-01-01T00:00:00Z", " 2099-01-01", "2099-02-30", None, True, []):
        assert server.fetch("POST", path, {"expiresAt": when}).status == 422, when
    is_error(server.fetch("POST", path, {"expiresAt": 1.5}), 400, "DOCKER::INVALID_EXPIRATION")


@test
def queries_are_read_as_loosely(server):
    base = f"/v1/sandboxes/{server.create()}"
    for query, status in (("page=%201", 200), ("page=1.0", 200), ("page=1_0", 200),
                          ("page=x&page=2", 200), ("page=1.5", 422)):
        answer = server.fetch("GET", "/v1/sandboxes?" + query)
        assert answer.status == status, (query, answer)
    assert server.fetch("GET", base + "/endpoints/80?use_server_proxy=x").status == 422
    assert server.fetch("GET", base + "/endpoints/%2080?use_server_proxy=yes").json()[
        "endpoint"].endswith("/proxy/80")
    is_error(server.fetch("GET", base + "/endpoints/80?expires=1"), 400,
             "SANDBOX::API_NOT_SUPPORTED")


@test
def every_address_leads_somewhere(server):
    for path in ("/", "/v1", "/v1/", "/v1/health", "/v1/version", "/metrics/events"):
        for method in ("GET", "POST"):
            answer = server.fetch(method, path)
            assert (answer.status, answer.json()) == (404, {"detail": "Not Found"}), (path, answer)
    for path, to in (("/v1/sandboxes/", "/v1/sandboxes"), ("/health/", "/health")):
        answer = server.fetch("GET", path)
        assert answer.status == 307 and answer.header("Location").endswith(to), answer
    # Of a path that several functions share the first one is asked.
    assert server.fetch("PUT", "/v1/sandboxes").header("Allow") == "POST"


run(Server())
