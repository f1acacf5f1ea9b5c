#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up a JUnit report of ctest: the reason of each skipped test, and 'N passed, N failed'.

A skipped test gives its reason in the line of its output that has the word 'skip' in it.
"""
import sys
import xml.etree.ElementTree as ElementTree


def reason(case):
    """Why a test was skipped, in the test's own words where it gave some."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines()]
    said = [line for line in lines if "skip" in line.lower()] or [line for line in lines if line]
    return said[-1].removeprefix("skipped: ") if said else case.find("skipped").get("message")


def main():
    passed, failed, skipped = 0, 0, []
    for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
        mark = case.find("skipped")
        if case.get("status") == "run":
            passed += 1
        elif mark is not None and mark.get("message", "").startswith("SKIP_"):
            skipped.append(case)
        elif case.get("status") != "disabled":
            failed += 1  # a program that could not be started counts as one that failed
    for case in skipped:
        print(f"skipped: {case.get('name')}: {reason(case)}")
    tail = f", {len(skipped)} skipped" if skipped else ""
    if passed or failed or skipped:
        print(f"{passed} passed, {failed} failed{tail}")


main()
