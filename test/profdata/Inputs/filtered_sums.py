"""filtered_sums.py -- with any filter, every view adds up to the totals that it states;
a filter and its opposite to those of all call stacks, histograms too.

usage: filtered_sums.py MEMPROFDATA PROFILE...

Raw profiles are also filtered by thread and by binary, all by what is in pools.

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
         ("--filter=bytes>=50", "--filter=bytes<50"),
         ("--filter=bytes/blocks>32", "--filter=bytes/blocks<=32"),
         ("--thread=worker", "--exclude-thread=worker"),
         ("--binary=library", "--exclude-binary=library")]
VIEWS = ["--by=function", "--by=line", "--by=file", "--by=type", "--by=thread", "--tree"]
# Of heap blocks, and of what was given out of pools.
WHOLES = [(), ("--pools",)]
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


def look(memprofdata, profile, whole, pair):
    """How many views and buckets were looked at, none where a filter is not known; and
    whether it kept some and left out some."""
    everything = show(memprofdata, profile, *whole)
    halves = [everything and show(memprofdata, profile, *whole, option) for option in pair]
    if None in halves:
        return 0, 0, False
    assert added(half["totals"] for half in halves) == \
        nonzero(everything["totals"]), (profile, whole, pair)
    assert histograms(halves[0]) + histograms(halves[1]) == \
        histograms(everything), (profile, whole, pair)
    views = 0
    for option, half in zip(pair, halves):
        assert sum_of("", half) == nonzero(half["totals"]), (profile, whole, option)
        for view in VIEWS:
            if whole and view == "--by=thread":
                continue
            page = show(memprofdata, profile, *whole, option, view)
            assert page["totals"] == half["totals"], (profile, whole, option, view)
            assert sum_of(view, page) == nonzero(page["totals"]), \
                (profile, whole, option, view, sum_of(view, page), page["totals"])
            views += 1
    is_cut = all(nonzero(half["totals"]) for half in halves)
    return views, len(histograms(everything)), is_cut


def main():
    memprofdata, *profiles = sys.argv[1:]
    count = collections.Counter()
    for profile in profiles:
        for whole in WHOLES:
            for pair in PAIRS:
                views, buckets, is_cut = look(memprofdata, profile, whole, pair)
                count.update(views=views, pairs=views != 0, buckets=buckets)
                if is_cut:
                    count[" ".join(whole) or pair[0].split("=")[0]] += 1
    print(count["views"], "views of", count["pairs"], "pairs,", count["buckets"], "buckets;",
          *(f"{count[kind]} {kind}" for kind in ("--thread", "--binary", "--pools")))


if __name__ == "__main__":
    main()
