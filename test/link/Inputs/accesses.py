"""accesses.py MEMPROFDATA RAW... -- prints of each call stack in the merged profiles:
bytes, accesses, reads/writes of how many blocks, their bytes of how many."""
import json
import subprocess
import sys

text = subprocess.run([sys.argv[1], "merge", "--text", *sys.argv[2:], "-o", "-"],
                      check=True, stdout=subprocess.PIPE).stdout
lines = []
for context in json.loads(text)["Contexts"]:
    b = context["MemInfoBlock"]
    g = lambda name: b.get(name, 0)
    lines.append(f"{g('TotalSize')}: {g('TotalAccessCount')} accesses, "
                 f"{g('TotalReads')}/{g('TotalWrites')} of {g('MeasuredRw')}, "
                 f"{g('TotalReadBytes')}/{g('TotalWriteBytes')} of "
                 f"{g('MeasuredRwBytes')}"
                 + (", not measured" if context.get("NotMeasured") else ""))
print("\n".join(sorted(lines)))
