"""Runs commands that must fail: each with its exit code, one line on stderr that names
what is wrong, nothing on stdout, and no output file."""
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
    (2, "frobnicate", ["frobnicate"]),
    (2, "--frobnicate", ["merge", "--frobnicate"]),
    (2, "-Z", ["show", "-Z"]),
    (2, "input", ["merge", "-o", output]),
    (2, "-o", ["merge", text]),
    (2, "--output", ["merge", text, "-o"]),
    (2, "--memprof-full-schema",
     ["merge", text, "--memprof-full-schema=1"]),
    (2, "--memprof-version=1",
     ["merge", text, "--memprof-version=1", "-o", output]),
    (2, "--memprof-version=9",
     ["merge", text, "--memprof-version=9", "-o", output]),
    (2, "--num-threads=many",
     ["merge", text, "-j", "many", "-o", output]),
    (2, "--num-threads=4097",
     ["merge", text, "-j4097", "-o", output]),
    (2, "--llvm-only",
     ["merge", text, "--text", "--llvm-only", "-o", output]),
    (2, "--failure-mode=never",
     ["merge", text, "--failure-mode=never", "-o", output]),
    (2, "--sparse", ["merge", "--sparse", text, "-o", output]),
    (2, "--memory", ["show", "--memory", text]),
    (2, "standard input", ["diff", "-", "-"]),
    (2, "standard input",
     ["check-budget", "-", "-"]),
    (2, "now", ["version", "now"]),
    (2, "--metric=live",
     ["export", "--metric=live", "--format=csv", text]),
    (2, "--sort=age", ["show", "--sort=age", text]),
    (1, "empty", ["merge", empty, "-o", output]),
    (1, "empty", ["show", empty]),
    (1, "text",
     ["merge", text, "-o", output]),
    (1, "--profiled-binary",
     ["show", elf]),
    (3, "No such file or directory", ["show", directory + "/nowhere"]),
    (1, "no profile", ["show", directory]),
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
