#!/usr/bin/env python3
"""mutants.py -- the differential test finds mistakes in merged counting.

Each mutant is the plugin with one line of one source changed; the differential
test must fail with it. Copies of the source are changed, never the source.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))

# (what is wrong, file, old text, new text)
MUTANTS = [
    ("no call is a barrier", "collect/flow.c",
     "return !is_harmless(inst);", "return false;"),
    ("barriers do not part a block's accesses", "collect/plan.c",
     "site->segment != site[-1].segment", "false"),
    ("a pointer defined anew keeps the old counts", "collect/region.c",
     "nodes[i].segment == 0 && !mark->defines",
     "nodes[i].segment == 0 && (!mark->defines || LLVMIsAPHINode(origin))"),
    ("an address is kept past where the count ends", "collect/region.c",
     "(mark->tail || in)", "true"),
    ("not flushed where a region is left", "collect/region.c",
     "    add_edge(plan, &edge);", "    if (kept)\n        add_edge(plan, &edge);"),
    ("a phi of several objects is the first", "collect/origin.c",
     "return cycle->entry == stripped;", "return true;"),
    ("an accumulator is not reset", "collect/accumulate.c",
     "LLVMBuildStore(b, constant(v, 0), v->counts[i]);", ""),
    ("the origin is always in the block", "collect/plan.c",
     "return offset >= 0;", "return true;"),
    ("a started word does not count", "collect/memintrin.c",
     "+ MPROF_RANGE_WORD_BYTES - 1) /", ") /"),
]


def has_source(name):
    """False for memprof-clang.so's, and for what was left of an older build."""
    stem = os.path.splitext(name)[0]
    folder = ROOT if name.startswith("shared") else os.path.join(ROOT, "pass")
    return stem != "plugin/frontend" and any(
        os.path.exists(os.path.join(folder, stem + e)) for e in (".c", ".cpp"))


def build(args, number, mutant):
    """The mutant's plugin."""
    what, name, old, new = mutant
    folder = os.path.join(args.work, f"mutant{number}")
    os.makedirs(folder, exist_ok=True)
    text = open(os.path.join(ROOT, "pass", name)).read()
    if text.count(old) != 1:
        sys.exit(f"{what}: pass/{name} has changed; so must this test")
    source = os.path.join(folder, os.path.basename(name))
    with open(source, "w") as out:
        out.write(text.replace(old, new))
    built = os.path.join(args.llvm_build, "pass")
    objects = [o for o in glob.glob(os.path.join(built, "*", "*.o"))
               if has_source(os.path.relpath(o, built)) and
               os.path.relpath(o, built) != name[:-2] + ".o"]
    plugin = os.path.join(folder, "memprof.so")
    include = subprocess.check_output(
        [os.path.join(args.llvm_bin, "llvm-config"), "--includedir"],
        text=True).strip()
    subprocess.check_call(
        ["cc", "-std=c11", "-D_GNU_SOURCE", "-iquote", ROOT, "-isystem", include,
         "-fPIC", "-w", "-c", source, "-o", source + ".o"])
    subprocess.check_call(["c++", "-shared", "-o", plugin, *objects,
                           source + ".o", "-ldl"])
    return plugin


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    missed = 0
    os.makedirs(args.work, exist_ok=True)
    for number, mutant in enumerate(MUTANTS):
        plugin = build(args, number, mutant)
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "differential.py"),
             "--llvm-bin", args.llvm_bin, "--llvm-build", args.llvm_build,
             "--memprofdata", args.memprofdata, "--plugin", plugin,
             "--work", args.work, "--batches", "2", "--programs", "25",
             "--reuse", "--seed", "77"], stdout=subprocess.PIPE, text=True)
        # A program that crashes or a pass that fails would be no proof.
        found = "merged" in done.stdout
        missed += not found
        print(f"{'found' if found else 'MISSED'}: {mutant[0]}", flush=True)
        if not found:
            print(done.stdout[-2000:])
    print(f"{len(MUTANTS) - missed} of {len(MUTANTS)} mutants found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
