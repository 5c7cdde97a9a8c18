"""moments.py -- what the tool says of some of a page's moments, and of what was
allocated between two of them: by the page's address, the values of show --json.

usage: moments.py LOG DATA COMMAND... (DATA: of the page; COMMAND: memprofdata)
"""
import json
import subprocess
import sys

log, data, *command = sys.argv[1:]
with open(data) as file:
    ns = json.load(file)["moments"]["ns"]
last = len(ns) - 1
found = {}
for choice in ([last // 3], [last // 4, last // 2]):
    times = [ns[i] for i in choice]
    said = ",".join(f"{time}ns" for time in times)
    shown = subprocess.run(
        [*command, "show", "--json", "--top=100000",
         f"--at={said}" if len(times) == 1 else f"--window={said}", log],
        stdout=subprocess.PIPE, check=True).stdout
    shown = json.loads(shown)
    found[".".join(map(str, times))] = {
        "totals": shown["totals"],
        "rows": [{**row["values"],
                  "stack": [shown["frames"][frame]["function"] for frame in row["stack"]]}
                 for row in shown["rows"]]}
json.dump(found, sys.stdout)
