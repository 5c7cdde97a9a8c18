"""lifetimes.py MEMPROFDATA PROGRAM FOLDER THREADS RUNS -- runs PROGRAM THREADS SEED
with RUNS seeds, and compares what each allocating function has in the merged profile
with the program's log. Slow, but simple enough to be checked by reading.

The log has the time before and after each call, which bound a block's birth and its
end. So for each power of two the log gives a minimum and a maximum of the blocks that
lived that long. The lines of a thread are in order."""
import collections
import glob
import json
import os
import subprocess
import sys

memprofdata, program, folder, threads, runs = sys.argv[1:]
has_frees = "free_sites=1" in os.environ.get("MEMPROF_OPTIONS", "")
SIZE, LIFETIME, REALLOC, FREE = 1, 2, 3, 4
# The profiler's clock against the monotonic one (rt/base/clock.c).
RATE_ERROR, READ_ERROR_NS = 0.002, 2000


class Site:
    def __init__(self):
        self.AllocCount = self.TotalSize = self.LiveCount = self.LiveBytes = 0
        self.TemporaryCount = self.OtherThreadCount = 0
        self.ReallocCount = self.ReallocBytes = 0
        self.sizes = collections.Counter()
        self.ends = collections.Counter()  # (kind, function, what): how much
        self.lives = []                    # (least, most) nanoseconds


def replay(path):
    sites = collections.defaultdict(Site)
    events = [line.split() for line in open(path)]
    born = {}  # block: (thread, site, size, before, behind)
    for thread, what, site, block, _, size, before, behind in events:
        if what in "ar":
            born[block] = thread, site, int(size), int(before), int(behind)
    ended = set()
    last = {}  # thread: its last block
    for thread, what, site, block, old, size, before, behind in events:
        gone = {"f": block, "r": old}.get(what)
        if gone:
            ended.add(gone)
            by, made_by, bytes_, born_before, born_behind = born[gone]
            s = sites[made_by]
            s.OtherThreadCount += by != thread
            s.TemporaryCount += last.get(thread) == gone
            s.lives.append((max(0, int(before) - born_behind),
                            int(behind) - born_before))
            grown = max(0, int(size) - bytes_)
            if what == "r":
                s.ReallocCount += 1
                s.ReallocBytes += grown
                s.ends[REALLOC, site, "Blocks"] += 1
                s.ends[REALLOC, site, "Bytes"] += grown
            elif has_frees:
                s.ends[FREE, site, "Blocks"] += 1
                s.ends[FREE, site, "Bytes"] += bytes_
        if what in "ar":
            s = sites[site]
            s.AllocCount += 1
            s.TotalSize += int(size)
            s.sizes[int(size).bit_length() - 1] += 1
            last[thread] = block
    end = max(int(e[7]) for e in events)
    for block, (_, site, size, before, behind) in born.items():
        if block not in ended:
            sites[site].LiveCount += 1
            sites[site].LiveBytes += size
            # Until the profile is written, at an unknown time.
            sites[site].lives.append((end - behind, 1 << 63))
    return sites


def name_of(whole, frame):
    return whole["Functions"][whole["Frames"][frame].get("Function", 0)]["Name"]


def buckets(context, kind, low, high):
    """What is in one bucket has no details."""
    mib = context["MemInfoBlock"]
    found = {d.get("Bucket", 0): d["Blocks"] for d in context.get("Details", [])
             if d["Kind"] == kind}
    if found:
        return found
    one = max(mib.get(low, 0).bit_length() - 1, 0)
    assert one == max(mib.get(high, 0).bit_length() - 1, 0), (low, mib)
    return {one: mib["AllocCount"]}


def profile():
    out = subprocess.run([memprofdata, "merge", "--text", "-o", "-"] +
                         glob.glob(folder + "/*.raw"), check=True,
                         stdout=subprocess.PIPE).stdout
    whole = json.loads(out)
    sites = collections.defaultdict(list)
    for context in whole["Contexts"]:
        name = name_of(whole, context["Callstack"][0])
        if name.startswith(("made_", "resized_")):
            context["Ends"] = collections.Counter()
            for d in context.get("Details", []):
                for what in ("Blocks", "Bytes") if "Callstack" in d else ():
                    by = name_of(whole, d["Callstack"][0])
                    context["Ends"][d["Kind"], by, what] += d.get(what, 0)
            sites[name].append(context)
    return sites


def check(what, got, want):
    if got != want:
        sys.exit(f"{threads} threads, seed {seed}: {what} is {got}, not {want}")


def check_lifetimes(name, found, lives):
    """Returns how many lifetimes are known to be in one power of two."""
    lives = [(low * (1 - RATE_ERROR) - READ_ERROR_NS,
              high * (1 + RATE_ERROR) + READ_ERROR_NS) for low, high in lives]
    for k in range(1, 64):
        got = sum(n for bucket, n in found.items() if bucket >= k)
        least = sum(low >= 1 << k for low, _ in lives)
        most = sum(high >= 1 << k for _, high in lives)
        if not least <= got <= most:
            sys.exit(f"{threads} threads, seed {seed}: {got} blocks of {name} lived for "
                     f"2^{k} ns or more, but {least} to {most} did")
    return sum(low >= 1 and int(low).bit_length() == int(high).bit_length()
               for low, high in lives)


def check_site(name, contexts, site):
    found = {kind: collections.Counter() for kind in (SIZE, LIFETIME)}
    ends = collections.Counter()
    for context in contexts:
        found[SIZE].update(buckets(context, SIZE, "MinSize", "MaxSize"))
        found[LIFETIME].update(buckets(context, LIFETIME, "MinLifetimeNs",
                                       "MaxLifetimeNs"))
        ends.update(context["Ends"])
    for field, value in vars(site).items():
        if field not in ("sizes", "ends", "lives"):
            check(f"{name}.{field}", sum(c["MemInfoBlock"].get(field, 0)
                                         for c in contexts), value)
    check(name + "'s sizes", dict(found[SIZE]), dict(site.sizes))
    check(name + "'s ends", +ends, +site.ends)
    check(name + "'s lifetimes", sum(found[LIFETIME].values()), site.AllocCount)
    return check_lifetimes(name, found[LIFETIME], site.lives)


for seed in range(1, int(runs) + 1):
    for old in glob.glob(folder + "/*"):
        os.unlink(old)
    subprocess.run([program, threads, str(seed)], check=True, cwd=folder)
    wanted, profiled = replay(folder + "/log"), profile()
    check("call stacks", sorted(profiled), sorted(wanted))
    known = sum(check_site(name, profiled[name], site) for name, site in wanted.items())
    blocks = sum(site.AllocCount for site in wanted.values())
    print(f"{threads} threads: {blocks} blocks, {known} of them in a known power of two")
    # Otherwise nothing was compared.
    check("what is known of most", known > blocks // 2, True)
