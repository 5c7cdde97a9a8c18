#!/usr/bin/env python3
"""literals.py -- checks that formats, the ABI and options are spelled only in shared/.
Fails for strings elsewhere that look like one.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

# (what it is, pattern in code with comments removed)
LITERALS = [
    ("ABI symbol as a string", r'"[^"\n]*__memprof_[^"\n]*"'),
    ("raw or indexed magic", r"(?i)0x(0a0d77617270|0a0d78646970|ff6d70726f66"
                             r"|8169666f7270)[0-9a-f]*"),
    ("environment variable", r'"MEMPROF_[A-Z_]+"'),
    ("profile file name", r'"memprof\.profraw'),
    ("module flag", r'"MemProf(Profile|Instrumented)[A-Za-z]*"'),
    ("shadow geometry", r"(~63\b|& ?63\b|<< ?56\b|<< ?62\b)"),
    ("MIB field as a string", r'"(AllocCount|TotalAccessCount|TotalSize|'
                              r'TotalLifetime\w*|AccessHistogram\w*)"'),
]
# A runtime option by its name in quotes.
OPTION_FILE = pathlib.Path("shared/options.inc")


def without_comments(text):
    """Comments become blanks, so that line numbers stay."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)
    return pattern.sub(lambda m: m.group(0) if m.group(0)[0] == '"'
                       else re.sub(r"[^\n]", " ", m.group(0)), text)


def option_pattern():
    if not OPTION_FILE.exists():
        return []
    names = re.findall(r"^MPROF_OPTION\((\w+)", OPTION_FILE.read_text(), re.M)
    long_names = [n for n in names if "_" in n]
    return [("runtime option as a string",
             r'"(%s)(=[^"]*)?"' % "|".join(long_names))] if long_names else []


def main():
    bad = 0
    patterns = [(w, re.compile(p)) for w, p in LITERALS + option_pattern()]
    files = [p for d in ("pass", "rt", "alloc", "profdata")
             for p in sorted(pathlib.Path(d).rglob("*"))
             if p.suffix in (".c", ".h", ".cpp", ".hpp")]
    for path in files:
        text = without_comments(path.read_text())
        for number, line in enumerate(text.splitlines(), 1):
            if "#include" in line:
                continue
            for what, pattern in patterns:
                found = pattern.search(line)
                if found:
                    print(f"{path}:{number}: {what} outside shared/: "
                          f"{found.group(0)}")
                    bad += 1
    print(f"literals: {len(files)} files, {bad} outside shared/")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
