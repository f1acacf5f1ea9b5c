# SPDX-License-Identifier: Apache-2.0
"""S7.2: the entries of those who share a CQ with a QP that is destroyed are those that they would have
had without the destroy, byte for byte and in order, owner bits aside.

usage: bystanders.py CQSIM_PROGRAM SCENARIO_FOLDER
"""
import json
import re

import cli_common
from cli_common import CliTest

OWN = 63  # byte of an entry whose bit 0 is the owner (scenarios: cqe_format = "native")
ENTRIES = 3 * (20 + 10)  # sends and receives of the three bystanders
BLOCK = re.compile(r"^(?=\[\[)", re.MULTILINE)


def without_the_destroy(text):
    """The scenario without the steps that end victim and make it anew, and without what it expects."""
    blocks = BLOCK.split(text)
    kept = [b for b in blocks if not (b.startswith("[[step]]") and re.search(r'do = "(destroy|create)_qp"', b))]
    if len(kept) != len(blocks) - 2:
        raise AssertionError(f"{len(blocks) - len(kept)} steps end or make a QP, not 2")
    return "".join(b for b in kept if not b.startswith("[[expect]]"))


def entries(events, kind):
    """The bystanders' entries in the order of these records, without their owner bits."""
    found = []
    for line in events.read_text(encoding="utf-8").splitlines()[1:]:
        record = json.loads(line)
        if record["ev"] == kind and record["qp"].startswith("bystander["):
            entry = bytearray.fromhex(record["bytes"])
            entry[OWN] &= 0xFE
            found.append(bytes(entry))
    return found


def difference(left, right):
    """Where two lists of entries differ first; None if they are the same."""
    for i, (one, other) in enumerate(zip(left, right)):
        if one != other:
            byte = next(n for n in range(len(one)) if one[n] != other[n])
            return f"entry {i} differs in byte {byte}: {one.hex()} and {other.hex()}"
    return None if len(left) == len(right) else f"{len(left)} entries and {len(right)}"


def by_work_queue(found):
    """The same entries, those of each work queue together and in their order."""
    return sorted(found, key=lambda entry: (entry[8:12], entry[OWN] >> 4))


class Bystanders(CliTest):
    def events(self, name, text, link_delay):
        self.write(f"{name}.toml", text)
        self.passes("run", f"{name}.toml", "--out-dir", name, "--set", f"device.link_delay={link_delay}")
        return self.folder / name / "events.jsonl"

    def both(self, kind, link_delay="0 ps"):
        text = (cli_common.SCENARIOS / "destroy_qp.toml").read_text(encoding="utf-8")
        destroyed = entries(self.events("destroyed", text, link_delay), kind)
        whole = entries(self.events("whole", without_the_destroy(text), link_delay), kind)
        self.assertEqual(len(whole), ENTRIES)
        return destroyed, whole

    def test_what_becomes_visible(self):
        self.assertIsNone(difference(*self.both("cqe_visible")))

    def test_what_is_polled(self):
        self.assertIsNone(difference(*self.both("poll")))

    def test_with_late_answers(self):
        # Who of two work queues is first may then hang on the destroyed one's turn (S3.10).
        self.assertIsNone(difference(*map(by_work_queue, self.both("poll", "7 ns"))))

    def test_the_runs_are_two(self):
        # The destroyed QP has fewer entries: the second run is not the first one again.
        text = (cli_common.SCENARIOS / "destroy_qp.toml").read_text(encoding="utf-8")
        self.events("destroyed", text, "0 ps")
        self.events("whole", without_the_destroy(text), "0 ps")
        written = [json.loads((self.folder / run / "result.json").read_text())["cq"]["shared"]["written"]
                   for run in ("destroyed", "whole")]
        # 84 of 88 and the two of the new QP; all 90.
        self.assertEqual(written, [ENTRIES + 86, ENTRIES + 90])

    def test_a_changed_byte_and_a_changed_order_are_seen(self):
        destroyed, whole = self.both("cqe_visible")
        for index in (0, ENTRIES // 2, ENTRIES - 1):
            for byte in (0, 8, 28, OWN):
                changed = list(destroyed)
                entry = bytearray(changed[index])
                entry[byte] ^= 0x02
                changed[index] = bytes(entry)
                self.assertIn(f"entry {index} differs in byte {byte}", difference(changed, whole))
        swapped = [destroyed[1], destroyed[0], *destroyed[2:]]
        self.assertIn("entry 0 differs", difference(swapped, whole))
        self.assertIn("89 entries and 90", difference(destroyed[:-1], whole))


if __name__ == "__main__":
    cli_common.main()
