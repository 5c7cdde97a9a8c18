#!/usr/bin/env python3
"""run.py -- measures the cost of walking a call stack with several unwinders.

usage: run.py WALK STEPS [ROUNDS]

Prints medians of alternating runs, without the cost of making the stacks: ns of CPU
time and instructions per walk (for the slow unwinders at depth 20 only, because each
instruction is a step of a debugger). bench/trials.md explains the names.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import statistics
import subprocess
import sys
import tempfile

UNWINDERS = ("none", "ours-number", "ours", "ours-anew", "unw_backtrace",
             "unw_step", "_Unwind_Backtrace", "backtrace", "frame-pointers")
STACKS = ("5", "20", "100", "paths", "lib-20", "lib-paths", "lib-qsort")
SLOW = ("ours-anew", "unw_step", "_Unwind_Backtrace", "backtrace")


def time_ns(walk, unwinder, stack):
    walks = 4000 if unwinder in SLOW else 200000
    done = subprocess.run([walk, unwinder, stack, str(walks)], check=True,
                          capture_output=True, text=True)
    return (float(re.search(r"cpu ([\d.]+)", done.stderr)[1]),
            done.stdout.split()[0])


def steps(tool, walk, unwinder, stack):
    counts = []
    few = 1 if unwinder in SLOW else 100
    for walks in (few, 3 * few):
        with tempfile.NamedTemporaryFile("r") as out:
            subprocess.run([tool, out.name, walk, unwinder, stack,
                            str(walks)], check=True, capture_output=True)
            counts.append(int(out.readline()))
    return (counts[1] - counts[0]) / (2 * few)


def main():
    walk, tool = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    print("| stack | unwinder | frames | ns | instructions |")
    print("|---|---|---|---|---|")
    for stack in STACKS:
        times = {u: [] for u in UNWINDERS}
        for _ in range(rounds):
            for u in UNWINDERS:
                ns, frames = time_ns(walk, u, stack)
                times[u].append((ns - (times["none"][-1][0]
                                       if u != "none" else 0), frames))
        bare = steps(tool, walk, "none", stack)
        for u in UNWINDERS[1:]:
            ns = statistics.median(t[0] for t in times[u])
            count = "" if u in SLOW and stack != "20" else \
                f"{steps(tool, walk, u, stack) - bare:,.0f}"
            print(f"| {stack} | {u} | {times[u][0][1]} | {ns:,.0f} | {count} |",
                  flush=True)


if __name__ == "__main__":
    main()
