"""namespaces.py MEMPROFDATA PROGRAM UNSHARE... -- runs PROGRAM as the first process of
containers, one after the other, and prints the files and their blocks. UNSHARE runs a
command in a new namespace of process ids, with a /proc of its own."""
import glob
import os
import signal
import subprocess
import sys
import time

memprofdata, program, unshare = sys.argv[1], sys.argv[2], sys.argv[3:]
seen = {}


def start(mode, options, prefix=()):
    env = dict(os.environ, MEMPROF_OPTIONS=options)
    process = subprocess.Popen([*unshare, *prefix, program, mode], env=env,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    return process


def child_of(parent):
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(path).read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            return int(path.split("/")[2])
    raise LookupError(parent)


def wait_for(path):
    end = time.monotonic() + 300
    while not os.path.exists(path):
        assert time.monotonic() < end, path
        time.sleep(0.01)


def end(process):
    process.communicate(b"\n")
    assert process.returncode == 5, process.returncode


def tell(what):
    """The new files; the others are what they were."""
    for path, data in seen.items():
        assert open(path, "rb").read() == data, path
    new = sorted(set(os.listdir()) - set(seen))
    for path in new:
        seen[path] = open(path, "rb").read()
        subprocess.run([memprofdata, "check", path], check=True,
                       stdout=subprocess.DEVNULL)
    counts = subprocess.run(
        [sys.executable, os.path.join(os.path.dirname(__file__), "blocks_in.py"),
         memprofdata, *new], check=True, stdout=subprocess.PIPE, text=True).stdout
    print(what, *new, *counts.split(), flush=True)


for n in (0, 2):
    running = start("wait", "dump_on_term=1")
    os.kill(child_of(running.pid), signal.SIGTERM)
    wait_for("memprof.profraw.1.%sraw" % (n and "%d." % n or ""))
    end(running)
    tell("terminated")
running = start("wait", "")
inner = child_of(running.pid)
status = open("/proc/%d/status" % inner).read()
caught = int(status.partition("SigCgt:")[2].split()[0], 16)
assert not caught & (1 << signal.SIGTERM - 1 | 1 << signal.SIGINT - 1), status
os.kill(inner, signal.SIGTERM)
end(running)
tell("without")
end(start("child", ""))
tell("child")
running = start("busy", "continuous=1")
wait_for("memprof.profraw.1.6.raw")
os.kill(child_of(running.pid), signal.SIGKILL)
running.wait()
tell("killed")
running = start("busy", "continuous=1")
wait_for("memprof.profraw.1.7.raw")
end(running)
tell("ended")
# In the /proc that it sees, its process number belongs to another program.
running = start("busy", "continuous=1",
                ["sh", "-c", 'unshare -pf "$@"; exit $?', "sh"])
wait_for("memprof.profraw.1.8.raw")
end(running)
tell("nested")
