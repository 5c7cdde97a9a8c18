"""diff.py -- what `memprofdata diff --json` says against the profiles' own JSON.

usage: diff.py MEMPROFDATA OLD NEW [--same-places] [OPTION OF DIFF]...

The sums of both profiles are those of their contexts, and the rows' changes are the
change of the whole. With --same-places nothing moved, so that call stacks of equal
functions and places (lines from the function's first on) are the same ones, and
each row is computed here, too.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import fractions
import json
import subprocess
import sys

FIELDS = {"bytes": "TotalSize", "blocks": "AllocCount",
          "accesses": "TotalAccessCount", "lifetime": "TotalLifetimeNs",
          "live": "LiveBytes", "live-blocks": "LiveCount",
          "peak": "PeakBytes", "peak-blocks": "PeakCount",
          "temporary": "TemporaryCount", "reads": "TotalReads",
          "writes": "TotalWrites", "read-bytes": "TotalReadBytes",
          "write-bytes": "TotalWriteBytes"}


def run(*words):
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


class Profile:
    def __init__(self, memprofdata, path):
        self.json = run(memprofdata, "merge", "--text", path, "-o", "-")
        self.runs = sum(r.get("COUNT", 1) for r in self.json.get("Runs", []))

    def total(self, field):
        return sum(c["MemInfoBlock"].get(field, 0) for c in self.json["Contexts"])

    def place(self, number):
        frame = self.json["Frames"][number]
        if "Function" not in frame:
            return (self.json["Binaries"][frame["Binary"]]["Path"], frame["Address"])
        function = self.json["Functions"][frame["Function"]]
        return (function["Name"], frame.get("Line", 0) - function.get("Line", 0),
                frame.get("Column", 0))

    def stacks(self, field):
        sums = collections.Counter()
        for context in self.json["Contexts"]:
            stack = tuple(self.place(f) for f in context.get("Callstack", []))
            sums[stack] += context["MemInfoBlock"].get(field, 0)
        return sums


def nearest(number):
    """Half a unit away from nothing, as diff rounds."""
    half = fractions.Fraction(1, 2)
    return int(number + half) if number >= 0 else -int(-number + half)


def main():
    words = sys.argv[1:]
    same_places = "--same-places" in words
    words = [w for w in words if w != "--same-places"]
    memprofdata, old_path, new_path = words[:3]
    options = words[3:]
    old, new = Profile(memprofdata, old_path), Profile(memprofdata, new_path)
    diff = run(memprofdata, "diff", "--json", old_path, new_path, *options)
    assert diff["memprofdata-diff"] == 1
    per_run = old.runs != new.runs and "--absolute" not in options
    assert diff["per_run"] == per_run, diff["per_run"]
    by = {"old": old.runs, "new": new.runs} if per_run else {"old": 1, "new": 1}
    for side, profile in (("old", old), ("new", new)):
        assert diff[side]["divided_by"] == by[side]
        assert diff[side]["runs"] == profile.runs
        for name, value in diff[side]["totals"].items():
            assert value == profile.total(FIELDS[name]), (side, name, value)

    def change(a, b):
        return fractions.Fraction(b, by["new"]) - fractions.Fraction(a, by["old"])

    for name, value in diff["change"].items():
        exact = change(old.total(FIELDS[name]), new.total(FIELDS[name]))
        assert value == nearest(exact), (name, value, exact)

    metric = diff["metric"]
    rows = diff["rows"]
    assert [abs(r["change"]) for r in rows] == \
        sorted((abs(r["change"]) for r in rows), reverse=True)
    kinds = collections.Counter(r["kind"] for r in rows)
    assert kinds == {k: n for k, n in diff["counts"].items()
                     if n and k not in ("unchanged", "not_measured")}, kinds
    key = metric if diff["by"] == "stack" else "self"
    sums = sum(change(r.get("old", {}).get(key, 0), r.get("new", {}).get(key, 0))
               for r in rows)
    field = FIELDS[metric]
    assert sums == change(old.total(field), new.total(field)), sums
    if same_places:
        a, b = old.stacks(field), new.stacks(field)
        exact = [(b.get(s, 0), a.get(s, 0)) for s in set(a) | set(b)
                 if change(a.get(s, 0), b.get(s, 0)) != 0]
        said = [(r.get("new", {}).get(key, 0), r.get("old", {}).get(key, 0))
                for r in rows]
        assert sorted(exact) == sorted(said), (exact, said)
    print("rows:", len(rows), "unchanged:", diff["counts"]["unchanged"])


if __name__ == "__main__":
    main()
