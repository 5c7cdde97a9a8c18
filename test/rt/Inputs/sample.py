#!/usr/bin/env python3
"""sample.py MEMPROFDATA FOLDER PROGRAM CASE -- checks that estimates equal the
program's own numbers within their standard errors, also in llvm-profdata's section.

The program prints for each function: name, blocks, bytes, bytes alive, accesses.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import glob
import json
import os
import subprocess
import sys

MEMPROFDATA, FOLDER, PROGRAM, CASE = sys.argv[1:]
COLUMNS = ["blocks", "bytes", "live", "accesses"]
ERRORS = 6


def run(name, options):
    """What the program says, and the raw files of it and its children."""
    for old in glob.glob(os.path.join(FOLDER, name + "*.raw")):
        os.unlink(old)
    base = os.path.join(FOLDER, name + ".raw")
    env = dict(os.environ, MEMPROF_PROFILE_FILE=base, MEMPROF_OPTIONS=options)
    text = subprocess.run([PROGRAM, CASE], env=env, check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    said = {}
    for line in text.splitlines():
        function, *numbers = line.split()
        said[function] = dict(zip(COLUMNS, map(int, numbers)))
    return said, sorted(glob.glob(os.path.join(FOLDER, name + "*.raw")))


def show(raws):
    out = os.path.join(FOLDER, "out.profdata")
    subprocess.run([MEMPROFDATA, "merge", *raws, "-o", out], check=True)
    shown = json.loads(subprocess.run(
        [MEMPROFDATA, "show", "--json", out], check=True,
        stdout=subprocess.PIPE, text=True).stdout)
    found = {}
    for row in shown["rows"]:
        for at in row["stack"]:
            name = shown["frames"][at]["function"]
            if name not in ("__libc_start_main", "main"):
                found.setdefault(name, []).append(row)
    return shown, found


def check(function, said, rows, has_accesses):
    columns = COLUMNS if has_accesses and said["accesses"] else COLUMNS[:3]
    for column in columns:
        value = sum(r["values"][column] for r in rows)
        variance = sum(r["standard_errors"].get(column, 0) ** 2 for r in rows)
        off = abs(value - said[column])
        if off > ERRORS * variance ** 0.5 + 1:
            sys.exit(f"{function}: {column} {value}, not {said[column]}, "
                     f"standard error {variance ** 0.5:.0f}")
        if said[column] and off == 0 and variance:
            sys.exit(f"{function}: {column}: that is no estimate")
        # With one block in a thousand sampled, errors are some per cent.
        if said[column] and not 0 < variance ** 0.5 < 0.3 * said[column]:
            sys.exit(f"{function}: {column}: standard error "
                     f"{variance ** 0.5:.0f} of {said[column]}")


def main():
    has_accesses = not PROGRAM.endswith(".none")
    exact, raws = run("exact", "")
    exact_shown, _ = show(raws)
    said, raws = run("sampled", "sample=3000:sample_seed=3")
    if said != exact:
        sys.exit("the program behaves differently")
    shown, found = show(raws)
    for function, numbers in said.items():
        check(function, numbers, found[function], has_accesses)
    if shown["totals"].keys() != exact_shown["totals"].keys():
        sys.exit("other metrics are held")
    if "standard_errors" in exact_shown:
        sys.exit("all blocks are recorded, and sums are estimates")
    if CASE == "blocks":
        _, again = run("again", "sample=3000:sample_seed=3")
        _, other = run("other", "sample=3000:sample_seed=4")
        if show(again)[0]["totals"]["bytes"] != shown["totals"]["bytes"]:
            sys.exit("the same number does not choose the same blocks")
        if show(other)[0]["totals"]["bytes"] == shown["totals"]["bytes"]:
            sys.exit("another number chooses the same blocks")


main()
