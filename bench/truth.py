#!/usr/bin/env python3
"""truth.py -- compares estimates of accesses=1/N with exact counts.

Runs the programs of bench/programs.py, or with --random those of
test/pass/differential, with code of one version and of two. The counts of both must be
equal with accesses=all. With accesses=1/N and several seeds, prints for all call stacks
of a program together:

  in 3 SE   share of the estimates within three standard errors of the exact count
  rms z     root mean square of error / standard error
  rms 10    the same for call stacks that some ten bursts saw
  unsure    share of the bytes, of call stacks with an exact verdict hot or cold, that
            have no verdict because of the error
  changed   share of all bytes whose verdict is wrong in another way

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
for folder in ("bench", "test/joints", "test/pass/differential"):
    sys.path.insert(0, str(ROOT / folder))

# pylint: disable=wrong-import-position
from compile import Compiler  # noqa: E402
from generate import generate  # noqa: E402
from joints import fixed_layout  # noqa: E402
from programs import Program, programs  # noqa: E402

# Lua's seed depends on the time.
FLAGS = {"lua": ["-Dluai_makeseed(L)=1"]}
# Call stacks with an estimate of at least so many standard errors.
SEEN = 3


def random_program(work, seed, count):
    """A Program that runs `count` random programs, one after the other."""
    is_cpp = seed % 2 == 1
    source = work / f"random-{seed}.{'cpp' if is_cpp else 'c'}"
    text = generate(seed, count, is_cpp).replace(
        "switch (argc > 1 ? atoi(argv[1]) : -1) {",
        f"for (int k = 0, n = atoi(argv[1]); k < n * {count}; k++) "
        f"switch (k % {count}) {{")
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    return Program(f"random {seed}", source.stem, [source], ["20"], libs=["-lpthread"],
                   cxx=is_cpp)


def profile(args, program, exe, settings):
    """Runs the program; {call stack: {field: value}}."""
    with tempfile.TemporaryDirectory(prefix="memprof-truth-") as scratch:
        raw = os.path.join(scratch, "raw")
        # Names of one length, because programs copy the name to the heap.
        os.symlink(exe, os.path.join(scratch, "program"))
        command = [*fixed_layout(), "./program", *(a.replace("{work}", scratch)
                                                for a in program.arguments)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=scratch,
            env=dict(os.environ, MEMPROF_PROFILE_FILE=raw, MEMPROF_OPTIONS=settings))
        if done.returncode != program.status:
            sys.exit(f"{program.name} ended with {done.returncode}")
        text = subprocess.check_output(
            [args.build / "bin/memprofdata", "export", "--format=json", raw])
    data = json.loads(text)
    frames = [(f["name"], f.get("line"), f.get("column")) for f in data["frames"]]
    found = {}
    for context in data["contexts"]:
        mib = context["mib"]
        row = found.setdefault(tuple(frames[k] for k in context["stack"]), {
            "blocks": 0, "bytes": 0, "accesses": 0, "variance": 0, "verdicts": []})
        row["blocks"] += mib["AllocCount"]
        row["bytes"] += mib["TotalSize"]
        row["accesses"] += mib["TotalAccessCount"]
        row["variance"] += mib.get("TotalAccessCountVariance", 0)
        row["verdicts"].append((context["verdict"], context["why"]))
    return found


def differing(one, two):
    """Number of call stacks with other counts. Stacks are not compared, because lines
    of calls that the compiler merged depend on the build."""
    def counts(found):
        return collections.Counter((row["blocks"], row["bytes"], row["accesses"])
                                   for row in found.values())
    return (counts(one) - counts(two)).total()


class Tally:
    """Compares estimates with exact counts, call stack by call stack."""

    def __init__(self):
        self.z, self.seen = [], []
        self.bytes = self.unsure = self.changed = 0

    def add(self, exact, estimates):
        for stack, true in exact.items():
            row = estimates.get(stack)
            if row is None or row["blocks"] != true["blocks"]:
                continue
            error = abs(row["accesses"] - true["accesses"])
            deviation = math.sqrt(row["variance"])
            z = error / deviation if deviation else math.inf if error else 0
            if true["accesses"] or row["accesses"]:
                self.z.append(z)
                if deviation and row["accesses"] > SEEN * deviation:
                    self.seen.append(z)
            self.judge(true, row)

    def judge(self, true, row):
        self.bytes += true["bytes"]
        right, found = ([v if v in ("hot", "cold") else "none"
                         for v, _ in each["verdicts"]] for each in (true, row))
        if sorted(found) == sorted(right):
            return
        if any(why in ("unsure", "not-measured") for _, why in row["verdicts"]):
            self.unsure += true["bytes"]
        else:
            self.changed += true["bytes"]

    def line(self):
        def rms(values):
            finite = [z for z in values if z < math.inf]
            return math.sqrt(sum(z * z for z in finite) / max(len(finite), 1))
        inside = sum(z <= 3 for z in self.z) / max(len(self.z), 1)
        return (f"{len(self.z):7} stacks, in 3 SE {inside:7.2%}, rms z "
                f"{rms(self.z):5.2f}, rms 10 {rms(self.seen):5.2f} ({len(self.seen)}), unsure "
                f"{self.unsure / max(self.bytes, 1):6.2%}, changed "
                f"{self.changed / max(self.bytes, 1):6.2%}")


def check(args, program, totals):
    flags = [*program.flags, *FLAGS.get(program.binary, ())]
    exes = {variant: Compiler(variant, args).build(
        program.binary, program.sources, flags=flags, libs=program.libs,
        is_cxx=program.cxx).exe for variant in ("ours", "versions")}
    one = profile(args, program, exes["ours"], "")
    exact = profile(args, program, exes["versions"], "")
    differ, moving = differing(one, exact), 0
    if differ:
        moving = differing(one, profile(args, program, exes["ours"], ""))
    print(f"{program.name}: {len(exact)} stacks, "
          f"{sum(row['accesses'] for row in exact.values())} accesses; {differ} differ "
          f"between one version and two, {moving} between two runs", flush=True)
    again = Tally()
    again.add(one, exact)
    print(f"  all    {again.line()}", flush=True)
    for period in args.periods.split(",") if args.periods else ():
        tally = Tally()
        for seed in range(1, args.seeds + 1):
            estimates = profile(args, program, exes["versions"],
                                f"accesses=1/{period}:sample_seed={seed}")
            tally.add(exact, estimates)
            totals.setdefault(period, Tally()).add(exact, estimates)
            if args.verbose:
                worst(exact, estimates)
        print(f"  1/{period:4} {tally.line()}", flush=True)
    return differ <= moving


def worst(exact, estimates):
    rows = [(abs(row["accesses"] - exact[s]["accesses"]) /
             max(math.sqrt(row["variance"]), 1e-9), exact[s], row, s[:2])
            for s, row in estimates.items() if s in exact]
    for z, true, row, stack in sorted(rows, key=lambda r: -r[0])[:10]:
        print(f"    z {z:8.2f} exact {true['accesses']} estimate {row['accesses']} "
              f"+- {math.sqrt(row['variance']):.0f} {true['blocks']} blocks {stack}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm-version", default="22")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--clangxx", default="clang++-22")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression of names")
    parser.add_argument("--random", type=int, metavar="N",
                        help="N batches of --programs random programs instead")
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--periods", default="32", help="values of N of accesses=1/N")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.build = args.build.resolve()
    work = args.build / "bench/random"
    work.mkdir(parents=True, exist_ok=True)
    chosen = ([random_program(work, seed, args.programs) for seed in range(args.random)]
              if args.random else
              [p for p in programs(args.build) if re.search(args.only, p.name)])
    totals, is_same = {}, True
    for program in chosen:
        is_same &= check(args, program, totals)
    for period, tally in totals.items():
        print(f"all 1/{period}: {tally.line()}")
    sys.exit(not is_same)


if __name__ == "__main__":
    main()
