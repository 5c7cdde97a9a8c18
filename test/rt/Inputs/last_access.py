#!/usr/bin/env python3
"""last_access.py -- compares the times since the last access in two profiles.

usage: last_access.py ONE.json TWO.json

The files are what show --json prints of a profile and of its merge with itself.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def rows_of(path, kind):
    with open(path) as file:
        profile = json.load(file)
    rows = []

    def visit(value):
        if isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, dict):
            rows.extend((row["ns"], row["blocks"], row["bytes"])
                        for row in value.get(kind, []))
            for item in value.values():
                visit(item)

    visit(profile)
    return sorted(rows)


for kind in "idle", "untouched":
    one, two = (rows_of(path, kind) for path in sys.argv[1:3])
    doubled = [(ns, 2 * blocks, 2 * size) for ns, blocks, size in one]
    same = one and sorted(doubled) == two
    print(f"{kind}: " + ("twice as many" if same else f"{one} and {two}"))
