# SPDX-License-Identifier: Apache-2.0
"""Standard output of cqsim-bench is JSON and nothing else; usage: bench_output.py CQSIM_BENCH"""
import json
import os
import subprocess
import sys

environment = {k: v for k, v in os.environ.items() if k != "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"}


def run(only):
    return subprocess.run(
        [sys.argv[1], "--only", only, "--repeats", "1", "--completions", "10000"],
        capture_output=True, text=True, timeout=100, env=environment, check=False)


# A whole name means that configuration alone, although others begin with it.
for name, reporting, events in (("8cq", "polled", 0), ("8cq_observed_ahead", "polled", 0),
                                ("8cq_each", "each", 1)):
    done = run(name)
    assert done.returncode == 0, done
    [configuration] = json.loads(done.stdout)["configurations"]
    assert configuration["name"] == name, configuration
    assert configuration["reporting"] == reporting, configuration
    assert configuration["ratio_to_floor"] > 0, configuration
    assert configuration["events_per_completion"] == events, configuration
    assert configuration["interrupts_per_completion"] == events, configuration

unknown = run("9cq")
assert unknown.returncode == 2 and not unknown.stdout and "9cq" in unknown.stderr, unknown
