#!/usr/bin/env python3
"""symbols.py -- checks which files call which, by the symbols of the object files, so that
a misplaced declaration hides nothing. Fails for

  - a circle of calls between files of a component,
  - a call from a folder into one that its row in includes.py does not name,
  - a function shared between files whose name lacks its file's prefix (mprt_heap_
    in rt/heap/heap.c): the interface of shared/interface.inc and the public API
    are exempt,
  - a symbol that no other file uses,
  - a macro or inline function of a header that nothing uses.

usage: symbols.py COMPONENT=OBJECTS... where OBJECTS is a folder with the objects of the
component's sources under the same names; a component may have several.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import pathlib
import re
import subprocess
import sys

import includes

# The first that a path begins with counts. What only the command holds needs no
# name that tells it from a program's.
PREFIX = {"profdata/cmd/": "", "profdata/view/": "", "profdata/": "mpdata_",
          "shared/": "mprof_", "rt/": "mprt_", "pass/": "mpass_",
          "alloc/": "mpalloc_"}
# Headers whose functions are defined in several files, HEADER_*.c.
HEADERS = ["rt/base/os", "rt/heap/heap", "rt/heap/shadow", "rt/record/block",
           "profdata/model/profile"]
INTERFACE = re.compile(r"^MPROF_(?:INTERFACE|IO_CALL|LIBC_\w+)\((\w+)[,)]", re.M)
PUBLIC = re.compile(r"\b((?:__)?memprof(?:data)?_\w+)\(")
# The slow way into initialization: every interface function may be the first.
UPCALLS = {"mprt_start_init"}
# What somebody else calls by name: the linker, the loader, LLVM, clang, zstd, jemalloc; what
# we look up by dlsym(); what tests and fuzz targets call.
ENTRIES = re.compile(r"main|_init|_fini|llvmGetPassPluginInfo|mprt_zstd_.*|"
                     r"mprt_no_find_object|mpass_frontend_(settled|types|dense)|__wrap_\w+|"
                     r"mpdata_section_write|mpdata_symcache_find|mpalloc_blocks_map")


def nm(paths):
    """(path, symbol, type) of the objects' global symbols."""
    if not paths:
        return
    out = subprocess.run(["nm", "-A", "-g", *map(str, paths)], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    for line in out.splitlines():
        path, words = line.split(":", 1)[0], line.split()
        yield pathlib.Path(path), words[-1], words[-2]


class Component:
    """The objects of one component: who defines and who needs which symbol."""

    def __init__(self, name, folders):
        self.name = name
        self.home = {}                                  # symbol -> file
        self.kind = {}                                  # symbol -> nm's type
        self.needs = collections.defaultdict(set)       # file -> symbols
        for folder in folders:
            paths = sorted(pathlib.Path(folder).rglob("*.o"))
            for path, symbol, kind in nm(paths):
                self.add(path.relative_to(folder).with_suffix(""), symbol, kind)

    def add(self, stem, symbol, kind):
        source = next((f for e in (".c", ".cpp")
                       for f in [f"{self.name}/{stem}{e}"]
                       if pathlib.Path(f).exists()), None)
        if source is None:
            return
        if kind in "Uwv":
            self.needs[source].add(symbol)
        elif kind in "TDBRCVW" and not symbol.startswith("_Z"):
            self.home[symbol] = source
            self.kind[symbol] = kind

    def edges(self):
        """(caller, callee, symbol) between files of this component."""
        for source, symbols in sorted(self.needs.items()):
            for symbol in sorted(symbols - UPCALLS):
                home = self.home.get(symbol, source)
                # __wrap_NAME is the linker's: it may be the program's NAME.
                if home != source and not symbol.startswith("__wrap_"):
                    yield source, home, symbol


def circles(edges):
    """Groups of files that reach each other (Tarjan's algorithm)."""
    graph = collections.defaultdict(set)
    for a, b, _ in edges:
        graph[a].add(b)
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def exempt():
    names = set()
    for rows in pathlib.Path("shared").glob("*.inc"):
        for name in INTERFACE.findall(rows.read_text()):
            names |= {name, f"__{name}_chk"}
    for header in pathlib.Path("inc").glob("*.h"):
        names |= set(PUBLIC.findall(header.read_text()))
    return names


def circle_faults(component):
    edges = list(component.edges())
    for group in circles(edges):
        yield f"{component.name}: a circle of {len(group)} files: {' '.join(group)}"
        for a, b, symbol in edges:
            if a in group and b in group:
                yield f"    {a} -> {b}: {symbol}"


def folder_faults(component):
    for a, b, symbol in component.edges():
        allowed = includes.patterns(a) or []
        if not any(re.fullmatch(p, f'"{b}"') for p in allowed):
            yield f"{a}: {symbol} is of {b}, which its folder may not use"


def prefix_faults(component, names):
    shared = {symbol for _, _, symbol in component.edges()}
    for symbol in sorted(shared - names):
        home = component.home[symbol]
        stem = pathlib.Path(next((h for h in HEADERS if home.startswith(h + "_")),
                                 home)).stem
        prefix = next(p for f, p in PREFIX.items() if home.startswith(f)) + stem
        if component.kind[symbol] in "TW" and symbol != prefix and \
                not symbol.startswith(prefix + "_"):
            yield f"{home}: {symbol} is shared, but does not begin with {prefix}_"


def unused_faults(components, names):
    used = {s for c in components for needed in c.needs.values() for s in needed}
    # What calls of libc's become when the runtime is linked.
    used |= set(pathlib.Path("rt/redirect.txt").read_text().split())
    for component in components:
        for symbol, home in sorted(component.home.items()):
            if symbol not in used and symbol not in names and \
                    not ENTRIES.fullmatch(symbol):
                yield f"{home}: {symbol} is used by no other file"


def header_faults():
    """Macros and inline functions of headers that stand nowhere else."""
    sources = [p for d in ("shared", "rt", "alloc", "pass", "profdata", "docs", "inc") for p in pathlib.Path(d).rglob("*")
               if p.suffix in (".c", ".h", ".inc", ".cpp", ".mk", ".in")]
    texts = {p: re.sub(r"/\*.*?\*/", "", p.read_text(), flags=re.S) for p in sources}
    pasted = tuple({p for t in texts.values() for p in re.findall(r"(\w+_)\s*##", t)})
    words = collections.Counter(
        w for t in texts.values() for w in re.findall(r"\w+", t))
    for path, text in sorted(texts.items()):
        if path.suffix != ".h" or path.parts[0] == "inc":
            continue
        defined = re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M) + \
            re.findall(r"^static inline[^;{]*?\b(\w+)\(", text, re.M)
        for name in defined:
            if words[name] == 1 and not name.endswith("_H") and \
                    not name.startswith(pasted):
                yield f"{path}: {name} is used nowhere"


def main():
    folders = collections.defaultdict(list)
    for argument in sys.argv[1:]:
        name, _, folder = argument.partition("=")
        folders[name].append(folder)
    components = [Component(n, f) for n, f in folders.items()]
    names = exempt()
    faults = [f for c in components for f in
              [*circle_faults(c), *folder_faults(c), *prefix_faults(c, names)]]
    faults += [*unused_faults(components, names), *header_faults()]
    for fault in faults:
        print(fault)
    count = sum(len(set(c.home.values())) for c in components)
    print(f"symbols: {count} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
