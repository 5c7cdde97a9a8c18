"""signals_end.py MEMPROFDATA -- ends ./prog, and ./plain without the profiler, by
signals: checks that both end in the same way, and the profiles."""
import glob
import os
import re
import signal
import subprocess
import sys
import time

memprofdata = sys.argv[1]
blocks_in = os.path.join(os.path.dirname(__file__), "blocks_in.py")


def start(program, how, options="", ignores=None, **more):
    def prepare():
        # The program must not inherit this process's signal actions.
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        if ignores:
            signal.signal(ignores, signal.SIG_IGN)
    env = dict(os.environ, MEMPROF_OPTIONS=options, MEMPROF_PROFILE_FILE="%p.raw")
    env.update(more.pop("env", {}))
    return subprocess.Popen(["./" + program, *how.split()], env=env,
                            preexec_fn=prepare, start_new_session=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)


def wait_for(process, word, count=1):
    seen = []
    while count:
        line = process.stdout.readline().decode()
        assert line, seen
        if line.strip() == word:
            count -= 1
        else:
            seen.append(line.strip())
    return seen


def run_one(program, how, name, options, ignores):
    process = start(program, how, options, ignores)
    seen = []
    if how != "image":
        seen = wait_for(process, "ready", 2 if how == "group" else 1)
    if name and not how.endswith("child"):
        number = getattr(signal, "SIG" + name)
        if how == "group":
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
    if how == "handled":
        seen += [process.stdout.readline().decode().strip()]
    # If it survives, a word on stdin ends it.
    if how.startswith(("ignored", "blocked", "let", "taken", "handled")) \
            and "default" not in how or not name or "child" in how:
        try:
            process.stdin.write(b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass
    # Output ends when its children have ended, too. Its input stays open: end of input
    # would end it.
    seen += process.stdout.read().decode().split("\n")
    process.wait()
    return " ".join([str(process.returncode)] + [s for s in seen if s])


def profiles():
    files = glob.glob("*.raw")
    assert not glob.glob(".memprof*"), glob.glob(".memprof*")
    out = ""
    if files:
        out = subprocess.run([sys.executable, blocks_in, memprofdata, *files],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    for path in files:
        os.unlink(path)
    return "".join(" [%s]" % line for line in out.splitlines())


def check(how, name="", options="", ignores=None):
    plain = run_one("plain", how, name, options, ignores)
    ours = run_one("prog", how, name, options, ignores)
    assert ours == plain, (how, ours, plain)
    print(" ".join(filter(None, [how, name, options])) + ": " + ours + profiles(),
          flush=True)


def handles(pid, first, second):
    """Was the first signal taken, and does the process block the second meanwhile?"""
    status = open("/proc/%d/status" % pid).read()
    masks = {name: int(mask, 16) for name, mask in
             re.findall(r"^(SigBlk|SigPnd|ShdPnd):\s*(\w+)", status, re.M)}
    return (masks["SigPnd"] | masks["ShdPnd"]) >> (first - 1) & 1 == 0 and \
        masks["SigBlk"] >> (second - 1) & 1 == 1


def check_stuck(end):
    os.mkfifo("fifo.raw")
    fifo = os.open("fifo.raw", os.O_RDWR | os.O_NONBLOCK)
    try:
        while True:
            os.write(fifo, b"x" * 4096)
    except BlockingIOError:
        pass
    process = start("prog", end, stderr=subprocess.PIPE,
                    env={"MEMPROF_PROFILE_FILE": os.path.abspath("fifo.raw")})
    wait_for(process, "ready")
    process.send_signal(signal.SIGTERM)
    while not handles(process.pid, signal.SIGTERM, signal.SIGINT):
        time.sleep(0.01)
    # A second signal gets the status of the first one.
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(b"\n")
    assert err.count(b"\n") == 1, err
    found = re.search("nobody reads it", err.decode())
    print("%s: %d %s" % (end, process.returncode,
                               found.group(0) if found else err), flush=True)
    os.close(fifo)
    os.unlink("fifo.raw")


check("wait", "TERM")
check("wait", "INT")
for name in "HUP QUIT USR1 USR2 PIPE ALRM XCPU XFSZ VTALRM PROF STKFLT IO PWR RTMIN RTMAX".split():
    check("wait", name)
check("wait", "TERM", "dump_on_term=0")
check("wait", "HUP", "dump_on_term=0")
check("ignored", "HUP", ignores=signal.SIGHUP)
check("ignored", "PIPE", ignores=signal.SIGPIPE)
check("wait", "TERM", "dump_on_term=1")
check("wait", "INT", "dump_at_exit=0")
check("ignored", "INT", ignores=signal.SIGINT)
check("ignored-then-default", "INT", ignores=signal.SIGINT)
check("blocked", "TERM")
check("let-through", "TERM")
check("taken", "TERM")
check("handled", "TERM")
check("handled-then-default", "TERM")
check("thread", "TERM")
check("child", "TERM")
check("empty-child", "TERM")
check("shared-child", "TERM")
check("group", "INT")
check("system")
check("image")
check("view")
check_stuck("stuck exit")
check_stuck("stuck _exit")
check_stuck("stuck exec")
check_stuck("wait twice")
