#!/usr/bin/env python3
"""joints.py -- one program through every combination of LLVM's parts and ours.

    {LLVM's pass, ours} x {LLVM's runtime, ours} x {raw formats}
        x {llvm-profdata, memprofdata} x {use without plugin, with plugin}

All combinations must give the same contexts with the same allocation counts and sizes;
with --exact also the same access counts. With the indexed files of both tools the
compiler must annotate the program in the same way.

Contexts with "spacer" as the allocating function are excluded from the comparison of
accesses: they keep blocks apart, and LLVM's runtime counts a neighbour's accesses for
them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import functools
import glob
import hashlib
import os
import re
import shlex
import subprocess
import sys

DEBUG_FLAGS = ["-gline-tables-only", "-fdebug-info-for-profiling",
               "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
               "-fno-optimize-sibling-calls"]
# Counts each access by itself, without values for call stacks.
ONE_BY_ONE_FLAGS = ["-mllvm", "-memprof-merge=none", "-mllvm",
                    "-memprof-instrument-globals", "-mllvm",
                    "-memprof-keep-calls"]
# Blocks that are never touched are cold, however short the run is, and others hot,
# however long: lifetimes grow under load.
COLD_FLAGS = ["-mllvm", "-memprof-ave-lifetime-cold-threshold=0", "-mllvm",
              "-memprof-min-ave-lifetime-access-density-hot-threshold=0"]
# Use llvm-profdata's --memprof-full-schema for ours, too, so that accesses show.
MERGE_FLAGS = ["--memprof-full-schema"]


def run(command, **kwargs):
    """Runs a command; shows it and its output when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **kwargs)
    if done.returncode != 0:
        print("failed:", " ".join(shlex.quote(c) for c in command))
        print(done.stdout.decode(errors="replace")[-4000:])
        print(done.stderr.decode(errors="replace")[-4000:])
        sys.exit(1)
    return done.stdout.decode(errors="replace")


def version_of(llvm_bin):
    return int(re.search(r"llvm-(\d+)", llvm_bin).group(1))


def show_tool(llvm_bin):
    """An llvm-profdata that shows the memory profile of an indexed file, which
    those before 22 cannot."""
    own = version_of(llvm_bin)
    return f"/usr/lib/llvm-{max(own, 22)}/bin/llvm-profdata"


@functools.lru_cache(maxsize=None)
def fixed_layout():
    """A fixed address layout, so that programs that hash pointers repeat; nothing
    where a container forbids it."""
    command = ["setarch", "-R"]
    probe = subprocess.run([*command, "true"], stderr=subprocess.DEVNULL)
    return command if probe.returncode == 0 else []


def guid(name):
    return int.from_bytes(hashlib.md5(name.encode()).digest()[:8], "little")


class Joints:
    def __init__(self, args):
        self.args = args
        self.bin = args.llvm_bin
        self.version = version_of(args.llvm_bin)
        plugin = os.path.join(args.llvm_build, "memprof.so")
        self.plugin = ["-fpass-plugin=" + plugin]
        if self.version < 22:
            # Makes -mllvm accept its options.
            self.plugin += ["-Xclang", "-load", "-Xclang", plugin]
        self.resource = os.path.join(args.llvm_build, "resource")
        self.work = args.work
        os.makedirs(self.work, exist_ok=True)
        is_cpp = any(s.endswith(".cpp") for s in args.sources)
        self.clang = os.path.join(self.bin, "clang++" if is_cpp else "clang")
        self.cflags = DEBUG_FLAGS + shlex.split(args.cflags)

    def compile(self, compiler_pass):
        """The objects that a pass makes; they do not depend on the runtime."""
        flags = ["-fmemory-profile"]
        if compiler_pass != "llvm":
            flags += self.plugin
            flags += shlex.split(self.args.our_flags)
        if compiler_pass == "solo":
            flags += ONE_BY_ONE_FLAGS
        objects = []
        for source in self.args.sources:
            objects.append(os.path.join(
                self.work, f"{compiler_pass}-{os.path.basename(source)}.o"))
            run([self.clang, *self.cflags, *flags, "-c", source, "-o",
                 objects[-1]])
        return objects

    def link(self, objects, compiler_pass, runtime):
        out = os.path.join(self.work, f"prog-{compiler_pass}-{runtime}")
        flags = ["-fmemory-profile"]
        if runtime == "ours":
            flags.append("-resource-dir=" + self.resource)
        run([self.clang, *flags, *objects, *shlex.split(self.args.libs), "-o",
             out])
        return out

    def collect(self, program, raw_format):
        """Runs the program; the path of the one raw file that it writes."""
        base = program + "-" + raw_format
        for old in glob.glob(glob.escape(base) + ".*"):
            os.unlink(old)
        options = "log_path=" + base
        if "-ours" == program[-5:]:
            options += ":raw_format=" + raw_format
        env = dict(os.environ, MEMPROF_OPTIONS=options)
        run([*fixed_layout(), program, *shlex.split(self.args.run)], env=env,
            cwd=self.work)
        files = glob.glob(glob.escape(base) + ".*")
        if len(files) != 1:
            sys.exit(f"{program} wrote {len(files)} raw files, not 1: {files}")
        return files[0]

    def merge(self, tool, raw, program):
        out = f"{raw}.{os.path.basename(tool)}.profdata"
        flags = list(MERGE_FLAGS)
        if tool != self.args.memprofdata and self.version < 22:
            # Its default is a format that later versions do not read.
            flags.append("--memprof-version=3")
        run([tool, "merge", *flags, "--profiled-binary=" + program, raw,
             "-o", out])
        return out

    def profiles(self):
        """(name, pass, indexed file, raw file) of every combination."""
        llvm_tool = os.path.join(self.bin, "llvm-profdata")
        for compiler_pass in self.args.passes.split(","):
            objects = self.compile(compiler_pass)
            for runtime in self.args.runtimes.split(","):
                program = self.link(objects, compiler_pass, runtime)
                formats = ["llvm"] + (["memprof"] if runtime == "ours" else [])
                for raw_format in formats:
                    raw = self.collect(program, raw_format)
                    tools = [self.args.memprofdata]
                    # Version 5, which our runtime writes, belongs to LLVM 22.
                    if raw_format == "llvm" and (self.version >= 22 or
                                                 runtime == "llvm"):
                        tools.append(llvm_tool)
                    for tool in tools:
                        name = (f"pass={compiler_pass} runtime={runtime} "
                                f"raw={raw_format} "
                                f"tool={os.path.basename(tool)}")
                        yield name, raw, self.merge(tool, raw, program)

    def contexts(self, indexed):
        """{call stack: [blocks, bytes, accesses]} as llvm-profdata reads it."""
        run([os.path.join(self.bin, "llvm-profdata"), "show", indexed])
        return parse_contexts(run([show_tool(self.bin), "show", "--memory",
                                   indexed]))

    def uses(self):
        """Ways to use a profile: without the plugin, and flags with it."""
        if self.version < 22:
            return (None, "-fmemory-profile-use=")
        return (None, "-fprofile-use=", "-fmemory-profile-use=")

    def annotations(self, sources, indexed, plugin):
        """What the compiler writes into the program's IR for this profile: without
        our plugin, or with it and the flag `plugin`, which leaves the matching to
        LLVM as is asked of it. `sources`: of any language, or as bitcode."""
        flags = ["-fmemory-profile-use=" + indexed]
        if plugin:
            flags = [*self.plugin, plugin + indexed, "-mllvm",
                     "-memprof-hints=llvm"]
        found = []
        for source in sources:
            text = run([self.clang, *self.cflags, *COLD_FLAGS, *flags, "-O2",
                        "-S", "-emit-llvm", source, "-o", "-"])
            found += parse_annotations(text)
        return found

    @functools.lru_cache(maxsize=None)
    def bitcode(self):
        """The sources as the front end leaves them to the optimizer, which finds
        the annotations."""
        files = []
        for source in self.args.sources:
            files.append(os.path.join(self.work, os.path.basename(source) + ".bc"))
            run([self.clang, *self.cflags, "-O2", "-Xclang",
                 "-disable-llvm-passes", "-c", "-emit-llvm", source, "-o",
                 files[-1]])
        return files


FRAME = re.compile(r"- \{ Function: (0x[0-9a-f]+), LineOffset: (\d+), "
                   r"Column: (\d+), IsInlineFrame: (\w+) \}")


# How to add up a field of two contexts with the same call stack.
FIELDS = {"AllocCount": sum, "TotalSize": sum, "TotalAccessCount": sum,
          "MinAccessCount": min, "MaxAccessCount": max, "MinSize": min,
          "MaxSize": max}


def parse_records(text):
    """{call stack: {field: number}} of HeapProfileRecords. A context stands in
    the record of every function of its leaf's inline chain; only the leaf's
    counts."""
    contexts = {}
    owner, stack, block, in_sites = None, [], {}, False
    for line in text.splitlines():
        if m := re.match(r"\s*- GUID:\s+(0x[0-9a-f]+)", line):
            owner = int(m.group(1), 16)
        elif "AllocSites:" in line:
            in_sites = True
        elif "CallSites:" in line:
            in_sites = False
        elif re.match(r"\s*- Callstack:|\s*- Frames:", line):
            stack, block = [], {}
        elif m := FRAME.search(line):
            # llvm-profdata writes line offsets of 32 bits, of which the compiler
            # compares 16; memprofdata writes these 16 bits. Code with line 0, which is
            # before its function, has the column of the code before it.
            line = int(m.group(2)) & 0xffff
            column = 0 if line & 0x8000 else int(m.group(3))
            stack.append((int(m.group(1), 16), line, column, m.group(4)))
        elif in_sites and stack and stack[0][0] == owner:
            if m := re.match(r"\s*(\w+):\s+(\d+)$", line):
                block[m.group(1)] = int(m.group(2))
            if "AccessHistogram:" in line:
                merge_block(contexts, tuple(stack), block)
    return contexts


def merge_block(contexts, stack, block):
    old = contexts.get(stack)
    contexts[stack] = block if old is None else {
        field: rule((old[field], block[field]))
        for field, rule in FIELDS.items()}


def parse_contexts(text):
    """{call stack: [blocks, bytes, accesses]}"""
    return {stack: [block["AllocCount"], block["TotalSize"],
                    block["TotalAccessCount"]]
            for stack, block in parse_records(text).items()}


def parse_annotations(text):
    """For each call in order: function, callee, memprof attribute, metadata."""
    groups = dict(re.findall(r"^attributes #(\d+) = \{(.*)\}$", text, re.M))
    nodes = dict(re.findall(r"^!(\d+) = (?:distinct )?!\{(.*)\}$", text, re.M))

    def expand(number):
        return "{" + re.sub(r"!(\d+)", lambda m: expand(m.group(1)),
                            nodes.get(number, "?")) + "}"

    found, function = [], None
    for line in text.splitlines():
        if m := re.match(r"define .*?@([^\s(]+)\(", line):
            function = m.group(1)
        if not re.search(r"\b(call|invoke)\b", line):
            continue
        callee = re.search(r"@([^\s(]+)\(", line)
        attribute = None
        for group in re.findall(r" #(\d+)", line):
            if m := re.search(r'"memprof"="(\w+)"', groups.get(group, "")):
                attribute = m.group(1)
        metadata = [(kind, expand(number)) for kind, number in
                    re.findall(r"!(memprof|callsite) !(\d+)", line)]
        if attribute or metadata:
            found.append((function, callee and callee.group(1), attribute,
                          tuple(metadata)))
    return found


def describe(stack):
    return " < ".join(f"{f:016x}+{line}:{column}" for f, line, column, _
                      in stack)


def is_subsequence(short, long):
    rest = iter(long)
    return all(frame in rest for frame in short)


def pair_cut_stacks(reference, contexts):
    """Stacks of LLVM's runtime that lack frames which ours has: its walker
    follows frame pointers, and code of libraries has none. {theirs: ours}"""
    ours = [s for s in reference if s not in contexts]
    pairs = {}
    for stack in contexts:
        if stack in reference:
            continue
        for whole in ours:
            if (is_subsequence(stack, whole) and
                    contexts[stack][:2] == reference[whole][:2]):
                pairs[stack] = whole
                ours.remove(whole)
                break
    return pairs


def moved_blocks(reference, contexts, columns):
    """Contexts that differ, if on the whole they hold the same blocks. A program
    that hashes addresses of its own code or data grows its tables at other
    moments when the passes make code of other sizes; and the code generator may
    give one of two calls in a line the column of the other."""
    none = [0, 0, 0]
    differing = {s for s in set(reference) | set(contexts)
                 if reference.get(s, none)[:2] != contexts.get(s, none)[:2]}

    def total(side):
        return [sum(side.get(s, none)[i] for s in differing)
                for i in range(columns)]

    return differing if total(reference) == total(contexts) else set()


def compare_contexts(reference_name, reference, name, contexts, columns,
                     may_lack=0, may_move=0):
    """Prints where two profiles differ in the first `columns` numbers. LLVM's
    runtime may lack `may_lack` contexts: stacks that it cut in library code
    before any frame of the program. Blocks may have moved between `may_move`
    contexts, see above."""
    spacer = guid("spacer")
    bad = 0
    if "runtime=llvm" in name:
        pairs = pair_cut_stacks(reference, contexts)
        if pairs:
            print(f"{len(pairs)} stacks lack frames of library code: {name}")
        contexts = {pairs.get(s, s): c for s, c in contexts.items()}
        for stack in sorted(set(reference) - set(contexts))[:may_lack]:
            print(f"stack cut in library code: {name}\n  {describe(stack)}")
            contexts[stack] = reference[stack]
    moved = moved_blocks(reference, contexts, columns)
    if len(moved) > may_move:
        moved = set()
    for stack in sorted(set(reference) | set(contexts)):
        a = reference.get(stack, [0, 0, 0])
        b = contexts.get(stack, [0, 0, 0])
        if stack in moved:
            print(f"moved: {a[:2]} {b[:2]} {name}\n  {describe(stack)}")
            continue
        n = min(columns, 2) if stack[0][0] == spacer else columns
        if a[:n] != b[:n]:
            bad += 1
            if bad <= 20:
                print(f"{describe(stack)}\n  {a[:n]} {reference_name}\n"
                      f"  {b[:n]} {name}")
    if bad:
        print(f"{bad} contexts differ")
    return bad


def report_accesses(reference, contexts, name):
    """How far the accesses are from the reference's, over all contexts."""
    total = sum(c[2] for c in reference.values())
    other = sum(c[2] for c in contexts.values())
    apart = sum(abs(c[2] - contexts.get(s, [0, 0, 0])[2])
                for s, c in reference.items())
    differing = sum(1 for s, c in reference.items()
                    if c[2] != contexts.get(s, [0, 0, 0])[2])
    share = 100.0 * apart / total if total else 0.0
    print(f"accesses {name}: {other} of {total}; {differing} of "
          f"{len(reference)} contexts differ, by {apart} in all "
          f"({share:.2f} %)")
    return share


def check_contexts(joints, args, profiles):
    """All profiles against the first one of our pass and runtime."""
    bad = 0
    contexts = {name: joints.contexts(p) for name, _, p in profiles}
    first = next(n for n in contexts if "pass=ours runtime=ours" in n)
    if len(contexts[first]) < args.min_contexts:
        print(f"only {len(contexts[first])} contexts in {first}")
        bad += 1
    for name in contexts:
        # First LLVM's runtime against ours under the same pass, then ours against the
        # first: each step has its own reasons for differences.
        own = name.split()[0] + " runtime=ours"
        reference = first if "runtime=ours" in name else next(
            n for n in contexts if n.startswith(own))
        bad += compare_contexts(reference, contexts[reference], name,
                                contexts[name],
                                3 if args.exact else 2,
                                args.library_contexts, args.moved_contexts)
        if not args.exact:
            share = report_accesses(contexts[first], contexts[name], name)
            limit = (args.max_difference if "runtime=llvm" in name
                     else args.max_own_difference)
            if share > limit:
                print(f"more than {limit} % apart")
                bad += 1
    print(f"{len(contexts[first])} contexts in {len(contexts)} profiles")
    return bad


def check_annotations(joints, args, profiles):
    """Files of one raw profile by both tools, and all ways to use them."""
    bad = 0
    by_raw = collections.defaultdict(list)
    for name, raw, indexed in profiles:
        # The front end, which takes most of the time for C++, is the same for all.
        sources = joints.bitcode() if by_raw else args.sources
        for plugin in joints.uses():
            by_raw["all" if args.exact else raw].append(
                (f"{name} plugin={plugin}",
                 joints.annotations(sources, indexed, plugin)))
    for group in by_raw.values():
        first_name, first = group[0]
        if args.annotated and not first:
            print(f"no annotation from {first_name}")
            bad += 1
        for name, found in group[1:]:
            if found != first:
                bad += 1
                print(f"annotations differ:\n  {first_name}\n  {name}")
                for a, b in zip(first + [None] * 9, found + [None] * 9):
                    if a != b:
                        print(f"    {a}\n    {b}")
                        break
    count = len(next(iter(by_raw.values()))[0][1])
    print(f"{count} annotated calls, {sum(map(len, by_raw.values()))} compiles")
    return bad


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--cflags", default="-O2")
    parser.add_argument("--libs", default="")
    parser.add_argument("--run", default="")
    # More flags of our pass; the passes and the runtimes.
    parser.add_argument("--our-flags", default="")
    parser.add_argument("--passes", default="llvm,ours")
    parser.add_argument("--runtimes", default="llvm,ours")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--annotated", action="store_true")
    parser.add_argument("--no-annotations", action="store_true")
    parser.add_argument("--library-contexts", type=int, default=0)
    parser.add_argument("--moved-contexts", type=int, default=0)
    parser.add_argument("--min-contexts", type=int, default=1)
    # Limits (in % of all accesses) of the difference of LLVM's runtime from ours, if
    # LLVM's defects explain it, and of our runtime from itself.
    parser.add_argument("--max-difference", type=float, default=0.0)
    parser.add_argument("--max-own-difference", type=float, default=0.0)
    parser.add_argument("sources", nargs="+")
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    args.sources = [os.path.abspath(s) for s in args.sources]

    joints = Joints(args)
    profiles = list(joints.profiles())
    bad = check_contexts(joints, args, profiles)
    if not args.no_annotations:
        bad += check_annotations(joints, args, profiles)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
