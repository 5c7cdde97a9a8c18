"""control_client.py MEMPROFDATA PROGRAM FOLDER -- runs memprofdata control against PROGRAM,
and against servers that are none."""
import os
import re
import socket
import subprocess
import sys
import threading

memprofdata, program, folder = sys.argv[1:4]
os.chdir(folder)


def run(*words):
    p = subprocess.run([memprofdata, "control", *words], capture_output=True)
    return p.returncode, p.stdout, p.stderr.decode()


def expect(words, status, out=b"", err=""):
    got = run(*words)
    if got[0] != status or not re.fullmatch(out, got[1], re.S) or \
            not re.search(err, got[2]) or bool(err) != bool(got[2]):
        sys.exit("%s: %s" % (words, got))


def shown(path):
    return subprocess.run([memprofdata, "merge", "-o", "merged", path]).returncode == 0


env = dict(os.environ, MEMPROF_OPTIONS="log_path=p:control=%s/" % folder)
p = subprocess.Popen([program, "loop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
p.stdout.readline()
path = "%s/memprof.%d.sock" % (folder, p.pid)
while not os.path.exists(path):
    pass
for where in (str(p.pid), "unix:" + path, path):
    expect([where, "status"], 0, b"running=1\npid=%d\ntime_ms=.*\nprofiler_ms=[0-9]*\n" % p.pid)
pid = str(p.pid)
expect([pid, "version"], 0, b"version=[0-9.]*\nprotocol=1\n")
expect([pid, "stop"], 0)
expect([pid, "start"], 0)
expect([pid, "reset"], 0)
expect([pid, "dump"], 0, ("%s/p.%s.raw\n" % (folder, pid)).encode())
expect([pid, "dump", "two words.raw"], 0, ("%s/two words.raw\n" % folder).encode())
expect([pid, "dump", "-o", "here"], 0)
if not shown("two words.raw") or not shown("here"):
    sys.exit("no profile")
expect([pid, "dump", "-o", "-"], 0, b"\x8dmpraw\r\n.*")
expect([pid, "dump", "-o", "no/where"], 3, err="no/where")
expect([pid, "nonsense"], 1, err="^memprofdata: %s: no such command; there are version" % pid)
expect([pid, "x\ny"], 1, err="more than a line")
expect([pid, "x" * 5000], 1, err="too long")
expect([pid, "status", "-o", "x"], 2, err="-o goes with dump")
expect([pid], 2, err="a process and a command are needed")
expect([], 2, err="a process and a command are needed")
expect([str(os.getpid()), "status"], 3, err="no control socket.*MEMPROF_OPTIONS=control=DIR")
p.communicate()
expect(["unix:" + path, "status"], 3, err="there is no such socket")
expect([program, "status"], 3, err="nobody listens there|too long")
expect(["unix:" + "x" * 200, "status"], 3, err="too long for a socket")

# Servers that are no program with memprof.
server = socket.socket(socket.AF_UNIX)
server.bind("fake")
expect(["unix:fake", "status"], 3, err="nobody listens there")
server.listen()
answers = [(b"HTTP/1.1 400 Bad\r\n", "it answers HTTP"), (b"", "has ended"),
           (b"x" * 100000, "has no end"), (b"okay\n", "it answers okay"),
           (b"ok bytes=10\n123", "has ended"), (b"error \n", "fake"),
           (b"ok bytes=99999999999999999999\n123", "has ended")]


def serve():
    for answer, _ in answers:
        s = server.accept()[0]
        try:
            s.makefile('rb').readline()
            s.sendall(answer)
        except OSError:
            pass
        s.close()


threading.Thread(target=serve, daemon=True).start()
for answer, sentence in answers:
    expect(["unix:fake", "dump", "-o", "x"], 1 if answer.startswith(b"error") else 3,
           err=sentence)
if os.path.exists("x"):
    sys.exit("stored what is no profile")
