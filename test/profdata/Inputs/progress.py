"""The line that a long merge shows: on a terminal only, gone at the end. What makes
the merge long is a pipe that is read many times and written to slowly."""
import os
import pty
import re
import select
import subprocess
import sys
import time

tool, profile, work = sys.argv[1:]
TIMES = 30
fifo = os.path.join(work, "fifo")
out = os.path.join(work, "out")
os.mkfifo(fifo)
with open(profile, "rb") as f:
    DATA = f.read()


def start(stderr, *more, **env):
    return subprocess.Popen([tool, "merge", profile, fifo, *more, "-o", out],
                            stderr=stderr, env={**os.environ, **env})


def feed():
    with open(fifo, "wb") as f:
        f.write(DATA)


def read_until(fd, text, seen=b""):
    """All that comes, up to the text; None: up to the end."""
    end = time.monotonic() + 300
    while text is None or text not in seen:
        if not select.select([fd], [], [], end - time.monotonic())[0]:
            sys.exit("nothing but %r" % seen)
        try:
            data = os.read(fd, 4096)
        except OSError:  # the other end is closed
            return seen
        if not data:
            return seen
        seen += data
    return seen


# A warning in between stands in a line of its own.
parent, child = pty.openpty()
run = start(child, "-j1", "--failure-mode=all", *[fifo] * (TIMES - 1),
            "/no/such/file", TERM="xterm")
os.close(child)
for _ in range(TIMES):
    feed()
    time.sleep(0.1)
seen = read_until(parent, None)
assert run.wait() == 0, run.returncode
assert re.match(rb"\r\x1b\[Kread \d+ of %d files, " % (TIMES + 2), seen), seen
assert b"\r\x1b[Kmemprofdata: /no/such/file: " in seen, seen
assert seen.endswith(b"\r\x1b[K") or seen.endswith(b"input files\r\n"), seen
assert b"\n" not in seen.split(b"memprofdata:")[0], seen

for environment in ({"TERM": "dumb"}, {"TERM": "xterm"}):
    if environment["TERM"] == "dumb":
        parent, child = pty.openpty()
    else:
        parent, child = os.pipe()
    run = start(child, **environment)
    os.close(child)
    time.sleep(1.3)
    feed()
    seen = read_until(parent, None)
    assert run.wait() == 0 and seen == b"", seen
