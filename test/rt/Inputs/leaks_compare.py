#!/usr/bin/env python3
"""leaks_compare.py -- compares leaks found by LeakSanitizer and by us: for each
function site_NAME the blocks and bytes, leaked directly and through other leaked
blocks.

usage: leaks_compare.py --clang CLANG --ours "COMMAND" --memprofdata TOOL --dir DIR
                        [--suppressions FILE] PROGRAM...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import csv
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaks")
FLAGS = ["-g", "-O1", "-fno-omit-frame-pointer", "-pthread", "-w",
         "-Wno-unknown-warning-option"]
SITE = re.compile(r"\bsite_\w+")
LEAK = re.compile(r"(Direct|Indirect) leak of (\d+) byte\(s\) in (\d+) object\(s\)")


def run(command, env=None, status=None):
    out = subprocess.run(command, env=dict(os.environ, **(env or {})), timeout=120,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if status is not None and out.returncode not in status:
        sys.exit(f"{command}: exit status {out.returncode}\n{out.stdout}{out.stderr}")
    return out


def build(compiler, source, target, libraries):
    defines = []
    if source.endswith("loads.c"):
        run(compiler + FLAGS + ["-shared", "-fPIC", os.path.join(HERE, "library.c"),
                                "-o", libraries], status=[0])
        defines = [f'-DLIBRARY="{libraries}"']
    run(compiler + FLAGS + defines + [source, "-o", target], status=[0])


def by_lsan(program, suppressions):
    """{(site, Direct or Indirect): (blocks, bytes)}"""
    options = "max_leaks=0:fast_unwind_on_malloc=0"
    if suppressions:
        options += ":suppressions=" + suppressions
    out = run([program], {"LSAN_OPTIONS": options}, [0, 23])
    leaks = collections.Counter()
    blocks = collections.Counter()
    for part in out.stderr.split("\n\n"):
        head = LEAK.search(part)
        if not head:
            continue
        site = SITE.search(part)
        key = (site.group() if site else part, head.group(1))
        leaks[key] += int(head.group(2))
        blocks[key] += int(head.group(3))
    if "LeakSanitizer has encountered a fatal error" in out.stderr:
        sys.exit(out.stderr)
    return {k: (blocks[k], leaks[k]) for k in leaks}


def number(row, field):
    """A column without any value is not there."""
    return int(row.get(field) or 0)


def shown_by_us(program, memprofdata, suppressions, files):
    """{(site, Any): (blocks, bytes)} of show --leaks, without what is suppressed"""
    out = run([memprofdata, "show", "--leaks", "--json", "--top=100", "--suppressions=" +
               suppressions, "--profiled-binary=" + program, *files], status=[0, 4]).stdout
    shown = json.loads(out)
    sums = collections.defaultdict(lambda: [0, 0])
    for row in shown["rows"]:
        names = [shown["frames"][f].get("function", "?") for f in row["stack"]]
        site = next((n for n in names if SITE.match(n)), ";".join(names))
        if row["values"]["leaked-blocks"]:
            sums[site, "Any"][0] += row["values"]["leaked-blocks"]
            sums[site, "Any"][1] += row["values"]["leaked"]
    return {k: tuple(v) for k, v in sums.items()}


def of_any_kind(leaks):
    sums = collections.defaultdict(lambda: [0, 0])
    for (site, _), (blocks, size) in leaks.items():
        sums[site, "Any"][0] += blocks
        sums[site, "Any"][1] += size
    return {k: tuple(v) for k, v in sums.items()}


def by_us(program, memprofdata, suppressions):
    for old in glob.glob(program + ".prof*"):
        os.unlink(old)
    out = run([program], {"MEMPROF_OPTIONS": f"leaks=1:log_path={program}.prof"}, [0])
    if out.stderr:
        sys.exit(f"{program}: {out.stderr}")
    files = glob.glob(program + ".prof*.raw")
    if suppressions:
        return shown_by_us(program, memprofdata, suppressions, files)
    table = run([memprofdata, "export", "--format=csv", *files, "-o", "-"],
                status=[0]).stdout
    sums = collections.defaultdict(lambda: [0, 0])
    checked = 0
    for row in csv.DictReader(table.splitlines()):
        checked += number(row, "LeakCheckedCount")
        found = SITE.findall(row["stack"])
        all_, bytes_ = number(row, "LeakedCount"), number(row, "LeakedBytes")
        far = number(row, "IndirectLeakedCount")
        far_bytes = number(row, "IndirectLeakedBytes")
        for kind, n, b in (("Direct", all_ - far, bytes_ - far_bytes),
                           ("Indirect", far, far_bytes)):
            if n:
                entry = sums[found[-1] if found else row["stack"], kind]
                entry[0] += n
                entry[1] += b
    if not checked:
        sys.exit(f"{program}: leaks were not looked for")
    return {k: tuple(v) for k, v in sums.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--memprofdata", required=True)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--suppressions")
    parser.add_argument("programs", nargs="+")
    args = parser.parse_args()
    os.makedirs(args.dir, exist_ok=True)
    differ = 0
    for name in args.programs:
        source = os.path.join(HERE, name)
        plus = "++" if name.endswith(".cpp") else ""
        base = os.path.join(args.dir, name)
        # The last part of the driver's name says which flags to use: clang or clang++.
        words = args.ours.split()
        words[0] += plus
        build([args.clang + plus, "-fsanitize=leak"], source, base + ".lsan",
              base + ".lsan.so")
        build(words, source, base + ".ours", base + ".ours.so")
        theirs = by_lsan(base + ".lsan", args.suppressions)
        if args.suppressions:
            theirs = of_any_kind(theirs)
        ours = by_us(base + ".ours", args.memprofdata, args.suppressions)
        for key in sorted(set(theirs) | set(ours)):
            a, b = theirs.get(key, (0, 0)), ours.get(key, (0, 0))
            if a != b:
                differ += 1
                print(f"{name}: {key[0]}, {key[1]}: LeakSanitizer {a[0]} blocks, "
                      f"{a[1]} bytes; ours {b[0]}, {b[1]}")
        print(f"{name}: {len(theirs)} sites, "
              f"{sum(v[0] for v in theirs.values())} blocks, "
              f"{sum(v[1] for v in theirs.values())} bytes leaked")
    print("all the same" if not differ else f"{differ} differences")
    return differ != 0


if __name__ == "__main__":
    sys.exit(main())
