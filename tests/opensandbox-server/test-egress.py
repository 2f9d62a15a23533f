#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The egress sidecar: policy and credential vault, directly and through the server.

usage: test-egress.py SERVER
"""

import concurrent.futures

from lookalike import SANDBOX, Server, fetch, run, test

POLICY = {"defaultAction": "deny", "egress": [{"action": "allow", "target": "example.org"},
                                              {"action": "allow", "target": "*.example.net"}]}


class Sidecar:
    def __enter__(self):
        self.server = Server()
        self.renew()
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def renew(self, **members):
        self.sandbox = self.server.create(networkPolicy=POLICY, **members)
        answer = self.server.fetch(
            "GET", f"/v1/sandboxes/{self.sandbox}/endpoints/18080?use_server_proxy=true").json()
        self.path = "/" + answer["endpoint"].partition("/")[2]
        self.headers = answer["headers"]

    def fetch(self, method, path, body=None):
        return self.server.fetch(method, self.path + path, body, headers=self.headers)

    def rules(self):
        answer = self.fetch("GET", "/policy")
        assert answer.status == 200, answer
        return [(rule["action"], rule["target"]) for rule in answer.json()["policy"]["egress"]]


def is_text(answer, status, words):
    assert answer.status == status, answer
    assert answer.header("content-type").startswith("text/plain"), answer
    assert words in answer.body.decode() and answer.body.endswith(b"\n"), answer


@test
def the_token_comes_with_the_endpoint(sidecar):
    assert list(sidecar.headers) == ["OPENSANDBOX-EGRESS-AUTH"]
    is_text(sidecar.server.fetch("GET", sidecar.path + "/policy"), 401, "unauthorized")
    is_text(sidecar.server.fetch("GET", sidecar.path + "/credential-vault"), 401, "unauthorized")
    answer = sidecar.server.fetch("GET", sidecar.path + "/healthz")
    assert (answer.status, answer.body) == (200, b"ok")


@test
def a_path_of_nothing_is_not_found(sidecar):
    is_text(sidecar.fetch("GET", "/"), 404, "not found")
    assert sidecar.server.fetch("GET", "/").status == 404
    assert fetch(sidecar.server.execd(sidecar.sandbox), "GET", "/").status == 404


@test
def it_is_reached_through_execd_too(sidecar):
    execd = sidecar.server.execd(sidecar.sandbox)
    answer = fetch(execd, "GET", "/proxy/18080/policy", headers=sidecar.headers)
    assert answer.status == 200, answer


@test
def a_policy_is_told(sidecar):
    answer = sidecar.fetch("GET", "/policy")
    assert answer.header("content-type") == "application/json"
    assert answer.json() == {"status": "ok", "mode": "enforcing", "enforcementMode": "dns",
                             "policy": {"egress": POLICY["egress"], "defaultAction": "deny"}}


@test
def replacement(sidecar):
    for method in ("POST", "PUT"):
        answer = sidecar.fetch(method, "/policy", {"defaultAction": "ALLOW", "egress": [
            {"target": " a.example ", "action": "Allow"}, {"target": "10.0.0.0/8"}]})
        assert answer.status == 200 and "policy" not in answer.json(), answer
        assert sidecar.rules() == [("allow", "a.example"), ("deny", "10.0.0.0/8")]
    assert sidecar.fetch("PUT", "/policy", {"defaultAction": "allow"}).json()["mode"] == "allow_all"
    assert sidecar.fetch("PUT", "/policy", {}).json()["mode"] == "deny_all"
    answer = sidecar.fetch("PUT", "/policy").json()
    assert answer["mode"] == "deny_all" and answer["reason"]
    for body in ([], {"egress": [{"target": ""}]}, {"egress": [{"target": "x", "action": "y"}]}):
        is_text(sidecar.fetch("PUT", "/policy", body), 400, "invalid policy")
    many = {"egress": [{"target": f"h{number}.example"} for number in range(4097)]}
    is_text(sidecar.fetch("PUT", "/policy", many), 413, "exceeds limit 4096")


@test
def rules_are_patched(sidecar):
    sidecar.fetch("PUT", "/policy", POLICY)
    answer = sidecar.fetch("PATCH", "/policy", [
        {"action": "deny", "target": "Example.ORG"}, {"action": "allow", "target": "new.example"},
        {"action": "allow", "target": "example.org"}])
    assert answer.status == 200, answer
    assert sidecar.rules() == [("deny", "Example.ORG"), ("allow", "new.example"),
                               ("allow", "*.example.net")]
    for body in ([], {}, None):
        assert sidecar.fetch("PATCH", "/policy", body).status == 400


@test
def rules_are_deleted(sidecar):
    sidecar.fetch("PUT", "/policy", POLICY)
    answer = sidecar.fetch("DELETE", "/policy", ["nothing.example"])
    assert answer.json()["reason"] == "no matching targets found"
    assert sidecar.fetch("DELETE", "/policy", ["EXAMPLE.org"]).status == 200
    assert sidecar.rules() == [("allow", "*.example.net")]
    for body in ([], {}, [1], None):
        assert sidecar.fetch("DELETE", "/policy", body).status == 400


@test
def other_methods(sidecar):
    execd = sidecar.server.execd(sidecar.sandbox)
    answer = fetch(execd, "OPTIONS", "/proxy/18080/policy", headers=sidecar.headers)
    is_text(answer, 405, "method not allowed")
    assert answer.header("Allow") == "GET, POST, PUT, PATCH, DELETE"


@test
def no_rules_are_null_on_demand(sidecar):
    sidecar.fetch("PUT", "/policy", {})
    assert sidecar.fetch("GET", "/policy").json()["policy"]["egress"] == []
    sidecar.server.set(egress_null=True)
    assert sidecar.fetch("GET", "/policy").json()["policy"]["egress"] is None
    sidecar.server.set(egress_null=False)
    sidecar.fetch("PUT", "/policy", POLICY)


@test
def the_server_has_a_door_of_its_own(sidecar):
    path = f"/v1/sandboxes/{sidecar.sandbox}/networkpolicy"
    assert sidecar.server.fetch("PUT", path, POLICY).status == 200
    assert sidecar.server.fetch("GET", path).json()["policy"]["egress"] == POLICY["egress"]
    assert sidecar.server.fetch("PATCH", path, [{"action": "deny", "target": "x.example"}]
                                ).status == 200
    assert sidecar.server.fetch("DELETE", path, ["x.example"]).status == 200
    assert sidecar.rules() == [("allow", "example.org"), ("allow", "*.example.net")]
    other = sidecar.server.create()
    answer = sidecar.server.fetch("GET", f"/v1/sandboxes/{other}/networkpolicy")
    assert answer.status == 502, answer
    answer = sidecar.server.fetch("GET", f"/v1/sandboxes/{other}/endpoints/18080")
    assert answer.status == 200 and "headers" not in answer.json(), answer


@test
def it_is_silent_while_the_sandbox_is_paused(sidecar):
    base = f"/v1/sandboxes/{sidecar.sandbox}"
    assert sidecar.server.fetch("POST", base + "/pause").status == 202
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(sidecar.server.fetch, "GET", base + "/networkpolicy")
        assert sidecar.server.fetch("GET", base).json()["status"]["state"] == "Paused"
        assert not answer.done()
        assert sidecar.server.fetch("POST", base + "/resume").status == 202
        assert answer.result().json()["policy"]["egress"] == POLICY["egress"]


def credential(name, value="secret"):
    return {"name": name, "source": {"type": "inline", "value": value}}


def binding(title, *hosts, **auth):
    return {"name": title, "match": {"hosts": list(hosts)},
            "auth": auth or {"type": "bearer", "credential": "c"}}


@test
def a_vault_needs_the_proxy(sidecar):
    is_text(sidecar.fetch("POST", "/credential-vault", {}), 412, "mitmproxy")
    is_text(sidecar.fetch("GET", "/credential-vault"), 404, "not found")
    body = {**SANDBOX, "credentialProxy": {"enabled": True}}
    assert sidecar.server.fetch("POST", "/v1/sandboxes", body).status == 422


@test
def a_vault_is_made_changed_and_removed(sidecar):
    sidecar.renew(credentialProxy={"enabled": True})
    body = {"credentials": [credential("c")], "bindings": [binding("b", "example.org")]}
    answer = sidecar.fetch("POST", "/credential-vault", body)
    assert answer.status == 201 and b"secret" not in answer.body, answer
    state = answer.json()
    assert state["revision"] == 1
    assert state["credentials"] == [{"name": "c", "sourceType": "inline", "revision": 1}]
    assert state["bindings"][0]["match"] == {
        "schemes": ["https"], "ports": [443], "hosts": ["example.org"],
        "methods": ["GET", "POST", "PUT", "PATCH", "DELETE"], "paths": ["/*"]}
    assert state["bindings"][0]["auth"] == {"type": "bearer"}
    assert sidecar.fetch("GET", "/credential-vault").json() == state
    is_text(sidecar.fetch("POST", "/credential-vault", body), 409, "exists")
    assert sidecar.fetch("GET", "/credential-vault/credentials/c").json()["name"] == "c"
    assert sidecar.fetch("GET", "/credential-vault/bindings").json()["bindings"]
    is_text(sidecar.fetch("GET", "/credential-vault/bindings/none"), 404, "binding not found")
    is_text(sidecar.fetch("GET", "/credential-vault/_active"), 403, "forbidden")
    answer = sidecar.fetch("PATCH", "/credential-vault", {
        "expectedRevision": 1, "credentials": {"add": [credential("d")]},
        "bindings": {"replace": [binding("b", "www.example.net", type="apiKey", name="X-Key",
                                         credential="d")]}})
    assert answer.status == 200 and answer.json()["revision"] == 2, answer
    assert answer.json()["bindings"][0]["auth"] == {"type": "apiKey", "name": "X-Key"}
    is_text(sidecar.fetch("PATCH", "/credential-vault", {"expectedRevision": 1}), 409, "revision")
    is_text(sidecar.fetch("PUT", "/policy", {}), 400, "credential vault policy validation")
    assert sidecar.rules() == [("allow", "example.org"), ("allow", "*.example.net")]
    answer = sidecar.fetch("DELETE", "/credential-vault")
    assert (answer.status, answer.body) == (204, b"")
    is_text(sidecar.fetch("GET", "/credential-vault"), 404, "not found")


@test
def what_a_vault_refuses(sidecar):
    good = [credential("c")]
    for body in ({"unknown": 1},
                 {"credentials": [credential("")]},
                 {"credentials": [credential("c", "")]},
                 {"credentials": good * 2},
                 {"credentials": good, "bindings": [binding("b", "other.example")]},
                 {"credentials": good, "bindings": [binding("b", "10.0.0.1")]},
                 {"credentials": good, "bindings": [binding("b")]},
                 {"credentials": [], "bindings": [binding("b", "example.org")]},
                 {"credentials": good, "bindings": [binding("b", "example.org", type="magic")]}):
        answer = sidecar.fetch("POST", "/credential-vault", body)
        assert answer.status == 400, (body, answer)
    is_text(sidecar.fetch("GET", "/credential-vault"), 404, "not found")


run(Sidecar())
