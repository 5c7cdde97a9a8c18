"""A changed byte anywhere but in padding: `check` says so in one line."""
import random
import subprocess
import sys

tool, *paths = sys.argv[1:]
random.seed(7)
failed = 0
for path in paths:
    with open(path, "rb") as f:
        good = f.read()
    missed = 0
    for at in random.sample(range(len(good)), 60):
        bad = bytearray(good)
        bad[at] ^= 1 << random.randrange(8)
        run = subprocess.run([tool, "check", "-"], input=bytes(bad),
                             capture_output=True)
        if run.returncode == 0 and good[at] == 0:
            missed += 1  # padding between sections
        elif run.returncode != 1 or run.stderr.count(b"\n") != 1:
            failed += 1
            print(path, at, run.returncode, run.stderr)
    if missed > 6:
        failed += 1
        print(path, "missed", missed)
sys.exit(failed != 0)
