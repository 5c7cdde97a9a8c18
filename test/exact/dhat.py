#!/usr/bin/env python3
"""dhat.py -- compares, at each optimization level, the bytes that valgrind --tool=dhat
sees read and written at each allocating function of directions.c with those that the
program knows and that we count (rw.py). The differences listed here are allowed.
(docs/measured.md explains them.)

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import subprocess
import sys

# {function: (bytes that DHAT reads more than ours, bytes that it writes more, reason)}
OF_OPTIMIZER = {
    "sizes": (-20, -20, "an exclusive or of 16 bits with 3 that the code generator "
              "makes one of 8 bits, behind our counting"),
    "to_here": (0, 2, "30 bytes are set by two stores of 16 that overlap"),
}
OF_ALL = {
    "regrown": (100 + 99000, 100 + 99000, "realloc's copies count there"),
    "counters": (13 * 4, 0, "valgrind runs a locked instruction as a load and a "
                 "compare-and-exchange, which reads again"),
    "text": (1, 0, "valgrind's strcat reads the terminator that it writes over"),
}


def by_function(path):
    """{function that called malloc: [blocks, bytes, read, written]}"""
    profile, found = json.load(open(path)), {}
    for point in profile["pps"]:
        names = [profile["ftbl"][f].split(": ")[1].split(" (")[0]
                 for f in point["fs"]]
        function = next(n for n in names if n not in ("malloc", "realloc"))
        sums = found.setdefault(function, [0] * 4)
        for i, key in enumerate(("tbk", "tb", "rb", "wb")):
            sums[i] += point.get(key, 0)
    return found


def check(args, level):
    """How many functions are not as they must be."""
    program, out = (os.path.join(args.work, n + level) for n in ("program", "dhat.json"))
    differences = dict(OF_ALL, **({} if level == "-O0" else OF_OPTIMIZER))
    subprocess.check_call(
        [os.path.join(args.llvm_bin, "clang"), level, "-g", "-w", "-pthread",
         "-fno-builtin-malloc", args.source, "-o", program])
    expected = subprocess.check_output(
        ["valgrind", "--tool=dhat", "--dhat-out-file=" + out, program], text=True,
        stderr=subprocess.DEVNULL)
    found, bad, sites = by_function(out), 0, 0
    for line in expected.splitlines():
        function, blocks, size, _, _, read, written = line.split()
        more = differences.get(function, (0, 0, ""))
        wanted = [int(blocks), int(size), int(read) + more[0],
                  int(written) + more[1]]
        sites += 1
        bad += found.get(function) != wanted
        print(f"{function}: {found.get(function)}"
              + (f", as ours but {more[0]:+} read, {more[1]:+} written: {more[2]}"
                 if more[2] else "")
              + ("" if found.get(function) == wanted else f", expected {wanted}"))
    print(f"{level}: {sites} functions, {bad} differ")
    return bad + (sites < 14)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("source")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    sys.exit(1 if sum(check(args, level) for level in
                      ("-O0", "-O1", "-O2", "-O3")) else 0)


if __name__ == "__main__":
    main()
