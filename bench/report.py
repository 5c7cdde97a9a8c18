"""report.py -- the tables of bench/results.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import os
import platform
import statistics
import subprocess

VARIANTS = ("native", "llvm", "ours")


def first_line(command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout.decode()
    except OSError:
        return "?"
    return (out.strip().splitlines() or ["?"])[0]


def machine(options):
    """The machine and the versions of compiler and profiler."""
    model = "?"
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return (f"{model}, {os.cpu_count()} cores, Linux {platform.release()}; "
            f"{first_line([options.clang, '--version'])}; "
            f"memprof {first_line(['git', 'describe', '--always', '--dirty'])}")


def geometric_mean(values):
    values = list(values)
    if not values:
        return None
    return math.exp(sum(math.log(v) for v in values) / len(values))


def ratios(data, variant, value):
    """value(run) / value(native), for each round. The runs of a round follow each
    other directly."""
    return [value(run) / value(native) for run, native in
            zip(data.get(variant, []), data["native"]) if value(native)]


def shown(values, form="{:.2f}"):
    """median (min-max)"""
    if not values:
        return "–"
    return (form + " (" + form + "–" + form + ")").format(
        statistics.median(values), min(values), max(values))


def median(values):
    return statistics.median(values) if values else None


def verdict(figure, target, llvm):
    """(text of the target, "yes" or "no" or "")"""
    if target is None:
        return "–", ""
    kind, number = target
    if kind == "llvm":
        text = f"≤ LLVM's / {number}"
        if llvm is None or figure is None:
            return text, ""
        return text, "yes" if figure <= llvm / number else "no"
    text = f"{'≤' if kind == '<=' else '≥'} {number:g}"
    if figure is None:
        return text, ""
    met = figure <= number if kind == "<=" else figure >= number
    return text, "yes" if met else "no"


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    out += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(out) + "\n"


def kilobytes(n):
    return "–" if n is None else f"{n / 1000:,.1f} kB"


# -- programs -------------------------------------------------------------------------

# Columns of tables of programs, as ratios to native: (title, member of Run, variant,
# target).
COMPARED = (("CPU, LLVM", "cpu_us", "llvm", ""), ("CPU, ours", "cpu_us", "ours", ""),
            ("peak memory, LLVM", "peak_kib", "llvm", ""),
            ("peak memory, ours", "peak_kib", "ours", "≤ 1.45"))
MODES = (("all", "cpu_us", "ours", ""),
         ("no accesses", "cpu_us", "allocations", ""),
         ("sampled", "cpu_us", "ours sampled", ""),
         ("sampled, no accesses", "cpu_us", "allocations sampled", ""),
         ("two versions, all", "cpu_us", "versions", ""),
         ("1/32", "cpu_us", "versions 1/32", "≤ 1.32"),
         ("none", "cpu_us", "versions none", "≤ 1.27"),
         ("sampled, 1/32", "cpu_us", "versions sampled 1/32", "≤ 1.10, each ≤ 1.25"),
         ("memory, sampled, no accesses", "peak_kib", "allocations sampled", "≤ 1.1"),
         ("memory, sampled, 1/32", "peak_kib", "versions sampled 1/32", "≤ 1.1"))


def program_rows(programs, measured, columns, more):
    """A row for each program: its native time, its ratios, and the cells more(entry)."""
    rows = []
    for name in [p.name for p in programs if p.name in measured]:
        runs = measured[name]["runs"]
        rows.append([name,
                     f"{median([r['cpu_us'] for r in runs['native']]) / 1e6:.2f} s",
                     *[shown(ratios(runs, variant, lambda r: r[what]))
                       for _, what, variant, _ in columns],
                     *more(measured[name])])
    return rows


def summary_row(name, programs, measured, columns, summarize):
    row = [f"**{name}**", ""]
    for _, what, variant, _ in columns:
        values = [median(ratios(measured[p.name]["runs"], variant, lambda r: r[what]))
                  for p in programs if p.name in measured and
                  variant in measured[p.name]["runs"]]
        row.append(f"**{summarize(values):.2f}**" if values else "–")
    return row


def files_and_output(entry):
    """Sizes of the raw files, and the result of comparing the output."""
    return [kilobytes(median([r["raw_bytes"] for r in entry["runs"].get(variant, [])]))
            for variant in ("llvm", "ours")] + [entry["output"]]


def programs_table(programs, measured, columns, more_head=(), more=lambda entry: []):
    """The programs that are tuned for, the others, and summaries of both and of all."""
    tuned = [p for p in programs if not p.held_out]
    held_out = [p for p in programs if p.held_out]

    def part(these):
        return (program_rows(these, measured, columns, more) +
                [pad(summary_row("geometric mean", these, measured, columns,
                                 geometric_mean)),
                 pad(summary_row("largest", these, measured, columns, max))])

    def pad(row):
        return row + [""] * len(more_head)

    head = ["program", "native CPU", *[column[0] for column in columns], *more_head]
    return (table(head, part(tuned) +
                  [pad(["target", ""] + [column[3] for column in columns])]) +
            "\nHeld out: programs for which nothing is tuned.\n\n" +
            table(head, part(held_out) +
                  [pad(summary_row("geometric mean with those above", programs,
                                   measured, columns, geometric_mean))]))


def size_table(measured):
    """Code size and compile time, once per executable."""
    rows, seen = [], set()
    for entry in measured.values():
        built = entry.get("built", {})
        if not built or entry["binary"] in seen:
            continue
        seen.add(entry["binary"])
        row = [entry["binary"]]
        for key in ("object_text", "compile_s"):
            native = built["native"][key]
            row.append(f"{native / 1000:,.0f} kB" if key == "object_text"
                       else f"{native:.1f} s")
            for variant in ("llvm", "ours", "versions"):
                row.append(f"{built[variant][key] / native:.2f}"
                           if variant in built else "–")
        for variant in ("llvm", "ours"):
            row.append(f"{(built[variant]['exe_text'] - built[variant]['object_text']) / 1000:,.0f} kB"
                       if variant in built else "–")
        rows.append(row)
    return table(["executable", "code, native", "LLVM", "ours", "two versions",
                  "compile time, native", "LLVM", "ours", "two versions",
                  "runtime's code, LLVM", "ours"], rows)


# -- small programs ----------------------------------------------------------------------

def micro_figures(micro, data):
    """({variant: [figure per round]}, native's, unit's name)"""
    native = data["native"]
    if micro.unit == "ratio":
        return ({v: ratios(data, v, lambda r: r["cpu"])
                 for v in ("llvm", "ours")},
                f"{median([r['cpu'] for r in native]):.2f} ns", "× {:.2f}")
    if micro.unit in ("added", "part"):
        def added(v):
            pairs = zip(data.get(v, []), native)
            if micro.unit == "part":
                return [r["cpu"] / n["cpu"] - 1 for r, n in pairs]
            return [r["cpu"] - n["cpu"] for r, n in pairs]
        return ({v: added(v) for v in ("llvm", "ours")},
                f"{median([r['cpu'] for r in native]):,.1f} ns",
                "+{:,.0f} ns" if micro.unit == "added" else "+{:.0%}")
    if micro.unit == "start":
        return ({v: [(r["wall_us"] - n["wall_us"]) / 1000
                     for r, n in zip(data.get(v, []), native)]
                 for v in ("llvm", "ours")},
                f"{median([r['wall_us'] for r in native]) / 1000:.2f} ms",
                "+{:.2f} ms")
    if micro.unit == "scaling":
        return ({v: ratios(data, v, lambda r: r["scaling"])
                 for v in ("llvm", "ours")},
                f"× {median([r['scaling'] for r in native]):.2f}", "{:.2f}")
    if micro.unit == "context":
        return ({v: [(r["peak_kib"] - n["peak_kib"]) * 1024 / micro.contexts
                     for r, n in zip(data.get(v, []), native)]
                 for v in ("llvm", "ours")},
                f"{median([r['peak_kib'] for r in native]) / 1024:.1f} MiB",
                "{:.0f} bytes")
    return ({v: [r["peak_kib"] / 1024 for r in data.get(v, [])]
             for v in ("llvm", "ours")},
            f"{median([r['peak_kib'] for r in native]) / 1024:.1f} MiB",
            "{:.1f} MiB")


def micros_table(micros, measured):
    rows = []
    for micro in micros:
        if micro.name not in measured:
            continue
        data = measured[micro.name]["runs"]
        figures, native, form = micro_figures(micro, data)
        llvm, ours = median(figures["llvm"]), median(figures["ours"])
        target, met = verdict(ours, micro.target, llvm)
        steps = measured[micro.name].get("steps", {})
        rows.append([micro.name, native, shown(figures["llvm"], form),
                     shown(figures["ours"], form), target, met,
                     *[f"{steps[v]:,.1f}" if v in steps else "–"
                       for v in VARIANTS]])
        if micro.unit == "peak":
            raw = {v: median([r["raw_bytes"] for r in data.get(v, [])])
                   for v in ("llvm", "ours")}
            target, met = verdict(raw["ours"], ("llvm", 25), raw["llvm"])
            rows.append(["its raw file", "–", kilobytes(raw["llvm"]),
                         kilobytes(raw["ours"]), target, met, "", "", ""])
    return table(["", "native", "LLVM", "ours", "target", "met",
                  "instructions, native", "LLVM", "ours"], rows)


def max_runs(measured):
    return max([len(runs) for kind in ("micros", "programs")
                for entry in measured[kind].values()
                for runs in entry["runs"].values()], default=0)


def page(options, programs, micros, measured):
    text = "# Benchmark results\n\n"
    text += "Written by `make bench`; what the rows mean: "
    text += "[README.md](README.md).\n"
    text += f"{machine(options)}; up to {max_runs(measured)} "
    text += "alternating runs, median (min–max)."
    text += f"{' ' + options.note if options.note else ''}\n\n## Programs\n\n"
    text += "CPU time (user and system) and peak memory over native.\n\n"
    text += programs_table(programs, measured["programs"], COMPARED,
                           ("raw file, LLVM", "raw file, ours", "output"),
                           files_and_output)
    text += "\n## Modes\n\n"
    text += ("CPU time and peak memory over native. All: every block and access. No "
             "accesses: compiled with `-mllvm -memprof-access=none`. Sampled: run with "
             "`sample=524288`. Two versions: compiled with `-mllvm "
             "-memprof-versions=2`; all, 1/32, none: the option `accesses=`.\n\n")
    text += programs_table(programs, measured["programs"], MODES)
    text += "\n## Small programs\n\n"
    text += "Time and instructions per operation.\n\n"
    text += micros_table(micros, measured["micros"])
    text += "\n## Code and compile time\n\nOver native.\n\n"
    text += size_table(measured["programs"])
    if measured.get("errors"):
        text += "\n## Not measured\n\n"
        text += "".join(f"- {error}\n" for error in measured["errors"])
    return text


# -- memprofdata -------------------------------------------------------------------------

MERGE_TITLE = "\n## memprofdata\n"


def merge_section(options, head, cells):
    """The section about memprofdata. It names machine and versions, because it may be
    measured separately."""
    llvm = first_line([f"llvm-profdata-{options.llvm_version}", "--version"])
    text = MERGE_TITLE
    text += f"\n{machine(options)}; {llvm}; medians of {options.runs} "
    text += "alternating runs.\nMemory is the peak of anonymous memory; ratios of "
    text += "time are of CPU time.\n\n"
    return text + table(head, cells)


MEMBERS_TITLE = "\n## Members\n"
MEMBERS = (("CPU, blocks", "cpu_us", "ours", ""), ("CPU, members", "cpu_us", "fields", ""),
           ("peak memory, blocks", "peak_kib", "ours", ""),
           ("peak memory, members", "peak_kib", "fields", ""))


def members_section(options, programs, measured):
    text = MEMBERS_TITLE
    text += f"\n{machine(options)}; medians of up to {options.runs} alternating runs."
    text += f"{' ' + options.note if options.note else ''}\n"
    text += ("CPU time and peak memory over native: accesses counted for each block, and for "
             "each member (`-mllvm -memprof-access=fields`).\n\n")
    return text + programs_table(programs, measured, MEMBERS)


def logs_section(options, title, head, cells):
    text = title
    text += f"\n{machine(options)}; medians of {options.runs} alternating runs."
    text += f"{' ' + options.note if options.note else ''}\n"
    text += ("CPU time (user and system, with that of the process that writes while the "
             "program waits) over native; an event is an allocation or a free.\n\n")
    return text + table(head, cells)


def section_bounds(text, title):
    """(start, end) of the section in the page; both its end if there is none."""
    start = text.find(title)
    if start < 0:
        return len(text), len(text)
    end = text.find("\n## ", start + len(title))
    return start, end if end >= 0 else len(text)


def old_section(path, title):
    text = path.read_text() if path.exists() else ""
    start, end = section_bounds(text, title)
    return text[start:end]


def with_section(page_text, title, section):
    """The page with this section in its place, or as the last one."""
    start, end = section_bounds(page_text, title)
    return page_text[:start] + section + page_text[end:]
