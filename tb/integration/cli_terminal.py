# SPDX-License-Identifier: Apache-2.0
"""Long runs: the progress line on a terminal, and Ctrl-C."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import cli_common
from cli_common import SMALL, CliTest

# Of 1000 s of simulated time, which no machine is through with before the test is.
LONG = SMALL.replace('end = "50 us"', 'end = "1000 s"').replace(", count = 32", "")
DEADLINE = 60  # seconds


class Terminal(CliTest):
    def start(self, *words, **pipes):
        self.write("long.toml", LONG)
        process = subprocess.Popen(
            [cli_common.PROGRAM, "run", "long.toml", *words], cwd=self.folder,
            env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            **pipes)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    @staticmethod
    def read_until(descriptor, seen, wanted):
        """Reads on until `wanted` is there or nothing more comes."""
        deadline = time.monotonic() + DEADLINE
        while not re.search(wanted, seen) and time.monotonic() < deadline:
            if select.select([descriptor], [], [], 1)[0]:
                try:
                    part = os.read(descriptor, 4096)
                except OSError:  # the other end of the terminal is closed
                    break
                if not part:
                    break
                seen += part.decode()
        return seen

    def test_progress_line_and_interrupt(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        start = time.monotonic()
        process = self.start(stderr=theirs)
        os.close(theirs)
        line = (r"\rlong: \S+ [a-z]+ of 1000\.000 s, \d+ polled, [0-9.]+ [kMG]?/s, "
                r"at most \d+ (s|min|h) left\x1b\[K")
        seen = self.read_until(ours, "", line)
        self.assertGreaterEqual(time.monotonic() - start, 2)
        self.assertRegex(seen, "^" + line)
        process.send_signal(signal.SIGINT)
        seen = self.read_until(ours, seen, r"simulated time")
        self.assertEqual(process.wait(DEADLINE), 3)
        self.assertRegex(seen, r"\r\x1b\[Kcqsim run: interrupted at \S+ [a-z]+ of simulated time")
        self.assertTrue(process.stdout.read().startswith("INTERRUPTED  long  (seed 1)\n"))

    def test_waves_of_an_interrupted_run_are_whole(self):
        process = self.start("--vcd", "x.vcd", "--out-dir", "out", "--events", "none",
                             stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        waves = self.folder / "x.vcd"
        deadline = time.monotonic() + DEADLINE
        while not (waves.exists() and waves.stat().st_size > 100_000):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 3)
        self.assertRegex(process.stderr.read(), r"^cqsim run: interrupted at [^\n]*\n$")
        with open(waves, "rb") as file:
            file.seek(-1000, os.SEEK_END)
            self.assertRegex(file.read(), rb"\n#\d+\n([^\n]+\n)*$")
        result = json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual((result["verdict"], result["end"]["reason"]), ("interrupted", "interrupted"))

    def test_the_event_log_of_an_interrupted_run_ends_with_a_whole_line(self):
        process = self.start("--out-dir", "out", "--events", "all", stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        log = self.folder / "out/events.jsonl"
        deadline = time.monotonic() + DEADLINE
        while not (log.exists() and log.stat().st_size > 100_000):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE), 3)
        out = process.stdout.read()
        self.assertTrue(out.startswith("INTERRUPTED  long  (seed 1)\n  ended 'interrupted' at "), out)
        self.assertIn("  the run was interrupted: nothing is judged, and the files end there\n", out)
        lines = log.read_bytes().splitlines(keepends=True)
        self.assertTrue(lines[-1].endswith(b"}\n"))
        # All that was seen is there: the last record is as late as the run was.
        result = json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual(result["failures"], [])
        self.assertLess(result["end"]["time_ps"] - json.loads(lines[-1])["t"], 2_000_000)
        done = self.cqsim("check", log)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("  rule ")][0][:9],
                         "  rule D6")


if __name__ == "__main__":
    cli_common.main()
