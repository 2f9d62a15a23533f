#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uploads and archives as they go wrong for people who run agents: what crosses the border stays
inside its root in both directions, and is bounded before it is unpacked."""

import io
import os
import shutil
import struct
import subprocess
import tarfile
import tempfile
import zipfile
import zlib

import tap_unittest
from asb_test import Asb, Gio, GLib
from cases_test import CaseTestCase

MIB = 1 << 20


def tar(*members):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, type, target, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = type, target, len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def file(name, data=b"x"):
    return name, tarfile.REGTYPE, "", data


class ArchiveCase(CaseTestCase):
    def setUp(self):
        super().setUp()
        self.shell("chmod -R u+rwX /workspace; rm -rf /workspace/* /workspace/.asb*")
        self.folder = tempfile.mkdtemp(prefix="asb-cases-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def extract(self, data, path="new", **options):
        stream = Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(data))
        return self.backend.extract_archive(Asb.ArchiveOptions(path=path, **options), stream, None)

    def asb(self, *words, prefix=(), **options):
        """The command line, on this sandbox."""
        verb, *rest = words
        ref = self.backend.get_ref()
        return [*prefix, os.environ["ASB"], verb, f"local:{ref.get_sandbox_id()}", *rest]

    def run_asb(self, *words, prefix=()):
        return subprocess.run(self.asb(*words, prefix=prefix), capture_output=True, check=False)


class J1(ArchiveCase):
    """Member paths are checked, link targets are not."""

    def test_refused_as_a_whole(self):
        for member in (("leak", tarfile.SYMTYPE, "/etc/passwd", b""), ("up", tarfile.SYMTYPE, "../../x", b""), ("hard", tarfile.LNKTYPE, "/etc/hostname", b""),
                       ("null", tarfile.CHRTYPE, "", b""), ("disk", tarfile.BLKTYPE, "", b""), ("pipe", tarfile.FIFOTYPE, "", b""), ("../up", tarfile.REGTYPE, "", b"x"),
                       ("/workspace/absolute", tarfile.REGTYPE, "", b"x")):
            for path in ("new", "/workspace"):
                error = self.assert_fails(Asb.Error.UPLOAD_ARCHIVE_SECURITY, self.extract, tar(file("before"), member, file("after")), path)
                self.assertIn(f"“{member[0]}”", error.message)
                self.assertEqual(Asb.ErrorInfo.get_last().get_details()["path"], member[0])
                self.assertEqual(self.shell("ls -A"), b"")


class J3(ArchiveCase):
    """Symbolic links in a project are followed, and host files outside land in the sandbox."""

    def test_host_secrets_by_link(self):
        project, outside = os.path.join(self.folder, "project"), os.path.join(self.folder, "outside")
        os.makedirs(os.path.join(project, "src"))
        os.mkdir(outside)
        with open(os.path.join(outside, "secret"), "w") as secret:
            secret.write("what nobody shall see")
        with open(os.path.join(project, "src/main"), "w") as main:
            main.write("fine")
        os.symlink("../outside/secret", os.path.join(project, "notes.txt"))
        os.symlink("../outside", os.path.join(project, "dir"))
        os.symlink("src/main", os.path.join(project, "inside"))
        done = self.run_asb("put", project, "p")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"Left out notes.txt: ", done.stderr)
        self.assertIn(b"Left out dir: ", done.stderr)
        self.assertEqual(self.shell("cd p; find . | sort; cat inside"), b".\n./inside\n./src\n./src/main\nfine")
        self.assertEqual(self.shell("grep -r 'nobody shall' /workspace /.agent-history || true"), b"")

    def test_out_of_a_hostile_sandbox(self):
        """What was made to point at the host stays behind."""
        self.shell("mkdir -p d/sub; ln -s /etc/passwd d/leak; ln -s ../../../../root d/up; ln -s sub/../../.. d/round; mkfifo d/pipe; echo x >d/sub/a")
        done = self.run_asb("get", "d", os.path.join(self.folder, "mine"))
        self.assertEqual(done.returncode, 1)
        for name in (b"leak", b"up", b"round", b"pipe"):
            self.assertIn(b"Left out " + name + b": ", done.stderr)
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "mine"))), ["sub"])


def bomb(size):
    """A zip of one member that inflates to size zeros, and says so."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = bytes(MIB)
    unit = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush each block is packed the same, on its own.
    unit_again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    body = unit + unit_again * (size // MIB - 1) + packer.flush()
    extra = struct.pack("<HHQQ", 1, 16, size, len(body))
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 45, 0, 8, 0, 0x21, 0, 0xffffffff, 0xffffffff, 1, len(extra)) + b"b" + extra
    central = b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 0x32d, 45, 0, 8, 0, 0x21, 0, 0xffffffff, 0xffffffff, 1, len(extra), 0, 0, 0, 0o100644 << 16, 0) + b"b" + extra
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local) + len(body), 0)
    return local + body + central + end


class J5(ArchiveCase):
    """The size is checked after all has been inflated in memory."""

    def memory(self):
        """The most a file worker has had, in KiB."""
        return max(int(line) for line in self.shell("cat /proc/[0-9]*/status 2>/dev/null | awk '/^Name:/ {w = $2 ~ /asb-worker/} w && /^VmHWM/ {print $2}'; echo 0").split())

    def test_bomb(self):
        data = bomb(10 << 30)
        self.assertGreater(len(data), 9 * MIB)
        self.assertLess(len(data), 12 * MIB)
        error = self.assert_fails(Asb.Error.TOO_LARGE, self.extract, data)
        self.assertIn("max_file_bytes", error.message)
        self.assertEqual(self.shell("ls -A"), b"")
        self.assertLess(self.memory(), 16 * 1024)

    def test_zip_of_zips(self):
        """Nested archives are not opened: they are files."""
        data = bomb(16 * MIB)
        for _ in range(3):
            outer = io.BytesIO()
            with zipfile.ZipFile(outer, "w", zipfile.ZIP_DEFLATED) as archive:
                for i in range(16):
                    archive.writestr(f"{i}.zip", data)
            data = outer.getvalue()
        result = self.extract(data)
        self.assertEqual(result.get_n_files(), 16)
        self.assertLess(result.get_n_bytes(), 64 * MIB)
        self.assertLess(self.memory(), 16 * 1024)


class J8(ArchiveCase):
    """One request and one handshake for each of many small files; partial failure."""

    def make_files(self):
        project = os.path.join(self.folder, "project")
        os.mkdir(project)
        for i in range(1000):
            with open(os.path.join(project, f"f{i:03}"), "wb") as out:
                out.write(bytes([i % 256]) * 1024)
        return project

    def operations(self):
        store = self.backend.get_history_store()
        return len({change.get_event_id() for change in store.query(0, 10000, 100 * MIB, None).get_changes()})

    def test_in_one_request(self):
        project = self.make_files()
        before = self.operations()
        done = self.run_asb("put", project, "p")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertLess(self.operations() - before, 5)
        self.assertEqual(self.shell("ls p | wc -l; cat p/* | wc -c"), b"1000\n1024000\n")

    def test_one_cannot_be_read(self):
        project = self.make_files()
        os.chmod(os.path.join(project, "f500"), 0)
        prefix = ()
        if os.getuid() == 0:
            prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
        done = self.run_asb("put", project, "p", prefix=prefix)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"Left out f500: Permission denied", done.stderr)
        self.assertEqual(self.shell("ls p | wc -l; ls p/f500 2>&1 | grep -c 'No such'"), b"999\n1\n")

    def test_one_is_deleted_meanwhile(self):
        """The reader waits until then; what had been listed is named, the rest is whole."""
        self.shell("mkdir d; head -c 4096000 /dev/urandom | split -d -a 3 -b 4096 - d/f")
        process = subprocess.Popen(self.asb("get", "d", "-"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        begin = process.stdout.read(512)
        self.shell("rm d/f999")
        rest, errors = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"Left out f999: No such file or directory", errors)
        with tarfile.open(fileobj=io.BytesIO(begin + rest)) as archive:
            self.assertEqual(len(archive.getnames()), 999)


tap_unittest.main()
