# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options that come from the configuration file."""

import tap_unittest
from cli_test import FOLDER, TestCase, asb

SHOW = ["--", "sh", "-c", "echo $A-$B-$PWD"]


class Profiles(TestCase):
    def setUp(self):
        self.folder = FOLDER / "config"
        (self.folder / "asb").mkdir(parents=True, exist_ok=True)

    def write(self, text):
        (self.folder / "asb" / "config").write_text(text)

    def asb(self, *arguments, **environment):
        return asb(*arguments, environment={"XDG_CONFIG_HOME": str(self.folder), **environment})

    def show(self, *options, **environment):
        return self.assert_done(self.asb("run", *options, *SHOW, **environment)).decode().strip()

    def test_none(self):
        (self.folder / "asb" / "config").unlink(missing_ok=True)
        self.assertEqual(self.show(), "--/workspace")

    def test_default(self):
        self.write("[default]\nenv=A=1;B=two words\nworkdir=/tmp\n")
        self.assertEqual(self.show(), "1-two words-/tmp")

    def test_given_counts_more(self):
        self.write("[default]\nenv=A=1;B=2\nworkdir=/tmp\n")
        self.assertEqual(self.show("-e", "A=9", "--workdir=/"), "9-2-/")

    def test_named(self):
        self.write("[default]\nenv=A=1\n\n[work]\nenv=B=2\n")
        self.assertEqual(self.show("--profile", "work"), "-2-/workspace")
        self.assertEqual(self.show(ASB_PROFILE="work"), "-2-/workspace")
        self.assertEqual(self.show("--profile", "default", ASB_PROFILE="work"), "1--/workspace")

    def test_completion(self):
        self.write("[default]\nenv=A=1\n\n[work]\n\n[two words]\n")
        ask = ["help", "--complete", "--", "run", "--profile"]
        self.assert_done(self.asb(*ask, ""), b"default\nwork\n")
        self.assert_done(self.asb(*ask, "w"), b"work\n")
        (self.folder / "asb" / "config").unlink()
        self.assert_done(self.asb(*ask, ""), b"")

    def test_missing(self):
        self.write("[default]\n\n[work]\n")
        result = self.asb("run", "--profile", "wrok", *SHOW)
        self.assert_refused(result, 125, "“wrok”", "did you mean “work”?")
        self.assert_refused(self.asb("run", "--profile", "home", *SHOW), 125, "no group [home]\n")
        (self.folder / "asb" / "config").unlink()
        self.assert_refused(self.asb("run", "--profile", "home", *SHOW), 125, "there is no file “")

    def test_keys_of_other_commands(self):
        self.write("[default]\nenv=A=1\n")
        self.assert_done(self.asb("list"))

    def test_wrong_values(self):
        self.write("[default]\nconflict=skp\n")
        result = self.asb("put", "box", "a", "b")
        self.assert_refused(result, 2, "“skp”; did you mean “skip”?; conflict=skp stands in profile “default” of")
        self.write("[work]\ntimeout=soon\nttl=1h\n")
        result = self.asb("run", "--profile", "work", *SHOW)
        self.assert_refused(result, 125, "“soon” is no", "; timeout=soon stands in profile “work” of")
        result = self.asb("run", "--profile", "work", "--timeout", "later", *SHOW)
        self.assertNotIn("stands", self.assert_refused(result, 125, "“later”"))
        self.write("[default]\nenv=\\q\n")
        self.assert_refused(self.asb("run", *SHOW), 125, "Could not read “env” of profile “default” of")

    def test_mistakes(self):
        for text, word in [("[default]\nwrkdir=/tmp\n", "did you mean “workdir”"),
                           ("[default]\njson=true\n", "“json”, which"),
                           ("[default]\ninteractive=1\n", "give --interactive"),
                           ("[default]\nhelp=1\n", "There is no option “help”"),
                           ("workdir=/tmp\n", "Could not read the configuration file"),
                           ("[default\n", "Could not read the configuration file")]:
            with self.subTest(text):
                self.write(text)
                result = self.asb("run", *SHOW)
                self.assertEqual(result.returncode, 125)
                self.assertEqual(result.stdout, b"")
                self.assertIn(word, result.stderr.decode())

    def test_unreadable(self):
        """As another user's is, where HOME stayed that of root."""
        self.write("")
        path = self.folder / "asb" / "config"
        path.unlink()
        path.symlink_to("config")
        self.addCleanup(path.unlink)
        self.assert_refused(self.asb("run", *SHOW), 125, f"Could not read the configuration file “{path}”",
                            "set HOME, or XDG_CONFIG_HOME, to a folder that is yours")

    def test_help_needs_none(self):
        self.write("nonsense")
        self.assertIn("--profile", self.assert_done(self.asb("run", "--help")).decode())
        self.assertIn("--profile", self.assert_done(self.asb("help", "run")).decode())

    def test_commands_that_need_none(self):
        """Without options that have an argument there is nothing to take from a profile."""
        self.write("nonsense")
        self.assertEqual(self.asb("modules", "--profile=x").returncode, 2)
        self.assertNotIn("--profile", self.assert_done(self.asb("modules", "--help")).decode())
        self.assert_done(self.asb("modules"))


if __name__ == "__main__":
    tap_unittest.main()
