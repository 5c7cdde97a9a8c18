#!/usr/bin/env python3
"""run.py -- measures programs natively, with LLVM's MemProf and with ours.

Runs the three alternately, writes medians of ratios to bench/results.md and prints
them. With --short, compares the instruction counts of the small programs with
bench/budget.json. bench/README.md explains the rows.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import bisect
from concurrent.futures import ThreadPoolExecutor
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))

# pylint: disable=wrong-import-position
from compile import BuildError, Compiler  # noqa: E402
from measure import (NotAllowed, RunError, count_steps,  # noqa: E402
                      run_once)
import logs  # noqa: E402
import merge  # noqa: E402
from micro import MICROS, Micro  # noqa: E402
from programs import programs, sqlite3  # noqa: E402
import report  # noqa: E402

# Options of the runtime for each variant; the variant's first word names the build. All
# but report.VARIANTS are for real programs only.
SAMPLE = "sample=524288"
VARIANTS = {"native": "", "llvm": "", "ours": "", "allocations": "",
            "ours sampled": SAMPLE, "allocations sampled": SAMPLE, "versions": "",
            "versions 1/32": "accesses=1/32",
            "versions sampled 1/32": f"{SAMPLE}:accesses=1/32",
            "versions none": "accesses=none"}
MEMBER_VARIANTS = ("native", "ours", "fields")
BUDGET = ROOT / "bench/budget.json"
# Functions whose work depends on time: those that sample the series, and those of the
# clock (rt/record/series.c, rt/base/clock.c).
TIMED_FUNCTIONS = {"join", "slot_at", "mprt_series_sample", "calibrate", "read_pair",
                   "read_clock", "read_if_higher", "read_peak", "read_smaps", "read_line",
                   "keep_if_highest", "add_part", "mprt_mapping_visit",
                   # mostly calls of those above
                   "mprt_os_call", "mprt_os_read"}
# Allowance for counts that vary with time.
BUDGET_SLACK = 1.05
BUDGET_TRIES = 4
EMPTY_REPEAT = 40
# Addresses of a position independent program without randomization.
PROGRAM_BASE, PROGRAM_END = 0x555555554000, 0x600000000000


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm-version", default="22")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--clangxx", default="clang++-22")
    parser.add_argument("-n", "--runs", type=int, default=5,
                        help="rounds of each program (default: 5)")
    parser.add_argument("-j", "--jobs", type=int, default=2,
                        help="compilations at once (default: 2)")
    parser.add_argument("--only", default="",
                        help="regular expression of the names of rows to "
                        "measure; the others stay as they were measured last")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--note", default="",
                        help="a sentence for the head of the table")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "bench/results.md",
                        help="where the table goes")
    parser.add_argument("--merge", action="store_true",
                        help="only the rows about memprofdata; the others stay "
                        "as they were measured last")
    parser.add_argument("--logs", action="store_true",
                        help="only the rows about logs")
    parser.add_argument("--members", action="store_true",
                        help="only the rows about counts of members")
    parser.add_argument("--short", action="store_true",
                        help="instruction counts against the budget only")
    parser.add_argument("--update-budget", action="store_true",
                        help="with --short: write the counts as the budget")
    parser.add_argument("--where", metavar="ROW",
                        help="functions of a small program by instructions")
    parser.add_argument("--places", metavar="N", type=int,
                        help="instructions of the small programs with ours, "
                        "their stacks at N places")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.tools = options.build / "bench/tools"
    return options


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


# -- building and running ----------------------------------------------------------------

def compilers(options, errors, variants=None):
    found = {}
    for variant in variants or options.variants.split(","):
        try:
            found[variant] = Compiler(variant, options)
        except BuildError as error:
            errors.append(f"{variant}: {error}")
    return found


def build_all(found, name, sources, errors, **more):
    """{variant: Built}, for the variants that could be built."""
    built = {}
    for variant, compiler in found.items():
        try:
            built[variant] = compiler.build(name, sources, **more)
        except BuildError as error:
            errors.append(f"{name}, {variant}: {error}")
    return built


def build_micro(found, micro, errors):
    source = ROOT / "bench/micro" / micro.source
    is_cxx = source.suffix == ".cpp"
    return build_all(found, source.stem, [source], errors, is_cxx=is_cxx,
                     flags=["-iquote", str(ROOT)] +
                     ([] if is_cxx else ["-std=gnu11"]), libs=["-lpthread"])


def run_rounds(options, built, errors, name, arguments, normal, settings="",
               variants=VARIANTS, **more):  # pylint: disable=dangerous-default-value
    """({variant: [figures of a run]}, result of comparing the outputs)"""
    runs, outputs = {}, {}
    failed = set()
    for _ in range(options.runs):
        for variant in [v for v in built if v not in failed]:
            try:
                run = run_once(options.tools, built[variant].exe, arguments,
                               settings=":".join(
                                   filter(None, (variants.get(variant), settings))),
                               **more)
            except RunError as error:
                errors.append(f"{name}, {variant}: {error}")
                failed.add(variant)
                continue
            runs.setdefault(variant, []).append(
                {"cpu_us": run.cpu_us, "peak_kib": run.peak_kib,
                 "wall_us": statistics.median(run.wall_us),
                 "raw_bytes": run.raw_bytes, **run.values})
            outputs.setdefault(variant, normal(run.output))
    differ = [v for v in outputs if outputs[v] != outputs.get("native")]
    errors.extend(f"{name}, {v}: output differs from native's" for v in differ)
    return runs, "same" if not differ else "differs: " + ", ".join(differ)


# -- rows ----------------------------------------------------------------------------------

def measure_programs(options, found, errors):
    measured = {}
    for program in programs(options.build):
        if not re.search(options.only, program.name):
            continue
        say(program.name)
        built = build_all(found, program.binary, program.sources, errors,
                          flags=program.flags, libs=program.libs,
                          is_cxx=program.cxx)
        if "native" not in built:
            continue
        runs, output = run_rounds(options, built, errors, program.name,
                                  program.arguments, program.normal,
                                  files=program.files, status=program.status)
        measured[program.name] = {
            "binary": program.binary, "runs": runs, "output": output,
            "built": {v: {"compile_s": b.compile_s, "exe_text": b.exe_text,
                          "object_text": b.object_text}
                      for v, b in built.items()}}
    return measured


def instructions(options, micro, exe, place=0):
    """(instructions per operation, {address: instructions per operation})"""
    arguments, operations = micro.steps
    total, where = count_steps(options.tools, exe, arguments.split(), place)
    return total / operations, {a: n / operations for a, n in where.items()}


def timed_code(exe):
    """[(begin, end)] of the functions whose work depends on time. A counted instruction
    takes microseconds, so these functions have more work here than in a normal run."""
    symbols = sorted((int(line.split()[0], 16), line.split()[2])
                     for line in subprocess.check_output(
                         ["nm", exe], text=True).splitlines()
                     if len(line.split()) == 3)
    return [(begin, end) for (begin, name), (end, _) in zip(symbols, symbols[1:])
            if name.split(".")[0] in TIMED_FUNCTIONS]


def is_timed(timed, address):
    return any(begin <= address - PROGRAM_BASE < end for begin, end in timed)


def untimed_instructions(options, micro, exe):
    """Instruction count without the functions whose work depends on time."""
    total, addresses = instructions(options, micro, exe)
    timed = timed_code(exe)
    return total - sum(n for a, n in addresses.items() if is_timed(timed, a))


def measure_micros(options, found, errors):
    measured = {}
    for micro in MICROS:
        if not re.search(options.only, micro.name):
            continue
        say(micro.name)
        built = build_micro(found, micro, errors)
        if "native" not in built:
            continue
        repeat = EMPTY_REPEAT if micro.unit == "start" else 1
        runs, _ = run_rounds(options, built, errors, micro.name,
                             micro.arguments, lambda out: out,
                             settings=micro.settings, repeat=repeat)
        steps = {}
        for variant in built if micro.steps else ():
            try:
                steps[variant] = untimed_instructions(options, micro,
                                                      built[variant].exe)
            except RunError as error:
                errors.append(f"{micro.name}, {variant}, counting: {error}")
        measured[micro.name] = {"runs": runs, "steps": steps}
    return measured


def measure_merge(options, errors):
    """The section of the page about memprofdata, or None."""
    program = sqlite3(options.build)
    found = compilers(options, errors)
    built = build_all({"ours": found["ours"]} if "ours" in found else {},
                      "contexts", [ROOT / "bench/merge/contexts.c"], errors)
    # sqlite3 with LLVM's own runtime, as in the table of programs.
    sqlite = build_all({"llvm": found["llvm"]} if "llvm" in found else {},
                       program.binary, program.sources, errors,
                       flags=program.flags, libs=program.libs)
    if "ours" not in built:
        return None
    return report.merge_section(options, merge.HEAD, merge.measure(
        options, built["ours"].exe,
        (sqlite["llvm"].exe, program.arguments) if "llvm" in sqlite else None,
        say))


def with_others(options, name, measured):
    """The rows, with --only also those that were measured before; kept in a file."""
    file = options.build / "bench" / name
    if options.only and file.exists():
        before = json.loads(file.read_text())
        for kind in measured.keys() & {"micros", "programs"}:
            measured[kind] = {**before[kind], **measured[kind]}
    file.write_text(json.dumps(measured, indent=1))
    return measured


def measure_members(options, errors):
    """The section of the page about counts of members."""
    found = compilers(options, errors, MEMBER_VARIANTS)
    measured = with_others(options, "members.json",
                           {"programs": measure_programs(options, found, errors)})
    return report.members_section(options, programs(options.build),
                                  measured["programs"])


def built_for_logs(options, found, errors):
    """[(name, {variant: Built}, arguments)]"""
    of_programs = [(p.name, build_all(found, p.binary, p.sources, errors, flags=p.flags,
                                      libs=p.libs, is_cxx=p.cxx),
                    [*p.arguments[:-1], logs.PROGRAMS[p.name]])
                   for p in programs(options.build) if p.name in logs.PROGRAMS]
    return of_programs + [(m.name, build_micro(found, m, errors), logs.MICROS[m.name])
                          for m in MICROS if m.name in logs.MICROS] + [
        (name, build_micro(found, Micro(name, "writer.c", [], "added", None), errors), arguments)
        for name, arguments in logs.WRITERS.items()]


def measure_logs(options, errors):
    """The section of the page about logs."""
    found = compilers(options, errors, logs.VARIANTS)
    rows = []
    for name, built, arguments in built_for_logs(options, found, errors):
        say(f"{name}, log")
        runs, _ = run_rounds(options, built, errors, name, arguments, lambda out: out,
                             variants=logs.VARIANTS)
        if set(runs) == set(logs.VARIANTS):
            rows.append(logs.row(name, runs, *logs.count(options, built["ours"].exe,
                                                         arguments), report.shown))
    return report.logs_section(options, logs.TITLE, logs.HEAD, rows + [logs.TARGETS])


def bench_section(options, title, measure):
    """Measures one section; the rest of the page stays as it is."""
    errors = []
    section = measure(options, errors)
    for error in errors:
        say(error)
    if section is None:
        return 1
    print(section)
    page = options.output.read_text()
    options.output.write_text(report.with_section(page, title, section))
    return 0


SECTIONS = {report.MEMBERS_TITLE: measure_members, logs.TITLE: measure_logs,
            report.MERGE_TITLE: measure_merge}


def bench(options):
    errors = []
    found = compilers(options, errors)
    micro_found = {v: c for v, c in found.items() if v in report.VARIANTS}
    measured = with_others(options, "results.json", {
        "micros": measure_micros(options, micro_found, errors),
        "programs": measure_programs(options, found, errors), "errors": errors})
    text = report.page(options, programs(options.build), MICROS, measured)
    for title, measure in SECTIONS.items():
        section = (report.old_section(options.output, title) if options.only
                   else measure(options, errors))
        text = report.with_section(text, title, section or "")
    print(text)
    if options.variants == ",".join(VARIANTS):
        options.output.write_text(text)
    return 1 if any("differs" in error for error in errors) else 0


# -- the short form ------------------------------------------------------------------------

def is_counted(micro):
    """True if the row has a budget on this machine. The runtime scans the counters of
    large blocks in steps that depend on the processor; their budget is for AVX2."""
    return micro.steps is not None and (
        not micro.name.startswith("1 MiB") or
        " avx2 " in pathlib.Path("/proc/cpuinfo").read_text())


def short(options):
    try:
        return compare_with_budget(options)
    except NotAllowed as error:
        print(f"bench-short: skipped: {error}")
        return 0


def own_instructions(options, micro, exe):
    """Instruction count without libraries, because libc chooses a memcpy by the machine,
    and without the functions whose work depends on time."""
    _, addresses = instructions(options, micro, exe)
    timed = timed_code(exe)
    own = [n for a, n in addresses.items()
           if PROGRAM_BASE <= a < PROGRAM_END and not is_timed(timed, a)]
    if not own:
        raise NotAllowed("programs get random addresses here")
    return round(sum(own), 2)


def least_instructions(options, micro, exe, allowed):
    """The smallest of several counts. Counts vary with time: a program that is
    preempted takes slower paths."""
    count = own_instructions(options, micro, exe)
    for _ in range(BUDGET_TRIES - 1):
        if allowed is None or count <= allowed * BUDGET_SLACK:
            break
        count = min(count, own_instructions(options, micro, exe))
    return count


def compare_with_budget(options):
    errors = []
    old = {} if options.update_budget else json.loads(BUDGET.read_text())
    found = {"ours": Compiler("ours", options)}
    builds = {micro: build_micro(found, micro, errors) for micro in MICROS
              if is_counted(micro) and re.search(options.only, micro.name)}
    # Those that take longest come last in MICROS.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = {micro.name: pool.submit(least_instructions, options, micro,
                                           built["ours"].exe, old.get(micro.name))
                   for micro, built in reversed(builds.items()) if built}
        counts = {micro.name: pending[micro.name].result()
                  for micro in builds if micro.name in pending}
    if options.update_budget:
        BUDGET.write_text(json.dumps(counts, indent=1) + "\n")
    budget = json.loads(BUDGET.read_text())
    above = 0
    for name, count in counts.items():
        allowed = budget.get(name)
        if allowed is None or count > allowed * BUDGET_SLACK:
            above += 1
        print(f"{name}: {count:,.2f} instructions, budget "
              f"{'none' if allowed is None else format(allowed, ',.2f')}")
    for error in errors:
        print(error)
    print(f"bench-short: {len(counts)} rows, {above} above budget")
    return 1 if above or errors else 0


# -- where instructions go -------------------------------------------------------------------

def symbols(exe):
    """[(address, end, name)] of the functions of an executable, by address."""
    out = subprocess.run(["nm", "-nSC", "--defined-only", str(exe)], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    found = []
    for line in out.splitlines():
        words = line.split(None, 3)
        if len(words) == 4 and words[2] in "tTwW":
            start = int(words[0], 16)
            found.append((start, start + int(words[1], 16), words[3]))
    return found


def where(options):
    micro = next(m for m in MICROS if m.name == options.where)
    for variant in options.variants.split(","):
        compiler = Compiler(variant, options)
        exe = build_micro({variant: compiler}, micro, [])[variant].exe
        total, addresses = instructions(options, micro, exe)
        names = symbols(exe)
        starts = [start for start, _, _ in names]
        functions = {}
        for address, count in addresses.items():
            at = bisect.bisect_right(starts, address - PROGRAM_BASE) - 1
            name = names[at][2] if 0 <= at and \
                address - PROGRAM_BASE < names[at][1] else "(a library)"
            functions[name] = functions.get(name, 0) + count
        print(f"{variant}: {total:,.1f} instructions an operation")
        for name, count in sorted(functions.items(), key=lambda f: -f[1])[:30]:
            print(f"  {count:8.1f}  {name}")
    return 0


# -- where stacks lie ------------------------------------------------------------------------

def places(options):
    """Counts for several positions of the stack. The runtime's cache of walks uses
    addresses as keys; if the counts of a row differ much, its calls conflict there."""
    compiler = Compiler("ours", options)
    for micro in [m for m in MICROS if m.steps and
                  re.search(options.only, m.name)]:
        exe = build_micro({"ours": compiler}, micro, [])["ours"].exe
        counts = [instructions(options, micro, exe, i)[0]
                  for i in range(options.places)]
        print(f"{micro.name}: {min(counts):,.1f} to {max(counts):,.1f}, "
              f"median {statistics.median(counts):,.1f}", flush=True)
    return 0


def main():
    options = parse()
    if options.places:
        return places(options)
    if options.where:
        return where(options)
    if options.merge:
        return bench_section(options, report.MERGE_TITLE, measure_merge)
    if options.logs:
        return bench_section(options, logs.TITLE, measure_logs)
    if options.members:
        return bench_section(options, report.MEMBERS_TITLE, measure_members)
    return short(options) if options.short else bench(options)


if __name__ == "__main__":
    sys.exit(main())
