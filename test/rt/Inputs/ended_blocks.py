"""ended_blocks.py MEMPROFDATA FILE... -- blocks that ended, by all profiles.

From the text of `show`: what was allocated less what was alive at the end. Each
file has to be whole by itself, too."""
import re
import subprocess
import sys


def show(paths):
    return subprocess.run([sys.argv[1], "show", *paths], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout


def blocks(text, row):
    found = re.search(row + r".*? in ([0-9,]+) block", text)
    return int(found.group(1).replace(",", "")) if found else 0


for path in sys.argv[2:]:
    show([path])
everything = show(sys.argv[2:])
print(blocks(everything, "allocated") - blocks(everything, "live (?:at end|now)"))
