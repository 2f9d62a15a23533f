# SPDX-License-Identifier: LGPL-2.1-or-later
"""asb create, list, info and rm, and how sandboxes are named."""

import os
import pathlib
import shutil
import subprocess

import tap_unittest
from cli_test import ASB, ENVIRONMENT, LIMIT, STATE, Terminal, TestCase, asb, finish, kill_guest, prepare, start


class Sandboxes(TestCase):
    def setUp(self):
        self.made = []

    def tearDown(self):
        prepare("rm", "-f", *self.made, "nobody")

    def create(self, *arguments):
        create = prepare if arguments[:1] in [(), ("--name",)] and not arguments[2:] else asb
        output = self.assert_done(create("create", *arguments)).decode()
        self.assertRegex(output, r"\Alocal:[0-9a-zA-Z-]+\n\Z")
        self.made.append(output.strip())
        return output.strip().partition(":")[2]

    def test_create_and_remove(self):
        sandbox = self.create()
        self.assertEqual([entry["id"] for entry in self.json("list")], [sandbox])
        self.assert_done(asb("exec", sandbox, "true"))
        self.assert_done(asb("rm", sandbox), b"")
        self.assertEqual(self.json("list"), [])

    def test_options(self):
        sandbox = self.create("--name", "named", "-e", "A=1", "-e", "B=two words", "-w", "/srv/work")
        self.assert_done(asb("exec", sandbox, "--", "sh", "-c", 'echo "$A,$B"; pwd'),
                         b"1,two words\n/srv/work\n")
        self.assertEqual(self.json("info", "named")["workdir"], "/srv/work")

    def test_folder_of_any_bytes(self):
        sandbox = self.create("-w", b"/srv/\xff")
        self.assert_done(asb("exec", sandbox, "--", "pwd"), b"/srv/\xff\n")
        made = self.json("history", "list", sandbox)[0]
        self.assertEqual(made["request"]["workdir"], {"b64": "L3Nydi//"})
        self.assertEqual(self.json("info", sandbox)["workdir"], {"b64": "L3Nydi//"})

    def test_environment_is_not_shown(self):
        sandbox = self.create("-e", "SECRET=s3cret")
        for arguments in [("info", sandbox), ("list",), ("history", "show", sandbox)]:
            self.assertNotIn(b"s3cret", self.assert_done(asb(*arguments, "--json")))

    def test_refused_options(self):
        self.assert_refused(asb("create", "-w", "relative"), 1, "absolute")
        self.assert_refused(asb("create", "-e", "="), 1, "“=”")
        self.assert_refused(asb("create", "--ttl", "x"), 1, "“x”")
        self.assertEqual(self.json("list"), [])

    def create_short(self):
        """A sandbox whose time is up during a command: its ID, its name, and what that command told."""
        # On a machine that stands still it may be up before the command begins, or the sandbox is there.
        for seconds in (3, 15, 75):
            name = f"short-{seconds}"
            created = asb("create", "--name", name, "--ttl", str(seconds))
            self.made.append("local:" + name)
            result = asb("exec", name, "sleep 1000")
            if b"cancelled" in result.stderr:
                break
            asb("rm", "-f", name)
        return self.assert_done(created).decode().strip().removeprefix("local:"), name, result

    def test_time_to_live(self):
        sandbox = self.create("--ttl", "1h")
        self.assertRegex(self.json("info", sandbox)["expires_at"], r"\A\d{4}-\d\d-\d\dT")
        self.assertIn("expires", self.assert_done(asb("info", sandbox)).decode())
        short, _, result = self.create_short()
        self.assertEqual(result.returncode, 125, result)
        self.assert_refused(asb("exec", short, "true"), 125, "is up")
        self.assertEqual([entry["id"] for entry in self.json("list")], [sandbox])
        self.assert_refused(asb("exec", short, "true"), 125, "is up")
        self.assertIn("cancelled", self.assert_done(asb("history", "list", short)).decode())

    def test_time_that_is_up_is_told(self):
        """By name and by ID, in what is running and afterwards, kept or not."""
        short, name, result = self.create_short()
        self.assert_refused(result, 125, "cancelled", f"The time of sandbox “{short}” is up")
        for reference in [short, short[:-1], name, "local:" + name]:
            self.assert_refused(asb("exec", reference, "true"), 125, f"The time of sandbox “{short}” is up")
        self.assert_refused(asb("rm", name), 1, "is up")
        self.assert_done(asb("rm", "-f", name))
        info = self.json("info", name)
        self.assertEqual((info["id"], info["state"], info["reason"], info["message"]),
                         (short, "deleted", "expired", "Its time is up"))
        self.assertRegex(self.assert_done(asb("list", "--all")).decode(), rf"(?m)^{name} +{short[:4]}\w* +expired ")
        for options in [[], ["--no-record"]]:
            results = (asb("run", *options, "--ttl", str(seconds), "--", "sleep", "1000") for seconds in (1, 8, 64))
            result = next(result for result in results if b"cancelled" in result.stderr)
            self.assert_refused(result, 125, "cancelled", "The time of sandbox “", "is up")

    def test_deleted_is_told_from_unknown(self):
        sandbox = self.create("--name", "was-here")
        self.assert_done(asb("rm", sandbox))
        self.assertIsNone(self.json("info", sandbox)["message"])
        for name in [sandbox, "was-here"]:
            self.assert_refused(asb("exec", name, "true"), 125, sandbox, "was deleted")
        self.assert_refused(asb("exec", "nobody", "true"), 125, "There is no sandbox")

    def test_names(self):
        sandbox = self.create("--name", "scratch")
        for name in [sandbox, f"local:{sandbox}", "scratch", "local:scratch", sandbox[:-1]]:
            self.assertEqual(self.json("info", name)["id"], sandbox, name)

    def test_unknown_names(self):
        self.create("--name", "scratch")
        for name in ["scratc", "local:nobody", "local:", "scratchy", "../..", "%s", "a/b"]:
            self.assert_refused(asb("exec", name, "true"), 125, "asb list")
        self.assert_refused(asb("info", b"\xff"), 1, "\\xff")
        self.assert_refused(asb("info", "scrathc"), 1, "“local:scrathc”; did you mean “scratch”, or see asb list --all")

    def test_short_beginnings_are_none(self):
        sandbox = self.create()
        self.assert_refused(asb("info", sandbox[:3]), 1, f"“{sandbox[:3]}”")

    def test_ambiguous(self):
        """IDs are made by chance, so a like one is made from the record of the first."""
        sandbox = self.create("--name", "first")
        self.assert_done(asb("rm", sandbox))
        records = pathlib.Path(STATE, "asb", "history")
        like = sandbox[:-1] + ("a" if sandbox[-1] != "a" else "b")
        shutil.copytree(records / sandbox, records / like)
        metadata = records / like / "meta.json"
        metadata.write_text(metadata.read_text().replace(sandbox, like).replace("first", "second"))
        message = self.assert_refused(asb("info", sandbox[:-1]), 1, f"local:{sandbox} (first)",
                                      f"local:{like} (second)")
        self.assertIn("give more", message)
        self.assertEqual(self.json("info", like)["name"], "second")
        listed = self.assert_done(asb("history", "list")).decode()
        for name in [sandbox, like]:
            self.assertIn(f" {name} ", listed)

    def test_same_name_twice(self):
        first = self.create("--name", "twin")
        self.assert_refused(asb("create", "--name", "twin"), 1, f"“twin” already, local:{first};")
        self.assert_refused(asb("run", "--keep", "--name", "twin", "true"), 125, f"“twin” already, local:{first};")
        self.assertEqual(len(self.json("list")), 1)
        # What goes with its command may be called as it likes.
        self.assert_done(asb("run", "--name", "twin", "true"))
        self.assert_done(asb("rm", "twin"))
        self.create("--name", "twin")

    def test_same_name_at_once(self):
        processes = [start("create", "--name", "twin") for _ in range(6)]
        ends = [finish(process) for process in processes]
        self.made += [output.decode().strip() for status, output, _ in ends if status == 0]
        self.assertEqual(sorted(status for status, _, _ in ends), [0, 1, 1, 1, 1, 1], ends)
        self.assertEqual([entry["name"] for entry in self.json("list")], ["twin"])

    def test_impossible_names(self):
        for name in ["pro:x", ":", "", " ", " x", "x ", "x\u00a0"]:
            self.assert_refused(asb("create", "--name", name), 1, f"“{name}”")
            self.assert_refused(asb("run", "--name", name, "true"), 125, f"“{name}”")
        self.assertEqual(self.json("list"), [])

    def test_name_that_cannot_be_told(self):
        for option in [[], ["--json"]]:
            with open("/dev/full", "wb") as full:
                result = subprocess.run([ASB, "create", *option], stdin=subprocess.DEVNULL, stdout=full,
                                        stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=LIMIT, check=False)
            sandbox = self.json("list")[0]["id"]
            self.made.append(sandbox)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"“local:{sandbox}” was made all the same", result.stderr.decode())
            self.assert_done(asb("rm", sandbox))

    def test_list(self):
        first = self.create("--name", "first")
        second = self.create()
        lines = self.assert_done(asb("list")).decode().splitlines()
        self.assertRegex(lines[0], r"\ANAME +ID +STATE +AGE")
        self.assertEqual(len(lines), 3)
        for line, name, sandbox in [(lines[1], "first", first), (lines[2], "-", second)]:
            words = line.split()
            self.assertEqual(words[0], name)
            self.assertTrue(sandbox.startswith(words[1]))
            self.assertGreaterEqual(len(words[1]), 8)
            self.assertEqual(words[2], "running")
            self.assert_done(asb("info", words[1]))

    def test_list_fits_the_terminal(self):
        sandbox = self.create("--name", "n" * 60 + "end")
        plain = {"NO_COLOR": "1"}
        terminal = Terminal("list", columns=60, environment=plain)
        lines = terminal.finish()[1].decode().splitlines()
        self.assertEqual(max(len(line) for line in lines), 60)
        self.assertRegex(lines[1], rf"\An+…  {sandbox[:8]}  running ")
        self.assertIn("nend ", self.assert_done(asb("list")).decode())
        terminal = Terminal("history", sandbox, columns=40, environment=plain)
        lines = terminal.finish()[1].decode().splitlines()
        self.assertLessEqual(max(len(line) for line in lines), 40)
        # Where nothing is to be gained any more, nothing is lost.
        terminal = Terminal("list", columns=10, environment=plain)
        lines = terminal.finish()[1].decode().splitlines()
        self.assertRegex(lines[1], rf"\An+…  {sandbox[:8]}  running ")

    def test_list_json(self):
        sandbox = self.create("--name", "näme “x” \\ \"y\"")
        (entry,) = self.json("list")
        self.assertEqual(set(entry), {"provider", "id", "instance_id", "name", "state", "reason", "message", "mounts", "limits", "network",
                                      "image", "workdir", "created_at", "expires_at", "metadata"})
        self.assertEqual((entry["provider"], entry["id"]), ("local", sandbox))
        self.assertEqual(entry["name"], "näme “x” \\ \"y\"")
        self.assertEqual((entry["state"], entry["workdir"]), ("running", "/workspace"))
        self.assertRegex(entry["created_at"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\Z")
        self.assertEqual(self.json("info", sandbox), entry)

    def test_list_nothing(self):
        self.assertEqual(self.json("list"), [])
        self.assertRegex(self.assert_done(asb("list")), rb"\ANAME [^\n]*\n\Z")

    def test_list_all(self):
        sandbox = self.create("--name", "gone")
        self.assert_done(asb("rm", sandbox))
        self.assertEqual(self.json("list"), [])
        states = {entry["id"]: entry["state"] for entry in self.json("list", "--all")}
        self.assertEqual(states[sandbox], "deleted")
        self.assertRegex(self.assert_done(asb("list", "--all")).decode(), r"(?m)^gone +\w+ +deleted ")

    def test_info(self):
        sandbox = self.create("--name", "scratch")
        text = self.assert_done(asb("info", "scratch")).decode()
        self.assertRegex(text, r"(?m)^name +scratch$")
        self.assertRegex(text, rf"(?m)^id +local:{sandbox}$")
        self.assertRegex(text, r"(?m)^state +running$")
        self.assertRegex(text, r"(?m)^workdir +/workspace$")

    def test_info_of_bounds(self):
        sandbox = self.create("--network=host", "--limit", "processes=77", "--limit", "memory=1G", "--limit", "cpu=2m")
        info = self.json("info", sandbox)
        self.assertEqual(info["network"], "host")
        self.assertEqual({name: info["limits"][name] for name in ["processes", "memory", "cpu"]},
                         {"processes": 77, "memory": 1 << 30, "cpu": 120})
        self.assertEqual(set(info["limits"]), {"processes", "memory", "cpu", "files", "file_size"})
        text = self.assert_done(asb("info", sandbox)).decode()
        for line in ["network +host", "limit +processes=77", "limit +memory=1073741824", "limit +cpu=120"]:
            self.assertRegex(text, rf"(?m)^{line}$")
        self.assert_done(asb("rm", sandbox))
        self.assertEqual(self.json("info", sandbox)["network"], "host")
        self.assertEqual(self.json("info", self.create())["network"], "none")

    def test_info_of_a_removed_one(self):
        sandbox = self.create()
        self.assert_done(asb("rm", sandbox))
        self.assertEqual(self.json("info", sandbox)["state"], "deleted")
        self.assert_refused(asb("exec", sandbox, "true"), 125, sandbox)
        self.assert_refused(asb("ls", sandbox), 1, sandbox)
        self.assert_refused(asb("rm", sandbox), 1, sandbox)

    def test_live_before_removed(self):
        """A name given again means the sandbox that is there."""
        old = self.create("--name", "again")
        self.assert_done(asb("rm", "again"))
        new = self.create("--name", "again")
        self.assertNotEqual(old, new)
        self.assertEqual(self.json("info", "again")["id"], new)

    def test_rm_goes_on(self):
        first = self.create()
        second = self.create()
        result = asb("rm", first, "nobody", second)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.decode(),
                         "asb: There is no sandbox “nobody” on this machine; see asb list, "
                         "or name one of another provider as PROVIDER:nobody\n")
        self.assertEqual(self.json("list"), [])
        self.assert_refused(asb("rm", "mock:nobody"), 1,
                            "There is no sandbox “mock:nobody”; see asb list --provider mock")

    def test_who_means_a_server(self):
        """A name alone is that of a local one all the same."""
        result = asb("ls", "nobody", environment={"OPEN_SANDBOX_DOMAIN": "127.0.0.1:9"})
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.decode(),
                         "asb: There is no sandbox “nobody” on this machine; see asb list, "
                         "or name one on the server as opensandbox:nobody\n")

    def test_rm_force(self):
        sandbox = self.create()
        self.assert_done(asb("rm", "-f", "nobody", sandbox))
        self.assertEqual(self.json("list"), [])
        self.assertEqual(asb("rm", "-f", "frobnicate:nobody").returncode, 1)

    def test_rm_ends_what_runs(self):
        sandbox = self.create()
        process = start("exec", sandbox, "--", "sh", "-c", "echo ready; exec sleep 1000")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        self.assert_done(asb("rm", sandbox))
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 125)

    def test_what_the_provider_cannot(self):
        sandbox = self.create()
        self.assert_refused(asb("egress", "get", sandbox), 1, "Provider “local” does not support")
        self.assert_refused(asb("metrics", sandbox), 1, "Provider “local” does not support")
        self.assert_refused(asb("snapshot", "list", "--provider", "local"), 1, "Provider “local” does not support")

    def test_completion(self):
        sandbox = self.create("--name", "scratch")
        other = self.create()
        self.assertEqual(asb("help", "--complete", "--", "exec", "scr").stdout, b"scratch\n")
        self.assertEqual(set(asb("help", "--complete", "--", "rm", "").stdout.decode().split()),
                         {"scratch", other})
        self.assertIn(sandbox.encode(),
                      asb("help", "--complete", "--", "rm", sandbox[:4]).stdout.splitlines())


class Prune(TestCase):
    def setUp(self):
        self.live = self.create("--name", "live")
        self.stopped = self.create("--name", "stopped")
        kill_guest(self.stopped)

    def tearDown(self):
        prepare("rm", "-f", self.live, self.stopped)

    def create(self, *arguments):
        return self.assert_done(prepare("create", *arguments)).decode().strip().partition(":")[2]

    def listed(self):
        return [entry["id"] for entry in self.json("list")]

    def prune_at_a_terminal(self, answer):
        terminal = Terminal("prune")
        terminal.read_until(b"[y/N] ")
        terminal.write(answer)
        return terminal.finish()

    def test_dry_run(self):
        self.assertEqual([entry["id"] for entry in self.json("prune", "--dry-run")], [self.stopped])
        self.assertIn(b"stopped", self.assert_done(asb("prune", "-n")))
        self.assertEqual(self.listed(), [self.live, self.stopped])

    def test_force(self):
        self.assert_done(asb("prune", "--force"), f"local:{self.stopped}\n".encode())
        self.assertEqual(self.listed(), [self.live])
        self.assert_done(asb("history", "list", self.stopped))
        self.assert_done(asb("prune"), b"")

    def test_json(self):
        self.assertEqual([entry["id"] for entry in self.json("prune", "--force")], [self.stopped])
        self.assertEqual(self.json("prune"), [])

    def test_nobody_to_ask(self):
        self.assert_refused(asb("prune"), 1, "--force", "--dry-run")
        self.assertEqual(self.listed(), [self.live, self.stopped])

    def test_yes(self):
        status, output = self.prune_at_a_terminal(b"y\n")
        self.assertEqual(status, 0, output)
        self.assertIn(f"local:{self.stopped}".encode(), output)
        self.assertEqual(self.listed(), [self.live])

    def test_no(self):
        for answer in [b"\n", b"n\n", b"\4"]:
            status, output = self.prune_at_a_terminal(answer)
            self.assertEqual(status, 0, output)
            self.assertIn(b"Nothing was removed", output)
        self.assertEqual(self.listed(), [self.live, self.stopped])

    def test_interrupted(self):
        status, output = self.prune_at_a_terminal(b"\3")
        self.assertEqual(status, 130, output)
        self.assertEqual(self.listed(), [self.live, self.stopped])


class Records(TestCase):
    def setUp(self):
        prepare("prune", "--records", "--force")
        self.gone, self.live = (self.assert_done(prepare("create", "--name", name)).decode().strip().split(":")[1]
                                for name in ("gone", "live"))
        self.assert_done(prepare("rm", self.gone))

    def tearDown(self):
        prepare("rm", "-f", "live")
        prepare("prune", "--records", "--force")

    def kept(self):
        return [entry["id"] for entry in self.json("prune", "--records", "--dry-run")]

    def test_listed(self):
        self.assertEqual(self.kept(), [self.gone])
        self.assertEqual([entry["id"] for entry in self.json("history", "list")], [self.gone, self.live])

    def test_all(self):
        self.assertEqual([entry["id"] for entry in self.json("prune", "--records", "--force")], [self.gone])
        self.assertEqual(self.kept(), [])
        self.assert_refused(asb("history", "list", self.gone), 1, self.gone)
        self.assert_done(asb("history", "list", "live"))
        self.assertEqual(os.listdir(os.path.join(STATE, "asb", "history")), [])

    def test_age(self):
        self.assertEqual(self.json("prune", "--records", "--older-than", "1d", "--force"), [])
        self.assertEqual(self.kept(), [self.gone])
        self.assert_refused(asb("prune", "--older-than", "long"), 1, "“long”")

    def test_question(self):
        self.assert_refused(asb("prune", "--records"), 1, "1 record", "--force", "--dry-run")
        terminal = Terminal("prune", "--records")
        terminal.read_until(b"[y/N] ")
        terminal.write(b"y\n")
        self.assertEqual(terminal.finish()[0], 0)
        self.assertEqual(self.kept(), [])

    def test_one(self):
        self.assert_refused(asb("history", "rm", "live"), 1, "asb rm")
        self.assert_done(asb("history", "rm", "gone"), b"")
        self.assert_refused(asb("history", "rm", self.gone), 1, self.gone)
        self.assert_done(asb("history", "rm", "-f", self.gone))
        self.assert_done(asb("exec", "live", "--", "true"))


class WithoutRecord(TestCase):
    def test_create(self):
        self.assert_refused(asb("create", "--provider", "mock"), 1, "“sandbox_history”", "--no-record")
        self.assertIn(b"mock:", self.assert_done(asb("create", "--provider", "mock", "--no-record")))

    def test_shell(self):
        terminal = Terminal("shell", "--provider", "mock")
        status, output = terminal.finish()
        self.assertEqual(status, 125, output)
        self.assertIn(b"--no-record", output)

    def test_local(self):
        sandbox = self.assert_done(asb("create", "--no-record")).decode().strip()
        self.assert_done(asb("exec", sandbox, "true"))
        types = [entry["operation_type"] for entry in self.json("history", "list", sandbox)]
        self.assertIn("command.execute", types)
        self.assertNotIn("sandbox.create", types)
        self.assert_done(asb("exec", "--no-record", sandbox, "--", "echo", "unrecorded"), b"unrecorded\n")
        self.assert_refused(asb("exec", "--no-record", "no-such-sandbox", "true"), 125, "no-such-sandbox")
        job = self.assert_done(asb("exec", "--no-record", "-d", sandbox, "true")).decode().strip()
        self.assert_done(asb("jobs", "wait", sandbox, job))
        after = [entry["operation_type"] for entry in self.json("history", "list", sandbox)]
        self.assertEqual(after.count("command.execute"), types.count("command.execute"), after)
        self.assert_done(asb("rm", sandbox))


if __name__ == "__main__":
    tap_unittest.main()
