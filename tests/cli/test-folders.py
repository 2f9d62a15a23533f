# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb put and get of folders."""

import io
import os
import shutil
import signal
import stat
import tarfile

import tap_unittest
from cli_test import FOLDER, LIMIT, SandboxTestCase, asb, start

NAMES = [b"plain", b" lead", b"-rf", b"*", b"new\nline", b"\xff\xfe", "\u00fc".encode(), "u\u0308".encode(), b"it's", b"n" * 255]
STAGING = ".asb-unpack-"


def tree(path):
    """Everything below a folder: relative path → what it is."""
    found = {}
    for root, folders, files in os.walk(os.fsencode(path)):
        for name in folders + files:
            whole = os.path.join(root, name)
            status = os.lstat(whole)
            if stat.S_ISLNK(status.st_mode):
                value = b"-> " + os.readlink(whole)
            elif stat.S_ISDIR(status.st_mode):
                value = "folder"
            else:
                with open(whole, "rb") as file:
                    value = (stat.S_IMODE(status.st_mode), int(status.st_mtime), file.read())
            found[os.path.relpath(whole, os.fsencode(path))] = value
    return found


class Folders(SandboxTestCase):
    def setUp(self):
        self.assert_done(self.exec("--", "sh", "-c", "rm -rf /workspace/* /workspace/.[!.]*"))
        self.folder = FOLDER / "folder"
        shutil.rmtree(FOLDER, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def make(self, name, data=b"x", mode=0o644):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)
        os.utime(path, (1, 1_000_000_000))

    def shell(self, text):
        return self.assert_done(self.exec("--", "sh", "-c", text)).decode()


class ThereAndBack(Folders):
    def test_everything(self):
        for name in NAMES:
            self.make(b"names/" + name, name)
        self.make("tool", b"#!", 0o755)
        self.make("deep/" * 40 + "file", bytes(range(256)) * 1000, 0o600)
        os.makedirs(self.folder / "empty")
        os.symlink("../tool", self.folder / "names/link")
        self.assert_done(asb("put", "box", self.folder, "there"))
        self.assertEqual(self.shell("cat there/tool; readlink there/names/link; stat -c %a there/tool"), "#!../tool\n755\n")
        self.assert_done(asb("get", "box", "there", FOLDER / "back"))
        self.assertEqual(tree(FOLDER / "back"), tree(self.folder))

    def test_where_it_goes(self):
        self.make("a")
        self.assert_done(asb("put", "box", self.folder, "new"))
        self.assert_done(asb("put", "box", self.folder, "new"))
        self.assert_done(asb("put", "box", self.folder, "other/"))
        self.assert_done(asb("put", "box", f"{self.folder}/.", "plain"))
        self.assertEqual(self.shell("find . -type f | sort"), "./new/a\n./new/folder/a\n./other/folder/a\n./plain/a\n")
        os.mkdir(FOLDER / "into")
        self.assert_done(asb("get", "box", "new", FOLDER / "into"))
        self.assert_done(asb("get", "box", "new/.", FOLDER / "into"))
        self.assert_done(asb("get", "box", "/workspace/plain", FOLDER / "third"))
        self.assertEqual(sorted(name.decode() for name, value in tree(FOLDER / "into").items() if value != "folder"), ["a", "folder/a", "new/a", "new/folder/a"])
        self.assertEqual(list(tree(FOLDER / "third")), [b"a"])
        self.assertIn(b"Could not write", asb("get", "box", "new", FOLDER / "no" / "folder").stderr)

    def test_files_and_folders_at_once(self):
        self.make("in")
        (FOLDER / "file").write_bytes(b"y")
        self.assert_done(asb("put", "box", self.folder, FOLDER / "file", "both"))
        self.assertEqual(self.shell("cat both/folder/in both/file"), "xy")

    def test_to_standard_output(self):
        self.make("a", b"data")
        self.assert_done(asb("put", "box", self.folder, "d"))
        with tarfile.open(fileobj=io.BytesIO(self.assert_done(asb("get", "box", "d", "-")))) as archive:
            self.assertEqual((archive.getnames(), archive.extractfile("a").read()), (["a"], b"data"))

    def test_conflicts(self):
        self.make("a", b"new")
        self.make("b", b"new")
        for put in (True, False):
            def go(rule=None):
                options = ["--conflict", rule] if rule else []
                words = ["put", "box", f"{self.folder}/.", "d"] if put else ["get", "box", "d/.", FOLDER / "mine"]
                return asb(*words, *options)

            def look():
                return self.shell("cat d/*") if put else "".join(path.read_text() for path in sorted((FOLDER / "mine").iterdir()))

            if put:
                self.shell("mkdir d; printf old >d/a")
            else:
                (FOLDER / "mine").mkdir()
                (FOLDER / "mine/a").write_text("old")
            for rule in (None, "error"):
                self.assert_refused(go(rule), 1, "a", "exists")
                self.assertEqual(look(), "old")
            self.assert_done(go("skip"))
            self.assertEqual(look(), "oldnew")
            self.assert_done(go("overwrite"))
            self.assertEqual(look(), "newnew")
            self.assert_refused(go("perhaps"), 2, "perhaps", "overwrite")

    def test_thousand_small_files(self):
        """In one call, not one for each."""
        for i in range(1000):
            self.make(f"d{i % 10}/f{i}", bytes(1024))
        before = len(self.json("history", "list", "box"))
        self.assert_done(asb("put", "box", self.folder, "many"))
        self.assertLess(len(self.json("history", "list", "box")) - before, 10)
        self.assertEqual(self.shell("find many -type f -size 1024c | wc -l").strip(), "1000")


class LeftOut(Folders):
    def assert_left_out(self, result, *names):
        lines = result.stderr.decode().splitlines()
        self.assertEqual((result.returncode, result.stdout), (1, b""), lines)
        self.assertEqual([line.split(":")[1].removeprefix(" Left out ") for line in lines[:-1]], list(names), lines)
        self.assertIn("left out", lines[-1])

    def test_links_out_of_what_is_put(self):
        """What they lead to is never sent."""
        (FOLDER / "outside").mkdir()
        (FOLDER / "outside/secret").write_text("the secret")
        self.make("inside/real", b"fine")
        os.symlink("../outside/secret", self.folder / "notes.txt")
        os.symlink("../outside", self.folder / "dir")
        os.symlink("real", self.folder / "inside/link")
        self.assert_left_out(asb("put", "box", self.folder, "p"), "dir", "notes.txt")
        self.assertEqual(self.shell("cd p; find . | sort; cat inside/link; grep -r secret . || true"), ".\n./inside\n./inside/link\n./inside/real\nfine")

    def test_what_cannot_be_put(self):
        for i in range(20):
            self.make(f"f{i:02}")
        os.mkfifo(self.folder / "pipe")
        result = asb("put", "box", self.folder, "p")
        self.assert_left_out(result, "pipe")
        self.assertEqual(self.shell("ls p | wc -l").strip(), "20")

    def test_what_cannot_be_got(self):
        self.shell("mkdir d; echo x >d/a; ln -s /etc/passwd d/leak; ln -s ../../up d/up; mkfifo d/pipe; ln -s a d/good")
        self.assert_left_out(asb("get", "box", "d", FOLDER / "mine"), "leak", "pipe", "up")
        self.assertEqual(sorted(tree(FOLDER / "mine")), [b"a", b"good"])
        self.assertEqual(asb("get", "box", "d", "-").returncode, 1)

    def test_nobody_can_read_it(self):
        if os.getuid() == 0:
            self.skipTest("root can read everything")
        self.make("secret", mode=0)
        self.make("open")
        self.assert_left_out(asb("put", "box", self.folder, "p"), "secret")
        self.assertEqual(self.shell("ls p"), "open\n")


class Interrupted(Folders):
    """It was done before that, or nothing was."""

    def interrupt(self, *words, looks_begun):
        process = start(*words)
        while not looks_begun() and process.poll() is None:
            pass
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertIn(process.returncode, (0, 130), errors)
        return process.returncode == 0

    def in_sandbox(self):
        return self.shell("ls -A").split()

    def test_put(self):
        for i in range(4):
            self.make(f"f{i}", b"x" * (32 << 20))
        done = self.interrupt("put", "box", self.folder, "p", looks_begun=lambda: self.in_sandbox() != [])
        while any(name.startswith(STAGING) for name in self.in_sandbox()):
            pass
        self.assertEqual(self.in_sandbox(), ["p"] if done else [])

    def test_get(self):
        self.shell("mkdir d; for i in 1 2 3 4; do head -c 32000000 /dev/urandom >d/$i; done")
        before = sorted(os.listdir(FOLDER))
        done = self.interrupt("get", "box", "d", FOLDER / "mine", looks_begun=lambda: sorted(os.listdir(FOLDER)) != before)
        self.assertEqual(sorted(os.listdir(FOLDER)), sorted(before + (["mine"] if done else [])))


tap_unittest.main()
