"""seen.py MEMPROFDATA COMMAND...: runs the command and prints what the profile says
of accesses to the blocks of each size from 1001 to 1007: a number, "never" where it says
that there were none, "unseen" where they may not have been seen, "unmeasured"; then,
where merge warns of code that is not instrumented, how many functions."""
import json
import os
import re
import subprocess
import sys
import tempfile

memprofdata, command = sys.argv[1], sys.argv[2:]

with tempfile.TemporaryDirectory() as folder:
    raw = os.path.join(folder, "raw")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, MEMPROF_PROFILE_FILE=raw))
    merge = subprocess.run([memprofdata, "merge", "--text", raw, "-o", "-"], check=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
words = []
for context in json.loads(merge.stdout)["Contexts"]:
    block = context["MemInfoBlock"]
    count = block.get("TotalAccessCount", 0)
    if not 1001 <= block["MinSize"] <= 1007:
        continue
    word = ("unmeasured" if context.get("NotMeasured") else
            str(count) if count != 0 else
            "unseen" if context.get("NotAllSeen") else "never")
    words.append("%d=%s" % (block["MinSize"], word))
warning = re.search(rb": accesses by (\d+) functions? are not counted|: memprofdata does not know",
                    merge.stderr)
if warning:
    words.append("others=" + (warning[1].decode() if warning[1] else "unclear"))
print(*sorted(words))
