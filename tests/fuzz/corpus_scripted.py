# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the targets with a sandbox of the scripted server begin with: a call, and answers in turn.

An answer is its kind, a byte that says more of it, and a block; see scripted-server.c."""

import base64
import io
import json
import struct
import tarfile

RUN, FAIL, BREAK, EVENTS, BODY, PART, CUT, REFUSAL, SILENCE = range(9)
NOT_FOUND, BAD, UNAUTHORIZED, CONFLICT, NOT_ALLOWED, NO_RANGE, FAILED, FULL = range(8)


# What the server puts in their place: what the request is about, and the word at the end of a terminal.
TOKEN, WORD = b"\x1e", b"\x1f"


def answer(kind, more=0, text=b""):
    if isinstance(text, (dict, list)):
        text = json.dumps(text, separators=(",", ":")).encode().replace(b"\\u001e", TOKEN)
    return bytes([kind, more]) + struct.pack(">H", len(text)) + text


def run(text=b""):
    return answer(RUN, 0, text)


def fail(errors, status=1, lines=b""):
    return answer(FAIL, status, lines + b"\0" + errors)


def broken(text=b""):
    return answer(BREAK, 0, text)


def events(*all_events, whole=True):
    return answer(EVENTS, whole, b"".join(json.dumps(event, separators=(",", ":")).encode() + b"\n\n" for event in all_events))


def body(text):
    return answer(BODY, 0, text)


def part(text, shifted=0):
    return answer(PART, shifted, text)


def cut(text, missing=1):
    return answer(CUT, missing - 1, text)


def silence():
    return answer(SILENCE)


def refuse(status, text=b""):
    return answer(REFUSAL, status, text)


def encode(data):
    return base64.b64encode(data) + b"\n"


STAT = b"81a4 6 0 0 1770000000 2026-02-02 02:40:00.123456789 +0000"
FOLDER = b"41ed 4096 0 0 1770000000 2026-02-02 02:40:00.000000000 +0000"
LINK = b"a1ff 3 0 0 1770000000 2026-02-02 02:40:00.000000000 +0000"
HASH = b"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"

FILE_CALLS = ["query", "query_link", "list", "read_whole", "read_part", "read_stream", "read_lines", "write_file", "write_if_unchanged", "edit", "make",
              "delete_it", "set_attributes", "move", "find", "grep", "pack", "unpack"]


def tar():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        info = tarfile.TarInfo("d/a")
        info.size = 6
        archive.addfile(info, io.BytesIO(b"hello\n"))
        link = tarfile.TarInfo("l")
        link.type, link.linkname = tarfile.SYMTYPE, "d/a"
        archive.addfile(link)
        folder = tarfile.TarInfo("e")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        pipe = tarfile.TarInfo("p")
        pipe.type = tarfile.FIFOTYPE
        archive.addfile(pipe)
    return file.getvalue()[:7 * 512]


def tree(*names, end=b"whole", stat=STAT, errors=b""):
    stats = b"".join(stat + b"/./" + name + b"\n" for name in names)
    listed = b"".join(b"./" + name + b"\0" for name in names)
    return end + b"\n" + encode(listed) + b".\n" + encode(stats) + b".\n" + encode(errors) + b"."


def files():
    def call(name, *answers):
        return bytes([FILE_CALLS.index(name)]) + b"".join(answers)

    listing = STAT + b"\n" + FOLDER + b"\n.\n" + encode(b"./b c\0./a\0")
    place = b"direct\n" + encode(b"/d/f")
    long_error = b"stat: cannot statx '" + b"x" * 300 + b"': Permission denied"
    packed = tar()
    return {
        "query": call("query", run(STAT)),
        "query-failed": call("query", fail(b"stat: cannot statx '/d/f': No such file or directory")),
        "query-long": call("query", fail(long_error)),
        "query-again": call("query", broken(STAT), broken(), run(STAT)),
        "query-lost": call("query", broken(STAT), broken(STAT), broken(STAT)),
        "query-odd": call("query", run(b"81a4 -6 0 0 x")),
        "query-nothing": call("query", run()),
        "query-no-last-line": call("query", answer(RUN, 1, STAT)),
        "query-no-end": call("query", events({"type": "init", "text": "c"}, {"type": "stdout", "text": STAT.decode()},
                                             {"type": "execution_complete", "execution_time": 1})),
        "query-killed": call("query", events({"type": "init", "text": "c"}, {"type": "error", "error": {"ename": "E", "evalue": "-1", "traceback": ["signal: killed"]}})),
        "query-no-fork": call("query", events({"type": "error", "error": {"ename": "E", "evalue": "fork/exec /bin/sh: no such file", "traceback": []}})),
        "query-full": call("query", refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "failed to get stdlog descriptor: no space left on device"})),
        "query-page": call("query", body(b"<html>hello</html>")),
        "query-refused": call("query", refuse(UNAUTHORIZED, {"error": "Unauthorized"})),
        "link": call("query_link", run(LINK + b"\n" + encode(b"a b"))),
        "link-odd": call("query_link", run(LINK + b"\n%%%%")),
        "list": call("list", run(listing)),
        "list-empty": call("list", run(b".\n")),
        "list-fewer": call("list", run(STAT + b"\n.\n" + encode(b"./a\0./b\0"))),
        "list-more": call("list", run(STAT + b"\n" + STAT + b"\n.\n" + encode(b"./a\0"))),
        "list-cut": call("list", run(STAT + b"\n.\n" + encode(b"./a\0./b"))),
        "list-elsewhere": call("list", run(STAT + b"\n.\n" + encode(b"./../x\0"))),
        "read": call("read_whole", run(STAT), body(b"hello\n")),
        "read-cut": call("read_whole", run(STAT), cut(b"hel"), run(b"6")),
        "read-shorter": call("read_whole", run(STAT), body(b"hel"), run(b"3")),
        "read-longer": call("read_whole", run(STAT), body(b"hello\nand more")),
        "read-gone": call("read_whole", run(STAT), refuse(NOT_FOUND, {"code": "FILE_NOT_FOUND", "message": "no"})),
        "read-empty": call("read_whole", run(STAT.replace(b" 6 ", b" 0 ")), body(b"")),
        "read-folder": call("read_whole", fail(b"Is a directory", lines=FOLDER)),
        "part": call("read_part", run(STAT.replace(b" 6 ", b" 20 ")), part(b"lo and ")),
        "part-other": call("read_part", run(STAT.replace(b" 6 ", b" 20 ")), part(b"lo and ", 1)),
        "part-all": call("read_part", run(STAT.replace(b" 6 ", b" 20 ")), body(b"hello and good-bye!!")),
        "part-less": call("read_part", run(STAT.replace(b" 6 ", b" 20 ")), part(b"lo"), run(b"20")),
        "part-behind": call("read_part", run(STAT.replace(b" 6 ", b" 2 "))),
        "part-no-range": call("read_part", run(STAT.replace(b" 6 ", b" 20 ")), refuse(NO_RANGE, b"no"), run(b"1")),
        "stream": call("read_stream", run(STAT), body(b"hello\n")),
        "stream-cut": call("read_stream", run(STAT), cut(b"h", 200), run(b"20")),
        "lines": call("read_lines", run(STAT.replace(b" 6 ", b" 12 ")), body(b"a\nb\r\nc\nd\ne\n")),
        "lines-end": call("read_lines", run(STAT), body(b"a\nb\nc\n")),
        "lines-cut": call("read_lines", run(STAT), cut(b"a\nb"), run(b"6")),
        "lines-nothing": call("read_lines", run(STAT.replace(b" 6 ", b" 0 ")), body(b"")),
        "write": call("write_file", run(place), body(b""), run(b"done\n-\n" + STAT)),
        "write-link": call("write_file", run(b"link\n" + encode(b"/d/$f")), body(b""), run(b"done\n" + HASH + b"\n" + STAT)),
        "write-other-size": call("write_file", run(place), body(b""), run(b"done\n-\n" + STAT.replace(b" 6 ", b" 7 "))),
        "write-unsaid": call("write_file", run(place), body(b""), run()),
        "write-changed": call("write_file", run(place), body(b""), run(b"changed\n-\n")),
        "write-nowhere": call("write_file", run(b"direct\n"), body(b""), run(b"done\n-\n" + STAT)),
        "write-relative": call("write_file", run(b"direct\n" + encode(b"d/f")), body(b""), run(b"done\n-\n" + STAT)),
        "write-full": call("write_file", run(place), refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "no space left on device"})),
        "write-lost": call("write_file", run(place), cut(b""), run(place), body(b""), run(b"done\n-\n" + STAT)),
        "write-broken": call("write_file", run(place), body(b""), broken(b"done\n")),
        "if-changed": call("write_if_unchanged", run(place), body(b""), run(b"changed\n" + HASH + b"\n")),
        "if-gone": call("write_if_unchanged", run(place), body(b""), run(b"changed\n-\n")),
        "edit": call("edit", run(STAT), body(b"abacad"), run(place), body(b""), run(b"done\n" + HASH + b"\n" + STAT.replace(b" 6 ", b" 9 "))),
        "edit-crlf": call("edit", run(STAT), body(b"a\r\na\r\n"), run(place), body(b""), run(b"done\n" + HASH + b"\n" + STAT.replace(b" 6 ", b" 8 "))),
        "edit-cut": call("edit", run(STAT), cut(b"ab"), run(b"6")),
        "edit-nothing": call("edit", run(STAT), body(b"bcdefg")),
        "make": call("make", run(b"1")),
        "make-there": call("make", run(b"0")),
        "make-failed": call("make", fail(b"mkdir: can't create directory '/d': File exists")),
        "make-broken": call("make", broken(b"1")),
        "delete": call("delete_it", run()),
        "delete-cut": call("delete_it", answer(EVENTS, 0, b'{"type":"init","text":"c"}\n\n')),
        "move": call("move", run()),
        "move-failed": call("move", fail(b"mv: cannot move '/d/f' to '/d/g': Invalid cross-device link")),
        "attributes": call("set_attributes", run(STAT)),
        "attributes-odd": call("set_attributes", run(b"x")),
        "find": call("find", run(tree(b"a", b"b c", b"d/e"))),
        "find-many": call("find", run(tree(*[b"%d" % i for i in range(8)]))),
        "find-cut": call("find", run(tree(b"a", b"b", end=b"cut", errors=b"find: './x': Permission denied\n"))),
        "find-file": call("find", run(b"file\n" + STAT)),
        "find-file-alone": call("find", run(b"file")),
        "find-odd": call("find", run(b"whole\n%%%%\n.\n")),
        "find-nothing": call("find", run()),
        "grep": call("grep", run(tree(b"a", b"b")), run(b"same"), run(STAT.replace(b" 6 ", b" 12 ")), body(b"hello\nbye\ne\n")),
        "grep-anew": call("grep", run(tree(b"a", b"b")), run(b"anew\n0 6\n1 6\n"), run(STAT), body(b"hello\n")),
        "grep-ends": call("grep", run(tree(b"a", b"b", b"c")), run(b"anew\n0 18446744073709551615\n0 3\n"), run(STAT), body(b"hello\n")),
        "grep-more": call("grep", run(tree(b"a")), run(b"same"), run(STAT), body(b"hello\nand so much more than there was\n")),
        "grep-many": call("grep", run(tree(b"a", stat=STAT.replace(b" 6 ", b" 16 "))), run(b"same"), run(STAT.replace(b" 6 ", b" 16 ")), body(b"e\n" * 8)),
        "grep-cut": call("grep", run(tree(b"a")), run(b"same"), run(STAT), cut(b"hel"), run(b"6")),
        "grep-binary": call("grep", run(tree(b"a", b"b")), run(b"same"), run(STAT.replace(b" 6 ", b" 12 ")), body(b"\0e\0e\0ehello\n")),
        "grep-large": call("grep", run(tree(b"a", stat=STAT.replace(b" 6 ", b" 9223372036854775807 ")))),
        "pack": call("pack", run(b"%d\n" % len(packed)), body(packed)),
        "pack-told": call("pack", run(b"%d\n" % len(packed) + encode(b"tar: ./x: Permission denied\ntar: Exiting with failure status\n")), body(packed)),
        "pack-cut": call("pack", run(b"%d\n" % len(packed)), cut(packed[:1024]), run(b"9999")),
        "pack-short": call("pack", run(b"%d\n" % len(packed)), body(packed[:1024]), run(b"9999")),
        "pack-nonsense": call("pack", run(b"%d\n" % len(packed)), body(b"x" * 1024)),
        "pack-no-tar": call("pack", fail(b"", 9)),
        "pack-unsaid": call("pack", run(b"many")),
        "pack-gone": call("pack", run(b"10240"), refuse(NOT_FOUND)),
        "unpack": call("unpack", run(b"old\ndirect\n" + encode(b"/d/.asb-upload-x")), body(b""), run(b"done 1 0")),
        "unpack-new": call("unpack", run(b"new\nlink\n" + encode(b"/d$/.asb-upload-x")), body(b""), run(b"done 0 0")),
        "unpack-unsaid": call("unpack", run(b"old\ndirect\n" + encode(b"/d/x")), body(b""), run(b"done 1")),
        "unpack-checksum": call("unpack", run(b"old\ndirect\n" + encode(b"/d/x")), body(b""), fail(b"", 1, b"checksum\n./f\n")),
        "unpack-checksum-controls": call("unpack", run(b"old\ndirect\n" + encode(b"/d/x")), body(b""), fail(b"", 1, b"checksum\n./\x1b[31mf\x07" + b"x" * 300)),
        "unpack-kept": call("unpack", run(b"old\ndirect\n" + encode(b"/d/x")), body(b""), fail(b"mv: No space left on device", 1, b"kept\n" + encode(b"/d/kept"))),
        "unpack-culprit": call("unpack", run(b"old\ndirect\n" + encode(b"/d/x")), body(b""), fail(b"File exists", 1, b"at 1\n")),
        "unpack-broken": call("unpack", run(b"old\ndirect\n" + encode(b"/d/x")), body(b""), broken(b"done 1 0"), run(b"prevented")),
        "unpack-refused": call("unpack", run(b"old\ndirect\n" + encode(b"/d/x")), refuse(FULL, b"full")),
        "unpack-nowhere": call("unpack", run(b"old\ndirect\n"), body(b""), run(b"done 1 0")),
    }


COMMAND_CALLS = ["run_lines", "run_exact", "run_with_input", "run_in_terminal", "run_for_a_while", "signal_it", "start_job", "tell_job", "wait_for_job",
                 "stop_job", "signal_job", "remove_job", "list_jobs", "read_job", "create_session", "run_in_session", "delete_session", "run_code",
                 "list_contexts", "create_context"]

FIN = 0x80
TEXT, BINARY = FIN | 1, FIN | 2


def frames(*all_frames, code=None):
    """Of a WebSocket, which is closed with that code or ends."""
    text = b"".join(bytes([first, len(payload)]) + payload for first, payload in all_frames)
    return answer(RUN, 0 if code is None else (code - 1000) << 1 | 1, text)


def printed(data):
    return BINARY, b"\x01" + data


def complained(data):
    return BINARY, b"\x02" + data


def said(event):
    return TEXT, json.dumps(event, separators=(",", ":")).encode()


def commands():
    def call(name, *answers):
        return bytes([COMMAND_CALLS.index(name)]) + b"".join(answers)

    started = TOKEN + b" started 4711"
    session = body({"session_id": "s1"})
    first = [body(b""), session]
    job = (b"c1.0123456789abcdef0123456789abcdef\n4711\n1770000000000000\n300\nbmFtZQ==\nc2xlZXAgMQ==\n.\n12\n0\n0")
    running = body({"id": "c1", "content": "x", "running": True, "started_at": "2026-03-01T10:00:00Z"})
    done = body({"id": "c1", "content": "x", "running": False, "exit_code": 3, "started_at": "2026-03-01T10:00:00Z", "finished_at": "2026-03-01T10:00:01Z"})
    killed = body({"id": "c1", "running": False, "exit_code": -1, "error": "signal: killed"})
    begun = [{"type": "init", "text": "c1"}]
    small = b"6\n" + encode(b"hello\n") + b".\n"
    sizes = {"size": 6}
    return {
        "lines": call("run_lines", run(started + b"\nhello\n\nworld")),
        "lines-failed": call("run_lines", fail(b"oh", 3, started + b"\nhello")),
        "lines-missing": call("run_lines", fail(b"", 127, TOKEN + b" missing")),
        "lines-directory": call("run_lines", fail(b"", 126, TOKEN + b" directory")),
        "lines-silent": call("run_lines", run(b"no word")),
        "lines-silent-failed": call("run_lines", fail(b"sh: syntax error", 2)),
        "lines-unheard": call("run_lines", fail(b"", 125)),
        "lines-odd-pid": call("run_lines", run(TOKEN + b" started 99999999999")),
        "lines-broken": call("run_lines", broken(started + b"\nhel"), done),
        "lines-broken-running": call("run_lines", broken(started), running, killed),
        "lines-broken-unknown": call("run_lines", broken(started + b"\nhel"), refuse(NOT_FOUND)),
        "lines-broken-before": call("run_lines", broken()),
        "lines-signal": call("run_lines", events(*begun, {"type": "error", "error": {"ename": "E", "evalue": "-1", "traceback": ["signal: killed"]}})),
        "lines-page": call("run_lines", body(b"<html>hello</html>")),
        "lines-tail": call("run_lines", events(*begun, {"code": "RUNTIME_ERROR", "message": "it broke"})),
        "lines-refused": call("run_lines", refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "failed to get stdlog descriptor: permission denied"})),
        "exact": call("run_exact", run(started), body({"/tmp/.asb-" + TOKEN.decode() + "/o": sizes, "/tmp/.asb-" + TOKEN.decode() + "/e": {"size": 0}}), body(b"hello\n")),
        "exact-cut": call("run_exact", run(started), body({"/tmp/.asb-" + TOKEN.decode() + "/o": sizes, "/tmp/.asb-" + TOKEN.decode() + "/e": {"size": 0}}), cut(b"hel"), run(b"6")),
        "exact-short": call("run_exact", run(started), body({"/tmp/.asb-" + TOKEN.decode() + "/o": sizes, "/tmp/.asb-" + TOKEN.decode() + "/e": sizes}), body(b"hel"), body(b"hello\n"), run(b"6")),
        "exact-script": call("run_exact", run(started), refuse(NOT_FOUND), run(small + b"0\n.\n")),
        "exact-script-large": call("run_exact", run(started), refuse(NOT_FOUND), run(b"70000\n.\n" + small), body(b"x" * 300), run(b"70000")),
        "exact-script-odd": call("run_exact", run(started), refuse(NOT_FOUND), run(b"-1\n.\n")),
        "exact-failed": call("run_exact", fail(b"", 5, started), refuse(NOT_FOUND), run(b"0\n.\n0\n.\n")),
        "exact-unfetched": call("run_exact", run(started), refuse(NOT_FOUND), broken()),
        "exact-broken": call("run_exact", broken(started), done, refuse(NOT_FOUND), run(small + small)),
        "input": call("run_with_input", *first, frames(printed(started + b"\nhel"), printed(b"lo\n" + WORD + b" 0\n"), complained(b"oh\n" + WORD + b" 0\n"), code=1000)),
        "input-errors-first": call("run_with_input", *first, frames(complained(b"oh\n"), printed(started + b"\n" + WORD + b" 3\n"), complained(WORD + b" 3\n"))),
        "input-cut": call("run_with_input", *first, frames(printed(started + b"\nhel"))),
        "input-replay": call("run_with_input", *first, frames((BINARY, b"\x03" + bytes(8) + started + b"\n"), (BINARY, b"\x03" + b"\xff" * 8 + b"x"))),
        "input-refused": call("run_with_input", *first, frames(printed(TOKEN + b" missing\n" + WORD + b" 127\n"), complained(WORD + b" 127\n"))),
        "input-unsaid": call("run_with_input", *first, frames(printed(b"bash: no\n" + WORD + b" 1\n"), complained(WORD + b" 1\n"))),
        "input-pong": call("run_with_input", *first, frames(printed(started + b"\n"), said({"type": "pong"}), said({"type": "pong"}), printed(WORD + b" 0\n"), complained(WORD + b" 0\n"))),
        "input-error": call("run_with_input", *first, frames(printed(started + b"\n"), said({"type": "error", "error": "broken", "code": "STDIN_WRITE_FAILED"}))),
        "input-exit": call("run_with_input", *first, frames(printed(started + b"\n"), said({"type": "exit", "exit_code": 4}))),
        "input-masked": call("run_with_input", *first, frames(printed(started + b"\n"), (BINARY, b"\xff" * 3)) + b""),
        "input-no-session": call("run_with_input", body(b""), body({"session_id": "../x"})),
        "input-no-pty": call("run_with_input", body(b""), refuse(NOT_FOUND, b"404 page not found")),
        "input-no-room": call("run_with_input", refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "no space left on device"})),
        "input-shut": call("run_with_input", *first, refuse(CONFLICT, {"code": "ALREADY_CONNECTED", "message": "x"})),
        "terminal": call("run_in_terminal", *first, frames(printed(started + b"\r\nhello\r\n" + WORD + b" -137\r\n"), code=1000)),
        "terminal-fragments": call("run_in_terminal", *first, frames((2, b"\x01" + started), (0, b"\r\n"), (FIN, b"x"), printed(WORD + b" 0\r\n"))),
        "while": call("run_for_a_while", broken(started + b"\nhel"), running, running, killed),
        "signal": call("signal_it", run(started), run()),
        "signal-gone": call("signal_it", broken(started), fail(b"kill: No such process"), done),
        "start": call("start_job", run(b"ready\n" + started), events(*begun, {"type": "execution_complete", "execution_time": 1}), run()),
        "start-failed": call("start_job", run(b"ready\n" + TOKEN + b" missing"), events(*begun, {"type": "execution_complete", "execution_time": 1})),
        "start-silent": call("start_job", run(b"ready"), events(*begun, {"type": "execution_complete", "execution_time": 1})),
        "start-unheard": call("start_job", fail(b"", 125)),
        "start-no-fifo": call("start_job", fail(b"mkfifo: not permitted")),
        "start-controls": call("start_job", fail(b"mkfifo: \x1b[31mno\x07")),
        "start-nameless": call("start_job", run(b"ready\n" + started), events({"type": "execution_complete", "execution_time": 1})),
        "start-unremembered": call("start_job", run(b"ready\n" + started), events(*begun, {"type": "execution_complete", "execution_time": 1}), fail(b"No space left on device")),
        "status": call("tell_job", run(job), running),
        "status-done": call("tell_job", run(job), done),
        "status-forgotten": call("tell_job", run(job), refuse(NOT_FOUND)),
        "status-odd": call("tell_job", run(job), body(b"[1]")),
        "status-gone": call("tell_job", fail(b"No such file or directory")),
        "status-cut": call("tell_job", run(job[:60])),
        "wait": call("wait_for_job", run(job), running, run(job), killed),
        "stop": call("stop_job", run(job), running, run(), run(job), killed),
        "stop-done": call("stop_job", run(job), done),
        "signal-job": call("signal_job", run(job), running, run()),
        "signal-job-gone": call("signal_job", run(job), running, fail(b"kill: No such process")),
        "remove": call("remove_job", run(job), done),
        "remove-running": call("remove_job", run(job), running),
        "jobs": call("list_jobs", run(job + b"\n" + job.replace(b"4711", b"4712")), done, running),
        "jobs-odd": call("list_jobs", run(b"x\n" * 10 + job), killed),
        "output": call("read_job", run(job), done, run(b"12\n" + encode(b"hello, world")), run(b"12\n"), run(b"12\n")),
        "output-follow": call("read_job", run(job), running, run(b"2\n" + encode(b"he")), run(b"2\n"), run(job), done, run(b"5\n" + encode(b"llo")), run(b"5\n")),
        "output-nothing": call("read_job", run(job), done, run(), run()),
        "output-odd": call("read_job", run(job), done, run(b"many\n%%%%")),
        "session": call("create_session", session),
        "session-no-bash": call("create_session", refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "exec: \"bash\": executable file not found in $PATH"})),
        "session-run": call("run_in_session", run(b"asb-" + TOKEN + b"-4711\nhello")),
        "session-failed": call("run_in_session", fail(b"no", 2, b"asb-" + TOKEN + b"-4711")),
        "session-killed": call("run_in_session", events(*begun, {"type": "error", "error": {"ename": "E", "evalue": "signal: killed", "traceback": []}})),
        "session-broken": call("run_in_session", broken(b"asb-" + TOKEN + b"-4711\nhel")),
        "session-unknown": call("run_in_session", refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "context not found"})),
        "session-delete": call("delete_session", body(b"")),
        "code": call("run_code", events(*begun, {"type": "status", "text": "ok"}, {"type": "stdout", "text": "1\n"}, {"type": "stderr", "text": "2"},
                                        {"type": "result", "results": {"text/plain": "4", "list": [1, None, {"a": 1.5}]}},
                                        {"type": "execution_count", "execution_count": 3}, {"type": "execution_complete", "execution_time": 12})),
        "code-error": call("run_code", events(*begun, {"type": "error", "error": {"ename": "NameError", "evalue": "x", "traceback": ["a", "b"]}}, whole=False)),
        "code-broken": call("run_code", broken(b"1")),
        "code-unknown": call("run_code", refuse(NOT_FOUND, {"code": "CONTEXT_NOT_FOUND", "message": "no"})),
        "code-no-jupyter": call("run_code", refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "language runtime server not configured"})),
        "contexts": call("list_contexts", body([{"id": "c", "language": "python"}])),
        "contexts-object": call("list_contexts", body({"contexts": 7})),
        "contexts-cut": call("list_contexts", cut(b"[]", 9)),
        "context": call("create_context", body({"id": "c", "language": "python"})),
    }


ENTRANCE_CALLS = ["open_guest", "open_any", "open_websocket", "open_pty", "open_twice", "put", "open_native", "create"]


def entrances():
    def call(name, *answers):
        return bytes([ENTRANCE_CALLS.index(name)]) + b"".join(answers)

    listens = run(b'{"port": 40001, "pid": 7}')
    missing = fail(b"", 127, b"asb-guest: missing x86_64 /.agent-history")
    session = body({"session_id": "s1"})
    ready = complained(b"asb-guest: ready\n")
    sandbox = {"id": "sb-1", "status": {"state": "Running"}, "createdAt": "2026-03-01T10:00:00Z"}
    ended = {**sandbox, "status": {"state": "Failed", "reason": "OOMKilled", "message": "out of memory"}}
    paused = {**sandbox, "status": {"state": "Paused"}}
    return {
        "websocket": call("open_websocket", listens, frames((BINARY, b"hello"), (BINARY, b" world"), code=1000)),
        "websocket-cut": call("open_websocket", listens, frames((BINARY, b"hello"))),
        "websocket-code": call("open_websocket", listens, frames((BINARY, b"hello"), code=1011)),
        "websocket-text": call("open_websocket", listens, frames((TEXT, b"hello"), code=1000)),
        "websocket-fragments": call("open_websocket", listens, frames((2, b"he"), (FIN | 9, b"ping"), (FIN, b"llo"), (FIN | 8, b"\x03\xe8bye"))),
        "websocket-wrong": call("open_websocket", listens, frames((0xf3, b"x"), (BINARY, b""))),
        "websocket-half": call("open_websocket", listens, answer(RUN, 0, b"\x82\xffabc")),
        "websocket-shut": call("open_websocket", listens, refuse(NOT_FOUND, b"404 page not found")),
        "websocket-silent": call("open_websocket", listens, silence()),
        "unheard": call("open_websocket", run()),
        "nowhere": call("open_guest", fail(b"", 126, b"asb-guest: nowhere riscv64 ")),
        "failed": call("open_guest", fail(b"Exec format error", 126, b"asb-guest: failed 126 s390x")),
        "failed-auto": call("open_any", fail(b"Exec format error", 126, b"asb-guest: failed 126 s390x")),
        "missing": call("open_guest", missing, body(b""), listens, frames((BINARY, b"x"), code=1000)),
        "missing-still": call("open_guest", missing, body(b""), missing),
        "missing-no-room": call("open_guest", missing, refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "no space left on device"})),
        "missing-lost": call("open_any", missing, silence(), silence()),
        "other-way": call("open_any", listens, refuse(NOT_FOUND), session, frames(ready, printed(b"hello"), said({"type": "exit", "exit_code": 0}), code=1000)),
        "broken": call("open_any", broken(), body(b"")),
        "broken-gone": call("open_any", broken(), silence(), body(ended), body(ended)),
        "paused": call("open_any", silence(), body(paused), body(paused)),
        "pty": call("open_pty", session, frames(ready, printed(b"hello"), said({"type": "exit", "exit_code": 0}), code=1000)),
        "pty-exit": call("open_pty", session, frames(ready, printed(b"hello"), complained(b"oh\n"), said({"type": "exit", "exit_code": 3}), code=1000)),
        "pty-missing": call("open_pty", session, frames(complained(b"asb-guest: missing x86_64 /.agent-history\n"), said({"type": "exit", "exit_code": 127}), code=1000)),
        "pty-replay": call("open_pty", session, frames((BINARY, b"\x03" + bytes(8)), ready, (BINARY, b"\x03" + bytes(8) + b"old"))),
        "pty-error": call("open_pty", session, frames(said({"type": "error", "error": "pty.StartWithSize: no", "code": "START_FAILED"}), code=1011)),
        "pty-cut": call("open_pty", session, frames(ready, printed(b"hel"))),
        "pty-none": call("open_pty", refuse(NOT_FOUND, b"404 page not found")),
        "pty-odd": call("open_pty", body({"session_id": 7})),
        "twice": call("open_twice", listens, frames((BINARY, b"x"), code=1000), frames((BINARY, b"y"), code=1000)),
        "twice-moved": call("open_twice", listens, frames((BINARY, b"x"), code=1000), refuse(FAILED), listens, frames((BINARY, b"y"), code=1000)),
        "put": call("put", body(b""), run()),
        "put-other": call("put", body(b""), fail(b"what arrived is not what was sent")),
        "put-no-room": call("put", refuse(FAILED, {"code": "RUNTIME_ERROR", "message": "no space left on device"})),
        "put-broken": call("put", body(b""), broken()),
        "put-lost": call("put", silence(), body(b""), run()),
        "native": call("open_native", run(), refuse(NOT_FOUND, {"code": "NOT_FOUND", "message": "no"})),
        "native-no-bash": call("open_native", fail(b"", 127), refuse(NOT_FOUND, b"404 page not found")),
        "native-broken": call("open_native", broken(), broken(), broken()),
        "create": call("create", body(sandbox), body(sandbox), body(b"")),
        "create-slow": call("create", body(sandbox), body({**sandbox, "status": {"state": "Pending"}}), body(sandbox), refuse(FAILED), body(b"")),
        "create-ended": call("create", body(sandbox), body(ended), body({"content": "oh", "contentLength": 2}), body(b"")),
        "create-refused": call("create", body(sandbox), body(sandbox), refuse(UNAUTHORIZED, {"error": "Unauthorized"})),
        "create-lost": call("create", silence(), body({"items": []})),
    }


CORPORA = {
    "opensandbox-entrance": entrances,
    "opensandbox-commands": commands,
    "opensandbox-files": files,
}

FILE_WORDS = ["81a4 6 0 0 1770000000", "whole", "cut", "file", "same", "anew", "0 6", "direct", "link", "old", "new", "done", "changed", "checksum", "kept", "at 1",
              "prevented", "\n.\n", "L2QvZg==", "Li9hAA==", "No such file or directory", "Permission denied", "tar: ./"]
EVENT_WORDS = ['{"type":"init","text":"c1"}\n', '{"type":"execution_complete"}\n', '{"type":"error","error":{"ename":"E","evalue":"1","traceback":[]}}\n']
COMMAND_WORDS = [TOKEN.decode(), WORD.decode() + " 0\n", " started 4711\n", " missing", "ready\n", '{"session_id":"s1"}', '"running":true', '"exit_code":0',
                 '{"type":"exit","exit_code":0}', '{"type":"pong"}', "\x01", "\x03"]
ENTRANCE_WORDS = ['{"port": 40001, "pid": 7}', "asb-guest: ready\n", "asb-guest: missing x86_64 /.agent-history", "asb-guest: failed 126 x86_64",
                  '{"id":"sb-1","status":{"state":"Running"}}', '{"session_id":"s1"}']

BYTE_DICTIONARIES = {"opensandbox-files": FILE_WORDS + EVENT_WORDS, "opensandbox-commands": COMMAND_WORDS + EVENT_WORDS,
                     "opensandbox-entrance": ENTRANCE_WORDS + EVENT_WORDS}
