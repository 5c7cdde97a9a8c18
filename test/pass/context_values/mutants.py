#!/usr/bin/env python3
"""mutants.py -- checks that paths.py finds mistakes in the code that leaves values:
with one line of the plugin changed, contexts differ from walks, or hardly any is found
by value.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "differential"))
from mutants import build  # noqa: E402

CALLS = "collect/calls.c"
# (mistake, file, old text, new text)
MUTANTS = [
    ("what is not defined here may not allocate", "collect/reach.c",
     "? !is_harmless(callee)", "? false"),
    ("calls have no numbers", CALLS,
     "const uint32_t number = plan->number++;",
     "const uint32_t number = 0;"),
    ("functions multiply by the same", CALLS,
     "    calls->function += FUNCTION_STRIDE;", ""),
    ("the value is not left as it was found", CALLS,
     "    if (plan.is_exposed && !plan.is_late)", "    if (false)"),
    ("what was found is no part of it", CALLS,
     "LLVMBuildMul(builder, plan->found,",
     "LLVMBuildMul(builder, LLVMConstInt(context->intptr, 1, false),"),
    ("taken only before a call, from the second on one's own", CALLS,
     "    return is_late;", "    return true;"),
    ("a call that a loop comes back to is the last", CALLS,
     "    for (; next < after->count; next++) {",
     "    for (; false; next++) {"),
]


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    os.makedirs(args.work, exist_ok=True)
    missed = 0
    for number, mutant in enumerate(MUTANTS):
        plugin = build(args, number, mutant)
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "paths.py"),
             "--llvm-bin", args.llvm_bin, "--llvm-build", args.llvm_build,
             "--memprofdata", args.memprofdata, "--plugin", plugin,
             "--work", args.work, "--programs", "6", "--first"],
            stdout=subprocess.PIPE, text=True)
        # A crash of the program would be no proof.
        found = ": differs: " in done.stdout or "expected more" in done.stdout
        missed += not found
        print(f"{'found' if found else 'MISSED'}: {mutant[0]}", flush=True)
        if not found:
            print(done.stdout[-2000:])
    print(f"{len(MUTANTS) - missed} of {len(MUTANTS)} mutants found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
