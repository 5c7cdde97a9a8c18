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
        self.births, self.moments = {}, []  # alive after each event: line, size, birth
        self.events = []  # alive after each: blocks, bytes; begun and ended so far
        self.born, self.ended, self.rows = [0, 0], [0, 0], []

    def begin(self, line, address, size):
        self.end(address, None)
        self.heap[address] = line, size
        self.births[address] = len(self.events) + 1
        self.last = address
        self.count(self.born, "alloc", address, size)
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
        self.count(self.ended, "realloc" if how == REALLOC else "free", address, size)
        s = self.sums[line]
        s["TemporaryCount"] += how is not None and address == self.last
        if how == REALLOC:
            s["ReallocCount"] += 1
            s["ReallocBytes"] += max(0, new_size - size)

    def count(self, to, kind, address, size):
        to[0], to[1] = to[0] + 1, to[1] + size
        self.rows.append((len(self.events) + 1, kind, address, size))

    def chosen(self, after, at):
        """Blocks and bytes by line of what began after an event and was alive after another."""
        sums = collections.defaultdict(lambda: [0, 0])
        for line, size, birth in self.moments[at - 1]:
            if birth > after:
                sums[line][0] += 1
                sums[line][1] += size
        return dict(sums)

    def after_event(self):
        self.moments.append([(*self.heap[at], self.births[at]) for at in self.heap])
        self.events.append((len(self.heap), sum(n for _, n in self.heap.values())))

    def summary(self):
        """What `events` says."""
        bytes_alive = [n for _, n in self.events]
        return {"events": self.events, "sums": self.born + self.ended, "rows": self.rows,
                "peak": max(bytes_alive), "temporary": self.sums_of("TemporaryCount"),
                "at": bytes_alive.index(max(bytes_alive)) + 1,
                "replaced": self.sums_of("ReallocCount")}

    def sums_of(self, field):
        return sum(s[field] for s in self.sums.values())

    def finish(self):
        for counts, heap in (("Live", self.heap), ("Peak", self.peak)):
            for line, size in heap.values():
                self.sums[line][counts + "Count"] += 1
                self.sums[line][counts + "Bytes"] += size
        return {line: {f: s[f] for f in FIELDS} for line, s in self.sums.items()
                if s["AllocCount"]}


def make(seed, path):
    """Writes a random stream, and returns what its model has, what is printed of it, and what
    `events` prints."""
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
        model.after_event()
    with open(path, "wb") as out:
        out.write(stream.out + b"\x80")
    return (model.finish(), {key: n for key, n in printed.items() if n}, model.summary(),
            model.chosen)


def read_profile(memprofdata, path, *words):
    profile = json.loads(subprocess.run([memprofdata, "merge", "--text", *words, path, "-o", "-"],
                                        check=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL if words else None).stdout)
    frames = profile["Frames"]
    return {frames[c["Callstack"][0]]["Line"]: {f: c["MemInfoBlock"].get(f, 0) for f in FIELDS}
            for c in profile["Contexts"]}


def check_moments(memprofdata, path, seed, count, chosen):
    rng = random.Random(seed)
    after, at = sorted(rng.randrange(count + 1) for _ in range(2))
    for words, want in ((["--at=%d" % max(at, 1)], chosen(0, max(at, 1))),
                        (["--window=%d,%d" % (after, at)], after < at and chosen(after, at))):
        if want is not False:
            found = {line: [s["AllocCount"], s["TotalSize"]]
                     for line, s in read_profile(memprofdata, path, *words).items()}
            assert found == want, (seed, words, found, want)


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


def read_events(memprofdata, path):
    def read(*words):
        return json.loads(subprocess.run([memprofdata, "events", "--json", *words, path], check=True,
                                         stdout=subprocess.PIPE).stdout)
    s, rows = read("--every=1"), read("--list", "--top=10000")["events"]
    followed = read("--follow=0x10", "--top=10000")["events"]
    # An address is in blocks that begin before it, too.
    assert {(e["event"], e["kind"]) for e in rows if int(e["address"], 16) == 16} <= \
        {(e["event"], e["kind"]) for e in followed}
    assert s["not_recorded"] == ["times", "threads", "accesses"] and "duration_ns" not in s
    alive = [(e["live_blocks"], e["live_bytes"]) for e in s["steps"]]
    # Ends of blocks that are not known have no row.
    alive += alive[-1:] * (s["duration_event"] + 1 - len(alive))
    return {"events": alive[1:],
            "sums": [s[k] for k in ("blocks", "bytes", "freed_blocks", "freed_bytes")],
            "rows": sorted((e["event"], e["kind"], int(e["address"], 16), e["bytes"])
                           for e in rows),
            "peak": s.get("peak_bytes", 0), "at": s.get("peak_event"),
            "temporary": s["temporary"], "replaced": s["replaced"]}


def main():
    memprofdata, path = sys.argv[1:]
    for seed in range(60):
        sums, printed, events, chosen = make(seed, path)
        found = read_profile(memprofdata, path)
        assert found == sums, (seed, found, sums)
        alive = {line: s["LiveBytes"] for line, s in sums.items() if s["LiveBytes"]}
        assert read_report(memprofdata, path) == (printed, alive), seed
        check_moments(memprofdata, path, seed, len(events["events"]), chosen)
        events["rows"].sort()
        if events["peak"] == 0:
            events["at"] = None
        found = read_events(memprofdata, path)
        assert found == events, (seed, found, events)


if __name__ == "__main__":
    main()
