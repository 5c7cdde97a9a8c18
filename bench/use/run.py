#!/usr/bin/env python3
"""run.py -- measures the gain of using a profile: programs with the same compiler and
allocator (libmemprof_alloc), without and with -fprofile-use=.

In two programs (nodes.c, nodes.cpp) hot and cold blocks alternate in memory, shapes.c has
data structures of published programs, the others are those of bench/programs.py. The
profile is of another input where the program names one (training). Builds run alternately,
and the one without hints runs twice in each round: the difference of these two is noise.
Writes bench/results-use.md and prints it.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))

# pylint: disable=wrong-import-position
from measure import RunError, run_once  # noqa: E402
from programs import Program, programs  # noqa: E402

# Time between two readings of the referenced pages.
SAMPLE_S = 0.05
# Shape, arguments of the profiled run, and of the measured one.
SHAPES = (("tree", "18 20", "21 80"), ("hospital", "500 200", "2000 250"),
          ("orders", "50000 20", "300000 80"), ("graph", "2000 10000", "2500 40000"),
          ("entities", "50000 20", "300000 150"), ("events", "30000 10", "100000 25"),
          ("tour", "50000 20", "400000 80"), ("handlers", "30000 20", "150000 1000"))
COLUMNS = ("all", "cold", "noise", "huge", "jemalloc", "mimalloc")
PRELOADED = {"jemalloc": "libjemalloc.so.2", "mimalloc": "libmimalloc.so.2"}
ENVIRONMENTS = {"huge": {"MALLOC_CONF": "thp:always"},
                **{name: {"LD_PRELOAD": library} for name, library in PRELOADED.items()}}
NOTES = """\
Made by `make bench-use`. "Without" is the same compiler and the same allocator without a
profile. Times are CPU time, medians of {runs} rounds, as the ratio without / with: above 1
is a gain. "Noise" is the same ratio of the second run without hints. "Cold" has hints for
cold blocks only (`-mllvm -memprof-hints=cold`), "all" also for hot, dense and grouped ones,
and huge pages for all blocks if the profile calls for them ("asks").
"Huge" is the program without hints and with `MALLOC_CONF=thp:always`.
"jemalloc" and "mimalloc" are Debian's, preloaded into the program without hints. The same
source in another executable can differ by a third where a program is small (where code,
stack and blocks lie), which "noise" does not show. "Misses" does not depend on it: misses
of the first cache in the profiled run, by cachegrind, without hints divided by all.
"Pages" are those that were referenced within {ms} ms, on average over the run
(`clear_refs` and `Referenced` of `smaps_rollup`), those without hints divided by those
with; for nodes, the pages that one walk touches. "Hinted" is how many calls of the program
pass a hint. Profiles are of another, mostly smaller input; of the same in rows with "=".
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split(" -- ")[1].split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm-version", default="22")
    parser.add_argument("-n", "--runs", type=int, default=5)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression of the names of rows to measure; "
                        "the others stay as they were measured last")
    parser.add_argument("--flags", default="",
                        help="more flags for the builds that use a profile")
    parser.add_argument("--note", default="")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "bench/results-use.md")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.tools = options.build / "bench/tools"
    return options


def nodes():
    """The programs written for this benchmark; two of them give hints themselves."""
    size = ["1000000", "20"]
    flags = (f"-iquote{ROOT}",)
    here = ROOT / "bench/use"
    return [Program(f"nodes, {language}{how}", f"nodes-{language}{how}".replace(" ", "-"),
                    [here / f"nodes.{ending}"], size, flags + more, cxx=cxx,
                    training=["100000", "20"])
            for how, more in (("", ()), (" by hand", ("-DHINTS",)))
            for language, ending, cxx in (("C", "c", False), ("C++", "cpp", True))] + [
        Program(f"shapes, {shape}", f"shapes-{shape}", [here / "shapes.c"],
                [shape, *run.split()], training=[shape, *training.split()])
        for shape, training, run in SHAPES]


class Builder:
    """Builds with memprof-clang, as a user does."""

    def __init__(self, options):
        self.options = options
        self.home = options.build / "bench/use"

    def compiler(self, program):
        plus = "++" if program.cxx else ""
        return str(self.options.build / f"bin/memprof-clang{plus}-{self.options.llvm_version}")

    def run(self, command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise RunError(" ".join(command) + ":\n" + done.stdout.decode()[-2000:])

    def build(self, program, variant, flags):
        folder = self.home / variant / program.binary
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        compiler = self.compiler(program)
        common = [compiler, "-O2", "-w", *flags]
        objects = [folder / f"{i}-{pathlib.Path(s).stem}.o"
                   for i, s in enumerate(program.sources)]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            list(pool.map(lambda pair: self.run(
                [*common, *program.flags, "-c", str(pair[0]), "-o", str(pair[1])]),
                zip(program.sources, objects)))
        self.run([*common, *map(str, objects), "-o", str(folder / program.binary),
                  *program.libs])
        return folder / program.binary

    def profile(self, program):
        exe = self.build(program, "profiled", ["-fmemory-profile"])
        merged = exe.parent / "app.profdata"
        with tempfile.TemporaryDirectory() as scratch:
            work = pathlib.Path(scratch)
            arguments = [a.replace("{work}", scratch)
                         for a in program.training.arguments]
            environment = dict(os.environ, MEMPROF_OPTIONS=f"log_path={work}/p")
            subprocess.run([str(exe), *arguments], cwd=work, env=environment,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            raw = sorted(str(p) for p in work.glob("p.*"))
            self.run([str(self.options.build / "bin/memprofdata"), "merge", *raw,
                      "-o", str(merged)])
        return merged


def hinted_calls(exe):
    """Number of calls with a hint in the program, found by relocations."""
    count = 0
    for path in exe.parent.glob("*.o"):
        out = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", str(path)],
                             stdout=subprocess.PIPE).stdout.decode()
        count += len(re.findall(r"R_X86_64_\w+\s+(?!\.)\S*(?:_hint\b|__hot_cold_t)", out))
    return count


def misses(exe, program):
    """Misses of the first cache in the profiled run, by cachegrind; the time of such
    small programs varies by more from link to link."""
    with tempfile.TemporaryDirectory() as scratch:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=yes",
                   "--cachegrind-out-file=/dev/null", str(exe),
                   *[a.replace("{work}", scratch) for a in program.training.arguments]]
        done = subprocess.run(command, cwd=scratch, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        found = re.search(rb"D1  misses: +([\d,]+)", done.stderr)
        if not found:
            raise RunError(" ".join(command) + ":\n" + done.stderr.decode()[-2000:])
        return int(found.group(1).replace(b",", b""))


def touched_kib(exe, program):
    """Mean of the memory referenced between two readings."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [str(exe), *[a.replace("{work}", scratch) for a in program.arguments]]
        process = subprocess.Popen(command, cwd=scratch, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seen = []
        proc = pathlib.Path("/proc") / str(process.pid)
        try:
            while process.poll() is None:
                (proc / "clear_refs").write_text("1")
                time.sleep(SAMPLE_S)
                found = re.search(r"^Referenced: +(\d+)",
                                  (proc / "smaps_rollup").read_text(), re.M)
                if found:
                    seen.append(int(found.group(1)))
        except OSError:
            pass
        process.wait()
        return statistics.mean(seen) if seen else None


class Row:
    def __init__(self, program):
        self.name = program.name + (" =" if program.training is program else "")
        self.cpu, self.walk, self.pages = {}, [], []
        self.rss, self.misses, self.hinted, self.losses = [], [], 0, ""
        self.asks = False


def measure(options, program, builds):
    """builds: the program by column; all but "all" and "cold" have no hints."""
    row = Row(program)

    def run(name, exe):
        with mock.patch.dict(os.environ, ENVIRONMENTS.get(name, {})):
            return run_once(options.tools, exe, program.arguments, program.files,
                            status=program.status)
    for _ in range(options.runs):
        first = run("without", builds["without"])
        same = {"noise": builds["without"], "huge": builds["without"]}
        for name, exe in {**same, **builds}.items():
            if name == "without":
                continue
            other = run(name, exe)
            row.cpu.setdefault(name, []).append(first.cpu_us / other.cpu_us)
            if program.normal(first.output) != program.normal(other.output):
                row.losses = "other output"
            if name != "all":
                continue
            row.rss.append(first.peak_kib / other.peak_kib)
            if "walk" in first.values:
                row.walk.append(first.values["walk"] / other.values["walk"])
                row.pages.append(first.values["pages"] / other.values["pages"])
    if not row.pages:
        for _ in range(min(options.runs, 3)):
            a, b = (touched_kib(builds[name], program) for name in ("without", "all"))
            if a and b:
                row.pages.append(a / b)
    if program.training is not program:
        row.misses.append(misses(builds["without"], program) /
                          misses(builds["all"], program))
    row.hinted = hinted_calls(builds["all"])
    row.asks = b"__memprof_use_huge_pages" in builds["all"].read_bytes()
    return row


def line_of(row):
    def ratio(values):
        return f"{statistics.median(values):.3f}" if values else ""
    return (f"| {row.name} | " + " | ".join(
        ratio(row.cpu.get(name, ())) for name in COLUMNS) +
            f" | {ratio(row.misses)} | {ratio(row.walk)} | {ratio(row.rss)} | {ratio(row.pages)} "
            f"| {row.hinted or 'none'}{', asks' if row.asks else ''} |" +
            (f" {row.losses}" if row.losses else ""))


def mean(name, lines):
    """Row of geometric means of times."""
    cells = [line.split("|")[2:] for line in lines]
    ratios = [[float(c[i]) for c in cells if c[i].strip()] for i in range(len(COLUMNS))]
    return f"| geometric mean, {name} | " + " | ".join(
        f"{statistics.geometric_mean(r):.3f}" if r else "" for r in ratios) + " |  |  |  |  |  |"


def measured_last(path):
    """Lines of the existing table, by program."""
    if not path.exists():
        return {}
    return {line.split(" | ")[0].strip("| ").removesuffix(" ="): line
            for line in path.read_text().splitlines()
            if line.startswith("| ") and line.count("|") == len(COLUMNS) + 7}


def table(lines_by_name, names, options):
    lines = ["# What the use of a profile gains", "", NOTES.format(
        runs=options.runs, ms=int(SAMPLE_S * 1000))]
    if options.note:
        lines += [options.note, ""]
    lines += ["| program | " + " | ".join(COLUMNS) +
              " | misses | walk | peak memory | pages | hinted |",
              "|---" * (len(COLUMNS) + 6) + "|"]
    rows = [lines_by_name[name] for name in names if name in lines_by_name]
    made = [row for row in rows if row.startswith(("| nodes", "| shapes"))]
    shapes = [row for row in made if row.startswith("| shapes")]
    lines += [*rows, mean("shapes", shapes),
              mean("real programs", [row for row in rows if row not in made])]
    return "\n".join(lines) + "\n"


def build_all(options, builder, program):
    """The program by column."""
    if "-DHINTS" in program.flags:
        plain = Program(program.name, program.binary, program.sources,
                        program.arguments, program.flags[:-1], cxx=program.cxx)
        return {"without": builder.build(plain, "without", ["-fmemprof-alloc"]),
                "all": builder.build(program, "all", ["-fmemprof-alloc"])}
    profile = builder.profile(program)
    use = ["-fmemprof-alloc", f"-fprofile-use={profile}"]
    plain = builder.build(program, "plain", [])
    return {"without": builder.build(program, "without", ["-fmemprof-alloc"]),
            "cold": builder.build(program, "cold",
                                  [*use, "-mllvm", "-memprof-hints=cold"]),
            "all": builder.build(program, "all", [*use, *shlex.split(options.flags)]),
            **{name: plain for name in PRELOADED}}


def main():
    options = parse()
    builder, lines = Builder(options), measured_last(options.output)
    known = nodes() + programs(options.build)
    names = [p.name for p in known]
    for program in known:
        if not re.search(options.only, program.name):
            continue
        print(f"{program.name} ...", file=sys.stderr)
        try:
            lines[program.name] = line_of(measure(options, program, build_all(
                options, builder, program)))
            options.output.write_text(table(lines, names, options))
        except RunError as error:
            print(f"{program.name}: {error}", file=sys.stderr)
    options.output.write_text(table(lines, names, options))
    print(options.output.read_text())


if __name__ == "__main__":
    main()
