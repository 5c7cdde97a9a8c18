"""stacks.py -- compares call stacks through code without frame pointers with gdb's.

usage: stacks.py --build BUILD [--calls N] [--only NAME]

A program of ours (test/world/Inputs/stacks.cpp: callbacks of qsort and std::sort, a
shared object without frame pointers, signal handlers), and Debian's own perl, cmake and
git, which have no frame pointers either, run with the runtime in gdb. At each of N
allocations of each program, after those of start-up, gdb's stack is compared with the
runtime's walk, frame by frame from the leaf; after the first difference all frames
count as different. Every difference is listed; at least 99.9 % of all frames must be
equal, in 10,000 allocations.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CALLS_MIN = 10000
EQUAL_MIN = 0.999

CMAKE = """foreach(i RANGE 60)
  string(REGEX REPLACE "([a-c]+)([0-9])" "\\\\2\\\\1" x "abc${i}bca${i}")
  list(APPEND all ${x})
endforeach()
function(walk n)
  if(n GREATER 0)
    math(EXPR m "${n} - 1")
    walk(${m})
  endif()
endfunction()
walk(15)
list(SORT all)
"""
PERL = 'sub f { my $n = shift; return $n ? "$n" . f($n - 1) : "" } ' \
    'my @a = sort { f(3) cmp f(4) or $a <=> $b } map { f($_ % 12) . $_ } 1 .. 6000;' \
    '$_ =~ s/(\\d)(\\d)/$2$1/g for @a;'


def programs(options, work):
    """(name, calls that are skipped, words, environment): what is run."""
    llvm = options.build / f"llvm-{options.llvm}"
    runtime = next((llvm / "resource").rglob("libclang_rt.memprof-x86_64.so"))
    clang = ["clang++-" + options.llvm]
    subprocess.run(["clang-" + options.llvm, "-O2", "-fomit-frame-pointer",
                    "-momit-leaf-frame-pointer", "-fPIC", "-shared",
                    HERE / "Inputs/stacks_object.c", "-o", work / "libobject.so"],
                   check=True)
    subprocess.run(clang + ["-O1", "-fomit-frame-pointer", HERE / "Inputs/stacks.cpp",
                            "-o", work / "ours", "-L", work, "-lobject",
                            f"-Wl,-rpath,{work}"], check=True)
    preload = f"LD_PRELOAD={runtime}"
    return [("callbacks, signals", 0, [work / "ours"], preload),
            ("perl", 500, ["/usr/bin/perl", work / "script.pl"], preload),
            ("cmake", 3000, ["/usr/bin/cmake", "-P", work / "script.cmake"], preload),
            ("git", 500, ["/usr/bin/git", "diff", "--no-index", "--stat", "-p", "-w",
                          "--minimal", ROOT / "rt", ROOT / "profdata"], preload)]


def run(name, skip, words, environment, options, work):
    out = work / "result.json"
    out.unlink(missing_ok=True)
    done = subprocess.run(
        ["gdb", "-batch", "-nx", "-x", HERE / "stacks_gdb.py", "--args", *words],
        env=dict(os.environ, STACKS_MAX=str(options.calls), STACKS_OUT=str(out),
                 STACKS_SKIP=str(skip), STACKS_ENV=environment, LC_ALL="C"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        stdin=subprocess.DEVNULL)
    if not out.exists():
        sys.exit(f"{name}: gdb: {done.stdout}")
    result = json.loads(out.read_text(encoding="utf-8"))
    if result["stacks"] == 0:
        sys.exit(f"{name}: no allocation was seen: {done.stdout}")
    print(f"{name}: {result['stacks']:,} allocations, {result['signals']:,} of them "
          f"in signal handlers, up to {result['depth']} frames; "
          f"{result['equal']:,} of {result['frames']:,} frames equal", flush=True)
    for text, (count, lost) in sorted(result["differences"].items()):
        print(f"    {count:,} times, {lost:,} frames: {text}", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--llvm", default="22")
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--only")
    options = parser.parse_args()
    options.build = options.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "script.cmake").write_text(CMAKE, encoding="utf-8")
        (work / "script.pl").write_text(PERL, encoding="utf-8")
        results = [run(*p, options, work) for p in programs(options, work)
                   if options.only in (None, p[0])]
    calls, frames, equal = (sum(r[k] for r in results)
                            for k in ("stacks", "frames", "equal"))
    print(f"all: {calls:,} allocations, {100 * equal / frames:.4f} % of {frames:,} "
          f"frames equal")
    if options.only is None and calls < CALLS_MIN:
        sys.exit(f"fewer than {CALLS_MIN:,} allocations")
    if equal < EQUAL_MIN * frames:
        sys.exit(f"less than {100 * EQUAL_MIN} % are equal")


if __name__ == "__main__":
    main()
