"""dhat_orders.py -- can all that DHAT's viewer sorts by be asked for as docs/show.md says?

usage: dhat_orders.py MEMPROFDATA SHOW_MD SCRATCH

Makes a profile with call stacks on both sides of each limit, runs what each row of the table names, and checks by the profile's own numbers which call
stacks are left.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

# By DHAT's source: what is left of a call stack's values; the metric that orders.
RULES = {
    "Total (bytes)": ("bytes", lambda v: True),
    "Total (blocks)": ("blocks", lambda v: True),
    "Total (blocks), tiny": ("blocks", lambda v: v["bytes"] / v["blocks"] <= 16),
    "Total (blocks), short-lived":
        ("blocks", lambda v: v["lifetime"] / v["blocks"] <= 500),
    "Total (bytes), zero reads or zero writes": ("bytes", lambda v: is_zero(v)),
    "Total (blocks), zero reads or zero writes": ("blocks", lambda v: is_zero(v)),
    "Total (bytes), low-access": ("bytes", lambda v: is_low(v)),
    "Total (blocks), low-access": ("blocks", lambda v: is_low(v)),
    "At t-gmax (bytes)": ("peak", lambda v: True),
    "At t-end (bytes)": ("live", lambda v: True),
    "Reads (bytes)": ("read-bytes", lambda v: True),
    "Reads (bytes), high-access": ("read-bytes", lambda v: is_high(v)),
    "Writes (bytes)": ("write-bytes", lambda v: True),
    "Writes (bytes), high-access": ("write-bytes", lambda v: is_high(v)),
}


def is_zero(v):
    return v["read-bytes"] == 0 or v["write-bytes"] == 0


def is_low(v):
    return not is_zero(v) and (v["read-bytes"] / v["bytes"] <= 0.4 or
                               v["write-bytes"] / v["bytes"] <= 0.4)


def is_high(v):
    return (v["read-bytes"] / v["bytes"] >= 1000 or
            v["write-bytes"] / v["bytes"] >= 1000)


def rows(memprofdata, profile, options):
    page = json.loads(subprocess.run(
        [memprofdata, "show", "--json", *options, profile], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    return page["sort"], [r["values"] for r in page["rows"]]


def as_set(values):
    return sorted(sorted(v.items()) for v in values)


def make(path):
    """Blocks, their size, their lifetime, bytes read and written for each byte."""
    kinds = [(blocks, size, life, read, written)
             for blocks in (1, 7) for size in (8, 16, 17, 4000)
             for life in (400, 500, 600)
             for read in (0, 0.25, 0.5, 1000) for written in (0, 0.25, 2, 1000)]
    contexts = []
    for i, (blocks, size, life, read, written) in enumerate(kinds):
        mib = {"AllocCount": blocks, "TotalSize": blocks * size,
               "TotalLifetimeNs": blocks * life, "MeasuredCount": blocks,
               "PeakBytes": i * size, "PeakCount": i, "LiveBytes": i % 5 * size,
               "LiveCount": i % 5, "TotalReads": i, "TotalWrites": i + 1,
               "TotalAccessCount": 2 * i + 1, "MeasuredRw": blocks,
               "TotalReadBytes": int(blocks * size * read),
               "TotalWriteBytes": int(blocks * size * written),
               "MeasuredRwBytes": blocks}
        contexts.append({"Callstack": [i], "MemInfoBlock": mib})
    path.write_text(json.dumps({
        "MemprofProfile": 1,
        "Runs": [{"RUN_ID": "0x1", "COUNT": 1, "CLOCK_RESOLUTION_NS": 1, "LIVE": 1}],
        "Functions": [{"Name": "main", "Guid": "0xdb956436e78dd5fa"}],
        "Frames": [{"Function": 0, "Line": i + 1} for i in range(len(kinds))],
        "Contexts": contexts}))


def main():
    memprofdata, page, scratch = sys.argv[1:]
    profile = pathlib.Path(scratch)
    make(profile)
    _, everything = rows(memprofdata, profile, [])
    table = {}
    for line in pathlib.Path(page).read_text().split("| DHAT | here |")[1].splitlines():
        found = re.match(r"\| (\w.*?) \| (.*) \|$", line)
        if found:
            table[found[1]] = found[2]
        elif table and not line.startswith("|"):
            break
    if list(table) != list(RULES):
        sys.exit(f"dhat_orders: the table has {list(table)}")
    for name, text in table.items():
        if text.startswith("the same with"):
            text = before + " " + re.search("`(.*)`", text)[1]
        before = text.strip("`").replace("\\|", "|")
        options = [o for i, o in enumerate(shlex.split(before))
                   if not o.startswith("--sort=") or
                   o == [p for p in shlex.split(before) if p.startswith("--sort=")][-1]]
        metric, rule = RULES[name]
        sort, left = rows(memprofdata, profile, options)
        wanted = [v for v in everything if rule(v)]
        if sort != metric or as_set(left) != as_set(wanted):
            sys.exit(f"dhat_orders: {name}: by {sort}: {len(left)} of {len(wanted)}")
        values = [v[metric] for v in left]
        if values != sorted(values, reverse=True):
            sys.exit(f"dhat_orders: {name}: {values}")
        print(f"{name}: {len(left)} of {len(everything)}")


main()
