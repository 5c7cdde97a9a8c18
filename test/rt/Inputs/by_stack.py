"""by_stack.py MEMPROFDATA FILE... -- prints each call stack of the profiles, one per
line in a fixed order, with its blocks and accesses, and the number of call stacks."""
import re
import subprocess
import sys

text = subprocess.run(
    [sys.argv[1], "show", "--top=1000000", "--full-stacks"] + sys.argv[2:],
    check=True, stdout=subprocess.PIPE, text=True).stdout
lines = []
for stack in re.split(r"\n\n(?= *\d+\.)", text)[1:]:
    # The second row also has the lifetimes.
    rows = [re.sub(r", lived [^,]*", "", row).split()
            for row in stack.rstrip().split("\n")]
    lines.append(" ".join(sum(rows, [])[1:]))
print("\n".join(sorted(lines)))
print(len(lines), "call stacks")
