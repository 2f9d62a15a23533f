#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files as they go wrong for people who run agents: names, kinds, sizes, modes."""

import hashlib
import threading

import tap_unittest
from asb_test import Asb, Gio, GLib, wait_for
from cases_test import CaseTestCase

# Names that shells, templates, URLs, tools' options and text handling make something else of.
NAMES = ["a'; touch pwned; #\".txt", "$(touch pwned)", "`touch pwned`", "a\nb", " lead", "trail ",
         "-rf", "--", "*", "?", "[a]", "{a,b}", "~", "~root", "#1?x=1&y=%41+\u00e9.txt", "%2e%2e",
         "\u00fc", "u\u0308", "\U0001f600", "\u202egpj.exe", "x" * 255, "\\", "a\\b", "\x01\x7f", "...", "EOF"]


class Names(CaseTestCase):
    """A path is data, for every operation."""

    def test_each_operation(self):
        for name in NAMES:
            path = f"/workspace/names/{name}"
            first = self.write(path, b"1")
            self.assertEqual(first.get_path(), path)
            self.assertEqual(self.write(path, b"22", first.get_hash()).get_size(), 2)
            self.assertEqual(self.read(path), b"22")
            self.assertEqual(self.backend.query_file(path, None).get_size(), 2)
            self.assertEqual(self.names("/workspace/names"), [name])
            self.backend.move_file(path, "/workspace/moved", Asb.FileFlags.NONE, None)
            self.backend.move_file("/workspace/moved", path, Asb.FileFlags.NONE, None)
            self.delete(path)
            self.backend.make_directory(path, None)
            self.assertEqual(self.names(path), [])
            self.assertEqual(self.shell("pwd; true", cwd=path), path.encode() + b"\n")
            self.delete(path, Asb.FileFlags.RECURSIVE)
        self.assertEqual(self.shell("find / -xdev -name 'pwned*' 2>/dev/null; true"), b"")

    def test_all_at_once(self):
        folder = "/workspace/many"
        for name in NAMES:
            self.write(f"{folder}/{name}", name.encode())
        self.shell("mkdir many/folder; ln -s folder many/link; ln -s nowhere many/dangling")
        infos = {info.dup_name(): info for info in self.backend.list_files(folder, None)}
        self.assertEqual(len(infos), len(NAMES) + 3)
        self.assertEqual(infos["link"].get_kind(), Asb.FileKind.SYMLINK)
        self.assertEqual(infos["dangling"].get_kind(), Asb.FileKind.SYMLINK)
        self.assertEqual(infos["folder"].get_kind(), Asb.FileKind.DIRECTORY)
        for name in NAMES:
            self.assertEqual(infos[name].get_kind(), Asb.FileKind.FILE)
            self.assertEqual(self.read(infos[name].get_path()), name.encode())
        self.delete(f"{folder}/-rf")
        self.delete(f"{folder}/*")
        self.assertEqual(set(self.names(folder)), set(infos) - {"-rf", "*"})

    def test_contents_are_not_text(self):
        for contents in (b"'\"\\ $HOME `id`\nEOF\nno newline", b"\r\n\r\n", b"\0" * 3, b"\xff\xfe",
                         b"\xef\xbb\xbfbom", b"", b"\n"):
            self.write("contents", contents)
            self.assertEqual(self.read("contents"), contents)
            self.assertEqual(self.shell("cat contents"), contents)


class Spellings(CaseTestCase):
    """All calls take a path for the same thing."""

    def calls(self):
        read, write, none = self.backend.read_file, self.write, Asb.FileFlags.NONE
        return [lambda path: write(path, b"x"), lambda path: read(path, None),
                lambda path: self.backend.open_read(path, None),
                lambda path: self.backend.open_write(path, -1, None),
                lambda path: self.backend.list_files(path, None),
                lambda path: self.backend.query_file(path, None),
                lambda path: self.backend.make_directory(path, None), self.delete,
                lambda path: self.backend.move_file(path, "/workspace/x", none, None),
                lambda path: self.backend.move_file("/workspace/x", path, none, None)]

    def test_refused(self):
        for path in ("", "..", "../x", "a/../b", "/workspace/../etc/x", "/..", "x/.."):
            for call in self.calls():
                self.assert_fails(Asb.Error.INVALID_ARGUMENT, call, path)

    def test_equal(self):
        for path in ("/workspace//one", "/workspace/./one", "one", "./one", "/workspace/one/",
                     "//workspace/one", ".//./one"):
            self.assertEqual(self.write(path, path.encode()).get_path(), "/workspace/one")
            self.assertEqual(self.read("/workspace/one"), path.encode())
            self.assertEqual(self.read(path), path.encode())
            self.assertEqual(self.backend.query_file(path, None).get_path(), "/workspace/one")
            self.delete(path)
            self.assert_fails(Asb.Error.FILE_NOT_FOUND, self.read, "/workspace/one")

    def test_tilde_is_a_name(self):
        self.assertEqual(self.write("~", b"x").get_path(), "/workspace/~")
        self.delete("~")


class Kinds(CaseTestCase):
    """What is not a file is said not to be one, at once."""

    def test_special_files(self):
        self.shell("mkfifo fifo; ln -s fifo to-fifo; "
                   "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"socket\")'")
        for path in ("fifo", "to-fifo", "socket", "/dev/zero", "/dev/tty", "/dev/null", "/dev/random"):
            for call in (self.read, lambda path: self.write(path, b"x"),
                         lambda path: self.backend.open_read(path, None),
                         lambda path: self.backend.open_write(path, -1, None).close(None)):
                error = self.assert_fails(Asb.Error.NOT_REGULAR_FILE, call, path)
                self.assertIn(path, error.message)
        self.assertEqual(self.backend.query_file("fifo", None).get_kind(), Asb.FileKind.OTHER)
        self.delete("fifo")

    def test_loop_turns(self):
        """A hundred at once hold up nobody."""
        self.shell("mkfifo waiting")
        context = GLib.MainContext.new()
        context.push_thread_default()
        failures = []
        for _ in range(100):
            self.backend.read_file_async("waiting", None, lambda backend, result: failures.append(
                self.assert_fails(Asb.Error.NOT_REGULAR_FILE, backend.read_file_finish, result)))
        while len(failures) < 100:
            context.iteration(True)
        context.pop_thread_default()

    def test_wrong_kind(self):
        self.write("file", b"x")
        self.write("full/inside", b"x")
        codes = Asb.Error
        for code, call, path in (
                (codes.NOT_DIRECTORY, self.names, "file"), (codes.IS_DIRECTORY, self.read, "full"),
                (codes.IS_DIRECTORY, lambda path: self.write(path, b""), "full"),
                (codes.IS_DIRECTORY, self.read, "/"),
                (codes.NOT_DIRECTORY, self.read, "file/x"),
                (codes.NOT_DIRECTORY, lambda path: self.write(path, b""), "file/x"),
                (codes.NOT_DIRECTORY, lambda path: self.backend.query_file(path, None), "file/x"),
                (codes.NOT_DIRECTORY, self.delete, "file/x"),
                (codes.DIRECTORY_NOT_EMPTY, self.delete, "full"),
                (codes.FILE_NOT_FOUND, self.names, "missing"),
                (codes.FILE_NOT_FOUND, self.read, "missing"),
                (codes.FILE_NOT_FOUND, self.delete, "missing"),
                (codes.FILE_NOT_FOUND, self.read, "missing/x")):
            error = self.assert_fails(code, call, path)
            self.assertIn(path, error.message)
        self.assertEqual(self.read("file"), b"x")
        self.assertEqual(self.read("full/inside"), b"x")

    def test_links(self):
        """In a circle, to nowhere, and to a file, which is written to through it."""
        self.shell("ln -s one two; ln -s two one; echo before > real; ln -s real link")
        for call in (self.read, lambda path: self.write(path, b"")):
            with self.assertRaises(GLib.Error) as caught:
                call("one")
            self.assertIn("one", caught.exception.message)
        self.write("link", b"after")
        self.assertEqual(self.read("real"), b"after")
        self.assertEqual(self.shell("readlink link"), b"real\n")

    def test_what_is_not_its_own(self):
        for path in ("/usr/x", "/etc/passwd", "/x", "/bin/sh", "/proc/x", "/sys/x"):
            with self.assertRaises(GLib.Error) as caught:
                self.write(path, b"x")
            self.assertIn(path, caught.exception.message)


class Writing(CaseTestCase):
    """Whole or not at all, with the mode it had."""

    def modes(self, *names):
        return self.shell("stat -c %a " + " ".join(names)).decode().split()

    def test_modes(self):
        self.shell("printf '#!/bin/sh\\necho one\\n' > run.sh; chmod 755 run.sh; touch key; chmod 600 key; "
                   "touch shared; chmod 666 shared")
        self.write("run.sh", b"#!/bin/sh\necho two\n")
        self.write("key", b"k")
        self.write("shared", b"s")
        self.write("new", b"n")
        stream = self.backend.open_write("run.sh", -1, None)
        stream.write_all(b"#!/bin/sh\necho three\n", None)
        stream.close(None)
        stream = self.backend.open_write("chosen", 0o640, None)
        stream.close(None)
        self.assertEqual(self.modes("run.sh", "key", "shared", "new", "chosen"),
                         ["755", "600", "666", "644", "640"])
        self.assertEqual(self.shell("./run.sh"), b"three\n")

    def test_sizes(self):
        for size in (0, 1, 65535, 65536, 131071, 131072, 200000, 262144, 262145, 5 << 20):
            contents = hashlib.shake_256(b"%d" % size).digest(size)
            self.assertEqual(self.write("big", contents).get_hash(),
                             hashlib.sha256(contents).hexdigest())
            self.assertEqual(self.read("big"), contents)

    def test_makes_parents(self):
        self.write("/workspace/parent/deep/file", b"x")
        self.assertEqual(self.names("parent/deep"), ["file"])
        self.write("/workspace/parent/deep/file", b"")
        self.assertEqual(self.read("parent/deep/file"), b"")

    def test_reader_never_sees_half(self):
        """One that looks all the time sees whole files."""
        size = 1 << 20
        self.write("whole", b"a" * size)
        script = ("touch /tmp/looking; while [ -e /tmp/looking ]; do [ $(wc -c < whole) = 1048576 ] && "
                  "[ $(tr -s ab < whole | wc -c) = 1 ] || echo half; done; echo done")
        command = self.backend.start_command(Asb.CommandSpec(shell=script), None)
        for number in range(30):
            self.write("whole", (b"a", b"b")[number % 2] * size)
        self.delete("/tmp/looking")
        self.assertEqual(command.get_stdout_pipe().read_bytes(100, None).get_data(), b"done\n")
        command.wait(None)

    def test_rivals(self):
        """Each edit that reports success is there, the others are told; from two connections."""
        self.write("shared", b"".join(b"line %d\n" % number for number in range(20)))
        options = Asb.BackendOptions(provider_name="local", mode=Asb.BackendMode.CONNECT,
                                     ref=self.backend.get_ref(), cleanup=Asb.CleanupPolicy.NEVER)
        successes = []

        def edit(backend, number):
            while True:
                contents = backend.read_file("shared", None).get_data()
                edited = contents.replace(b"line %d\n" % number, b"LINE %d\n" % number)
                try:
                    backend.write_file("shared", GLib.Bytes.new(edited),
                                       hashlib.sha256(contents).hexdigest(), None)
                    successes.append(number)
                    return
                except GLib.Error as error:
                    if not error.matches(Asb.error_quark(), Asb.Error.CONCURRENT_MODIFICATION):
                        raise

        with Asb.create_backend(options, None) as other:
            threads = [threading.Thread(target=edit, args=((self.backend, other)[number % 2], number))
                       for number in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(sorted(successes), list(range(20)))
        self.assertEqual(self.read("shared"), b"".join(b"LINE %d\n" % number for number in range(20)))

    def test_given_up(self):
        """A stream that is dropped or cancelled changes nothing and leaves nothing."""
        self.write("folder/kept", b"before")
        stream = self.backend.open_write("folder/kept", -1, None)
        stream.write_all(b"x" * 100000, None)
        cancellable = Gio.Cancellable.new()
        cancellable.cancel()
        self.assert_cancelled(stream.close, cancellable)
        del stream
        stream = self.backend.open_write("folder/kept", -1, None)
        stream.write_all(b"y" * 100000, None)
        del stream
        wait_for(self.backend.list_files_async, self.backend.list_files_finish, "folder", None)
        self.assertEqual(self.read("folder/kept"), b"before")
        self.assertEqual(self.names("folder"), ["kept"])


if __name__ == "__main__":
    tap_unittest.main()
