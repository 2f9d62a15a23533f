# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same work on an OpenSandbox server by libasb, and by two public packages, in one run.

The server is the look-alike, or the one that ASB_TEST_OPENSANDBOX names (a URL; its key is in
OPEN_SANDBOX_API_KEY). ASB_BENCH_GUEST_IMAGE names an image of the server in which the guest is where
it would be put; which file that is, is printed."""

import contextlib
import hashlib
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "opensandbox-server"))

import lookalike  # noqa: E402

MIB = 1 << 20
KEY = "OPEN-SANDBOX-API-KEY"
# The package of the reference takes seconds for what takes milliseconds here.
FEW = {"sdk": 3, "backends": 2, "backends-none": 3}
# What is compared takes its turn so often, so that all have the same neighbours on a busy machine.
TURNS = 3
NAMES = {"sdk": "opensandbox (SDK)", "backends": "agent-sandbox-backends",
         "backends-none": "agent-sandbox-backends, no history"}
ECHO = r'''
import base64, hashlib, socket, struct, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def serve(client):
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = client.makefile("rb")
    while line := stream.readline().strip():
        if line.lower().startswith(b"sec-websocket-key:"):
            key = line.split(b":", 1)[1].strip()
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    client.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    while len(head := stream.read(2)) == 2 and head[0] == 0x82:
        mask = stream.read(4)
        data = stream.read(head[1] & 127)
        client.sendall(bytes([0x82, len(data)]) + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
'''


class Place:
    """The server, and one sandbox for what is measured without the library."""

    def __init__(self, build):
        self.build = build
        self.server = None
        url = os.environ.get("ASB_TEST_OPENSANDBOX")
        if url:
            parts = urllib.parse.urlsplit(url)
            self.host, self.port = parts.hostname, parts.port or 80
            self.key = os.environ.get("OPEN_SANDBOX_API_KEY", "")
            self.name = f"the server {url}"
        else:
            sys.argv[1:] = [str(build / "tests/opensandbox-server/asb-opensandbox-server")]
            self.server = lookalike.Server()
            self.host, self.port, self.key = "127.0.0.1", self.server.port, ""
            self.name = "the look-alike of a server"
        self.environment = {**os.environ, "OPEN_SANDBOX_DOMAIN": f"{self.host}:{self.port}",
                            "OPEN_SANDBOX_API_KEY": self.key}
        self.packages, self.why_no_packages = self.install()

    def install(self):
        """Where the public packages are; or why they are not there."""
        folder = self.build / "tests/opensandbox-server/clients"
        done = subprocess.run(
            [sys.executable, "-c", "import sys, clients; clients.install(sys.argv[1])", folder],
            capture_output=True, text=True, check=False, cwd=FOLDER.parent / "opensandbox-server")
        if done.returncode == 0 and "SKIP" not in done.stdout:
            return folder / "packages", None
        return None, (done.stdout.partition("# SKIP ")[2] or done.stdout + done.stderr).strip()[-200:]

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        if self.server:
            self.server.__exit__(*arguments)

    def fetch(self, method, path, body=None):
        return lookalike.fetch(self.port, method, path, body, headers={KEY: self.key})

    def ours(self, verb, number, **environment):
        """What bench-library prints, in seconds."""
        done = subprocess.run(
            [self.build / "tests/bench/bench-library", verb, str(number)], capture_output=True,
            text=True, check=False, input="\n",
            env={**self.environment, "ASB_BENCH_SERVER": f"{self.host}:{self.port}", **environment})
        if done.returncode != 0:
            return [], (done.stderr.strip().splitlines() or ["it died"])[-1][-150:]
        return [int(line) / 1e6 for line in done.stdout.split()], ""

    @contextlib.contextmanager
    def held(self, verb, number, lines, **environment):
        """bench-library while it waits: its numbers, in seconds, what was resident at most, in MiB, and
        how many threads it has. None of them: it failed, and said so."""
        with subprocess.Popen(
                [self.build / "tests/bench/bench-library", verb, str(number)], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={**self.environment, "ASB_BENCH_SERVER": f"{self.host}:{self.port}",
                     **environment}) as process:
            told = [process.stdout.readline().strip() for _ in range(lines)]
            if all(line.isdigit() for line in told):
                yield [int(line) / 1e6 for line in told], *peak_of(process.pid)
            else:
                print(f"  {'libasb':42}  not measured")
                yield None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write("\n")
                process.stdin.close()

    def theirs(self, peer, verb, number):
        """(seconds, KiB that were resident at most, remark)"""
        if not self.packages:
            return [], 0, self.why_no_packages
        done = subprocess.run(
            [sys.executable, FOLDER / "peers.py", peer, verb, str(number)], capture_output=True,
            text=True, check=False, env={**self.environment, "PYTHONPATH": str(self.packages)})
        if done.returncode != 0:
            return [], 0, (done.stderr.strip().splitlines() or ["it died"])[-1][-150:]
        *samples, peak = map(int, done.stdout.split())
        return [sample / 1e6 for sample in samples], peak, ""


def echo(place, rounds):
    """How long a message needs to a program in a sandbox and back, on the WebSocket that the guest is reached by."""
    sandbox = place.fetch("POST", "/v1/sandboxes", lookalike.SANDBOX).json()["id"]
    execd = f"/v1/sandboxes/{sandbox}/proxy/44772"
    try:
        while place.fetch("GET", execd + "/ping").status != 200:
            time.sleep(0.02)
        script = f"cat > /tmp/echo.py <<'END'\n{ECHO}\nEND\npython3 /tmp/echo.py > /tmp/port 2>&1 & " \
                 "while ! [ -s /tmp/port ]; do sleep 0.02; done; cat /tmp/port"
        answer = place.fetch("POST", execd + "/command", {"command": script})
        events, _ = lookalike.parse_events(answer.body)
        port = [event["text"] for event in events if event["type"] == "stdout"][0]
        samples = []
        with lookalike.WebSocket(place.port, f"{execd}/proxy/{port}/") as web:
            web.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(rounds):
                start = time.perf_counter()
                web.send_binary(b"x" * 32)
                assert web.receive() == (2, b"x" * 32)
                samples.append(time.perf_counter() - start)
        return samples
    finally:
        place.fetch("DELETE", f"/v1/sandboxes/{sandbox}")


def show(title, rows, floor=None, base=None, unit="ms", scale=1e3):
    """Rows are (name, samples, remark); @base: the row that all are so many times of."""
    print(f"\n{title}")
    print(f"  {'':42}{'median':>13}{'fastest':>13}" + (f"{'× floor':>10}" if floor else "")
          + (f"{'× SDK' if base == NAMES['sdk'] else '× libasb':>10}" if base else ""))
    medians = {name: statistics.median(samples) for name, samples, _ in rows if samples}
    for name, samples, remark in rows:
        if not samples:
            print(f"  {name:42}  not measured: {remark}")
            continue
        line = f"  {name:42}{medians[name] * scale:>10.2f} {unit}{min(samples) * scale:>10.2f} {unit}"
        line += f"{medians[name] / floor:>10.1f}" if floor else ""
        line += f"{medians[name] / medians[base]:>10.1f}" if base in medians else ""
        print(line + (f"  {remark}" if remark else ""))


def peers(place, verb, names, rounds=None):
    for name in names:
        samples, _, remark = place.theirs(name, verb, rounds or FEW[name])
        yield NAMES[name], samples, remark


def commands(place, rounds):
    spawn, _ = place.ours("spawn", rounds * 10)
    echoes = echo(place, rounds * 10)
    floor = statistics.median(spawn) + statistics.median(echoes)
    show(f"“true” in a live sandbox ({rounds} rounds)", [
        ("plain fork and exec", spawn, ""),
        ("a bare echo on the same WebSocket", echoes, ""),
        ("libasb, recorded", *place.ours("exec", rounds)),
        ("libasb, not recorded", *place.ours("exec-none", rounds)),
        ("libasb, by /pty, recorded", *place.ours("exec", rounds, ASB_BENCH_TRANSPORT="pty")),
        ("libasb, execd's own interface", *place.ours("exec-none", rounds, ASB_BENCH_TRANSPORT="native")),
        *peers(place, "exec", ["sdk", "backends-none", "backends"]),
    ], floor, "libasb, recorded")
    show("100 bytes written to a file and read again", [
        ("libasb, recorded", *place.ours("files", rounds)),
        *peers(place, "files", ["sdk", "backends-none"]),
        *peers(place, "files", ["backends"], 1),
    ], None, "libasb, recorded")
    show("16 commands at once, until the last has ended", [
        ("libasb, recorded", *place.ours("at-once", rounds)),
        *peers(place, "at-once", ["sdk", "backends"], 1),
    ], None, "libasb, recorded")


def bare_creation(place, rounds):
    """What no client can do without: the sandbox, the way to it, and an answer from there."""
    samples = []
    for _ in range(rounds):
        start = time.perf_counter()
        sandbox = place.fetch("POST", "/v1/sandboxes", lookalike.SANDBOX).json()["id"]
        place.fetch("GET", f"/v1/sandboxes/{sandbox}/endpoints/44772?use_server_proxy=true")
        while place.fetch("GET", f"/v1/sandboxes/{sandbox}/proxy/44772/ping").status != 200:
            time.sleep(0.005)
        samples.append(time.perf_counter() - start)
        place.fetch("DELETE", f"/v1/sandboxes/{sandbox}")
    return samples, ""


def in_turn(measured):
    """Rows of what is measured by functions that give (samples, remark)."""
    rows = {name: ([], []) for name in measured}
    for _ in range(TURNS):
        for name, measure in measured.items():
            samples, remark = measure()
            rows[name][0].extend(samples)
            rows[name][1].append(remark)
    return [(name, samples, next(filter(None, remarks), "")) for name, (samples, remarks) in rows.items()]


def guest_image():
    program = pathlib.Path(os.environ["ASB_GUEST_PATH"]).read_bytes()
    path = f"/.agent-history/bin/asb-guest-{hashlib.sha256(program).hexdigest()[:16]}"
    image = os.environ.get("ASB_BENCH_GUEST_IMAGE")
    if not image:
        print(f"\n(ASB_BENCH_GUEST_IMAGE may name an image with the stripped guest as {path})")
    return image


def creation(place, rounds):
    few = max(2, rounds // 4 // TURNS)
    image = guest_image()

    def theirs(name):
        samples, _, remark = place.theirs(name, "create", few)
        return samples, remark
    measured = {
        "the requests alone": lambda: bare_creation(place, few),
        NAMES["sdk"]: lambda: theirs("sdk"),
        "libasb, with a history": lambda: place.ours("create", few),
    }
    if image:
        measured["libasb, the guest in the image"] = \
            lambda: place.ours("create", few, ASB_BENCH_IMAGE=image)
    rows = in_turn(measured)
    rows += peers(place, "create", ["backends"], few)
    show(f"a new sandbox, until it is ready ({TURNS} turns of {few})", rows,
         statistics.median(rows[0][1]), NAMES["sdk"])


def peak_of(pid):
    """(MiB that were resident at most, threads)"""
    status = pathlib.Path("/proc", str(pid), "status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    return int(fields["VmHWM"].split()[0]) / 1024, int(fields["Threads"])


def output(place):
    print(f"\n20 MB of output of a command\n  {'':42}{'time':>12}{'memory':>15}")
    with place.held("text", 20_000_000, 1) as told:
        if told:
            [elapsed], peak, _ = told
            print(f"  {'libasb, recorded, exact':42}{elapsed:>10.2f} s{peak:>11.1f} MiB")
    for name in ("sdk", "backends-none"):
        samples, theirs, remark = place.theirs(name, "text", 20_000_000)
        if not samples:
            print(f"  {NAMES[name]:42}  not measured: {remark}")
            continue
        times = f"{samples[0] / elapsed:>8.1f} × libasb" if told else ""
        print(f"  {NAMES[name]:42}{samples[0]:>10.2f} s{theirs / 1024:>11.1f} MiB{times}")


def big_file(place, size):
    print(f"\na file of {size / (1 << 30):g} GiB")
    with place.held("big-file", size, 2) as told:
        if told:
            (to, back), peak, _ = told
            print(f"  {'written':42}{to:>10.2f} s{size / to / 1e6:>11.0f} MB/s\n"
                  f"  {'read':42}{back:>10.2f} s{size / back / 1e6:>11.0f} MB/s\n"
                  f"  {'at most resident':42}{peak:>10.1f} MiB")


def many(place, count):
    print(f"\n{count} sandboxes in one process")
    with place.held("many", count, 2) as told:
        if told:
            (made, worked), peak, threads = told
            print(f"  {'made':42}{made:>10.2f} s\n  {'a command in each':42}{worked:>10.2f} s\n"
                  f"  {'threads':42}{threads:>10}\n  {'at most resident':42}{peak:>10.1f} MiB")


def bench(build, rounds, size, sandboxes):
    with Place(build) as place:
        print(f"\nOn {place.name}")
        commands(place, rounds)
        creation(place, rounds)
        output(place)
        big_file(place, size)
        many(place, sandboxes)
