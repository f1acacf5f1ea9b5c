# SPDX-License-Identifier: Apache-2.0
"""The waves of whole runs against their event logs: read back and counted again, with nothing of the
program's own code. And the save files of the repository: those of the runs, naming waves that exist.

usage: waves.py CQSIM_PROGRAM SCENARIO_FOLDER
"""
import bisect
import collections
import json
import re

import cli_common
from cli_common import CliTest

ENGINE = "cqsim.engine."
EVENTS = ENGINE + "event_arbiter."
STATES = ("RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR")


class Vcd:
    """A value change dump, refused where it is not well formed."""

    def __init__(self, path):
        text = path.read_text(encoding="ascii")
        assert text.endswith("\n")
        head, _, body = text.partition("$enddefinitions $end\n")
        self.width = {}
        paths = {}
        scopes = []
        for line in head.splitlines():
            words = line.split()
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var":
                kind, width, code, name = words[1:5]
                assert code not in paths, line
                paths[code] = ".".join([*scopes, name])
                self.width[paths[code]] = "text" if kind == "string" else int(width)
        assert not scopes
        self.changes = {path: [] for path in paths.values()}
        self.end = -1
        for line in body.splitlines():
            if line[0] == "#":
                assert int(line[1:]) > self.end, line
                self.end = int(line[1:])
            elif line[0] != "$":
                value, code = line.split(" ") if line[0] in "bs" else (line[0], line[1:])
                assert re.fullmatch("b[01]+|bx|s.*|[01x]", value), line
                self.changes[paths[code]].append((self.end, value))

    def at(self, path, time):
        """What the wave shows when all that happens at `time` has happened; None: undefined."""
        changes = self.changes[path]
        place = bisect.bisect_right(changes, time, key=lambda change: change[0])
        value = changes[place - 1][1] if place else "x"
        if value[0] == "s":
            return re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), value[1:])
        return None if "x" in value else int(value.lstrip("b"), 2)

    def count(self, path, time):
        return bisect.bisect_right(self.changes[path], time, key=lambda change: change[0])


class Log:
    """What the waves should show, counted from events.jsonl up to a time."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        self.header = json.loads(lines[0])
        self.records = [json.loads(line) for line in lines[1:]]
        self.group_of = {}
        for group in self.header["qp"]:
            for number in range(group["count"]):
                self.group_of[group["first"] + number] = group["name"]

    def until(self, time):
        """The state of arms, event queues, vectors and QPs at a time."""
        state = collections.defaultdict(int)
        qps = {}
        resets = set()
        last = {}
        for record in self.records:
            if record["t"] > time:
                break
            self.step(record, state, qps, resets, last)
        for qpn, qp_state in qps.items():
            state["qps", self.group_of[qpn], qp_state] += 1
        return state

    @staticmethod
    def step(record, state, qps, resets, last):
        kind = record["ev"]
        if kind == "arm":
            last["arm"] = (record["cq"], state["armed", record["cq"]])
            before = state["armed", record["cq"]]
            state["armed", record["cq"]] = 1 if record["kind"] == "next" or before == 1 else 2
        elif kind == "event":
            state["armed", record["cq"]] = 0
            state["pending", record["cq"]] = 0
            state["events", record["cq"]] += 1
        elif kind == "cqe_visible":
            failed_or_solicited = (record["status"] != "SUCCESS"
                                   or int(record["bytes"][126:128], 16) & 2)
            armed = state["armed", record["cq"]]
            if armed == 1 or (armed == 2 and failed_or_solicited):
                state["pending", record["cq"]] += 1
        elif kind == "eqe":
            state["produced", record["eq"]] += 1
        elif kind == "ack":
            state["consumed", record["eq"]] = record["ci"]
        elif kind == "irq":
            state["interrupts", record["vector"]] += 1
        elif kind == "refuse":
            assert record["offset"] == 0, "no correct host rings a doorbell that is refused"
        elif kind == "create" and "qpn" in record:
            qps[record["qpn"]] = "RESET"
        elif kind == "qp_state":
            qps[record["qpn"]] = record["state"]
        elif kind == "modify" and "qpn" in record and record["state"] == "RESET":
            resets.add(record["qpn"])
        elif kind == "destroy" and "qpn" in record and record["phase"] == "done":
            if record["qpn"] in resets:
                resets.remove(record["qpn"])
            else:
                del qps[record["qpn"]]

    def some_times(self):
        """Times of the run, dense at its beginning: one of a dozen of those at which anything
        happened."""
        times = sorted({record["t"] for record in self.records})
        return sorted({*times[:20], *times[::max(1, len(times) // 12)], times[-1]})


def wave_name(name):
    return name.replace("[", "_").replace("]", "")


class Waves(CliTest):
    def run_of(self, scenario, *words, code=0):
        done = self.cqsim("run", scenario, "--vcd", "run.vcd", "--out-dir", "out", "--events", "all",
                          *words)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return Vcd(self.folder / "run.vcd"), Log(self.folder / "out/events.jsonl")

    def check_qps(self, vcd, time, state, header):
        for group in header["qp"]:
            for name in STATES:
                path = f"{ENGINE}qp_table.qps_{wave_name(group['name'])}.{name.lower()}"
                self.assertEqual(vcd.at(path, time), state["qps", group["name"], name], (path, time))

    def check_events(self, vcd, time, state, cqs, eqs, vectors):
        for cq in cqs:
            scope = f"{EVENTS}cq_{wave_name(cq)}."
            for wave in ("armed", "pending", "events"):
                self.assertEqual(vcd.at(scope + wave, time), state[wave, cq], (scope + wave, time))
            self.assertEqual(vcd.at(scope + "armed_text", time),
                             ("NONE", "NEXT", "SOLICITED")[state["armed", cq]])
        for eq in eqs:
            scope = f"{EVENTS}eq_{wave_name(eq)}."
            produced, consumed = state["produced", eq], state["consumed", eq]
            self.assertEqual(vcd.at(scope + "producer_index", time), produced, (scope, time))
            self.assertEqual(vcd.at(scope + "consumer_index", time), consumed, (scope, time))
            self.assertEqual(vcd.at(scope + "occupancy", time), produced - consumed, (scope, time))
        for vector in range(vectors):
            scope = f"{EVENTS}vector_{vector}."
            interrupts = state["interrupts", vector]
            self.assertEqual(vcd.at(scope + "interrupts", time), interrupts, (scope, time))
            self.assertEqual(vcd.count(scope + "irq", time), interrupts, (scope, time))

    def test_interrupts_as_the_event_log_counts_them(self):
        vcd, log = self.run_of("interrupts")
        cqs = {record["cq"] for record in log.records if record["ev"] == "create" and "cq" in record}
        eqs = {record["eq"] for record in log.records if record["ev"] == "create" and "eq" in record}
        self.assertEqual((len(cqs), len(eqs)), (17, 3))
        for time in log.some_times():
            state = log.until(time)
            self.check_events(vcd, time, state, cqs, eqs, 3)
            self.check_qps(vcd, time, state, log.header)
        self.assertGreater(state["interrupts", 0], 100)
        self.assertEqual(vcd.end, log.records[-1]["t"])

    def test_states_of_qps_as_the_event_log_counts_them(self):
        for scenario in ("destroy_in_traffic", "error_storm_overflow"):
            vcd, log = self.run_of(scenario)
            changes = [record["t"] for record in log.records if record["ev"] in ("qp_state", "destroy")]
            for time in sorted({*log.some_times(), *changes[-40:]}):
                self.check_qps(vcd, time, log.until(time), log.header)

    def test_what_is_notable_has_its_rule(self):
        vcd, log = self.run_of("error_storm_overflow")
        notable = ENGINE + "notable"
        failed = {record["cq"]: record["t"] for record in log.records
                  if record["ev"] == "async" and record["event"] == "CQ_ERR"}
        self.assertIn("S5.3a overrun cq sent", vcd.at(notable, failed["sent"]))
        self.assertIn("S5.3b CQ_ERR cq inbox", vcd.at(notable, failed["inbox"]))
        self.assertLess(len(vcd.changes[notable]), 20)  # of thousands of notes
        vcd, _ = self.run_of("destroy_in_traffic")
        self.assertIn("S7.3 reset of QP alice begins", vcd.at(notable, 20_200_000))
        self.assertIn("S7.3 destroy of QP carol is acknowledged", vcd.at(notable, 49_999_999))

    def test_waves_of_a_run_that_fails(self):
        # The host never polls: the ring overruns, and expectations fail.
        words = ("--set", "cq.shared.depth=4")
        vcd, log = self.run_of("first_look", *words, code=1)
        self.assertEqual(vcd.end, log.records[-1]["t"])
        self.assertIn("S5.3a overrun cq shared",
                      " ".join(value for _, value in vcd.changes[ENGINE + "notable"])
                      .replace("\\040", " "))
        first = (self.folder / "run.vcd").read_bytes()
        self.run_of("first_look", *words, code=1)
        self.assertEqual((self.folder / "run.vcd").read_bytes(), first)
        # The save file has the failure under its primary marker: 12 us, as the summary says.
        marks = re.search(r"^\*\S+ (\S+)", (self.folder / "run.gtkw").read_text(), re.MULTILINE)
        self.assertEqual(marks[1], "12000000")

    def test_save_files_of_the_repository(self):
        saves = sorted((cli_common.SCENARIOS.parent / "waveforms").glob("*.gtkw"))
        self.assertGreaterEqual(len(saves), 5)
        for save in saves:
            text = save.read_text()
            self.passes("run", save.stem, "--vcd", "--out-dir", "once")
            self.assertEqual((self.folder / "once" / save.name).read_text(), text, "waveforms/render "
                             f"{save.stem} renews it")
            vcd = Vcd(self.folder / "once" / (save.stem + ".vcd"))
            traces = re.findall(r"^\+\{[^}]*\} (\S+?)(\[\d+:0\])?$", text, re.MULTILINE)
            self.assertGreater(len(traces), 20)
            for path, bits in traces:
                self.assertIn(path, vcd.width, save.name)
                width = vcd.width[path]
                self.assertEqual(bits, "" if width in (1, "text") else f"[{width - 1}:0]", path)
            # It opens inside the run, and its markers are where something notable happened.
            start = int(re.search(r"^\[timestart\] (\d+)", text, re.MULTILINE)[1])
            self.assertLess(start, vcd.end)
            marks = re.search(r"^\*\S+ (.*)$", text, re.MULTILINE)[1].split()
            marked = [int(mark) for mark in marks if mark != "-1"]
            self.assertEqual(len(marked), text.count("[markername]"))
            notable = {time for time, _ in vcd.changes[ENGINE + "notable"]}
            self.assertTrue(marked and set(marked) <= notable, save.name)
            # Again, with the same bytes.
            self.passes("run", save.stem, "--vcd", "--out-dir", "again")
            for name in (save.name, save.stem + ".vcd"):
                self.assertEqual((self.folder / "once" / name).read_bytes(),
                                 (self.folder / "again" / name).read_bytes(), name)


if __name__ == "__main__":
    cli_common.main()
