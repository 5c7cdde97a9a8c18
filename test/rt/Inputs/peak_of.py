"""peak_of.py PROFILE.json -- checks that live bytes do not exceed the peak."""
import json
import sys

whole = json.load(open(sys.argv[1]))
mibs = [c["MemInfoBlock"] for c in whole["Contexts"]]
live = sum(m.get("LiveBytes", 0) for m in mibs)
at_peak = sum(m.get("PeakBytes", 0) for m in mibs)
peak = whole["Runs"][0]["PEAK_BYTES"]
print(live, at_peak, peak)
assert live <= at_peak and live <= peak, (live, at_peak, peak)
for m in mibs:
    assert m.get("PeakBytes", 0) <= m["MaxLiveBytes"], m
    assert m.get("PeakCount", 0) <= m["MaxLiveCount"], m
