"""peaks_threads.py PROFILE.json -- prints what peaks_threads.c allocated, by function."""
import json
import sys

whole = json.load(open(sys.argv[1]))
mibs = {}
rest = 0
for context in whole["Contexts"]:
    names = [whole["Functions"][whole["Frames"][f]["Function"]]["Name"]
             for f in context["Callstack"]]
    mibs[names[0]] = context["MemInfoBlock"]
    if names[0] == "replaced":
        mib = mibs["replaced " + names[1]] = context["MemInfoBlock"]
        assert mib.get("TemporaryCount", 0) == 0, mib
        assert mib.get("OtherThreadCount", 0) == 1, mib
    elif names[0] not in ("own", "given"):
        rest += context["MemInfoBlock"]["TotalSize"]  # of libc: threads' own
SLACK = 16384 * 5
TRUTH = 4 * 500 * 2000
peak = whole["Runs"][0]["PEAK_BYTES"]
own, given = mibs["own"], mibs["given"]
total = sum(c["MemInfoBlock"].get("PeakBytes", 0) for c in whole["Contexts"])
print(peak, total, own, given)
assert TRUTH - SLACK <= peak <= TRUTH + 4 * 24 + rest, peak
assert peak - SLACK <= total <= peak, (total, peak)
assert own["MaxLiveCount"] == 2000 and own["MaxLiveBytes"] == TRUTH
assert own.get("OtherThreadCount", 0) == 0
assert given["OtherThreadCount"] == given["AllocCount"] == 80
assert given["MaxLiveCount"] <= 4 and given.get("TemporaryCount", 0) == 0
assert sum(name.startswith("replaced ") for name in mibs) == 2, mibs
assert own["MeasuredCount"] == own["AllocCount"]
