#!/usr/bin/env python3
"""mutants.py -- checks that the differential test finds mistakes in merged counting,
and that programs which know their reads and writes find mistakes in counting.

Each mutant is the plugin with one line of one source changed; the test must fail with
it. It changes copies of the source, never the source.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))

# (mistake, file, old text, new text)
MUTANTS = [
    ("no call is a barrier", "collect/flow.c",
     "return !is_harmless(inst) || mpass_ir_is_jump(inst);", "return false;"),
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
    ("the origin is always in the block", "collect/address.c",
     "regions->marks[at].node->access->addr,", "origin,"),
    ("a started word does not count", "collect/memintrin.c",
     "+ MPROF_RANGE_WORD_BYTES - 1) /", ") /"),
]
# The same with reads and writes counted apart.
RW_MUTANTS = [
    ("what waits is flushed as the other direction", "collect/plan.c",
     ".is_write = first->is_write", ".is_write = !first->is_write"),
    ("reads and writes are merged", "collect/plan.c",
     "a->origin == b->origin && a->is_write == b->is_write",
     "a->origin == b->origin"),
    ("a group's bytes are those of its last access", "collect/plan.c",
     "nodes[count - 1].bytes += access->bytes",
     "nodes[count - 1].bytes = access->bytes"),
    ("a short copy reads its destination", "collect/memintrin.c",
     "access.is_write = i == 0;", "access.is_write = i != 0;"),
    ("a short copy has whole words", "collect/memintrin.c",
     "MPASS_MODE_RW_BYTES ? bytes : 0;",
     "MPASS_MODE_RW_BYTES ? words * MPROF_RANGE_WORD_BYTES : 0;"),
    ("a store's bytes are one too many where they wait", "collect/accumulate.c",
     "mpass_shadow_amount(v->context, u->count, u->bytes)",
     "mpass_shadow_amount(v->context, u->count,\n"
     "        u->bytes + v->plan->accumulators[i].is_write)"),
    ("accesses are counted as bytes", "collect/shadow.c",
     "count << BYTES_BITS | bytes", "count << (BYTES_BITS - 1) | bytes"),
]
# Mistakes that merging does not change, so only programs that know their own numbers
# find them.
EXACT_MUTANTS = [
    ("loads are writes and stores reads", "collect/access.c",
     ".is_write = is_write,", ".is_write = !is_write,"),
    ("a store has a byte too many", "collect/access.c",
     "                                              : access->type);",
     "                                              : access->type) + "
     "access->is_write;"),
    ("an atomic addition reads nothing", "collect/access.c",
     "access.is_both = true;", ""),
]
# Counts lost by a handler's jump.
JUMP_MUTANTS = [
    ("the first 63 accesses of a loop wait", "collect/accumulate.c",
     "LLVMGetFirstInstruction(entry)),\n        constant(v, 0));",
     "LLVMGetFirstInstruction(entry)),\n        constant(v, 63));"),
    ("what may wait grows faster than what was counted", "collect/accumulate.c",
     "LLVMBuildAdd(b, next, next, \"\")",
     "LLVMBuildMul(b, next, constant(v, 16), \"\")"),
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
    library = os.path.join(args.llvm_build, "..", "libmemprofdata.a")
    subprocess.check_call(["c++", "-shared", "-o", plugin, *objects,
                           source + ".o", library, "-Wl,-S,--as-needed", "-lzstd",
                           "-lz", "-lmd", "-lm", "-ldl"])
    return plugin


def differential(access):
    return ["--batches", "5", "--programs", "10", "--reuse", "--first",
            "--seed", "77", "--access", access]


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    missed = 0
    os.makedirs(args.work, exist_ok=True)
    mutants = [(m, "differential.py", differential("total")) for m in MUTANTS]
    mutants += [(m, "differential.py", differential("rw-bytes"))
                for m in RW_MUTANTS]
    exact = os.path.join(ROOT, "test", "exact")
    mutants += [(m, os.path.join(exact, "rw.py"),
                 ["--atomics", "13",
                  os.path.join(exact, "Inputs", "directions.c")])
                for m in EXACT_MUTANTS]
    mutants += [(m, "jumps.py", []) for m in JUMP_MUTANTS]
    for number, (mutant, script, options) in enumerate(mutants):
        plugin = build(args, number, mutant)
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, script),
             "--llvm-bin", args.llvm_bin, "--llvm-build", args.llvm_build,
             "--memprofdata", args.memprofdata, "--plugin", plugin,
             "--work", args.work, *options], stdout=subprocess.PIPE, text=True)
        # A crash of the program or a failure of the pass would be no proof.
        found = "merged" in done.stdout or "expected [" in done.stdout
        missed += not found
        print(f"{'found' if found else 'MISSED'}: {mutant[0]}", flush=True)
        if not found:
            print(done.stdout[-2000:])
    count = len(mutants)
    print(f"{count - missed} of {count} mutants found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
