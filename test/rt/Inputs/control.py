"""control.py MEMPROFDATA PROGRAM FOLDER MODE -- runs PROGRAM with a control socket and
talks to it."""
import glob
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import time

memprofdata, program, folder, mode = sys.argv[1:5]
shutil.rmtree(folder, ignore_errors=True)
os.mkdir(folder)
os.chmod(folder, 0o777)
os.chdir(folder)
PATIENCE = 60


def fail(*what):
    sys.exit(" ".join(map(str, (mode, *what))))


def check(is_true, *what):
    if not is_true:
        fail(*what)


def wait_for(true, what):
    for _ in range(PATIENCE * 100):
        if true():
            return
        time.sleep(0.01)
    fail("no", what)


class Client:
    def __init__(self, path="s"):
        self.socket = socket.socket(socket.AF_UNIX)
        for i in range(200):  # for a moment it has its name and does not listen yet
            try:
                self.socket.connect(path)
                break
            except ConnectionRefusedError:
                if i == 199:
                    raise
                time.sleep(0.01)
        self.socket.settimeout(PATIENCE)
        self.file = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data)

    def line(self):
        return self.file.readline().decode(errors="replace").rstrip("\n")

    def ask(self, command):
        self.send(command.encode() + b"\n")
        return self.line()

    def status(self):
        answer = self.ask("status")
        check(answer.startswith("ok "), answer)
        return dict(w.split("=") for w in answer.split()[1:])

    def dump(self):
        answer = self.ask("dump -")
        check(answer.startswith("ok bytes="), answer)
        size = int(answer.split("=")[1])
        data = self.file.read(size)
        check(len(data) == size, "of", size, "bytes came", len(data))
        return data

    def is_closed(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


class Program:
    """Runs from start to end() or kill()."""

    def __init__(self, argument="loop", control="unix:s", options="", sockets=("s",)):
        words = ["log_path=p", "control=" + control] + options.split()
        self.process = subprocess.Popen(
            [program, argument], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=dict(os.environ, MEMPROF_OPTIONS=":".join(words)))
        self.pid = self.process.pid
        for path in sockets:
            wait_for(lambda: os.path.exists(path), path)

    def end(self, stderr=b"", status=3):
        out, err = self.process.communicate(timeout=PATIENCE)
        check(self.process.returncode == status, "status", self.process.returncode, err)
        check(stderr in err and bool(stderr) == bool(err), "stderr", err, "not", stderr)
        return out

    def kill(self):
        self.process.kill()
        self.process.communicate()


def is_served():
    try:
        return Client().status() != {}
    except ConnectionRefusedError:
        return False


def merged(*files):
    out = subprocess.run([memprofdata, "merge", "--text", "-o", "-", *files],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(out.returncode == 0, "merge", files, out.stderr)
    return json.loads(out.stdout)


def blocks(*files):
    return sum(c["MemInfoBlock"]["AllocCount"] for c in merged(*files)["Contexts"])


def recorded(client):
    with open("now", "wb") as f:
        f.write(client.dump())
    return blocks("now")


def commands():
    p = Program()
    c = Client()
    check(c.ask("version").startswith("ok version="), "version")
    status = c.status()
    check(status["running"] == "1" and status["pid"] == str(p.pid), status)
    check(status["accesses"] == "all" and status["sample"] == "0", status)
    wait_for(lambda: int(c.status()["peak_bytes"]) >= 6400, "peak")
    for key in ("time_ms", "live_bytes", "live_blocks", "allocated_bytes", "contexts",
                "profiler_bytes", "profiler_ms"):
        check(int(status[key]) >= 0, key)
    # Stopped, nothing is recorded; what is recorded when it is started again is.
    check(c.ask("stop") == "ok" and c.status()["running"] == "0", "stop")
    with open("stopped", "wb") as f:
        f.write(c.dump())
    time.sleep(0.2)
    with open("later", "wb") as f:
        f.write(c.dump())
    check(blocks("later") - blocks("stopped") <= 100, "recorded though stopped")
    check(c.ask("start") == "ok" and c.status()["running"] == "1", "start")
    # The status counts also what was allocated while the recording was stopped.
    wait_for(lambda: recorded(c) > blocks("later") + 1000, "recording")
    # A reset forgets; what follows is another file, which adds to the one before.
    before = c.ask("dump")
    check(c.ask("stop") == "ok" and c.ask("reset") == "ok", "reset")
    after = c.ask("dump")
    check(before == "ok %s/p.%d.raw" % (os.getcwd(), p.pid), before)
    check(after == "ok %s/p.%d.1.raw" % (os.getcwd(), p.pid), after)
    check(blocks(before[3:]) > 1000, "before the reset", blocks(before[3:]))
    check(blocks(after[3:]) <= 101, "after the reset", blocks(after[3:]))
    for wrong in ("", "nonsense", "Version", "status 3", "sample", "sample -1", "sample 5x",
                  "sample 513M", " dump"):
        check(c.ask(wrong).startswith("error "), wrong)
    check(c.ask("quit") == "ok" and c.is_closed(), "quit")
    p.end()
    check(not os.path.exists("s"), "the socket stays")


ROUND, SHORT = 4000000, 1000


def counts(client):
    """Accesses and their standard error by the function that allocated; None: not
    measured."""
    with open("now", "wb") as f:
        f.write(client.dump())
    profile = json.loads(subprocess.run([memprofdata, "show", "--json", "now"], check=True,
                                        stdout=subprocess.PIPE).stdout)
    rows = {profile["frames"][r["stack"][0]]["function"]: r for r in profile["rows"]}
    if not rows["kept_of_main"].get("accesses_measured", True):
        return None
    return {f: (r["values"]["accesses"], r.get("standard_errors", {}).get("accesses", 0))
            for f, r in rows.items()}


def run_rounds(p, n=1):
    for _ in range(n):
        p.process.stdin.write(b"r")
        p.process.stdin.flush()
        check(p.process.stdout.readline() == b"done\n", "round")


def check_exact(p, c, change):
    check(c.ask("accesses all") == "ok" and c.status()["accesses"] == "all", change)
    run_rounds(p)
    seen = {f: n for f, (n, _) in counts(c).items()}
    check(seen["kept_of_main"] == ROUND and seen["ended"] == SHORT, change, seen)
    # The thread came from a call, and its first check stands behind some accesses.
    check(ROUND - 16 <= seen["kept_of_thread"] <= ROUND, change, seen)


def check_share(p, c, share):
    check(c.ask("accesses " + share) == "ok" and c.status()["accesses"] == share, share)
    run_rounds(p, 8)
    seen = counts(c)
    for function in ("kept_of_main", "kept_of_thread"):
        n, error = seen[function]
        check(0 < error < 2 * ROUND and abs(n - 8 * ROUND) < 6 * error, share, seen)


def check_loop(p, c):
    """A thread that makes no call goes over, too."""
    p.process.stdin.write(b"l")
    p.process.stdin.flush()
    check(c.ask("accesses all") == "ok", "in a loop")
    wait_for(lambda: counts(c)["kept_of_main"][0] > 10 * ROUND, "accesses of the loop")
    p.process.stdin.write(b"x")
    p.process.stdin.flush()


def check_none(p, c):
    check(c.ask("accesses none") == "ok" and c.status()["accesses"] == "none", "none")
    run_rounds(p)
    check(counts(c) is None, "measured with accesses=none")


def accesses():
    p = Program("", options="accesses=none")
    c = Client()
    run_rounds(p)
    check(counts(c) is None, "measured with accesses=none")
    check_exact(p, c, "none to all")
    check_none(p, c)
    check_loop(p, c)
    check_none(p, c)
    check_share(p, c, "1/2")
    check_share(p, c, "1/8")
    check_exact(p, c, "1/8 to all")
    for wrong in ("", " few", " 1/1", " 1/1001", " 1/x", " all "):
        check(c.ask("accesses" + wrong).startswith("error accesses must be"), wrong)
    p.end()


def accesses_plain():
    p = Program("")
    c = Client()
    run_rounds(p)
    check(c.ask("accesses 1/2").startswith("error 1/N needs all code"), "1/2")
    check_none(p, c)
    check_exact(p, c, "none to all")
    check_none(p, c)
    check_loop(p, c)
    p.end()


def of_functions(client):
    """The rows' sums by the function that allocated, and their squared standard errors."""
    with open("now", "wb") as f:
        f.write(client.dump())
    profile = json.loads(subprocess.run([memprofdata, "show", "--json", "now"], check=True,
                                        stdout=subprocess.PIPE).stdout)
    sums = {}
    for row in profile["rows"]:
        function = profile["frames"][row["stack"][0]]["function"]
        for column in ("blocks", "bytes", "live"):
            sum_ = sums.setdefault((function, column), [0, 0])
            sum_[0] += row["values"][column]
            sum_[1] += row.get("standard_errors", {}).get(column, 0) ** 2
    return sums


def estimates(options, rates):
    """Runs a round after each change of the rate, and the same with all blocks recorded."""
    p = Program("")
    c = Client()
    exact = []
    for _ in rates:
        run_rounds(p)
        exact.append({key: value for key, (value, _) in of_functions(c).items()})
    p.end()
    p = Program("", options=options)
    c = Client()
    for i, rate in enumerate(rates):
        check(c.ask("sample " + rate) == "ok", rate)
        run_rounds(p)
        found = of_functions(c)
        for key in (("make", "blocks"), ("make", "bytes"), ("make", "live"),
                    ("work", "blocks"), ("work", "live")):
            value, variance = found[key]
            check(abs(value - exact[i][key]) <= 6 * variance ** 0.5 + 1, rates[:i + 1], key,
                  value, "not", exact[i][key], "within", variance ** 0.5)
            check(variance != 0 or key[1] == "live" or i == 0, rate, key)
        live = exact[i]["make", "live"] + exact[i]["work", "live"]
        check(abs(int(c.status()["live_bytes"]) / live - 1) < 0.3, rate, c.status(), live)
    p.end()


def sample(options=""):
    rates = ["0", "2000", "500", "0", "3K", "500", "0"]
    estimates(options, rates)
    estimates("sample=1500 " + options, rates)
    p = Program("", options=options)
    c = Client()
    for n in range(1, 16):
        check(c.ask("sample %d" % n) == "ok" and c.status()["sample"] == str(n), n)
    check(c.ask("sample 16").startswith("error a process can have 16 rates"), "16")
    check(c.ask("sample 0") == "ok", "the first rate again")
    p.end()
    p = Program("", options="log=l " + options)
    check(Client().ask("sample 5").startswith("error a log has one rate"), "log")
    p.end()


def sample_leaks():
    sample("leaks=1")


def files():
    with open("theirs.raw", "w") as f:
        f.write("theirs")
    os.symlink("theirs.raw", "link.raw")
    os.mkfifo("fifo")
    for options in ("", "continuous=1", "raw_format=llvm", "leaks=1"):
        p = Program(options=options)
        c = Client()
        here = os.getcwd()
        check(c.ask("dump theirs.raw").startswith("ok %s/theirs." % here), "theirs")
        check(c.ask("dump link.raw").startswith("ok %s/link." % here), "link")
        check(c.ask("dump fifo").startswith("ok %s/fifo." % here), "fifo")
        name = "in a/%s/%%p.x.raw" % (options or "none")
        check(c.ask("dump " + name) == "ok %s/%s" % (here, name.replace("%p", str(p.pid))),
              name)
        check(c.ask("dump /proc/no/x").startswith("error cannot write the profile /proc/no"),
              "/proc")
        check(c.ask("dump in a/").startswith("error "), "directory")
        check(c.ask("dump " + "x" * 4000).startswith("error "), "long name")
        check(c.dump()[:8] == b"\x8dmpraw\r\n", "not our format")
        p.end()
        check(len(glob.glob("in a/*/%d.x.raw" % p.pid)) == 1, options)
        # The program's own profile has its own name and all blocks.
        check(os.path.exists("p.%d%s" % (p.pid, "" if "llvm" in options else ".raw")),
              options)
    check(open("theirs.raw").read() == "theirs" and os.path.islink("link.raw"), "replaced")
    check(stat.S_ISFIFO(os.stat("fifo").st_mode), "fifo")


def lines():
    p = Program()
    for garbage, answers in ((b"\0\xff\x01\n", 1), (b"x" * 100000, 1), (b"\r\n\n\n", 3),
                             (b"version\r\nstatus\n", 2), (b"v", 0), (b"status\x7f\n", 1)):
        c = Client()
        try:
            c.send(garbage)
            c.socket.shutdown(socket.SHUT_WR)  # answers come all the same
        except (BrokenPipeError, ConnectionResetError):
            pass
        got = []
        try:
            got = c.file.read().decode().splitlines()
        except ConnectionResetError:
            check(len(garbage) == 100000, garbage)
            continue
        check(len(got) == answers, garbage[:20], got)
        check(all(a.startswith(("ok ", "error ")) for a in got), got)
    c = Client()
    for i in range(0, 4000, 7):  # a byte at a time
        c.send(b"version"[i % 7:i % 7 + 1] if i % 7 else b"")
    c.send(b"\nversion\n")
    c.line()
    check(c.line().startswith("ok version="), "split line")
    # Commands without reading any answer.
    c = Client()
    c.socket.setblocking(False)
    try:
        while c.socket.send(b"nonsense\n" * 100):
            pass
    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
        pass
    check(Client().ask("version").startswith("ok"), "after a flood")
    p.end()


def crowd():
    p = Program()
    silent = []
    for i in range(1000):
        c = Client()
        if i % 9 == 1:
            c.send(b"ver")
        if i % 9 == 2:
            c.send(b"dump -\n")  # and does not read
        silent.append(c)
        if i % 100 == 0:
            check(Client().ask("version").startswith("ok"), i)
    c = Client()
    check(c.ask("version").startswith("ok") and len(c.dump()) > 100, "in the crowd")
    fds = glob.glob("/proc/%d/task/*/children" % p.pid)
    helper = open(fds[0]).read().split()[0]
    check(len(os.listdir("/proc/%s/fd" % helper)) <= 10, "too many connections are open")
    # A silent one is closed after some seconds, though nobody else wants its place.
    check(silent[-1].is_closed(), "silent")
    p.end()


def leave():
    """Clients that go away in the middle of an answer."""
    p = Program()
    for i in range(100):
        c = Client()
        c.send((b"dump -\n", b"status\n" * 50, b"dump x%d\n" % i)[i % 3])
        if i % 2:
            c.socket.recv(10)
        c.socket.close()
        c.file.close()
    c = Client()
    check(c.ask("version").startswith("ok") and len(c.dump()) > 100, "after all")
    p.end()
    left = [f for f in os.listdir(".") if f.startswith(".")]
    check(not left, left)


def places():
    old = socket.socket(socket.AF_UNIX)
    old.bind("s")
    old.close()  # stale
    p = Program(control="'unix:s'")
    wait_for(is_served, "new socket")
    check(Client().status()["pid"] == str(p.pid), "stale")
    check(stat.S_IMODE(os.stat("s").st_mode) == 0o600, "mode")
    # A live one is not stolen, a file neither; the program runs on.
    q = Program("short", control="s", sockets=())
    q.end(b"memprof: no control socket at %s/s: another program serves it" %
          os.getcwd().encode())
    check(Client().status()["pid"] == str(p.pid), "stolen")
    p.end()
    with open("s", "w") as f:
        f.write("file")
    Program("short", control="s", sockets=()).end(b"it is no socket")
    check(open("s").read() == "file", "file")
    Program("short", control="no/where/s", sockets=()).end(b"no such directory")
    Program("short", control=os.getcwd() + "/" + "x" * 200, sockets=()).end(b"too long")
    # A socket of the name that a killed program had, and one that is moved away.
    os.unlink("s")
    p = Program()
    p.kill()
    wait_for(lambda: not os.path.exists("s"), "removal after a kill")
    p = Program(control="%p.sock", sockets=())
    wait_for(lambda: os.path.exists("%d.sock" % p.pid), "%p")
    os.rename("%d.sock" % p.pid, "moved")
    with open("%d.sock" % p.pid, "w") as f:
        f.write("theirs")
    check(Client("moved").status()["pid"] == str(p.pid), "moved")
    p.end()
    check(open("%d.sock" % p.pid).read() == "theirs", "removed what is not ours")
    p = Program(control="new/", sockets=())
    path = "new/memprof.%d.sock" % p.pid
    wait_for(lambda: os.path.exists(path), path)
    check(stat.S_IMODE(os.stat("new").st_mode) == 0o700, "directory's mode")
    check(Client(path).status()["pid"] == str(p.pid), "directory")
    p.end()
    check(os.listdir("new") == [], "directory")


def forks():
    # In a directory a child has a socket of its own; with one path it has none and is
    # silent.
    os.mkdir("d")
    p = Program("child", control="d", sockets=())
    wait_for(lambda: len(glob.glob("d/*.sock")) == 2, "sockets")
    pids = {int(Client(f).status()["pid"]) for f in glob.glob("d/*.sock")}
    check(p.pid in pids and len(pids) == 2, pids)
    p.end()
    p = Program("child")
    check(p.process.stdout.readline() == b"ready\n", "ready")
    check(Client().status()["pid"] == str(p.pid), "parent")
    p.end()
    for control in ("d", "unix:s"):
        p = Program("storm", control=control, sockets=())
        path = "s" if control != "d" else "d/memprof.%d.sock" % p.pid
        wait_for(lambda: os.path.exists(path), path)
        for i in range(60):
            for other in glob.glob("d/*.sock"):
                try:
                    c = Client(other)
                    c.send(b"status\ndump -\n" if i % 2 else b"reset\n")
                    c.line()
                except OSError:
                    pass  # the child has ended
            c = Client(path)
            check(c.status()["pid"] == str(p.pid) and len(c.dump()) > 100, control)
        p.end()
        check(glob.glob("d/*") == [] and not os.path.exists("s"), "left")


def ends():
    """Commands while the program ends: it ends as ever, with its whole profile."""
    for i in range(40):
        p = Program("short", sockets=())
        try:
            while p.process.poll() is None:
                if not os.path.exists("s"):
                    continue
                c = Client()
                c.send((b"dump -\n", b"dump\n", b"dump a/b.raw\n", b"status\n")[i % 4] * 3)
                while p.process.poll() is None and c.line():
                    pass
        except OSError:
            pass
        p.end()
        files = glob.glob("p.%d.raw" % p.pid) + glob.glob("p.%d.*.raw" % p.pid)
        check(blocks(*files) == 100, "blocks", i, blocks(*files), files)
        check(not os.path.exists("s"), "the socket stays")


def rights():
    if os.getuid() != 0:
        return
    other = ["setpriv", "--reuid=64123", "--regid=64123", "--clear-groups"]
    ask = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('s')\n" \
          "print(s.recv(100).decode())"
    p = Program()
    run = [*other, sys.executable, "-c", ask]
    out = subprocess.run(run, capture_output=True)
    check(b"PermissionError" in out.stderr, out)
    os.chmod("s", 0o666)
    out = subprocess.run(run, capture_output=True)
    check(out.stdout.startswith(b"error only the program's user and root"), out)
    check(Client().ask("version").startswith("ok"), "root")
    p.end()
    # The socket changes its owner with the program, and stays out of reach of chroot().
    p = Program("user")
    wait_for(lambda: os.path.exists("s") and os.stat("s").st_uid == 65534, "owner")
    check(Client().ask("dump").startswith("ok "), "user")
    p.end()
    check(not os.path.exists("s"), "user")
    p = Program("root", control="%s/s" % os.getcwd(), sockets=())
    check(p.process.stdout.readline() == b"ready\n", "ready")
    p.end(b"no such directory")


def unseen():
    with_control = Program("silent", sockets=()).end()
    alone = subprocess.run([program, "silent"], stdout=subprocess.PIPE).stdout
    check(with_control == alone, with_control, alone)


globals()[mode.replace("-", "_")]()
