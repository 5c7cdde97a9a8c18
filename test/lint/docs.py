#!/usr/bin/env python3
"""docs.py -- checks that tables in docs/ equal the definitions in shared/.

usage: docs.py DOCGEN [--fix]

The text between "<!-- table: NAME -->" and "<!-- end -->" must be the output of `docgen
NAME`. Without --fix, fails if a document differs, if a relative link of a document has no
target, and if a number of two or more digits between "<!-- bench -->" and "<!-- end -->" is
not in bench/results.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import subprocess
import sys

MARKED = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end -->)", re.S)
BENCH = re.compile(r"<!-- bench -->\n(.*?)<!-- end -->", re.S)
NUMBER = re.compile(r"\d(?:[\d.,]*\d)+")
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


def table(docgen, name):
    return subprocess.run([docgen, name], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def main():
    docgen, fix = sys.argv[1], "--fix" in sys.argv
    measured = set(NUMBER.findall(pathlib.Path("bench/results.md").read_text()))
    bad = 0
    files = sorted(pathlib.Path(".").glob("*.md")) + \
        sorted(pathlib.Path("docs").rglob("*.md"))
    for path in files:
        text = path.read_text()
        wanted = MARKED.sub(lambda m: m.group(1) + table(docgen, m.group(2)) +
                            m.group(3), text)
        if wanted != text:
            if fix:
                path.write_text(wanted)
            else:
                print(f"{path}: a table differs from shared/; run `make docs`")
                bad += 1
        for part in BENCH.findall(text):
            for number in sorted(set(NUMBER.findall(part)) - measured):
                print(f"{path}: {number} is not in bench/results.md")
                bad += 1
        for link in LINK.finditer(text):
            if not (path.parent / link.group(1)).exists():
                print(f"{path}: link to nothing: {link.group(1)}")
                bad += 1
    print(f"docs: {len(files)} files, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
