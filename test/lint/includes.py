#!/usr/bin/env python3
"""includes.py -- who may include what. One row of the table per kind of file; an
include that no pattern of the row allows fails the build.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

FREESTANDING = r"<(stdalign|stdarg|stdatomic|stdbool|stddef|stdint|limits)\.h>"
LIBC = r"<[a-z0-9_]+\.h>|<(sys|arpa|netinet)/[a-z0-9_]+\.h>"
OURS = r'"%s/[a-zA-Z0-9_./]+"'

# (files, what they may include). The first row whose pattern fits counts.
TABLE = [
    (r"shared/container\.c", [FREESTANDING, OURS % "shared", "<xxhash.h>"]),
    (r"shared/.*", [FREESTANDING, OURS % "shared"]),
    (r"pass/(.*\.(cpp|hpp)|llvm_compat\.h)", [r"<llvm(-c)?/.*>", r'"llvm(-c)?/.*"',
                             r'"clang/.*"', r"<[a-z_]+>", LIBC,
                             OURS % "pass", OURS % "shared"]),
    (r"pass/.*", [LIBC, r"<llvm-c/.*>", r'"llvm-c/.*"',
                  r"<llvm/Config/llvm-config\.h>",
                  OURS % "pass", OURS % "shared"]),
    (r"rt/raw(write|pack).*\.c|rt/zstd.*\.[ch]|rt/section.*\.[ch]",
     [FREESTANDING, r"<(elf|link)\.h>", r"<zstd\.h>", OURS % "rt",
      OURS % "shared", OURS % "inc"]),
    # The build makes the list.
    (r"rt/next_static\.c", [OURS % "rt", r'"wrapped\.inc"']),
    # What is interposed is declared where the program finds it.
    (r"rt/interpose\.h", [LIBC, OURS % "rt"]),
    (r"rt/.*", [FREESTANDING, r"<(linux|asm|asm-generic)/.*>",
                r"<(elf|link|errno|fcntl|signal|time|wchar|malloc)\.h>",
                r"<sys/(mman|syscall|stat|auxv|types|rseq)\.h>",
                r"<(immintrin|x86intrin|cpuid)\.h>",
                r"<dlfcn\.h>", r"<pthread\.h>",
                r"<sanitizer/(memprof|common|allocator)_interface[a-z_]*\.h>",
                OURS % "rt", OURS % "shared", OURS % "inc"]),
    (r"profdata/.*\.(cpp|hpp)", [r"<llvm(-c)?/.*>", r'"llvm(-c)?/.*"',
                                 r"<[a-z_]+>", LIBC, OURS % "profdata",
                                 OURS % "shared"]),
    (r"profdata/.*", [LIBC, OURS % "profdata", OURS % "shared", OURS % "inc"]),
    (r"inc/.*", [r"<(stdint|stddef|stdbool)\.h>"]),
    (r"examples/.*", [LIBC, r"<[a-z_]+>", r"<memprof[a-z]*\.h>",
                      r"<sanitizer/.*>"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"][^>"]+[>"])')


def allowed_for(path):
    for pattern, allowed in TABLE:
        if re.fullmatch(pattern, path):
            return allowed
    return None


def main():
    bad = 0
    files = [p for d in ("shared", "pass", "rt", "profdata", "inc", "examples")
             for p in sorted(pathlib.Path(d).rglob("*"))
             if p.suffix in (".c", ".h", ".inc", ".cpp", ".hpp", ".in")]
    for path in files:
        allowed = allowed_for(path.as_posix())
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and not any(re.fullmatch(a, found.group(1))
                                 for a in allowed):
                print(f"{path}:{number}: may not include {found.group(1)}")
                bad += 1
    print(f"includes: {len(files)} files, {bad} forbidden")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
