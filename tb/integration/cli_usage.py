# SPDX-License-Identifier: Apache-2.0
"""The words of the command line: help, mistakes, names of scenarios, lists."""
import shutil

import cli_common
from cli_common import CliTest


class Help(CliTest):
    def test_everywhere(self):
        for words in (["--help"], ["-h"], ["help"]):
            text = self.passes(*words)
            for command in ("run", "list", "show", "check"):
                self.assertIn(f"\n  {command} ", text)
        for command in ("run", "list", "show", "check"):
            text = self.passes(command, "--help")
            self.assertTrue(text.startswith(f"cqsim {command} "), text)
            self.assertEqual(text, self.passes("help", command))
            self.assertEqual(text, self.passes(command, "-h"))

    def test_names_every_option_of_run(self):
        text = self.passes("run", "--help")
        for option in ("--set KEY=VALUE", "--seed N", "--out-dir DIR", "--events KINDS",
                       "--vcd [FILE]", "--quiet", "--log-level LEVEL"):
            self.assertIn(option, text)

    def test_version(self):
        self.assertRegex(self.passes("--version"), r"^cqsim \d+\.\d+\.\d+ \(SystemC .+\)\n$")

    def test_nothing_said_is_a_mistake(self):
        done = self.cqsim()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("cqsim COMMAND", done.stderr)


class Mistakes(CliTest):
    def test_unknown_command(self):
        self.refuses(2, "rnu", says='unknown command rnu; did you mean "run"?')
        self.refuses(2, "frobnicate", says="known: run, list, show, check")
        self.refuses(2, "help", "chekc", says='did you mean "check"?')
        self.refuses(2, "", says="unknown command ''")

    def test_unknown_option(self):
        self.refuses(2, "--hlep", says='unknown option --hlep; did you mean "--help"?')
        self.refuses(2, "run", "first_look", "--out-dri", "x",
                     says='unknown option --out-dri; did you mean "--out-dir"?')
        self.refuses(2, "run", "first_look", "--out", "x", says='unknown option --out')
        self.refuses(2, "check", "x", "--quite", says='did you mean "--quiet"?')
        self.refuses(2, "show", "first_look", "-x", says="unknown option -x")

    def test_too_few_or_too_many_words(self):
        self.refuses(2, "run", says="cqsim run SCENARIO [options]")
        self.refuses(2, "show", says="cqsim show SCENARIO [options]")
        self.refuses(2, "check", says="cqsim check EVENTS.jsonl [options]")
        self.refuses(2, "run", "first_look", "other", says="one word too many: other")
        self.refuses(2, "run", "--", "first_look", "--quiet", says="one word too many: --quiet")

    def test_values_of_options(self):
        for seed in ("-5", "abc", "1.5", "9223372036854775808", "", " 1"):
            self.refuses(2, "run", "first_look", f"--seed={seed}" if seed else "--seed",
                         says="--seed")
        self.refuses(2, "run", "first_look", "--seed", "1", "--seed", "2", says="more than once")
        self.refuses(2, "run", "first_look", "--quiet=yes", says="--quiet")
        self.refuses(2, "run", "first_look", "--out-dir", says="--out-dir")
        self.refuses(2, "run", "first_look", "--out-dir", "", says="--out-dir")
        self.refuses(2, "run", "first_look", "--log-level", "wraning",
                     says='did you mean "warning"?')

    def test_kinds_of_events(self):
        self.refuses(2, "run", "first_look", "--out-dir", "out", "--events", "poll,cqe_visable",
                     says='unknown kind cqe_visable; did you mean "cqe_visible"?')
        self.refuses(2, "run", "first_look", "--out-dir", "out", "--events", "poll,",
                     says="unknown kind ''")
        self.refuses(2, "run", "first_look", "--events", "poll", says="--events needs --out-dir")
        self.assertFalse((self.folder / "out").exists(), "something was done before the mistake")

    def test_vcd_overwrites_no_scenario(self):
        scenario = self.write("mine.toml", cli_common.SMALL)
        self.refuses(2, "run", "first_look", "--vcd", "mine.toml", says="should end in .vcd")
        self.assertEqual(scenario.read_text(), cli_common.SMALL)


class Names(CliTest):
    def test_path_then_folder(self):
        self.assertIn("first_look", self.passes("run", "first_look", "--quiet"))
        self.assertIn("first_look", self.passes("run", "first_look.toml", "--quiet"))
        path = cli_common.SCENARIOS / "first_look.toml"
        self.assertIn("first_look", self.passes("run", path, "--quiet"))
        self.write("first_look.toml", "not a scenario")
        self.refuses(2, "run", "first_look.toml", says="first_look.toml:1:")

    def test_folder_of_the_current_directory(self):
        environment = self.environment()
        del environment["CQSIM_SCENARIOS"]
        self.refuses(2, "run", "first_look", environment=environment, says="no such file")
        (self.folder / "scenarios" / "cases").mkdir(parents=True)
        shutil.copy(cli_common.SCENARIOS / "first_look.toml", self.folder / "scenarios")
        self.write("scenarios/cases/one.toml", cli_common.SMALL)
        self.passes("run", "first_look", environment=environment)
        self.passes("run", "cases/one", environment=environment)
        text = self.passes("list", "scenarios", environment=environment)
        self.assertRegex(text, r"\n  cases/one +One QP, one CQ\.\n")

    def test_nearest(self):
        self.refuses(2, "run", "first_lok", says='did you mean "first_look"?')
        self.refuses(2, "show", "nowhere/first_lok.toml", says='did you mean "first_look"?')


class Lists(CliTest):
    def test_all(self):
        parts = [self.passes("list", what) for what in
                 ("scenarios", "policies", "profiles", "waves")]
        self.assertEqual(self.passes("list"), "\n".join(parts))

    def test_scenarios(self):
        text = self.passes("list", "scenarios")
        for path in cli_common.SCENARIOS.glob("**/*.toml"):
            name = path.relative_to(cli_common.SCENARIOS).with_suffix("").as_posix()
            if not name.startswith("profiles/"):
                self.assertRegex(text, rf"\n  {name} +\S")

    def test_a_scenario_that_cannot_be_read_is_listed(self):
        self.write("broken.toml", "end = 5")
        text = self.passes("list", "scenarios",
                           environment={**self.environment(), "CQSIM_SCENARIOS": "."})
        self.assertRegex(text, r"broken +refused: .*broken\.toml:1:")

    def test_policies_with_the_default_first(self):
        text = self.passes("list", "policies")
        self.assertRegex(text, r"device\.completion_arbiter\.policy +round_robin, fifo ")

    def test_waves(self):
        self.assertIn("cqsim.engine.overflow.cq_<name>.occupancy", self.passes("list", "waves"))

    def test_unknown(self):
        self.refuses(2, "list", "polices", says='did you mean "policies"?')


if __name__ == "__main__":
    cli_common.main()
