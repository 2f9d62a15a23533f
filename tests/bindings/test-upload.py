#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uploads of files of this machine into a local sandbox, from Python."""

import contextlib
import hashlib
import os
import shutil
import tempfile
import threading

import tap_unittest
from asb_test import Asb, BackendTestCase, Gio, GLib, local_options, wait_for

Conflict, Symlinks = Asb.UploadConflict, Asb.UploadSymlinks
MIB = 1 << 20


def details():
    return Asb.ErrorInfo.get_last().get_details()


class UploadTestCase(BackendTestCase):
    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="asb-upload-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.source = os.path.join(self.folder, "project")
        os.mkdir(self.source)
        self.config = Asb.UploadConfig(allowed_local_roots=[self.source])
        self.shell("cd /workspace && rm -rf -- * .[!.]*")

    def shell(self, text):
        result = self.backend.execute(Asb.CommandSpec.new_shell(text), None)
        self.assertEqual(result.get_exit_status(), 0, result.dup_stderr_text())
        return result.dup_stdout_text()

    def put(self, name, data=b"x", mode=0o644, root=None):
        path = os.path.join(root or self.source, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)
        return path

    def upload(self, target="/workspace/x", cancellable=None, source=None, config=None, **options):
        spec = Asb.UploadSpec(source=source or self.source, target=target, **options)
        return self.backend.upload_local(spec, config or self.config, cancellable)

    def fails(self, code, *arguments, **options):
        return self.assert_fails(code, lambda: self.upload(*arguments, **options))

    def assert_counts(self, result, total, uploaded, skipped, failed=0):
        self.assertEqual((result.get_total_files(), result.get_uploaded_files(), result.get_skipped_files(), result.get_failed_files()), (total, uploaded, skipped, failed))

    def tree(self):
        """What is in the target, but for what is being unpacked."""
        return self.shell("cd /workspace && find . -mindepth 1 | sort").split()


class TestUpload(UploadTestCase):
    def test_folder(self):
        self.put("a", b"one", 0o755)
        self.put("d/e/b", os.urandom(300000))
        self.put("empty", b"")
        os.makedirs(os.path.join(self.source, "nothing/in"))
        result = self.upload()
        self.assert_counts(result, 3, 3, 0)
        self.assertEqual((result.get_target(), result.get_total_bytes(), result.get_atomic(), result.get_failures().get_n_items()), ("/workspace/x", 300003, True, 0))
        self.assertEqual((len(result.get_upload_id()), len(result.get_manifest_hash())), (36, 64))
        self.assertEqual(self.tree(), ["./x", "./x/a", "./x/d", "./x/d/e", "./x/d/e/b", "./x/empty", "./x/nothing", "./x/nothing/in"])
        self.assertEqual(self.shell("cd x && stat -c %a a d empty . && sha256sum d/e/b | cut -c1-64").split()[:4], ["644", "755", "644", "755"])
        with open(os.path.join(self.source, "d/e/b"), "rb") as file:
            self.assertEqual(self.backend.read_file("x/d/e/b", None).get_data(), file.read())

    def test_file(self):
        path = self.put("notes.txt", b"text")
        self.assert_counts(self.upload("/workspace/deep/down/new.txt", source=path), 1, 1, 0)
        self.assertEqual(self.tree(), ["./deep", "./deep/down", "./deep/down/new.txt"])
        self.assert_counts(self.upload("/workspace/deep/down/new.txt", source=path), 1, 0, 1)
        self.shell("mkdir folder")
        self.fails(Asb.Error.UPLOAD_CONFLICT, "/workspace/folder", source=path)

    def test_preserved(self):
        self.put("tool", b"#!", 0o750)
        os.utime(os.path.join(self.source, "tool"), (1_000_000_000, 1_000_000_000))
        # Also what stands behind the point, and seconds before 1970.
        os.utime(self.put("new"), ns=(0, 1_750_000_000))
        os.utime(self.put("old"), ns=(0, -2_000_000_000))
        self.upload(preserve_mode=True, preserve_mtime=True)
        self.assertEqual(self.shell("stat -c '%a %Y' x/tool; stat -c %.2Y x/new x/old"), "750 1000000000\n1.75\n-2.00\n")
        # What is not preserved is that of now.
        self.upload("/workspace/y")
        self.assertGreater(int(self.shell("stat -c %Y y/tool")), 1_600_000_000)

    def test_names(self):
        names = [b"new\nline", b"\xff\xfe", "ü".encode(), b"-rf", b"back\\slash", b" ", b"x" * 255, b"/".join([b"y" * 200] * 10)]
        for name in names:
            path = os.path.join(os.fsencode(self.source), name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(name)
        self.assert_counts(self.upload(), len(names), len(names), 0)
        self.assertEqual(self.shell("cd x && find . -type f | wc -c"), "%d\n" % sum(len(name) + 3 for name in names))
        self.assertEqual(self.shell("cat x/ü x/-rf"), "ü-rf")

    def put_with_holes(self, name, size, *pieces):
        path = os.path.join(os.fsencode(self.source), name)
        with open(path, "wb") as file:
            file.truncate(size)
            for offset, data in pieces:
                file.seek(offset)
                file.write(data)
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def test_holes(self):
        """Neither do they travel, nor are they filled."""
        files = {
            b"middle": (20 * MIB, (0, b"a" * 5000), (16 * MIB, b"b" * 70000), (20 * MIB - 1, b"c")),
            b"end": (20 * MIB, (MIB, b"text")),
            b"nothing": (20 * MIB,),
            b"\xff\n" + b"n" * 150: (MIB, (4096, b"odd")),
            b"many": (8 * MIB, *((i * 8192, b"x") for i in range(1, 1024))),
            b"more": (32 * MIB, *((i * 8192, b"y") for i in range(1, 4000))),
        }
        hashes = [self.put_with_holes(name, *how) for name, how in files.items()]
        told = []
        self.config.set_progress(lambda spec, n, total: told.append((n, total)))
        self.assert_counts(self.upload(), len(files), len(files), 0)
        total = sum(how[0] for how in files.values())
        self.assertEqual(told[-1], (total, total))
        self.assertEqual(sorted(self.shell("cd x && for i in *; do sha256sum < \"$i\" | cut -c1-64; done").split()), sorted(hashes))
        self.assertLess(int(self.shell("du -sk x/middle x/end x/nothing | awk '{ n += $1 } END { print n }'")), 2048)
        self.assert_counts(self.upload(), len(files), 0, len(files))

    def test_conflicts(self):
        """docs/files.md: what becomes of what is there, absent, the same or different."""
        for name in ("absent", "same", "different"):
            self.put(name, b"new")
        expected = {Conflict.OVERWRITE: (3, 0, "new new new"), Conflict.SKIP: (1, 2, "new new old"), Conflict.IF_CHANGED: (2, 1, "new new new")}
        for conflict, (uploaded, skipped, texts) in expected.items():
            self.shell("rm -rf x; mkdir -p x/mine; echo -n new > x/same; echo -n old > x/different; echo -n other > x/other; touch x/mine/file")
            before = self.shell("stat -c %i x/same")
            self.assert_counts(self.upload(conflict=conflict), 3, uploaded, skipped)
            self.assertEqual(self.shell("echo $(cat x/absent) $(cat x/same) $(cat x/different)").strip(), texts)
            # Whatever was there beside it is there still.
            self.assertEqual(self.shell("cat x/other; ls x/mine"), "otherfile\n")
            self.assertEqual(self.shell("stat -c %i x/same") == before, conflict != Conflict.OVERWRITE)
        for here in ("same", "different"):
            self.shell("rm -rf x; mkdir x; echo -n %s > x/%s" % ("new" if here == "same" else "old", here))
            self.fails(Asb.Error.UPLOAD_CONFLICT, conflict=Conflict.ERROR)
            self.assertEqual(self.tree(), ["./x", "./x/" + here])
        self.shell("rm -rf x")
        self.assert_counts(self.upload(conflict=Conflict.ERROR), 3, 3, 0)

    def test_kinds(self):
        """A directory is never replaced by a file, nor a file by a directory: nothing is changed."""
        self.put("a", b"new")
        self.put("b/c", b"new")
        for there in ("mkdir -p x/a", "mkdir x; touch x/b", "ln -s / x", "touch x"):
            self.shell("rm -rf x; " + there)
            before = self.tree()
            if there == "ln -s / x":
                continue
            for conflict in (Conflict.ERROR, Conflict.OVERWRITE, Conflict.IF_CHANGED):
                self.fails(Asb.Error.UPLOAD_CONFLICT, conflict=conflict)
                self.assertEqual(self.tree(), before)

    def test_policy(self):
        self.put("a")
        self.fails(Asb.Error.LOCAL_PATH_NOT_ALLOWED, config=Asb.UploadConfig())
        self.assert_fails(Asb.Error.LOCAL_PATH_NOT_ALLOWED, self.backend.upload_local, Asb.UploadSpec(source=self.source, target="/workspace/x"), None, None)
        self.assertEqual(details()["allowed_root_count"], 0)
        self.fails(Asb.Error.LOCAL_PATH_NOT_FOUND, source=os.path.join(self.source, "none"))
        for target in ("/etc/x", "x", "/workspace/../x", "/.agent-history/x"):
            self.fails(Asb.Error.UPLOAD_POLICY, target)
        self.fails(Asb.Error.INVALID_ARGUMENT, max_files=0)
        self.put("big", b"x" * 1000)
        self.fails(Asb.Error.UPLOAD_FILE_TOO_LARGE, max_file_bytes=999)
        self.assertEqual((details()["relative_path"], details()["size"]), ("big", 1000))
        self.fails(Asb.Error.UPLOAD_TOO_MANY_FILES, max_files=1)
        self.fails(Asb.Error.UPLOAD_TOTAL_SIZE_EXCEEDED, max_total_bytes=1000)
        os.mkfifo(os.path.join(self.source, "pipe"))
        self.assertIn("pipe", self.fails(Asb.Error.UPLOAD_POLICY).message)
        self.assertEqual(self.tree(), [])

    def test_links(self):
        self.put("outside/secret", b"SECRET", root=self.folder)
        self.put("sub/b")
        os.symlink("sub/b", os.path.join(self.source, "l"))
        self.fails(Asb.Error.UPLOAD_SYMLINK)
        self.assert_counts(self.upload(symlinks=Symlinks.PRESERVE_INTERNAL), 2, 2, 0)
        self.assertEqual(self.shell("readlink x/l; cat x/l"), "sub/b\nx")
        self.assert_counts(self.upload(symlinks=Symlinks.PRESERVE_INTERNAL), 2, 0, 2)
        self.assert_counts(self.upload("/workspace/y", symlinks=Symlinks.FOLLOW_SAFE), 2, 2, 0)
        self.assertEqual(self.shell("cat y/l; [ -h y/l ] || echo file"), "xfile\n")
        os.symlink("../outside/secret", os.path.join(self.source, "out"))
        for how in (Symlinks.REJECT, Symlinks.PRESERVE_INTERNAL, Symlinks.FOLLOW_SAFE):
            self.fails(Asb.Error.UPLOAD_SYMLINK, symlinks=how)
        self.assertEqual(self.shell("grep -rl SECRET /workspace || echo none"), "none\n")

    def test_many(self):
        for i in range(1000):
            self.put("d%d/f%d" % (i % 10, i), b"%d" % i * 200)
        self.assert_counts(self.upload(), 1000, 1000, 0)
        self.assert_counts(self.upload(), 1000, 0, 1000)
        self.put("d0/f0", b"changed")
        self.assert_counts(self.upload(), 1000, 1, 999)
        self.assertEqual(self.shell("cat x/d0/f0"), "changed")


class TestFailures(UploadTestCase):
    @contextlib.contextmanager
    def as_anybody(self):
        """Root reads everything."""
        if os.getuid() != 0:
            yield
            return
        os.chmod(self.folder, 0o755)
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)

    def test_unreadable(self):
        for i in range(100):
            self.put("f%d" % i)
        self.put("shut", b"x", 0)
        with self.as_anybody():
            error = self.fails(Asb.Error.UPLOAD_PARTIAL_FAILURE)
        self.assertIn("shut", error.message)
        self.assertEqual(details()["failures"], [("shut", "permission_denied", "Permission denied")])
        self.assertEqual(self.tree(), [])
        self.config.set_partial_success(True)
        with self.as_anybody():
            result = self.upload()
        self.assert_counts(result, 101, 100, 0, 1)
        failure = result.get_failures().get_item(0)
        self.assertEqual((failure.get_relative_path(), failure.get_error_code()), ("shut", "permission_denied"))
        self.assertEqual(len(self.tree()), 101)

    def change_when_approved(self, change):
        def approve(manifest, task):
            change()
            task.return_boolean(True)

        self.config.set_approval(approve)

    def test_deleted_meanwhile(self):
        for name in ("a", "b", "c"):
            self.put(name)
        path = os.path.join(self.source, "b")
        self.change_when_approved(lambda: os.unlink(path))
        error = self.fails(Asb.Error.UPLOAD_PARTIAL_FAILURE)
        self.assertIn("“b”: it is gone", error.message)
        self.assertEqual(details()["failures"], [("b", "file_not_found", "it is gone since it was looked at")])
        self.assertEqual(self.tree(), [])
        self.put("b")
        self.config.set_partial_success(True)
        result = self.upload()
        self.assert_counts(result, 3, 2, 0, 1)
        self.assertEqual(self.tree(), ["./x", "./x/a", "./x/c"])

    def test_changed_meanwhile(self):
        """Also where neither size nor time tell of it."""
        for name in ("a", "b", "c"):
            self.put(name, b"before")
        path = os.path.join(self.source, "b")

        def change():
            status = os.stat(path)
            with open(path, "r+b") as file:
                file.write(b"behind")
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

        self.change_when_approved(change)
        error = self.fails(Asb.Error.UPLOAD_PARTIAL_FAILURE)
        self.assertIn("“b”: it has changed", error.message)
        self.assertEqual(self.tree(), [])
        self.put("b", b"before")
        self.config.set_partial_success(True)
        self.assert_counts(self.upload(), 3, 2, 0, 1)
        self.assertEqual(self.tree(), ["./x", "./x/a", "./x/c"])

    def test_cancelled(self):
        self.put("a", b"x" * MIB)
        cancellable = Gio.Cancellable.new()
        cancellable.cancel()
        self.assert_cancelled(self.upload, "/workspace/x", cancellable)
        cancellable = Gio.Cancellable.new()
        self.config.set_progress(lambda *_: cancellable.cancel())
        self.change_when_approved(cancellable.cancel)
        self.assert_cancelled(self.upload, "/workspace/x", cancellable)
        self.assertEqual(self.tree(), [])


class TestRules(UploadTestCase):
    def test_approval(self):
        self.put("a")
        self.put("b/c", b"two")
        seen = []

        def refuse(manifest, task):
            seen.append((manifest.get_paths(), manifest.get_manifest_hash(), manifest.get_total_bytes(), manifest.get_target()))
            task.return_boolean(False)

        self.config.set_approval(refuse)
        self.assertIn("not approved", self.fails(Asb.Error.UPLOAD_POLICY).message)
        self.assertEqual((seen[0][0], len(seen[0][1]), seen[0][2:]), (["a", "b/c"], 64, (4, "/workspace/x")))
        self.assertEqual(self.tree(), [])
        # It may answer later, and by whom it is asked does not matter.
        self.config.set_approval(lambda manifest, task: GLib.Thread.self() and later(task))

        def later(task):
            GLib.MainContext.ref_thread_default().invoke_full(GLib.PRIORITY_LOW, lambda: task.return_boolean(True))

        result = wait_for(self.backend.upload_local_async, self.backend.upload_local_finish, Asb.UploadSpec(source=self.source, target="/workspace/x"), self.config, None)
        self.assert_counts(result, 2, 2, 0)

    def test_approval_that_fails(self):
        """Who raises does not let the upload wait, nor does who is cancelled before an answer."""
        self.put("a")

        def fail(manifest, task, *data):
            raise ValueError("no idea", *data)

        self.config.set_approval(fail)
        self.assertIn("no idea", self.fails(Asb.Error.INTERNAL).message)
        self.config.set_approval(fail, "some data")
        self.assertIn("some data", self.fails(Asb.Error.INTERNAL).message)
        asked, cancellable = [], Gio.Cancellable()

        def cancel(manifest, task):
            asked.append(task)
            cancellable.cancel()

        self.config.set_approval(cancel)
        begun = GLib.get_monotonic_time()
        with self.assertRaises(GLib.Error) as raised:
            self.upload(cancellable=cancellable)
        self.assertTrue(raised.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))
        # Nobody waits for an answer, as somebody does for a server's, for ten seconds.
        self.assertLess(GLib.get_monotonic_time() - begun, 9000000)
        self.config.set_approval(None)
        asked[0].return_boolean(True)
        self.assert_counts(self.upload(), 1, 1, 0)

    def test_progress(self):
        self.put("a", os.urandom(4 * MIB))
        told = []
        self.config.set_progress(lambda spec, n, total: told.append((spec.get_target(), n, total)))
        self.upload()
        self.assertEqual(told[-1], ("/workspace/x", 4 * MIB, 4 * MIB))
        self.assertEqual([n for _, n, _ in told], sorted(n for _, n, _ in told))

    def test_changed_by_the_caller(self):
        """What is asked for counts, not what became of the object."""
        self.put("a")
        spec = Asb.UploadSpec(source=self.source, target="/workspace/x")

        def start(callback):
            self.backend.upload_local_async(spec, self.config, None, callback)
            spec.set_target("/etc/x")
            self.config.set_allowed_local_roots([])

        result = wait_for(start, self.backend.upload_local_finish)
        self.assertEqual(result.get_target(), "/workspace/x")

    def test_at_once(self):
        """Uploads to one target wait for each other."""
        for i in range(50):
            self.put("f%d" % i)
        results = []
        threads = [threading.Thread(target=lambda: results.append(self.upload())) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(result.get_uploaded_files() for result in results), [0, 0, 0, 0, 0, 50])

    def test_closed(self):
        self.put("a")
        backend = Asb.create_backend(local_options(), None)
        backend.close(None)
        self.assert_fails(Asb.Error.CLOSED, backend.upload_local, Asb.UploadSpec(source=self.source, target="/workspace/x"), self.config, None)


class TestCreation(UploadTestCase):
    """The options “uploads” and “upload-config”."""

    def options(self, *specs, **properties):
        options = Asb.BackendOptions(provider_name="local", history=Asb.HistoryConfig(), upload_config=self.config, **properties)
        for spec in specs:
            options.add_upload(spec)
        return options

    def spec(self, target="/workspace/x", **properties):
        return Asb.UploadSpec(source=self.source, target=target, **properties)

    def sandboxes(self):
        provider = Asb.Registry.get_default().create_provider("local", None)
        return {info.get_ref().get_sandbox_id() for info in provider.list_sandboxes(Asb.SandboxFilter(), None)}

    def test_in_order(self):
        self.put("a", b"one")
        backend = Asb.create_backend(self.options(self.spec(), self.spec("/workspace/x/deep")), None)
        self.addCleanup(backend.close, None)
        self.assertEqual((backend.read_file("x/a", None).get_data(), backend.read_file("x/deep/a", None).get_data()), (b"one", b"one"))

    def test_known_before(self):
        """What cannot be uploaded is told before a sandbox is made."""
        before = self.sandboxes()
        self.put("a")
        for code, config, spec in ((Asb.Error.LOCAL_PATH_NOT_ALLOWED, None, self.spec()), (Asb.Error.UPLOAD_POLICY, self.config, self.spec("/etc")),
                                   (Asb.Error.INVALID_ARGUMENT, self.config, self.spec(max_files=0)),
                                   (Asb.Error.LOCAL_PATH_NOT_FOUND, self.config, Asb.UploadSpec(source=self.source + "/none", target="/workspace/x"))):
            told = []
            options = self.options(spec, sandbox_name="never")
            options.set_upload_config(config)
            options.set_readiness_check(lambda provider, ref, task: (told.append(ref), task.return_boolean(True)))
            self.assert_fails(code, Asb.create_backend, options, None)
            self.assertEqual(told, [])
        self.assertEqual(self.sandboxes(), before)

    def test_failed(self):
        """A sandbox that was made for it goes, whatever the clean-up policy."""
        before = self.sandboxes()
        self.put("a")
        self.config.set_approval(lambda manifest, task: task.return_boolean(False))
        for cleanup in (Asb.CleanupPolicy.ON_CLOSE, Asb.CleanupPolicy.NEVER):
            error = self.assert_fails(Asb.Error.UPLOAD_POLICY, Asb.create_backend, self.options(self.spec(), cleanup=cleanup), None)
            self.assertIn("not approved", error.message)
            self.assertIsNotNone(Asb.ErrorInfo.get_last().get_sandbox_id())
            self.assertEqual(self.sandboxes(), before)

    def test_connected(self):
        self.put("a")
        options = self.options(self.spec(), mode=Asb.BackendMode.CONNECT, ref=self.backend.get_ref())
        again = Asb.create_backend(options, None)
        again.close(None)
        self.assertEqual(self.tree(), ["./x", "./x/a"])
        # One that was connected to stays.
        options = self.options(self.spec(conflict=Conflict.ERROR), mode=Asb.BackendMode.CONNECT, ref=self.backend.get_ref())
        self.assert_fails(Asb.Error.UPLOAD_CONFLICT, Asb.create_backend, options, None)
        self.assertEqual(self.tree(), ["./x", "./x/a"])


class TestRecord(UploadTestCase):
    def test_record(self):
        self.put("a")
        history = Asb.HistoryConfig(mode=Asb.HistoryMode.SANDBOX)
        backend = Asb.create_backend(Asb.BackendOptions(provider_name="local", history=history), None)
        self.addCleanup(backend.close, None)
        result = backend.upload_local(Asb.UploadSpec(source=self.source, target="/workspace/x"), self.config, None)
        refused = Asb.UploadSpec(source=self.source, target="/workspace/x", conflict=Conflict.ERROR)
        self.assert_fails(Asb.Error.UPLOAD_CONFLICT, backend.upload_local, refused, self.config, None)
        store = backend.get_history_store()
        ids = [change.get_event_id() for change in store.query(0, 1000, MIB, None).get_changes()]
        operations = [operation for operation in store.get_operations(list(dict.fromkeys(ids)), None) if operation.get_operation_type().startswith("file.")]
        # One, and nothing of the steps it takes.
        self.assertEqual([(operation.get_operation_type(), operation.get_status()) for operation in operations],
                         [("file.upload", Asb.OperationStatus.SUCCEEDED), ("file.upload", Asb.OperationStatus.FAILED)])
        self.assertEqual(operations[0].get_request().unpack(), {"target": "/workspace/x", "conflict": "if_changed"})
        self.assertEqual(operations[0].get_result().unpack(), {"upload_id": result.get_upload_id(), "manifest_hash": result.get_manifest_hash(), "uploaded_files": 1, "skipped_files": 0,
                                                               "failed_files": 0, "atomic": True})
        file = operations[0].get_file_operation().unpack()
        self.assertEqual((file["path"], file["change_type"]), ("/workspace/x", "upload"))
        # Where it came from is nobody's business there.
        self.assertNotIn(self.folder, str(operations[1].get_result()))


if __name__ == "__main__":
    tap_unittest.main()
