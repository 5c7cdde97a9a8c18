#!/usr/bin/env python3
"""sizes.py -- checks that no function has over 70 lines and no file over 600 (in
three folders of profdata/ 1000). A function that must be longer gives the reason in its
definition's comment: "long: reason".

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

FUNCTION_MAX = 70
FILE_MAX = {"profdata/cmd": 1000, "profdata/load": 1000, "profdata/view": 1000}
FILE_MAX_DEFAULT = 600


def functions(lines):
    """(name, first line, length) of each function: a '{' alone in column 0 to
    the '}' in column 0, as clang-format lays them out."""
    start = None
    for number, line in enumerate(lines):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start is not None:
            head = next((lines[i] for i in range(start - 1, -1, -1)
                         if not lines[i].startswith((" ", "\t"))), "?")
            first = next((i for i in range(start - 1, -1, -1)
                          if not lines[i].strip()), 0)
            excused = any("long:" in line for line in lines[first:start])
            if not line.startswith("};") and not excused:
                found = re.search(r"(\w+)\(", head)
                yield (found.group(1) if found else head, start + 1,
                       number - start + 1)
            start = None


def main():
    bad = 0
    files = [p for d in ("shared", "pass", "rt", "profdata")
             for p in sorted(pathlib.Path(d).rglob("*"))
             if p.suffix in (".c", ".cpp", ".h")]
    for path in files:
        lines = path.read_text().splitlines()
        limit = FILE_MAX.get("/".join(path.parts[:2]), FILE_MAX_DEFAULT)
        if len(lines) > limit:
            print(f"{path}: {len(lines)} lines, the limit is {limit}")
            bad += 1
        for name, first, length in functions(lines):
            if length > FUNCTION_MAX:
                print(f"{path}:{first}: {name} has {length} lines, "
                      f"the limit is {FUNCTION_MAX}")
                bad += 1
    print(f"sizes: {len(files)} files, {bad} too long")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
