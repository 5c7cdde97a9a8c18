"""Compares what memprofdata merge makes of make-counters.sh's profiles with what
llvm-profdata makes of them."""
import subprocess
import sys

memprofdata, llvm, directory = sys.argv[1:]
HEADER_BYTES = 72
SUMMARY_BYTES = 448
VIEWS = [
    ["--all-functions", "--counts", "--ic-targets", "--memop-sizes"],
    ["--showcs", "--all-functions", "--counts", "--ic-targets"],
    ["--detailed-summary"], ["--binary-ids"], ["--temporal-profile-traces"],
    ["--covered"],
]
failed = 0


def run(*args):
    return subprocess.run(args, cwd=directory, check=True,
                          capture_output=True).stdout


def merge(output, *inputs):
    run(memprofdata, "merge", "--profiled-binary=mem", *inputs, "-o", output)


def llvm_merge(output, *inputs):
    run(llvm, "merge", "--profiled-binary=mem", *inputs, "-o", output)


def same(what, a, b):
    global failed
    if a != b:
        failed += 1
        print("differ:", what)


def shown(name, *views):
    return [run(llvm, "show", *view, name) for view in views]


def text(name):
    return run(llvm, "merge", "--text", name, "-o", "-")


def contents(name):
    with open(directory + "/" + name, "rb") as f:
        return f.read()


for kind in ("ir", "cs", "cl", "temporal"):
    a, b = kind + "-a.profdata", kind + "-b.profdata"
    merge("one", a)
    same(kind + " alone", shown(a, *VIEWS), shown("one", *VIEWS))
    merge("again", "one")
    same(kind + " again", contents("one"), contents("again"))
    llvm_merge("theirs", a, "mem.raw")
    merge("one", "theirs")
    same(kind + " beside", shown("theirs", *VIEWS, ["--memory"]),
         shown("one", *VIEWS, ["--memory"]))
    if kind == "temporal":
        continue

    llvm_merge("theirs", a, b)
    merge("sum", a, b)
    same(kind + " sum", text("theirs"), text("sum"))
    summary = slice(HEADER_BYTES,
                    HEADER_BYTES + SUMMARY_BYTES * (1 + (kind == "cs")))
    same(kind + " summary", contents("theirs")[summary],
         contents("sum")[summary])
    llvm_merge("theirs", a, b, a)
    merge("sum", a, "sum")
    same(kind + " sum of three", text("theirs"), text("sum"))

    merge("sum", a, b, "mem.raw", a)
    merge("part", "mem.raw", a)
    merge("other", a, "part", b)
    same(kind + " grouping", contents("sum"), contents("other"))
    merge("part", a, b)
    merge("other", "part", a, "mem.raw")
    same(kind + " order", contents("sum"), contents("other"))
sys.exit(failed != 0)
