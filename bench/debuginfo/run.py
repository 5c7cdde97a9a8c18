#!/usr/bin/env python3
"""run.py -- three readers of debug information on SQLite and on a program with more
than 300 MB of it (docs/decisions/0011-debug-info-reader.md).

Return addresses are taken from disassembly; each reader is asked for their frames, in
turn, and its answers are compared with LLVM's.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import concurrent.futures
import pathlib
import random
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
UNITS, TYPES, ADDRESSES = 40, 10, 10000
READERS = ("ours", "llvm", "llvm-unit", "libdw", "libdw-unit")
HEADERS = ("algorithm", "functional", "map", "memory", "numeric", "regex", "set",
           "string", "tuple", "unordered_map", "variant", "vector")


def write_source(folder):
    """UNITS files with TYPES types each; every type goes through containers,
    algorithms and function objects of the C++ library."""
    template = (HERE / "type.txt").read_text().partition("*/\n")[2]
    head = "".join(f"#include <{name}>\n" for name in HEADERS)
    for u in range(UNITS):
        names = [f"{u}_{t}" for t in range(TYPES)]
        calls = " + ".join(f"n{name}::run(n)" for name in names)
        (folder / f"unit{u}.cpp").write_text(
            head + "".join(template.replace("@", name) for name in names) +
            f"\nlong unit{u}(int n) {{ return {calls}; }}\n")
    (folder / "main.cpp").write_text(
        "".join(f"long unit{u}(int n);\n" for u in range(UNITS)) +
        "int main(int argc, char **) { return (int)(" +
        " + ".join(f"unit{u}(argc)" for u in range(UNITS)) + ") & 1; }\n")


def make_large(options, folder):
    exe = folder / "large"
    if exe.exists():
        return exe
    folder.mkdir(parents=True, exist_ok=True)
    write_source(folder)
    sources = sorted(folder.glob("*.cpp"))
    compile_one = [options.clangxx, "-w", "-g", "-O1", "-std=c++17", "-c"]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda s: subprocess.run([*compile_one, s.name], cwd=folder,
                                               check=True), sources))
    subprocess.run([options.clangxx, "-fuse-ld=lld", "-Wl,--build-id", "-o", exe,
                    *[s.with_suffix(".o") for s in sources]], check=True)
    return exe


def make_sqlite(options, folder):
    exe = folder / "sqlite3"
    source = options.build / "world/sqlite3"
    folder.mkdir(parents=True, exist_ok=True)
    if not exe.exists():
        subprocess.run([options.clang, "-w", "-g", "-O2", "-DSQLITE_THREADSAFE=0",
                        "-DSQLITE_OMIT_LOAD_EXTENSION", f"-I{source}/bld",
                        f"{source}/bld/sqlite3.c", f"{source}/test/speedtest1.c",
                        "-lm", "-Wl,--build-id", "-o", exe], check=True)
    return exe


def write_addresses(options, exe):
    """Return addresses - 1, as profiles have them: of all calls, or of ADDRESSES at
    random, the same each time."""
    after, is_call = [], False
    with subprocess.Popen([f"llvm-objdump-{options.llvm_version}", "-d",
                           "--no-show-raw-insn", "-j", ".text", exe],
                          stdout=subprocess.PIPE, text=True) as objdump:
        for line in objdump.stdout:
            head, _, rest = line.partition(":")
            if rest.startswith("  "):
                if is_call:
                    after.append(int(head, 16) - 1)
                is_call = rest.lstrip().startswith("call")
    if len(after) > 2 * ADDRESSES:
        after = random.Random(1).sample(after, ADDRESSES)
    path = exe.with_suffix(".addresses")
    path.write_text("".join(f"{address:x}\n" for address in sorted(after)))
    return path


def run(options, reader, exe, addresses, out):
    cost = exe.with_suffix(".cost")
    subprocess.run([options.tools / "launch", "-a", cost, "1",
                    options.tools / "readers", reader, options.bridge, exe, addresses,
                    *out], check=True, stdout=subprocess.DEVNULL)
    words = [float(word) for word in cost.read_text().split()]
    if words[4] != 0:
        raise SystemExit(f"{reader}: status {words[4]:.0f}")
    return (words[1] + words[2]) / 1e3, words[5] / 1024, words[3] / 1024


def measure(options, exe):
    addresses = write_addresses(options, exe)
    costs, answers = {reader: [] for reader in READERS}, {}
    for reader in READERS:
        out = exe.with_suffix(f".{reader}")
        run(options, reader, exe, addresses, [out])
        answers[reader] = collections.Counter(out.read_text().splitlines())
    for _ in range(options.runs):
        for reader in READERS:
            costs[reader].append(run(options, reader, exe, addresses, []))
    print(f"\n{exe.name}: {sum(1 for _ in addresses.open())} addresses, "
          f"{answers['llvm'].total()} frames\n")
    print("| reader | CPU time | anonymous memory, peak | resident set, peak "
          "| frames unlike LLVM's |\n|---|---|---|---|---|")
    for reader in READERS:
        cpu, anonymous, resident = zip(*costs[reader])
        print(f"| {reader} | {statistics.median(cpu):.0f} ms "
              f"| {max(anonymous):.1f} MiB | {statistics.median(resident):.0f} MiB "
              f"| {(answers[reader] - answers['llvm']).total()} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--llvm-version", default="22")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--clangxx", default="clang++-22")
    parser.add_argument("-n", "--runs", type=int, default=7)
    parser.add_argument("-j", "--jobs", type=int, default=2,
                        help="compilations at once")
    options = parser.parse_args()
    options.tools = options.build / "bench/tools"
    options.bridge = (options.build / f"llvm-{options.llvm_version}" /
                      "memprofdata-symbolizer.so")
    work = options.build.resolve() / "bench/debuginfo"
    measure(options, make_sqlite(options, work / "sqlite3"))
    measure(options, make_large(options, work / "large"))


main()
