"""yaml-order.py MEMPROFDATA LLVM-PROFDATA DIR -- of one YAML text of many records both
make the same profile, with records, sites and callees in the same order; with another
input beside it ours depends on the content alone."""
import os
import random
import subprocess
import sys

tool, theirs, directory = sys.argv[1:]
# Records in LLVM's table: before and behind each of its sizes.
COUNTS = [1, 2, 3, 40, 47, 48, 96, 97, 300]


def frame(rng):
    function = rng.choice([0x10, 0x20, rng.getrandbits(64) | 1 << 60])
    return "{ Function: 0x%x, LineOffset: %d, Column: %d, IsInlineFrame: %s }" % (
        function, rng.randrange(9), rng.randrange(9), rng.choice(["true", "false"]))


def stack(rng, seen):
    while True:
        frames = tuple(frame(rng) for _ in range(rng.randrange(1, 4)))
        if frames not in seen:
            seen.add(frames)
            return frames


def record(rng, guid, seen):
    lines = ["  - GUID: 0x%x" % guid]
    kinds = rng.randrange(3)
    if kinds != 0:
        lines.append("    AllocSites:")
        for _ in range(rng.randrange(1, 4)):
            lines.append("      - Callstack:")
            lines += ["          - " + f for f in stack(rng, seen)]
            lines.append("        MemInfoBlock: { AllocCount: %d, TotalSize: %d }" %
                         (rng.randrange(1, 99), rng.randrange(1, 9999)))
    if kinds != 1:
        lines.append("    CallSites:")
        for _ in range(rng.randrange(1, 4)):
            lines.append("      - Frames:")
            lines += ["          - " + f for f in stack(rng, seen)]
            callees = rng.sample(range(1, 999), rng.randrange(0, 5))
            if callees:
                lines.append("        CalleeGuids: [ %s ]" %
                             ", ".join("0x%x" % c for c in callees))
    return lines


def shown(command, inputs):
    out = os.path.join(directory, "out")
    subprocess.run([command, "merge", "--memprof-version=4", *inputs, "-o", out],
                   check=True)
    with open(out, "rb") as f:
        data = f.read()
    return data, subprocess.run([theirs, "show", "--memory", out],
                                capture_output=True, check=True).stdout


def write(name, records):
    path = os.path.join(directory, name)
    with open(path, "w") as f:
        f.write("\n".join(["---", "HeapProfileRecords:"] + sum(records, []) +
                          ["..."]) + "\n")
    return path


failed = []
for count in COUNTS:
    rng = random.Random(count)
    seen = set()
    # Half of them in the same buckets.
    records = [record(rng, guid << rng.choice([0, 9]), seen)
               for guid in rng.sample(range(1 << 50, 1 << 55), count)]
    one = write("one.yaml", records)
    if shown(tool, [one])[1] != shown(theirs, [one])[1]:
        failed.append("%d records: not the same" % count)
    turned = write("turned.yaml", records[::-1])
    other = write("other.yaml", [record(rng, 5, seen)])
    several = shown(tool, [one, other])[1]
    if several != shown(tool, [other, turned])[1]:
        failed.append("%d records: an order is left of one of several" % count)
print("\n".join(failed))
sys.exit(bool(failed))
