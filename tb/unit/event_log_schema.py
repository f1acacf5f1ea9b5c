#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every line of an event log conforms to the JSON schema, and the schema is strict and documented.

usage: event_log_schema.py SAMPLE_PROGRAM SCHEMA
Exit code 77: skipped, no python3-jsonschema.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError as error:
    print(f"skipped: {error} (install python3-jsonschema 4.0 or newer)")
    sys.exit(77)


def sample_lines(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "events.jsonl")
        subprocess.run([program, path], check=True)
        with open(path, encoding="utf-8") as log:
            return [json.loads(line) for line in log]


def definition_of(line):
    if "ev" not in line:
        return "header"
    if line["ev"] == "create":
        return ("create_cq" if "cqn" in line else "create_qp" if "qpn" in line
                else "create_srq" if "srqn" in line else "create_eq")
    if line["ev"] == "modify":
        return "modify_cq" if "cqn" in line else "modify_qp" if "qpn" in line else "modify_srq"
    if line["ev"] == "post" and "qpn" not in line:
        return "post_srq"
    return line["ev"]


def main():
    program, schema_path = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    lines = sample_lines(program)
    kinds = [reference["$ref"].split("/")[-1] for reference in schema["oneOf"]]

    # A validator for each kind of line, so that a mistake is named.
    validators = {
        kind: Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
        for kind in kinds
    }
    mistakes = []
    first = {}
    for number, line in enumerate(lines, 1):
        kind = definition_of(line)
        first.setdefault(kind, line)
        for error in validators[kind].iter_errors(line):
            mistakes.append(f"line {number} ({kind}): {error.message}")
    for kind in kinds:
        if kind not in first:
            mistakes.append(f"the sample has no line of kind {kind}")

    # Exactly one alternative of the whole schema takes each kind; one field more or less is refused.
    whole = Draft202012Validator(schema)
    optional = {"cq", "qp", "eq", "srq", "device", "format", "ignore_overrun", "collapsed"}
    of_any_object = {"async", "eqe"}  # an event of the device names neither
    for kind, line in first.items():
        if not whole.is_valid(line):
            mistakes.append(f"the whole schema refuses a line of kind {kind}")
        if kind == "header":
            continue
        more = dict(copy.deepcopy(line), surplus=1)
        if validators[kind].is_valid(more):
            mistakes.append(f"a line of kind {kind} with a surplus field is valid")
        objects = {"cqn", "qpn"} if kind in of_any_object else set()
        for field in set(line) - optional - objects:
            less = {key: value for key, value in line.items() if key != field}
            if validators[kind].is_valid(less):
                mistakes.append(f"a line of kind {kind} without {field} is valid")

    # Every field says what it means.
    for name, definition in schema["$defs"].items():
        if "description" not in definition:
            mistakes.append(f"{name} has no description")
        for field, about in definition.get("properties", {}).items():
            if "$ref" not in about and "const" not in about and "description" not in about:
                mistakes.append(f"{name}: {field} has no description")

    for mistake in mistakes:
        print(mistake)
    print(f"{len(lines)} lines, {len(first)} kinds, {len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
