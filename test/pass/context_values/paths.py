#!/usr/bin/env python3
"""paths.py -- random programs whose functions call each other in all ways: directly,
through pointers, through code that is not instrumented and through libc, and that jump
back over several frames. For each allocation the context of the value must be the one
that a walk finds, and most contexts must be found by value.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import bisect
import os
import random
import re
import shutil
import subprocess
import sys

FUNCTIONS = 14
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
# Of the allocations; the others are on paths that are seen for the first time.
FOUND_MIN = 0.65

HEAD = """
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
typedef void way(int, unsigned);
extern long budget;
extern volatile int sink;
extern int jumps, sort_depth;
extern unsigned sort_way;
extern jmp_buf targets[64];
extern way *const table[%(count)d];
way %(names)s;
int compare0(const void *, const void *), compare1(const void *, const void *);
void plain_once(way *, int, unsigned), plain_twice(way *, int, unsigned);
void plain_deep(int, way *, int, unsigned);
""" % {"count": FUNCTIONS,
       "names": ", ".join(f"f{i}" for i in range(FUNCTIONS))}

PLAIN = HEAD + """
long budget;
volatile int sink;
int jumps, sort_depth;
unsigned sort_way;
jmp_buf targets[64];
void plain_once(way *f, int n, unsigned r) { f(n, r); sink++; }
void plain_twice(way *f, int n, unsigned r)
{
    f(n, r);
    sink++;
    if (r & 4)
        f(n, r >> 1);
    sink++;
}
void plain_deep(int more, way *f, int n, unsigned r)
{
    if (more > 0)
        plain_deep(more - 1, f, n, r);
    else
        f(n, r);
    sink++;
}
"""

MAIN = """
way *const table[%d] = {%s};
int main(void)
{
    for (unsigned i = 0; i < %d; i++) {
        budget = 400;
        jumps = 0;
        table[i %% %d](9, (i %% 5) * 2654435761u);
    }
    return 0;
}
"""


def statement(rng, static):
    """One statement of a function; `static`: functions of this file alone."""
    target = rng.choice([f"f{i}" for i in range(FUNCTIONS)] + static)
    way = f"n - 1, r * {rng.randrange(3, 99, 2)}u + {rng.randrange(99)}u"
    size = rng.randrange(1, 200)
    kinds = [
        f"{{ void *volatile p = malloc({size}); free(p); }}",
        f"{{ void *volatile p = calloc(2, {size}); p = realloc(p, 300); free(p); }}",
        "{ char *volatile p = strdup(\"some text\"); free(p); }",
        f"{target}({way});",
        f"{target}({way});",
        f"table[(r >> {rng.randrange(9)}) % {FUNCTIONS}]({way});",
        f"for (int i = 0; i < {rng.randrange(2, 4)}; i++) {target}({way});",
        f"plain_once({target}, {way});",
        f"plain_twice({target}, {way});",
        f"plain_deep((int)(r % 3), {target}, {way});",
        f"{{ int v[3] = {{2, 3, 1}}; sort_depth = n; sort_way = r; "
        f"qsort(v, 3, sizeof(int), compare{rng.randrange(2)}); }}",
        f"if (jumps < 60) {{ if (setjmp(targets[jumps++]) == 0) {{ {target}({way});"
        " jumps--; } }",
        "if (jumps > 0 && r % 7 == 3) longjmp(targets[--jumps], 1);",
        "{ volatile char *p = alloca((r & 48) + 1); p[0] = 1; sink += p[0]; }",
    ]
    text = rng.choice(kinds)
    if rng.randrange(3) == 0:
        text = f"if (r & {1 << rng.randrange(8)}) {{ {text} }}"
    return text


def function(rng, name, static):
    # Functions with one statement often have no allocation after it.
    body = [statement(rng, static) for _ in range(rng.choice([1, 2, 3, 4, 5, 5]))]
    last = ("" if len(body) == 1 or rng.randrange(3) else
            f"f{rng.randrange(FUNCTIONS)}(n - 1, r / 3u);")
    keep = rng.choice(["", "__attribute__((noinline)) "])
    return (f"{'static ' if name in static else ''}{keep}void {name}(int n, unsigned r)\n"
            "{\n    if (n <= 0 || budget-- <= 0)\n        return;\n    "
            + "\n    ".join(body) + "\n    " + last + "\n}\n")


def source(rng, part, is_known):
    static = [f"s{part}{i}" for i in range(3)]
    text = HEAD + "".join(f"static void {s}(int, unsigned);\n" for s in static)
    for name in [f"f{i}" for i in range(part, FUNCTIONS, 2)] + static:
        text += function(rng, name, static)
    text += (f"int compare{part}(const void *a, const void *b)\n{{\n"
             "    const int n = sort_depth, d = *(const int *)a - *(const int *)b;\n"
             f"    void *volatile p = malloc(9);\n    free(p);\n"
             f"    table[sort_way % {FUNCTIONS}](n - 2, sort_way + (d > 0));\n"
             "    return d;\n}\n")
    # Callbacks that their own file does not know are walked.
    if is_known:
        text += f"way *const table{part}[] = {{" + ", ".join(
            f"f{i}" for i in range(part, FUNCTIONS, 2)) + "};\n"
        text += (f"int (*const compare_of{part})(const void *, const void *) = "
                 f"compare{part};\n")
    return text


def main_text(rounds):
    return MAIN % (FUNCTIONS, ", ".join(f"f{i}" for i in range(FUNCTIONS)), rounds,
                   FUNCTIONS)


def compile_one(args, seed, folder):
    """The program of this seed."""
    rng = random.Random(seed)
    level = LEVELS[seed % len(LEVELS)]
    clang = os.path.join(args.llvm_bin, "clang")
    resource = os.path.join(args.llvm_build, "resource")
    load = ["-fpass-plugin=" + args.plugin]
    if args.before_22:
        load += ["-Xclang", "-load", "-Xclang", args.plugin]
    values = [clang, "-w", "-g", level, *load, "-fmemory-profile", "-resource-dir=" + resource]
    objects = []
    texts = [source(rng, part, seed % 7 != 6) for part in range(2)] + [PLAIN]
    # Below a main() that leaves nothing, each round finds the value of the last one.
    texts[rng.choice([0, 2])] += main_text(args.rounds)
    for name, text, command in [
            ("a", texts[0], values),
            ("b", texts[1], values),
            ("plain", texts[2], [clang, "-w", rng.choice(["-O0", "-O2"]),
                              "-fno-optimize-sibling-calls"])]:
        path = os.path.join(folder, name + ".c")
        with open(path, "w") as out:
            out.write(text)
        objects.append(path[:-1] + "o")
        subprocess.check_call([*command, "-c", path, "-o", objects[-1]])
    exe = os.path.join(folder, "prog")
    subprocess.check_call([*values, "-no-pie", *objects, "-o", exe])
    return exe


def sum_of(profile, key):
    """The sum of the numbers of this key in a profile as text."""
    return sum(int(n) for n in re.findall(rf'"{key}":(\d+)', profile))


def said_differences(text):
    """Pairs of call stacks that context=both says to be different."""
    found = []
    for line in text.splitlines():
        pcs = [int(pc, 16) for pc in re.findall(r" 0x([0-9a-f]+)", line)]
        if "by value" in line:
            found.append([pcs])
        elif "by walk" in line:
            found[-1].append(pcs)
    return found


def plain_addresses(exe):
    """Whether an address is of code that leaves no values."""
    out = subprocess.check_output(["nm", "-n", exe], text=True)
    rows = [line.split() for line in out.splitlines()]
    text = [(int(row[0], 16), row[2]) for row in rows
            if len(row) == 3 and row[1] in "tT"]
    starts = [start for start, _ in text]

    def is_plain(pc):
        at = bisect.bisect_right(starts, pc) - 1
        return at < 0 or pc > starts[-1] or not re.fullmatch(
            r"[fs]\d+|compare\d", text[at][1])
    return is_plain


def check(args, seed):
    """What is wrong with the program of this seed, or None; contexts found by value and
    all allocations."""
    folder = os.path.join(args.work, f"paths{seed}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    exe = compile_one(args, seed, folder)
    raw = os.path.join(folder, "raw")
    run = subprocess.run([exe], stderr=subprocess.PIPE, text=True, timeout=300,
                         env={**os.environ, "MEMPROF_PROFILE_FILE": raw,
                              "MEMPROF_OPTIONS": "context=both"})
    if run.returncode != 0:
        return f"ends with {run.returncode}: {run.stderr[:500]}", 0, 0
    text = os.path.join(folder, "profile.json")
    subprocess.check_call([args.memprofdata, "merge", "--text", raw, "-o", text])
    with open(text) as file:
        profile = file.read()
    found = sum_of(profile, "CONTEXT_CHECKS")
    differ = sum_of(profile, "CONTEXT_DIFFERENCES")
    total = sum_of(profile, "AllocCount")
    pairs = said_differences(run.stderr)
    if (differ != 0) != bool(pairs):
        return f"says {len(pairs)} differences of {differ}", found, total
    is_plain = plain_addresses(exe)
    for pair in pairs:
        by_value, by_walk = [[pc for pc in pcs if not is_plain(pc)]
                             for pcs in pair]
        # If one is cut, the other may go on.
        if any(a != b for a, b in zip(by_value, by_walk)):
            return f"differs: {pair}", found, total
    return None, found, total


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--plugin")
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", action="store_true",
                        help="the first program that differs is the last")
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    args.plugin = args.plugin or os.path.join(args.llvm_build, "memprof.so")
    version = subprocess.check_output(
        [os.path.join(args.llvm_bin, "llvm-config"), "--version"], text=True)
    args.before_22 = int(version.split(".")[0]) < 22
    wrong = found = total = 0
    for seed in range(args.seed, args.seed + args.programs):
        what, by_value, all_of = check(args, seed)
        found, total = found + by_value, total + all_of
        if what is not None:
            wrong += 1
            print(f"program {seed}: {what}", flush=True)
            if args.first and what.startswith("differs: "):
                break
    print(f"{args.programs} programs, {wrong} wrong; {found:,} of {total:,} contexts "
          "by value")
    if wrong == 0 and found < FOUND_MIN * total:
        print("expected more by value")
        wrong = 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
