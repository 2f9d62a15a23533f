#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of docs/opensandbox.md that says what becomes of each option of the Python package.

usage: test-python-options.py PAGE
"""

import pathlib
import sys

import tap_unittest
from asb_test import Asb, Gio, TestCase

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


def is_empty_model(value):
    return isinstance(value, Gio.ListModel) and value.get_n_items() == 0


def told(value):
    """A default as the table tells it."""
    if value is None or value == [] or is_empty_model(value):
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
            if isinstance(value, Gio.ListModel):
                value, again = list(value), Asb.OpensandboxConfig(**{name.replace("-", "_"): value})
                self.assertEqual(list(again.get_property(name)), value, there)
            else:
                self.assertEqual(again.get_property(name), value, there)
            if there != "env":
                self.assertEqual(name, there.replace("_", "-"))

    def test_none_is_refused(self):
        self.assertEqual([row for row in read_table() if row[1] == "refused"], [])

    def test_uploads(self):
        """The fields of the package, with its defaults."""
        spec = Asb.UploadSpec()
        expected = {"source": None, "target": None, "include": ["**/*"], "exclude": [],
                    "conflict": Asb.UploadConflict.IF_CHANGED, "symlinks": Asb.UploadSymlinks.REJECT,
                    "atomic": True, "preserve-mode": False, "preserve-mtime": False,
                    "max-files": 10000, "max-total-bytes": 512 << 20, "max-file-bytes": 128 << 20}
        for name, value in expected.items():
            self.assertEqual(spec.get_property(name), value, name)
        self.assertEqual({pspec.name for pspec in spec.list_properties()}, set(expected))
        config = Asb.UploadConfig()
        expected = {"allowed-local-roots": [], "allowed-sandbox-roots": ["/workspace"],
                    "protected-sandbox-roots": ["/.agent-history", "/.agent-upload"],
                    "default-excludes": [".git/", ".env", ".env.*", ".ssh/", ".aws/", ".gnupg/",
                                         "node_modules/", ".venv/", "__pycache__/",
                                         ".agent-history/", ".sandboxignore"],
                    "max-parallel-files": 8, "archive-min-files": 64, "partial-success": False,
                    "redact-local-paths": True}
        for name, value in expected.items():
            self.assertEqual(config.get_property(name), value, name)
        self.assertEqual({pspec.name for pspec in config.list_properties()}, set(expected))
        options = Asb.OpensandboxConfig(upload_config=config)
        options.add_upload(spec)
        self.assertEqual(list(options.get_uploads()), [spec])
        self.assertEqual(options.get_upload_config(), config)

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
