"""export_sums.py -- an export against csv of the same profile: the sum of each
number, and what each call stack has. Reads the formats by what their documents say.

usage: export_sums.py FORMAT EXPORT CSV [EXPORT OF JSON, for its list of metrics]

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import decimal
import json
import sys

import export_truth

# Where dhat and csv say the same. The last two are no DHAT keys.
DHAT = {"tb": "TotalSize", "tbk": "AllocCount", "tl": "TotalLifetimeNs",
        "mb": "MaxLiveBytes", "mbk": "MaxLiveCount", "gb": "PeakBytes",
        "gbk": "PeakCount", "eb": "LiveBytes", "ebk": "LiveCount",
        "rb": "TotalReadBytes", "wb": "TotalWriteBytes"}
NS_PER_MS = 1000000


def same(got, want, what):
    got, want = +collections.Counter(got), +collections.Counter(want)
    assert got == want, (what, sum(got.values()), sum(want.values()), (got - want) or
                         (want - got))


def held(truth, field):
    return field in truth.fields


def check_json(export, truth):
    assert (export["format"], export["version"]) == ("memprof", 1)
    names = [frame["name"] for frame in export["frames"]]
    fields = {field["name"]: field for field in export["fields"]}
    assert set(truth.fields) <= set(fields)
    assert {m["field"] for m in export["metrics"]} <= set(fields)
    for metric in export["metrics"]:
        assert metric["total"] == truth.total(metric["field"]), metric
    merge = {"sum": sum, "min": min, "max": max}
    for name, field in fields.items():
        sums = collections.Counter()
        for context in export["contexts"]:
            stack = export_truth.stack_of([names[f] for f in context["stack"][::-1]])
            sums[stack or "[unknown]"] += context["mib"][name]
        same(sums, truth.by_stack(name), name)
        assert field["total"] == merge[field["merge"]](
            c["mib"][name] for c in export["contexts"]), field
    for frame in export["frames"]:
        if "function" in frame:
            assert export["functions"][frame["function"]]["name"] == frame["name"]
    return f"{len(fields)} fields"


def unfold(accesses):
    """Counts by byte, of DHAT's list with repeats."""
    counts, i = [], 0
    while i < len(accesses):
        times = -accesses[i] if accesses[i] < 0 else 1
        i += accesses[i] < 0
        counts += times * [accesses[i]]
        i += 1
    return counts


def check_accesses(point, size):
    ours = point.get("memprof", {})
    if "acc" not in point:
        return 0
    counts = unfold(point["acc"])
    exact = {}
    for first, *cells in ours["cells"]:
        for i, count in enumerate(cells):
            for byte in range(ours["cell_bytes"]):
                exact[(first + i) * ours["cell_bytes"] + byte] = count
    assert len(counts) == size
    assert counts == [min(exact.get(byte, 0), 65535) for byte in range(size)]
    assert ours["accesses"] == sum(sum(cells) for _, *cells in ours["cells"])
    return max(exact.values(), default=0) > 65535


def check_dhat(export, truth):
    assert export["dhatFileVersion"] == 2 and export["ftbl"][0] == "[root]"
    stacks = [tuple(point["fs"]) for point in export["pps"]]
    assert len(set(stacks)) == len(stacks), "a stack is there twice"
    assert len(stacks) == len(truth.rows)
    used = {frame for stack in stacks for frame in stack}
    assert used == set(range(1, len(export["ftbl"]))), "frames without a stack"
    keys = set(export["pps"][0])
    for key, field in DHAT.items():
        assert (key in keys) == held(truth, field) or not held(truth, field), key
        if key in keys:
            assert sum(p[key] for p in export["pps"]) == truth.total(field), key
            # By what is innermost: names have their place behind them.
            assert sorted(p[key] for p in export["pps"]) == \
                sorted(int(row.get(field, 0)) for row in truth.rows), key
    assert export["bklt"] == ({"tl", "mb", "mbk", "gb", "gbk", "eb", "ebk"} <= keys)
    assert export["bkacc"] == ({"rb", "wb"} <= keys)
    assert ("tuth" in export) == ("tg" in export) == export["bklt"]
    accesses = sum(p.get("memprof", {}).get("accesses", 0) for p in export["pps"])
    assert accesses == truth.total("TotalAccessCount")
    clamped = sum(check_accesses(p, p["tb"] // p["tbk"]) for p in export["pps"])
    return f"{len(keys)} keys, {clamped} list(s) of accesses at the limit"


def check_speedscope(export, truth):
    names = [frame["name"] for frame in export["shared"]["frames"]]
    units = {"bytes": "bytes", "ns": "nanoseconds"}
    assert [p["name"] for p in export["profiles"]] == \
        [metric["title"] for metric in truth.metrics]
    for profile, metric in zip(export["profiles"], truth.metrics):
        assert profile["type"] == "sampled" and profile["startValue"] == 0
        assert profile["unit"] == units.get(metric["unit"], "none"), profile["unit"]
        assert profile["endValue"] == sum(profile["weights"]) == \
            truth.total(metric["field"])
        assert len(profile["samples"]) == len(profile["weights"])
        assert 0 not in profile["weights"]
        sums = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"]):
            sums[export_truth.stack_of([names[f] for f in stack])] += weight
        same(sums, truth.by_stack(metric["field"]), metric["name"])
    return f"{len(export['profiles'])} profiles"


def rows_of(table):
    for key, column in table.items():
        if isinstance(column, list):
            assert len(column) == table["length"], key
    return table


def check_firefox(export, truth):
    shared = export["shared"]
    strings = shared["stringArray"]
    tables = {name: rows_of(shared[name]) for name in shared if name != "stringArray"}
    funcs, frames, stacks = (tables[t] for t in ("funcTable", "frameTable", "stackTable"))
    for source in funcs["source"]:
        assert source is None or strings[tables["sources"]["filename"][source]]
    names = []
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]):
        assert prefix is None or prefix < len(names), "a caller behind its callee"
        above = [] if prefix is None else names[prefix]
        names.append(above + [strings[funcs["name"][frames["func"][frame]]]])
    kinds = {"bytes": "bytes", "ns": "tracing-ms"}
    assert [t["name"] for t in export["threads"]] == \
        [metric["title"] for metric in truth.metrics]
    for thread, metric in zip(export["threads"], truth.metrics):
        samples = rows_of(thread["samples"])
        assert samples["weightType"] == kinds.get(metric["unit"], "samples")
        scale = NS_PER_MS if metric["unit"] == "ns" else 1
        sums = collections.Counter()
        for stack, weight in zip(samples["stack"], samples["weight"]):
            sums[export_truth.stack_of(names[stack])] += round(weight * scale)
        same(sums, truth.by_stack(metric["field"]), metric["name"])
    return f"{len(export['threads'])} threads"


def main():
    kind, path, *truth = sys.argv[1:]
    with open(path, encoding="utf-8") as text:
        export = json.load(text, parse_float=decimal.Decimal)
    print(globals()["check_" + kind](export, export_truth.Truth(*truth)))


if __name__ == "__main__":
    main()
