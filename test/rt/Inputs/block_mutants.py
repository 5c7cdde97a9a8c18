#!/usr/bin/env python3
"""block_mutants.py -- checks that the unit tests of heap, block and sample find
mistakes in the place of headers, the state of a block, and the weight of a block.

Each mutant is the runtime's core with one line of one source changed; one of the tests
must fail with it. It changes copies of the source, never the source.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))

HEADER, HEAP, HEAP_QUERY = "rt/heap/heap.h", "rt/heap/heap.c", "rt/heap/heap_query.c"
NEW, FREE = "rt/record/block_new.c", "rt/record/block_free.c"
QUERY, MIBMAP = "rt/record/block_query.c", "rt/record/mibmap.h"
CLASSES, STATE = "rt/heap/classes.c", "rt/record/block_state.h"
SAMPLE, RESIZE = "rt/record/sample.h", "rt/record/block_resize.c"
# (mistake, file, old text, new text)
MUTANTS = [
    ("a header's index is one too high", HEADER,
     "return (char *)p - in_page + i * c->stride;",
     "return (char *)p - in_page + (i + 1) * c->stride;"),
    ("new blocks have the header of the one before", HEADER,
     "mprt_classes_index(c, (uint32_t)in_page - c->first) * c->stride;",
     "(mprt_classes_index(c, (uint32_t)in_page - c->first) - "
     "((uint32_t)in_page != c->first)) * c->stride;"),
    ("each address of a slot begins it", HEADER,
     "distance >= c->end || i * c->bytes != distance", "distance >= c->end"),
    ("memory begins one granule early", CLASSES,
     "    *first = (uint32_t)mprof_round_up(n * MPRT_HEAP_HEADER_BYTES,\n"
     "                                      MPROF_GRANULE_BYTES);",
     "    *first = (uint32_t)mprof_round_up(n * MPRT_HEAP_HEADER_BYTES,\n"
     "                                      MPROF_GRANULE_BYTES) -"
     " MPROF_GRANULE_BYTES;"),
    ("a span has a slot more than fits", CLASSES,
     "    return (uint32_t)n;\n}\n\n/* The fewest",
     "    return (uint32_t)n + 1;\n}\n\n/* The fewest"),
    ("the header in front is the slot's last 32 bytes too", CLASSES,
     "c->room = c->bytes - MPRT_HEAP_ALIGN;", ";"),
    ("headers of new spans are left as they were", HEAP,
     "        if (!is_zero)\n            clear_headers", "        if (false)\n"
     "            clear_headers"),
    ("headers of coarse classes are looked for in this page", HEAP_QUERY,
     "? mprt_runs_page(p)\n"
     "                               : mprt_runs[mprt_runs_page(p)].first;",
     "? mprt_runs_page(p) : mprt_runs_page(p);"),
    ("interior addresses are those of the slot after", HEAP_QUERY,
     "const uint64_t i = distance / c->bytes;",
     "const uint64_t i = (distance + 16) / c->bytes;"),
    ("slots that were not handed out hold blocks", HEAP_QUERY,
     "i >= atomic_load_explicit(&mprt_runs[first].carved,\n"
     "                                  memory_order_acquire)",
     "false"),
    ("a batch forgets its size", HEAP, "count << HEAD_NUMBER_BITS", "0"),
    ("an alignment is not remembered", NEW,
     "if ((uintptr_t)slot.memory % align != 0)", "if (false)"),
    ("the slot of an aligned block is too short", NEW,
     "size += align - MPROF_GRANULE_BYTES;", ";"),
    ("an aligned block's slot begins a block", STATE,
     "(*state & (STATE_ALIGN_MASK | STATE_KIND_MASK)) ==",
     "(*state & STATE_KIND_MASK) =="),
    ("size and count overlap", STATE,
     "((before + STATE_COUNT) & STATE_COUNT_MASK)", "(before + STATE_COUNT)"),
    ("a restart takes the next block's time", QUERY,
     "__atomic_compare_exchange_n(&h->birth_ns, &birth_ns,\n"
     "                                    mprt_clock_now_ns(), false,\n"
     "                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);",
     "h->birth_ns = mprt_clock_now_ns();"),
    ("a sampled block that ends stands for itself alone", FREE,
     "const uint32_t weight = is_with_sampling ? weight_of(h, p) : 1;",
     "const uint32_t weight = 1; (void)is_with_sampling;"),
    ("a live one stands for itself alone", QUERY,
     "live.weight = weight_at(live.p, state);", "live.weight = 1;"),
    ("a parent's sampled block is its child's", FREE,
     "MPROF_LIKELY(context >= mprt_depot_first_id) ? weight : 0", "weight"),
    ("an unsampled block is no allocation", SAMPLE,
     "t->last.header = NULL;", ";"),
    ("a replaced block lives on", RESIZE,
     "end_live(t, h, (uintptr_t)p);\n    const struct mprt_block_end end", "const struct mprt_block_end end"),
    ("a life was alive at no peak", FREE,
     ".peak = mprt_live_peak_of(h->birth_ns),", ".peak = 0,"),
    ("a life ended where it began", FREE,
     ".is_elsewhere =\n"
     "            (h->cpu_thread ^ cpu_thread) >> CPU_THREAD_CPU_BITS != 0,",
     ".is_elsewhere = false,"),
    ("a life's peak is an older one", MIBMAP,
     "mprt_mibmap_begin_peak(c->entry, life->peak);", ";"),
    ("a life is as long as the others", MIBMAP,
     "mprt_mibmap_count(c, map, mprt_mibmap_buckets(life));",
     "mprt_mibmap_count(c, map, c->common_buckets);"),
]
# The tests with their link options, fastest first.
TESTS = {"heap": [], "sample": ["-lm"],
         "block": ["-Wl,--wrap=mprt_shadow_clear"]}
# Sources that include a mutated header and are therefore recompiled.
SOURCES = [CLASSES, HEAP, HEAP_QUERY, "rt/heap/runs.c", NEW, FREE, QUERY, *(
    f"rt/heap/shadow_{name}.c" for name in ("map", "count", "sum", "visit")),
    RESIZE, "rt/record/sample.c", "rt/record/ended.c", "rt/record/mibmap.c",
    "rt/record/trail.c"]
UNITS = SOURCES + [f"test/unit/rt/{name}_test.c" for name in TESTS]


def object_of(folder, unit):
    return os.path.join(folder, os.path.basename(unit) + ".o")


def compile_units(args, folder, units):
    """The units' objects, of the sources as they are in the folder, else ours."""
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-w", "-MMD", "-iquote", folder,
             "-iquote", ROOT, "-isystem", os.path.join(args.llvm_build,
                                                       "rt-include")]
    for unit in units:
        mutated = os.path.join(folder, unit)
        path = mutated if os.path.exists(mutated) else os.path.join(ROOT, unit)
        subprocess.check_call(["cc", *flags, "-c", path, "-o",
                               object_of(folder, unit)])


def is_of(plain, unit, name):
    """Whether the unit was compiled from this file, among others."""
    with open(object_of(plain, unit)[:-1] + "d") as rules:
        return os.path.join(ROOT, name) in rules.read().split()


def is_found(args, plain, folder):
    """Whether a test fails with the folder's objects, else those in `plain`."""
    built = os.path.join(args.build, "test", "unit", "obj")
    others = [o for part in ("base", "heap", "stack", "record")
              for o in glob.glob(os.path.join(built, "rt", part, "*.o"))
              if os.path.relpath(o, built)[:-2] + ".c" not in SOURCES and
              os.path.exists(os.path.join(ROOT, os.path.relpath(o, built)[:-2] + ".c")) and
              os.path.basename(o) not in ("options.o", "mapbuf.o", "sort.o")]
    others += [os.path.join(built, "shared", f"{name}.o")
               for name in ("mib", "note", "cursor", "err")]
    for name, options in TESTS.items():
        objects = [object_of(folder if os.path.exists(object_of(folder, unit))
                             else plain, unit)
                   for unit in [f"test/unit/rt/{name}_test.c", *SOURCES]]
        test = os.path.join(folder, name)
        subprocess.check_call(["cc", *objects, *others, "-lcmocka", *options,
                               "-o", test])
        try:
            done = subprocess.run([test], timeout=120,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return True
        if done.returncode != 0:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    for option in ("--build", "--llvm-build", "--work"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    missed = 0
    plain = os.path.join(os.path.abspath(args.work), "plain")
    os.makedirs(plain, exist_ok=True)
    compile_units(args, plain, UNITS)
    if is_found(args, plain, plain):
        sys.exit("the tests fail without a mutant")
    for number, (what, name, old, new) in enumerate(MUTANTS):
        folder = os.path.join(os.path.abspath(args.work), f"mutant{number}")
        text = open(os.path.join(ROOT, name)).read()
        if text.count(old) != 1:
            sys.exit(f"{what}: {name} has changed; so must this test")
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(folder, name), "w") as out:
            out.write(text.replace(old, new))
        compile_units(args, folder, [u for u in UNITS if is_of(plain, u, name)])
        found = is_found(args, plain, folder)
        missed += not found
        print(f"{'found' if found else 'MISSED'}: {what}", flush=True)
        shutil.rmtree(folder)
    print(f"{len(MUTANTS) - missed} of {len(MUTANTS)} mutants found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
