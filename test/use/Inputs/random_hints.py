#!/usr/bin/env python3
"""random_hints.py -- random programs behave the same with hints as without.

The programs of test/pass/differential, which also allocate in labels, by varargs and in
coroutines here, zero their blocks and print what they computed. A batch is one
executable, profiled program by program. Builds with the profile, without and with each
kind of LTO, must print the same as one without a profile. A list makes some functions'
blocks cold and some hot, so that each batch has many hints.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "pass/differential"))
from generate import generate  # noqa: E402

BEGIN = r"""
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
static inline __attribute__((always_inline)) void *zeroed(size_t n)
{
    void *const p = malloc(n);
    if (p) memset(p, 0, n);
    return p;
}
NOINLINE static int *by_varargs(int n, ...)
{
    va_list rest; size_t size = 0;
    va_start(rest, n);
    while (n-- > 0) size += va_arg(rest, unsigned) & 1023;
    va_end(rest);
    return (int *)zeroed(size);
}
NOINLINE static int *by_label(unsigned x)
{
    static void *const labels[] = {&&a, &&b, &&done};
    int *p = 0;
    goto *labels[x & 1];
a:  p = (int *)zeroed(256); goto *labels[2];
b:  p = (int *)calloc(65, 4); goto *labels[2];
done:
    return p;
}
"""
COROUTINE = r"""
#include <coroutine>
struct blocks {
    struct promise_type {
        int *made = nullptr;
        blocks get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int *p) { made = p; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> at;
};
NOINLINE static blocks coroutine(unsigned x)
{
    for (unsigned i = 0; i < 3; i++) {
        int *const p = (int *)zeroed(256 + (x & 7) * 8);
        p[i] = (int)i;
        co_yield p;
    }
}
NOINLINE static int *by_coroutine(unsigned x)
{
    blocks made = coroutine(x);
    int *last = nullptr;
    for (int i = 0; i < 3; i++) { free(last); made.at.resume(); last = made.at.promise().made; }
    made.at.destroy();
    return last;
}
"""
REPLACE = """    free(p);
    switch (x >> 1 & 3) {
    case 0: return by_label(x);
    case 1: return by_varargs(2, 200u, 56u + (x & 64));
    case 2: return by_coroutine(x);
    }
"""
# Each thread computes for itself; the main thread prints.
LOCAL = (("static int table", "static _Thread_local int table"),
         ("static volatile unsigned sink", "static _Thread_local volatile unsigned sink"))
END = """    unsigned sum = sink;
    for (int i = 0; i < 64; i++) sum = sum * 31 + (unsigned)table[i] + (unsigned)local[i];
    printf("%u\\n", sum);
    return 0;
}
"""
LTO = ("", "-flto=thin -fuse-ld=lld", "-flto -fuse-ld=lld")


def source(seed, count, is_cpp):
    text = generate(seed, count, is_cpp)
    for old, new in (*LOCAL, ("    free(p);\n    return (int *)malloc", REPLACE + "    return (int *)malloc"),
                     (" malloc(", " zeroed("), (")malloc(", ")zeroed(")):
        assert old in text or old == " malloc(", old
        text = text.replace(old, new)
    if not is_cpp:
        text = text.replace("by_coroutine(x)", "by_label(x + 1)")
    assert text.endswith("    return 0;\n}\n")
    return BEGIN + (COROUTINE if is_cpp else "") + text.removesuffix("    return 0;\n}\n") + END


def run(command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more).stdout


class Batch:
    def __init__(self, args, number):
        self.args, self.number, self.is_cpp = args, number, number % 2 == 1
        self.path = pathlib.Path(args.work).resolve() / str(number)
        self.path.mkdir(parents=True, exist_ok=True)
        self.source = self.path / ("all.cpp" if self.is_cpp else "all.c")
        self.hints = 0

    def build(self, name, *flags):
        """The executable; self.hints counts the calls that got a hint."""
        exe = self.path / name
        compiler = [self.args.cxx, "-std=c++20"] if self.is_cpp else [self.args.cc]
        said = run([*compiler, "-O2", "-w", "-fwrapv", "-pthread", "-Rpass=memprof", *flags,
                    str(self.source), "-o", str(exe)])
        self.hints += said.count(b"is hinted")
        return exe

    def outputs(self, exe, **environment):
        return [run([str(exe), str(k)], env=dict(os.environ, **{
            name: value % k for name, value in environment.items()}))
            for k in range(self.args.programs)]

    def check(self):
        r = random.Random(self.number)
        self.source.write_text(source(self.args.seed + self.number, self.args.programs, self.is_cpp))
        # Blocks live for a while after the program, see settle.c.
        run([self.args.cc, "-D_GNU_SOURCE", "-fmemory-profile", "-c",
             str(HERE / "settle.c"), "-o", str(self.path / "settle.o")])
        profiled = self.build("profiled", "-fmemory-profile", str(self.path / "settle.o"))
        raw = str(self.path / "raw.")
        expected = self.outputs(profiled, MEMPROF_PROFILE_FILE=raw + "%d")
        run([self.args.memprofdata, "merge", *(f"{raw}{k}" for k in range(self.args.programs)),
             "-o", str(self.path / "p.profdata")])
        (self.path / "list").write_text("".join(
            f"{kind} {name}{'(*' if self.is_cpp else ''}\n" for kind, name in
            [(r.choice(("cold", "hot", "none")), f"f{k}") for k in range(self.args.programs)] +
            [("cold", "by_label"), ("hot", "by_varargs"), ("cold", "coroutine")]))
        wrong = []
        for n, lto in enumerate(LTO if self.args.lto else LTO[:1]):
            for listed in (), ("-mllvm", f"-memprof-hint-list={self.path}/list"):
                use = (f"-fprofile-use={self.path}/p.profdata", "-fmemprof-alloc", *listed)
                exe = self.build(f"used{n}{len(listed)}", *use, *lto.split())
                wrong += [f"batch {self.number}, program {k}: {' '.join((*use, lto))}: prints {b}, not {a}"
                          for k, (a, b) in enumerate(zip(expected, self.outputs(exe))) if a != b]
        native = self.outputs(self.build("native"))
        wrong += [f"batch {self.number}, program {k}: profiled prints {a}, native {b}"
                  for k, (a, b) in enumerate(zip(expected, native)) if a != b]
        return wrong, self.hints, len(set(expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--cc", "--cxx", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    for option, value in (("--seed", 1), ("--batches", 1), ("--programs", 15), ("--jobs", os.cpu_count())):
        parser.add_argument(option, type=int, default=value)
    parser.add_argument("--lto", action="store_true")
    args = parser.parse_args()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for wrong, hints, outputs in pool.map(lambda n: Batch(args, n).check(), range(args.batches)):
            failed += len(wrong)
            print(*wrong[:5], f"{hints} calls with hints, {outputs} outputs", sep="\n", flush=True)
            if hints < args.programs or outputs < args.programs // 2:
                failed += 1
                print("too few hints or different outputs")
    print(f"{args.batches * args.programs} programs: {failed} faults")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
