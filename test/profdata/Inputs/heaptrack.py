"""heaptrack.py -- totals of a heaptrack file as we read it and as heaptrack_print does, and
of our log of another run of the program.

usage: heaptrack.py MEMPROFDATA FILE SCRATCH LOG

The log is compared by calls that allocate (realloc is one), bytes at the peak and bytes
that leak, of what main() calls. heaptrack's own library brings libstdc++ into the
program, which allocates a pool for exceptions before main().

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import subprocess
import sys


def printed(path, scratch, cost):
    """The sums of its flame graph of a cost: of main(), and of what is outside."""
    subprocess.run(["heaptrack_print", "-f", path, "-F", scratch,
                    "--flamegraph-cost-type", cost], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sums = [0, 0]
    with open(scratch, encoding="utf-8") as lines:
        for line in lines:
            sums["main (" not in line] += int(line.rsplit(" ", 1)[1])
    return sums


def main():
    memprofdata, path, scratch, log = sys.argv[1:]
    contexts = json.loads(subprocess.run(
        [memprofdata, "merge", "--text", path, "-o", "-"], check=True,
        stdout=subprocess.PIPE).stdout)["Contexts"]
    theirs = {cost: printed(path, scratch, cost) for cost in ("allocations", "peak", "leaked")}
    for cost, field in (("allocations", "AllocCount"), ("leaked", "LiveBytes")):
        ours = sum(c["MemInfoBlock"].get(field, 0) for c in contexts)
        assert ours == sum(theirs[cost]) > 0, (cost, ours, theirs)
    log = json.loads(subprocess.check_output([memprofdata, "events", "--json", log]))
    ours = {"allocations": log["blocks"], "peak": log["peak_bytes"],
            "leaked": log["bytes"] - log["freed_bytes"]}
    assert ours == {cost: sums[0] for cost, sums in theirs.items()}, (ours, theirs)
    assert log["replaced"] > 0 and theirs["allocations"][1] <= 1, theirs


if __name__ == "__main__":
    main()
