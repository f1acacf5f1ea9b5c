# SPDX-License-Identifier: Apache-2.0
"""Bad input (P8): each a clear error with exit 2 or 3, a complete or no result file, no crash."""
import json
import os
import shutil
import subprocess
import unittest

import cli_common
from cli_common import SMALL, CliTest


class Scenarios(CliTest):
    def mistake(self, old, new, where, *says):
        """SMALL with one mistake is refused with its place, before anything is written."""
        self.assertIn(old, SMALL)
        self.write("mine.toml", SMALL.replace(old, new))
        for command in (["run", "mine.toml", "--out-dir", "out"], ["show", "mine.toml"]):
            self.refuses(2, *command, says=(f"mine.toml:{where}:", *says))
        self.assertFalse((self.folder / "out").exists())

    def test_unknown_cq(self):
        self.mistake('recv_cq = "shared"', 'recv_cq = "shraed"', "9:11", '"shraed"', '"shared"')
        self.mistake('cq = "shared"\ninterval', 'cq = "inbox"\ninterval', "14:6", "unknown CQ")

    def test_depth(self):
        for depth in ("0", "-1", "100000000000"):
            self.mistake("depth = 8", f"depth = {depth}", "5:9", "1 .. 4194304")
        self.mistake("depth = 8", f"depth = {10**20}", "5", str(10**20))
        for depth in ("0", "-1", "100000000000"):
            self.refuses(2, "run", "first_look", "--set", f"cq.shared.depth={depth}",
                         says=("--set cq.shared.depth", depth, "1 .. 4194304"))

    def test_rate_without_unit(self):
        for rate in ('"1000000"', "1000000", '"1 M"', '"1 us"'):
            self.mistake('rate = "1 M/s"', f"rate = {rate}", "12:17", "/s")

    def test_repeated_key(self):
        self.mistake("depth = 8", "depth = 8\ndepth = 9", "6:9", "depth")

    def test_unknown_key(self):
        self.mistake("depth = 8", "depth = 8\ndetph = 9", "6:1", '"detph"', '"depth"')

    def test_not_toml(self):
        for text in ("what is this", "[[cq", "x", "\0", b"\xff\xfe\x00\x01", "a = {", b"\x7fELF\0"):
            self.write("mine.toml", text)
            self.refuses(2, "run", "mine.toml", says=("mine.toml:1:", "not TOML"))
        self.write("mine.toml", "a = " + "[" * 100_000)
        self.refuses(2, "run", "mine.toml", says="mine.toml:1:")

    def test_empty(self):
        for text in ("", "\n\n", "# nothing\n"):
            self.write("mine.toml", text)
            self.refuses(2, "run", "mine.toml", says="mine.toml:1:1: ")
        self.refuses(2, "run", "/dev/null", says="/dev/null:1:1: ")

    def test_directory(self):
        (self.folder / "folder.toml").mkdir()
        for command in ("run", "show"):
            self.refuses(2, command, "folder.toml", says="folder.toml: is a directory")

    def test_missing_file(self):
        for command in ("run", "show"):
            self.refuses(2, command, "nowhere/mine.toml", says="nowhere/mine.toml: no such file")
            self.refuses(2, command, "", says="no such file")

    def test_set(self):
        for words, says in (
                ("cq.shared.detph=9", '"depth"'), ("nothing=1", '"nothing"'), ("cq.shared", "="),
                ("=", "--set"), ("", "--set"), ("cq.other.depth=4", '"other"'),
                ("cq=1", "cq"), ("cq.shared.depth=many", "many"), ("a..b=1", "a..b")):
            for command in ("run", "show"):
                self.refuses(2, command, "first_look", "--set", words, says=("--set", says))


class Writing(CliTest):
    """What cannot be written is exit 3, one line, and no half of a result."""

    def fails(self, *options, says):
        text = self.refuses(3, "run", "first_look", *options, says=says)
        self.assertEqual(len(text.splitlines()), 1, text)

    def test_out_dir_is_no_folder(self):
        self.write("file", "")
        self.fails("--out-dir", "file", says="file: not a folder")
        self.fails("--out-dir", "file/below", says="file/below: not a folder")
        self.fails("--out-dir", "/dev/null", says="/dev/null: not a folder")

    def test_out_dir_may_not_be_made(self):
        self.fails("--out-dir", "/proc/out", says="/proc/out: not a folder")

    @unittest.skipIf(os.geteuid() == 0, "nothing is forbidden to root")
    def test_out_dir_is_forbidden(self):
        (self.folder / "out").mkdir(mode=0o555)
        self.fails("--out-dir", "out", says=("out/", "Permission denied"))

    def test_something_in_the_way(self):
        for name in ("config.resolved.toml", "result.json", "events.jsonl"):
            (self.folder / "out" / name).mkdir(parents=True)
            self.fails("--out-dir", "out", says=(f"out/{name}: ", "s a directory"))
            shutil.rmtree(self.folder / "out")

    def test_full_disk_for_each_file(self):
        for name in ("config.resolved.toml", "result.json", "events.jsonl", "first_look.vcd"):
            with self.subTest(name):
                out = self.folder / f"out.{name}"
                out.mkdir()
                (out / name).symlink_to("/dev/full")
                self.fails("--out-dir", out.name, "--vcd",
                           says=(name, "No space left on device"))
                self.assertFalse((out / "result.json").is_file())

    def test_full_disk_for_waves(self):
        self.fails("--vcd", "/dev/full", says=("/dev/full", "No space left on device"))
        self.fails("--vcd", "no/such/folder/x.vcd", says="no/such/folder/x.vcd")

    def test_full_file_system(self):
        (self.folder / "full").mkdir()
        script = ('mount -t tmpfs -o size=16k none full || exit 77; "$@"; echo "exit $?" >&2;'
                  ' if [ -e full/result.json ]; then cat full/result.json; fi')
        done = subprocess.run(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", cli_common.PROGRAM,
             "run", "first_look", "--out-dir", "full"],
            cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=100)
        if "exit " not in done.stderr:
            self.skipTest("no file system may be mounted here: " + done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertIn("\nexit 3\n", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_standard_output_is_full(self):
        for words in (["run", "first_look"], ["list"], ["show", "first_look"], ["--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = self.cqsim(*words, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("standard output", done.stderr)

    def test_no_result_of_an_earlier_run_is_left(self):
        self.passes("run", "first_look", "--out-dir", "out")
        self.fails("--out-dir", "out", "--vcd", "/dev/full", says="/dev/full")
        self.assertFalse((self.folder / "out/result.json").exists())
        self.passes("run", "first_look", "--out-dir", "out", "--events", "none")
        self.assertFalse((self.folder / "out/events.jsonl").exists())

    def test_memory(self):
        # A limit of the address space, so that the machine is left in peace. Sanitizers need more.
        script = 'ulimit -v 2000000; "$@"; exit $?'
        words = [cli_common.PROGRAM, "run", "first_look", "--set", "cq.shared.count=65536",
                 "--set", "cq.shared.depth=4194304"]
        done = subprocess.run(["sh", "-c", script, "sh", *words], cwd=self.folder, timeout=100,
                              env=self.environment(), capture_output=True, text=True)
        if "AddressSanitizer" in done.stderr or "Sanitizer" in done.stderr:
            self.skipTest("a sanitizer takes all of the address space")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("memory", done.stderr)


class EventLogs(CliTest):
    """Whatever the file holds: line and column, exit 2."""

    def setUp(self):
        super().setUp()
        self.passes("run", "first_look", "--out-dir", "out")
        self.log = (self.folder / "out/events.jsonl").read_bytes()
        self.lines = self.log.splitlines(keepends=True)

    def bad(self, text, where, *says):
        self.write("bad.jsonl", text)
        self.refuses(2, "check", "bad.jsonl", says=(f"bad.jsonl:{where}: ", *says))

    def test_whole(self):
        self.assertTrue(self.passes("check", "out/events.jsonl").startswith("PASS  first_look"))

    def test_truncated_in_a_line(self):
        last = self.lines[-1]
        for cut in (2, len(last) // 2, len(last) - 1):  # all but the line feed is whole
            self.bad(self.log[:-cut], f"{len(self.lines)}:{len(last) - cut + 1}")
        for cut in (20, len(self.lines[0]) - 20):
            self.bad(self.lines[0][:cut], f"1:{cut + 1}", "the header is not whole", "cut short")

    def test_truncated_between_lines(self):
        self.write("bad.jsonl", b"".join(self.lines[:-1]))
        done = self.cqsim("check", "bad.jsonl")
        self.assertIn(done.returncode, (1, 2), done.stdout)
        self.assertRegex(done.stdout + done.stderr, "end")

    def test_foreign(self):
        for text in ("", "\n", "hello\n", "{}\n", "[]\n", '{"format":"other"}\n', b"\0\1\2\xff"):
            self.bad(text, "1:1", "not an events.jsonl")
        self.refuses(2, "check", "/dev/null", says="/dev/null:1:1: ")
        self.refuses(2, "check", "out/result.json", says="out/result.json:1:")
        self.refuses(2, "check", cli_common.SCENARIOS / "first_look.toml", says=".toml:1:1: ")

    def test_a_line_that_does_not_belong(self):
        for text in (b"\n", b"hello\n", b"{}\n", b'{"ev":"pol"}\n', b"\xff\xfe\n", b"null\n",
                     b"[" * 100_000 + b"\n", self.lines[0]):
            lines = [*self.lines[:3], text, *self.lines[3:]]
            self.write("bad.jsonl", b"".join(lines))
            self.refuses(2, "check", "bad.jsonl", says="bad.jsonl:4:")

    def test_a_value_that_does_not_fit(self):
        for key, value in (("t", -1), ("t", "x"), ("cqn", 2**40), ("cqn", 1.5), ("more", 1)):
            number = next(i for i, line in enumerate(self.lines) if b'"cqn"' in line)
            record = json.loads(self.lines[number])
            record[key] = value
            lines = list(self.lines)
            lines[number] = json.dumps(record).encode() + b"\n"
            self.write("bad.jsonl", b"".join(lines))
            self.refuses(2, "check", "bad.jsonl", says=(f"bad.jsonl:{number + 1}:", f'"{key}"'))

    def test_a_message_does_not_command_the_terminal(self):
        self.write("bad.jsonl", self.lines[0] + b'{"t":0,"ev":"\x1b[2J"}\n')
        self.assertNotIn("\x1b", self.refuses(2, "check", "bad.jsonl", says="bad.jsonl:2:"))
        self.assertNotIn("\x1b", self.refuses(2, "run", "\x1b[2J", says="no such file"))

    def test_missing_and_directory(self):
        self.refuses(2, "check", "nowhere.jsonl", says="nowhere.jsonl: ")
        self.refuses(2, "check", ".", says=".: is a directory")
        self.refuses(2, "check", "", says=": ")

    def test_without_the_kinds_that_checkers_need(self):
        self.passes("run", "first_look", "--out-dir", "few", "--events", "poll,ci")
        self.refuses(2, "check", "few/events.jsonl", says=("few/events.jsonl:1:1: ", "cqe_visible"))


if __name__ == "__main__":
    cli_common.main()
