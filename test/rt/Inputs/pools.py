#!/usr/bin/env python3
"""pools.py -- compares the blocks of pools in a profile with a log.

usage: pools.py MEMPROFDATA LOG FILE[,FILE]...

LOG has one line per block: the function that allocated it, the pool ("-": no name), the
size, and "ended" or "lives". The profile must have the same for each pool and for all
pools, and no accesses.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import subprocess
import sys

memprofdata, log = sys.argv[1:3]
expected = collections.defaultdict(lambda: [0, 0, 0, 0])
with open(log) as lines:
    for line in lines:
        _, pool, size, end = line.split()
        for name in (pool, "all"):
            sums = expected["" if name == "-" else name]
            lives = end == "lives"
            for i, n in enumerate((1, int(size), lives, lives * int(size))):
                sums[i] += n

METRICS = ("blocks", "bytes", "live-blocks", "live")


def ask(names, *options):
    return json.loads(subprocess.run([memprofdata, "show", "--json", *options, *names],
                                     check=True, stdout=subprocess.PIPE).stdout)


for file in sys.argv[3:]:
    names = file.split(",")
    page = ask(names, "--by=pool")
    found = {row["pool"]: [row["values"][m] for m in METRICS] for row in page["rows"]}
    found["all"] = [page["totals"][m] for m in METRICS]
    if found != expected:
        sys.exit(f"{file}: {found}\nbut the log has {dict(expected)}")
    if "accesses" in page["totals"] or "peak" in page["totals"]:
        sys.exit(f"{file}: what was not measured")
    page = ask(names, "--pools")
    for row in page["rows"]:
        stack = [page["frames"][i].get("function") for i in row["stack"]]
        if stack[0] != "give":
            sys.exit(f"{file}: {stack}")
