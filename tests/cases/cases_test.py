# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of whole cases share: a local sandbox, as a program in Python has it."""

from asb_test import Asb, BackendTestCase, GLib

# What runs in a sandbox besides the guest and the command that looks.
PROCESSES = r"""
for process in /proc/[0-9]*; do
  [ "${process#/proc/}" = $$ ] || tr '\0' ' ' < $process/cmdline 2>/dev/null | grep . || true
done
"""


class CaseTestCase(BackendTestCase):
    """Tests that share one local sandbox."""

    def run_shell(self, text, **properties):
        return self.backend.execute(Asb.CommandSpec(shell=text, **properties), None)

    def shell(self, text, **properties):
        """What a command that ends well prints."""
        result = self.run_shell(text, **properties)
        self.assertEqual(result.get_state(), Asb.CommandState.SUCCEEDED,
                         result.dup_stderr_text())
        return result.get_stdout_bytes().get_data() or b""

    def write(self, path, contents, expected_hash=None):
        return self.backend.write_file(path, GLib.Bytes.new(contents), expected_hash, None)

    def read(self, path):
        return self.backend.read_file(path, None).get_data() or b""

    def delete(self, path, flags=Asb.FileFlags.NONE):
        return self.backend.delete_file(path, flags, None)

    def names(self, path):
        return [info.dup_name() for info in self.backend.list_files(path, None)]

    def processes(self):
        return self.shell(PROCESSES)

    def assert_no_process(self, text):
        self.assertNotIn(text, self.processes())
