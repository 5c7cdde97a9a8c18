"""logs.py -- the cost of a log of every block (docs/log.md): programs run natively, with
the profile, and with profile and log.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import statistics
import subprocess
import tempfile

# Options of the runtime for each variant, as in run.py.
VARIANTS = {"native": "", "ours": "", "ours log": "log=../raw/log"}
TITLE = "\n## Logs\n"
HEAD = ["program", "events", "bytes an event", "ns an event", "CPU, profile", "with log",
        "over the profile", "met"]
TARGETS = ["target", "", "≤ 8", "", "", "", "≤ 1.25", ""]
# Rows, and their last argument, or all. Short runs, because the machine is another one
# after seconds; but start and end must not count.
PROGRAMS = {"lua5.4 trees": "14", "jsoncpp": "1"}
MICROS = {"malloc/free pair, depth 5": ["1000000", "5"],
          "pair among 10,000 live blocks": ["400000", "10000"],
          "hash map of strings, C++": ["300000", "20000"]}
# The log goes to a function of the program.
WRITERS = {"pair, the program's function writes": ["2000000", "0"],
           "pair, a thread of the program writes": ["2000000", "1"]}


def count(options, exe, arguments):
    """(events, bytes) of the log of a run."""
    with tempfile.TemporaryDirectory(prefix="memprof-bench-") as scratch:
        log = pathlib.Path(scratch) / "log"
        subprocess.run([exe, *arguments], cwd=scratch, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={"MEMPROF_OPTIONS": "log=log:dump_at_exit=0"})
        sums = json.loads(subprocess.check_output(
            [options.build / "bin/memprofdata", "events", "--json", log]))
        return sums["blocks"] + sums["freed_blocks"], log.stat().st_size


def row(name, runs, events, size, shown):
    """Cells of the table."""
    rounds = list(zip(runs["native"], runs["ours"], runs["ours log"]))

    def ratios(i, k):
        return [r[i]["cpu_us"] / r[k]["cpu_us"] for r in rounds]

    added = [(r[2]["cpu_us"] - r[1]["cpu_us"]) * 1000 / events for r in rounds]
    met = size / events <= 8 and statistics.median(ratios(2, 1)) <= 1.25
    return [name, f"{events:,}", f"{size / events:.1f}", shown(added, "{:.0f}"),
            shown(ratios(1, 0)), shown(ratios(2, 0)), shown(ratios(2, 1)),
            "yes" if met else "no"]
