#!/usr/bin/env python3
"""events.py -- compares the events of a profile with a log.

usage: events.py MEMPROFDATA VIEW LOG FILE...

VIEW: events or copies. LOG has one line per event: the function that recorded it, name,
weight. For each innermost function and name the profile must have the same number of
events, sum (at most 64 bits), minimum and maximum.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import subprocess
import sys

memprofdata, view, log = sys.argv[1:4]


def add(sums, key, times, weight, least, most):
    had = sums.get(key, (0, 0, least, most))
    sums[key] = (had[0] + times, min(had[1] + weight, 2**64 - 1), min(had[2], least), max(had[3], most))


expected = {}
with open(log) as lines:
    for line in lines:
        function, name, weight = line.split()
        add(expected, (function, name), 1, int(weight), int(weight), int(weight))

for file in sys.argv[4:]:
    names = file.split(",")
    page = json.loads(subprocess.run([memprofdata, "show", f"--{view}", "--json", *names],
                                     check=True, stdout=subprocess.PIPE).stdout)
    found = {}
    for row in page["rows"]:
        stack = [page["frames"][i].get("function", "").split("(")[0] for i in row["stack"]]
        function = stack[0]
        if view == "copies":  # inside a header's wrapper, perhaps
            function = next((f for f in stack if f.startswith("copy_")), None)
        add(found, (function, row["event" if view == "events" else "function"]),
            row["times"], row["weight" if view == "events" else "bytes"], row["least"],
            row["most"])
    found = {key: sums for key, sums in found.items() if key[0] is not None}
    if found != expected or not found:
        sys.exit(f"{file}: {found}\nbut the log has {expected}")
