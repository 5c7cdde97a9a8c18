"""blocks_in.py MEMPROFDATA FILE... -- prints "ALLOCATED LIVE" blocks of each profile,
one per line, in numeric order."""
import re
import subprocess
import sys

found = []
for path in sys.argv[2:]:
    text = subprocess.run([sys.argv[1], "show", path], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout

    def blocks(row):
        m = re.search(r"^ *" + row + r".*? in ([0-9,]+) block", text, re.M)
        return int(m.group(1).replace(",", "")) if m else 0
    found.append((blocks("allocated"), blocks("live (?:at end|now)")))
for allocated, live in sorted(found):
    print(allocated, live)
