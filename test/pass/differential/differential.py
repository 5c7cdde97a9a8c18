#!/usr/bin/env python3
"""differential.py -- merged counting against counting one by one.

Random programs (generate.py) are built with -memprof-merge=none and with the
modes given, run, and the profiles compared: each allocation context must have
the same blocks, bytes and accesses, and the same fewest and most accesses of a
block. A batch is one program of many functions.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "joints"))
import joints  # noqa: E402
from generate import generate  # noqa: E402

FIELDS = ("AllocCount", "TotalSize", "TotalAccessCount", "MinAccessCount",
          "MaxAccessCount")
LEVELS = ("O2", "O1", "O3", "Os", "O2 -march=x86-64-v3", "O2 -fno-inline",
          "O2 -flto=thin -fuse-ld=lld", "O0")


def profile(args, source, mode, level):
    """Builds, runs and reads one program: {context: fields}."""
    program = f"{source}.{mode}"
    is_cpp = source.endswith(".cpp")
    options = f"-memprof-merge={mode}"
    if mode == "none":
        options += " -memprof-instrument-globals -memprof-keep-calls"
    if mode == "none" and args.reuse and os.path.exists(program + ".profdata"):
        return read(args, program)
    joints.run([os.path.join(args.llvm_bin, "clang++" if is_cpp else "clang"),
                *("-" + level).split(), *joints.DEBUG_FLAGS, "-w",
                "-fmemory-profile", "-pthread",
                "-resource-dir=" + os.path.join(args.llvm_build, "resource"),
                "-fpass-plugin=" + args.plugin, source, "-o", program],
               env=dict(os.environ, MEMPROF_PASS_OPTIONS=options))
    for old in glob.glob(glob.escape(program) + ".raw*"):
        os.unlink(old)
    env = dict(os.environ, MEMPROF_PROFILE_FILE=program + ".raw")
    joints.run([program], env=env)
    joints.run([args.memprofdata, "merge", "--memprof-full-schema",
                program + ".raw", "-o", program + ".profdata"])
    return read(args, program)


def read(args, program):
    text = joints.run([joints.show_tool(args.llvm_bin), "show",
                       "--memory", program + ".profdata"])
    return {stack: tuple(block[f] for f in FIELDS)
            for stack, block in joints.parse_records(text).items()}


def check(args, batch):
    is_cpp = batch % 2 == 1
    level = LEVELS[batch // 2 % len(LEVELS)]
    if "lld" in level and not args.lld:
        level = "O2"
    source = os.path.join(args.work, f"{batch}.{'cpp' if is_cpp else 'c'}")
    with open(source, "w") as out:
        out.write(generate(args.seed + batch, args.functions, is_cpp))
    expected = profile(args, source, "none", level)
    bad = 0
    lines = []
    for mode in args.modes.split(","):
        found = profile(args, source, mode, level)
        for stack in sorted(set(expected) | set(found)):
            if expected.get(stack) != found.get(stack):
                bad += 1
                if bad <= 5:
                    lines.append(f"{source} {mode} {level}: {stack[:3]}: "
                                 f"{expected.get(stack)} one by one, "
                                 f"{found.get(stack)} merged")
    lines.append(f"{batch}: {args.functions} functions at {level}, "
                 f"{len(expected)} contexts, {bad} differ")
    if len(expected) < args.functions:
        bad += 1
    return bad, "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--plugin", help="default: the one that was built")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--functions", type=int, default=50)
    parser.add_argument("--modes", default="region")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--reuse", action="store_true",
                        help="take the profiles of an earlier run with the same "
                        "seed as what one by one gives")
    parser.add_argument("--lld", action="store_true")
    args = parser.parse_args()
    args.plugin = args.plugin or os.path.join(args.llvm_build, "memprof.so")
    os.makedirs(args.work, exist_ok=True)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for found, text in pool.map(lambda b: check(args, b),
                                    range(args.batches)):
            bad += found
            print(text, flush=True)
    print(f"{args.batches * args.functions} functions: {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
