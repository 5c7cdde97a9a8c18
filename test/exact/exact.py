#!/usr/bin/env python3
"""exact.py -- programs that know how often they access each block.

Builds the program with LLVM's pass and with ours, and with our runtime, at each
optimization level. The program prints, for every allocating function,

    FUNCTION BLOCKS BYTES ACCESSES FEWEST MOST

and the profile must have exactly these numbers.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import glob
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "joints"))
import joints  # noqa: E402

COLUMNS = {"AllocCount": sum, "TotalSize": sum, "TotalAccessCount": sum,
           "MinAccessCount": min, "MaxAccessCount": max}


def by_function(records):
    """Sums the contexts of one allocating function."""
    found = {}
    for stack, block in records.items():
        found.setdefault(stack[0][0], []).append(block)
    return {guid: [rule(b[field] for b in blocks)
                   for field, rule in COLUMNS.items()]
            for guid, blocks in found.items()}


def check(args, compiler_pass, level):
    name = f"{compiler_pass}-{level}"
    program = os.path.join(args.work, name)
    is_cpp = args.source.endswith(".cpp")
    flags = [f"-{level}", *joints.DEBUG_FLAGS, "-fmemory-profile", "-pthread",
             "-fno-builtin-malloc", "-resource-dir=" +
             os.path.join(args.llvm_build, "resource"),
             *shlex.split(args.cflags)]
    if compiler_pass == "ours":
        flags.append("-fpass-plugin=" +
                     os.path.join(args.llvm_build, "memprof.so"))
    joints.run([os.path.join(args.llvm_bin, "clang++" if is_cpp else "clang"),
                *flags, args.source, "-o", program])
    for old in glob.glob(glob.escape(program) + ".raw*"):
        os.unlink(old)
    env = dict(os.environ, MEMPROF_PROFILE_FILE=program + ".raw")
    expected = joints.run([program], env=env)
    joints.run([args.memprofdata, "merge", "--memprof-full-schema",
                program + ".raw", "-o", program + ".profdata"])
    text = joints.run([joints.show_tool(args.llvm_bin), "show", "--memory",
                       program + ".profdata"])
    found = by_function(joints.parse_records(text))

    bad = sites = 0
    for line in expected.splitlines():
        function, *numbers = line.split()
        numbers = [int(n) for n in numbers]
        sites += 1
        if found.get(joints.guid(function)) != numbers:
            bad += 1
            print(f"{name}: {function}: expected {numbers}, "
                  f"got {found.get(joints.guid(function))}")
    print(f"{name}: {sites} functions, {bad} differ")
    return bad + (sites < args.min_sites)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cflags", default="")
    parser.add_argument("--min-sites", type=int, default=1)
    parser.add_argument("source")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    bad = sum(check(args, p, level) for p in ("ours", "llvm")
              for level in ("O0", "O1", "O2", "O3"))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
