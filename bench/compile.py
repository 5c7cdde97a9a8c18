"""compile.py -- builds a program in three variants: native, LLVM's MemProf, ours.

Objects and executables are kept in build/bench, and rebuilt if a command, a source,
the plugin or the runtime changes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess

COMMON = ["-O2", "-w"]
# The flags that LLVM's documentation recommends (bench/README.md).
LLVM_FLAGS = ["-fmemory-profile", "-gline-tables-only",
              "-fdebug-info-for-profiling", "-fno-omit-frame-pointer",
              "-mno-omit-leaf-frame-pointer", "-fno-optimize-sibling-calls"]


class BuildError(Exception):
    pass


class Built:
    """exe: path. compile_s: CPU seconds of all compilations. object_text, exe_text:
    bytes of code in the objects, and in the executable including the runtime."""

    def __init__(self, exe, compile_s, object_text, exe_text):
        self.exe, self.compile_s = exe, compile_s
        self.object_text, self.exe_text = object_text, exe_text


def text_bytes(path):
    """Sum of the sizes of sections that hold code."""
    out = subprocess.run(["objdump", "-h", "-w", str(path)], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    return sum(int(line.split()[2], 16) for line in out.splitlines()
               if re.match(r" *\d+ ", line) and "CODE" in line)


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(repr(part).encode() + b"\0")
    return h.hexdigest()[:20]


def stamp(path):
    """A value that changes if the file changes."""
    info = os.stat(path)
    return [str(path), info.st_mtime_ns, info.st_size]


def run_timed(command):
    """CPU seconds of the command and its children."""
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise BuildError("failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime


# Builds of ours: options of the plugin.
OURS = {"ours": [], "allocations": ["-memprof-access=none"],
        "reads-writes": ["-memprof-access=rw"], "fields": ["-memprof-access=fields"],
        "versions": ["-memprof-versions=2"]}


class Compiler:
    """Builds programs for one variant: "native", "llvm" or one of OURS. What follows a
    blank ("ours sampled") does not change the program, only how it is run."""

    def __init__(self, variant, options):
        variant = variant.split()[0]
        self.variant, self.options = variant, options
        self.directory = options.build / "bench" / variant
        self.flags, self.link_flags = list(COMMON), []
        self.object_needs, self.link_needs = [], []
        llvm = options.build / f"llvm-{options.llvm_version}"
        if variant == "llvm":
            self.flags += LLVM_FLAGS
            self.link_flags = ["-fmemory-profile"]
        elif variant in OURS:
            plugin, resource_dir = llvm / "memprof.so", llvm / "resource"
            self.flags += [f"-fpass-plugin={plugin}", "-fmemory-profile",
                           f"-resource-dir={resource_dir}"]
            self.link_flags = ["-fmemory-profile",
                               f"-resource-dir={resource_dir}"]
            self.object_needs = [p for p in (plugin, llvm / "memprof-clang.so")
                                 if p.exists()]
            self.link_needs = sorted(
                (resource_dir / "lib/linux").glob("*memprof*.a"))
            if not plugin.exists() or not self.link_needs:
                raise BuildError("ours is not built yet")
            for option in OURS[variant]:
                self.flags += ["-mllvm", option]
        self.needs = [stamp(p) for p in self.object_needs]

    def compile_object(self, source, flags, is_cxx):
        """(object, CPU seconds)"""
        options = self.options
        compiler = options.clangxx if is_cxx else options.clang
        command = [compiler, *self.flags, *flags, "-c", str(source)]
        key = digest(command, stamp(source), self.needs)
        out = self.directory / "obj" / f"{source.stem}-{key}.o"
        record = out.with_suffix(".json")
        if not record.exists():
            out.parent.mkdir(parents=True, exist_ok=True)
            seconds = run_timed(command + ["-o", str(out)])
            record.write_text(json.dumps(seconds))
        return out, json.loads(record.read_text())

    def build(self, name, sources, flags=(), libs=(), is_cxx=False):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            objects = list(pool.map(
                lambda s: self.compile_object(s, flags, is_cxx), sources))
        paths = [str(o) for o, _ in objects]
        command = [self.options.clangxx if is_cxx else self.options.clang,
                   *self.link_flags, *paths, *libs]
        key = digest(command, [stamp(p) for p in self.link_needs + paths])
        exe = self.directory / f"{name}-{key}"
        if not exe.exists():
            for old in self.directory.glob(f"{name}-*"):
                old.unlink()
            run_timed(command + ["-o", str(exe)])
        return Built(exe, sum(s for _, s in objects),
                     sum(text_bytes(p) for p in paths), text_bytes(exe))
