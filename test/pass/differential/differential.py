#!/usr/bin/env python3
"""differential.py -- compares merged counting with counting one by one.

Random programs (generate.py) are built with -memprof-merge=none and with the given
modes, and run, each as a process with a profile of its own. In both profiles each
allocation context must have the same blocks, bytes and accesses, the same minimum and
maximum of accesses to a block and, if they are counted apart, the same reads and writes
and their bytes. A batch is an executable with many programs, so that compiling costs
little.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "joints"))
import joints  # noqa: E402
from generate import generate  # noqa: E402

# How to add up contexts that differ only in fields that are not compared.
FIELDS = {"AllocCount": sum, "TotalSize": sum, "TotalAccessCount": sum,
          "MinAccessCount": min, "MaxAccessCount": max, "TotalReads": sum,
          "TotalWrites": sum, "MeasuredRw": sum, "TotalReadBytes": sum,
          "TotalWriteBytes": sum, "MeasuredRwBytes": sum}
LEVELS = ("O2", "O1", "O3", "Os", "O2 -march=x86-64-v3", "O2 -fno-inline", "O0")


def build(args, source, mode, level):
    """The batch's executable."""
    access = args.access if mode == "none" else args.merged_access or args.access
    exe = f"{source}.{access}.{mode}"
    options = f"-memprof-merge={mode} -memprof-access={access}"
    if mode == "none":
        options += " -memprof-instrument-globals -memprof-keep-calls"
    else:
        options += " " + args.merged_options
    if mode == "none" and args.reuse and os.path.exists(exe):
        return exe
    compiler = "clang++" if source.endswith(".cpp") else "clang"
    joints.run([os.path.join(args.llvm_bin, compiler),
                *("-" + level).split(), *joints.DEBUG_FLAGS, "-w",
                "-fmemory-profile", "-pthread",
                "-resource-dir=" + os.path.join(args.llvm_build, "resource"),
                "-fpass-plugin=" + args.plugin, source, "-o", exe],
               env=dict(os.environ, MEMPROF_PASS_OPTIONS=options))
    for old in glob.glob(glob.escape(exe) + ".*.raw*"):
        os.unlink(old)
    return exe


def profile(args, exe, number):
    """Runs program `number` and reads its profile: {context: fields}."""
    raw = f"{exe}.{number}.raw"
    text = raw + ".json"
    if not os.path.exists(text):
        joints.run([exe, str(number)],
                   env=dict(os.environ, MEMPROF_PROFILE_FILE=raw))
        joints.run([args.memprofdata, "merge", "--text", "-j1", raw, "-o", text],
                   env=dict(os.environ, XDG_CACHE_HOME=args.work))
    with open(text) as file:
        return parse(json.load(file))


def parse(profile):
    """{call stack: fields} of what merge --text writes."""
    contexts = {}
    functions = profile.get("Functions", [])
    frames = [(functions[f["Function"]].get("Name") if "Function" in f else None,
               *(str(f.get(key)) for key in ("Line", "Column", "Address")))
              for f in profile.get("Frames", [])]
    for c in profile.get("Contexts", []):
        stack = tuple(frames[k] for k in c["Callstack"])
        contexts.setdefault(stack, []).append(c["MemInfoBlock"])
    return {stack: tuple(rule(b.get(field, 0) for b in blocks)
                         for field, rule in FIELDS.items())
            for stack, blocks in contexts.items()}


def compare(args, number, expected, exe):
    """What differs in program `number`, a line each."""
    one_by_one, merged = profile(args, expected, number), profile(args, exe,
                                                                  number)
    lines = [f"{exe} {number}: {stack[:3]}: {one_by_one.get(stack)} one by one, "
             f"{merged.get(stack)} merged"
             for stack in sorted(set(one_by_one) | set(merged), key=repr)
             if one_by_one.get(stack) != merged.get(stack)]
    if args.access != "total":
        lines += [f"{exe} {number}: {stack[:3]}: not all blocks were measured"
                  for stack, found in one_by_one.items()
                  if found[0] != found[list(FIELDS).index("MeasuredRw")]]
    # Each program allocates in at least five places.
    if len(one_by_one) < 5:
        lines.append(f"{exe} {number}: only {len(one_by_one)} contexts")
    return len(one_by_one), lines


def check(args, batch):
    is_cpp = batch % 2 == 1
    level = args.level or LEVELS[batch // 2 % len(LEVELS)]
    source = os.path.join(args.work, f"{batch}.{'cpp' if is_cpp else 'c'}")
    with open(source, "w") as out:
        out.write(generate(args.seed + batch, args.programs, is_cpp))
    expected = build(args, source, "none", level)
    contexts, differences = 0, []
    for mode in args.modes.split(","):
        exe = build(args, source, mode, level)
        for number in range(args.programs):
            found, lines = compare(args, number, expected, exe)
            contexts += found
            differences += lines
            if args.first and differences:
                break
    return len(differences), "\n".join(
        [*differences[:5], f"{batch}: {args.programs} programs at {level}, "
         f"{contexts} contexts, {len(differences)} differ"])


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--plugin", help="default: the one that was built")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--programs", type=int, default=50,
                        help="of each batch")
    parser.add_argument("--modes", default="region")
    parser.add_argument("--access", default="total",
                        help="what is counted: -memprof-access")
    parser.add_argument("--merged-access", help="the same of what is compared "
                        "with counting one by one; default: alike")
    parser.add_argument("--merged-options", default="",
                        help="further options of what is compared with "
                        "counting one by one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--reuse", action="store_true",
                        help="take the profiles of an earlier run with the same "
                        "seed as what one by one gives")
    parser.add_argument("--first", action="store_true",
                        help="a batch ends with the first program that differs, "
                        "and it is the last")
    parser.add_argument("--level", help="flags instead of the usual ones: O2 ...")
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    args.plugin = args.plugin or os.path.join(args.llvm_build, "memprof.so")
    os.makedirs(args.work, exist_ok=True)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        each = map if args.first else pool.map
        for found, text in each(lambda b: check(args, b), range(args.batches)):
            bad += found
            print(text, flush=True)
            if args.first and bad:
                break
    print(f"{args.batches * args.programs} programs: {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
