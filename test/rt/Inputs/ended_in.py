"""ended_in.py MEMPROFDATA PROFILE FUNCTION... -- prints "FUNCTION BLOCKS" lines: the
number of ended blocks from call stacks that contain the function."""
import re
import subprocess
import sys

text = subprocess.run(
    [sys.argv[1], "show", "--full-stacks", "--top=1000000", sys.argv[2]],
    check=True, stdout=subprocess.PIPE, text=True).stdout


def number(found):
    return int(found.group(1).replace(",", "")) if found else 0


def ended(stack):
    blocks = number(re.search(r" in ([0-9,]+) block", stack))
    if "all freed" in stack:
        return blocks
    if "none freed" in stack:
        return 0
    return blocks - number(re.search(r"([0-9,]+) not freed", stack))


stacks = re.split(r"\n *[0-9]+\.  ", text)[1:]
for name in sys.argv[3:]:
    frame = re.compile(r"^ +" + name + r"\b", re.M)
    print(name, sum(ended(s) for s in stacks if frame.search(s)))
