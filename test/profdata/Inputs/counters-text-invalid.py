"""counters-text-invalid.py MEMPROFDATA DIR -- texts of counters that merge must refuse,
each with one line that holds the given words, and without an output."""
import os
import subprocess
import sys

tool, directory = sys.argv[1:]
MAIN = "main\n1\n1\n5\n"
CASES = {
    "header": (":ir\n:unknown\n" + MAIN, "line 2: no header that is known"),
    "cut-hash": (":ir\nmain\n", "line 3: it ends in the middle of a record"),
    "hash": (":ir\nmain\nx\n1\n1\n", "line 3: the hash of a function is no number"),
    "no-counters": (":ir\nmain\n1\n0\n", "a function without counters"),
    "cut": ("main\n1\n3\n5\n6\n", "it ends in the middle of a record"),
    "many": ("main\n1\n18446744073709551615\n5\n",
             "it ends in the middle of a record"),
    "counter": ("main\n1\n2\n5\n-6\n", "line 5: a counter is no number"),
    "large-counter": ("main\n1\n2\n5\n18446744073709551616\n",
                      "line 5: a counter is no number"),
    "comments": ("# one\n\nmain\n# two\n1\n2\n5\nx\n", "line 8: a counter"),
    "bitmap": (MAIN + "$1\n256\n", "line 6: not a byte of a bitmap"),
    "bitmap-count": (MAIN + "$ x\n1\n", "line 5: the number of bitmap bytes"),
    "kinds": (MAIN + "4\n", "line 5: no number of kinds of values"),
    "kind": (MAIN + "1\n3\n1\n0\n", "line 6: a kind of values that is not known"),
    "kind-twice": (MAIN + "2\n1\n1\n0\n1\n1\n0\n", "a kind of values"),
    "value": (MAIN + "1\n1\n1\n1\nx:1\n", "line 9: not a value and its count"),
    "no-count": (MAIN + "1\n0\n1\n1\nfoo\n", "line 9: not a value and its count"),
    "sites": (MAIN + "1\n0\n4294967295\n0\n", "it ends in the middle of a record"),
    "differ": (MAIN + "main\n1\n2\n5\n6\n", "the counters of main differ in number"),
    "traces": (":temporal_prof_traces\n2\n1\n1\nfoo\n", "it ends in the middle"),
    "traces-twice": (":temporal_prof_traces\n0\n0\n:temporal_prof_traces\n0\n0\n",
                     "temporal traces"),
    "shapes": ("".join("main\n%d\n1\n5\n" % i for i in range(5000)),
               "too many shapes of one function"),
}

failed = []
for name, (text, words) in CASES.items():
    path = os.path.join(directory, name + ".proftext")
    out = os.path.join(directory, "out")
    with open(path, "w") as f:
        f.write(text)
    run = subprocess.run([tool, "merge", path, "-o", out], capture_output=True,
                         text=True, timeout=300)
    if (run.returncode != 1 or words not in run.stderr or
            run.stderr.count("\n") != 1 or os.path.exists(out) or
            not run.stderr.startswith("memprofdata: " + path)):
        failed.append("%s: %d %s" % (name, run.returncode, run.stderr))
print("\n".join(failed))
sys.exit(bool(failed))
