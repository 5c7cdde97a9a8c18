"""kill_loop.py MEMPROFDATA PROGRAM KILLS -- runs PROGRAM so often, several at a
time, and kills each by SIGKILL at another moment, every second one with its
whole process group. Each leaves one file and nothing else, which is sound, and
says no more than the program had done. Prints how far the files are behind:
the median in whole seconds, rounded down.

The program writes lines "SECONDS BLOCKS" to stdout all the time."""
import os
import re
import signal
import statistics
import subprocess
import sys
import time

memprofdata, program, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
running = []
for i in range(kills):
    lines = open(f"lines.{i}", "w")
    running.append((subprocess.Popen([program], stdout=lines,
                                     start_new_session=True), i))
lags = []
for process, i in running:
    time.sleep(1.31 if i == 0 else 0.17)
    if i % 2:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
for process, i in running:
    path = f"memprof.profraw.{process.pid}.raw"
    subprocess.run([memprofdata, "check", path], check=True,
                   stdout=subprocess.DEVNULL)
    text = subprocess.run([memprofdata, "show", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    blocks = int(re.search(r" in ([0-9,]+) block", text)[1].replace(",", ""))
    rows = [line.split() for line in open(f"lines.{i}") if line.endswith("\n")]
    rows = [(float(s), int(n)) for s, n in rows]
    # Lines are written every 20 ms; the last may be that much behind.
    after = [s for s, n in rows if n >= blocks]
    lags.append(rows[-1][0] - after[0] if after else 0.0)
print("behind by", int(statistics.median(lags)), "s")
print("largest", max(lags), file=sys.stderr)
