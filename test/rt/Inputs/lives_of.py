"""lives_of.py MEMPROFDATA SIZE MS FILE... -- prints how many blocks of SIZE bytes in
all files together lived for at least MS milliseconds, and no absurd time."""
import json
import subprocess
import sys

memprofdata, size, least_ms, *files = sys.argv[1:]
found = 0
for path in files:
    text = subprocess.run([memprofdata, "merge", "--text", path, "-o", "-"],
                          check=True, stdout=subprocess.PIPE).stdout
    for context in json.loads(text)["Contexts"]:
        fields = context["MemInfoBlock"]
        if fields["MaxSize"] != int(size):
            continue
        assert int(least_ms) <= fields["MaxLifetime"] < 1000000, fields
        found += fields["AllocCount"]
print(found, "long")
