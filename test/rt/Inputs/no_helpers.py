"""no_helpers.py FOLDER -- waits until no process has its working directory in the
folder or below: the helpers of killed programs must end by themselves. Fails after two
minutes."""
import os
import sys
import time

FOLDER = os.path.realpath(sys.argv[1])


def workers():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            cwd = os.readlink(f"/proc/{pid}/cwd")
            with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                if (cwd + "/").startswith(FOLDER + "/") and \
                        comm.read().strip() == "memprof-helper":
                    found.append(pid)
        except OSError:
            pass
    return found


end = time.monotonic() + 120
while workers():
    if time.monotonic() > end:
        sys.exit(f"helpers go on: {workers()}")
    time.sleep(0.1)
