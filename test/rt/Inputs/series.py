"""series.py MEMPROFDATA PROGRAM FOLDER MODE -- runs PROGRAM MODE and compares the run
over time in its profile with what is known otherwise."""
import glob
import json
import os
import subprocess
import sys

memprofdata, program, folder, mode = sys.argv[1:]


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, **more)


def load(*files):
    out = run(memprofdata, "merge", "--text", "-o", "-", *files,
              check=True).stdout
    return json.loads(out)


def timeline(*files):
    out = run(memprofdata, "show", "--timeline", "--json", *files,
              check=True).stdout
    return json.loads(out)["rows"]


def same(what, got, want):
    if got != want:
        sys.exit("%s: %s is %s, not %s" % (mode, what, got, want))


def names(series):
    return [m.get("phase", m.get("mark")) for m in series["marks"]]


def check(series, whole):
    runs = [r for r in whole["Runs"] if int(r["RUN_ID"], 16) ==
            int(series["run_id"], 16) and r.get("LIVE")]
    peak = max(r["PEAK_BYTES"] for r in runs)
    samples = series["samples"]
    if mode != "reset":
        same("the highest point", max(s["most"] for s in samples), peak)
    for before, after in zip(samples, samples[1:]):
        assert before["ns"] + series["step_ns"] <= after["ns"]
        assert (after["ns"] - before["ns"]) % series["step_ns"] == 0
    for s in samples:
        assert s["bytes"] <= s["most"]
        assert s.get("rss", 1) > 0
    assert len(samples) <= 512
    assert any("rss" in s for s in samples)


for old in glob.glob(folder + "/*"):
    os.unlink(old)
times = 20 if mode == "many" else 1
for _ in range(times):
    status = run(program, mode, cwd=folder, stderr=subprocess.DEVNULL).returncode
    same("fault", status < 0, mode == "fault")
raw = sorted(glob.glob(folder + "/*.raw"), key=os.path.getmtime)
whole = load(*raw)
rows = timeline(*raw)

if mode == "many":
    same("series", len(rows), 16)
    kept = [int(r["run_id"], 16) for r in rows]
    all_ids = sorted(int(r["RUN_ID"], 16) for r in whole["Runs"])
    same("ids", kept, all_ids[:16])
    text = run(memprofdata, "show", "--timeline", *raw, check=True).stdout
    assert b"The profile has data over time for 16 of 20 runs" in text
    parts = folder + "/a.profdata", folder + "/b.profdata"
    one, other = folder + "/one.profdata", folder + "/other.profdata"
    run(memprofdata, "merge", "-o", one, *raw, check=True)
    run(memprofdata, "merge", "-o", parts[0], *raw[::3], check=True)
    run(memprofdata, "merge", "-o", parts[1], *parts[:1],
        *(r for r in raw if r not in raw[::3]), check=True)
    run(memprofdata, "merge", "-o", other, parts[1], check=True)
    same("bytes", open(one, "rb").read() == open(other, "rb").read(), True)
    sys.exit()

if mode == "fork":
    same("series", len(rows), 2)
    rows.sort(key=lambda r: r["samples"][0]["ns"])
    parent, child = rows
    same("the child's marks", names(child), ["empty", "child"])
    full = [m["ns"] for m in parent["marks"]][2]
    assert child["samples"][0]["ns"] >= full
    assert child["marks"][0]["ns"] >= full
    same("the child's peak", max(s["most"] for s in child["samples"]), 100000)
    assert max(s["blocks"] for s in child["samples"]) <= 100
    check(child, whole)
    rows = [parent]

same("series", len(rows), 1)
series = rows[0]
check(series, whole)
same("marks", names(series), ["fill", "full", "empty", None])
assert [("phase" in m) for m in series["marks"]] == [True, False, True, True]
same("bytes at the mark", series["marks"][1]["bytes"],
     sum(500 + i % 100 for i in range(4000)))
if mode != "threads":
    same("bytes at the end", series["samples"][-1]["bytes"],
         sum(500 + i % 100 for i in range(1000)))
if mode in ("plain", "stop"):
    assert series["samples"][-1]["blocks"] in range(1000, 4001)
    assert max(s["blocks"] for s in series["samples"]) <= 4000
if mode in ("dump", "reset"):
    same("files", len(raw), 2 if mode == "dump" else 1)
    same("samples of the last dump alone",
         len(timeline(raw[-1])[0]["samples"]), len(series["samples"]))
