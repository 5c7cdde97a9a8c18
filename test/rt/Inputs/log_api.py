"""log_api.py MEMPROFDATA PROGRAM MODE -- runs PROGRAM and compares its logs with what it
did: calls of work(), each with blocks of 10 to 109 bytes, which live for one round."""
import glob
import json
import os
import subprocess
import sys

memprofdata, program, mode = sys.argv[1:4]
WHOLE = 8 * 20000


def read(log):
    out = subprocess.run([memprofdata, "merge", "--text", "-o", "-", log],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = b"the log ended before" if mode in ("duration", "fail", "stop_inside") else b""
    if out.returncode != 0 or said not in out.stderr or bool(said) != bool(out.stderr):
        sys.exit("%s: %s" % (mode, out.stderr.decode()))
    return json.loads(out.stdout)


def counts(profile, function):
    """Blocks, accesses and live blocks of what the function allocated."""
    total = [0, 0, 0]
    for c in profile.get("Contexts", []):
        leaf = profile["Frames"][c["Callstack"][0]]
        if profile["Functions"][leaf["Function"]]["Name"] == function:
            m = c["MemInfoBlock"]
            for i, key in enumerate(("AllocCount", "TotalAccessCount", "LiveCount")):
                total[i] += m.get(key, 0)
    return total


for name in glob.glob("*"):
    os.unlink(name)
env = dict(os.environ,
           MEMPROF_OPTIONS=":".join(["log_path=p", os.environ.get("LOG_OPTIONS", "")]))
result = subprocess.run([program, mode], env=env, stderr=subprocess.PIPE, timeout=600)
if result.returncode != 0 or result.stderr:
    sys.exit("%s: %s" % (mode, result))
if mode in ("refused", "sampled"):
    sys.exit(0)
profile = read("log")
blocks, accesses, live = counts(profile, "work")
if mode in ("fail", "stop_inside"):
    assert blocks < WHOLE and os.path.getsize("log") > 0, blocks
elif mode == "duration":
    assert blocks <= WHOLE, blocks
elif mode == "signals":
    # The log has the handler's blocks that the profile has: those that it allocated
    # where it did not interrupt the runtime.
    assert blocks >= WHOLE and live == 0, (blocks, live)
    assert counts(profile, "handle")[0] == counts(read(*glob.glob("p.*")), "handle")[0]
else:
    more = {"fork": 5, "slow": 20000, "waits": 20000, "often": 20 - WHOLE}.get(mode, 0)
    assert [blocks, accesses, live] == [WHOLE + more] * 2 + [0], (blocks, accesses, live)
if mode == "twice":
    assert counts(read("log2"), "work") == [33, 33, 0]
if mode == "allocates":
    # Blocks of the writer are in the log, too, without the first one that it frees.
    blocks, accesses, live = counts(profile, "churn")
    assert blocks % 20 == 0 and blocks > 20000 and live == 1, (blocks, live)
