"""serve.py MEMPROFDATA PROGRAM FOLDER -- asks memprofdata serve for what two PROGRAMs do."""
import atexit
import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time

import scrapers

memprofdata, program, folder = sys.argv[1:4]
os.chdir(folder)
os.environ.update(XDG_CACHE_HOME=folder, PPROF_TMPDIR=folder)
PATIENCE = 60


def check(is_true, *what):
    if not is_true:
        sys.exit(" ".join(map(str, what)))


def start(control):
    p = subprocess.Popen([program, "loop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         env=dict(os.environ, MEMPROF_OPTIONS="log_path=p:control=" + control))
    atexit.register(p.kill)
    p.stdout.readline()
    return p


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


class Server:
    def __init__(self, *words, listen="127.0.0.1:0"):
        self.process = subprocess.Popen([memprofdata, "serve", "--listen=" + listen, *words],
                                        stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        line = self.process.stdout.readline()
        check(line.startswith("memprofdata serves at "), line)
        self.address = line.split()[-1]
        self.port = int(self.address.split(":")[-1].rstrip("/")) if "http://" in line else 0

    def ask(self, path, method="GET", headers={}, at=None):
        c = at or http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        c.request(method, path, headers=headers)
        answer = c.getresponse()
        body = answer.read()
        c.close()
        return answer.status, body, answer.headers

    def blocks(self, path):
        """Allocated blocks of a profile."""
        status, body, _ = self.ask(path)
        check(status == 200, path, status, body[:200])
        with open("profile", "wb") as f:
            f.write(body)
        shown = subprocess.run([memprofdata, "show", "--json", "profile"], check=True,
                               stdout=subprocess.PIPE).stdout
        return json.loads(shown)["totals"]["blocks"]

    def metrics(self):
        status, body, _ = self.ask("/metrics")
        check(status == 200, "metrics", status)
        return dict(re.findall(r'^([a-z_]+\{.*\}) (\S+)$', body.decode(), re.M))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(PATIENCE) == 0, "exit status", self.process.returncode)


def is_closed(s):
    """Does the server close a connection, although a byte comes now and then?"""
    s.settimeout(1)
    for _ in range(PATIENCE):
        try:
            s.send(b"G")
            return s.recv(1) == b""
        except TimeoutError:
            continue
        except OSError:  # closed before it was read, or before the byte was sent
            return True
    return False


def wait_for(true, what):
    for _ in range(PATIENCE * 20):
        if true():
            return
        time.sleep(0.05)
    check(False, "no", what)


os.mkdir("s")
programs = [start("s"), start("s")]
sockets = ["unix:%s/s/memprof.%d.sock" % (folder, p.pid) for p in programs]
wait_for(lambda: len(os.listdir("s")) == 2, "sockets")
server = Server("s")

# A client that is silent after an answer; it is looked at below.
silent = socket.create_connection(("127.0.0.1", server.port))
silent.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
check(silent.recv(12) == b"HTTP/1.1 200", "the client that will be silent")

# The page and profiles of both programs.
status, body, headers = server.ask("/")
check(status == 200 and b"</html>" in body and headers["Content-Type"].startswith("text/html"),
      "page", status, body[:200])
first = server.blocks("/debug/pprof/allocs")
some = server.blocks("/debug/pprof/allocs?seconds=1")
last = server.blocks("/debug/pprof/heap")
check(0 < some <= last - first, "in a second", some, "of", first, "to", last)
for path, shown in ("heap", "inuse_space"), ("allocs", "alloc_space"):
    top = subprocess.run(["go", "tool", "pprof", "-top", server.address + "debug/pprof/" + path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(top.returncode == 0 and "Type: " + shown in top.stdout and
          re.search(r" make$", top.stdout, re.M), top.stdout, top.stderr)

scrapers.check(server)
top = subprocess.run(["go", "tool", "pprof", "-top", "-sample_index=accesses",
                      server.address + "profile"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
check(top.returncode == 0 and "Type: accesses" in top.stdout, top.stdout, top.stderr)
values = server.metrics()
ups = [k for k in values if k.startswith("memprof_up")]
check(len(ups) == 2 and all(values[k] == "1" for k in ups), values)
check(all(float(v) > 0 for k, v in values.items() if k.startswith("memprof_live_bytes")), values)

# Requests that are refused.
for want, path, method, headers in (
        (404, "/../etc/passwd", "GET", {}), (404, "/debug/pprof/heap/", "GET", {}),
        (404, "/debug/pprof/heap%00", "GET", {}), (404, "/metrics%00/x", "GET", {}),
        (404, "/%6Detrics", "GET", {}), (400, "/debug/pprof/heap?seconds=1%00", "GET", {}),
        (405, "/", "POST", {}), (403, "/", "GET", {"Host": "example.org"}),
        (400, "/debug/pprof/heap?seconds=x", "GET", {}),
        (400, "/debug/pprof/heap?seconds=301", "GET", {}), (400, "/?seconds=1", "GET", {}),
        (400, "/metrics?seconds=1", "GET", {})):
    status, body, _ = server.ask(path, method, headers)
    check(status == want and body, path, method, status, body)
with socket.create_connection(("127.0.0.1", server.port)) as s:
    s.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 100000)
    s.settimeout(PATIENCE)
    check(not s.recv(100).startswith(b"HTTP/1.1 200"), "a header of 100,000 bytes")

# The silent client is closed after ten seconds, not after the minute that an answer may take.
silent.settimeout(30)
while silent.recv(4096):
    pass

# 40 clients that send a byte now and then do not keep another one out: those that came
# first are closed, and as many as may be open stay.
slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
for s in slow:
    s.sendall(b"G")
check(is_closed(slow[7]), "a slow client that came early")
slow[-1].settimeout(PATIENCE)
slow[-1].sendall(b"ET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
check(slow[-1].recv(15).endswith(b" 200 OK"), "the last slow client")
check(server.ask("/metrics")[0] == 200, "beside slow clients")
for s in slow:
    s.close()

# Nor do they cut off one that takes long to receive its answer, of more than the socket
# holds: at least 512 bytes for each name, because names cannot be compressed.
SENDS = socket.socket(socket.AF_UNIX).getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
names = ["f" + os.urandom(512).hex() for _ in range(SENDS // 256)]
with open("big.json", "w") as f:
    json.dump({"MemprofProfile": 1,
               "Functions": [{"Name": n, "Guid": hex(i + 1)} for i, n in enumerate(names)],
               "Frames": [{"Function": i, "Line": 1} for i in range(len(names))],
               "Contexts": [{"Callstack": [i], "MemInfoBlock": {"AllocCount": 1, "TotalSize": 8}}
                            for i in range(len(names))]}, f)
big = Server("big.json", listen="unix:%s/big" % folder)


def connect_big():
    s = socket.socket(socket.AF_UNIX)
    s.connect("big")  # waits for a place in the queue, which it does not with a timeout
    s.settimeout(PATIENCE)
    return s


def receivers(count):
    """Clients that have received the beginning of an answer."""
    found = [connect_big() for _ in range(count)]
    for s in found:
        s.sendall(b"GET /debug/pprof/heap HTTP/1.0\r\nHost: localhost\r\n\r\n")
    for s in found:
        check(s.recv(12) == b"HTTP/1.1 200", "a receiver")
    return found


def rest(receiver):
    """Size that the answer should have, and number of bytes that came."""
    answer = receiver.makefile("rb")
    size = 0
    for line in iter(answer.readline, b"\r\n"):
        if line.startswith(b"Content-Length: "):
            size = int(line.split()[1])
    return size, len(answer.read())


receiver, = receivers(1)
slow = [connect_big() for _ in range(40)]
check(is_closed(slow[0]), "the first of 40 beside a slow receiver")
size, came = rest(receiver)
check(came == size > 2 * SENDS, "a slow receiver,", came, "of", size)
for s in slow:
    s.close()
big.end()

# 32 slow receivers do not keep another client out. A new server has no connections that it
# is still closing, which count.
big = Server("big.json", listen="unix:%s/big" % folder)
slow = receivers(32)
check(big.ask("/metrics", at=Unix("big"))[0] == 200, "beside slow receivers")
size, came = rest(slow[0])
check(came < size, "the first of the slow receivers got its answer")
for s in slow:
    s.close()
big.end()

# With a file among the programs, a difference is refused.
mixed = Server("s", "profile")
check(mixed.ask("/debug/pprof/heap")[0] == 200, "programs and a file")
status, body, _ = mixed.ask("/debug/pprof/heap?seconds=1")
check(status == 400 and b"files do not change" in body, status, body)
mixed.end()

# One program ends: a warning with its name, and the other one's profile.
named = Server(*sockets, listen="unix:%s/http" % folder)
check(stat.S_IMODE(os.stat("http").st_mode) == 0o600, "mode of the socket")
programs[1].kill()
programs[1].wait()
wait_for(lambda: len(os.listdir("s")) == 1, "end of the socket")
check(server.blocks("/debug/pprof/heap") > 0, "of the other program")
status, body, headers = named.ask("/debug/pprof/heap", at=Unix("http"))
check(status == 200 and sockets[1] in headers["Memprof-Warning"], status, body[:200], headers)
status, body, _ = named.ask("/metrics", at=Unix("http"))
check(re.findall(rb"^memprof_up.* (\d)$", body, re.M) == [b"1", b"0"], body)
programs[0].kill()
programs[0].wait()
status, body, _ = named.ask("/", at=Unix("http"))
check(status == 503 and sockets[0].encode() in body and sockets[1].encode() in body, status, body)
named.end()
check(not os.path.exists("http"), "the socket stays")
server.end()

# Files are served, too, but do not change.
files = Server("profile")
check(files.blocks("/debug/pprof/allocs") > 0, "of a file")
status, body, _ = files.ask("/debug/pprof/heap?seconds=1")
check(status == 400 and b"programs that run" in body, status, body)
files.end()
for wrong in "nonsense", "127.0.0.1", "unix:/no/such/folder/s":
    p = subprocess.run([memprofdata, "serve", "--listen=" + wrong, "profile"],
                       stderr=subprocess.PIPE, text=True)
    check(p.returncode != 0 and p.stderr.count("\n") == 1, wrong, p.stderr)
