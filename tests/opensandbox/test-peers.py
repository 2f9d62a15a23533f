#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library and the public Python clients see the same sandboxes on one server.

usage: test-peers.py LOOKALIKE_FOLDER SERVER FOLDER    (where the clients are, or are put)
"""

import asyncio
import sys
from datetime import datetime, timedelta, timezone

sys.path.insert(0, sys.argv.pop(1))

import clients  # noqa: E402
from lookalike import Server, run, test  # noqa: E402

clients.install(sys.argv[2])

import gi  # noqa: E402

gi.require_version("Asb", "1")
from gi.repository import Asb, GLib  # noqa: E402

from agent_sandbox_backends import (  # noqa: E402
    HistoryConfig, HistoryMode, SandboxRef, create_opensandbox_backend)
from agent_sandbox_backends.domain.errors import SandboxNotFoundError  # noqa: E402
from opensandbox import Sandbox  # noqa: E402
from opensandbox.config import ConnectionConfig  # noqa: E402
from opensandbox.exceptions import SandboxApiException  # noqa: E402
from opensandbox.models.sandboxes import NetworkPolicy, NetworkRule  # noqa: E402


class Place:
    def __enter__(self):
        self.server = Server("--api-key", "secret", "--grace", "20")
        self.provider = Asb.Registry.get_default().create_provider(
            "opensandbox", GLib.Variant("a{sv}", {
                "url": GLib.Variant("s", f"http://127.0.0.1:{self.server.port}"),
                "api-key": GLib.Variant("s", "secret")}))
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def config(self):
        return ConnectionConfig(domain=f"127.0.0.1:{self.server.port}", api_key="secret")

    def create(self, **properties):
        spec = Asb.SandboxSpec(ttl_mode=Asb.TtlMode.SECONDS, ttl_seconds=600, **properties)
        return self.provider.create_sandbox(spec, None)

    def state(self, sandbox):
        return self.provider.get_sandbox(sandbox, None).props.state


def is_gone(place, sandbox):
    try:
        place.provider.get_sandbox(sandbox, None)
    except GLib.Error as error:
        assert error.matches(Asb.error_quark(), Asb.Error.SANDBOX_DELETED), error
        return True
    return False


@test
def ours_is_theirs(place):
    """A sandbox the library made is one for the SDK"""
    policy = Asb.NetworkPolicy(default_action=Asb.NetworkAction.DENY)
    policy.add_rule(Asb.NetworkAction.ALLOW, "example.org")
    info = place.create(name="shared", network_policy=policy)
    sandbox_id = info.props.ref.props.sandbox_id

    async def look():
        sandbox = await Sandbox.connect(sandbox_id, connection_config=place.config())
        found = await sandbox.get_info()
        assert found.status.state == "Running", found
        assert found.metadata["agent_sandbox.name"] == "shared", found
        assert (found.metadata["sandbox_instance_id"]
                == info.props.ref.props.sandbox_instance_id), found
        left = found.expires_at - datetime.now(timezone.utc)
        assert timedelta(seconds=500) < left <= timedelta(seconds=600), left
        rules = (await sandbox.get_egress_policy()).egress
        assert [(rule.action, rule.target) for rule in rules] == [("allow", "example.org")], rules
        assert (await sandbox.commands.run("echo hello")).logs.stdout[0].text == "hello"
        await sandbox.patch_metadata({"seen": "yes"})
        await sandbox.pause()
        assert place.state(sandbox_id) == Asb.SandboxState.PAUSED
        assert place.provider.resume_sandbox(sandbox_id, None).props.state \
            == Asb.SandboxState.RUNNING
        assert (await sandbox.get_info()).status.state == "Running"
        metadata = place.provider.get_sandbox(sandbox_id, None).props.ref.get_metadata()
        assert metadata["seen"] == "yes", metadata
        await sandbox.kill()
        await sandbox.close()

    asyncio.run(look())
    assert is_gone(place, sandbox_id)


@test
def theirs_is_ours(place):
    """A sandbox the SDK made is one for the library"""
    async def make():
        sandbox = await Sandbox.create(
            "python:3.12", connection_config=place.config(), metadata={"example.org/team": "x.y"},
            timeout=timedelta(minutes=10), network_policy=NetworkPolicy(
                default_action="deny", egress=[NetworkRule(action="allow", target="example.org")]))
        identity = sandbox.id
        filter_ = Asb.SandboxFilter()
        filter_.set_metadata({"example.org/team": "x.y"})
        listed = place.provider.list_sandboxes(filter_, None)
        assert [info.props.ref.props.sandbox_id for info in listed] == [identity]
        ref = listed[0].props.ref
        assert ref.props.sandbox_instance_id.startswith("legacy-"), ref.props.sandbox_instance_id
        renewed = place.provider.renew_sandbox(identity, 3600, None)
        theirs = (await sandbox.get_info()).expires_at
        assert abs(theirs.timestamp() - renewed.props.expires_at.to_unix()) < 2
        patch = Asb.NetworkPolicy()
        patch.add_rule(Asb.NetworkAction.DENY, "example.org")
        place.provider.patch_network_policy(identity, patch, None)
        rules = (await sandbox.get_egress_policy()).egress
        assert [(rule.action, rule.target) for rule in rules] == [("deny", "example.org")], rules
        assert place.provider.delete_sandbox(identity, None)
        try:
            await sandbox.get_info()
            raise AssertionError("it is still there")
        except SandboxApiException as error:
            assert error.status_code == 404, error
        await sandbox.close()

    asyncio.run(make())


FIELDS = ("provider_name", "provider_key", "sandbox_id", "sandbox_instance_id",
          "endpoint_fingerprint")


@test
def references_are_interchangeable(place):
    """The Python package and the library name a sandbox alike"""
    options = {"url": f"http://127.0.0.1:{place.server.port}", "api_key": "secret",
               "history": HistoryConfig(mode=HistoryMode.NONE), "use_server_proxy": False}

    async def compare():
        backend = await create_opensandbox_backend(sandbox_name="theirs", **options)
        theirs = (await backend.info()).ref
        ours = place.provider.get_sandbox(theirs.sandbox_id, None).props.ref
        for field in FIELDS:
            assert getattr(theirs, field) == ours.get_property(field.replace("_", "-")), field
        assert ours.get_metadata()["agent_sandbox.name"] == "theirs"
        try:
            await backend.close()
        except SandboxNotFoundError:
            pass  # its release 0.1.0 renews a sandbox that it has just deleted
        assert is_gone(place, theirs.sandbox_id)

        made = place.create(name="ours").props.ref
        ref = SandboxRef(**{field: made.get_property(field.replace("_", "-"))
                            for field in FIELDS})
        connected = await create_opensandbox_backend(mode="connect", ref=ref, cleanup="never",
                                                     **options)
        assert (await connected.execute("echo here")).stdout.strip() == b"here"
        await connected.close()
        assert place.provider.delete_sandbox(ref.sandbox_id, None)

    asyncio.run(compare())


run(Place())
