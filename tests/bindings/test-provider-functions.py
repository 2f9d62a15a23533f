#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a provider may do beyond the least can be written in Python, and used from there."""

import threading

import tap_unittest
from asb_test import Asb, Gio, GLib, TestCase, wait_for
from python_provider import DictionaryProvider


class FullProvider(DictionaryProvider, Asb.Provider):
    __gtype_name__ = "FullProvider"

    def __init__(self, **properties):
        super().__init__(**properties)
        self.policy = Asb.NetworkPolicy(default_action=Asb.NetworkAction.DENY)
        self.snapshots = []
        self.files = {}
        self.watch = None

    def do_put_file(self, sandbox_id, path, contents, mode, task):
        self.files[sandbox_id, path] = contents.get_data(), mode
        task.return_boolean(True)

    def do_get_endpoint(self, sandbox_id, port, expires, task):
        task.return_value(Asb.Endpoint.new(port, f"http://{sandbox_id}:{port}",
                                           {"X-Expires": str(expires)}))

    def do_get_network_policy(self, sandbox_id, task):
        task.return_value(self.policy)

    def do_set_network_policy(self, sandbox_id, policy, task):
        self.policy = policy
        task.return_value(policy)

    def do_patch_network_policy(self, sandbox_id, policy, task):
        merged = Asb.NetworkPolicy(default_action=self.policy.get_default_action())
        for rule in [*policy.get_rules(), *self.policy.get_rules()]:
            merged.add_rule(rule.get_action(), rule.get_target())
        self.policy = merged
        task.return_value(merged)

    def do_remove_network_rules(self, sandbox_id, targets, task):
        left = Asb.NetworkPolicy(default_action=self.policy.get_default_action())
        for rule in self.policy.get_rules():
            if rule.get_target() not in targets:
                left.add_rule(rule.get_action(), rule.get_target())
        self.policy = left
        task.return_value(left)

    def do_patch_metadata(self, sandbox_id, changes, task):
        metadata = {name: value for name, value in changes.unpack().items() if value is not None}
        ref = Asb.SandboxRef.new("full", "full-1", sandbox_id, "i", None, metadata)
        task.return_value(Asb.SandboxInfo(ref=ref, reason="changed"))

    def do_create_snapshot(self, sandbox_id, name, task):
        self.snapshots.append(Asb.Snapshot(id=f"snapshot-{len(self.snapshots)}", name=name,
                                           sandbox_id=sandbox_id, state=Asb.SnapshotState.READY))
        task.return_value(self.snapshots[-1])

    def do_get_snapshot(self, snapshot_id, task):
        found = [snapshot for snapshot in self.snapshots if snapshot.get_id() == snapshot_id]
        if not found:
            raise GLib.Error.new_literal(Asb.error_quark(), "There is none",
                                         Asb.Error.SNAPSHOT_NOT_FOUND)
        task.return_value(found[0])

    def do_list_snapshots(self, filter, task):
        everything = Gio.ListStore.new(Asb.Snapshot.__gtype__)
        for snapshot in self.snapshots:
            everything.append(snapshot)
        task.return_value(filter.select(everything))

    def do_delete_snapshot(self, snapshot_id, task):
        self.snapshots = [each for each in self.snapshots if each.get_id() != snapshot_id]
        task.return_boolean(True)

    def do_get_metrics(self, sandbox_id, task):
        task.return_value(Asb.SandboxMetrics(cpu_count=2, cpu_percent=150.5, memory_total=2**40))

    def do_watch_metrics(self, sandbox_id, task):
        self.watch = Asb.MetricsWatch.new()
        self.watch.push(Asb.SandboxMetrics(memory_used=1))
        task.return_value(self.watch)

    def do_get_diagnostics(self, sandbox_id, kind, scope, task):
        task.return_value(Asb.Diagnostics(kind=kind, scope=scope, content="text",
                                          warnings=["it is old"]))

    def do_call_service(self, sandbox_id, name, arguments, task):
        task.return_value(GLib.Variant("a{sv}", {"name": GLib.Variant("s", name),
                                                 "sandbox": GLib.Variant("s", sandbox_id or "none"),
                                                 "arguments": arguments}))


class MortalProvider(DictionaryProvider, Asb.Provider):
    """Its sandboxes live a second unless they are renewed, which is done where it lives."""

    __gtype_name__ = "MortalProvider"

    def __init__(self, **properties):
        super().__init__(**properties)
        self.renewed = []
        self.renewed_enough = lambda: None

    def do_get_capabilities(self):
        capabilities = Asb.Capabilities.new()
        capabilities.add_capability(
            Asb.Capability.new(Asb.CAPABILITY_KEEP_ALIVE, Asb.CapabilitySupport.NATIVE, "test", None,
                               {"min_seconds": "1", "default_seconds": "1"}))
        return capabilities

    def do_renew_sandbox(self, sandbox_id, seconds, task):
        self.renewed.append((sandbox_id, seconds, threading.current_thread()))
        task.return_value(self.info(sandbox_id))
        if len(self.renewed) == 3:
            self.renewed_enough()


class TestKeepAlive(TestCase):
    def test_in_its_own_context(self):
        provider = MortalProvider()
        loop = GLib.MainLoop()
        provider.renewed_enough = loop.quit
        with Asb.create_backend(Asb.BackendOptions(provider=provider), None) as backend:
            sandbox_id = backend.get_ref().get_sandbox_id()
            loop.run()
        self.assertEqual(provider.renewed, [(sandbox_id, 1, threading.main_thread())] * 3)
        spec = provider.specs[sandbox_id]
        self.assertEqual((spec.get_ttl_mode(), spec.get_ttl_seconds()), (Asb.TtlMode.SECONDS, 1))


class TestProviderFunctions(TestCase):
    def setUp(self):
        self.provider = FullProvider()

    def test_endpoint(self):
        endpoint = self.provider.get_endpoint("a", 80, 7, None)
        self.assertEqual((endpoint.get_port(), endpoint.get_uri(), endpoint.get_headers()),
                         (80, "http://a:80", {"X-Expires": "7"}))
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, self.provider.get_endpoint, "a", 70000, 0, None)

    def test_file(self):
        self.assertTrue(self.provider.put_file("a", "/näme", GLib.Bytes.new(b"x\0"), 0o640, None))
        self.assertEqual(self.provider.files, {("a", "/näme"): (b"x\0", 0o640)})

    def test_network_policy(self):
        policy = Asb.NetworkPolicy(default_action=Asb.NetworkAction.ALLOW)
        policy.add_rule(Asb.NetworkAction.DENY, "a.example")
        self.provider.set_network_policy("a", policy, None)
        more = Asb.NetworkPolicy.new()
        more.add_rule(Asb.NetworkAction.ALLOW, "b.example")
        patched = wait_for(self.provider.patch_network_policy_async,
                           self.provider.patch_network_policy_finish, "a", more, None)
        self.assertEqual([rule.get_target() for rule in patched.get_rules()],
                         ["b.example", "a.example"])
        self.provider.remove_network_rules("a", ["a.example"], None)
        read = self.provider.get_network_policy("a", None)
        self.assertEqual([rule.get_action() for rule in read.get_rules()],
                         [Asb.NetworkAction.ALLOW])
        self.assertEqual(read.get_default_action(), Asb.NetworkAction.ALLOW)

    def test_metadata(self):
        changes = GLib.Variant("a{sms}", {"kept": "yes", "gone": None})
        info = self.provider.patch_metadata("a", changes, None)
        self.assertEqual(info.get_ref().get_metadata(), {"kept": "yes"})
        self.assertEqual(info.get_reason(), "changed")

    def test_snapshots(self):
        made = self.provider.create_snapshot("a", "nightly", None)
        self.provider.create_snapshot("b", None, None)
        self.assertEqual(self.provider.get_snapshot(made.get_id(), None).get_name(), "nightly")
        listed = self.provider.list_snapshots(Asb.SnapshotFilter(sandbox_id="b"), None)
        self.assertEqual([snapshot.get_id() for snapshot in listed], ["snapshot-1"])
        self.assertTrue(self.provider.delete_snapshot(made.get_id(), None))
        self.assert_fails(Asb.Error.SNAPSHOT_NOT_FOUND, self.provider.get_snapshot, made.get_id(),
                          None)

    def test_metrics(self):
        metrics = self.provider.get_metrics("a", None)
        self.assertEqual((metrics.get_cpu_count(), metrics.get_cpu_percent()), (2, 150.5))
        self.assertEqual(metrics.get_memory_total(), 2**40)

    def test_watch(self):
        watch = self.provider.watch_metrics("a", None)
        loop = GLib.MainLoop()
        seen = []
        watch.connect("sample", lambda _, metrics: seen.append(metrics.get_memory_used()))
        watch.connect("ended", lambda _: loop.quit())
        self.provider.watch.push(Asb.SandboxMetrics(memory_used=2))
        self.provider.watch.end()
        loop.run()
        self.assertEqual(seen, [1, 2])
        self.assertEqual(watch.get_state(), Asb.MetricsWatchState.GONE)

    def test_diagnostics(self):
        diagnostics = self.provider.get_diagnostics("a", "logs", "container", None)
        self.assertEqual(diagnostics.get_scope(), "container")
        self.assertEqual(diagnostics.get_warnings(), ["it is old"])

    def test_service(self):
        answer = self.provider.call_service(None, "pools.list", None, None)
        self.assertEqual(answer.unpack(), {"name": "pools.list", "sandbox": "none", "arguments": {}})


if __name__ == "__main__":
    tap_unittest.main()
