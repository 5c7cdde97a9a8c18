"""live.py MEMPROFDATA PROGRAM FOLDER -- watches PROGRAM by memprofdata live, without and
with a terminal."""
import fcntl
import os
import pty
import re
import select
import socket
import struct
import subprocess
import sys
import termios
import time

memprofdata, program, folder = sys.argv[1:4]
os.chdir(folder)
os.environ.update(XDG_CACHE_HOME=folder, TERM="xterm")
PATIENCE = 60


def fail(*what):
    sys.exit(" ".join(map(str, what)))


def start(options):
    p = subprocess.Popen([program, "loop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         env=dict(os.environ, MEMPROF_OPTIONS="log_path=p:" + options))
    p.stdout.readline()
    return p


def pages(*words):
    return subprocess.run([memprofdata, "live", *words], capture_output=True, text=True,
                          timeout=PATIENCE)


class Terminal:
    def __init__(self, *words):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 100, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen([memprofdata, "live", *words], stdin=slave,
                                        stdout=slave, stderr=slave)
        self.seen = ""

    def wait(self, pattern):
        """Waits until the pattern was shown after the last call."""
        end = time.time() + PATIENCE
        while not re.search(pattern, self.seen, re.S):
            if time.time() > end or not select.select([self.master], [], [], PATIENCE)[0]:
                fail("no", pattern, "in", self.seen[-3000:])
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        self.seen = ""

    def type(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        status = self.process.wait(PATIENCE)
        if termios.tcgetattr(self.slave) != self.before:
            fail("the terminal is not as before")
        return status


# Without a terminal: pages follow one another; nothing but text is printed.
p = start("control=s")
while not os.path.exists("s"):
    time.sleep(0.01)
p_status = pages("unix:s", "-n", "2")
out = p_status.stdout
if p_status.returncode != 0 or "\033" in out or out.count("memprofdata live unix:s") != 2:
    fail(p_status)
if not re.search(r"live +1\d\.\d KiB in 10\d blocks, peak ", out) or \
        not re.search(r"and [\d,]+ blocks a second", out) or \
        not re.search(r" make control\.c:\d+ < work control\.c:\d+ < ", out):
    fail(out)
if "make" in pages(str(p.pid), "-n", "1", "--exclude-function=make").stdout:
    fail("filter")

# On a terminal.
t = Terminal(str(p.pid))
t.wait(r"sorted by bytes live now.* make control\.c")
t.type("s")
t.wait(r"sorted by bytes allocated.* bytes +live +growth")
t.type("s")
t.wait("sorted by blocks allocated")
t.type("/nothing")
t.wait(r"with nothing_")
t.type("\r")
t.wait(r"with nothing[^_]")
t.type("/w\x7fwork\n")
t.wait(r"with work[^_].*make control\.c")
t.type("/\033")
t.wait(r"sorted by blocks allocated\033")
t.type("d")
t.wait("the program wrote /")
t.type("p")
t.wait("paused")
t.type("p")
t.wait("running")
t.type("z")
t.wait("running")
t.type("q")
if t.end() != 0 or not os.path.exists("p.%d.raw" % p.pid):
    fail("quit")

# It goes away in any way; the program goes on.
t = Terminal(str(p.pid))
t.wait("running")
t.process.terminate()
if t.end() != 0:
    fail("SIGTERM")
t = Terminal(str(p.pid))
t.wait("running")
t.process.kill()
t.process.wait()
if pages("unix:s", "-n", "1").returncode != 0:
    fail("the program does not answer")

# The program goes away: the last page stays.
t = Terminal("unix:s")
t.wait("make control")
p.communicate()
if p.returncode != 3:
    fail("program", p.returncode)
t.wait("the program has ended.*make control")
t.type("q")
if t.end() != 0:
    fail("after the program's end")

# A log that grows, and what is no log.
p = start("log=l")
while not os.path.exists("l") or os.path.getsize("l") < 1000:
    time.sleep(0.1)
out = pages("l", "-n", "2").stdout
if not re.search(r" make control\.c:\d+ < work ", out):
    fail("log", out)
p.communicate()

# A log that a program sends. The command goes, the program goes on and says so once.
t = Terminal("unix:u")
t.wait("waits for a program")
env = dict(os.environ, MEMPROF_OPTIONS="log_path=p:log='unix:u'")
p = subprocess.Popen([program, "loop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE, env=env)
t.wait("running.*make control")
t.type("q")
if t.end() != 0 or os.path.exists("u"):
    fail("unix")
said = p.stderr.readline()
if b"the log unix:u ends here" not in said:
    fail(said)
if p.communicate()[1] or p.returncode != 3:
    fail("program without viewer", p.returncode)
# The program goes: the last page stays, or ends the command; a stale socket is no obstacle.
s = socket.socket(socket.AF_UNIX)
s.bind("u")
s.close()
viewer = subprocess.Popen([memprofdata, "live", "unix:u"], stdout=subprocess.PIPE, text=True)
if "waits for a program" not in viewer.stdout.readline():
    fail("stale socket")
subprocess.run([program], env=env, check=False, stdin=subprocess.DEVNULL,
               stdout=subprocess.DEVNULL)
out = viewer.communicate(timeout=PATIENCE)[0]
if viewer.returncode != 0 or "the program has ended" not in out:
    fail("stream's end", out)
if pages("unix:no/such/u").returncode != 3 or \
        "cannot listen there: No such file" not in pages("unix:no/such/u").stderr:
    fail("no place for a socket")
if pages("unix:l").returncode != 3 or not os.path.exists("l"):
    fail("a file is no socket")
if pages(program, "-n", "1").returncode != 1 or pages("none").returncode != 3 or \
        pages().returncode != 2:
    fail("no log")
