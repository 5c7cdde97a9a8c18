"""lives_of.py MEMPROFDATA SIZE MS FILE... -- how many of the blocks of SIZE bytes in
all files together lived for MS milliseconds at least, and no absurd time."""
import re
import subprocess
import sys

memprofdata, size, least_ms, *files = sys.argv[1:]
found = 0
for path in files:
    text = subprocess.run([memprofdata, "show", "--yaml", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    for block in text.split("MemInfoBlock:")[1:]:
        fields = dict(re.findall(r"^\s*(\w+):\s*([0-9]+)\s*$", block, re.M))
        if int(fields["MaxSize"]) != int(size):
            continue
        assert int(least_ms) <= int(fields["MaxLifetime"]) < 1000000, block
        found += int(fields["AllocCount"])
print(found, "long")
