"""check_views.py -- do the views of `memprofdata show --json` say what the profile says?

usage: check_views.py MEMPROFDATA METRICS_H (PROFILE.json | SEED WORK)...

Each profile, one of the test's own or one made from a seed, is read as text and added up
the slow way: by call stack, function, line and file, as a tree, and for some function its
callers, its callees and its lines. Prints how many views were compared.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys

MEMPROFDATA = sys.argv[1]
# name: field of the MIB
METRICS = dict(re.findall(r'X\([A-Z_0-9]+,\s*"([a-z-]+)",\s*(\w+),',
                          pathlib.Path(sys.argv[2]).read_text().replace("\\\n", " ")))
MOST = 2**64 - 1


def fail(what):
    sys.exit(f"check_views: {what}")


class Profile:
    def __init__(self, path):
        data = json.loads(pathlib.Path(path).read_text())
        self.functions = data["Functions"]
        self.frames = data["Frames"]
        self.binaries = data.get("Binaries", [])
        self.contexts = [(c["Callstack"], c["MemInfoBlock"])
                         for c in data["Contexts"]]

    def function(self, frame):
        """What tells functions apart, by the names that JSON shows."""
        f = self.frames[frame]
        if "Function" in f:
            return self.functions[f["Function"]]["Name"]
        return ("address", f.get("Binary"), int(f["Address"], 16))

    def place(self, frame):
        f = self.frames[frame]
        return f.get("File", ""), f.get("Line", 0)


def row_function(row):
    if "address" in row:
        return None
    return row.get("linkage_name", row.get("function"))


def show(path, *options):
    text = subprocess.run([MEMPROFDATA, "show", "--json", *options, path],
                          check=True, stdout=subprocess.PIPE).stdout
    page = json.loads(text)
    if page["memprofdata_show"] != 1:
        fail("version")
    return page


def rank(values, name):
    """What rows are ordered by: of lifetimes, that of a block."""
    if name != "lifetime" or values[name] == 0:
        return values[name]
    return max(values[name] // max(values["blocks"], 1), 1)


def zero():
    return collections.Counter()


def add(to, values):
    for name, value in values.items():
        to[name] = min(to[name] + value, MOST)


def values_of(mib, names):
    return {n: mib.get(METRICS[n], 0) for n in names}


def same(what, found, wanted):
    names = set(found) | set(wanted)
    for n in names:
        if found.get(n, 0) != wanted.get(n, 0):
            fail(f"{what}: {n} is {found.get(n, 0)}, and should be "
                 f"{wanted.get(n, 0)}")


def nothing(values):
    return not any(values.values())


def sum_up(profile, names, key):
    """{key: (self, total)} over all call stacks; recursion counts once."""
    sums = collections.defaultdict(lambda: (zero(), zero()))
    for stack, mib in profile.contexts:
        values = values_of(mib, names)
        if stack:
            add(sums[key(stack[0])][0], values)
        for k in {key(f) for f in stack}:
            add(sums[k][1], values)
    return sums


def check_groups(profile, path, page, by):
    names = list(page["totals"])
    keys = {
        "function": profile.function,
        "line": lambda f: (profile.place(f) if profile.place(f)[0]
                           else profile.function(f)),
        "file": lambda f: (profile.place(f)[0] or
                           (("binary", profile.frames[f].get("Binary"))
                            if "Function" not in profile.frames[f]
                            else profile.function(f))),
    }
    wanted = [(s, t) for s, t in sum_up(profile, names, keys[by]).values()
              if not nothing(t)]
    total, rows = zero(), page["rows"]
    add(total, page["without_stack"])
    for row in rows:
        add(total, row["self"])
    same(f"{path} by {by}: sum", total, page["totals"])

    # The same rows, in whatever order; those with a name by their name.
    def shape(selfs, totals):
        return tuple(selfs[n] for n in names), tuple(totals[n] for n in names)
    if sorted(shape(s, t) for s, t in wanted) != \
            sorted(shape(r["self"], r["total"]) for r in rows):
        fail(f"{path} by {by}: rows differ")
    order = [rank(r["self"], names[0]) for r in rows]
    if order != sorted(order, reverse=True):
        fail(f"{path} by {by}: not in order")
    if by == "function":
        named = sum_up(profile, names, profile.function)
        for row in rows:
            if row_function(row) is not None:
                same(f"{path}: {row_function(row)}", row["total"],
                     named[row_function(row)][1])


def check_stacks(profile, path, page):
    names = list(page["totals"])
    total = zero()
    for row in page["rows"]:
        add(total, row["values"])
    same(f"{path}: sum of stacks", total, page["totals"])
    if len(page["rows"]) != len(profile.contexts):
        fail(f"{path}: not all call stacks")

    def frames(page_or_profile, stack):
        if isinstance(page_or_profile, Profile):
            return tuple((profile.function(f) if "Function" in profile.frames[f]
                          else None, *profile.place(f)) for f in stack)
        rows = [page["frames"][f] for f in stack]
        return tuple((row_function(r), r.get("file", ""), r.get("line", 0))
                     for r in rows)

    def shape(stack, values):
        return str(stack), tuple(values[n] for n in names)
    if sorted(shape(frames(profile, s), values_of(m, names))
              for s, m in profile.contexts) != \
            sorted(shape(frames(page, r["stack"]), r["values"])
                   for r in page["rows"]):
        fail(f"{path}: stacks differ")


def call(profile, frame):
    return profile.function(frame), *profile.place(frame)


def paths_of(rows):
    """[(path of frames from the root, row)] of a tree's rows."""
    way = []
    for row in rows:
        if row["depth"] == 0:
            way = []
            yield (), row
            continue
        del way[row["depth"] - 1:]
        way.append((row_function(row), row.get("file", ""), row.get("line", 0)))
        yield tuple(way), row


def without_addresses(way):
    return tuple((None if isinstance(f, tuple) else f, path, line)
                 for f, path, line in way)


def check_tree(profile, path, page, cut):
    """cut: of a stack, outermost first, what is below the root; None: nothing."""
    names = list(page["totals"])
    sums = collections.defaultdict(lambda: (zero(), zero()))
    sums[()] = (zero(), zero())
    for stack, mib in profile.contexts:
        way = cut(stack)
        if way is None:
            continue
        way = [call(profile, f) for f in way]
        values = values_of(mib, names)
        add(sums[tuple(way)][0], values)
        for i in range(len(way) + 1):
            add(sums[tuple(way[:i])][1], values)
    rows = list(paths_of(page["rows"]))
    if len(rows) != len(sums):
        fail(f"{path} {page['view']}: {len(rows)} rows, and should be "
             f"{len(sums)}")
    by_way = collections.defaultdict(list)
    for way, (own, total) in sums.items():
        by_way[without_addresses(way)].append((own, total))
    for way, row in rows:
        found = [(own, total) for own, total in by_way[way]
                 if all(row["total"][n] == total[n] for n in names) and
                 ("self" not in row or
                  all(row["self"][n] == own[n] for n in names))]
        if not found:
            fail(f"{path} {page['view']}: {way}: {row} is none of {by_way[way]}")
        by_way[way].remove(found[0])
    return rows[0][1]["total"]


def check_list(profile, path, page, name):
    names = list(page["totals"])
    lines = sum_up(profile, names, lambda f: call(profile, f))
    functions = sum_up(profile, names, profile.function)
    count = 0
    for row in page["rows"]:
        if "line" in row:
            count += 1
            own, total = lines[(name, row["file"], row["line"])]
        else:
            own, total = functions[name]
        same(f"{path} list {name} self", row["self"], own)
        same(f"{path} list {name} total", row["total"], total)
    wanted = sum(1 for (f, file, line), (_, total) in lines.items()
                 if f == name and file and line and not nothing(total))
    if count != wanted:
        fail(f"{path} list {name}: {count} lines, and should be {wanted}")


def check(path):
    profile = Profile(path)
    views = 0
    for sort in METRICS:
        page = show(path, f"--sort={sort}")
        if page["sort"] != sort:
            continue   # was not measured
        totals = zero()
        for _, mib in profile.contexts:
            add(totals, values_of(mib, page["totals"]))
        same(f"{path}: totals", page["totals"], totals)
        check_stacks(profile, path, page)
        for by in ("function", "line", "file"):
            check_groups(profile, path,
                         show(path, f"--sort={sort}", f"--by={by}"), by)
        check_tree(profile, path, show(path, f"--sort={sort}", "--tree"),
                   lambda stack: stack[::-1])
        views += 5
    names = sorted({profile.function(f) for s, _ in profile.contexts for f in s
                    if not isinstance(profile.function(f), tuple)})
    for name in names[:6]:
        def is_it(f):
            return profile.function(f) == name

        def below(stack):
            at = [i for i, f in enumerate(stack) if is_it(f)]
            return stack[:at[0]][::-1] if at else None

        def above(stack):
            at = [i for i, f in enumerate(stack) if is_it(f)]
            return stack[at[-1] + 1:] if at else None
        pattern = f"^{name}$"
        callees = check_tree(profile, path,
                             show(path, f"--callees={pattern}"), below)
        callers = check_tree(profile, path,
                             show(path, f"--callers={pattern}"), above)
        same(f"{path}: {name}", callees, callers)
        check_list(profile, path, show(path, f"--list={pattern}"), name)
        views += 3
    return views


def make(seed, path):
    """A profile as text. Functions call themselves and each other; of some no line is
    known, and of some stacks nothing."""
    draw = random.Random(seed)
    functions = [{"Name": f"f{i}", "Guid": hex(1000 + i)} for i in range(8)]
    frames = []
    for i in range(24):
        frame = {"Function": draw.randrange(len(functions))}
        if draw.random() < 0.8:
            frame.update(File=f"/src/{draw.randrange(3)}.c",
                         Line=draw.randrange(1, 5))
        if draw.random() < 0.2:
            frame["Inline"] = True
        if frame not in frames:
            frames.append(frame)
    for i in range(3):
        frames.append({"Binary": 0, "Address": hex(4096 + i), "NoLines": True})
    contexts = {}
    for i in range(60):
        stack = tuple(draw.choices(range(len(frames)), k=draw.randrange(9)))
        mib = {"AllocCount": draw.randrange(1, 100)}
        for field in sorted(set(METRICS.values()) - {"AllocCount"}):
            mib[field] = draw.choice([0, draw.randrange(2**40)])
        contexts[stack] = {k: v for k, v in mib.items() if v}
    path.write_text(json.dumps({
        "MemprofProfile": 1,
        "Runs": [{"RUN_ID": "0x1", "COUNT": 1, "EXECUTABLE": "/bin/app",
                  "LIVE": 1, "CLOCK_RESOLUTION_NS": 1}],
        "Binaries": [{"Path": "/lib/libz.so", "BuildId": "0102"}],
        "Functions": functions, "Frames": frames,
        "Contexts": [{"Callstack": list(s), "MemInfoBlock": m}
                     for s, m in contexts.items()]}))
    return path


def main():
    views, words = 0, sys.argv[3:]
    while words:
        word = words.pop(0)
        if word.isdigit():
            work = pathlib.Path(words.pop(0))
            word = make(int(word), work / f"seed{word}.json")
        views += check(str(word))
    print(f"{views} views are right")


main()
