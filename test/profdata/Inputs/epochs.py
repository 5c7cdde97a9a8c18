"""epochs.py MEMPROFDATA DUMP... -- whatever dumps of a run are merged, in
whatever grouping: each block counts once, or merging is refused for a reason.

The dumps are those of epochs.c, in their order."""
import itertools
import re
import subprocess
import sys

TOOL, FILES = sys.argv[1], sys.argv[2:]
# Of each dump: (epoch, number, blocks that ended, that live, that did at the peak).
DUMPS = [(0, 1, 0, 10, 10), (0, 2, 4, 6, 10), (1, 1, 0, 9, 9), (1, 2, 9, 0, 9),
         (2, 1, 0, 2, 2)]


def run(*arguments):
    return subprocess.run([TOOL, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def latest(dumps):
    """Those that count: the last of each epoch."""
    return {d[0]: d for d in sorted(dumps)}


def truth(dumps):
    """(blocks, live blocks, blocks at the peak)"""
    last = latest(dumps)
    live, peak = last[max(last)][3:]
    return sum(d[2] for d in last.values()) + live, live, peak


def is_refused(merged, more):
    """Would something have to be taken out of what is merged?"""
    have, new = latest(merged), latest(more)
    replaced = any(have[e][1] < new[e][1] for e in have if e in new)
    return replaced or max(new) > max(have)  # live blocks, and the peak


def paths(dumps):
    return [FILES[DUMPS.index(d)] for d in dumps]


def number(text, pattern):
    found = re.search(pattern, text, re.M)
    return int(found.group(1)) if found else 0


def check_subset(dumps):
    text = run("show", *reversed(paths(dumps))).stdout
    got = (number(text, r"^  allocated .* in (\d+) block"),
           number(text, r"^  live (?:at end|now) .* in (\d+) block"),
           number(text, r"^  peak .* in (\d+) block"))
    assert got == truth(dumps), (dumps, got, truth(dumps))
    assert number(text, r"^  runs? +(\d+)") == 1, text


def merge(out, *inputs):
    return run("merge", "-o", out, *inputs)


def check_grouping(merged, more):
    assert merge("part", *paths(merged)).returncode == 0
    assert merge("all", *paths(merged), *paths(more)).returncode == 0
    for inputs in (["part", *paths(more)], [*paths(more), "part"]):
        result = merge("both", *inputs)
        assert (result.returncode != 0) == is_refused(merged, more), \
            (merged, more, result.stderr)
        if result.returncode != 0:
            assert re.search("another dump of the same run is merged already: "
                             r"of process \d+; merge all of its raw profiles",
                             result.stderr), result.stderr
        else:
            with open("both", "rb") as both, open("all", "rb") as everything:
                assert both.read() == everything.read(), (merged, more)


def check_merged_ones():
    """Of two merged files nothing can be taken out."""
    assert merge("part", FILES[0]).returncode == 0
    assert merge("other", FILES[1]).returncode == 0
    assert merge("both", "part", "other").returncode == 1
    assert merge("other", FILES[0]).returncode == 0
    assert merge("both", "part", "other").returncode == 0
    text = run("show", "both").stdout
    # Named twice, it counts twice, as everywhere.
    assert number(text, r"^  allocated .* in (\d+) block") == 20, text


subsets = [list(c) for n in range(1, len(DUMPS) + 1)
           for c in itertools.combinations(DUMPS, n)]
for subset in subsets:
    check_subset(subset)
pairs = [(a, b) for a in subsets for b in subsets if not set(map(str, a)) &
         set(map(str, b))]
for merged, more in pairs[::4]:
    check_grouping(merged, more)
check_merged_ones()
print("all of", len(subsets))
