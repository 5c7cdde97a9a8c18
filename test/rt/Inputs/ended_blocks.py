"""ended_blocks.py MEMPROFDATA FILE... -- blocks that ended, over all profiles.

From the text of `show`: what was allocated less what was alive at the end."""
import re
import subprocess
import sys

total = 0
for path in sys.argv[2:]:
    text = subprocess.run([sys.argv[1], "show", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    def blocks(row):
        found = re.search(row + r".*? in ([0-9,]+) block", text)
        return int(found.group(1).replace(",", "")) if found else 0
    total += blocks("allocated") - blocks("live at end")
print(total)
