"""kill_loop.py MEMPROFDATA PROGRAM KILLS LAG -- runs PROGRAM KILLS times, several at a
time, and kills each by SIGKILL at another moment, every second one with its whole
process group. Each must leave exactly one file, which is valid and has no more than the
program had done. Every third one stops working by itself and is killed when its file
has everything, however long that takes.

The file LAG gets how far the files of the others are behind: the median in whole
seconds, rounded down.

The program writes lines "SECONDS BLOCKS" to stdout all the time. If the environment has
THEN_IDLE, a number of blocks, it is idle after that many."""
import atexit
import os
import re
import signal
import statistics
import subprocess
import sys
import time

memprofdata, program, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
# However slow the machine is.
PATIENCE_S = 300
ENOUGH_BLOCKS = 200000


def rows_of(i):
    """[(seconds, blocks)] that the program has written by now."""
    rows = [line.split() for line in open(f"lines.{i}") if line.endswith("\n")]
    return [(float(s), int(n)) for s, n in rows]


def blocks_in(path):
    subprocess.run([memprofdata, "check", path], check=True,
                   stdout=subprocess.DEVNULL)
    text = subprocess.run([memprofdata, "show", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return int(re.search(r" in ([0-9,]+) block", text)[1].replace(",", ""))


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited in vain: {what}")
        time.sleep(0.05)


def is_caught_up(path, i):
    """The program has said its last; the block that it keeps is in the file too."""
    rows = rows_of(i)
    return (bool(rows) and rows[-1][1] >= ENOUGH_BLOCKS and
            blocks_in(path) == rows[-1][1] + 1)


def start(i):
    environment = dict(os.environ, **({"THEN_IDLE": str(ENOUGH_BLOCKS)} if i % 3 == 2 else {}))
    with open(f"lines.{i}", "w") as lines:
        return subprocess.Popen([program], stdout=lines, env=environment,
                                start_new_session=True)


running = [start(i) for i in range(kills)]
atexit.register(lambda: [p.kill() for p in running])
paths = [f"memprof.profraw.{process.pid}.raw" for process in running]
for path in paths:
    wait_until(lambda: os.path.exists(path), path)
for i, process in enumerate(running):
    time.sleep(0.51 if i == 0 else 0.17)
    if i % 3 == 2:
        wait_until(lambda: is_caught_up(paths[i], i), f"all of {paths[i]}")
    if i % 2:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
lags = []
for i, path in enumerate(paths):
    blocks, rows = blocks_in(path), rows_of(i)
    if i % 3 == 2:
        assert blocks == rows[-1][1] + 1, (blocks, rows[-1])
        continue
    # A line is written every 20 ms, so the last one may be that old.
    after = [s for s, n in rows if n >= blocks]
    lags.append(rows[-1][0] - after[0] if after else 0.0)
with open(sys.argv[4], "w") as lag:
    print("behind by", int(statistics.median(lags)), "s, at most", max(lags), file=lag)
print(kills, "killed")
