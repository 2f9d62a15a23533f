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


def bench_version(bench):
    turns = range(bench.rounds)
    table(f"the version, start to end ({bench.rounds} rounds)", [
        ("plain fork and exec", [seconds(["true"]) for _ in turns], ""),
        ("asb --version", [seconds([bench.asb, "--version"]) for _ in turns], ""),
    ])
    guest = os.environ["ASB_GUEST_PATH"]
    print(f"  {'the guest on disk, as installed':34}{os.path.getsize(guest) / MIB:>9.2f} MiB")


def bench_command(bench):
    contenders = [
        ("plain fork and exec", ["true"]),
        ("bare bwrap", [*BWRAP, "true"]),
        ("asb run (recorded)", [bench.asb, "run", "--", "true"]),
        ("npm sandbox-runtime", [bench.srt, "true"] if bench.srt else None),
    ]
    samples = {name: [] for name, arguments in contenders}
    for turn in range(bench.rounds + 1):
        for name, arguments in contenders:
            if arguments:
                elapsed = seconds(arguments)
                if turn > 0:  # the first warms caches
                    samples[name].append(elapsed)
    table(f"one command, new sandbox, start to end ({bench.rounds} rounds, turn by turn)",
          [(name, samples[name], bench.why_no_srt) if not arguments else (name, samples[name], "")
           for name, arguments in contenders])


def bench_exec(bench):
    """Turn by turn, so that what else the machine does falls on all alike."""
    turns, rounds = 10, bench.rounds * 2
    verbs = {"spawn": [], "stat": [], "exec-none": [], "exec": [], "at-once": []}
    for _ in range(turns):
        for verb, samples in verbs.items():
            samples += bench.measured(verb, rounds)
    table(f"“true” in a live sandbox, in process ({turns} × {rounds} rounds)", [
        ("plain fork and exec", verbs["spawn"], ""),
        ("one round trip to the guest", verbs["stat"], ""),
        ("execute, not recorded", verbs["exec-none"], ""),
        ("execute, recorded", verbs["exec"], ""),
        ("16 at once, recorded, all of them", verbs["at-once"], ""),
    ])
    for name, of in (("median", statistics.median), ("fastest", min)):
        cost = of(verbs["exec"]) - of(verbs["exec-none"])
        print(f"  {'what recording costs, by the ' + name:34}{cost * 1e3:>9.2f} ms")


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
    turns = range(3)
    rows = [
        ("plain cat, in process", [bench.measured("plain-cat", bench.bytes)[0] for _ in turns], ""),
        ("cat in a live sandbox, in process", [bench.measured("cat", bench.bytes)[0] for _ in turns],
         "recorded"),
        ("plain cat", [through_cat(bench, ["cat"]) for _ in turns], ""),
        ("bare bwrap, cat", [through_cat(bench, [*BWRAP, "cat"]) for _ in turns], ""),
        ("asb run -- cat", [through_cat(bench, [bench.asb, "run", "--", "cat"]) for _ in turns],
         "recorded"),
        ("npm sandbox-runtime, cat",
         [through_cat(bench, [bench.srt, "cat"]) for _ in turns] if bench.srt else [],
         bench.why_no_srt or ""),
    ]
    table(f"{gibibytes:g} GiB through cat (3 turns)", rows, unit="s ", scale=1,
          per=("GiB/s", gibibytes))


def bench_output(bench):
    """How much memory both sides need at most, while a command prints."""
    with subprocess.Popen([bench.library, "output", str(bench.bytes)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as printer:
        elapsed = int(printer.stdout.readline()) / 1e6
        rows = [peak_of(pid) for pid in (printer.pid, *children_of(printer.pid))]
        printer.stdin.close()
    print(f"\n{bench.bytes / (1 << 30):g} GiB of output of a command, recorded")
    print(f"  {'from start to end':34}{elapsed:>9.2f} s  {bench.bytes / elapsed / 1e6:>9.0f} MB/s")
    for name, peak in rows:
        if "asb" in name or name == rows[0][0]:
            print(f"  {'at most resident, ' + name:34}{peak / 1024:>9.2f} MiB")


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


def peak_of(pid):
    """(name, KiB that were resident at most) of a process."""
    status = pathlib.Path("/proc", str(pid), "status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    return fields["Name"], int(fields["VmHWM"].split()[0])


def memory_of(pid):
    """(name, resident KiB, proportional KiB or None) of a process."""
    folder = pathlib.Path("/proc", str(pid))
    status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines())
    try:
        rollup = (folder / "smaps_rollup").read_text()
        proportional = int(rollup.split("\nPss:")[1].split()[0])
    except PermissionError:  # only root may see it of processes that cannot be dumped
        proportional = None
    return status["Name"], int(status["VmRSS"].split()[0]), proportional


def bench_memory(bench):
    with subprocess.Popen([bench.library, "hold"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        rows = [memory_of(pid) for pid in children_of(holder.pid)]
        holder.stdin.close()
    print(f"\nan idle sandbox\n  {'':34}{'resident':>12}{'proportional':>16}")
    for name, resident, proportional in rows:
        known = "unknown" if proportional is None else f"{proportional / 1024:.2f} MiB"
        print(f"  {name:34}{resident / 1024:>8.2f} MiB{known:>16}")
    guest = [row for row in rows if "asb" in row[0]]
    line = f"  {'the guest, together':34}{sum(row[1] for row in guest) / 1024:>8.2f} MiB"
    if all(row[2] is not None for row in guest):
        line += f"{sum(row[2] for row in guest) / 1024:>12.2f} MiB"
    print(line)


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
