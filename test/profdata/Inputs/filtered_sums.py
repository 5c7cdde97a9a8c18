"""filtered_sums.py -- with any filter, every view adds up to the totals that it states;
a filter and its opposite to those of all call stacks, histograms too.

usage: filtered_sums.py MEMPROFDATA PROFILE...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import subprocess
import sys

# Each with what is left out by it.
PAIRS = [("--function=a", "--exclude-function=a"), ("--function=^_Z", "--exclude-function=^_Z"),
         ("--file=c$", "--exclude-file=c$"), ("--type=.", "--exclude-type=."),
         ("--filter=bytes>=200", "--filter=bytes<200"),
         ("--filter=bytes/blocks>32", "--filter=bytes/blocks<=32")]
VIEWS = ["--by=function", "--by=line", "--by=file", "--by=type", "--by=thread", "--tree"]
MOST = 2 ** 64 - 1


def show(memprofdata, profile, *options):
    done = subprocess.run([memprofdata, "show", "--json", *options, profile], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if b"not known" in done.stderr or b"does not" in done.stderr or b"no type" in done.stderr:
        return None
    assert done.returncode == 0, (profile, options, done.stderr)
    return json.loads(done.stdout)


def added(rows):
    total = collections.Counter()
    for row in rows:
        total.update(row)
    return {name: min(value, MOST) for name, value in total.items() if value}


def nonzero(values):
    return {name: value for name, value in values.items() if value}


def sum_of(view, page):
    key = "self" if view in ("--by=function", "--by=line", "--by=file", "--tree") \
        else "values"
    rows = [row[key] for row in page["rows"]]
    return added(rows + [page.get("without_stack", {})])


def histograms(page):
    """Of all call stacks: what each bucket and cell has."""
    total = collections.Counter()
    for row in page["rows"]:
        for kind in ("sizes", "lifetimes", "histogram"):
            for at, count in row.get(kind, []):
                total[kind, at] += count
    return total


def main():
    memprofdata, *profiles = sys.argv[1:]
    views = pairs = buckets = 0
    for profile in profiles:
        everything = show(memprofdata, profile)
        for pair in PAIRS:
            halves = [show(memprofdata, profile, option) for option in pair]
            if None in halves:
                continue
            pairs += 1
            assert added(half["totals"] for half in halves) == \
                nonzero(everything["totals"]), (profile, pair)
            assert histograms(halves[0]) + histograms(halves[1]) == \
                histograms(everything), (profile, pair)
            buckets += len(histograms(everything))
            for option, half in zip(pair, halves):
                assert sum_of("", half) == nonzero(half["totals"]), (profile, option)
                for view in VIEWS:
                    page = show(memprofdata, profile, option, view)
                    assert page["totals"] == half["totals"], (profile, option, view)
                    assert sum_of(view, page) == nonzero(page["totals"]), \
                        (profile, option, view, sum_of(view, page), page["totals"])
                    views += 1
    print(views, "views of", pairs, "pairs,", buckets, "buckets")


if __name__ == "__main__":
    main()
