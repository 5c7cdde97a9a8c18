#!/usr/bin/env python3
"""rw.py -- programs that know how they read and write each block.

Builds the program at each optimization level with -memprof-access=rw-bytes, rw and
total. It prints, for every allocating function,

    FUNCTION BLOCKS BYTES READS WRITES BYTES-READ BYTES-WRITTEN

and the profile must have exactly these numbers, as far as the mode measures them, and
no others.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "joints"))
import joints  # noqa: E402

FIELDS = ("AllocCount", "TotalSize", "TotalReads", "TotalWrites",
          "TotalReadBytes", "TotalWriteBytes", "TotalAccessCount", "MeasuredRw",
          "MeasuredRwBytes")


def by_function(text):
    """{allocating function: fields} of what merge --text writes."""
    profile, found = json.loads(text), {}
    for context in profile["Contexts"]:
        frame = profile["Frames"][context["Callstack"][0]]
        name = profile["Functions"][frame["Function"]]["Name"]
        sums = found.setdefault(name, [0] * len(FIELDS))
        for i, field in enumerate(FIELDS):
            sums[i] += context["MemInfoBlock"].get(field, 0)
    return found


def wanted(numbers, mode, atomics):
    """What FIELDS must be. An atomic operation that reads and writes is one
    access where they are not told apart."""
    blocks, size, reads, writes, bytes_read, bytes_written = numbers
    accesses = reads + writes
    if mode == "total":
        return [blocks, size, 0, 0, 0, 0, accesses - atomics, 0, 0]
    if mode == "rw":
        return [blocks, size, reads, writes, 0, 0, accesses, blocks, 0]
    return [blocks, size, reads, writes, bytes_read, bytes_written, accesses,
            blocks, blocks]


def check(args, mode, level):
    name = f"{mode}-{level}"
    program = os.path.join(args.work, name)
    joints.run([os.path.join(args.llvm_bin, "clang"), f"-{level}",
                *joints.DEBUG_FLAGS, "-w", "-fmemory-profile", "-pthread",
                "-fno-builtin-malloc", "-resource-dir=" +
                os.path.join(args.llvm_build, "resource"), "-fpass-plugin=" +
                (args.plugin or os.path.join(args.llvm_build, "memprof.so")),
                args.source, "-o", program],
               env=dict(os.environ,
                        MEMPROF_PASS_OPTIONS=f"-memprof-access={mode}"))
    if os.path.exists(program + ".raw"):
        os.unlink(program + ".raw")
    expected = joints.run([program], env=dict(
        os.environ, MEMPROF_PROFILE_FILE=program + ".raw"))
    found = by_function(joints.run(
        [args.memprofdata, "merge", "--text", program + ".raw", "-o", "-"]))

    bad = sites = 0
    for line in expected.splitlines():
        function, *numbers = line.split()
        numbers = wanted([int(n) for n in numbers], mode,
                         args.atomics if function == "counters" else 0)
        sites += 1
        if found.get(function) != numbers:
            bad += 1
            print(f"{name}: {function}: expected {numbers}, "
                  f"got {found.get(function)}")
    print(f"{name}: {sites} functions, {bad} differ")
    return bad + (sites < args.min_sites)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--plugin", help="default: the one that was built")
    parser.add_argument("--min-sites", type=int, default=1)
    parser.add_argument("--atomics", type=int, default=0,
                        help="operations of `counters` that do both")
    parser.add_argument("source")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    bad = sum(check(args, mode, level)
              for mode in ("rw-bytes", "rw", "total")
              for level in ("O0", "O1", "O2", "O3"))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
