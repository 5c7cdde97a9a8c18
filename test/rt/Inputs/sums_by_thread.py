#!/usr/bin/env python3
"""sums_by_thread.py -- checks that the rows of `show --by=thread` add up to the
profile.

usage: sums_by_thread.py MEMPROFDATA FILE...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import subprocess
import sys

for name in sys.argv[2:]:
    page = json.loads(subprocess.run(
        [sys.argv[1], "show", "--by=thread", "--json", name], check=True,
        stdout=subprocess.PIPE).stdout)
    sums = dict.fromkeys(page["totals"], 0)
    for row in page["rows"]:
        for metric, value in row["values"].items():
            sums[metric] += value
    if sums != page["totals"] or sums["blocks"] == 0:
        sys.exit(f"{name}: {sums} are not {page['totals']}")
