#!/usr/bin/env python3
"""fleet.py -- simulates the profiles of a fleet and merges them in four ways.

The profiles are of bench/merge/contexts.c: several builds (lines moved), hosts of which
few have many files, sizes of which few are large. To save time, each run's raw file may be
copied: a copy costs a merge as much as another run, but adds no call stack.

usage: fleet.py [--files=10000] [--runs=1000] [--builds=5] [--hosts=50] [--build=build]

Prints wall time, CPU time and the largest memory of one process, by workers. Every
result must have the same bytes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def compile_builds(options, work):
    """One program for each build; in later ones all lines have moved."""
    source = (ROOT / "bench/merge/contexts.c").read_text()
    for build in range(options.builds):
        path = work / f"build{build}.c"
        path.write_text("\n" * (3 * build) + source)
        subprocess.run([options.build / "bin/memprof-clang", "-O2", "-fmemory-profile",
                        path, "-o", work / f"app{build}"], check=True)


def generate(options, work):
    """Writes work/in/HOST/FILE.raw; returns the number of bytes."""
    chance = random.Random(1)
    hosts = [work / "in" / f"host{i}" for i in range(options.hosts)]
    total = 0
    for run in range(options.runs):
        # Pareto: most profiles have some tens of call stacks, few have thousands.
        levels = min(12, 4 + int(chance.paretovariate(0.8)))
        folder = work / "one"
        folder.mkdir()
        subprocess.run([work / f"app{run % options.builds}", str(levels), "20", str(run)],
                       check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, MEMPROF_OPTIONS=f"log_path={folder}/p"))
        raw, = folder.iterdir()
        for copy in range(options.files // options.runs):
            host = hosts[min(options.hosts, int(chance.paretovariate(0.5))) - 1]
            host.mkdir(parents=True, exist_ok=True)
            shutil.copy(raw, host / f"{run}.{copy}.raw")
            total += raw.stat().st_size
        shutil.rmtree(folder)
    return total


def measure(name, command):
    """Runs it in a child of its own, so that its memory is not another's."""
    started = time.monotonic()
    child = os.posix_spawnp(str(command[0]), [str(word) for word in command], os.environ)
    _, status, used = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"{name}: status {status}")
    print(f"| {name} | {time.monotonic() - started:.1f} s | "
          f"{used.ru_utime + used.ru_stime:.1f} s | {used.ru_maxrss / 1024:.0f} MiB |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    for option, default in (("files", 10000), ("runs", 1000), ("builds", 5), ("hosts", 50)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memprof-fleet-") as scratch:
        work = pathlib.Path(scratch)
        compile_builds(options, work)
        total = generate(options, work)
        ours = options.build / "bin/memprofdata"
        print(f"{options.files} files of {options.runs} runs, {options.builds} builds, "
              f"{options.hosts} hosts, {total / 1e6:.0f} MB\n")
        print("| merge | wall | CPU | memory of the largest process |\n|---|---|---|---|")
        outs = []
        for workers in (1, 2, 4):
            outs += [work / f"one{workers}", work / f"mpi{workers}", work / f"tree{workers}"]
            measure(f"one process, -j{workers}",
                    [ours, "merge", f"-j{workers}", work / "in", "-o", outs[-3]])
            # With Debian's Python, which finds mpi4py, and a rank that hands out.
            measure(f"mpirun -n {workers + 1}",
                    ["env", "PATH=/usr/bin:" + os.environ["PATH"], "OMPI_ALLOW_RUN_AS_ROOT=1",
                     "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun", "--oversubscribe", "-n",
                     workers + 1, ours, "merge", "--mpi", work / "in", "-o", outs[-2]])
            measure(f"tree.mk, -j{workers}",
                    ["make", "-s", "-f", ROOT / "examples/fleet/tree.mk", f"-j{workers}",
                     f"IN={work}/in", f"OUT={outs[-1]}", f"MEMPROFDATA={ours}"])
        parts = sorted((work / "tree1.parts").iterdir())
        outs.append(work / "stream")
        measure("cat of tree's parts, a stream",
                ["sh", "-c", f"cat {' '.join(map(str, parts))} | {ours} merge -j1 - -o {outs[-1]}"])
        if len({out.read_bytes() for out in outs}) != 1:
            raise SystemExit("the results differ")
        print(f"\nresult: {outs[0].stat().st_size} bytes, the same in all rows")


if __name__ == "__main__":
    main()
