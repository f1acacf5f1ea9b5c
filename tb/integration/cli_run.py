# SPDX-License-Identifier: Apache-2.0
"""What a run prints and writes: verdicts, files, waves, and the same again when run again."""
import filecmp
import json
import os
import pathlib
import re
import subprocess

import cli_common
from cli_common import SMALL, CliTest

RULES = re.compile(r"(\d+) of (\d+) rules arose, (\d+) checks")


class Verdicts(CliTest):
    def verdict(self, code, word, *words):
        done = self.cqsim("run", *words, "--out-dir", "out")
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        self.assertTrue(done.stdout.startswith(word.upper() + "  "), done.stdout)
        result = json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual(result["verdict"], word)
        return done.stdout, result

    def test_pass(self):
        text, result = self.verdict(0, "pass", "first_look")
        self.assertEqual(result["failures"], [])
        self.assertEqual(result["cq"]["shared"]["polled"], 25)
        self.assertIn("  files: out/result.json, out/config.resolved.toml, out/events.jsonl\n", text)
        self.assertTrue(text.endswith("  waves: scripts/run first_look --out-dir out --vcd\n"), text)

    def test_the_hint_names_the_program_as_it_was_called(self):
        text = self.passes("run", "first_look",
                           environment={**self.environment(), "CQSIM_RUN": "../my scripts/run"})
        self.assertIn("  waves: '../my scripts/run' first_look --vcd\n", text)

    def test_a_failure_is_shown_by_a_command_and_a_place(self):
        depth = ("first_look", "--set", "cq.shared.depth=4")
        text, _ = self.verdict(1, "fail", *depth)
        self.assertIn(f"  waves: scripts/run {' '.join(depth)} --out-dir out --vcd\n  look at: 12.000 us (",
                      text)
        text, _ = self.verdict(1, "fail", *depth, "--vcd", "x.vcd")
        self.assertIn("  waves: gtkwave x.vcd x.gtkw\n  look at: 12.000 us (", text)

    def test_the_command_that_is_printed_shows_the_failure(self):
        self.write("my ring.toml", SMALL + '[[expect]]\nstat = "cq.shared.overruns"\nequals = 0\n')
        self.write("show it", f'#!/bin/sh\nexec "{cli_common.PROGRAM}" run "$@"\n').chmod(0o755)
        environment = {**self.environment(), "CQSIM_RUN": "./show it"}
        done = self.cqsim("run", "my ring.toml", "--seed", "7", "--set", "host.0.interval=40 us",
                          environment=environment)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        command = re.search("^  waves: (.*)$", done.stdout, re.MULTILINE)[1]
        self.assertEqual(command, "'./show it' 'my ring.toml' --seed 7 --set 'host.0.interval=40 us' --vcd")
        self.assertFalse((self.folder / "my ring.vcd").exists())
        shown = subprocess.run(command, shell=True, cwd=self.folder, env=environment, text=True,
                               capture_output=True, timeout=100, check=False)
        self.assertEqual((shown.returncode, shown.stderr), (1, ""), shown.stdout)
        # The same failure, and where it lies in the waves.
        waves = "  waves: gtkwave 'my ring.vcd' 'my ring.gtkw'\n"
        self.assertEqual(shown.stdout, done.stdout.replace(f"  waves: {command}\n", waves))
        place = re.search(r"^  look at: ([0-9.]+) us", shown.stdout, re.MULTILINE)[1]
        save = (self.folder / "my ring.gtkw").read_text()
        self.assertEqual(int(re.search(r"^\*\S+ (\S+)", save, re.MULTILINE)[1]),
                         round(float(place) * 1_000_000))

    def test_a_request_that_fails_after_the_first_failure(self):
        # S2.19: the first failure still waits at the tap when the second step comes.
        fail = '[[step]]\nat = "2 us"\ndo = "fail"\nqp = "field"\nstatus = "RETRY_EXC_ERR"\n'
        post = '[[step]]\nat = "1 us"\ndo = "post"\nqp = "field"\ncount = 3\nlatency = "9 us"\n'
        text = SMALL[:SMALL.index("[[traffic]]")] + SMALL[SMALL.index("[[host]]"):] + post + fail
        self.write("once.toml", text)
        self.write("twice.toml", text + fail)
        late = ("--set", "device.link_delay=7 ns")
        _, once = self.verdict(0, "pass", "once.toml", *late)
        _, twice = self.verdict(1, "fail", "twice.toml", *late)
        self.assertEqual([failure["rule"] for failure in twice["failures"]], ["step"])
        self.assertIn("has stopped its send queue", twice["failures"][0]["text"])
        self.assertEqual(twice["qp"], once["qp"])
        self.assertEqual(twice["qp"]["field"]["flushed"], 2)

    def test_an_event_behind_the_next_request_on_a_late_link(self):
        # Every few entries of one QP land while the request for one of the other is handed over.
        self.write("late.toml", """end = "50 us"
[device]
link_delay = "7 ns"
[[eq]]
name = "ceq"
vector = 0
depth = 4
[[cq]]
name = "quiet"
depth = 16
eq = "ceq"
[[cq]]
name = "busy"
depth = 64
[[qp]]
name = "one"
send_cq = "quiet"
recv_cq = "quiet"
[[qp]]
name = "many"
send_cq = "busy"
recv_cq = "busy"
[[traffic]]
qp = "one"
send = { rate = "997 k/s", count = 40 }
[[traffic]]
qp = "many"
send = { rate = "7 M/s", count = 280 }
[[host]]
cq = "quiet"
mode = "event"
[[host]]
cq = "busy"
[[expect]]
end = "idle"
""")
        self.verdict(0, "pass", "late.toml")

    def test_an_expectation_of_the_end(self):
        ends = ('[[expect]]\nstat = "end.reason"\nequals = "{}"\n'
                '[[expect]]\nstat = "end.time_ps"\nbetween = [{}, {}]\n'
                '[[expect]]\nstat = "rules.S3.3.failed"\nequals = {}\n')
        self.write("mine.toml", SMALL + ends.format("idle", 33_000_000, 34_000_000, 0))
        self.verdict(0, "pass", "mine.toml")
        self.write("mine.toml", SMALL + ends.format("stalled", 0, 1, 1))
        text, result = self.verdict(1, "fail", "mine.toml")
        self.assertEqual(len(result["failures"]), 3)
        self.assertIn("the run ended 'idle', expected 'stalled'", text)
        self.assertIn("end.time_ps is 33", text)
        self.assertIn("rules.S3.3.failed is 0, expected 1", text)

    def test_an_expectation_fails(self):
        text, result = self.verdict(1, "fail", "first_look", "--set", "expect.1.equals=26")
        self.assertEqual(len(result["failures"]), 1)
        self.assertIn("cq.shared.written", text)

    def test_stalled_names_what_waits(self):
        # Nobody polls, so no send-queue slot comes back (S2.5).
        self.write("mine.toml", SMALL[:SMALL.index("[[host]]")].replace("depth = 8", "depth = 64"))
        text, result = self.verdict(4, "stalled", "mine.toml")
        self.assertEqual(result["end"]["reason"], "stalled")
        self.assertIn("field", text)
        self.assertIn("wait", text)

    def test_quiet(self):
        self.assertEqual(self.passes("run", "first_look", "--quiet"), "PASS  first_look  (seed 1)\n")

    def test_nothing_is_written_unasked(self):
        self.passes("run", "first_look")
        self.assertEqual(os.listdir(self.folder), [])

    def test_log_levels(self):
        plain = self.passes("run", "first_look", "--quiet")
        for level in ("error", "warning"):
            self.assertEqual(self.passes("run", "first_look", "--quiet", "--log-level", level), plain)
        for level in ("info", "debug"):
            done = self.cqsim("run", "first_look", "--quiet", "--log-level", level)
            self.assertEqual((done.returncode, done.stdout), (0, plain))
            self.assertRegex(done.stderr, r"cqsim: running .*first_look\.toml until 100")
            self.assertRegex(done.stderr, r"cqsim: done in \d+ ms\n")


class Options(CliTest):
    def result(self, *words):
        self.passes("run", *words, "--out-dir", "out")
        return json.loads((self.folder / "out/result.json").read_text())

    def test_seed(self):
        self.assertEqual(self.result("first_look")["seed"], 1)
        self.assertEqual(self.result("first_look", "--seed", "7")["seed"], 7)
        self.assertEqual(self.result("first_look", "--seed", "7", "--set", "seed=8")["seed"], 7)
        self.assertIn("\nseed = 9\n", self.passes("show", "first_look", "--seed", "9"))

    def test_set(self):
        result = self.result("first_look", "--set", "cq.shared.depth=16", "--set",
                             "device.completion_arbiter.policy=fifo")
        self.assertEqual(result["cq"]["shared"]["depth"], 16)
        self.assertEqual(result["arbiter"]["policy"], "fifo")

    def test_events(self):
        def kinds(*words):
            self.result("first_look", *words)
            lines = (self.folder / "out/events.jsonl").read_text().splitlines()
            return {json.loads(line)["ev"] for line in lines[1:]}
        self.assertEqual(kinds("--events", "poll,ci"), {"poll", "ci"})
        self.assertEqual(kinds("--events", "all"), kinds())
        result = self.result("first_look", "--events", "none")
        self.assertFalse((self.folder / "out/events.jsonl").exists())
        self.assertIn("events.jsonl", " ".join(result["omitted"]))

    def test_events_by_size(self):
        for size, logged in (("small", True), ("large", False)):
            self.result("first_look", "--set", f"size={size}")
            self.assertEqual((self.folder / "out/events.jsonl").exists(), logged)

    def test_name(self):
        self.assertEqual(self.result("first_look", "--set", "name=other one")["scenario"], "other one")
        self.assertIn('\nname = "first_look"\n', self.passes("show", "first_look"))

    def test_flush_service(self):
        # 4 sends flush behind the one that fails at 1 us: the last 3 times the time between two later.
        text = SMALL[:SMALL.index("[[traffic]]")] + SMALL[SMALL.index("[[host]]"):]
        for step in ('do = "post"\ncount = 5', 'do = "fail"\nstatus = "RETRY_EXC_ERR"'):
            text += f'[[step]]\nat = "1 us"\nqp = "field"\n{step}\n'
        self.write("mine.toml", text)
        for words, last in (((), 1_012_000), (("--set", "device.flush_service=50 ns"), 1_150_000),
                            (("--set", "device.flush_service=0 ps"), 1_000_000)):
            self.result("mine.toml", *words)
            times = [json.loads(line)["t"] for line in
                     (self.folder / "out/events.jsonl").read_text().splitlines()[1:]
                     if '"ev":"complete"' in line]
            self.assertEqual(len(times), 5)
            self.assertEqual(times[-1], last)

    def test_vcd_to_no_regular_file(self):
        os.mkfifo(self.folder / "pipe")
        for place in ("/dev/null", "pipe"):
            reader = os.open(self.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, reader)
            before = os.listdir("/dev")
            done = self.cqsim("run", "end_in_a_gap", "--vcd", place)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"  waves: {place}; it is no regular file, so no save file for GTKWave lies "
                          "beside it\n", done.stdout)
            self.assertEqual(os.listdir("/dev"), before)
        self.assertEqual(os.listdir(self.folder), ["pipe"])

    def test_vcd_places(self):
        waves = "  waves: gtkwave {0}.vcd {0}.gtkw\n"
        for words, place in ((["first_look", "--vcd"], "first_look"),
                             (["first_look", "--vcd", "--out-dir", "out"], "out/first_look"),
                             (["first_look", "--vcd", "x.vcd"], "x"),
                             (["first_look", "--vcd=y.vcd", "--out-dir", "out"], "y"),
                             (["--vcd", "z.vcd", "first_look"], "z"),
                             (["--vcd", "first_look", "--out-dir", "b"], "b/first_look")):
            self.assertIn(waves.format(place), self.passes("run", *words))
            self.assertTrue((self.folder / f"{place}.vcd").is_file())
            self.assertIn(os.path.basename(place) + ".vcd", (self.folder / f"{place}.gtkw").read_text())


class Again(CliTest):
    FILES = ("result.json", "config.resolved.toml", "events.jsonl", "first_look.vcd",
             "first_look.gtkw")

    def run_in(self, name, *words):
        folder = self.folder / name
        folder.mkdir()
        self.passes("run", *words, "--out-dir", "out", "--vcd", folder=folder)
        return folder / "out"

    def same(self, left, right, files):
        match, mismatch, errors = filecmp.cmpfiles(left, right, files, shallow=False)
        self.assertEqual((sorted(match), mismatch, errors), (sorted(files), [], []))

    def test_two_runs_are_alike(self):
        for options in ([], ["--seed", "5", "--set", "device.link_delay=7 ns"]):
            left = self.run_in(f"left{len(options)}", "first_look", *options)
            right = self.run_in(f"right{len(options)}", "first_look", *options)
            self.assertEqual(sorted(os.listdir(left)), sorted(self.FILES))
            self.same(left, right, self.FILES)

    def test_the_resolved_configuration_gives_the_same_run(self):
        options = ["--seed", "3", "--set", "cq.shared.depth=16"]
        first = self.run_in("first", "first_look", *options)
        self.assertEqual((first / "config.resolved.toml").read_text(),
                         self.passes("show", "first_look", *options))
        second = self.run_in("second", first / "config.resolved.toml")
        self.same(first, second, self.FILES)


class Checking(CliTest):
    def test_the_verdict_of_a_log_is_that_of_the_run(self):
        for path in sorted(pathlib.Path(cli_common.SCENARIOS).glob("**/*.toml")):
            if 'size = "small"' not in path.read_text() or "profiles" in path.parts:
                continue
            live = self.cqsim("run", path, "--out-dir", "out", "--events", "all")
            offline = self.cqsim("check", "out/events.jsonl")
            self.assertEqual(RULES.search(live.stdout).groups(),
                             RULES.search(offline.stdout).groups(), path)
            rules = json.loads((self.folder / "out/result.json").read_text())["rules"].values()
            failed = sum(rule["failed"] for rule in rules)
            self.assertEqual(offline.returncode, 1 if failed else 0, offline.stdout)

    def test_a_doctored_log_names_the_rule(self):
        self.passes("run", "first_look", "--out-dir", "out")
        log = self.folder / "out/events.jsonl"
        text = log.read_text()
        lines = text.splitlines(keepends=True)
        number = next(i for i, line in enumerate(lines) if '"ev":"poll"' in line)
        log.write_text("".join(lines[:number] + lines[number + 1:]))
        done = self.cqsim("check", "out/events.jsonl")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"^FAIL  first_look  \(seed 1\)\n(.*\n)*  rule S\d+\.\d+")
        quiet = self.cqsim("check", "out/events.jsonl", "--quiet")
        self.assertEqual((quiet.returncode, quiet.stdout), (1, "FAIL  first_look  (seed 1)\n"))


if __name__ == "__main__":
    cli_common.main()
