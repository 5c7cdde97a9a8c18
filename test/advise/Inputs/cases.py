#!/usr/bin/env python3
"""cases.py -- runs the cases of cases.c and compares the advice with its marks.

usage: cases.py MEMPROFDATA CASES PLAIN RW HISTOGRAM

The programs are CASES, cases.c or copies.cpp, compiled with -fmemory-profile
alone, with -memprof-access=rw or rw-bytes, and with -memprof-histogram. Prints how much of the advice
is right (precision) and how much of the expected advice was given (recall).

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

# The mode that measures what a kind of advice needs; others may give it, too.
NEEDS = {"never-read": "rw", "copy": "rw", "untouched-tail": "histogram",
         "cold-members": "histogram"}


def read_marks(path):
    """Marks by case: {(line, kind, mode without it)}, and those outside."""
    marks = collections.defaultdict(set)
    shared = []
    case = None
    with open(path) as source:
        for number, line in enumerate(source, 1):
            begin = re.match(r"CASE\((\w+)\)$", line)
            case = begin[1] if begin else case
            if line.startswith("}"):
                case = None
            for kind, only, off in re.findall(
                    r"advise: ([a-z-]+)(?: in (\w+))?(?: unless (\w+))?", line):
                if only or case:
                    marks[only or case].add((number, kind, off))
                else:
                    shared.append((number, kind, off))
    return marks, shared


# Functions outside of cases whose mark is of one case.
CALLERS = {"leaked": "leak", "temporary": "temporary", "local": "recursion"}


def advice_of(tool, program, case, directory):
    raw = os.path.join(directory, "raw")
    # The other cases write the same to all blocks.
    more = ":duplicates=1" if case.startswith("duplicates") else ""
    env = dict(os.environ, MEMPROF_PROFILE_FILE=raw,
               MEMPROF_OPTIONS="free_sites=1:last_access=1:leaks=1" + more)
    if os.path.exists(raw):
        os.remove(raw)
    subprocess.run([program, case], env=env, check=True)
    text = subprocess.run([tool, "advise", "--json", raw], check=True,
                          capture_output=True, text=True).stdout
    return {(row["stack"][0].get("line", 0), row["kind"])
            for row in json.loads(text)["advice"]}


def main():
    tool, path = sys.argv[1:3]
    programs = dict(zip(("plain", "rw", "histogram"), sys.argv[3:6]))
    marks, shared = read_marks(path)
    for mark in shared:
        marks[CALLERS[mark[1]]].add(mark)
    cases = subprocess.run([programs["plain"]], check=True, text=True,
                           capture_output=True).stdout.split()
    right = wrong = missed = 0
    with tempfile.TemporaryDirectory() as directory:
        for case in cases:
            for mode, program in programs.items():
                want = {(line, kind) for line, kind, off in marks[case]
                        if NEEDS.get(kind, mode) == mode != off}
                got = advice_of(tool, program, case, directory)
                right += len(want & got)
                wrong += len(got - want)
                missed += len(want - got)
                for word, rows in (("wrong", got - want),
                                   ("missed", want - got)):
                    for line, kind in sorted(rows):
                        print(f"{case}, {mode}: {word}: {kind} at line {line}")
    print(f"{len(cases)} cases in {len(programs)} modes: {right} right, "
          f"{wrong} wrong, {missed} missed")
    return wrong != 0 or missed != 0


if __name__ == "__main__":
    sys.exit(main())
