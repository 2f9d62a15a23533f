#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a backend has its provider do with its sandbox, from Python, with the mock."""

import tap_unittest
from asb_test import Asb, GLib, TestCase, wait_for


class TestServices(TestCase):
    def setUp(self):
        self.mock = Asb.Registry.get_default().create_provider("mock", None)
        self.backend = Asb.create_backend(Asb.BackendOptions(provider=self.mock), None)

    def tearDown(self):
        self.backend.close(None)

    def test_pause(self):
        self.assertEqual(self.backend.pause(None).get_state(), Asb.SandboxState.PAUSED)
        self.assert_fails(Asb.Error.SANDBOX_STATE, self.backend.list_files, "/", None)
        info = wait_for(self.backend.resume_async, self.backend.resume_finish, None)
        self.assertEqual(info.get_state(), Asb.SandboxState.RUNNING)

    def test_renew(self):
        self.assertIsNone(self.backend.query_info(None).get_expires_at())
        expiry = self.backend.renew(90, None).get_expires_at()
        self.assertLess(abs(expiry.difference(GLib.DateTime.new_now_utc()) - 90 * 10**6), 10**7)
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, self.backend.renew, -1, None)

    def test_endpoint(self):
        endpoint = self.backend.get_endpoint(8080, 0, None)
        self.assertTrue(endpoint.get_uri().endswith(":8080"))
        self.assertIn("X-Mock-Sandbox", endpoint.get_headers())

    def test_network(self):
        policy = Asb.NetworkPolicy.new()
        policy.add_rule(Asb.NetworkAction.ALLOW, "a.example")
        self.backend.set_network_policy(policy, None)
        more = Asb.NetworkPolicy.new()
        more.add_rule(Asb.NetworkAction.DENY, "b.example")
        self.backend.patch_network_policy(more, None)
        self.backend.remove_network_rules(["a.example"], None)
        read = wait_for(self.backend.get_network_policy_async,
                        self.backend.get_network_policy_finish, None)
        self.assertEqual([rule.get_target() for rule in read.get_rules()], ["b.example"])

    def test_metadata(self):
        info = self.backend.patch_metadata(GLib.Variant("a{sms}", {"a": "1"}), None)
        self.assertEqual(info.get_ref().get_metadata()["a"], "1")

    def test_snapshot(self):
        snapshot = self.backend.create_snapshot("nightly", None)
        options = Asb.BackendOptions(provider=self.mock, snapshot_id=snapshot.get_id())
        with Asb.create_backend(options, None) as copy:
            self.assertNotEqual(copy.get_ref().get_sandbox_id(), snapshot.get_sandbox_id())
        self.assertTrue(self.mock.delete_snapshot(snapshot.get_id(), None))

    def test_metrics(self):
        sandbox_id = self.backend.get_ref().get_sandbox_id()
        watch = self.backend.watch_metrics(None)
        loop = GLib.MainLoop()
        seen = []
        watch.connect("sample", lambda _, metrics: seen.append(metrics.get_memory_used()))
        watch.connect("ended", lambda _: loop.quit())
        self.mock.emit("set-metrics", sandbox_id,
                       GLib.Variant("a{sv}", {"memory-used": GLib.Variant("x", 7)}))
        GLib.idle_add(watch.close)
        loop.run()
        self.assertEqual(seen, [0, 7])
        self.assertEqual(self.backend.get_metrics(None).get_memory_used(), 7)

    def test_diagnostics(self):
        self.mock.emit("set-diagnostics", "logs", "it broke")
        self.assertEqual(self.backend.get_diagnostics("logs", None, None).get_content(), "it broke")

    def test_service(self):
        self.mock.emit("set-service-result", "pools.list",
                       GLib.Variant("a{sv}", {"pools": GLib.Variant("as", ["a"])}))
        answer = self.backend.call_service("pools.list", None, None)
        self.assertEqual(answer.unpack(), {"pools": ["a"]})
        self.assert_fails(Asb.Error.UNSUPPORTED_CAPABILITY, self.backend.call_service, "x",
                          GLib.Variant("a{sv}", {}), None)


class TestConfig(TestCase):
    def test_defaults(self):
        config = Asb.OpensandboxConfig.new()
        self.assertTrue(config.get_use_server_proxy())
        self.assertEqual(config.get_request_timeout_seconds(), 30)
        self.assertEqual(config.get_provider_key(), "opensandbox-default")
        self.assertIsInstance(config, Asb.BackendOptions)

    def test_provider_is_made(self):
        made = []

        def make(registry, name, options, *data):
            made.append(options.unpack())
            return Asb.Registry.get_default().create_provider("mock", None)

        registry = Asb.Registry.new()
        registry.register_provider_factory("opensandbox", make)
        store = Asb.Registry.get_default().create_history_store("memory", None)
        config = Asb.OpensandboxConfig(registry=registry, history_store=store, api_key="key",
                                       sandbox_name=" mine ")
        config.set_headers({"X-One": "1"})
        with Asb.create_opensandbox_backend("https://host", config, None) as backend:
            self.assertEqual(backend.query_info(None).get_name(), "mine")
        self.assertEqual(made[0]["url"], "https://host")
        self.assertEqual(made[0]["headers"], {"X-One": "1"})
        self.assertEqual(made[0]["api-key"], "key")

    def test_refused(self):
        config = Asb.OpensandboxConfig(provider_name="mock")
        self.assert_fails(Asb.Error.INVALID_ARGUMENT, Asb.create_opensandbox_backend, None, config,
                          None)


if __name__ == "__main__":
    tap_unittest.main()
