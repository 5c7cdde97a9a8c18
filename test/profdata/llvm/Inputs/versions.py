"""versions.py MEMPROFDATA LLVM-PROFDATA DIR SOURCE -- writes DIR/raw (of DIR/app,
made of SOURCE) in every version and schema, with our tool and with LLVM's, and
has each read by: llvm-profdata (the records must be those of its own file), our
tool (the same), llvm-profdata of LLVM 19, and clang 22 and 19 (calls must match).
"""
import os
import re
import subprocess
import sys

ours, theirs, directory, source = sys.argv[1:]
OLD = "/usr/lib/llvm-19/bin/"
NEW = "/usr/lib/llvm-22/bin/"
# The newest version that LLVM 19 reads.
OLD_MAX = 3
failed = []


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=300)


def records(text):
    """Lines of all records, in any order: tables have none."""
    return sorted(line for line in text.splitlines()
                  if not line.startswith(("---", "...")))


def expect(what, condition, detail=""):
    if not condition:
        failed.append("%s %s" % (what, detail))


def compiles(clang, profile, what):
    out = run(clang + "clang++", "-O2", "-gline-tables-only",
              "-fdebug-info-for-profiling", "-fmemory-profile-use=" + profile,
              "-mllvm", "-memprof-print-match-info", "-c", source,
              "-o", os.path.join(directory, "use.o"))
    expect(what, out.returncode == 0 and
           re.search(r"MemProf notcold context .* is matched", out.stderr),
           out.stderr[:300])


for version in (2, 3, 4):
    for schema in ([], ["--memprof-full-schema"]):
        name = os.path.join(directory, "v%d%s" % (version, "f" * len(schema)))
        options = ["--memprof-version=%d" % version, *schema,
                   "--profiled-binary=" + os.path.join(directory, "app"),
                   os.path.join(directory, "raw")]
        expect(name, run(ours, "merge", *options, "-o", name).returncode == 0)
        made = run(theirs, "merge", *options, "-o", name + ".llvm")
        expect(name, made.returncode == 0, made.stderr)
        want = records(run(theirs, "show", "--memory", name + ".llvm").stdout)
        shown = run(theirs, "show", "--memory", name)
        expect(name + " read by LLVM", len(want) > 20 and
               records(shown.stdout) == want, shown.stderr)
        expect(name + " sound", run(ours, "check", name).returncode == 0)
        # From LLVM's file of this version and schema to the same of ours.
        again = run(ours, "merge", *options[:-2], name + ".llvm", "-o",
                    name + ".again")
        expect(name + " again", again.returncode == 0 and not again.stderr and
               records(run(theirs, "show", "--memory",
                           name + ".again").stdout) == want, again.stderr)
        compiles(NEW, name, name + " used by clang 22")
        old = run(OLD + "llvm-profdata", "show", name)
        expect(name + " read by LLVM 19",
               (old.returncode == 0) == (version <= OLD_MAX), old.stderr)
        if version <= OLD_MAX:
            compiles(OLD, name, name + " used by clang 19")
print("\n".join(failed))
sys.exit(bool(failed))
