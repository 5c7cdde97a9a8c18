"""oom_kill.py MEMPROFDATA PROGRAM -- runs PROGRAM in a control group with little memory
until the kernel kills it, and checks the file that it leaves: it is valid, has no more
than the program had done, and no less than the snapshot before the last one that was
seen. Prints how far it is behind.

oom_kill.py possible -- succeeds if such a group can be created.

The program writes lines "SECONDS BLOCKS SNAPSHOTS" to stdout all the time."""
import os
import re
import signal
import subprocess
import sys
import time

LIMIT_BYTES = 112 << 20
# Names of files in version 1 and version 2 of control groups.
LIMITS = ["memory.limit_in_bytes", "memory.max"]
SWAP_LIMITS = ["memory.memsw.limit_in_bytes", "memory.swap.max"]
EVENTS = ["memory.oom_control", "memory.events"]


def parents():
    """Folders in which a group might be made, the likeliest first."""
    for line in open("/proc/self/cgroup"):
        _, kinds, path = line.rstrip("\n").split(":", 2)
        if kinds == "":
            tops = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        elif "memory" in kinds.split(","):
            tops = ["/sys/fs/cgroup/" + kinds]
        else:
            continue
        # In version 2 a group with processes must not have groups below it.
        for top in tops:
            yield top + path
            yield os.path.dirname(top + path)
            yield top


def write(folder, names, text):
    for name in names:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "w") as f:
                f.write(text)
            return True
    return False


def make_group():
    for parent in dict.fromkeys(parents()):
        group = os.path.join(parent, "memprof-test-%d" % os.getpid())
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            if write(group, LIMITS, str(LIMIT_BYTES)):
                return group
        except OSError:
            pass
        os.rmdir(group)
    return None


def forbid_swap(group):
    try:
        write(group, SWAP_LIMITS[:1], str(LIMIT_BYTES))
        write(group, SWAP_LIMITS[1:], "0")
    except OSError:
        pass  # then it takes longer


def remove(group):
    """The process that writes snapshots is killed too, a moment later."""
    for _ in range(1000):
        try:
            os.rmdir(group)
            return
        except OSError:
            time.sleep(0.01)


def was_killed_for_memory(group):
    for name in EVENTS:
        path = os.path.join(group, name)
        if os.path.exists(path):
            found = re.search(r"^oom_kill (\d+)$", open(path).read(), re.M)
            return found is None or int(found[1]) > 0
    return False


def run(group, program):
    """Its process id, and its lines."""
    def enter():
        with open(os.path.join(group, "cgroup.procs"), "w") as f:
            f.write("0")
    with open("lines", "w") as lines:
        process = subprocess.Popen([program], stdout=lines, preexec_fn=enter)
        status = process.wait()
    assert status == -signal.SIGKILL, status
    assert was_killed_for_memory(group)
    rows = [line.split() for line in open("lines") if line.endswith("\n")]
    return process.pid, [(float(s), int(n), int(k)) for s, n, k in rows]


def blocks_in(memprofdata, path):
    subprocess.run([memprofdata, "check", path], check=True,
                   stdout=subprocess.DEVNULL)
    text = subprocess.run([memprofdata, "show", path], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout
    found = re.search(r"^ *live (?:at end|now).*? in ([0-9,]+) block", text, re.M)
    return int(found[1].replace(",", ""))


def main():
    group = make_group()
    if sys.argv[1] == "possible":
        if group is not None:
            os.rmdir(group)
        return group is None
    try:
        forbid_swap(group)
        pid, rows = run(group, sys.argv[2])
    finally:
        remove(group)
    blocks = blocks_in(sys.argv[1], f"memprof.profraw.{pid}.raw")
    end, most, snapshots = rows[-1]
    # After a snapshot is seen, the next one has everything that exists now.
    least = min(n for s, n, k in rows if k == snapshots - 1)
    # A line is written after each ten blocks.
    assert least <= blocks <= most + 10, (least, blocks, most)
    lag = end - max(s for s, n, k in rows if n <= blocks)
    print("%d snapshots seen" % snapshots)
    print("behind by %d s" % lag)
    print("%.2f s of %.2f s, %d blocks of %d" % (lag, end, most - blocks, most),
          file=sys.stderr)
    return 0


sys.exit(main())
