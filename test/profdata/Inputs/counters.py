"""Compares what memprofdata merge makes of make-counters.sh's profiles with what
llvm-profdata makes of them."""
import subprocess
import sys

memprofdata, llvm, directory = sys.argv[1:]
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
    a = kind + "-a.profdata"
    merge("one", a)
    same(kind + " alone", shown(a, *VIEWS), shown("one", *VIEWS))
    same(kind + " as text", text(a), text("one"))
    merge("again", "one")
    same(kind + " again", contents("one"), contents("again"))
    llvm_merge("theirs", a, "mem.raw")
    merge("one", "theirs")
    same(kind + " beside", shown("theirs", *VIEWS, ["--memory"]),
         shown("one", *VIEWS, ["--memory"]))
sys.exit(failed != 0)
