#!/usr/bin/env python3
"""includes.py -- checks which files include which. A table has one row per folder: the
other folders of ours that it may include, and the system headers. An include that its
row does not allow fails the build, and so does a folder without a row.

usage: includes.py [ROOT]

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

FREESTANDING = r"<(stdalign|stdarg|stdatomic|stdbool|stddef|stdint|limits)\.h>"
LIBC = r"<[a-z0-9_]+\.h>|<(sys|arpa|netinet)/[a-z0-9_]+\.h>"
LLVM_C = r'[<"]llvm-c/.*[>"]|<llvm/Config/llvm-config\.h>'
LLVM_CXX = r'[<"](llvm|clang)/.*[>"]|<[a-z_]+>'
# What the runtime may know of the system: no function of libc's is called.
SYSTEM = "|".join([FREESTANDING, r"<(linux|asm|asm-generic)/.*>",
                   r"<(elf|link|errno|fcntl|signal|time|wchar|malloc)\.h>",
                   r"<sys/(mman|resource|syscall|stat|auxv|types|rseq)\.h>",
                   r"<(immintrin|x86intrin|cpuid)\.h>",
                   r"<(dlfcn|pthread)\.h>",
                   r"<sanitizer/(memprof|common|allocator|lsan)_interface[a-z_]*\.h>"])

# A folder's row: (folder, folders of ours, patterns of what is not ours). Folders
# that may include those above them, as the order stands here:
RT = ["rt/base", "rt/heap", "rt/stack", "rt/record", "rt/leaks", "rt/dump", "rt/events", "rt/real",
      "rt/process", "rt/api", "rt/start"]
TABLE = {
    "shared": ([], [FREESTANDING]),
    "inc": ([], [r"<(stdint|stddef|stdbool)\.h>"]),
    # Modules for virtual machines use the headers that programs use.
    "vm/mujs": ([], [LIBC, r'<memprof_vm\.h>|"(jsi|jscompile)\.h"']),
    "vm/lua": ([], [LIBC, r'<(memprof_vm|lua|lualib|lauxlib|execinfo|unwind|dlfcn)\.h>|"objects\.h"']),

    # We call LLVM; what all share; the profile, read with libmemprofdata and
    # without LLVM; what is called by plugin/, which LLVM and clang call.
    "pass/bridge": (["shared"], [LIBC, LLVM_C, LLVM_CXX]),
    "pass/support": (["shared", "pass/bridge"], [LIBC, LLVM_C]),
    "pass/profile": (["shared", "profdata/judge", "profdata/query", "profdata/index", "profdata/llvm",
                      "profdata/model", "profdata/base"], [LIBC]),
    "pass/use": (["shared", "inc", "pass/profile", "pass/support", "pass/bridge"],
                 [LIBC, LLVM_C]),
    "pass/collect": (["shared", "pass/support", "pass/bridge"], [LIBC, LLVM_C]),
    "pass/plugin": (["shared", "pass/collect", "pass/use", "pass/support",
                     "pass/bridge"], [LIBC, LLVM_C, LLVM_CXX]),

    "profdata/base": (["shared"], [LIBC]),
    "profdata/model": (["shared", "base"], [LIBC]),
    "profdata/symbols": (["shared", "base"], [LIBC]),
    "profdata/raw": (["shared", "model", "base"], [LIBC]),
    "profdata/llvm": (["shared", "model", "base"], [LIBC]),
    "profdata/index": (["shared", "llvm", "model", "base"], [LIBC]),
    "profdata/json": (["shared", "llvm", "model", "base"], [LIBC]),
    "profdata/objects": (["shared", "json", "base"], [LIBC]),
    "profdata/events": (["shared", "raw", "model", "base"], [LIBC]),
    "profdata/replay": (["shared", "events", "raw", "symbols", "base"], [LIBC]),
    "profdata/import": (["shared", "events", "raw", "model", "base"], [LIBC]),
    "profdata/load": (["shared", "events", "import", "json", "index", "llvm", "raw", "symbols",
                       "model", "base"], [LIBC]),
    "profdata/query": (["shared", "model", "base"], [LIBC]),
    "profdata/compare": (["shared", "query", "model", "base"], [LIBC]),
    "profdata/judge": (["shared", "compare", "query", "model", "base"], [LIBC]),
    "profdata/view": (["shared", "judge", "compare", "query", "model", "base"],
                      [LIBC]),
    "profdata/export": (["shared", "judge", "query", "model", "base"], [LIBC]),
    "profdata/report": (["shared", "export", "judge", "compare", "query", "model",
                         "base"], [LIBC]),
    "profdata/serve": (["shared", "base"], [LIBC]),
    "profdata/cmd": (["shared", "inc", "serve", "report", "export", "view", "judge", "compare",
                      "query", "load", "replay", "events", "objects", "import", "json",
                      "index", "llvm", "raw", "symbols", "model", "base"], [LIBC]),
    "profdata/api": (["shared", "inc", "load", "index", "llvm", "model", "base"], [LIBC]),
    # An allocator for programs, on jemalloc.
    "alloc": (["shared", "inc"], [LIBC, r"<jemalloc/jemalloc\.h>"]),
}
TABLE.update({f: (["shared", "inc"] + RT[:i], [SYSTEM]) for i, f in enumerate(RT)})

EXAMPLE = ([], [LIBC, r"<[a-z_]+>|<memprof[a-z]*\.h>|<sanitizer/.*>"])
TABLE.update({"examples/orders": EXAMPLE, "examples/read-profile": EXAMPLE})

# Files that may include more than their folder: the bridge to a library.
FILES = {
    # Operator new, declared.
    "inc/memprof_hints.h": [r"<new>"],
    # Headers are installed in one folder.
    "inc/memprof_vm.h": [r'"memprof\.h"'],
    "shared/container.c": [r"<xxhash\.h>"],
    "profdata/symbols/symbolizer_llvm.cpp": [LLVM_CXX],
    "profdata/symbols/symbolizer_dwarf.c": [r"<dwarf\.h>", r"<elfutils/libdw\.h>"],
    "profdata/symbols/symbolizer_dwarf.h": [r"<elfutils/libdwfl\.h>"],
    "profdata/symbols/symbolizer_main.c": [r"<elfutils/libdwfl\.h>"],
    "rt/dump/rawpack.c": [r"<zstd\.h>"],
    "profdata/base/json_memory.h": [r"<yajl/yajl_common\.h>"],
    "profdata/base/json_out.c": [r"<yajl/yajl_gen\.h>"],
    "profdata/json/json_in.c": [r"<yajl/yajl_parse\.h>"],
    # The build makes the list.
    "rt/real/real_wrap.c": [r'"wrapped\.inc"'],
    "rt/api/wrap_counted.c": [r'"counted\.inc"'],
    # What is interposed is declared where the program finds it.
    "rt/real/real.h": [LIBC],
    "rt/api/interpose_libc.c": [LIBC, r"<net/if\.h>", r"<rpc/netdb\.h>"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"][^>"]+[>"])')


def patterns(path):
    """What the file may include, or None where its folder has no row."""
    folder = path.rpartition("/")[0]
    if folder not in TABLE:
        return None
    part = folder.split("/")[0]
    ours, others = TABLE[folder]
    folders = [folder] + [f if "/" in f or f in ("shared", "inc") else f"{part}/{f}"
                          for f in ours]
    return [rf'"{re.escape(f)}/[a-zA-Z0-9_.]+"' for f in folders] + others + \
        FILES.get(path, [])


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    bad = 0
    files = [p for d in ("shared", "pass", "rt", "alloc", "profdata", "inc", "vm", "examples")
             for p in sorted((root / d).rglob("*"))
             if p.suffix in (".c", ".h", ".inc", ".cpp", ".hpp")]
    for path in files:
        name = path.relative_to(root).as_posix()
        allowed = patterns(name)
        if allowed is None:
            print(f"{name}: its folder has no row in test/lint/includes.py")
            bad += 1
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and not any(re.fullmatch(a, found.group(1))
                                 for a in allowed):
                print(f"{name}:{number}: may not include {found.group(1)}")
                bad += 1
    print(f"includes: {len(files)} files, {bad} forbidden")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
