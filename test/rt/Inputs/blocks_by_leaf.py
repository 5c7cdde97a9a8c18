"""blocks_by_leaf.py MEMPROFDATA ARGUMENT... -- prints the blocks of each allocating
function, one line "NAME N blocks of N B" each, ordered by name; call stacks with the
same leaf and size are added up. ARGUMENT goes to `memprofdata show`."""
import re
import subprocess
import sys

text = subprocess.run([sys.argv[1], "show", "--top=100000"] + sys.argv[2:],
                      check=True, stdout=subprocess.PIPE, text=True).stdout
counts = {}
for stack in re.split(r"\n\n(?= *\d+\.)", text)[1:]:
    rows = stack.split("\n")
    # One block: "in a block of 1 B".
    found = re.search(r" in ([\d,]+|a) blocks? of ([^,]*)", rows[0])
    leaf = next((row.split()[0] for row in rows[1:] if row.startswith("    ")
                 and not re.match(r" *(never|no access|access|lived|\d)", row)), "-")
    key = (leaf, found.group(2) if found else rows[0])
    n = found.group(1).replace(",", "") if found else "0"
    counts[key] = counts.get(key, 0) + (1 if n == "a" else int(n))
for (leaf, size), n in sorted(counts.items()):
    print("%s %d blocks of %s" % (leaf, n, size))
