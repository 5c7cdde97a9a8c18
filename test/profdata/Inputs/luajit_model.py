"""luajit_model.py -- random streams of LuaJIT's memory profiler, and what a model finds in
them, against the merged profile and the report.

usage: luajit_model.py MEMPROFDATA SCRATCH

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import random
import re
import subprocess
import sys

from luajit_stream import ALLOC, FREE, LUA, REALLOC, Stream

FIELDS = ("AllocCount", "TotalSize", "LiveCount", "LiveBytes", "TemporaryCount", "PeakCount",
          "PeakBytes", "MaxLiveCount", "MaxLiveBytes", "ReallocCount", "ReallocBytes")
LINES = range(1, 9)


class Model:
    """Sums by line."""

    def __init__(self):
        self.sums = {line: collections.Counter() for line in LINES}
        self.heap = {}  # address: (line, size)
        self.peak = {}
        self.last = None

    def begin(self, line, address, size):
        self.end(address, None)
        self.heap[address] = line, size
        self.last = address
        s = self.sums[line]
        s["AllocCount"] += 1
        s["TotalSize"] += size
        alive = [n for at, n in self.heap.values() if at == line]
        s["MaxLiveCount"] = max(s["MaxLiveCount"], len(alive))
        s["MaxLiveBytes"] = max(s["MaxLiveBytes"], sum(alive))
        if sum(n for _, n in self.heap.values()) > sum(n for _, n in self.peak.values()):
            self.peak = dict(self.heap)

    def end(self, address, how, new_size=0):
        if address not in self.heap:
            return
        line, size = self.heap.pop(address)
        s = self.sums[line]
        s["TemporaryCount"] += how is not None and address == self.last
        if how == REALLOC:
            s["ReallocCount"] += 1
            s["ReallocBytes"] += max(0, new_size - size)

    def finish(self):
        for counts, heap in (("Live", self.heap), ("Peak", self.peak)):
            for line, size in heap.values():
                self.sums[line][counts + "Count"] += 1
                self.sums[line][counts + "Bytes"] += size
        return {line: {f: s[f] for f in FIELDS} for line, s in self.sums.items()
                if s["AllocCount"]}


def make(seed, path):
    """Writes a random stream, and returns what its model has and what is printed of it."""
    rng = random.Random(seed)
    stream, model, printed = Stream(3, False), Model(), collections.Counter()
    stream.lua(0x4000, "@m.lua", 1)
    stream.begin()
    for _ in range(rng.randrange(1, 400)):
        line, at = rng.choice(LINES), rng.randrange(40) * 16
        old, size = rng.randrange(40) * 16, rng.randrange(0, 5000)
        kind = rng.choice((ALLOC, ALLOC, FREE, REALLOC))
        was = model.heap.get(old, (0, 33))[1]
        if kind == ALLOC:
            stream.event(ALLOC, (LUA, 0x4000, line), at, size)
        elif kind == FREE:
            stream.event(FREE, (LUA, 0x4000, line), old, was)
        else:
            stream.event(REALLOC, (LUA, 0x4000, line), old, was, at, size)
        printed[kind, line, "events"] += 1
        printed[kind, line, "+"] += size if kind != FREE else 0
        printed[kind, line, "-"] += was if kind != ALLOC else 0
        if kind != ALLOC:
            model.end(old, kind, size)
        if kind != FREE:
            model.begin(line, at, size)
    with open(path, "wb") as out:
        out.write(stream.out + b"\x80")
    return model.finish(), {key: n for key, n in printed.items() if n}


def read_profile(memprofdata, path):
    profile = json.loads(subprocess.run([memprofdata, "merge", "--text", path, "-o", "-"],
                                        check=True, stdout=subprocess.PIPE).stdout)
    frames = profile["Frames"]
    return {frames[c["Callstack"][0]]["Line"]: {f: c["MemInfoBlock"].get(f, 0) for f in FIELDS}
            for c in profile["Contexts"]}


def read_report(memprofdata, path):
    """The numbers of the sections, and what is alive by line."""
    kinds = {"ALLOCATIONS": ALLOC, "REALLOCATIONS": REALLOC, "DEALLOCATIONS": FREE}
    found, alive, kind = {}, {}, None
    text = subprocess.run([memprofdata, "events", "--lua-report", path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    for row in text.splitlines():
        kind = kinds.get(row, kind)
        if m := re.fullmatch(r"@m\.lua:(\d+): (\d+) events\t\+(\d+)B\t-(\d+)B", row):
            for what, n in zip(("events", "+", "-"), m.groups()[1:]):
                found[kind, int(m[1]), what] = int(n)
        elif m := re.fullmatch(r"@m\.lua:(\d+) holds (\d+)B: \d+ allocs, \d+ frees", row):
            alive[int(m[1])] = int(m[2])
    return {key: n for key, n in found.items() if n}, alive


def main():
    memprofdata, path = sys.argv[1:]
    for seed in range(60):
        sums, printed = make(seed, path)
        found = read_profile(memprofdata, path)
        assert found == sums, (seed, found, sums)
        alive = {line: s["LiveBytes"] for line, s in sums.items() if s["LiveBytes"]}
        assert read_report(memprofdata, path) == (printed, alive), seed


if __name__ == "__main__":
    main()
