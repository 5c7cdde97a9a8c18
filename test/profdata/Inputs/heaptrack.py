"""heaptrack.py -- totals of a heaptrack file as we read it and as heaptrack_print does.

usage: heaptrack.py MEMPROFDATA FILE SCRATCH

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import subprocess
import sys


def printed(path, scratch, cost):
    """The sum of its flame graph of a cost."""
    subprocess.run(["heaptrack_print", "-f", path, "-F", scratch,
                    "--flamegraph-cost-type", cost], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(scratch, encoding="utf-8") as lines:
        return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


def main():
    memprofdata, path, scratch = sys.argv[1:]
    contexts = json.loads(subprocess.run(
        [memprofdata, "merge", "--text", path, "-o", "-"], check=True,
        stdout=subprocess.PIPE).stdout)["Contexts"]
    for cost, field in (("allocations", "AllocCount"), ("leaked", "LiveBytes")):
        ours = sum(c["MemInfoBlock"].get(field, 0) for c in contexts)
        theirs = printed(path, scratch, cost)
        assert ours == theirs > 0, (cost, ours, theirs)


if __name__ == "__main__":
    main()
