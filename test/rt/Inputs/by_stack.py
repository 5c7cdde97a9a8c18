"""by_stack.py MEMPROFDATA FILE... -- each call stack of the profiles, one a line,
with its blocks and accesses, in a fixed order, and how many there are."""
import re
import subprocess
import sys

text = subprocess.run(
    [sys.argv[1], "show", "--top=1000000", "--full-stacks"] + sys.argv[2:],
    check=True, stdout=subprocess.PIPE, text=True).stdout
lines = []
for stack in re.split(r"\n\n(?= *\d+\.)", text)[1:]:
    # The second row says how long the blocks lived, too.
    rows = [re.sub(r", lived [^,]*", "", row).split()
            for row in stack.rstrip().split("\n")]
    lines.append(" ".join(sum(rows, [])[1:]))
print("\n".join(sorted(lines)))
print(len(lines), "call stacks")
