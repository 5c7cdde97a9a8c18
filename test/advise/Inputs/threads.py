"""threads.py MEMPROFDATA FILE -- prints of each call stack whose accesses are known:
bytes, moves of cache lines between threads, false ones, blocks that another thread has."""
import json
import subprocess
import sys

text = subprocess.run([sys.argv[1], "merge", "--text", sys.argv[2], "-o", "-"],
                      check=True, stdout=subprocess.PIPE).stdout
rows = []
for context in json.loads(text)["Contexts"]:
    b = context["MemInfoBlock"]
    if b.get("TotalAccessCount"):
        rows.append(tuple(b.get(name, 0) for name in (
            "TotalSize", "TransferCount", "FalseTransferCount", "HandedCount",
            "AllocCount")))
for row in sorted(rows):
    print("{} bytes: {} moves, {} false, {} of {} another's".format(*row))
