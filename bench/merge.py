"""merge.py -- compares memprofdata with llvm-profdata on the same profiles.

The profiles come from runs of sqlite3's speedtest1 and of bench/merge/contexts.c, whose
number of call stacks is an argument. They are kept in build/bench/merge, and written
again if the program changes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANY = 10000
STACK_FRAMES = 80
TOP = 20


class Tools:
    def __init__(self, options):
        self.launch = options.tools / "launch"
        self.ours = options.build / "bin/memprofdata"
        self.llvm = shutil.which(f"llvm-profdata-{options.llvm_version}")
        self.work = options.build / "bench/merge"
        self.npm = options.build / "test/npm/node_modules"


def make(tools, exe, name, raw_format, runs):
    """Runs exe with each list of arguments in `runs`; returns the folder with the raw
    profiles. raw_format: option of our runtime; None: exe has LLVM's runtime."""
    folder = tools.work / name
    key = f"{exe.name} {raw_format} {runs[0]} {len(runs)}"
    stamp = tools.work / f"{name}.made"
    if stamp.exists() and stamp.read_text() == key:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def start(i):
        # The same options for all runs, as for processes of a service, because a
        # profile stores each distinct text of options.
        options = f"log_path={folder}/p:malloc_context_size={STACK_FRAMES}"
        if raw_format is not None:
            options += f":raw_format={raw_format}"
        subprocess.run([str(exe), *runs[i]], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL,
                       env=dict(os.environ, MEMPROF_OPTIONS=options))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(start, range(len(runs))))
    stamp.write_text(key)
    return folder


def total_bytes(folder):
    return sum(path.stat().st_size for path in folder.iterdir())


def count_contexts(tools, folder):
    """Number of call stacks in all files, as `check` prints it."""
    total, paths = 0, sorted(str(path) for path in folder.iterdir())
    for i in range(0, len(paths), 500):
        text = subprocess.run([str(tools.ours), "check", *paths[i:i + 500]],
                              check=True, stdout=subprocess.PIPE).stdout.decode()
        total += sum(int(n.replace(",", ""))
                     for n in re.findall(r"call stacks +([0-9,]+)", text))
    return total


def run(tools, command):
    """{wall_s, cpu_s, anon_mib} of one run."""
    with tempfile.TemporaryDirectory(prefix="memprof-bench-") as scratch:
        cost = pathlib.Path(scratch) / "cost"
        subprocess.run([str(tools.launch), "-a", str(cost), "1",
                        *[str(word) for word in command]], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        words = [float(word) for word in cost.read_text().split()]
        if words[4] != 0:
            raise subprocess.CalledProcessError(int(words[4]), command)
        return {"wall_s": words[0] / 1e6, "cpu_s": (words[1] + words[2]) / 1e6,
                "anon_mib": words[5] / 1024}


def median(runs, what):
    return statistics.median(r[what] for r in runs)


class Row:
    """name: what is merged. llvm, ours: commands, or None. targets: the largest ratios
    of time and memory. figure(ours): (text, target as text, whether it is met), for a
    row without llvm."""

    def __init__(self, name, llvm, ours, targets=None, figure=None):
        self.name, self.llvm, self.ours = name, llvm, ours
        self.targets, self.figure = targets, figure


def rate_row(name, command, amount, unit, least):
    """A row for throughput per second of CPU time."""
    def figure(ours):
        rate = amount / median(ours, "cpu_s")
        return f"{rate:,.1f} {unit}", f"≥ {least} {unit}", rate >= least
    return Row(name, None, command, figure=figure)


def holds(tools, index, form):
    """True unless the profile lacks data that the format needs."""
    said = subprocess.run([str(tools.ours), "export", f"--format={form}", str(index),
                           "-o", "/dev/null"], check=False, stderr=subprocess.PIPE)
    return b" needs " not in said.stderr


def export_rows(tools, index, call_stacks):
    """One row for each format that `export` writes itself and that fits the profile."""
    listed = subprocess.run([str(tools.ours), "export", "--list"], check=True,
                            stdout=subprocess.PIPE).stdout.decode()

    def figure(ours):
        wall, anon = median(ours, "wall_s"), median(ours, "anon_mib") * 1.048576
        return (f"{wall:.1f} s, {anon:.0f} MB", "≤ 10 s, 500 MB",
                wall <= 10 and anon <= 500)
    forms = [line.split()[0] for line in listed.splitlines()
             if "memprofdata merge" not in line]
    return [Row(f"export --format={form}, {call_stacks:,} call stacks", None,
                [tools.ours, "export", f"--format={form}", index,
                 "-o", tools.work / "out"], figure=figure)
            for form in forms if holds(tools, index, form)]


# Options of `show`: views that read all call stacks in different ways.
VIEWS = [f"--top={TOP}", f"--top={TOP} --sort=blocks", "--by=function", "--by=line", "--by=file", "--by=type",
         "--tree", "--tree --details", "--callers=^make$", "--callees=^step_01$",
         "--list=^call$", "--filter=bytes>=256", "--function=^step_11$",
         "--histogram", "--at=exit", "--sort=lifetime",
         "--json --top=20", "--by=function --json", "--tree --json --threshold=1"]
BUDGET = "function:^step_11$: bytes <= 1G\n"


def view_rows(tools, index, call_stacks):
    """One row for each view, and for each command that compares."""
    def figure(ours):
        wall, cpu = median(ours, "wall_s"), median(ours, "cpu_s")
        return (f"{wall:.2f} s, {median(ours, 'anon_mib') * 1.048576:.0f} MB",
                "≤ 1.2 s, 400 MB",
                cpu <= 1.2 and median(ours, "anon_mib") * 1.048576 <= 400)

    budget = tools.work / "memory.budget"
    budget.write_text(BUDGET)
    some = tools.work / "some.profdata"
    subprocess.run([str(tools.ours), "merge", "--function=^step_11$", str(index),
                    "-o", str(some)], check=True, stderr=subprocess.DEVNULL)
    commands = [(f"show {options}", ["show", *options.split(), index])
                for options in VIEWS]
    commands += [("diff of two profiles", ["diff", index, index]),
                 ("diff, by function", ["diff", "--by=function", index, index]),
                 ("diff of it and a part", ["diff", some, index]),
                 ("check-budget", ["check-budget", budget, index])]
    return [Row(f"{name}, {call_stacks:,} call stacks", None,
                [tools.ours, *words], figure=figure) for name, words in commands]


# Limits of a report's page: MB, and ms of its thread to open and for any action.
PAGE_MB, PAGE_OPEN_MS, PAGE_ACTION_MS = 10, 2000, 100


def page_rows(tools, exe):
    """Rows for a report of many call stacks: making it, and opening it in a browser."""
    raw = make(tools, exe, "page", "memprof", [["17", "4"]])
    index, page = tools.work / "page.profdata", tools.work / "page.html"
    subprocess.run([str(tools.ours), "merge", str(raw), "-o", str(index)],
                   check=True)
    command = [tools.ours, "report", index, "-o", page]

    def size(_):
        found = page.stat().st_size / 1e6
        return f"{found:.1f} MB", f"≤ {PAGE_MB} MB", found <= PAGE_MB

    def opened(_):
        spent = subprocess.run(["node", str(ROOT / "bench/page.mjs"),
                                str(tools.npm), str(page)], check=True,
                               stdout=subprocess.PIPE).stdout.decode()
        spent = json.loads(spent)
        start = spent.pop("open")
        slowest = max(spent, key=spent.get)
        return (f"{start} ms; at most {spent[slowest]} ms, {slowest}",
                f"≤ {PAGE_OPEN_MS} ms; {PAGE_ACTION_MS} ms",
                start <= PAGE_OPEN_MS and spent[slowest] <= PAGE_ACTION_MS)
    return [Row("report, 131,072 call stacks: size", None, command, figure=size),
            Row("the same in Chromium: open; any action", None, command,
                figure=opened)]


def merge_commands(tools, paths, exe):
    """The commands (LLVM's, ours). Ours uses no cache of symbols, like LLVM's."""
    out = tools.work / "out"
    binary = [f"--profiled-binary={exe}"]
    return ([tools.llvm, "merge", *paths, *binary, "-o", out],
            [tools.ours, "merge", *paths, *binary, "--no-cache", "-o", out])


def rows(tools, exe, sqlite):
    """Makes the inputs of all rows and returns the rows. exe, sqlite: instrumented
    programs; sqlite may be None."""
    table = []
    tools.work.mkdir(parents=True, exist_ok=True)
    if sqlite is not None:
        program, arguments = sqlite
        raw = make(tools, program, "sqlite3", None, [arguments])
        llvm, ours = merge_commands(tools, list(raw.iterdir()), program)
        name = f"sqlite3, one raw v5 file ({total_bytes(raw) / 1e3:,.0f} kB)"
        table.append(Row(name, llvm, ours, targets=(1 / 2, 1 / 2)))
        warm = [word for word in ours if word != "--no-cache"]
        run(tools, warm)
        table.append(Row("the same with a warm cache", llvm, warm,
                         targets=(1 / 6, 1 / 2)))
    big = make(tools, exe, "big", "llvm", [["17", "35"]])
    twenty = make(tools, exe, "twenty", "llvm",
                  [["12", "18", str(i + 1)] for i in range(20)])
    many = [["9", "10", str(i + 1)] for i in range(MANY)]
    llvm_many = make(tools, exe, "many-llvm", "llvm", many)
    ours_many = make(tools, exe, "many-ours", "memprof", many)
    million = make(tools, exe, "million", "memprof", [["20", "4"]])
    index = tools.work / "million.profdata"
    subprocess.run([str(tools.ours), "merge", str(million), "-o", str(index)],
                   check=True)
    table.append(Row(
        f"one raw v5 file of {total_bytes(big) / 1e6:,.0f} MB, "
        f"{count_contexts(tools, big):,} call stacks",
        *merge_commands(tools, list(big.iterdir()), exe),
        targets=(1 / 6, 1 / 3)))
    table.append(Row(
        f"20 raw v5 files of one program, {total_bytes(twenty) / 1e6:,.0f} MB",
        *merge_commands(tools, sorted(twenty.iterdir()), exe),
        targets=(1 / 5, 1 / 5)))
    for folder, name in ((llvm_many, "v5"), (ours_many, "ours")):
        _, command = merge_commands(tools, [folder], exe)
        one = [*command, "-j1"]
        if name == "v5":
            table.append(rate_row(
                f"{MANY:,} raw v5 files, {total_bytes(folder) / 1e6:,.0f} MB",
                one, total_bytes(folder) / 1e6, "MB/s per core", 500))
        else:
            contexts = count_contexts(tools, folder)
            table.append(rate_row(
                f"{MANY:,} of our raw files, {contexts:,} call stacks",
                one, contexts / 1e6, "M call stacks/s per core", 1))
    return (table + view_rows(tools, index, 2**20) + page_rows(tools, exe) +
            export_rows(tools, index, 2**20))


def costs(runs):
    if not runs:
        return ["–"] * 3
    return [f"{median(runs, 'wall_s'):.3f} s", f"{median(runs, 'cpu_s'):.3f} s",
            f"{median(runs, 'anon_mib'):.1f} MiB"]


def verdict(row, runs):
    """[ratio or figure, target, met]"""
    if row.targets is None:
        text, target, met = row.figure(runs["ours"])
        return [text, target, "yes" if met else "no"]
    time = statistics.median(o["cpu_s"] / l["cpu_s"]
                             for o, l in zip(runs["ours"], runs["llvm"]))
    memory = median(runs["ours"], "anon_mib") / median(runs["llvm"], "anon_mib")
    met = time <= row.targets[0], memory <= row.targets[1]
    return [f"1/{1 / time:.1f} time, 1/{1 / memory:.1f} memory",
            f"≤ 1/{1 / row.targets[0]:.0f}, 1/{1 / row.targets[1]:.0f}",
            ", ".join("yes" if m else "no" for m in met)]


def measure(options, exe, sqlite, say):
    """The table's rows as lists of cells."""
    tools, cells = Tools(options), []
    for row in rows(tools, exe, sqlite):
        say(row.name)
        runs = {"llvm": [], "ours": []}
        for _ in range(options.runs):
            for name, command in (("llvm", row.llvm), ("ours", row.ours)):
                if command is not None:
                    runs[name].append(run(tools, command))
        cells.append([row.name, *costs(runs["llvm"]), *costs(runs["ours"]),
                      *verdict(row, runs)])
    return cells


HEAD = ["", "llvm-profdata: time", "CPU", "memory", "memprofdata: time", "CPU",
        "memory", "ratio or rate", "target", "met"]
