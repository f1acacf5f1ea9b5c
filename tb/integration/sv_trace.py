# SPDX-License-Identifier: Apache-2.0
"""The trace package for SystemVerilog under Verilator: `cqsim check` judges what it wrote.

usage: sv_trace.py CQSIM_PROGRAM COSIM_FOLDER SCHEMA

The right block passes; each fault that is built into cq_block.sv is found by a rule that was
written down before.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, COSIM, SCHEMA = "", pathlib.Path(), pathlib.Path()
SKIPPED = 77
PACKAGES = ("cqsim_trace_types_pkg.sv", "cqsim_trace_base_pkg.sv", "cqsim_trace_pkg.sv")
BENCHES = {"trace_bench": ("cq_block.sv", "trace_bench.sv"), "trace_kinds": ("trace_kinds.sv",)}


class SvTraceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in(self, *words):
        return subprocess.run(words, cwd=self.folder, text=True, capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL)

    def trace(self, *parameters, bench="trace_bench"):
        """Builds the bench, runs it, and has its events checked."""
        sources = PACKAGES + BENCHES[bench]
        built = self.run_in(
            "verilator", "--binary", "--timing", "-O2", "--assert", "--top", bench,
            *parameters, *(str(COSIM / source) for source in sources), "-CFLAGS", "-std=c++17",
            "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0")  # most of the time is g++'s
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        return self.check(bench)

    def check(self, bench, *parameters):
        ran = self.run_in(f"./obj_dir/V{bench}", "+events=events.jsonl", *parameters)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return self.run_in(PROGRAM, "check", "events.jsonl")

    def records(self):
        return [json.loads(line) for line in (self.folder / "events.jsonl").read_text().splitlines()]

    def validate(self, records):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        for record in records:
            validator.validate(record)

    def assert_finds(self, checked, rule):
        self.assertEqual(checked.returncode, 1, checked.stdout + checked.stderr)
        self.assertRegex(checked.stdout, rf"rule {re.escape(rule)} at ")

    def test_right_block_passes(self):
        checked = self.trace()
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        records = self.records()
        visible = [r for r in records if r.get("ev") == "cqe_visible"]
        self.assertEqual(len(visible), 128)
        self.assertGreater(len([r for r in records if r.get("ev") == "irq"]), 10)
        self.assert_finds(self.check("trace_bench", "+lose_event"), "I6")
        self.validate(records)

    def test_every_kind(self):
        checked = self.trace(bench="trace_kinds")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        records = self.records()
        header = records[0]
        self.assertEqual({r["ev"] for r in records[1:]}, set(header["events"]))
        known = json.loads(SCHEMA.read_text())["$defs"]["header"]["properties"]
        self.assertEqual(set(header), set(known))
        of_software = {"undefined_read"}  # its own word about itself
        self.assertEqual(set(header["events"]),
                         set(known["events"]["items"]["enum"]) - of_software)
        changed = {"index_width": 16, "vectors": 2, "arm": "level", "moderation_break": False,
                   "eq_overflow": "drop", "owner": "phase"}
        self.assertEqual({key: header[key] for key in changed}, changed)
        self.validate(records)
        self.assert_finds(self.check("trace_kinds", "+undefined_read"), "S1.2")
        records = self.records()
        self.assertEqual({r["ev"] for r in records[1:]}, set(header["events"]) | of_software)
        self.validate(records)

    def test_stuck_owner_bit(self):
        self.assert_finds(self.trace("-GSTUCK_OWNER=1'b1"), "S3.3")

    def test_swapped_entries(self):
        self.assert_finds(self.trace("-GSWAP_ENTRIES=1'b1"), "S3.10")


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    COSIM, SCHEMA = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if shutil.which("verilator") is None:
        print("skipped: verilator is not installed; scripts/setup --dev installs it")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
