#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Archives in and out of a local sandbox, from Python."""

import io
import os
import tarfile
import threading
import zipfile

import tap_unittest
from asb_test import Asb, BackendTestCase, Gio, GLib, wait_for

Conflict, Format = Asb.ArchiveConflict, Asb.ArchiveFormat
MIB = 1 << 20


def tar(members, mode="w"):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            if isinstance(data, str):
                info.type, info.linkname = tarfile.SYMTYPE, data
                archive.addfile(info)
            else:
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def stream(data):
    return Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(data))


def read_all(source):
    target = Gio.MemoryOutputStream.new_resizable()
    target.splice(source, Gio.OutputStreamSpliceFlags.CLOSE_TARGET, None)
    return target.steal_as_bytes().get_data() or b""


class ArchiveTestCase(BackendTestCase):
    def fails(self, code, function, *arguments, **options):
        return self.assert_fails(code, lambda: function(*arguments, **options))


class TestArchive(ArchiveTestCase):
    def setUp(self):
        super().setUp()
        self.shell("rm -rf /workspace/* /workspace/.asb*")

    def shell(self, text):
        result = self.backend.execute(Asb.CommandSpec.new_shell(text), None)
        self.assertEqual(result.get_exit_status(), 0)
        return result.dup_stdout_text()

    def extract(self, data, cancellable=None, **options):
        return self.backend.extract_archive(Asb.ArchiveOptions(**options), stream(data), cancellable)

    def pack(self, **options):
        source = self.backend.open_archive(Asb.ArchiveOptions(**options), None)
        data = read_all(source)
        return data, Asb.ArchiveResult.get_for_stream(source)

    def test_capability(self):
        self.assertTrue(self.backend.get_capabilities().supports(Asb.CAPABILITY_ARCHIVES))

    def test_in(self):
        members = {"d/a": b"one" * 100, "b": b"two", "l": "d/a"}
        for data, format in ((tar(members), Format.TAR), (tar(members, "w:gz"), Format.TAR_GZIP)):
            result = self.extract(data, path="new")
            self.assertEqual((result.get_format(), result.get_n_members(), result.get_n_files(), result.get_n_links(), result.get_n_bytes(), result.get_n_archive_bytes()),
                             (format, 3, 2, 1, 303, len(data)))
            self.assertEqual(self.shell("cd new && find . | sort && cat b && readlink l && rm -r ../new"), ".\n./b\n./d\n./d/a\n./l\ntwod/a\n")
        result = self.extract(zipped({"x/y": "text"}))
        self.assertEqual((result.get_format(), result.get_n_files(), self.shell("cat x/y")), (Format.ZIP, 1, "text"))

    def test_conflicts(self):
        self.extract(tar({"a": b"old", "d/b": b"old"}))
        self.fails(Asb.Error.ALREADY_EXISTS, self.extract, tar({"a": b"new"}))
        self.assertEqual(self.extract(tar({"a": b"new", "c": b"x"}), conflict=Conflict.SKIP).get_n_skipped(), 1)
        self.assertEqual(self.extract(tar({"d/b": b"new"}), conflict=Conflict.OVERWRITE).get_n_replaced(), 1)
        self.fails(Asb.Error.IS_DIRECTORY, self.extract, tar({"d": b"new"}), conflict=Conflict.OVERWRITE)
        self.assertEqual(self.shell("cat a d/b c"), "oldnewx")

    def test_refused(self):
        for members in ({"../x": b"bad"}, {"/etc/x": b"bad"}, {"l": "/etc/passwd"}, {"l": "../../x"}):
            self.fails(Asb.Error.UPLOAD_ARCHIVE_SECURITY, self.extract, tar({"before": b"x", **members}))
        for data in (b"", b"no archive" * 100, tar({"a": b"x" * 1000})[:1100], tar({"a": b"x"}, "w:gz")[:-4]):
            self.fails(Asb.Error.ARCHIVE_DAMAGED, self.extract, data)
        for bound in ("max_members", "max_bytes", "max_file_bytes"):
            self.fails(Asb.Error.TOO_LARGE, self.extract, tar({"a": b"xy", "b": b"xy"}), **{bound: 1})
        # One is told why while one still sends.
        big = tar({"../x": b"bad", **{"f%d" % i: bytes(MIB) for i in range(8)}})
        self.fails(Asb.Error.UPLOAD_ARCHIVE_SECURITY, self.extract, big)
        self.fails(Asb.Error.PATH_PROTECTED, self.extract, tar({"a": b"x"}), path="/.agent-history/x")
        self.assertEqual(self.shell("ls -A"), "")

    def test_cancelled(self):
        cancellable = Gio.Cancellable.new()
        cancellable.cancel()
        self.assert_cancelled(self.backend.extract_archive, Asb.ArchiveOptions(), stream(tar({"a": b"x"})), cancellable)
        self.assert_cancelled(self.backend.open_archive, Asb.ArchiveOptions(), cancellable)

    def test_cancelled_in_the_middle(self):
        """Of an archive that does not end: its other end stays open."""
        reading, writing = self.pipe()
        cancellable = Gio.Cancellable.new()
        data = tar({"f%d" % i: bytes(10000) for i in range(200)})

        def send():
            writing.write_all(data[:MIB], None)
            cancellable.cancel()

        sender = threading.Thread(target=send)
        sender.start()
        self.assert_cancelled(self.backend.extract_archive, Asb.ArchiveOptions(), reading, cancellable)
        sender.join()
        self.assertEqual(self.shell("ls -A | grep -v '^.asb' || true"), "")

    def test_source_fails(self):
        """What could not be read as a whole is not unpacked, however much of it came."""
        reading, writing = self.pipe()
        source = Gio.ConverterInputStream.new(reading, Gio.ZlibDecompressor.new(Gio.ZlibCompressorFormat.GZIP))
        writing.write_all(tar({"a": b"x"}, "w:gz")[:-6], None)
        writing.close(None)
        with self.assertRaises(GLib.Error) as caught:
            self.backend.extract_archive(Asb.ArchiveOptions(), source, None)
        self.assertTrue(caught.exception.matches(Asb.error_quark(), Asb.Error.SANDBOX_BACKEND), caught.exception)
        self.assertRegex(Asb.ErrorInfo.get_last().get_provider_error_code(), r"\Ag-io-error-quark:\d+\Z")
        self.assertEqual(self.shell("ls -A | grep -v '^.asb' || true"), "")

    def pipe(self):
        reading, writing = os.pipe()
        return Gio.UnixInputStream.new(reading, True), Gio.UnixOutputStream.new(writing, True)

    def test_out(self):
        self.shell("mkdir -p d/e; echo one >d/a; printf two >d/e/b; ln -s a d/l; ln -s /etc/passwd d/out; mkfifo d/pipe; chmod 700 d/e")
        for format, mode in ((Format.TAR, "r:"), (Format.TAR_GZIP, "r:gz")):
            data, result = self.pack(path="d", format=format)
            with tarfile.open(fileobj=io.BytesIO(data), mode=mode) as archive:
                self.assertEqual(archive.getnames(), ["a", "e", "e/b", "l"])
                self.assertEqual(archive.extractfile("e/b").read(), b"two")
            self.assertEqual((result.get_format(), result.get_n_members(), result.get_n_bytes(), result.get_n_archive_bytes(), result.get_n_errors()), (format, 4, 7, len(data), 2))
            out, pipe = result.get_errors()
            self.assertTrue(out.startswith("out: ") and pipe == "pipe: It is a FIFO", (out, pipe))
        data, result = self.pack(path="d", names=["e", "none"])
        self.assertEqual((result.get_n_members(), [line.split(":")[0] for line in result.get_errors()]), (2, ["none"]))
        self.fails(Asb.Error.INVALID_ARGUMENT, self.pack, path="d", format=Format.ZIP)
        self.fails(Asb.Error.INVALID_ARGUMENT, self.pack, path="d", names=["../x"])
        self.fails(Asb.Error.FILE_NOT_FOUND, self.pack, path="none")

    def test_there_and_back(self):
        self.shell("mkdir d; head -c 3000000 /dev/urandom >d/big; touch 'd/\u00e4 b'; truncate -s 20M d/hole; sha256sum d/* >sums")
        data, result = self.pack(path="d")
        self.assertLess(len(data), 4 * MIB)
        self.shell("rm -r d")
        self.assertEqual(self.extract(data, path="d").get_n_bytes(), 3000000 + 20 * MIB)
        self.shell("sha256sum -c sums")

    def test_async(self):
        self.shell("mkdir d; echo x >d/a")

        def start(options, archive, cancellable, callback):
            self.backend.extract_archive_async(options, archive, cancellable, callback)
            options.set_path("changed while it ran")

        result = wait_for(start, self.backend.extract_archive_finish, Asb.ArchiveOptions(path="n"), stream(tar({"a": b"x"})), None)
        self.assertEqual((result.get_n_files(), self.shell("ls")), (1, "d\nn\n"))
        source = wait_for(self.backend.open_archive_async, self.backend.open_archive_finish, Asb.ArchiveOptions(path="d"), None)
        self.assertEqual(tarfile.open(fileobj=io.BytesIO(read_all(source))).getnames(), ["a"])

    def test_the_record(self):
        self.extract(tar({"a": b"secret contents"}), path="n")
        data, _ = self.pack(path="n")
        store = self.backend.get_history_store()
        page = store.query(0, 1000, 1000000, None)
        ids = [change.get_event_id() for change in page.get_changes()]
        found = {}
        for operation in store.get_operations(list(dict.fromkeys(ids)), None):
            found[operation.get_operation_type()] = operation
        unpacked, packed = found["file.unpack"], found["file.pack"]
        self.assertEqual(unpacked.get_request().unpack(), {"path": "/workspace/n", "conflict": "error"})
        self.assertEqual(unpacked.get_result()["files"], 1)
        self.assertEqual(packed.get_result()["bytes"], 15)
        self.assertNotIn("secret", str(unpacked.get_request()) + str(unpacked.get_result()))

    def test_many_small_files_in_one_call(self):
        members = {"d%d/f%d" % (i % 10, i): bytes(1024) for i in range(1000)}
        self.assertEqual(self.extract(tar(members)).get_n_files(), 1000)
        self.assertEqual(self.shell("find . -type f | wc -l").strip(), "1000")


class TestUnsupported(ArchiveTestCase):
    def test_mock(self):
        mock = Asb.create_backend(Asb.BackendOptions(provider_name="mock"))
        self.assertFalse(mock.get_capabilities().supports(Asb.CAPABILITY_ARCHIVES))
        self.fails(Asb.Error.UNSUPPORTED_CAPABILITY, mock.extract_archive, Asb.ArchiveOptions(), stream(b""), None)
        self.fails(Asb.Error.UNSUPPORTED_CAPABILITY, mock.open_archive, Asb.ArchiveOptions(), None)
        mock.close(None)


tap_unittest.main()
