"""Runs commands that must fail: each with its exit code, one line on stderr that
holds the given text, nothing on stdout, and no output file."""
import os
import subprocess
import sys

tool, directory = sys.argv[1:]
text = os.path.join(directory, "text")
empty = os.path.join(directory, "empty")
output = os.path.join(directory, "out")
elf = tool
with open(text, "w") as f:
    f.write("hello\n")
open(empty, "w").close()

CASES = [
    (2, "there is no command frobnicate", ["frobnicate"]),
    (2, "unknown option --frobnicate", ["merge", "--frobnicate"]),
    (2, "unknown option -Z", ["show", "-Z"]),
    (2, "no input files", ["merge", "-o", output]),
    (2, "no output file: give one with -o", ["merge", text]),
    (2, "--output needs a value: FILE", ["merge", text, "-o"]),
    (2, "--memprof-full-schema takes no value",
     ["merge", text, "--memprof-full-schema=1"]),
    (2, "--memprof-version=1: there are 2, 3 and 4",
     ["merge", text, "--memprof-version=1", "-o", output]),
    (2, "--memprof-version=9: there are 2, 3 and 4",
     ["merge", text, "--memprof-version=9", "-o", output]),
    (2, "--num-threads=many: not a number",
     ["merge", text, "-j", "many", "-o", output]),
    (2, "--num-threads=4097: not a number up to 4096",
     ["merge", text, "-j4097", "-o", output]),
    (2, "--llvm-only is about indexed files",
     ["merge", text, "--text", "--llvm-only", "-o", output]),
    (2, "--failure-mode=never: expected any, all or warn",
     ["merge", text, "--failure-mode=never", "-o", output]),
    (2, "unknown option --sparse", ["merge", "--sparse", text, "-o", output]),
    (2, "unknown option --memory", ["show", "--memory", text]),
    (2, "diff: standard input is named twice", ["diff", "-", "-"]),
    (2, "check-budget: standard input is named twice",
     ["check-budget", "-", "-"]),
    (2, "version takes no arguments: now", ["version", "now"]),
    (2, "--metric=live: csv has all of its metrics",
     ["export", "--metric=live", "--format=csv", text]),
    (2, "--sort=age: expected bytes", ["show", "--sort=age", text]),
    (1, "the file is empty", ["merge", empty, "-o", output]),
    (1, "the file is empty", ["show", empty]),
    (1, "not a profile: unknown magic number: it is a text file",
     ["merge", text, "-o", output]),
    (1, "it is an ELF file; binaries are given with --profiled-binary",
     ["show", elf]),
    (3, "No such file or directory", ["show", directory + "/nowhere"]),
    (1, "there is no profile among the input files", ["show", directory]),
]

failed = 0
for code, words, args in CASES:
    run = subprocess.run([tool, *args], capture_output=True, text=True)
    good = (run.returncode == code and words in run.stderr
            and run.stderr.count("\n") == 1 and run.stdout == ""
            and run.stderr.startswith("memprofdata: ")
            and not os.path.exists(output))
    if not good:
        failed += 1
        print(args, "gave", run.returncode, run.stderr, run.stdout)
sys.exit(failed != 0)
