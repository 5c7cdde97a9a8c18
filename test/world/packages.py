#!/usr/bin/env python3
"""packages.py -- other people's packages, built with the two flags by their own build
systems, pass their own tests as they do without.

usage: packages.py --build DIR [--llvm VERSION] [--results FILE] [--keep] [PACKAGE...]

Each package of RECIPES is unpacked twice and built by clang and by memprof-clang with
-fmemory-profile. Its tests run in both builds and must give the same results, and all
profiles that they write must merge. Writes a table. --keep keeps the results of
packages that an earlier run finished.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys

AUTOMAKE = r"^(?:PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): \S+"
CTEST = r"^ *\d+/\d+ Test +#\d+: .*?(?:Passed|Failed|Not Run|\*\*\*\S+)"
TAP = r"^(?:not )?ok \d+ - \S+"
CMAKE = ("cmake -S . -B b -DCMAKE_BUILD_TYPE=Release {options} > /dev/null && "
         "cmake --build b -j{jobs}")


class Recipe:
    """How a package is built and tested.

    result  matches what of the tests' output has to be the same
    drop    what of it differs from run to run
    known   tests that are not compared, and why: {regular expression: reason}
    note    what a reader of the results should know
    """

    def __init__(self, what, build, check, result, needs="", drop="",
                 known=None, note="", time=1200):
        self.what, self.build, self.check = what, build, check
        self.result, self.drop = re.compile(result, re.M), drop
        self.needs, self.known = needs.split(), known or {}
        self.note, self.time = note, time


RECIPES = {
    "zlib": Recipe("C, own configure", "./configure && make -j{jobs}",
                   "make check", r"\*\*\* zlib .*\*\*\*"),
    "xz-utils": Recipe(
        "C, autotools, threads",
        "./configure --disable-nls && make -j{jobs}",
        "make check", AUTOMAKE),
    "libzstd": Recipe(
        "C, make, threads",
        "make -j{jobs} -C tests fuzzer zstreamtest poolTests CFLAGS=\"$CFLAGS\" "
        "LDFLAGS=\"$LDFLAGS\"",
        "cd tests && ./fuzzer -v -i150 -s5 2>&1 | tr '\\r' '\\n'; "
        "./zstreamtest -v -i150 -s5 2>&1 | tr '\\r' '\\n'; ./poolTests",
        r"^(?:test *\d+ *:.*|.*tests? complet.*|PASS.*|FAIL.*)$",
        drop=r"\(?[0-9.]+ *s(?:econds)?\)|0x[0-9a-f]+"),
    "lz4": Recipe(
        "C, make",
        "make -j{jobs} -C tests fuzzer frametest CFLAGS=\"$CFLAGS\" "
        "LDFLAGS=\"$LDFLAGS\"",
        "cd tests && ./fuzzer -i100 -s5 2>&1 | tr '\\r' '\\n'; "
        "./frametest -i300 -s5 2>&1 | tr '\\r' '\\n'",
        r"^(?:all tests.*|\D*completed.*|.*rror.*|[A-Z].* : *(?:OK|FAIL).*)$"),
    "expat": Recipe(
        "C and C++, autotools",
        "cd expat && autoreconf -fi && ./configure --without-docbook && make -j{jobs}",
        "cd expat && make check; cat tests/runtests*.log",
        AUTOMAKE + r"|^\d+%: .*"),
    "jq": Recipe(
        "C, autotools",
        "autoreconf -fi && ./configure --disable-docs --disable-valgrind "
        "--with-oniguruma && make -j{jobs}",
        "make check; cat tests/*.log", AUTOMAKE + r"|^\d+ of \d+ tests passed.*",
        needs="libonig-dev bison flex"),
    "libuv1": Recipe(
        "C, CMake, threads, fork, dlopen",
        CMAKE.replace("{options}", "-DLIBUV_BUILD_TESTS=ON"),
        "UV_RUN_AS_ROOT=1 b/uv_run_tests_a", TAP),
    "leveldb": Recipe(
        "C++, CMake, threads", CMAKE.replace(
            "{options}", "-DLEVELDB_BUILD_BENCHMARKS=OFF"),
        "cd b && ctest", CTEST, needs="libgtest-dev libsnappy-dev",
        drop=r" +[0-9.]+ sec|\.{2,}"),
    "re2": Recipe(
        "C++, make, threads",
        "make -j{jobs} REBUILD_TABLES=1 obj/libre2.a && make -j{jobs} "
        "REBUILD_TABLES=1 $(for t in charclass compile filtered_re2 mimics_pcre "
        "parse possible_match re2 re2_arg regexp required_prefix search set "
        "simplify string_generator; do echo obj/test/$t'_test'; done)",
        "for t in obj/test/*_test; do echo \"== $t\"; $t || echo FAILED; done",
        r"^== .*|^PASS.*|^FAIL.*|^[A-Z]\w+\.\w+.*", needs="unicode-data python3"),
    "libjsoncpp": Recipe(
        "C++, CMake", CMAKE.replace(
            "{options}", "-DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF"),
        "b/bin/jsoncpp_test", r"^(?:Testing|All|FAILED|\* Detail).*"),
    "fribidi": Recipe(
        "C, meson", "meson setup b -Ddocs=false > /dev/null && ninja -C b",
        "meson test -C b", r"^ *\d+/\d+ .*?(?:OK|FAIL|SKIP|TIMEOUT)",
        needs="meson ninja-build", drop=r"^ *\d+/\d+ +"),
    "gawk": Recipe(
        # Debian leaves the documentation out, and the programs made from it.
        "C, autotools, plugins", "./configure --disable-nls && "
        "sed -i '/^SUBDIRS/s/ doc awklib / /' Makefile && make -j{jobs}",
        "make check; cd test && ls _*",
        r"^\d+ TESTS? (?:FAILED|CRASHED).*|^ALL TESTS PASSED.*|"
        r"^make.*\[.*\] Error.*|^[a-zA-Z0-9_-]+$", needs="bison"),
    "memcached": Recipe(
        "C, autotools, threads",
        "autoreconf -fi && ./configure --disable-docs && make -j{jobs}",
        "./testapp; for t in binary-sasl bogus-commands cas daemonize flags "
        "flush-all getset incrdecr items lru stats slabs-reassign2; do "
        "[ -e t/$t.t ] && { echo \"== $t\"; prove -v t/$t.t 2>&1; }; done",
        TAP + r"|^== .*|^Result: .*", needs="libevent-dev"),
    "redis": Recipe(
        "C, make, threads, fork",
        "make -j{jobs} MALLOC=libc OPT=\"$CFLAGS\" LDFLAGS=\"$LDFLAGS\" "
        "REDIS_LDFLAGS=\"$LDFLAGS\"",
        "./runtest --clients 2 --single unit/type/string --single unit/type/hash "
        "--single unit/type/list --single unit/dump --single unit/aofrw "
        "--single unit/scripting --single unit/expire --single unit/multi",
        r"^\[\S*(?:ok|err|exception|timeout)\S*\]: .*",
        needs="tcl procps", drop=r" \(\d+ m?s\)|\x1b\[[0-9;]*m", time=2400),
    "pcre2": Recipe(
        "C, autotools, makes machine code",
        "autoreconf -fi && ./configure --enable-jit --enable-pcre2-16 && "
        "make -j{jobs}", "make check; ./pcre2_jit_test",
        AUTOMAKE + r"|^Successfully.*|.*tests are.*"),
    "libxml2": Recipe(
        "C, autotools, threads, plugins",
        "autoreconf -fi && ./configure --without-python --with-threads && "
        "make -j{jobs} && make -j{jobs} runtest testrecurse testapi testchar "
        "testdict testModule",
        "for t in runtest testrecurse testapi testchar testdict testModule; do "
        "echo \"== $t\"; ./$t; echo \"status $?\"; done",
        r"^(?:== .*|status .*|Total .*|## .*|.*no errors.*|File .*|"
        r".*Success.*|.*MODULE.*)$",
        note="the threads' tests fail without the profiler too: Debian's source "
        "has no `test/threads`"),
    "tcl8.6": Recipe(
        "C, autotools, threads, plugins",
        "cd unix && ./configure --disable-rpath && make -j{jobs} && "
        "make -j{jobs} tcltest",
        "cd unix && make test TESTFLAGS=\"-verbose 'pass skip error' "
        "-notfile 'clock*.test http*.test httpold.test socket.test exec.test'\"",
        r"^(?:\+{4} \S+ (?:PASSED|SKIPPED.*)|={4} \S+ .*FAILED)",
        known={r" cmdIL-5\.7 ": "limits the address space to what is in use and "
               "expects that sorting fails; the runtime has reserved more"}),
}
COMMON_NEEDS = ["autoconf", "autopoint", "automake", "cmake", "gettext",
                "libtool", "make", "perl", "texinfo"]


def adopt_orphans():
    """Makes this process the parent of processes whose own parents have ended, so
    that their time is counted."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def reap_orphans():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def run(command, where, env, log, seconds):
    """Runs a shell command; its output, status and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        ["sh", "-c", command], cwd=where, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=seconds)[0]
        status = str(process.returncode)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, status = process.communicate()[0], "time is up"
    reap_orphans()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with log.open("ab") as out:
        out.write(f"$ {command}\n".encode() + output + f"status {status}\n".encode())
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return output.decode(errors="replace"), status, cpu


def results(recipe, text):
    """What the tests said, but for what is known to differ."""
    found = [re.sub(recipe.drop, "", m.group(0)) if recipe.drop else m.group(0)
             for m in recipe.result.finditer(text)]
    return sorted(line.strip() for line in found
                  if not any(re.search(known, line) for known in recipe.known))


class Package:
    def __init__(self, name, args):
        self.name, self.recipe, self.args = name, RECIPES[name], args
        self.work = args.build / "world-packages" / name
        self.notes = []

    def environment(self, profiled):
        tools = self.args.build / ("llvm-" + self.args.llvm) / "bin"
        env = dict(os.environ, LC_ALL="C", CFLAGS="-O2 -w", CXXFLAGS="-O2 -w",
                   LDFLAGS="", CC="clang-" + self.args.llvm,
                   CXX="clang++-" + self.args.llvm)
        if profiled:
            raw = self.work / "raw"
            raw.mkdir(exist_ok=True)
            for name in ("CFLAGS", "CXXFLAGS", "LDFLAGS"):
                env[name] = (env[name] + " -fmemory-profile").strip()
            env.update(CC=str(tools / "clang"), CXX=str(tools / "clang++"),
                       MEMPROF_OPTIONS=f"log_path={raw}/p")
        return env

    def one(self, profiled):
        """Builds and tests; (what the tests said, status, CPU seconds)."""
        tree = self.work / ("memprof" if profiled else "native")
        shutil.copytree(self.args.build / "world" / self.name, tree, symlinks=True)
        env, log = self.environment(profiled), tree.with_suffix(".log")
        fill = {"jobs": str(os.cpu_count())}
        build, check = (re.sub(r"\{(\w+)\}", lambda m: fill[m.group(1)], text)
                        for text in (self.recipe.build, self.recipe.check))
        _, status, _ = run(build, tree, env, log, self.recipe.time)
        if status != "0":
            raise RuntimeError(f"does not build, see {log}")
        if profiled:  # what configure's probes and generators wrote
            shutil.rmtree(self.work / "raw")
            (self.work / "raw").mkdir()
        text, status, cpu = run(check, tree, env, log, self.recipe.time)
        return results(self.recipe, text), status, cpu

    def merge(self):
        """(number of profiles, what merging said if it went wrong)"""
        raw = self.work / "raw"
        count = len(list(raw.iterdir()))
        done = subprocess.run(
            [self.args.build / "bin" / "memprofdata", "merge", raw, "-o",
             self.work / "app.profdata"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        return count, done.returncode, done.stdout.decode(errors="replace")

    def row(self, keep):
        """(whether it is good, its line, notes), from an earlier run if it may."""
        saved = self.work / "row"
        if not (keep and saved.exists()):
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir(parents=True)
            try:
                good, columns = self.compare()
            except RuntimeError as error:
                good, columns = False, f"- | **{error}** | - | -"
            saved.write_text(json.dumps([
                good, f"| {self.name} {self.version()} | {self.recipe.what} | "
                f"{columns} |", self.notes]))
        return json.loads(saved.read_text())

    def compare(self):
        native, native_status, native_cpu = self.one(False)
        ours, our_status, our_cpu = self.one(True)
        count, bad, said = self.merge()
        same = native == ours and native_status == our_status
        if not native:
            self.notes.append("the tests said nothing that can be compared")
        if not same:
            self.notes += [f"without: {line}" for line in native if line not in ours]
            self.notes += [f"with: {line}" for line in ours if line not in native]
            if native_status != our_status:
                self.notes.append(f"status {native_status}, with {our_status}")
        if bad or count == 0:
            self.notes.append(f"merging {count} profiles: {said.strip()[:400]}")
        self.notes += [f"not compared: `{k}`: {v}" for k, v in self.recipe.known.items()]
        if self.recipe.note:
            self.notes.append(self.recipe.note)
        good = same and bool(native) and not bad and count != 0
        return good, (f"{len(native)} | {'the same' if same else '**differ**'} | "
                      f"{our_cpu / max(native_cpu, 0.01):.2f} ({native_cpu:.1f} s) | {count}")

    def version(self):
        changelog = self.args.build / "world" / self.name / "debian" / "changelog"
        return re.match(r"\S+ \(([^)]*)\)", changelog.read_text()).group(1)


def prepare(names, args):
    here = pathlib.Path(__file__).parent
    needs = sorted(set(sum((RECIPES[n].needs for n in names), COMMON_NEEDS)))
    subprocess.run([here.parent.parent / ".ci/install-deps"] + needs, check=True)
    subprocess.run(["sh", here / "fetch", args.build / "world"] + names, check=True)


def table(lines, notes, args):
    clang = subprocess.run(["clang-" + args.llvm, "--version"],
                           stdout=subprocess.PIPE).stdout.decode().split("\n")[0]
    head = f"""# Other people's packages under the profiler

Written by `python3 test/world/packages.py`, which `make test-long` runs: each
Debian source package is built twice by its own build system, with `clang` and with
`memprof-clang -fmemory-profile` (both -O2), and its own tests are run in both.
"Results" is how many lines of the tests' results are compared; "CPU" is the time
that the tests with all their processes took, over that of the native run in
parentheses, once, on a machine with other work; "profiles" are the raw files that
these processes wrote, all of which were merged. {clang}.

| package | kind | results | compared | CPU | profiles |
|---|---|---|---|---|---|
"""
    text = head + "\n".join(lines) + "\n"
    if notes:
        text += "\n## Notes\n\n" + "\n".join(notes) + "\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--llvm", default="22")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("packages", nargs="*")
    args = parser.parse_args()
    args.build = args.build.resolve()
    names = args.packages or list(RECIPES)
    prepare(names, args)
    adopt_orphans()
    lines, notes, failed = [], [], 0
    for name in names:
        good, line, said = Package(name, args).row(args.keep)
        failed += not good
        lines.append(line)
        notes += [f"- {name}: {note}" for note in said[:12]]
        print(line, *said[:12], sep="\n  ", flush=True)
    if args.results:
        args.results.write_text(table(lines, notes, args))
    print(f"{len(names) - failed} of {len(names)} packages: the same results")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
