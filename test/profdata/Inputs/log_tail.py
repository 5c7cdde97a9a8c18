"""log_tail.py MEMPROFDATA LOG FOLDER -- prints the log with events --tail while this script
writes it, and compares the lines with those of --list."""
import fcntl
import os
import signal
import subprocess
import sys

memprofdata, log, folder = sys.argv[1:4]
data = open(log, "rb").read()
path = os.path.join(folder, "growing.log")
signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored
signal.alarm(300)


def lines_of(text):
    # --tail does not know yet what will never be freed.
    return [line.replace("never freed, ", "") for line in text.splitlines()]


def listed(name):
    return lines_of(subprocess.run(
        [memprofdata, "events", "--list", "--top=1000000", name], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)


def tail(*words, **how):
    return subprocess.Popen([memprofdata, "events", "--tail", *words], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def same(what, got, want):
    if got != want:
        sys.exit("%s: %d lines, expected %d:\n%s\n--\n%s"
                 % (what, len(got), len(want), "\n".join(got), "\n".join(want)))


wanted = listed(log)
half = len(data) * 2 // 3
with open(path, "wb") as out:
    out.write(data[:half])
old = listed(path)
assert len(wanted) > len(old) + 5 and len(old) > 5, (len(wanted), len(old))

# A pipe: everything.
with tail("-", stdin=subprocess.PIPE) as pipe:
    pipe.stdin.buffer.write(data)
    pipe.stdin.close()
    same("pipe", sorted(lines_of(pipe.stdout.read())), sorted(wanted))
    assert pipe.wait() == 0

# A file: the last three, then what comes, until the log's end.
with open(path, "r+b") as out:
    out.seek(half)
    with tail("--top=3", path) as grows:
        first = lines_of("".join(grows.stdout.readline() for _ in range(3)))
        same("first lines", first, old[-3:])
        out.write(data[half:])
        out.flush()
        rest = lines_of(grows.stdout.read())
        same("growing", sorted(old[:-3] + first + rest), sorted(wanted))
        assert grows.wait() == 0

# Its writer goes, or the user has seen enough.
with open(path, "wb") as out:
    out.write(data[:half])
    out.flush()
    with tail("--top=1", path) as seen:
        assert lines_of(seen.stdout.readline()) == old[-1:]
        seen.send_signal(signal.SIGINT)
        assert seen.wait() == -signal.SIGINT and seen.stdout.read() == ""
    with tail("--top=1", path) as left:
        assert lines_of(left.stdout.readline()) == old[-1:]
        out.close()
        try:
            with open(path, "rb") as probe:
                fcntl.fcntl(probe, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                fcntl.fcntl(probe, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError:  # a file system without leases
            left.kill()
        text = left.communicate()[1]
        assert left.returncode < 0 or "the log has no end, and nobody writes" in text, text
