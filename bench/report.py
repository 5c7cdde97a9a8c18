"""report.py -- the tables of bench/results.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import os
import platform
import statistics
import subprocess

# Limit of the peak memory: PEAK_FACTOR * native + PEAK_FREE_KIB.
PEAK_FACTOR, PEAK_FREE_KIB = 1.3, 4096
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

# Columns of the programs' table, as ratios to native: (member of Run, variant).
PROGRAM_COLUMNS = (("cpu_us", "llvm"), ("cpu_us", "ours"),
                   ("cpu_us", "allocations"), ("cpu_us", "sampled-ours"),
                   ("cpu_us", "sampled-allocations"), ("peak_kib", "llvm"),
                   ("peak_kib", "ours"))


def program_ratios(programs, measured):
    """{column: [median of each program]}"""
    return {(what, variant): [
        median(ratios(measured[p.name]["runs"], variant, lambda r: r[what]))
        for p in programs if p.name in measured and
        variant in measured[p.name]["runs"]]
        for what, variant in PROGRAM_COLUMNS}


def summary_row(name, programs, measured, summarize):
    values = program_ratios(programs, measured)
    return [f"**{name}**", ""] + [
        f"**{summarize(values[column]):.2f}**" if values[column] else "–"
        for column in PROGRAM_COLUMNS] + ["", "", ""]


def program_rows(programs, measured):
    """CPU time, memory and file size of the real programs."""
    rows = []
    for name in [p.name for p in programs if p.name in measured]:
        data = measured[name]["runs"]
        row = [name, f"{median([r['cpu_us'] for r in data['native']]) / 1e6:.2f} s"]
        row += [shown(ratios(data, variant, lambda r: r[what]))
                for what, variant in PROGRAM_COLUMNS]
        row += [kilobytes(median([r["raw_bytes"] for r in data.get(variant, [])]))
                for variant in ("llvm", "ours")]
        rows.append(row + [measured[name]["output"]])
    return rows + [summary_row("geometric mean", programs, measured, geometric_mean),
                   summary_row("largest", programs, measured, max)]


def target_row(programs, measured):
    allowed = geometric_mean(
        PEAK_FACTOR + PEAK_FREE_KIB / median([r["peak_kib"] for r in
                                              measured[p.name]["runs"]["native"]])
        for p in programs if p.name in measured)
    return ["target", "", "", "≤ 1.3, each ≤ 2.0", "≤ 1.12",
            "", "≤ 1.05", "",
            f"≤ {allowed or 0:.2f}: {PEAK_FACTOR:g} of native's and 4 MiB; "
            "each ≤ LLVM's", "", "sqlite3: ≤ LLVM's / 8", "same"]


PROGRAMS_HEAD = ["program", "native CPU", "CPU, LLVM", "CPU, ours",
                 "CPU, allocations only", "CPU, sampled", "CPU, sampled, allocations only",
                 "peak memory, LLVM",
                 "peak memory, ours", "raw file, LLVM", "raw file, ours", "output"]


def programs_table(programs, measured):
    tuned = [p for p in programs if not p.held_out]
    held_out = [p for p in programs if p.held_out]
    return (table(PROGRAMS_HEAD, program_rows(tuned, measured) +
                  [target_row(tuned, measured)]) +
            "\nHeld out: programs for which nothing is tuned.\n\n" +
            table(PROGRAMS_HEAD, program_rows(held_out, measured) +
                  [summary_row("geometric mean with those above", programs,
                               measured, geometric_mean)]))


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
            for variant in ("llvm", "ours"):
                row.append(f"{built[variant][key] / native:.2f}"
                           if variant in built else "–")
        for variant in ("llvm", "ours"):
            row.append(f"{(built[variant]['exe_text'] - built[variant]['object_text']) / 1000:,.0f} kB"
                       if variant in built else "–")
        rows.append(row)
    return table(["executable", "code, native", "LLVM", "ours",
                  "compile time, native", "LLVM", "ours",
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
    text += "CPU time (user and system) and peak memory over native. "
    text += ("Allocations only: ours with `-mllvm -memprof-access=none`. Sampled: "
             "run with `sample=524288`.\n\n")
    text += programs_table(programs, measured["programs"])
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


def old_merge_section(path):
    text = path.read_text() if path.exists() else ""
    start = text.find(MERGE_TITLE)
    return text[start:] if start >= 0 else ""


def with_merge_section(page_text, section):
    """The page with this section as the last one."""
    start = page_text.find(MERGE_TITLE)
    return (page_text[:start] if start >= 0 else page_text) + section
