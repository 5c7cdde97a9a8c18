#!/usr/bin/env python3
"""replay.py -- compares what `replay --json` says with what `events --json` says of the
same log: calls, live bytes and the peak, for each allocator that Debian has.

usage: replay.py LOG, for LOG.events and LOG.replay

Threads count the peak of "threads" in another order than that of their clocks.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


events, replay = load(sys.argv[1] + ".events"), load(sys.argv[1] + ".replay")
live = events["bytes"] - events["freed_bytes"]
assert replay["memprofdata_replay"] == 1 and replay["rounds"] == 1
assert replay["program"] == events["program"]
assert replay["live_bytes"] == live, (replay["live_bytes"], live)
peak = replay["peak_bytes"]
assert peak == events["peak_bytes"] or sys.argv[1] == "threads", (peak, events["peak_bytes"])
rows = {row["name"]: row for row in replay["allocators"]}
assert list(rows) == ["glibc", "jemalloc", "tcmalloc", "mimalloc"], list(rows)
for name, row in rows.items():
    assert ("libc.so" if name == "glibc" else name) in row["library"], row["library"]
    assert row["reallocs"] == events["replaced"]
    assert row["allocations"] + row["reallocs"] == events["blocks"]
    assert row["frees"] + row["reallocs"] == events["freed_blocks"]
    assert row["live_bytes"] == live and row["ns"] > 0
    moments = row["moments"]
    assert 250 <= len(moments) <= 256, len(moments)
    assert [m["calls"] for m in moments] == sorted({m["calls"] for m in moments})
    assert moments[-1]["calls"] == replay["calls"] == \
        row["allocations"] + row["reallocs"] + row["frees"]
    assert max(m["live_bytes"] for m in moments) == peak
    # What is alive was touched; the kernel counts some pages late.
    assert row["most_resident_bytes"] + (1 << 20) >= peak, row
