#!/usr/bin/env python3
"""typenames.py -- measures for which share of allocated bytes the type is known.

Builds and runs the programs of bench/programs.py with ours, and writes the table
bench/types.md, with medians for C and for C++. With --sample, prints random call stacks
and their types, for a check against the source.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))

# pylint: disable=wrong-import-position
from compile import BuildError, Compiler  # noqa: E402
from programs import programs  # noqa: E402

GOALS = {"C": 50, "C++": 80}
# Number of frames that memprofdata searches for a type (profdata/query/frames.h).
DEPTH = int(re.search(r"MPDATA_TYPES_DEPTH (\d+)", (
    ROOT / "profdata/query/frames.h").read_text()).group(1))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--llvm-version", default="22")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--clangxx", default="clang++-22")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression of names")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "bench/types.md")
    parser.add_argument("--sample", type=int, default=0, metavar="N",
                        help="print N call stacks of each program, by chance, "
                        "with their source; write no table")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def memprofdata(options, *arguments):
    command = [str(options.build / "bin/memprofdata"), *arguments]
    return json.loads(subprocess.run(command, check=True,
                                     stdout=subprocess.PIPE).stdout)


def profile(options, compiler, program, scratch):
    """Runs the program and returns the path of its profile."""
    exe = compiler.build(program.binary, program.sources, flags=program.flags,
                         libs=program.libs, is_cxx=program.cxx).exe
    work = scratch / "work"
    work.mkdir()
    subprocess.run([str(exe), *[a.replace("{work}", str(work))
                                for a in program.arguments]], cwd=work,
                   env=dict(os.environ, MEMPROF_OPTIONS=f"log_path={scratch}/p"),
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    out = scratch / "profile"
    subprocess.run([str(options.build / "bin/memprofdata"), "merge", "-o", str(out),
                    *[str(p) for p in scratch.glob("p.*")]], check=True)
    return out


class Stack:
    """type: text or None. bytes: allocated. frames: texts, innermost first."""

    def __init__(self, text, context):
        functions = text["Functions"]
        self.bytes = context["MemInfoBlock"].get("TotalSize", 0)
        self.type, self.frames, self.typed_at = None, [], None
        for depth, number in enumerate(context["Callstack"][:DEPTH]):
            frame = text["Frames"][number]
            name = (functions[frame["Function"]]["Name"]
                    if "Function" in frame else "?")
            place = (f' {frame["File"]}:{frame["Line"]}:'
                     f'{frame.get("Column", 0)}'
                     if "File" in frame and "Line" in frame else "")
            self.frames.append(name + place)
            if self.type is None and frame.get("Type"):
                self.type, self.typed_at = frame["Type"], depth


def find(tree, key):
    if isinstance(tree, dict):
        if key in tree:
            return tree
        for value in tree.values():
            found = find(value, key)
            if found is not None:
                return found
    return None


def stacks(options, file):
    text = find(memprofdata(options, "merge", "--text", "-o", "-", str(file)),
                "Contexts")
    return [Stack(text, c) for c in text["Contexts"]]


def row(options, program, file):
    """(name, language, bytes, percent of bytes with a known type, call stacks, call
    stacks with a known type, the largest call stack without one)"""
    types = memprofdata(options, "show", "--by=type", "--json", "--top=1000000", str(file))
    values = [(t["type"], t["values"]["bytes"])
              for t in types["rows"]]
    total = sum(b for _, b in values)
    known = sum(b for t, b in values if t is not None)
    all_stacks = stacks(options, file)
    unknown = sorted((s for s in all_stacks if s.type is None),
                     key=lambda s: -s.bytes)
    return {"name": program.name, "language": "C++" if program.cxx else "C",
            "bytes": total, "percent": 100 * known / total,
            "stacks": len(all_stacks), "known": len(all_stacks) - len(unknown),
            "unknown": unknown}


def table(rows):
    lines = ["# Types: of how many bytes is it known what they are of", "",
             "`make bench-types` wrote this. Of all bytes that a program allocates, those "
             "of call stacks", "with a type (`show --by=type`). Medians:", ""]
    for language, goal in GOALS.items():
        percents = [r["percent"] for r in rows if r["language"] == language]
        if percents:
            lines.append(f"- {language}: {statistics.median(percents):.1f} % in "
                         f"{len(percents)} programs (wanted: {goal} %)")
    lines += ["", "| program | | MB allocated | type known, of bytes | of call stacks |",
              "|---|---|--:|--:|--:|"]
    for r in rows:
        lines.append(f'| {r["name"]} | {r["language"]} | {r["bytes"] / 1e6:.1f} | '
                     f'{r["percent"]:.1f} % | {r["known"]} of {r["stacks"]} |')
    return "\n".join(lines) + "\n"


def source_line(frame):
    place = re.search(r" (\S+):(\d+):\d+$", frame)
    if place is None or not os.path.exists(place.group(1)):
        return ""
    lines = pathlib.Path(place.group(1)).read_text(errors="replace").split("\n")
    return lines[int(place.group(2)) - 1].strip()


def print_sample(options, found):
    """Samples the same number of call stacks from each program, without duplicates of
    the frames that decide the type. found: {name of the program: [Stack]}."""
    number = 0
    for name, all_of in found.items():
        alike = {(s.type, *s.frames[:s.typed_at + 1]): s for s in all_of}
        chosen = random.Random(options.seed).sample(
            sorted(alike), min(options.sample, len(alike)))
        for key in chosen:
            stack = alike[key]
            number += 1
            print(f"{number}. {name}: {stack.type}")
            for frame in stack.frames[:stack.typed_at + 1]:
                print(f"     {frame}\n         {source_line(frame)}")


def main():
    options = parse()
    compiler = Compiler("ours", options)
    rows, found, failed = [], {}, False
    for program in programs(options.build):
        if not re.search(options.only, program.name):
            continue
        print(f"  {program.name}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="memprof-types-") as folder:
            try:
                file = profile(options, compiler, program, pathlib.Path(folder))
                if options.sample:
                    found[program.name] = [s for s in stacks(options, file)
                                           if s.type is not None]
                else:
                    rows.append(row(options, program, file))
            except (BuildError, subprocess.CalledProcessError) as error:
                print(f"{program.name}: {error}", file=sys.stderr)
                failed = True
    if options.sample:
        print_sample(options, found)
    else:
        for r in rows:
            for stack in r["unknown"][:3]:
                share = 100 * stack.bytes / r["bytes"]
                if share >= 1:
                    print(f'{r["name"]}: no type of {share:.1f} %: '
                          f'{" < ".join(stack.frames[:5])}', file=sys.stderr)
        text = table(rows)
        print(text, end="")
        if not failed and not options.only:
            options.output.write_text(text)
    return failed


if __name__ == "__main__":
    sys.exit(main())
