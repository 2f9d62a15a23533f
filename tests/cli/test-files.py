# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb ls, cat, put and get."""

import base64
import os
import stat
import subprocess

import tap_unittest
from cli_test import (ASB, BYTES, ENVIRONMENT, FOLDER, LIMIT, SandboxTestCase, Terminal, asb, finish,
                      start)

LARGE = 64 * 1024 * 1024
NAMES = [b"plain", b" lead", b"trail ", b"-rf", b"--", b"*", b"?", b"new\nline", b"tab\t", b"\xff\xfe",
         b"\x1b[2J", "\u00fc".encode(), "u\u0308".encode(), "\U0001f600".encode(), b"it's",
         b"#1?x=1&y=%41+.txt", b"n" * 255]


class Files(SandboxTestCase):
    def put(self, contents, path, mode=None):
        self.assert_done(asb("put", "box", "-", path, stdin=contents))
        if mode is not None:
            self.assert_done(self.exec("--", "chmod", f"{mode:o}", path))

    def local(self, name, contents=b"", mode=0o644):
        path = FOLDER / name
        path.write_bytes(contents)
        path.chmod(mode)
        return path


class Cat(Files):
    def test_bytes(self):
        self.put(BYTES, "bytes")
        self.assert_done(asb("cat", "box", "bytes"), BYTES)
        self.assert_done(asb("cat", "box", "/workspace/bytes", "bytes"), BYTES * 2)

    def test_empty(self):
        self.put(b"", "empty")
        self.assert_done(asb("cat", "box", "empty"), b"")

    def test_goes_on(self):
        self.put(b"one", "one")
        result = asb("cat", "box", "one", "missing", "one")
        self.assertEqual((result.returncode, result.stdout), (1, b"oneone"))
        self.assertRegex(result.stderr, rb"\Aasb: [^\n]*missing[^\n]*asb ls\n\Z")

    def test_refused(self):
        self.assert_done(self.exec("--", "mkfifo", "fifo"))
        for path, word in [("/workspace", "/workspace"), ("fifo", "fifo"), ("", "empty"),
                           ("../etc/passwd", ".."), ("/dev/zero", "/dev/zero")]:
            self.assert_refused(asb("cat", "box", path), 1, word)

    def test_reader_gone(self):
        self.assert_done(self.exec("--", "truncate", "-s", str(LARGE), "large"))
        process = start("cat", "box", "large")
        self.assertEqual(process.stdout.read(4), bytes(4))
        process.stdout.close()
        self.assertEqual(process.wait(LIMIT), 141)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()


class Put(Files):
    def test_mode(self):
        for mode in [0o644, 0o755, 0o600, 0o640]:
            path = self.local("file", BYTES, mode)
            self.assert_done(asb("put", "box", path, "modes"))
            self.assert_done(self.exec("--", "stat", "-c", "%a", "modes"), b"%o\n" % mode)
            self.assert_done(asb("cat", "box", "modes"), BYTES)

    def test_into_a_folder(self):
        path = self.local("name with blanks", b"1")
        self.assert_done(asb("put", "box", path, "/tmp"))
        self.assert_done(asb("put", "box", path, "new/folder/"))
        self.assert_done(asb("put", "box", path, "."))
        for folder in ["/tmp", "new/folder", "."]:
            self.assert_done(asb("cat", "box", f"{folder}/name with blanks"), b"1")

    def test_into_a_folder_by_a_link(self):
        self.exec("mkdir -p linked && ln -s linked link")
        self.assert_done(asb("put", "box", self.local("file", b"1"), "link"))
        self.assert_done(asb("cat", "box", "linked/file"), b"1")

    def test_record(self):
        """Of what was put, and nothing of a file that had not been there before."""
        before = len(self.json("history", "list", "box"))
        self.put(b"1", "not-there")
        self.assert_done(asb("put", "box", self.local("file", b"1"), "."))
        told = [(event["operation_type"], event["status"], event["file_operation"]["path"])
                for event in self.json("history", "list", "box")[before:]
                if event["operation_type"].startswith("file.")]
        self.assertEqual(told, [("file.write", "succeeded", "/workspace/not-there"),
                                ("file.write", "succeeded", "/workspace/file")])

    def test_several(self):
        paths = [self.local(name, name.encode()) for name in ["a", "b", "c"]]
        self.assert_done(asb("put", "box", *paths, "several"))
        self.assert_done(asb("ls", "box", "several"), b"a\nb\nc\n")

    def test_goes_on(self):
        paths = [self.local("a"), FOLDER / "missing", self.local("b")]
        result = asb("put", "box", *paths, "some")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"missing", result.stderr)
        self.assert_done(asb("ls", "box", "some"), b"a\nb\n")

    def test_standard_input(self):
        self.put(BYTES, "deep/er/piped")
        self.assert_done(asb("cat", "box", "deep/er/piped"), BYTES)
        self.assert_refused(asb("put", "box", "-", "/tmp"), 1, "has no name")

    def test_keeps_mode_of_the_replaced(self):
        self.put(b"1", "script", 0o755)
        self.put(b"2", "script")
        self.assert_done(self.exec("--", "stat", "-c", "%a", "script"), b"755\n")

    def test_bad_places(self):
        path = self.local("a")
        self.put(b"", "file")
        for remote in ["../x", "/workspace/../x", "file/x", "/.agent-history/x"]:
            self.assert_refused(asb("put", "box", path, remote), 1)
        self.assert_done(asb("cat", "box", "file"), b"")

    def test_large(self):
        path = FOLDER / "large"
        with path.open("wb") as file:
            file.truncate(LARGE)
        self.assert_done(asb("put", "box", path, "large"))
        self.assert_done(self.exec("--", "stat", "-c", "%s", "large"), b"%d\n" % LARGE)
        path.unlink()

    def test_interrupted_is_undone(self):
        """A transfer that breaks off leaves what was there."""
        self.put(b"old", "whole")
        process = start("put", "box", "-", "whole", stdin=subprocess.PIPE)
        process.stdin.write(bytes(1 << 20))
        process.stdin.flush()
        process.terminate()
        self.assertEqual(process.wait(LIMIT), 143)
        process.communicate()
        self.assert_done(asb("cat", "box", "whole"), b"old")
        self.assertNotIn(b".whole", asb("ls", "box").stdout)


class Get(Files):
    def get(self, remote, local):
        self.assert_done(asb("get", "box", remote, local), b"")

    def test_bytes_and_mode(self):
        for mode in [0o644, 0o755, 0o600]:
            self.put(BYTES, "source", mode)
            self.get("source", FOLDER / "target")
            self.assertEqual((FOLDER / "target").read_bytes(), BYTES)
            self.assertEqual(stat.S_IMODE((FOLDER / "target").stat().st_mode), mode)

    def test_never_as_another_user(self):
        self.put(b"", "setuid", 0o6755)
        self.get("setuid", FOLDER / "setuid")
        self.assertEqual(stat.S_IMODE((FOLDER / "setuid").stat().st_mode), 0o755)

    def test_into_a_folder(self):
        folder = FOLDER / "into"
        folder.mkdir(exist_ok=True)
        self.put(b"1", "deep/file")
        self.get("deep/file", folder)
        self.get("/workspace/deep/file", f"{folder}/")
        self.assertEqual(os.listdir(folder), ["file"])

    def test_standard_output(self):
        self.put(BYTES, "source")
        self.assert_done(asb("get", "box", "source", "-"), BYTES)

    def test_replaces_as_a_whole(self):
        target = self.local("target", b"old")
        other = FOLDER / "other"
        other.unlink(missing_ok=True)
        os.link(target, other)
        self.put(b"new", "source")
        self.get("source", target)
        self.assertEqual((target.read_bytes(), other.read_bytes()), (b"new", b"old"))

    def test_through_a_link(self):
        target = self.local("real", b"old")
        link = FOLDER / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        self.put(b"new", "source")
        self.get("source", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_bytes(), b"new")

    def test_failure_changes_nothing(self):
        target = self.local("target", b"old")
        before = sorted(os.listdir(FOLDER))
        self.assert_refused(asb("get", "box", "missing", target), 1, "missing", "asb ls")
        self.assertEqual(target.read_bytes(), b"old")
        self.assertEqual(sorted(os.listdir(FOLDER)), before)

    def test_device_is_written_to(self):
        self.put(b"x", "source")
        self.get("source", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_refused(self):
        self.put(b"x", "source")
        self.assert_refused(asb("get", "box", "source", FOLDER / "no" / "folder"), 1, "folder")
        self.assert_refused(asb("get", "box", "", FOLDER / "x"), 1, "empty")
        self.assertFalse((FOLDER / "x").exists())

    def test_large(self):
        self.assert_done(self.exec("--", "truncate", "-s", str(LARGE), "large"))
        self.get("large", FOLDER / "large")
        self.assertEqual((FOLDER / "large").stat().st_size, LARGE)
        (FOLDER / "large").unlink()


class Ls(Files):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in NAMES:
            result = asb("put", "box", "-", b"names/" + name, stdin=name)
            assert result.returncode == 0, (name, result.stderr)

    def test_names_are_bytes(self):
        output = self.assert_done(asb("ls", "box", "names"))
        self.assertEqual(output, b"".join(name + b"\n" for name in sorted(NAMES)))

    def test_what_is_listed_can_be_opened(self):
        for entry in self.json("ls", "box", "names"):
            path = entry["path"]
            path = path.encode() if isinstance(path, str) else base64.b64decode(path["b64"])
            self.assert_done(asb("cat", "box", path), os.path.basename(path))

    def test_json(self):
        entries = {}
        for entry in self.json("ls", "box", "names"):
            name = entry["name"]
            entries[name.encode() if isinstance(name, str) else base64.b64decode(name["b64"])] = entry
        self.assertEqual(set(entries), set(NAMES))
        entry = entries[b"plain"]
        self.assertEqual((entry["kind"], entry["size"], entry["mode"], entry["target"]),
                         ("file", 5, 0o644, None))
        self.assertEqual(set(entry), {"name", "path", "kind", "size", "mode", "uid", "gid",
                                      "modified_at", "target"})

    def test_quoted_on_a_terminal(self):
        """Names cannot steer the terminal, and can be pasted into a shell."""
        terminal = Terminal("ls", "box", "names", environment={"NO_COLOR": "1"})
        status, output = terminal.finish()
        self.assertEqual(status, 0)
        self.assertNotIn(b"\x1b", output)
        lines = output.splitlines()
        self.assertEqual(len(lines), len(NAMES))
        for name, line in zip(sorted(NAMES), lines):
            echoed = subprocess.run(["bash", "-c", b"printf %s " + line], capture_output=True,
                                    check=True, env=ENVIRONMENT, cwd=FOLDER)
            self.assertEqual(echoed.stdout, name)

    def test_colours(self):
        self.assert_done(self.exec("--", "mkdir", "-p", "coloured/folder"))
        terminal = Terminal("ls", "box", "coloured", environment={"TERM": "xterm"})
        self.assertIn(b"\x1b[1;34mfolder\x1b[0m", terminal.finish()[1])

    def test_details(self):
        self.assert_done(self.exec("--", "sh", "-c", "mkdir -p d/sub && cd d && printf 12345 > file && "
                                   "chmod 640 file && chmod 1777 sub && ln -s file link && mkfifo pipe"))
        lines = self.assert_done(asb("ls", "-l", "box", "d")).decode().splitlines()
        self.assertRegex(lines[0], r"\A-rw-r----- +\d+ +\d+ +5 \d{4}-\d\d-\d\d \d\d:\d\d:\d\d file\Z")
        self.assertRegex(lines[1], r"\Al.* link -> file\Z")
        self.assertRegex(lines[2], r"\A\?.* pipe\Z")
        self.assertRegex(lines[3], r"\Adrwxrwxrwt .* sub\Z")
        kinds = {entry["name"]: entry["kind"] for entry in self.json("ls", "box", "d")}
        self.assertEqual(kinds, {"file": "file", "link": "symlink", "pipe": "other",
                                 "sub": "directory"})

    def test_default_is_the_own_folder(self):
        self.assertEqual(asb("ls", "box").stdout, asb("ls", "box", "/workspace").stdout)

    def test_a_file_is_itself(self):
        self.assert_done(asb("ls", "box", "names/plain"), b"plain\n")

    def test_empty_folder(self):
        self.assert_done(self.exec("--", "mkdir", "-p", "empty"))
        self.assert_done(asb("ls", "box", "empty"), b"")
        self.assertEqual(self.json("ls", "box", "empty"), [])

    def test_what_cannot_be_looked_at(self):
        """It is told beside what can."""
        self.assert_done(self.exec("mkdir closed; touch closed/a closed/b; chmod 444 closed"))
        for option in [[], ["--json"]]:
            result = asb("ls", *option, "box", "closed")
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stdout, b"[]\n" if option else b"")
            self.assertRegex(result.stderr, rb"\A(asb: [^\n]*closed/[ab][^\n]*Permission denied\n){2}\Z")

    def test_refused(self):
        self.assert_refused(asb("ls", "box", "missing"), 1, "missing")
        self.assert_refused(asb("ls", "box", "names/plain/x"), 1, "plain")
        self.assert_refused(asb("ls", "box", ".."), 1, "..")
        self.assert_refused(asb("ls", "nobody"), 1, "“nobody”")


class Progress(Files):
    """What is shown on a terminal of a transfer that takes its time."""

    def show(self, columns, environment=None):
        """Puts what comes from a pipe that is slow. Returns: what was written to the terminal"""
        pipe = FOLDER / "from a pipe"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        sender = os.open(pipe, os.O_RDWR)
        terminal = Terminal("put", "box", str(pipe), "piped", streams=(2,), columns=columns,
                            environment=environment)
        os.write(sender, b"x" * 2000)
        try:
            terminal.read_until(b" ")
            terminal.output = b""
            terminal.read_until(b"\r")
        finally:
            os.close(sender)
        status, output = terminal.finish()
        self.assertEqual(status, 0)
        self.assert_done(asb("cat", "box", "piped"), b"x" * 2000)
        return output.decode()

    def test_fits(self):
        """Each line stays one line, so that the next one takes its place."""
        for columns in (8, 20, 80):
            output = self.show(columns)
            self.assertNotIn("\n", output)
            self.assertLess(max(map(len, output.split("\r"))), columns)
            self.assertRegex(output, r"\A[^\r]*(\r *\r[^\r ][^\r]*)*\r *\r\Z")

    def test_on_simple_terminals(self):
        self.assertNotIn("\x1b", self.show(80, {"TERM": "dumb"}))
        self.assertNotIn("\x1b", self.show(80, {"NO_COLOR": "1"}))


if __name__ == "__main__":
    tap_unittest.main()
