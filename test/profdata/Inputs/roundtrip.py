"""roundtrip.py -- what a profile says is what is left of it behind another tool's
format: of two profiles as JSON, the call stacks with what that format holds.

usage: roundtrip.py MEMPROFDATA BEFORE AFTER FIELD...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import subprocess
import sys


def stacks(memprofdata, path, fields):
    """Of each call stack, by what its frames are, the fields."""
    p = json.loads(subprocess.run(
        [memprofdata, "merge", "--text", path, "-o", "-"], check=True,
        stdout=subprocess.PIPE).stdout)

    def frame(i):
        f = dict(p["Frames"][i])
        # The compiler is told nothing of what comes back.
        f.pop("NoLines", None)
        f.pop("Discriminator", None)
        # A label says it of a call stack, not of which of its frames.
        f.pop("Type", None)
        f.pop("TypeBytes", None)
        f.pop("TypeFields", None)
        if "Function" in f:
            f["Function"] = p["Functions"][f["Function"]]["Name"]
        if "Binary" in f:
            f["Binary"] = p["Binaries"][f["Binary"]].get("BuildId")
        return tuple(sorted(f.items()))

    found = collections.Counter()
    for c in p["Contexts"]:
        key = tuple(frame(i) for i in c["Callstack"])
        values = tuple(c["MemInfoBlock"].get(f, 0) for f in fields) + \
            (c.get("NotMeasured", 0), c.get("Truncated", 0))
        found[key, values] += 1
    return found


def main():
    memprofdata, before, after = sys.argv[1:4]
    a = stacks(memprofdata, before, sys.argv[4:])
    b = stacks(memprofdata, after, sys.argv[4:])
    assert a, "no call stacks"
    assert a == b, (a - b, b - a)


if __name__ == "__main__":
    main()
