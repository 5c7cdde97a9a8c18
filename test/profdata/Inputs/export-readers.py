"""export-readers.py -- what the readers of other tools' formats say of an export, against
the table that --format=csv writes.

usage: export-readers.py heaptrack|callgrind|massif CSV EXPORT [sums]

sums: names are such that readers cannot be held to them; sums must be right all the same.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import csv
import os
import re
import subprocess
import sys

# Events of callgrind and columns of the table.
EVENTS = {"bytes": "TotalSize", "blocks": "AllocCount", "accesses": "TotalAccessCount",
          "lifetime": "TotalLifetimeNs", "live": "LiveBytes", "live_blocks": "LiveCount",
          "peak": "PeakBytes", "peak_blocks": "PeakCount", "temporary": "TemporaryCount"}


def read_table(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as lines:
        rows = list(csv.DictReader(lines))
    assert rows
    return rows


def total(rows, column):
    return sum(int(r.get(column, 0)) for r in rows)


def run(*command):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
    assert not done.stderr, done.stderr
    return done.stdout.decode("utf-8", "surrogateescape")


# -- heaptrack ---------------------------------------------------------------------------

def bytes_text(number):
    """As heaptrack_print rounds it."""
    for unit in ("B", "K", "M", "G", "T"):
        if number < 1000:
            return f"{number:.0f}B" if unit == "B" else f"{number:.2f}{unit}"
        number /= 1000
    return None


def folded(path):
    sums = collections.Counter()
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            sums[stack] += int(value)
    return sums


def heaptrack(rows, path, by_name):
    scale = 1
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            found = re.match(r"# scaled down: each block stands for (\d+) ", line)
            scale = int(found[1]) if found else scale
    flat = path + ".folded"
    sums = {}
    for cost in ("allocations", "temporary", "leaked", "peak"):
        said = run("heaptrack_print", "-f", path, "-F", flat, "--flamegraph-cost-type",
                   cost, "-p0", "-a0", "-T0", "--disable-builtin-suppressions")
        sums[cost] = folded(flat)
    numbers = dict(re.findall(r"^([a-zA-Z ]+): ([0-9.]+[A-Z]*)", said, re.MULTILINE))
    live, blocks = total(rows, "LiveBytes"), total(rows, "AllocCount")
    assert sum(sums["leaked"].values()) == live, (sums["leaked"], live)
    assert numbers["total memory leaked"] == bytes_text(live), numbers
    is_measured = total(rows, "MeasuredCount") != 0
    # Without a measured peak the order keeps it as low as can be.
    largest = max(max(int(r.get("MaxSize", 0)),
                      -(-int(r["TotalSize"]) // int(r["AllocCount"]))) for r in rows)
    peak, temporary = sum(sums["peak"].values()), sum(sums["temporary"].values())
    if is_measured:
        assert peak == total(rows, "PeakBytes"), (peak, sums["peak"])
    else:
        assert scale > 1 or peak <= max(live, largest)
        assert peak >= live
    if scale == 1:
        assert temporary == total(rows, "TemporaryCount"), (temporary, sums["temporary"])
    assert int(numbers["temporary memory allocations"]) == temporary, numbers
    calls = sum(sums["allocations"].values())
    assert int(numbers["calls to allocation functions"]) == calls
    if scale == 1:
        assert calls == blocks, (calls, blocks)
    else:
        assert blocks / scale <= calls <= blocks / scale + 2 * len(rows), (calls, blocks)
        assert calls <= 5000000
    check_bytes(rows, path)
    if by_name and scale == 1:
        # heaptrack_print ends stacks at main(), and says where the file is known.
        expected = collections.Counter()
        for row in rows:
            names = row["stack"].split(";")
            start = names.index("main") if "main" in names else 0
            expected[tuple(names[start:])] += int(row["AllocCount"])
        said = collections.Counter()
        for stack, count in sums["allocations"].items():
            said[tuple(n.split(" (")[0] for n in stack.rstrip(";").split(";"))] += count
        assert said == expected, (said, expected)


def check_bytes(rows, path):
    """Bytes of all blocks, which heaptrack_print does not say."""
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        counts = collections.Counter(line for line in lines if line[0] in "a+")
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        sizes = [int(line.split()[1], 16) for line in lines if line[0] == "a"]
    allocated = sum(count * sizes[int(line.split()[1], 16)]
                    for line, count in counts.items() if line[0] == "+")
    assert allocated == total(rows, "TotalSize"), (allocated, total(rows, "TotalSize"))


# -- callgrind ---------------------------------------------------------------------------

def counts(text):
    """Numbers of a line of callgrind_annotate's, and what stands behind them."""
    words = re.findall(r"([\d,.]+)(?: \([^)]*\))?", text)
    return [0 if w == "." else int(w.replace(",", "")) for w in words]


def annotated(path, events, *options):
    """{function: numbers}, and those of the whole program."""
    said = run("callgrind_annotate", "--threshold=100", "--auto=no",
               "--show=" + ",".join(events), *options, path)
    functions, whole = collections.defaultdict(list), None
    for line in said.splitlines():
        found = re.match(r"((?:\s*[\d,.]+(?: \([^)]*\))?)+)\s+(.*)$", line)
        if not found or len(counts(found[1])) != len(events):
            continue
        if found[2].startswith("PROGRAM TOTALS"):
            whole = counts(found[1])
        else:
            name = re.sub(r" \[[^\]]*\]$", "", found[2]).split(":", 1)[-1]
            functions[name] = [a + b for a, b in zip(
                functions[name] or [0] * len(events), counts(found[1]))]
    return functions, whole


def callgrind(rows, path, by_name):
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        events = re.search(r"^events: (.*)$", lines.read(), re.MULTILINE)[1].split()
    assert events[:2] == ["bytes", "blocks"]
    held = [e for e, column in EVENTS.items() if total(rows, column) != 0]
    assert set(held) <= set(events), (held, events)
    events = [e for e in events if e in EVENTS]
    own, whole = annotated(path, events)
    assert whole == [total(rows, EVENTS[e]) for e in events], whole
    assert sum(v[0] for v in own.values()) == whole[0]
    if not by_name:
        return
    with_calls, _ = annotated(path, events, "--inclusive=yes")
    expected_own = collections.defaultdict(lambda: [0] * len(events))
    expected_all = collections.defaultdict(lambda: [0] * len(events))
    for row in rows:
        values = [int(row.get(EVENTS[e], 0)) for e in events]
        names = row["stack"].split(";")
        for table, keys in ((expected_own, names[-1:]), (expected_all, set(names))):
            for name in keys:
                table[name] = [a + b for a, b in zip(table[name], values)]
    for expected, said in ((expected_own, own), (expected_all, with_calls)):
        for name, values in expected.items():
            if any(values):
                assert said[name] == values, (name, values, said[name])
    tree = run("callgrind_annotate", "--tree=both", "--threshold=100", path)
    assert re.search(r"^.* < .*:main \([1-9][0-9]*x\)", tree, re.MULTILINE), tree
    assert re.search(r"^.* > .*:drop \([1-9][0-9]*x\)", tree, re.MULTILINE), tree


# -- massif ------------------------------------------------------------------------------

def massif(rows, path, by_name):
    said = run("ms_print", "--threshold=0", path)
    columns = ["LiveBytes"]
    if total(rows, "MeasuredCount") != 0:
        columns.insert(0, "PeakBytes")
        assert re.search(r"Detailed snapshots: \[\d+ \(peak\), \d+\]", said), said
    shown = re.findall(r"^ *\d+ +[\d,]+ +([\d,]+) +([\d,]+) +0 +0$", said, re.MULTILINE)
    shown = [[int(n.replace(",", "")) for n in row] for row in shown]
    # A run that took its time has moments of its series between the start, the peak and the end.
    ends = [[total(rows, c)] * 2 for c in columns]
    assert shown[0] == [0, 0] and ends[0] in shown[1:] and shown[-1] == ends[-1], shown
    assert len(shown) > len(columns), shown
    check_tree(path)
    if not by_name:
        return
    # A tree is over where the next table begins, or the file.
    trees = re.split(r"^100\.00% \(", said, flags=re.MULTILINE)[1:]
    assert len(trees) == len(columns)
    for column, tree in zip(columns, trees):
        check_leaves(rows, column, tree)


def check_leaves(rows, column, tree):
    # The tree begins where blocks are allocated.
    by_leaf = collections.Counter()
    for row in rows:
        by_leaf[row["stack"].split(";")[-1]] += int(row.get(column, 0))
    leaves = collections.Counter()
    for number, name in re.findall(r"^->[\d.]+% \(([\d,]+)B\) (.*?)(?: \([^()]*\))?$", tree,
                                   re.MULTILINE):
        leaves[name] += int(number.replace(",", ""))
    assert leaves == +by_leaf, (leaves, by_leaf)


def check_tree(path):
    """What is below each line comes to what the line says."""
    open_nodes = []  # [children left, bytes left]
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            found = re.match(r" *n(\d+): (\d+) ", line)
            if not found:
                continue
            children, size = int(found[1]), int(found[2])
            if open_nodes:
                open_nodes[-1][0] -= 1
                open_nodes[-1][1] -= size
            if children:
                open_nodes.append([children, size])
            while open_nodes and open_nodes[-1][0] == 0:
                assert open_nodes.pop()[1] == 0, line
    assert not open_nodes


def main():
    kind, table, path = sys.argv[1:4]
    {"heaptrack": heaptrack, "callgrind": callgrind, "massif": massif}[kind](
        read_table(table), path, "sums" not in sys.argv[4:])


if __name__ == "__main__":
    main()
