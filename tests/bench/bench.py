#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures libasb beside other ways to do the same, in one run, turn by turn.

usage: bench.py --build FOLDER [--rounds N] [--bytes N] [--sandboxes N] [NAMES…]

NAMES: version, command, exec, cat, output, memory, opensandbox (all of them by default).
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

NPM_PACKAGE = "@anthropic-ai/sandbox-runtime"
NPM_VERSION = "0.0.83"
MIB = 1 << 20
BWRAP = ["bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin",
         "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc",
         "--dev", "/dev", "--tmpfs", "/tmp"]


class Bench:
    def __init__(self, arguments):
        self.build = arguments.build.resolve()
        self.rounds = arguments.rounds
        self.bytes = arguments.bytes
        self.sandboxes = arguments.sandboxes
        self.asb = str(self.build / "tools/asb")
        self.library = str(self.build / "tests/bench/bench-library")
        self.srt, self.why_no_srt = self.install_srt()

    def install_srt(self):
        """The npm package, in a folder of the build; or why it is not there."""
        folder = self.build / "bench-npm"
        program = folder / "node_modules/.bin/srt"
        for needed, package in (("npm", "npm"), ("rg", "ripgrep"), ("socat", "socat")):
            if shutil.which(needed) is None:
                return None, f"no {needed} here (package {package})"
        if not program.exists():
            folder.mkdir(exist_ok=True)
            installed = subprocess.run(
                ["npm", "install", "--no-fund", "--no-audit", "--prefix", folder,
                 f"{NPM_PACKAGE}@{NPM_VERSION}"], capture_output=True, text=True, check=False)
            if installed.returncode != 0:
                return None, "npm could not install it: " + installed.stderr.strip()[-200:]
        tried = subprocess.run([program, "true"], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            return None, "it does not run here: " + tried.stderr.strip()[-200:]
        return str(program), None

    def measured(self, verb, number):
        """What bench-library prints, in seconds."""
        done = subprocess.run([self.library, verb, str(number)], capture_output=True, text=True,
                              check=True)
        return [int(line) / 1e6 for line in done.stdout.split()]


def seconds(arguments, **options):
    """How long a program takes from start to end."""
    program = shutil.which(arguments[0])
    start = time.perf_counter()
    child = subprocess.run([program, *arguments[1:]], stdout=subprocess.DEVNULL, check=False,
                           **options)
    elapsed = time.perf_counter() - start
    if child.returncode != 0:
        sys.exit(f"“{' '.join(map(str, arguments))}” ended with status {child.returncode}")
    return elapsed


def table(title, rows, unit="ms", scale=1e3, per=None):
    """Rows are (name, samples, remark); the first is the floor."""
    print(f"\n{title}")
    header = f"  {'':34}{'median':>12}{'fastest':>12}{'× floor':>10}"
    print(header + (f"{per[0]:>12}" if per else ""))
    floor = statistics.median(rows[0][1])
    for name, samples, remark in rows:
        if not samples:
            print(f"  {name:34}  not measured: {remark}")
            continue
        median = statistics.median(samples)
        line = (f"  {name:34}{median * scale:>9.2f} {unit}{min(samples) * scale:>9.2f} {unit}"
                f"{median / floor:>10.1f}")
        print(line + (f"{per[1] / median:>12.2f}" if per else "") + (f"  {remark}" if remark else ""))


def in_turn(rounds, contenders):
    """Seconds of each of the functions, turn by turn, so that what else the machine does falls on all
    alike. The first turn warms caches. One that is None gets none."""
    samples = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, measure in contenders.items():
            elapsed = measure() if measure else None
            if elapsed is not None and turn > 0:
                samples[name].append(elapsed)
    return samples


def bench_version(bench):
    samples = in_turn(bench.rounds, {
        "plain fork and exec": lambda: seconds(["true"]),
        "asb --version": lambda: seconds([bench.asb, "--version"]),
    })
    table(f"the version, start to end ({bench.rounds} rounds, turn by turn)", [
        ("plain fork and exec", samples["plain fork and exec"], ""),
        ("asb --version", samples["asb --version"], "≤ 10 ms"),
    ])
    guest = os.environ["ASB_GUEST_PATH"]
    print(f"  {'the guest on disk, as installed':34}{os.path.getsize(guest) / MIB:>9.2f} MiB  ≤ 4 MiB")


def bench_command(bench):
    samples = in_turn(bench.rounds, {
        "plain fork and exec": lambda: seconds(["true"]),
        "bare bwrap": lambda: seconds([*BWRAP, "true"]),
        "asb run (recorded)": lambda: seconds([bench.asb, "run", "--", "true"]),
        "npm sandbox-runtime": (lambda: seconds([bench.srt, "true"])) if bench.srt else None,
    })
    remarks = {"asb run (recorded)": "≤ 25 ms", "npm sandbox-runtime": bench.why_no_srt}
    table(f"one command, new sandbox, start to end ({bench.rounds} rounds, turn by turn)",
          [(name, taken, remarks.get(name) or "") for name, taken in samples.items()])


def bench_exec(bench):
    """Turn by turn; what recording costs is told apart in each turn."""
    turns, rounds = 10, bench.rounds * 2
    verbs = {"spawn": [], "stat": [], "exec-none": [], "exec": [], "at-once": []}
    costs = []
    for _ in range(turns):
        median = {}
        for verb, samples in verbs.items():
            taken = bench.measured(verb, rounds)
            median[verb] = statistics.median(taken)
            samples += taken
        costs.append(median["exec"] - median["exec-none"])
    table(f"“true” in a live sandbox, in process ({turns} × {rounds} rounds)", [
        ("plain fork and exec", verbs["spawn"], ""),
        ("one round trip to the guest", verbs["stat"], ""),
        ("execute, not recorded", verbs["exec-none"], ""),
        ("execute, recorded", verbs["exec"], "≤ 2 ms"),
        ("16 at once, recorded, all of them", verbs["at-once"], "≤ 10 ms"),
    ])
    fastest = min(verbs["exec"]) - min(verbs["exec-none"])
    print(f"  {'what recording costs':34}{statistics.median(costs) * 1e3:>9.2f} ms"
          f"{fastest * 1e3:>9.2f} ms            ≤ 0.3 ms")


def through_cat(bench, command):
    """Bytes through a program that ends with a cat."""
    with open("/dev/zero", "rb") as zeros:
        head = subprocess.Popen(["head", "-c", str(bench.bytes)], stdin=zeros,
                                stdout=subprocess.PIPE)
        elapsed = seconds(command, stdin=head.stdout)
        head.stdout.close()
        head.wait()
    return elapsed


def bench_cat(bench):
    gibibytes = bench.bytes / (1 << 30)
    samples = in_turn(3, {
        "plain cat, in process": lambda: bench.measured("plain-cat", bench.bytes)[0],
        "cat in a live sandbox, in process": lambda: bench.measured("cat", bench.bytes)[0],
        "plain cat": lambda: through_cat(bench, ["cat"]),
        "bare bwrap, cat": lambda: through_cat(bench, [*BWRAP, "cat"]),
        "asb run -- cat": lambda: through_cat(bench, [bench.asb, "run", "--", "cat"]),
        "npm sandbox-runtime, cat":
            (lambda: through_cat(bench, [bench.srt, "cat"])) if bench.srt else None,
    })
    remarks = {"cat in a live sandbox, in process": "recorded", "asb run -- cat": "recorded",
               "npm sandbox-runtime, cat": bench.why_no_srt}
    table(f"{gibibytes:g} GiB through cat (3 turns)",
          [(name, taken, remarks.get(name) or "") for name, taken in samples.items()],
          unit="s ", scale=1, per=("GiB/s", gibibytes))


def printed(bench, peaks):
    """Seconds that a recorded command needs to print; @peaks: (name, KiB) of who was at work."""
    with subprocess.Popen([bench.library, "output", str(bench.bytes)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as printer:
        elapsed = int(printer.stdout.readline()) / 1e6
        for pid in (printer.pid, *children_of(printer.pid)):
            status = status_of(pid)
            if "VmHWM" in status and (pid == printer.pid or "asb" in status["Name"]):
                peak = int(status["VmHWM"].split()[0])
                peaks[status["Name"]] = max(peaks.get(status["Name"], 0), peak)
        printer.stdin.close()
    return elapsed


def bench_output(bench):
    """How fast a command may print, and how much memory both sides need for it at most."""
    peaks = {}
    plain = f"cat /dev/zero | head -c {bench.bytes} | cat"
    samples = in_turn(3, {
        "the same pipe, plain": lambda: seconds(["sh", "-c", plain]),
        "a command in a live sandbox": lambda: printed(bench, peaks),
    })
    table(f"{bench.bytes / (1 << 30):g} GiB of output of a command (3 turns)",
          [("the same pipe, plain", samples["the same pipe, plain"], ""),
           ("a command in a live sandbox", samples["a command in a live sandbox"],
            "recorded; ≥ 300 MB/s")],
          unit="s ", scale=1, per=("MB/s", bench.bytes / 1e6))
    for name, peak in peaks.items():
        print(f"  {'at most resident, ' + name:34}{peak / 1024:>9.2f} MiB  ≤ 32 MiB")


def children_of(parent):
    """All that a process started, and what those started."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found = [pid for pid, its_parent in parents.items() if its_parent == parent]
    return found + [grandchild for child in found for grandchild in children_of(child)]


def status_of(pid):
    """What the system says of a process; nothing when it has ended."""
    try:
        status = pathlib.Path("/proc", str(pid), "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return dict(line.split(":\t", 1) for line in status.splitlines())


def memory_of(pid):
    """(name, resident KiB, proportional KiB or None) of a process; None when it has ended."""
    status = status_of(pid)
    if "VmRSS" not in status:
        return None
    try:
        rollup = pathlib.Path("/proc", str(pid), "smaps_rollup").read_text()
        proportional = int(rollup.split("\nPss:")[1].split()[0])
    except OSError:  # only root may see it of processes that cannot be dumped
        proportional = None
    return status["Name"], int(status["VmRSS"].split()[0]), proportional


def bench_memory(bench):
    with subprocess.Popen([bench.library, "hold"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        rows = list(filter(None, map(memory_of, children_of(holder.pid))))
        holder.stdin.close()
    print(f"\nan idle sandbox\n  {'':34}{'resident':>12}{'proportional':>16}")
    for name, resident, proportional in rows:
        known = "unknown" if proportional is None else f"{proportional / 1024:.2f} MiB"
        print(f"  {name:34}{resident / 1024:>8.2f} MiB{known:>16}")
    guest = [row for row in rows if "asb" in row[0]]
    line = f"  {'the guest, together':34}{sum(row[1] for row in guest) / 1024:>8.2f} MiB"
    if all(row[2] is not None for row in guest):
        line += f"{sum(row[2] for row in guest) / 1024:>12.2f} MiB"
    print(line + "  ≤ 8 MiB resident")


def bench_opensandbox(bench):
    import bench_opensandbox as suite
    suite.bench(bench.build, bench.rounds, bench.bytes, bench.sandboxes)


BENCHES = {"version": bench_version, "command": bench_command, "exec": bench_exec,
           "cat": bench_cat, "output": bench_output, "memory": bench_memory,
           "opensandbox": bench_opensandbox}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--sandboxes", type=int, default=100)
    parser.add_argument("names", nargs="*", metavar="NAMES", choices=[[], *BENCHES])
    arguments = parser.parse_args()

    modules = [str(folder) for kind in ("providers", "history-stores")
               for folder in sorted((arguments.build / kind).glob("*/"))]
    os.environ["ASB_MODULE_PATH"] = ":".join(os.path.abspath(folder) for folder in modules)
    with tempfile.TemporaryDirectory() as state:
        # As it is installed.
        guest = os.path.join(state, "asb-guest")
        subprocess.run(["strip", "-o", guest, arguments.build / "guest/asb-guest"], check=True)
        os.environ["ASB_GUEST_PATH"] = guest
        os.environ["XDG_STATE_HOME"] = state
        bench = Bench(arguments)
        print(f"{os.cpu_count()} processors, {os.uname().release}")
        for name in arguments.names or BENCHES:
            BENCHES[name](bench)


main()
