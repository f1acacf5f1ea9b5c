# SPDX-License-Identifier: Apache-2.0
"""Standard output of cqsim-bench is JSON and nothing else; usage: bench_output.py CQSIM_BENCH"""
import json
import os
import subprocess
import sys

environment = {k: v for k, v in os.environ.items() if k != "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"}
for name in ("8cq", "8cq_observed_ahead"):
    done = subprocess.run(
        [sys.argv[1], "--only", name, "--repeats", "1", "--completions", "10000"],
        capture_output=True, text=True, timeout=100, env=environment, check=False)
    assert done.returncode == 0, done
    [configuration] = json.loads(done.stdout)["configurations"]
    assert configuration["name"] == name, configuration
    assert configuration["ratio_to_floor"] > 0, configuration
