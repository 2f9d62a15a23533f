# SPDX-License-Identifier: LGPL-2.1-or-later
"""A provider written in Python: a sandbox is a folder, which bubblewrap makes the root of whatever
is run in it. Commands, terminals, files and the record come with the guest. Run it to have it
checked."""

import os
import sys

import gi

gi.require_version("Asb", "1")
from gi.repository import Asb  # noqa: E402

BWRAP = ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--clearenv"]
STORE = 'mkdir -p "${0%/*}" && cat >"$0" && chmod "$1" "$0"'


class BoxProvider(Asb.SimpleProvider):
    def path_of(self, sandbox_id, path):
        return self.dup_folder(sandbox_id) + path

    def do_create(self, sandbox_id, spec, cancellable):
        os.makedirs(self.path_of(sandbox_id, spec.get_workdir() or "/workspace"))
        os.mkdir(self.path_of(sandbox_id, "/tmp"))
        for name in "bin", "lib", "lib64":
            os.symlink(f"usr/{name}", self.path_of(sandbox_id, f"/{name}"))

    def do_remove(self, sandbox_id, cancellable):
        self.end_guest(sandbox_id, cancellable)

    def do_open_program(self, sandbox_id, argv, cancellable):
        bwrap = ["bwrap", "--bind", self.dup_folder(sandbox_id), "/", *BWRAP]
        return Asb.SubprocessStream.new([*bwrap, "sh", "-c", 'exec "$0" "$@"'], argv)

    def do_store_file(self, sandbox_id, path, contents, mode, cancellable):
        # From inside: what has been run there may have put links in the way, to what is outside.
        stream = self.do_open_program(sandbox_id, ["sh", "-c", STORE, path, f"{mode:o}"], cancellable)
        stream.get_output_stream().write_all(contents.get_data(), cancellable)
        stream.get_output_stream().close(cancellable)
        stream.get_subprocess().wait_check(cancellable)


def main():
    gi.require_version("AsbCheck", "1")
    from gi.repository import AsbCheck

    registry = Asb.Registry.new()
    registry.register_provider("box", BoxProvider.__gtype__)
    return AsbCheck.provider(registry, "box", None, "sandbox", None, AsbCheck.Flags.NONE)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
