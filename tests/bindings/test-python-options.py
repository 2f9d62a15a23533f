#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of docs/opensandbox.md that says what becomes of each option of the Python package.

usage: test-python-options.py PAGE
"""

import pathlib
import sys

import tap_unittest
from asb_test import Asb, GLib, TestCase

PAGE = pathlib.Path(sys.argv.pop(1))

# Of create_opensandbox_backend (), in its order; then what came with a later build of it.
OPTIONS = """
url api_key sandbox_name mode ref image workdir env metadata idempotency_key cleanup
sandbox_ttl_seconds cleanup_ttl_seconds use_server_proxy request_timeout_seconds
ready_timeout_seconds provider_key headers debug concurrency command_result_config retry uploads
upload_config history agent_name
""".split()

def read_table():
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    start = lines.index("| there | here | default | |") + 2
    rows = []
    while lines[start].startswith("|"):
        there, here, default, remark = (cell.strip() for cell in lines[start].split("|")[1:-1])
        rows.append((there.strip("`"), here, default, remark))
        start += 1
    return rows


def told(value):
    """A default as the table tells it."""
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if hasattr(value, "value_nick"):
        return f"`{value.value_nick}`"
    return f"`{value}`" if isinstance(value, str) else str(value)


class TestOptions(TestCase):
    def test_complete(self):
        self.assertEqual([row[0] for row in read_table()], OPTIONS)

    def test_rows(self):
        config = Asb.OpensandboxConfig()
        for there, here, default, _ in read_table():
            if not here.startswith("`"):
                continue
            name = here.strip("`")
            value = config.get_property(name)
            self.assertEqual(told(value), default, there)
            # It can be given, and is what was given.
            again = Asb.OpensandboxConfig(**{name.replace("-", "_"): value})
            self.assertEqual(again.get_property(name), value, there)
            if there != "env":
                self.assertEqual(name, there.replace("_", "-"))

    def test_refused(self):
        refused = [row for row in read_table() if row[1] == "refused"]
        self.assertEqual([row[0] for row in refused], ["uploads", "upload_config"])
        for there, _, _, remark in refused:
            self.assertTrue(remark)
            for spelling in (there, there.replace("_", "-")):
                config = Asb.OpensandboxConfig(
                    create_options=GLib.Variant("a{sv}", {spelling: GLib.Variant("s", "x")}))
                error = self.assert_fails(Asb.Error.INVALID_ARGUMENT,
                                          Asb.create_opensandbox_backend, "127.0.0.1:9", config,
                                          None)
                self.assertIn(f"“{there}”", error.message)
                self.assertIn("extract_archive", error.message)

    def test_numbers(self):
        concurrency = Asb.ConcurrencyConfig()
        expected = {"max-parallel-commands": 4, "max-parallel-file-reads": 32,
                    "max-parallel-file-writes": 8, "max-parallel-uploads": 1,
                    "lifecycle-lock-timeout-seconds": 30, "command-queue-timeout-seconds": 60,
                    "file-queue-timeout-seconds": 60, "upload-queue-timeout-seconds": 300}
        for name, value in expected.items():
            self.assertEqual(concurrency.get_property(name), value, name)
        self.assertEqual({pspec.name for pspec in concurrency.list_properties()}, set(expected))
        retry = Asb.RetryConfig()
        expected = {"max-attempts": 3, "base-delay-ms": 100, "max-delay-ms": 2000,
                    "jitter-ratio": 0.2, "total-deadline-seconds": 30}
        for name, value in expected.items():
            self.assertEqual(retry.get_property(name), value, name)
        self.assertEqual({pspec.name for pspec in retry.list_properties()}, set(expected))


if __name__ == "__main__":
    tap_unittest.main()
