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


def their_heapshots(path):
    """The number of objects of each heapshot, and those of its first classes."""
    text = subprocess.run(["mprof-report", "--reports=heapshot", path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    for shot in re.split(r"Heap shot \d+ at ", text)[1:]:
        yield int(re.search(r"object count: (\d+)", shot).group(1)), {
            name: int(count) for count, name in
            re.findall(r"^\t *\d+ +(\d+) +\d+ (.*?)(?: \(bytes: .*\))?$", shot, re.M)}


def ours(memprofdata, path, *options):
    profile = json.loads(subprocess.run([memprofdata, "merge", *options, "--text", path, "-o", "-"],
                                        check=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL).stdout)
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
    heapshots(*sys.argv[1:])


def heapshots(memprofdata, path):
    """What is alive at a heapshot is what the heapshot has, with call stacks."""
    gone = []
    for number, (count, other) in enumerate(their_heapshots(path), 1):
        mine = {name: n[1] for name, n in
                ours(memprofdata, path, f"--at=heapshot {number}").items()}
        assert sum(mine.values()) == count, (count, mine)
        for name, objects in other.items():
            assert mine.get(name, 0) == objects or name.startswith("unresolved"), (name, mine)
        gone.append((mine.get("Gone", 0), mine["Leaf"]))
    if "shots" in path:
        assert gone[0][0] < 10 and gone[0][1] == 1000 and gone[1][1] < 710, gone


if __name__ == "__main__":
    main()
