"""sandbox.py MEMPROFDATA -- runs ./prog, and ./plain without the profiler, in
sandboxes: checks that both end in the same way, the profiles, and the messages."""
import glob
import os
import re
import subprocess
import sys
import time

memprofdata = sys.argv[1]
blocks_in = os.path.join(os.path.dirname(__file__), "blocks_in.py")
HOW = """strict strict-seccomp strict-exit strict-thread kill-open kill-thread-open
trap-open kill-open-seccomp kill-open-tsync kill-open-child kill-open-twice kill-open-continuous kill-open-blind kill-rename
kill-rename-parts kill-open-brief only-write only-write-term only-write-segv only-write-handler
only-write-ignored errno-raise kill-raise errno-open errno-others errno-rename harmless thread-only refused null vfork""".split()


def blocks(files):
    out = subprocess.run([sys.executable, blocks_in, memprofdata, *files], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return "".join(" [%s]" % line for line in out.splitlines())


def wait_for_helper(files, expected):
    end = time.monotonic() + 100
    while blocks(files()) != expected:
        assert time.monotonic() < end, blocks(files())
        time.sleep(0.1)


def run(program, how):
    options = "continuous=1" if how.endswith(("continuous", "brief")) else ""
    process = subprocess.Popen(["./" + program, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, MEMPROF_OPTIONS=options))
    out = process.stdout.readline()
    if how.endswith(("-term", "-raise", "-ignored")):
        process.terminate()
    if how.endswith("-ignored"):
        process.stdin.write("\n")
    if how.endswith("continuous"):
        # Includes what was recorded after the sandbox started.
        if program == "prog":
            wait_for_helper(lambda: glob.glob("*.raw"), " [1008 5]")
        process.kill()
    rest, said = process.communicate()
    return "%d %s" % (process.returncode, (out + rest).strip()), said


def profiles():
    files = glob.glob("*.raw")
    assert not glob.glob(".memprof*")
    if not files:
        return ""
    out = blocks(files)
    for path in files:
        os.unlink(path)
    return out


for how in HOW:
    plain, _ = run("plain", how)
    ours, said = run("prog", how)
    assert ours == plain, (how, ours, plain, said)
    # One message or none.
    assert said.count("\n") <= 1, said
    said = re.sub("^memprof: .*(cannot write) the profile .*\n", r" \1", said)
    said = re.sub("^memprof: the program forbids itself by seccomp .*\n", " said", said)
    print(how + ": " + ours + profiles() + said, flush=True)
