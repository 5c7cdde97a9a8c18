"""modules.py MEMPROFDATA MODULE... -- COMMAND...: runs the command and prints of
each module, by the name of its file, what the profile says: instrumented, none
(of its code is), both or unknown. A module that the profile lacks is missing."""
import json
import os
import subprocess
import sys
import tempfile

memprofdata = sys.argv[1]
split = sys.argv.index("--")
modules, command = sys.argv[2:split], sys.argv[split + 1:]
WORDS = {(True, False): "instrumented", (False, True): "none", (True, True): "both",
         (False, False): "unknown"}

with tempfile.TemporaryDirectory() as folder:
    raw = os.path.join(folder, "raw")
    env = dict(os.environ, MEMPROF_PROFILE_FILE=raw)
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    text = subprocess.run([memprofdata, "merge", "--text", raw, "-o", "-"],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
found = {os.path.basename(b.get("Path", "")):
         WORDS[b.get("Instrumented", False), b.get("NotInstrumented", False)]
         for b in json.loads(text)["Binaries"]}
print(" ".join("%s: %s" % (os.path.basename(m), found.get(os.path.basename(m), "missing"))
               for m in modules))
