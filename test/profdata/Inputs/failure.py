"""Inputs that cannot be used, inputs given twice, outputs that cannot be written:
what merge says, how it ends, and what is in the output afterwards."""
import os
import shutil
import subprocess
import sys

tool, golden, preload, work = sys.argv[1:]
A = os.path.join(golden, "index-v1", "forty.profdata")
B = os.path.join(golden, "llvm-indexed", "v3.profdata")
failed = 0


def path(*names):
    return os.path.join(work, *names)


def merge(*args, **options):
    return subprocess.run([tool, "merge", "-o", path("out"), *args],
                          capture_output=True, text=True, timeout=300,
                          cwd=work, **options)


def read(name):
    with open(name, "rb") as f:
        return f.read()


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)
    return name


def check(what, run, status, lines, expected=None):
    """The exit status, one piece of text per line on stderr, and the output:
    bytes, or None for what was there before."""
    global failed
    said = run.stderr.splitlines()
    right = (run.returncode == status and len(said) == len(lines) and
             all(l.startswith("memprofdata: ") for l in said) and
             all(t in l for t, l in zip(lines, said)) and
             read(path("out")) == (b"old" if expected is None else expected))
    if not right:
        failed += 1
        print(what, run.returncode, run.stderr)
    write(path("out"), b"old")


def merged(*args):
    run = merge(*args)
    assert run.returncode == 0, run.stderr
    data = read(path("out"))
    write(path("out"), b"old")
    return data


write(path("out"), b"old")
junk = write(path("junk"), b"some text\n")
cut = write(path("cut"), read(A)[:300])
A1, AB, AAB, ABB = (merged(A), merged(A, B), merged(A, A, B),
                    merged(A, B, B))
gone = path("gone")

# -- failure modes: as llvm-profdata's, with all reasons and a last sentence
REASONS = ["junk: not a profile: unknown magic number: it is a text file",
           "cut: ", "gone: No such file or directory"]
BAD = [junk, cut, gone]
check("any", merge(A, *BAD, B), 1, REASONS +
      ["nothing is written, because 3 of 5 input files cannot be used"])
check("any, alone", merge(junk), 1, REASONS[:1])
check("all", merge("--failure-mode=all", A, *BAD, B), 0,
      REASONS + ["used 2 of 5 input files"], AB)
check("warn", merge("--failure-mode=warn", A, *BAD, B), 0,
      REASONS + ["used 2 of 5 input files"], AB)
check("all of all", merge("--failure-mode=all", *BAD), 1,
      REASONS + ["used 0 of 3 input files"])
run = merge("--failure-mode=warn", *BAD)
empty = read(path("out"))
check("warn of all", run, 0, REASONS + ["used 0 of 3 input files"], empty)
write(path("empty"), empty)
check("an empty profile is one", merge(A, path("empty")), 0, [], A1)
check("no such mode", merge("--failure-mode=none", A), 2, ["--failure-mode"])

# -- directories
d = path("dir")
os.makedirs(os.path.join(d, "below"))
shutil.copy(A, os.path.join(d, "a"))
shutil.copy(B, os.path.join(d, "below", "b"))
write(os.path.join(d, ".memprof.1.2.part"), b"half")
check("a directory", merge(d), 0, [], AB)
write(os.path.join(d, "notes.txt"), b"text")
check("what is no profile is counted", merge(d), 0,
      ["files in directories that are not profiles: 1, the first is "
       + os.path.join(d, "notes.txt")], AB)
os.unlink(os.path.join(d, "notes.txt"))
os.symlink(d, os.path.join(d, "below", "loop"))
check("a circle", merge(d), 0, [], AB)
os.unlink(os.path.join(d, "below", "loop"))
check("named and found", merge(d, os.path.join(d, "a")), 0,
      ["duplicate files, counted once: 1"], AB)
check("found first or last", merge(os.path.join(d, "a"), d), 0,
      ["duplicate files, counted once: 1"], AB)
check("named twice", merge(d, os.path.join(d, "a"), os.path.join(d, "a")), 0,
      ["duplicate files, counted once: 1"], AAB)
check("with the weight it was named with",
      merge(d, "--weight=2," + os.path.join(d, "a")), 0,
      ["duplicate files, counted once: 1"], AAB)
check("through a link", merge(d, os.path.join(d, "below")), 0,
      ["duplicate files, counted once: 1"], AB)
check("two directories", merge(d, "--weight=2," + os.path.join(d, "below")), 0,
      ["duplicate files, counted once: 1"], ABB)
os.link(path("out"), os.path.join(d, "out"))
write(path("out"), A1)
run = subprocess.run([tool, "merge", d, "-o", os.path.join(d, "out")],
                     capture_output=True, text=True)
check("the output of before is no input", run, 0,
      ["is the output and in a directory of inputs, so it was skipped"], A1)
run = subprocess.run([tool, "merge", d, "-o", os.path.join(d, "out")],
                     capture_output=True, text=True)
if read(os.path.join(d, "out")) != AB:
    failed += 1
    print("the output in its directory", run.stderr)
os.unlink(os.path.join(d, "out"))

# -- lists
check("a profile as a list", merge("@" + A), 1, ["list of inputs at 0x"])
check("an empty list", merge("@" + write(path("list"), b"")), 1,
      ["there is no profile among the input files"])
check("only comments", merge("@" + write(path("list"), b"#\n \n\r\n")), 1,
      ["there is no profile among the input files"])
check("a list of what is gone", merge("@" + write(path("list"), b"gone\n")), 3,
      ["gone: No such file"])
check("a last line without an end",
      merge("@" + write(path("list"), b"2,%s\r\n%s" % (A.encode(), B.encode()))),
      0, [], AAB)
check("a list that is a directory", merge("@" + d), 3, ["Is a directory"])
check("a list that is gone", merge("@" + gone), 3, ["No such file"])
check("no list", merge("@"), 3, ["@: "])

# -- weights
for odd in ("", "1", "1,", "0,x", "-1,x", "+1,x", " 1,x", "0x1,x", "1 ,x",
            "18446744073709551616,x", "99999999999999999999999,x", ",x"):
    check("weight " + odd, merge("--weight=" + odd), 2, ["not N,FILE"])
run = merge("--weight=18446744073709551615," + A)
big = read(path("out"))
check("the largest weight", run, 0, ["sums do not fit"], big)
run = subprocess.run([tool, "check", write(path("big"), big)],
                     capture_output=True, text=True)
if run.returncode != 0:
    failed += 1
    print("what the largest weight made", run.stderr)

# -- outputs
limited = subprocess.run(
    ["sh", "-c", "ulimit -f 1; exec \"$@\"", "sh", tool, "merge", A, B, "-o",
     path("out")], capture_output=True, text=True)
check("a file size limit", limited, 3, ["out: File too large"])
if [n for n in os.listdir(work) if n.startswith(".out")]:
    failed += 1
    print("a temporary file stays")
mounts = """
mount -t tmpfs -o size=64k none "$1" && printf old > "$1/out" || exit
cat /dev/zero > "$1/a" 2> /dev/null; "$2" merge "$3" "$4" -o "$1/out"; echo $?
cat "$1/out"; ls -A "$1" | wc -l
mount -o remount,ro "$1" && "$2" merge "$3" -o "$1/out"; echo $?; cat "$1/out"
"""
if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
    os.mkdir(path("mount"))
    run = subprocess.run(["unshare", "-m", "sh", "-c", mounts, "sh",
                          path("mount"), tool, A, B], capture_output=True,
                         text=True)
    if (run.stdout.split() != ["3", "old2", "3", "old"] or
            "No space left on device" not in run.stderr or
            "Read-only file system" not in run.stderr):
        failed += 1
        print("full or read-only", run)

# -- a file that is cut short while it is mapped
large = write(path("large"), read(A) + bytes(300 << 10))
run = merge(large, env={**os.environ, "LD_PRELOAD": preload,
                        "CUT_SHORT": large})
check("cut short", run, 3,
      [large + ": the file was cut short"])
# -- check and show look into directories and lists too
def look(*args):
    return subprocess.run([tool, *args], capture_output=True, text=True,
                          timeout=300, cwd=work)


write(os.path.join(d, "notes.txt"), b"text")
write(path("list"), b"dir/a\ndir/below\n")
one = look("show", "--top=3", A, B)
for args in ((d,), ("@list",), (d, A)):
    run = look("show", "--top=3", *args)
    if run.returncode != 0 or (run.stdout == one.stdout) != (args != (d, A)):
        failed += 1
        print("show", args, run)
run = look("check", d)
if (run.returncode != 0 or run.stdout.count(": indexed profile") != 2 or
        run.stderr != "memprofdata: files in directories that are not "
                      "profiles: 1\n"):
    failed += 1
    print("check", run)
shutil.copy(cut, os.path.join(d, "cut"))
run = look("check", d, gone)
if (run.returncode != 1 or run.stdout.count(": indexed profile") != 2 or
        run.stderr.count("\n") != 3):
    failed += 1
    print("check", run)
os.makedirs(path("none", "below"))
for command in ("check", "show"):
    run = look(command, path("none"))
    if (run.returncode != 1 or run.stderr !=
            "memprofdata: there is no profile among the input files\n"):
        failed += 1
        print(command, run)

# -- a file that grows while it is read: what was there when it was opened
grows = write(path("grows"), read(A))
run = merge(grows, env={**os.environ, "LD_PRELOAD": preload, "GROW": grows})
check("grows", run, 0, [], A1)
if os.path.getsize(grows) == os.path.getsize(A):
    failed += 1
    print("nothing grew")

# -- a file that is gone when its turn comes
gone_later = path("later")
os.makedirs(gone_later)
shutil.copy(A, os.path.join(gone_later, "a"))
late = shutil.copy(B, os.path.join(gone_later, "b"))
run = merge(gone_later, env={**os.environ, "LD_PRELOAD": preload,
                             "VANISH": late})
check("vanishes", run, 3, [late + ": No such file",
                           "nothing is written"])
shutil.copy(B, late)
run = merge("--failure-mode=warn", gone_later,
            env={**os.environ, "LD_PRELOAD": preload, "VANISH": late})
check("vanishes, others count", run, 0, ["No such file", "used 1 of 2"], A1)

# -- what has no end, and what nobody writes to
check("zeros", merge("/dev/zero"), 1, ["/dev/zero: not a profile"])
bomb = path("bomb.zst")
with open(bomb, "wb") as f:
    zeros = subprocess.Popen(["head", "-c", "200000000", "/dev/zero"],
                             stdout=subprocess.PIPE)
    subprocess.run(["zstd", "-q", "-c"], stdin=zeros.stdout, stdout=f, check=True)
run = subprocess.run(["prlimit", "--as=150000000", tool, "merge", "-j1", bomb,
                      "-o", path("out")], capture_output=True, text=True)
check("a small file of many zeros", run, 1,
      ["bomb.zst: zstd data at 0x"])
check("a list of zeros", merge("@/dev/zero"), 1,
      ["/dev/zero: list of inputs at 0x0: "])
check("endless text", merge(A, "-", stdin=subprocess.Popen(
    ["yes"], stdout=subprocess.PIPE).stdout), 1,
    ["not a profile", "nothing is written"])
endless = subprocess.Popen(
    ["sh", "-c", "cat \"$1\" /dev/zero", "sh", A], stdout=subprocess.PIPE)
run = subprocess.run(["sh", "-c", "ulimit -v 400000; exec \"$@\"", "sh", tool,
                      "merge", "-", "-o", path("out")], timeout=300,
                     stdin=endless.stdout, capture_output=True, text=True)
check("an endless profile", run, 3, ["-: it is a pipe or "
                                     "device with more than 195 MiB"])
endless.kill()
os.mkfifo(path("fifo"))
check("a pipe as a program",
      merge("--profiled-binary=" + path("fifo"), A), 3,
      ["fifo: it is not a plain file"])
raw = os.path.join(golden, os.pardir, "fuzz", "seeds", "raw", "ours")
os.makedirs(path("debug", ".build-id", "ab"))
os.mkfifo(path("debug", ".build-id", "ab", "cd.debug"))
run = merge("--no-cache", raw)
plain = read(path("out"))
write(path("out"), b"old")
check("a pipe as a debug file", merge("--no-cache", "--debug-dir=" +
                                      path("debug"), raw), 0,
      ["no function names"] * run.stderr.count("no function names"), plain)
with subprocess.Popen(["sh", "-c", "exec cat \"$1\" > \"$2\"", "sh", A,
                       path("fifo")]):
    run = subprocess.run([tool, "show", path("fifo")], capture_output=True,
                         text=True, timeout=300)
if run.returncode != 0 or run.stdout != subprocess.run(
        [tool, "show", A], capture_output=True, text=True).stdout:
    failed += 1
    print("show of a pipe", run)
check("a pipe as a file", merge("/dev/stdin", stdin=open(A, "rb")), 0, [], A1)
# -- what may not be read or written: root may, unless it gives that up
drop = []
if os.geteuid() == 0:
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
closed = write(path("closed"), read(A))
os.chmod(closed, 0)
os.mkdir(path("locked"))
shutil.copy(A, path("locked", "a"))
os.chmod(path("locked"), 0o500)


def denied(*args):
    return subprocess.run([*drop, tool, "merge", *args], capture_output=True,
                          text=True, timeout=300)


if not drop or subprocess.run([*drop, "true"], capture_output=True,
                              check=False).returncode == 0:
    check("an unreadable file", denied(closed, A, "-o", path("out")), 3,
          ["closed: Permission denied", "nothing is written"])
    check("a locked directory", denied(A, "-o", path("locked", "out")), 3,
          ["out: Permission denied"])
    if os.listdir(path("locked")) != ["a"]:
        failed += 1
        print("a locked directory: a file is left")
    os.chmod(path("locked"), 0)
    check("an unreadable directory", denied(path("locked"), A, "-o",
                                            path("out")), 3,
          ["locked: Permission denied", "nothing is written"])
os.chmod(path("locked"), 0o700)
os.chmod(closed, 0o600)
sys.exit(failed != 0)
