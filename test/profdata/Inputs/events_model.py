"""events_model.py MEMPROFDATA PROGRAM FOLDER MODE -- runs PROGRAM with a log and compares what
memprofdata says of moments and windows with a model of the log (log_model.py)."""
import json
import os
import subprocess
import sys

import log_model

memprofdata, program, folder, mode = sys.argv[1:5]
path = os.path.join(folder, mode + ".log")


def tool(*words):
    out = subprocess.run([memprofdata, *words], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    if out.returncode != 0:
        sys.exit("%s %s: %s" % (mode, words, out.stderr))
    return out.stdout


def sums(words):
    """Blocks, bytes, accesses, and blocks and bytes that never ended."""
    profile = json.loads(tool("merge", "--text", "-o", "-", path, *words))
    mibs = [c["MemInfoBlock"] for c in profile.get("Contexts", [])]
    return tuple(sum(m.get(key, 0) for m in mibs) for key in
                 ("AllocCount", "TotalSize", "TotalAccessCount", "LiveCount", "LiveBytes"))


def expected(blocks):
    ends = [b for b in blocks if b.lives]
    return (len(blocks), sum(b.size for b in blocks), sum(b.accesses for b in blocks),
            len(ends), sum(b.size for b in ends))


def same(what, got, want):
    if got != want:
        sys.exit("%s %s: %s, but the model says %s" % (mode, what, got, want))


if os.path.exists(path):
    os.unlink(path)
subprocess.run([program, mode], cwd=folder, stderr=subprocess.PIPE, check=mode != "kill",
               env=dict(os.environ, MEMPROF_OPTIONS="log='%s':log_path=p" % path))
log = log_model.Log(path)
assert log.is_whole == (mode != "kill") and len(log.blocks) > 5000
assert log.others or mode in ("plain", "kill")

times = {"start": 0, "end": log.duration, "50%": log.duration // 2,
         "%dns" % log.blocks[100].birth: log.blocks[100].birth,
         "%.9fs" % (log.blocks[200].birth / 1e9): log.blocks[200].birth,
         "%.6fms" % (log.blocks[300].birth / 1e6): log.blocks[300].birth,
         "%dus" % (log.duration // 3000): log.duration // 3000 * 1000}
for b in log.blocks[::len(log.blocks) // 3]:
    if b.death is not None:  # a block is not alive at its end
        times["%dns" % b.death] = b.death
seen = {}
for ns, kind, _, name in log.marks:
    seen[name] = seen.get(name, 0) + 1
    if name:
        times[name if seen[name] == 1 else "%s#%d" % (name, seen[name])] = ns
assert mode != "plain" or "half way" in times and "second" in times, times
for text, ns in times.items():
    same("--at=" + text, sums(["--at=" + text]), expected(log.alive(ns)))
for one, two in (("10%", "60%"), ("start", "end"), *([("first", "second")] * ("second" in times))):
    t1, t2 = ({**times, "10%": log.duration // 10, "60%": log.duration * 6 // 10}[t]
              for t in (one, two))
    same("--window=%s,%s" % (one, two), sums(["--window=%s,%s" % (one, two)]),
         expected(log.alive(t2, t1)))
if "second" in times:
    same("--window=first", sums(["--window=first"]),
         sums(["--window=first,second"]))
# The summary, and the heap every so often.
ended = [b for b in log.blocks if b.death is not None]
summary = json.loads(tool("events", "--json", path))
same("summary", [summary[k] for k in ("blocks", "bytes", "freed_blocks", "freed_bytes",
                                      "freed_elsewhere", "has_end")],
     [len(log.blocks), sum(b.size for b in log.blocks), len(ended), sum(b.size for b in ended),
      sum(b.ended_by != b.thread for b in ended), log.is_whole])
threads = {}
for b in log.blocks:
    row = threads.setdefault(b.thread, [0, 0])
    row[0], row[1] = row[0] + 1, row[1] + b.size
same("threads", {t["number"]: [t["blocks"], t["bytes"]] for t in summary["threads"]
                 if t["blocks"]}, threads)
same("marks", [(m["ns"], m["name"]) for m in summary["marks"]],
     [(ns, name) for ns, _, _, name in log.marks])
step = max(log.duration // 9, 1000) // 1000 * 1000
rows = json.loads(tool("events", "--json", "--every=%dus" % (step // 1000), path))["steps"]
assert len(rows) > 2, rows
for row in rows:
    alive = [b for b in log.blocks if b.birth <= row["ns"] and
             (b.death is None or b.death > row["ns"])]
    same("--every at %d" % row["ns"], (row["live_blocks"], row["live_bytes"]),
         (len(alive), sum(b.size for b in alive)))
same("rows of --every", sum(r["blocks"] for r in rows), len(log.blocks))
# Single events.


def row_of(block, is_end):
    return (block.death if is_end else block.birth, is_end,
            block.ended_by if is_end else block.thread, block.address, block.size)


def listed(*words):
    return [(e["ns"], e["kind"] not in ("alloc", "event"), e["thread"],
             int(e.get("address", "0"), 16), e.get("bytes", e.get("weight")))
            for e in json.loads(tool("events", "--json", *words, path))["events"]]


rows = sorted([row_of(b, False) for b in log.blocks] + [row_of(b, True) for b in ended] +
              [(ns, False, thread, 0, weight) for ns, thread, _, weight in log.told])
told = json.loads(tool("events", "--json", "--list", "--kind=event", "--top=1000000",
                       path))["events"]
same("--list of events", sorted((e["ns"], e["thread"], e["name"], e["weight"]) for e in told),
     sorted(log.told))
same("events of the program",
     sorted((t["name"], t["events"], t["weight"]) for t in summary["events"]),
     sorted((name, len([t for t in log.told if t[2] == name]),
             sum(t[3] for t in log.told if t[2] == name)) for name in {t[2] for t in log.told}))
got = listed("--list", "--top=1000000000")
assert [r[0] for r in got] == [r[0] for r in rows]
same("--list", sorted(got), rows)
assert sorted(listed("--list", "--top=500")) <= rows[:500 + len(log.blocks) // 10]
same("first rows", [r[0] for r in listed("--list", "--top=500")], [r[0] for r in rows[:500]])
same("--list of sizes", sorted(listed("--list", "--filter=bytes>=20", "--filter=bytes<=40",
                                        "--top=1000000")),
     [r for r in rows if 20 <= r[4] <= 40 and r[3] != 0])
thread = rows[-1][2]
same("--list of a thread", sorted(listed("--list", "--thread=%d" % thread, "--top=1000000",
                                         "--kind=alloc")),
     [r for r in rows if r[2] == thread and not r[1] and r[3] != 0])
same("--list in a window", sorted(listed("--list", "--window=10%,60%", "--top=1000000")),
     [r for r in rows if log.duration // 10 <= r[0] <= log.duration * 6 // 10])
ended_soon = [b for b in ended if b.death - b.birth < 1000000]
same("--list of short lives", sorted(listed("--list", "--filter=lifetime<1ms", "--kind=alloc",
                                            "--top=1000000")),
     sorted(row_of(b, False) for b in ended_soon))
one = max(log.blocks[len(log.blocks) // 2:len(log.blocks) // 2 + 50], key=lambda b: b.size)
inner = one.address + one.size - 1
same("--follow", sorted(listed("--follow=0x%x" % inner, "--top=1000000")),
     [r for r in rows if r[3] <= inner < r[3] + r[4]])
same("--follow at a time", sorted(listed("--follow=%x@%dns" % (inner, one.birth))),
     sorted([row_of(b, end) for b in log.alive(one.birth)
             if b.address <= inner < b.address + b.size
             for end in ((False, True) if b.death is not None else (False,))]))
if mode == "plain":
    same("events --at", tool("events", "--at=60%", "--tree", path),
         tool("show", "--at=60%", "--tree", path))
    # The peak has the bytes that the runtime counted.
    peak = json.loads(tool("show", "--json", "--sort=peak", path))["totals"]
    got = sums(["--at=peak"])
    same("--at=peak", got[:2], (peak["peak-blocks"], peak["peak"]))
    # All readers of profiles take a moment.
    late = "--at=%dns" % log.blocks[-1].birth
    csv = tool("export", "--format=csv", late, path)
    assert csv.count("\n") > 1, csv
    tool("report", late, path, "-o", path + ".html")
    tool("merge", late, path, "-o", path + ".profdata")
    row = json.loads(tool("show", "--json", path + ".profdata"))["totals"]
    same("a merged moment", row["blocks"], len(log.alive(log.blocks[-1].birth)))
