"""mlpd.py -- sums of a log of Mono's profiler as we read it and as mprof-report does.

usage: mlpd.py MEMPROFDATA FILE

mprof-report does not know the class of objects that are allocated before their class is
named ("unresolved class"); we do.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import re
import subprocess
import sys


def theirs(path):
    text = subprocess.run(["mprof-report", "--reports=alloc", path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    sums = collections.defaultdict(lambda: [0, 0])
    for size, count, name in re.findall(r"^ +(\d+) +(\d+) +\d+ (.*)$", text, re.M):
        sums[name][0] += int(size)
        sums[name][1] += int(count)
    total = re.search(r"Total memory allocated: (\d+) bytes in (\d+) objects", text)
    return sums, [int(n) for n in total.groups()]


def ours(memprofdata, path):
    profile = json.loads(subprocess.run([memprofdata, "merge", "--text", path, "-o", "-"],
                                        check=True, stdout=subprocess.PIPE).stdout)
    sums = collections.defaultdict(lambda: [0, 0])
    for c in profile["Contexts"]:
        frame = profile["Frames"][c["Callstack"][0]]
        name = profile["Functions"][frame["Function"]]["Name"]
        assert name == "new " + frame.get("Type", ""), (name, frame)
        sums[frame["Type"]][0] += c["MemInfoBlock"]["TotalSize"]
        sums[frame["Type"]][1] += c["MemInfoBlock"]["AllocCount"]
    return sums


def main():
    mine, (other, total) = ours(*sys.argv[1:]), theirs(sys.argv[2])
    assert [sum(n[i] for n in mine.values()) for i in (0, 1)] == total, total
    unresolved = [sum(n[i] for name, n in other.items() if name.startswith("unresolved"))
                  for i in (0, 1)]
    for i in (0, 1):
        more = {name: mine[name][i] - other[name][i] for name in mine}
        assert min(more.values()) >= 0 and sum(more.values()) == unresolved[i], more
    for name in ("Leaf", "Node", "System.Byte[]"):
        assert mine[name] == other[name] and mine[name][1] >= 500, name


if __name__ == "__main__":
    main()
