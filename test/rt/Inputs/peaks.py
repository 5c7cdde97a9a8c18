"""peaks.py MEMPROFDATA PROGRAM FOLDER MODE RUNS -- runs PROGRAM MODE SEED with RUNS
seeds, replays the events that it wrote to events.PID, and compares the result with what
each allocating function has in the merged profile. Slow, but simple enough to be
checked by reading."""
import collections
import glob
import json
import os
import subprocess
import sys

memprofdata, program, folder, mode, runs = sys.argv[1:]
has_frees = "free_sites=1" in os.environ.get("MEMPROF_OPTIONS", "")


SIZE, LIFETIME, REALLOC, FREE = 1, 2, 3, 4


class Site:
    def __init__(self):
        self.AllocCount = self.LiveCount = self.LiveBytes = 0
        self.MaxLiveCount = self.MaxLiveBytes = 0
        self.PeakCount = self.PeakBytes = 0
        self.TemporaryCount = self.ReallocCount = self.ReallocBytes = 0
        self.sizes = collections.Counter()  # blocks by power of two
        self.ends = collections.Counter()   # (kind, function, blocks or bytes)


class Model:
    def __init__(self):
        self.sites = collections.defaultdict(Site)
        self.alive = {}  # block: (site, size)
        self.parents = {}
        self.last = None
        self.peak = 0

    def look(self):
        """What lives, after each event, is compared with the most so far."""
        total = sum(s.LiveBytes for s in self.sites.values())
        for s in self.sites.values():
            s.MaxLiveCount = max(s.MaxLiveCount, s.LiveCount)
            s.MaxLiveBytes = max(s.MaxLiveBytes, s.LiveBytes)
        if total > self.peak:
            self.peak = total
            for s in self.sites.values():
                s.PeakCount, s.PeakBytes = s.LiveCount, s.LiveBytes

    def malloc(self, block, site, size):
        s = self.sites[site]
        s.AllocCount += 1
        s.LiveCount += 1
        s.LiveBytes += int(size)
        s.sizes[int(size).bit_length() - 1] += 1
        self.alive[block] = site, int(size)
        self.last = block

    def free(self, block, by="end"):
        if self.parents.pop(block, None):
            return None
        site, size = self.alive.pop(block)
        s = self.sites[site]
        s.LiveCount -= 1
        s.LiveBytes -= size
        s.TemporaryCount += self.last == block
        if by:
            s.ends[FREE, by, "Blocks"] += 1
            s.ends[FREE, by, "Bytes"] += size
        return s, size

    def realloc(self, block, site, size):
        old = self.free(block, None)
        self.malloc(block, site, size)
        if old:
            old[0].ReallocCount += 1
            grown = max(0, int(size) - old[1])
            old[0].ReallocBytes += grown
            old[0].ends[REALLOC, site, "Blocks"] += 1
            old[0].ends[REALLOC, site, "Bytes"] += grown

    def reset(self):
        self.peak = 0
        for s in self.sites.values():
            live = s.LiveCount, s.LiveBytes
            s.__init__()
            s.LiveCount, s.LiveBytes = live
            s.AllocCount = s.LiveCount
        for site, size in self.alive.values():
            self.sites[site].sizes[size.bit_length() - 1] += 1

    def fork(self):
        parents = self.alive
        self.__init__()
        self.parents = parents


def replay(path):
    model = Model()
    for line in open(path):
        words = line.split()
        getattr(model, words[0])(*words[1:])
        model.look()
    return model


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


def profile(pid):
    raw = glob.glob("%s/memprof.profraw.%s.*" % (folder, pid))
    out = subprocess.run([memprofdata, "merge", "--text", "-o", "-"] + raw,
                         check=True, stdout=subprocess.PIPE).stdout
    whole = json.loads(out)
    found = {}
    for context in whole["Contexts"]:
        names = [name_of(whole, f) for f in context["Callstack"]]
        depth = "_%d" % names.count("once") if names[0] == "once" else ""
        found[names[0] + depth] = context
        context["Ends"] = collections.Counter()
        for d in context.get("Details", []):
            for what in ("Blocks", "Bytes") if "Callstack" in d else ():
                by = name_of(whole, d["Callstack"][0])
                context["Ends"][d["Kind"], by, what] += d.get(what, 0)
    return whole["Runs"], found


def compare(what, got, want, seed):
    if got != want:
        sys.exit("%s, seed %d: %s is %s, not %s" % (mode, seed, what, got, want))


for seed in range(1, int(runs) + 1):
    for old in glob.glob(folder + "/*"):
        os.unlink(old)
    subprocess.run([program, mode, str(seed)], check=True, cwd=folder)
    events, = glob.glob(folder + "/events.*")
    model = replay(events)
    runs_of, found = profile(events.rpartition(".")[2])
    want = {name: s for name, s in model.sites.items() if s.AllocCount}
    if want.keys() != found.keys():
        sys.exit("call stacks: %s, not %s" % (sorted(found), sorted(want)))
    for name, site in want.items():
        mib = found[name]["MemInfoBlock"]
        for field, value in vars(site).items():
            if field not in ("sizes", "ends"):
                compare(name + "." + field, mib.get(field, 0), value, seed)
        compare(name + ".MeasuredCount", mib["MeasuredCount"],
                site.AllocCount, seed)
        sizes = buckets(found[name], SIZE, "MinSize", "MaxSize")
        lifetimes = buckets(found[name], LIFETIME, "MinLifetimeNs",
                            "MaxLifetimeNs")
        compare(name + "'s sizes", sizes, dict(site.sizes), seed)
        compare(name + "'s lifetimes", sum(lifetimes.values()),
                site.AllocCount, seed)
        ends = {key: n for key, n in site.ends.items()
                if key[0] == REALLOC or has_frees}
        compare(name + "'s ends", found[name]["Ends"], ends, seed)
    compare("the peak", max(r["PEAK_BYTES"] for r in runs_of), model.peak, seed)
