"""ended_blocks.py MEMPROFDATA FILE... -- prints the number of ended blocks over all
profiles.

Takes it from the text of `show`: allocated blocks minus live blocks at the end. Each
file must also be readable by itself."""
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
