"""log.py MEMPROFDATA PROGRAM FOLDER MODE [OPTION] -- runs PROGRAM with a log and compares
the log with the profile of the same run."""
import glob
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../profdata/Inputs"))
import log_model  # noqa: E402

memprofdata, program, folder, mode = sys.argv[1:5]
options = sys.argv[5:]
THREADED = ("threads", "handover", "storm")
STORM_THREADS = 64
storm_rounds = os.environ.setdefault("STORM_ROUNDS", "300")
LACKS = b"the log ended before access histograms, events and pools of the program"
# Facts about the run that change until the log ends.
LATER = ("OWN_MEMORY_BYTES", "OWN_TIME_NS", "TIMED_CALLS", "DUMP", "EPOCH",
         "MIDDLE")
# What depends on the order in which threads end blocks of one call stack.
ORDER = ("NumLifetimeOverlaps", "NumSameAllocCpu", "NumSameDeallocCpu", "AllocTimestamp",
         "DeallocTimestamp", "AllocCpuId", "DeallocCpuId")


def fail(*what):
    sys.exit(" ".join(map(str, (mode, *options, *what))))


def run(log="log", argument=None, function=subprocess.run, **more):
    words = ["log_path=p", "log='%s'" % log] + options
    env = dict(os.environ, MEMPROF_OPTIONS=":".join(words))
    return function([program, argument or mode], cwd=folder, env=env,
                    stderr=subprocess.PIPE, **more)


def merge(*files, warning=b""):
    out = subprocess.run([memprofdata, "merge", "--text", "-o", "-", *files], cwd=folder,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if out.returncode != 0 or bool(out.stderr) != bool(warning) or \
            warning not in out.stderr:
        fail("merge", files, out.returncode, out.stderr)
    return json.loads(out.stdout)


def wait_until_whole(log, whole):
    """Until a log that grows has all blocks; a minute is no measure, but an end."""
    for _ in range(600):
        out = subprocess.run([memprofdata, "merge", "--text", "-o", "-", log], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if out.returncode == 0 and blocks(json.loads(out.stdout)) == whole:
            return
        time.sleep(0.1)
    fail(log, "is not whole")


def told(profile):
    """The names of events and pools, and the sorts of cells."""
    text = json.dumps(profile)
    return {p["Name"] for p in profile.get("Parts", []) if p["Kind"] != "thread"} | {
        key for key in ("Histogram", "Place") if '"%s": ' % key in text}


def blocks(profile):
    return sum(c["MemInfoBlock"]["AllocCount"] for c in profile.get("Contexts", []))


def live(profile):
    return sum(c["MemInfoBlock"].get("LiveCount", 0) for c in profile.get("Contexts", []))


def comparable(profile):
    for r in profile["Runs"]:
        for key in [key for key in r if key in LATER or key.startswith("RSS_")]:
            del r[key]
    for series in profile.get("Series", []):  # a log does not say what was mapped
        series["Samples"] = [sample[:5] for sample in series["Samples"]]
    if mode in THREADED:
        for c in profile["Contexts"] + profile.get("Parts", []):
            for key in ORDER:
                c["MemInfoBlock"].pop(key, None)
    return profile


def different(profile, log):
    """The first row that differs."""
    if isinstance(profile, list) and isinstance(log, list) and len(profile) == len(log):
        profile, log = next(p for p in zip(profile, log) if p[0] != p[1])
    if isinstance(profile, dict) and isinstance(log, dict) and "MemInfoBlock" in log:
        profile, log = profile["MemInfoBlock"], log["MemInfoBlock"]
        profile, log = ({k: v for k, v in a.items() if b.get(k) != v}
                        for a, b in ((profile, log), (log, profile)))
    return "is", json.dumps(profile), "in the profile, but", json.dumps(log), "in the log"


def same(raw, log):
    a, b = comparable(merge(raw)), comparable(merge(log))
    for key in sorted(set(a) | set(b)):
        # live bytes are sampled while a dump is made, too
        if a.get(key) != b.get(key) and not (key == "Series" and mode in THREADED):
            fail(key, *different(a.get(key), b.get(key)))
    return b


class Order(log_model.Log):
    """What each thread allocated, in the log's order, whose times must not go back."""

    def events(self, c, is_further=False):
        c.integer()
        thread, ns = c.integer(), c.integer()
        sizes, last_ns = self.threads.setdefault(thread, ([], [0]))
        if is_further:
            c.integer(), c.integer(), c.integer()
        while code := c.byte():
            kind = code & 7
            if kind in (1, 2, 3):
                flags = code & ~7
                if kind != 1 and flags & log_model.MORE:
                    flags |= c.byte() << 8
                c.integer()
                ns += c.signed()
                number = c.integer()
                if kind == 1:
                    sizes.append(number)
                    c.integer()
                elif flags & log_model.ELSEWHERE:
                    c.integer()
                self.ends += kind == 2
                assert kind == 3 or ns >= last_ns[0], (thread, ns)
                last_ns[0] = max(ns, last_ns[0]) if kind != 3 else last_ns[0]
            elif kind == 6:
                c.integer()
                ns += c.signed()
                c.integer()
            else:
                [c.integer() for _ in range(1 if kind in (4, 5) else 3)]

    def __init__(self, path):
        self.threads, self.ends = {}, 0
        super().__init__(path)


def check_order(log):
    rounds = int(storm_rounds)
    want = [16 + i % 1000 for i in range(rounds)]
    order = Order(log)
    whole = sum(sizes == want for sizes, _ in order.threads.values())
    if whole != STORM_THREADS or order.ends < STORM_THREADS * (rounds - 1):
        fail(whole, "threads are whole and in order;", order.ends, "blocks ended")
    events = STORM_THREADS * rounds + order.ends
    if os.path.getsize(log) > 10 * events:
        fail(os.path.getsize(log) / events, "bytes an event")


def profiles():
    return sorted(os.path.basename(p) for p in glob.glob(folder + "/p.*"))


for old in glob.glob(folder + "/*"):
    os.unlink(old)
WHOLE = 3 * 5000 + 100
is_sampled = "sample=" in "".join(options)


def check_blocks(profile, want, want_live=None):
    """Sums of sampled blocks are estimates; ten standard errors are no difference."""
    error = sum(c["MemInfoBlock"].get("AllocCountVariance", 0)
                for c in profile["Contexts"]) ** 0.5
    if is_sampled != (error != 0) or abs(blocks(profile) - want) > 10 * error:
        fail(blocks(profile), "blocks, not", want, "+-", error)
    if not is_sampled and want_live is not None and live(profile) != want_live:
        fail(live(profile), "blocks live")



if mode in ("plain", *THREADED, "fault", "quick"):
    result = run(timeout=600)
    peak_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if (mode == "fault") != (result.returncode < 0) or result.stderr:
        fail(result)
    if "dump_at_exit=0" in options:
        assert profiles() == []
        assert blocks(merge("log")) == WHOLE and live(merge("log")) == 50
    else:
        got = same(*profiles(), "log")
        if mode not in THREADED:
            check_blocks(got, WHOLE, 50)
            assert [m for m in got["Series"][0]["Marks"]]
        if mode not in ("handover", "storm"):
            # Of blocks in a thread nothing is named, but all may have histograms.
            cells = told(got) - {"told", "mark", "a pool", "mapped memory", "thread stacks"}
            if len(told(got)) - len(cells) != 4 + (mode == "threads") or \
                    cells not in ({"Histogram"}, {"Place"} if mode != "threads" else set()):
                fail(told(got))
    if mode == "storm":
        check_order(folder + "/log")
        # A log that is longer than this is not kept in memory.
        if peak_kib > 65536:
            fail(peak_kib, "KiB of memory")
elif mode == "bounded":
    # What stands in buffers while another thread writes is at most 8 MiB.
    result = run(stdout=subprocess.PIPE)
    size = os.path.getsize(folder + "/log") >> 10
    if result.returncode != 0 or int(result.stdout) > 12 << 10 or size < 24 << 10:
        fail(result, size, "KiB of log")
elif mode == "parts":
    assert run().returncode == 0
    check_blocks(same(*profiles(), "log"), 2 * (WHOLE - 100) + 100 + 3)
elif mode == "fork":
    # The child has a log of its own, which has its own blocks only.
    assert run().returncode == 0
    logs = ["log", "log.1"]
    by_pid = {merge(l)["Runs"][0]["PID"]: l for l in logs}
    assert len(by_pid) == 2
    for p in profiles():
        got = same(p, by_pid.pop(merge(p)["Runs"][0]["PID"]))
        assert is_sampled or blocks(got) in (WHOLE, 2 * WHOLE)
elif mode in ("closes", "daemon"):
    result = run(close_fds=True)
    if result.returncode != 0 or result.stderr:
        fail(result)
    logs = ["log", "log.1"] if mode == "daemon" else ["log"]
    by_pid = {merge(l)["Runs"][0]["PID"]: l for l in logs}
    for p in profiles():
        got = same(p, by_pid.pop(merge(p)["Runs"][0]["PID"]))
        check_blocks(got, (2 if mode == "daemon" else 3) * WHOLE + 1)
    assert not by_pid, by_pid
    # A descriptor of the program cannot be opened again.
    with open(folder + "/other", "wb") as f:
        result = run("fd:1", stdout=f)
    if result.returncode != 0 or result.stderr.splitlines() != [
            b"memprof: the log fd:1 ends here: the program closed it"]:
        fail(result)
elif mode == "exec":
    # Nothing is lost, but what lived is not known any more.
    assert run().returncode == 0
    got = merge("log", warning=LACKS)
    assert blocks(got) == WHOLE and live(got) == 50 and not told(got)
    assert blocks(merge("log.1")) == WHOLE
elif mode == "kill":
    assert run().returncode == -9
    got = merge("log", warning=LACKS)
    assert not told(got)
    lost = WHOLE - blocks(got)
    # A buffer has 32 KiB, and the events of a block more than 10 bytes.
    assert lost <= 32768 // 10, lost
elif mode == "idle":
    # Program and child wait for the input's end and do not allocate.
    with open(folder + "/other", "wb") as f:
        programs = [run(log, function=subprocess.Popen, stdin=subprocess.PIPE,
                        pass_fds=[f.fileno()]) for log in ("log", "fd:%d" % f.fileno())]
        for log in ("log", "log.1", "other"):
            wait_until_whole(log, WHOLE)
        for p in programs:
            p.stdin.close()
            if p.wait() != 0 or p.stderr.read():
                fail(p)
        for log in ("log", "log.1", "other"):
            assert blocks(merge(log)) == WHOLE, log
elif mode == "little":
    program = run("log", function=subprocess.Popen, stdin=subprocess.PIPE)
    wait_until_whole("log.1", 1)
    program.stdin.close()
    if program.wait() != 0 or program.stderr.read():
        fail(program)
elif mode == "fd":
    with open(folder + "/other", "wb") as f:
        assert run("fd:%d" % f.fileno(), "plain", pass_fds=[f.fileno()]).returncode == 0
    same(*profiles(), "other")
    # Through a compressor, as docs/log.md says.
    os.unlink("%s/%s" % (folder, *profiles()))
    with open(folder + "/log.zst", "wb") as f, \
            subprocess.Popen(["zstd", "-q"], stdin=subprocess.PIPE, stdout=f) as zstd:
        fd = zstd.stdin.fileno()
        assert run("fd:%d" % fd, "plain", pass_fds=[fd]).returncode == 0
    same(*profiles(), "log.zst")
elif mode == "unix":
    listener = socket.socket(socket.AF_UNIX)
    os.chdir(folder)
    listener.bind("s")
    listener.listen()
    got = []

    def take():
        peer = listener.accept()[0]
        while data := peer.recv(1 << 16):
            got.append(data)

    reader = threading.Thread(target=take)
    reader.start()
    assert run("unix:s", "plain").returncode == 0
    reader.join()
    with open("log", "wb") as f:
        f.write(b"".join(got))
    same(*profiles(), "log")
elif mode == "full":
    # The log ends with one message, the program and its profile go on.
    result = run("/dev/full", "plain")
    if result.returncode != 0 or result.stderr.splitlines() != [
            b"memprof: the log /dev/full ends here: no space left"]:
        fail(result)
    assert blocks(merge(*profiles())) == WHOLE
    result = run("no/such/directory", "plain")
    if result.returncode != 0 or b"no such directory" not in result.stderr:
        fail(result)
elif mode == "name":
    # A log is never overwritten.
    for _ in range(3):
        run("l.%p" if _ == 2 else "l", "plain")
    names = sorted(os.path.basename(p) for p in glob.glob(folder + "/l*"))
    assert names[:2] == ["l", "l.1"] and names[2][2:].isdigit(), names
elif mode == "sample":
    options = ["accesses=1/4"]
    result = run(argument="plain")
    assert b"accesses=1/N" in result.stderr and not os.path.exists(folder + "/log"), result
    # A replay needs all blocks.
    options = ["sample=100"]
    run(argument="plain")
    out = subprocess.run([memprofdata, "replay", folder + "/log"], stderr=subprocess.PIPE)
    assert out.returncode == 1 and b"a sample of the blocks only" in out.stderr, out
    # Other views are of the same estimates.
    sums = json.loads(subprocess.check_output([memprofdata, "events", "--json",
                                               folder + "/log"]))
    got = merge("log")
    end = merge("--at=end", "log", warning=b"alive")
    assert sums["blocks"] == blocks(got) and sums["sample_period"] == 100 and live(end) == blocks(end), sums
    assert sums["blocks"] - sums["freed_blocks"] == live(got) == live(end), sums
    rows = json.loads(subprocess.check_output(
        [memprofdata, "events", "--list", "--json", "--top=1000000", "--kind=alloc",
         folder + "/log"]))["events"]
    assert sum(r["stands_for"] for r in rows) == blocks(got), len(rows)
elif mode == "damage":
    # What stands before the damage is used; the message says where it is.
    run(argument="plain")
    with open(folder + "/log", "rb") as f:
        log = f.read()
    for end in (len(log) // 2, len(log) - 1):
        with open(folder + "/cut", "wb") as f:
            f.write(log[:end])
        got = merge("cut", warning=b": log block ")
        if end < len(log) - 1:
            merge("cut", warning=LACKS)
        assert bool(told(got)) == (end == len(log) - 1)
        assert 0 < blocks(got) <= WHOLE or is_sampled
    with open(folder + "/cut", "wb") as f:
        f.write(log[:8])
    out = subprocess.run([memprofdata, "merge", "-o", "x", "cut"], cwd=folder,
                         stderr=subprocess.PIPE)
    assert out.returncode == 1 and b"the data ends too early" in out.stderr, out
else:
    fail("is not known")
