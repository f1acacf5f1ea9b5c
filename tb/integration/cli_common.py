# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share.

usage of each: cli_*.py CQSIM_PROGRAM SCENARIO_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
SCENARIOS = pathlib.Path()

# One QP that sends into one CQ; the host polls it.
SMALL = """about = "One QP, one CQ."
end = "50 us"
[[cq]]
name = "shared"
depth = 8
[[qp]]
name = "field"
send_cq = "shared"
recv_cq = "shared"
[[traffic]]
qp = "field"
send = { rate = "1 M/s", count = 32 }
[[host]]
cq = "shared"
interval = "1 us"
"""


class CliTest(unittest.TestCase):
    """Each test has a folder of its own, in which the program runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def environment(self):
        # Without the copyright variable of the tests: the program itself must keep SystemC silent.
        kept = {k: v for k, v in os.environ.items() if k != "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"}
        return {**kept, "CQSIM_SCENARIOS": str(SCENARIOS)}

    def cqsim(self, *words, folder=None, environment=None, **options):
        if not {"stdout", "stderr"} & options.keys():
            options["capture_output"] = True
        return subprocess.run(
            [PROGRAM, *map(str, words)], cwd=folder or self.folder, text=True, timeout=100,
            errors="replace", stdin=subprocess.DEVNULL, env=environment or self.environment(), **options)

    def write(self, name, text):
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
        return path

    def passes(self, *words, **options):
        """The program passes and says nothing on standard error; gives what it printed."""
        done = self.cqsim(*words, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def refuses(self, code, *words, says=(), **options):
        """The program ends with `code`, prints no result, and says each of `says` on standard
        error, in few words."""
        done = self.cqsim(*words, **options)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "")
        for text in (says,) if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        self.assertLessEqual(len(done.stderr.splitlines()), 3, done.stderr)
        return done.stderr


def main():
    global PROGRAM, SCENARIOS
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    SCENARIOS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__", verbosity=2)
