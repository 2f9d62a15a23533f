#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the daemon in a sandbox does: commands, sessions, files.

usage: test-execd.py SERVER
       test-execd.py --port PORT    (the same of a real execd, which may write in its folders)
"""

import json
import os
import random
import socket
import sys
import tempfile
import threading
import urllib.parse

import lookalike
from lookalike import Server, Skip, exchange, fetch, parse_events, run, test


class Execd:
    """One sandbox's daemon, of the look-alike or a real one."""

    def __init__(self):
        self.is_real = sys.argv[1] == "--port"

    def __enter__(self):
        if self.is_real:
            self.port = int(sys.argv[2])
            self.folder = tempfile.mkdtemp(prefix="execd-test-")
        else:
            # The grace time has a test of its own.
            self.server = Server("--grace", "20")
            self.port = self.server.new_execd(env={"GREETING": "hello"})
            self.folder = "/tmp/test"
            self.fetch("POST", "/directories", {self.folder: {"mode": 755}})
        return self

    def __exit__(self, *arguments):
        if not self.is_real:
            self.server.__exit__(*arguments)

    def fetch(self, method, path, body=None, **options):
        return fetch(self.port, method, path, body, **options)

    def ours(self):
        if self.is_real:
            raise Skip("only the look-alike can be asked for this")
        return self.server

    def run(self, command, **members):
        answer = self.fetch("POST", "/command", {"command": command, **members})
        assert answer.status == 200, answer
        assert answer.header("content-type") == "text/event-stream", answer
        events, tail = parse_events(answer.body)
        assert tail == b"", tail
        return events

    def texts(self, kind, command, **members):
        return [event["text"] for event in self.run(command, **members) if event["type"] == kind]

    def upload(self, *pairs):
        body = multipart(*[part for path, content, extra in pairs for part in (
            ("metadata", "metadata", json.dumps({"path": path, **extra}).encode()),
            ("file", path.rpartition("/")[2], content))])
        return self.fetch("POST", "/files/upload", body, headers=MULTIPART)

    def write(self, path, content, **extra):
        answer = self.upload((path, content, extra))
        assert answer.status == 200 and answer.body == b"", answer

    def info(self, path):
        answer = self.fetch("GET", "/files/info?" + urllib.parse.urlencode({"path": path}))
        assert answer.status == 200, answer
        return answer.json()[path]

    def download(self, path, **options):
        return self.fetch("GET", "/files/download?" + urllib.parse.urlencode({"path": path}),
                          **options)


MULTIPART = {"Content-Type": "multipart/form-data; boundary=B"}


def multipart(*parts):
    body = b""
    for name, file_name, content in parts:
        disposition = f'form-data; name="{name}"'
        if file_name is not None:
            disposition += f'; filename="{file_name}"'
        body += (b"--B\r\nContent-Disposition: " + disposition.encode()
                 + b"\r\nContent-Type: application/octet-stream\r\n\r\n" + content + b"\r\n")
    return body + b"--B--\r\n"


def is_error(answer, status, code):
    assert answer.status == status, answer
    assert answer.header("content-type") == "application/json; charset=utf-8", answer
    assert answer.json()["code"] == code, answer
    return answer.json().get("message", "")


def terminal(events):
    return [event for event in events if event["type"] in ("error", "execution_complete")]


@test
def ping(execd):
    answer = execd.fetch("GET", "/ping")
    assert (answer.status, answer.body, answer.header("content-length")) == (200, b"", "0")


@test
def unknown_paths_and_methods_are_text_404(execd):
    for method, path in (("GET", "/nothing"), ("PUT", "/command"), ("HEAD", "/ping"),
                         ("POST", "/ping")):
        answer = execd.fetch(method, path)
        assert answer.status == 404, (method, path)
        assert answer.header("content-type").startswith("text/plain")
        assert method == "HEAD" or answer.body == b"404 page not found"


@test
def tokens_are_asked_for(execd):
    execd.ours()
    with Server("--execd-token", "t") as server:
        port = server.new_execd()
        for path in ("/ping", "/proxy/80/", "/nothing"):
            answer = fetch(port, "GET", path)
            assert answer.status == 401 and list(answer.json()) == ["error"], answer
        assert fetch(port, "GET", "/ping", headers={"X-EXECD-ACCESS-TOKEN": "t"}).status == 200


@test
def an_event_is_bare_json_and_an_empty_line(execd):
    answer = execd.fetch("POST", "/command", {"command": "echo '<&>'; echo oops >&2; printf end"})
    assert answer.header("cache-control") == "no-cache"
    assert answer.header("x-accel-buffering") == "no"
    assert answer.header("transfer-encoding") == "chunked"
    events, tail = parse_events(answer.body)
    assert tail == b"" and b"\n\n\n" not in answer.body and b"data:" not in answer.body
    assert rb"\u003c\u0026\u003e" in answer.body
    # A real one's first ping may come a moment later.
    kinds = [event["type"] for event in events]
    assert kinds[0] == "init" and "ping" in kinds if execd.is_real else kinds[:2] == [
        "init", "ping"], events
    assert len(events[0]["text"]) == 32 and events[kinds.index("ping")]["text"] == "pong"
    assert all(isinstance(event["timestamp"], int) for event in events)
    assert [list(event) for event in events[:1]] == [["type", "text", "timestamp"]]
    assert [e["text"] for e in events if e["type"] == "stdout"] == ["<&>", "end"]
    assert [e["text"] for e in events if e["type"] == "stderr"] == ["oops"]
    assert terminal(events)[0]["type"] == "execution_complete"


@test
def lines_lose_their_ends(execd):
    assert execd.texts("stdout", r"printf 'a\n\nb\rc\r\nd\n\n\n'") == [
        "a", "\n", "b", "c", "d", "\n", "\n"]
    assert execd.texts("stdout", r"printf '\377x\000y\342\200\250\302\205'") == [
        "�x\0y\u2028\x85"]
    body = execd.fetch("POST", "/command", {"command": r"printf '\342\200\250\302\205\n'"}).body
    assert rb"\u2028" in body and b"\xc2\x85" in body


@test
def outcomes(execd):
    [end] = terminal(execd.run("exit 3"))
    assert list(end) == ["type", "timestamp", "error"]
    assert end["error"] == {"ename": "CommandExecError", "evalue": "3",
                            "traceback": ["exit status 3"]}
    [end] = terminal(execd.run("kill -9 $$"))
    assert end["error"]["evalue"] == "-1" and end["error"]["traceback"] == ["signal: killed"]
    [end] = terminal(execd.run("kill -TERM $$"))
    assert end["error"]["traceback"] == ["signal: terminated"]
    [end] = terminal(execd.run("tail -f /dev/null & wait", timeout=300))
    assert end["error"]["evalue"] == "-1", end
    [end] = terminal(execd.run("true"))
    assert end["type"] == "execution_complete"


def stays_open(execd):
    """The stream, for a while after its last event; then it ends."""
    with socket.create_connection(("127.0.0.1", execd.port), lookalike.TIMEOUT) as connection:
        body = b'{"command":"echo x"}'
        connection.sendall(b"POST /command HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                           % (len(body), body))
        received = b""
        while b"execution_complete" not in received or not received.endswith(b"\n\n\r\n"):
            received += receive(connection)
        is_open = not received.endswith(b"0\r\n\r\n") and lookalike.is_quiet(connection, 0.5)
        while not received.endswith(b"0\r\n\r\n"):
            received += receive(connection)
    return is_open


@test
def the_stream_stays_open_for_the_grace_time(execd):
    if execd.is_real:
        assert stays_open(execd)
        return
    # When the machine stands still the time is over before anybody can look.
    for grace_ms in (1000, 4000, 16000):
        execd.server.set(grace_ms=grace_ms)
        is_open = stays_open(execd)
        if is_open:
            break
    assert is_open
    execd.server.set(grace_ms=20)


@test
def pings_come_between_and_late(execd):
    server = execd.ours()
    server.set(ping_ms=50, grace_ms=200)
    events = execd.run("read -t 0.4 < <(tail -f /dev/null); echo x")
    server.set(ping_ms=3000, grace_ms=20)
    kinds = [event["type"] for event in events]
    assert kinds.count("ping") >= 4
    assert kinds[-1] == "ping", kinds
    server.set(late_ping=True)
    kinds = [event["type"] for event in execd.run("exit 1")]
    server.set(late_ping=False)
    assert kinds == ["init", "ping", "error", "ping"], kinds


@test
def what_a_command_gets(execd):
    assert execd.texts("stdout", "cat; pwd; echo $X", cwd=execd.folder, envs={"X": "a b"}) == [
        execd.folder, "a b"]
    if not execd.is_real:
        assert execd.texts("stdout", "echo $GREETING") == ["hello"]
    if os.getuid() == 0:
        assert execd.texts("stdout", "id -u; id -g", uid=1000, gid=1000) == ["1000", "1000"]


@test
def what_is_too_long_to_run_is_said(execd):
    """Of a program or its environment the kernel takes no more."""
    for body in ({"command": "echo " + "a" * 200000}, {"command": ":", "envs": {"A": "b" * 200000}}):
        failure = execd.run(**body)[-1]["error"]["evalue"]
        assert failure.startswith("fork/exec /"), failure
        assert failure.endswith("/bash: argument list too long"), failure


@test
def a_user_without_a_group_has_its_own(execd):
    """That of the password file; of a user that is not in it, the group of execd."""
    if os.getuid() != 0:
        raise Skip("only root becomes another user")
    for uid in (0, 12345):
        assert execd.texts("stdout", "id -g", uid=uid) == ["0"], uid


@test
def commands_that_are_refused(execd):
    for body in ({}, {"command": ""}, {"command": "x", "timeout": -1}, {"command": "x", "gid": 1},
                 {"command": "x", "cwd": "/none"}, {"command": "x", "cwd": "/etc/passwd"},
                 {"command": "x", "cwd": "$NONE_SUCH"}):
        is_error(execd.fetch("POST", "/command", body), 400, "INVALID_REQUEST_BODY")
    for member, value in (("command", 1), ("cwd", 1), ("background", "yes"), ("timeout", "1"),
                          ("timeout", 1.5), ("uid", -1), ("uid", 1 << 32), ("envs", []),
                          ("envs", {"A": 1})):
        is_error(execd.fetch("POST", "/command", {"command": "true", member: value}), 400,
                 "INVALID_REQUEST_BODY")
    for path in ("/session", "/pty"):
        is_error(execd.fetch("POST", path, {"cwd": 1}), 400, "INVALID_REQUEST_BODY")
    assert execd.fetch("POST", "/command", b'{"command":"true"} and more').status == 200
    is_error(execd.fetch("POST", "/command", b"{"), 400, "INVALID_REQUEST_BODY")
    is_error(execd.fetch("POST", "/command", b"[1]"), 400, "INVALID_REQUEST_BODY")
    assert execd.run("echo x", unknown=[1])[-1]["type"] == "execution_complete"


def wait_for(execd, command):
    while True:
        status = execd.fetch("GET", "/command/status/" + command).json()
        if not status["running"]:
            return status


@test
def background_commands(execd):
    fifo = execd.folder + "/fifo"
    execd.run(f"mkfifo {fifo}")
    events = execd.run(f"printf begin; echo err >&2; cat {fifo}; printf 'more\\n'; exit 4",
                       background=True)
    assert [event["type"] for event in events if event["type"] != "ping"] == [
        "init", "execution_complete"]
    command = events[0]["text"]
    status = execd.fetch("GET", "/command/status/" + command).json()
    assert status["running"] and status["id"] == command and "exit_code" not in status
    assert "finished_at" not in status and status["started_at"]
    path = f"/command/{command}/logs"
    while True:
        answer = execd.fetch("GET", path)
        if answer.body == b"beginerr\n":
            break
    assert answer.header("content-type") == "text/plain; charset=utf-8"
    assert answer.header("EXECD-COMMANDS-TAIL-CURSOR") == "9"
    execd.run(f"echo through > {fifo}")
    status = wait_for(execd, command)
    assert status["exit_code"] == 4 and status["error"] == "exit status 4"
    answer = execd.fetch("GET", path + "?cursor=9")
    assert answer.body == b"through\nmore\n"
    assert answer.header("execd-commands-tail-cursor") == "22"
    for cursor, body, after in (("1", b"eginerr\nthrough\nmore\n", "22"), ("99", b"", "99"),
                                ("x", b"beginerr\nthrough\nmore\n", "22")):
        answer = execd.fetch("GET", f"{path}?cursor={cursor}")
        assert answer.body == body and answer.header("execd-commands-tail-cursor") == after
    is_error(execd.fetch("GET", path + "?cursor=-1"), 400, "INVALID_REQUEST_BODY")


@test
def what_is_not_in_the_background_has_no_logs(execd):
    command = execd.run("exit 5")[0]["text"]
    status = execd.fetch("GET", "/command/status/" + command).json()
    assert status["exit_code"] == 5 and status["finished_at"] and status["content"] == "exit 5"
    is_error(execd.fetch("GET", f"/command/{command}/logs"), 400, "INVALID_REQUEST_BODY")
    is_error(execd.fetch("GET", "/command/none/logs"), 400, "INVALID_REQUEST_BODY")
    is_error(execd.fetch("GET", "/command/status/none"), 404, "INVALID_REQUEST_BODY")


def receive(connection):
    piece = connection.recv(65536)
    if not piece:
        raise EOFError
    return piece


def dechunk(received):
    """The body of a chunked answer, so far."""
    body = b""
    rest = received.partition(b"\r\n\r\n")[2]
    while b"\r\n" in rest:
        size, _, rest = rest.partition(b"\r\n")
        size = int(size, 16)
        body, rest = body + rest[:size], rest[size + 2:]
    return body


def start(execd, command, path="/command", **members):
    """A connection on which a command said something."""
    body = json.dumps({"command": command, **members}).encode()
    connection = socket.create_connection(("127.0.0.1", execd.port), lookalike.TIMEOUT)
    connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
                       .encode() + body)
    received = b""
    while b'"stdout"' not in received:
        received += receive(connection)
    return connection, received


def find_id(received):
    return received.partition(b'"init","text":"')[2].partition(b'"')[0].decode()


@test
def interrupts(execd):
    connection, received = start(execd, "echo up; tail -f /dev/null & wait")
    command = find_id(received)
    answer = execd.fetch("DELETE", "/command?id=" + command)
    assert (answer.status, answer.body) == (200, b""), answer
    while b'"evalue":"-1"' not in received:
        received += receive(connection)
    assert b"signal: terminated" in received
    connection.close()
    status = execd.fetch("GET", "/command/status/" + command).json()
    assert status["exit_code"] == -1 and not status["running"]
    is_error(execd.fetch("DELETE", "/command?id=" + command), 500, "RUNTIME_ERROR")
    is_error(execd.fetch("DELETE", "/command?id=none"), 500, "RUNTIME_ERROR")
    is_error(execd.fetch("DELETE", "/command"), 400, "MISSING_QUERY")


@test
def what_ignores_term_is_killed(execd):
    connection, received = start(execd, "trap '' TERM; echo up; while :; do read -t 1 < /dev/tty; "
                                        "done 2>/dev/null; tail -f /dev/null")
    assert execd.fetch("DELETE", "/command?id=" + find_id(received)).status == 200
    while b"signal: killed" not in received:
        received += receive(connection)
    connection.close()


@test
def a_command_survives_its_client(execd):
    path = execd.folder + "/gate"
    execd.run(f"mkfifo {path}")
    connection, received = start(execd, f"echo up; cat {path}; exit 6")
    connection.close()
    execd.run(f"echo go > {path}")
    assert wait_for(execd, find_id(received))["exit_code"] == 6


@test
def children_that_keep_the_output_do_not_keep_the_command(execd):
    events = execd.run("tail -f /dev/null & echo done")
    assert terminal(events)[0]["type"] == "execution_complete"


@test
def much_output(execd):
    texts = execd.texts("stdout", "seq 1 100000")
    assert texts == [str(number) for number in range(1, 100001)]
    [text] = execd.texts("stdout", "head -c 3000000 /dev/zero | tr '\\0' x")
    assert text == "x" * 3000000


@test
def code_without_a_language_is_a_command(execd):
    answer = execd.fetch("POST", "/code", {"code": "echo x", "context": {}})
    events, _ = parse_events(answer.body)
    assert [event["text"] for event in events if event["type"] == "stdout"] == ["x"]
    is_error(execd.fetch("POST", "/code", {}), 400, "INVALID_REQUEST_BODY")
    answer = execd.fetch("POST", "/code", {"code": "1", "context": {"language": "python"}})
    is_error(answer, 500, "RUNTIME_ERROR")
    assert execd.fetch("GET", "/code/contexts").json() in ([], None)
    is_error(execd.fetch("GET", "/code/contexts/none"), 404, "CONTEXT_NOT_FOUND")
    is_error(execd.fetch("DELETE", "/code/contexts/none"), 404, "CONTEXT_NOT_FOUND")
    is_error(execd.fetch("DELETE", "/code/contexts"), 400, "MISSING_QUERY")


def new_session(execd, body=None):
    answer = execd.fetch("POST", "/session", body)
    assert answer.status == 200 and list(answer.json()) == ["session_id"], answer
    return answer.json()["session_id"]


def run_in(execd, session, command, **members):
    answer = execd.fetch("POST", f"/session/{session}/run", {"command": command, **members})
    assert answer.status == 200, answer
    events, tail = parse_events(answer.body)
    assert events[0]["text"] == session
    return events, tail


def outputs(events):
    return [event["text"] for event in events if event["type"] == "stdout"]


@test
def sessions_remember(execd):
    folder = execd.folder + "/session"
    session = new_session(execd, {"cwd": folder})
    events, _ = run_in(execd, session, "pwd; export A='x \"y\" z'; B=not; cd /; f() { :; }")
    assert outputs(events) == [folder]
    events, _ = run_in(execd, session, "pwd; echo $A; echo [$B]; type f")
    assert outputs(events)[:3] == ["/", 'x "y" z', "[]"]
    events, _ = run_in(execd, session, "pwd", cwd=folder)
    assert outputs(events) == [folder]
    assert outputs(run_in(execd, session, "pwd")[0]) == [folder]


@test
def sessions_merge_and_lose(execd):
    session = new_session(execd)
    events, _ = run_in(execd, session, "echo a; echo b >&2; echo; echo __PWD__:x; (exit 7)")
    assert outputs(events) == ["a", "b"]
    assert terminal(events)[0]["error"]["evalue"] == "7"
    events, _ = run_in(execd, session, "export LOST=1; exit 8")
    assert terminal(events)[0]["error"]["evalue"] == "8"
    assert outputs(run_in(execd, session, "echo [$LOST]")[0]) == ["[]"]


@test
def a_session_that_takes_too_long_ends_with_an_envelope(execd):
    session = new_session(execd)
    events, tail = run_in(execd, session, "echo x; read < <(exec tail -f /dev/null)", timeout=300)
    assert not terminal(events)
    # What it left behind keeps the output open; none of it is ended with bash.
    assert json.loads(tail)["code"] == "RUNTIME_ERROR" and "timeout" in json.loads(tail)["message"]


@test
def sessions_that_are_not_there(execd):
    is_error(execd.fetch("POST", "/session/none/run", {"command": "true"}), 500, "RUNTIME_ERROR")
    is_error(execd.fetch("DELETE", "/session/none"), 404, "CONTEXT_NOT_FOUND")
    session = new_session(execd)
    is_error(execd.fetch("POST", f"/session/{session}/run", {}), 400, "INVALID_REQUEST_BODY")
    assert execd.fetch("DELETE", "/session/" + session).status == 200
    is_error(execd.fetch("DELETE", "/session/" + session), 404, "CONTEXT_NOT_FOUND")
    session = new_session(execd)
    assert execd.fetch("DELETE", "/command?id=" + session).status == 200


@test
def a_run_in_a_session_dies_with_its_client(execd):
    fifo = execd.folder + "/death"
    execd.run(f"mkfifo {fifo}")
    session = new_session(execd)
    connection, received = start(execd, f"echo $$; read <> {fifo}", path=f"/session/{session}/run")
    process = outputs(parse_events(dechunk(received))[0])[0]
    connection.close()
    events = execd.run(f"while kill -0 {process} 2>/dev/null; do read -t 0.02 <> {fifo}; done; true")
    assert terminal(events)[0]["type"] == "execution_complete"


@test
def files_are_told_about(execd):
    path = execd.folder + "/a file"
    execd.write(path, b"abc", mode=640)
    info = execd.info(path)
    assert list(info) == ["path", "type", "size", "modified_at", "created_at", "owner", "group",
                          "mode"], info
    assert (info["type"], info["size"], info["mode"]) == ("file", 3, 640)
    assert info["path"] == path and info["modified_at"].count("T") == 1
    execd.run(f"ln -s none '{execd.folder}/link'; mkfifo {execd.folder}/pipe")
    assert execd.info(execd.folder + "/link")["type"] == "symlink"
    assert execd.info(execd.folder + "/pipe")["type"] == "other"
    assert execd.info(execd.folder)["type"] == "directory"
    assert execd.info("/")["type"] == "directory"
    assert execd.fetch("GET", "/files/info").json() == {}
    answer = execd.fetch("GET", f"/files/info?path={execd.folder}&path=/none")
    is_error(answer, 404, "FILE_NOT_FOUND")


@test
def names_in_paths_are_filled_in(execd):
    execd.run("touch ~/at-home")
    for path in ("~/at-home", "$HOME/at-home", "${HOME}/at-home"):
        assert execd.info(path)["path"].endswith("/at-home")
    is_error(execd.fetch("GET", "/files/info?path=/$NONE_SUCH"), 500, "RUNTIME_ERROR")
    execd.run("rm ~/at-home")


@test
def uploads(execd):
    base = execd.folder + "/upload"
    answer = execd.upload((base + "/new/one", b"1" * 100000, {}), (base + "/two", b"", {"mode": 600}),
                          (base + "/three", bytes(range(256)) + b"\r\n--C\r\n", {"mode": 755}))
    assert answer.status == 200 and answer.body == b"", answer
    assert execd.info(base + "/new/one")["size"] == 100000
    assert execd.info(base + "/new/one")["mode"] == 755
    assert execd.info(base + "/two")["mode"] == 600
    assert execd.download(base + "/three").body == bytes(range(256)) + b"\r\n--C\r\n"
    execd.write(base + "/three", b"short")
    assert execd.download(base + "/three").body == b"short"


@test
def uploads_that_are_refused(execd):
    good = b'{"path":"%s/x"}' % execd.folder.encode()
    for parts, code in (
            ([("file", "f", b"")], "INVALID_FILE_METADATA"),
            ([("metadata", "m", good)], "INVALID_FILE_CONTENT"),
            ([("metadata", "m", good), ("metadata", "m", good), ("file", "f", b"")],
             "INVALID_FILE"),
            ([("metadata", None, good), ("file", "f", b"")], "INVALID_FILE_METADATA"),
            ([("metadata", "m", b"{"), ("file", "f", b"")], "INVALID_FILE_METADATA"),
            ([("metadata", "m", b"{}"), ("file", "f", b"")], "INVALID_FILE_METADATA"),
            ([("metadata", "m", b'{"path":"/x","mode":"644"}'), ("file", "f", b"")],
             "INVALID_FILE_METADATA")):
        answer = execd.fetch("POST", "/files/upload", multipart(*parts), headers=MULTIPART)
        is_error(answer, 400, code)
    is_error(execd.fetch("POST", "/files/upload", b"x"), 400, "INVALID_FILE")
    many = [("metadata", "m", good), ("file", "f", b"")] * 501
    answer = execd.fetch("POST", "/files/upload", multipart(*many), headers=MULTIPART)
    is_error(answer, 400, "INVALID_FILE")


@test
def pairs_are_found_whatever_their_order(execd):
    base = execd.folder + "/pair"
    body = multipart(("file", "f", b"first"), ("file", "f", b"second"),
                     *[("metadata", "m", json.dumps({"path": base + n}).encode()) for n in "12"])
    assert execd.fetch("POST", "/files/upload", body, headers=MULTIPART).status == 200
    assert execd.download(base + "1").body == b"first"
    assert execd.download(base + "2").body == b"second"


@test
def downloads(execd):
    path = execd.folder + "/data"
    content = bytes(random.Random(1).randbytes(300000))
    execd.write(path, content)
    answer = execd.download(path)
    assert answer.status == 200 and answer.body == content
    assert answer.header("content-type") == "application/octet-stream"
    assert answer.header("content-disposition") == 'attachment; filename="data"'
    assert answer.header("content-length") == "300000"
    assert answer.header("accept-ranges") == "bytes"
    modified = answer.header("last-modified")
    answer = execd.download(path, headers={"If-Modified-Since": modified})
    assert (answer.status, answer.body) == (304, b"")
    is_error(execd.download("/none"), 404, "FILE_NOT_FOUND")
    is_error(execd.fetch("GET", "/files/download"), 400, "MISSING_QUERY")


@test
def failures_name_what_was_asked_and_tried(execd):
    folder = execd.folder
    execd.write(folder + "/kept", b"x")
    info = execd.fetch("GET", "/files/info?path=~/none")
    assert "file not found. file not found: ~/none: lstat /" in info.json()["message"], info

    def move(src, dest):
        return execd.fetch("POST", "/files/mv", [{"src": src, "dest": dest}]).json()["message"]

    def replace(path):
        return execd.fetch("POST", "/files/replace", {path: {"old": "a"}}).json()["message"]

    assert move("/none", "/x") == ("file not found. source path not found: /none: stat /none: no "
                                   "such file or directory")
    assert move(folder, folder + "/in") == (
        f"error accessing file: failed to rename file: rename {folder} {folder}/in: invalid "
        "argument")
    assert execd.fetch("POST", "/files/mv", [{"src": folder + "/kept"}]).json()["message"] == (
        "error accessing file: destination path already exists: ")
    assert replace("/none") == "file not found. stat /none: no such file or directory"
    assert replace(folder) == f"error accessing file: read {folder}: is a directory"
    assert replace("$NONE_SUCH").startswith("error accessing file: path references undefined")


@test
def names_that_are_not_ascii(execd):
    path = execd.folder + "/grün"
    execd.write(path, b"x")
    assert execd.info(path)["path"] == path
    assert "filename*=UTF-8''gr%C3%BCn" in execd.download(path).header("content-disposition")
    execd.write(execd.folder + "/two\nlines", b"x")
    execd.ours()
    answer = execd.download(execd.folder + "/two\nlines")
    assert answer.body == b"x" and "two%0Alines" in answer.header("content-disposition"), answer


@test
def ranges(execd):
    path = execd.folder + "/range"
    execd.write(path, b"0123456789")

    def part(value):
        return execd.download(path, headers={"Range": value})

    for value, body, place in (("bytes=0-0", b"0", "0-0"), ("bytes=2-4", b"234", "2-4"),
                               ("bytes=7-", b"789", "7-9"), ("bytes=-2", b"89", "8-9"),
                               ("bytes=8-99", b"89", "8-9"), ("bytes=-99", b"0123456789", "0-9"),
                               ("bytes=1-2,5-6", b"12", "1-2"), ("bytes=20-,3-3", b"3", "3-3")):
        answer = part(value)
        assert (answer.status, answer.body) == (206, body), (value, answer)
        assert answer.header("content-range") == f"bytes {place}/10"
        assert answer.header("content-length") == str(len(body))
    answer = part("bytes=10-")
    assert answer.status == 416 and answer.header("content-range") == "bytes */10", answer
    assert answer.header("content-type").startswith("text/plain")
    execd.write(path, b"")
    assert part("bytes=0-5").status == 200


@test
def conditions_and_odd_ranges(execd):
    path = execd.folder + "/ten"
    execd.write(path, b"0123456789")
    answer = execd.download(path)
    modified = answer.header("last-modified")

    def status(**headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return execd.download(path, headers=headers).status

    for headers, wanted in (
            ({"If_None_Match": "*"}, 304), ({"If_None_Match": '"x"'}, 200),
            ({"If_None_Match": '"x"', "If_Modified_Since": modified}, 200),
            ({"If_Modified_Since": modified}, 304), ({"If_Match": "*"}, 200),
            ({"If_Match": '"x"'}, 412), ({"If_Unmodified_Since": modified}, 200),
            ({"If_Unmodified_Since": "Tue, 14 Nov 2000 22:13:20 GMT"}, 412),
            ({"Range": "bytes=20-", "If_None_Match": "*"}, 304),
            ({"Range": "bytes=20-", "If_Match": '"x"'}, 412),
            ({"Range": "bytes=20-", "If_Range": '"x"'}, 200),
            ({"Range": "bytes=20-", "If_Range": modified}, 416),
            ({"Range": "bytes=0-1", "If_None_Match": "*"}, 206),
            ({"Range": "bytes="}, 200), ({"Range": ""}, 200)):
        assert status(**headers) == wanted, headers
    answer = execd.download(path, headers={"Range": "bytes=-0"})
    assert (answer.status, answer.body) == (206, b""), answer
    assert answer.header("content-range") == "bytes 10-9/10", answer
    answer = execd.download(path, headers={"Range": "bytes=10-"})
    assert answer.status == 416 and answer.header("content-disposition"), answer
    assert answer.header("content-range") == "bytes */10" and answer.header("last-modified") is None


def ask(execd, path, headers=""):
    request = f"GET /files/download?path={path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
    return exchange(execd.port, request.encode())


@test
def bodies_that_are_shorter_than_promised(execd):
    execd.write(execd.folder + "/long", b"x" * 1000)
    received, end = ask(execd, execd.folder + "/long", "Range: lines=1\r\n")
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 416") and b"\r\nContent-Length: 1000" in head, head
    assert body == b'{"code":"UNKNOWN"}' and end == "end"
    received, end = ask(execd, execd.folder)
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200") and end in ("end", "reset")
    assert b"Content-Length: 9223372036854775807" in head, head


@test
def lines_of_a_file(execd):
    execd.ours()
    path = execd.folder + "/lines"
    execd.write(path, b"one\ntwo\nthree\nfour")
    for query, body in (("offset=2", b"two\nthree\nfour"), ("offset=2&limit=2", b"two\nthree\n"),
                        ("limit=1", b"one\n"), ("offset=9", b""), ("offset=4&limit=5", b"four")):
        answer = execd.fetch("GET", f"/files/download?path={path}&{query}")
        assert (answer.status, answer.body) == (200, body), (query, answer)


@test
def deletion(execd):
    path = execd.folder + "/gone"
    execd.write(path, b"x")
    for _ in range(2):
        answer = execd.fetch("DELETE", f"/files?path={path}&path=/none/x")
        assert (answer.status, answer.body) == (200, b""), answer
    is_error(execd.fetch("DELETE", "/files?path=" + execd.folder), 500, "RUNTIME_ERROR")


@test
def moves(execd):
    base = execd.folder + "/move"
    execd.write(base + "/a", b"a")
    execd.write(base + "/b", b"b")
    move = [{"src": base + "/a", "dest": base + "/deep/er/c"}]
    assert execd.fetch("POST", "/files/mv", move).status == 200
    assert execd.download(base + "/deep/er/c").body == b"a"
    is_error(execd.fetch("POST", "/files/mv", move), 404, "FILE_NOT_FOUND")
    answer = execd.fetch("POST", "/files/mv", [{"src": base + "/b", "dest": base + "/deep/er/c"}])
    is_error(answer, 500, "RUNTIME_ERROR")
    is_error(execd.fetch("POST", "/files/mv", {}), 400, "INVALID_REQUEST_BODY")


@test
def permissions(execd):
    path = execd.folder + "/mode"
    execd.write(path, b"")
    for mode, after in ((600, 600), (0, 600), (7, 7), (1755, 755)):
        answer = execd.fetch("POST", "/files/permissions", {path: {"mode": mode}})
        assert answer.status == 200, answer
        assert execd.info(path)["mode"] == after, mode
    answer = execd.fetch("POST", "/files/permissions", {path: {"mode": 0, "owner": "no-one-such"}})
    assert answer.status == 200
    is_error(execd.fetch("POST", "/files/permissions", {path: {"mode": 888}}), 500, "RUNTIME_ERROR")
    is_error(execd.fetch("POST", "/files/permissions", {"/none": {"mode": 600}}), 500,
             "RUNTIME_ERROR")
    is_error(execd.fetch("POST", "/files/permissions", {path: {"mode": "600"}}), 400,
             "INVALID_REQUEST_BODY")
    if os.getuid() == 0:
        execd.fetch("POST", "/files/permissions", {path: {"owner": "nobody"}})
        assert execd.info(path)["owner"] == "nobody"


def search(execd, path, pattern=None):
    query = {"path": path, **({"pattern": pattern} if pattern is not None else {})}
    answer = execd.fetch("GET", "/files/search?" + urllib.parse.urlencode(query))
    assert answer.status == 200, answer
    return [entry["path"][len(path):] for entry in answer.json()]


@test
def searches(execd):
    base = execd.folder + "/tree"
    for name in ("/b.c", "/sub/a.c", "/sub/deep/x.h", "/sub/y.txt", "/z"):
        execd.write(base + name, b"x")
    assert search(execd, base) == ["/b.c", "/sub/a.c", "/sub/deep/x.h", "/sub/y.txt", "/z"]
    assert search(execd, base, "*.c") == ["/b.c", "/sub/a.c"]
    assert search(execd, base, "**") == search(execd, base)
    assert search(execd, base, "*.{c,h}") == ["/b.c", "/sub/a.c", "/sub/deep/x.h"]
    assert search(execd, base, "[!xyz]*") == ["/b.c", "/sub/a.c"]
    assert search(execd, base, "?") == ["/z"]
    assert search(execd, base, "sub/**") == []
    assert search(execd, base + "/z") == [""]
    is_error(execd.fetch("GET", f"/files/search?path={base}&pattern=["), 500, "RUNTIME_ERROR")
    is_error(execd.fetch("GET", "/files/search?path=/none"), 404, "FILE_NOT_FOUND")
    is_error(execd.fetch("GET", "/files/search"), 400, "MISSING_QUERY")


@test
def lives_on_after_odd_patterns(execd):
    execd.ours()
    base = execd.folder + "/odd"
    execd.write(base + "/b", b"x")
    for pattern in ("{[!,]}", "{[,]}", "{a,[}b]", "[]", "[!]", "{,}", "{{a,b},b}", "[-", "[a-]", "\\"):
        query = urllib.parse.urlencode({"path": base, "pattern": pattern})
        assert execd.fetch("GET", "/files/search?" + query).status in (200, 500), pattern


@test
def replacement(execd):
    path = execd.folder + "/text"
    execd.write(path, b"a b a\xff", mode=640)
    answer = execd.fetch("POST", "/files/replace", {path: {"old": "a", "new": "xyz"}})
    assert (answer.status, answer.body) == (200, b"")
    assert execd.download(path).body == b"xyz b xyz\xff"
    answer = execd.fetch("POST", "/files/replace?verbose=true", {path: {"old": "xyz", "new": ""}})
    assert answer.json() == {path: {"replacedCount": 2}}
    assert execd.info(path)["mode"] == 640
    is_error(execd.fetch("POST", "/files/replace", {path: {"old": ""}}), 400,
             "INVALID_REQUEST_BODY")
    is_error(execd.fetch("POST", "/files/replace", {"/none": {"old": "a"}}), 404, "FILE_NOT_FOUND")


@test
def folders(execd):
    base = execd.folder + "/folders"
    answer = execd.fetch("POST", "/directories", {base + "/a/b": {"mode": 700}, base + "/c": {}})
    assert (answer.status, answer.body) == (200, b""), answer
    assert execd.info(base + "/a/b")["mode"] == 700
    execd.write(base + "/a/f", b"x")
    execd.run(f"ln -s a {base}/link")

    def listed(query=""):
        answer = execd.fetch("GET", f"/directories/list?path={base}{query}")
        assert answer.status == 200, answer
        return [entry["path"][len(base):] for entry in answer.json()]

    assert listed() == ["/a", "/c", "/link"]
    assert listed("&depth=2") == ["/a", "/a/b", "/a/f", "/c", "/link"]
    assert listed("&depth=0") == []
    for path, depth in ((base, "-1"), (base, "x"), (base + "/a/f", "1"), (base + "/link", "1")):
        answer = execd.fetch("GET", f"/directories/list?path={path}&depth={depth}")
        is_error(answer, 400, "INVALID_REQUEST_BODY")
    is_error(execd.fetch("GET", "/directories/list?path=/none"), 404, "FILE_NOT_FOUND")
    is_error(execd.fetch("GET", "/directories/list"), 400, "MISSING_QUERY")
    for _ in range(2):
        assert execd.fetch("DELETE", f"/directories?path={base}&path=/none").status == 200
    is_error(execd.fetch("GET", "/files/info?path=" + base), 404, "FILE_NOT_FOUND")


@test
def metrics(execd):
    answer = execd.fetch("GET", "/metrics").json()
    assert list(answer) == ["cpu_count", "cpu_used_pct", "mem_total_mib", "mem_used_mib",
                            "timestamp"], answer
    assert answer["cpu_count"] >= 1 and answer["mem_total_mib"] > answer["mem_used_mib"] > 0
    with socket.create_connection(("127.0.0.1", execd.port), lookalike.TIMEOUT) as connection:
        connection.sendall(b"GET /metrics/watch HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        while received.count(b'"timestamp"') < 2:
            received += receive(connection)
    assert b"text/event-stream" in received and b"}\n\r\n" in received


@test
def links_do_not_lead_out(execd):
    server = execd.ours()
    outside = tempfile.NamedTemporaryFile(dir=server.folder)
    execd.run(f"ln -s {outside.name} {execd.folder}/out; "
              f"ln -s ../../../../../../../../../../{server.folder} {execd.folder}/up")
    is_error(execd.download(execd.folder + "/out"), 404, "FILE_NOT_FOUND")
    is_error(execd.fetch("GET", f"/directories/list?path={execd.folder}/up/x"), 404,
             "FILE_NOT_FOUND")
    assert execd.download(execd.folder + "/../../../../etc/passwd").status == 200
    outside.close()


@test
def images_lack_what_they_lack(execd):
    server = execd.ours()
    if not execd.texts("stdout", "readlink /proc/self/ns/pid"):
        raise Skip("not confined")
    for image, shell, has_python in (("busybox:1", "sh", False), ("alpine", "sh", False),
                                     ("debian:12", "bash", False), ("python:3.12", "bash", True)):
        port = server.new_execd(image={"uri": image})
        answer = fetch(port, "POST", "/command", {
            "command": "readlink /proc/$$/exe; cat /proc/$$/comm; command -v bash; "
                       "ls /usr/bin/bash; command -v python3 python; ls | head -1"})
        texts = outputs(parse_events(answer.body)[0])
        assert shell in texts, (image, texts)
        assert ("/usr/bin/bash" in texts) == (shell == "bash"), (image, texts)
        assert any(text.endswith("/python3") for text in texts) == has_python, (image, texts)
        assert "bin" in texts


@test
def without_bubblewrap_a_folder_is_the_root(execd):
    execd.ours()
    with Server("--plain", "--grace", "20") as server:
        sandbox = server.create(image={"uri": "busybox"})
        port = server.execd(sandbox)
        fetch(port, "POST", "/directories", {"/workspace": {}})
        answer = fetch(port, "POST", "/command", {
            "command": "echo hi > file; pwd; command -v bash python3; setsid tail -f /dev/null & :",
            "cwd": "/workspace"})
        assert outputs(parse_events(answer.body)[0]) == [
            f"{server.folder}/{sandbox}/root/workspace"], answer
        assert fetch(port, "GET", "/files/download?path=/workspace/file").body == b"hi\n"
        session = fetch(server.new_execd(), "POST", "/session").json()
        assert session["session_id"]
        base = "/v1/sandboxes/" + sandbox
        assert server.fetch("POST", base + "/pause").status == 202
        assert server.fetch("POST", base + "/resume").status == 202
        answer = server.fetch("POST", "/v1/sandboxes", {**lookalike.SANDBOX,
                                                        "entrypoint": ["none-such"]})
        assert answer.status == 500 and answer.json()["code"] == "DOCKER::SANDBOX_START_FAILED"
        mark = f"LOOKALIKE_SANDBOX={sandbox}".encode()
        assert processes_with(mark)
    assert not processes_with(mark)


def processes_with(mark):
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                found += [process] if mark in file.read() else []
        except OSError:
            pass
    return found


@test
def two_sandboxes_do_not_see_each_other(execd):
    server = execd.ours()
    execd.run("echo mine > /tmp/mine")
    port = server.new_execd()
    answer = fetch(port, "GET", "/files/info?path=/tmp/mine")
    is_error(answer, 404, "FILE_NOT_FOUND")


@test
def a_paused_sandbox_hangs_and_goes_on(execd):
    server = execd.ours()
    sandbox = server.create()
    port = server.execd(sandbox)
    here = type(execd).__new__(type(execd))
    here.port = port
    connection, received = start(here, "i=0; while :; do echo $i; i=$((i+1)); read -t 0.01 < <(tail -f "
                                       "/dev/null); done")
    assert server.fetch("POST", f"/v1/sandboxes/{sandbox}/pause").status == 202
    while not lookalike.is_quiet(connection, 0.5):
        received += receive(connection)
    waiting = socket.create_connection(("127.0.0.1", port), lookalike.TIMEOUT)
    waiting.sendall(b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert lookalike.is_quiet(waiting, 0.5)
    assert server.fetch("POST", f"/v1/sandboxes/{sandbox}/resume").status == 202
    assert waiting.recv(12) == b"HTTP/1.1 200"
    assert receive(connection)
    waiting.close()
    connection.close()


@test
def many_at_once(execd):
    failures = []

    def one(number):
        try:
            assert execd.texts("stdout", f"echo {number}") == [str(number)]
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


run(Execd())
