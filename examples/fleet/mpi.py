#!/usr/bin/python3
"""mpi.py -- merges the profiles of a fleet with MPI (Debian: openmpi-bin, python3-mpi4py).

usage: mpirun -n RANKS python3 mpi.py [--batch=FILES] [--failure-mode=any|warn] DIR OUT

Rank 0 hands out batches of files to whoever is free, so slow machines and large files
delay nobody. The other ranks merge them; then a binary tree of ranks merges their sums.
All ranks see DIR. A rank that fails ends the job, and so does, unless the mode is warn, a
file that is no profile; in that mode the last lines name all such files.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from mpi4py import MPI

TOOL = os.environ.get("MEMPROFDATA", "memprofdata")
WORLD = MPI.COMM_WORLD
ASK, GIVE, SUM = range(3)  # tags of messages


def fail(text):
    print(f"rank {WORLD.rank} on {MPI.Get_processor_name()}: {text}", file=sys.stderr, flush=True)
    WORLD.Abort(1)


def merge(arguments, said, stdin=b""):
    """Runs memprofdata; adds what it says of inputs to said."""
    try:
        done = subprocess.run([TOOL, "merge", "-j1", *arguments], input=stdin, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        fail(f"cannot run {TOOL}: {error.strerror}")
    text = done.stderr.decode(errors="replace")
    if done.returncode != 0:
        fail(text.strip() or f"memprofdata ended with status {done.returncode}")
    said += text.splitlines()
    return done.stdout


def batches(folder, limit):
    """Lists of files. The dumps of one process, NAME.raw and NAME.raw.1, stay together."""
    files = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())
    batch = []
    for _, dumps in itertools.groupby(files, lambda path: re.sub(r"(\.raw)[.\d]*$", r"\1", str(path))):
        batch += dumps
        if len(batch) >= limit:
            yield batch
            batch = []
    if batch:
        yield batch


def hand_out(found):
    """Rank 0: answers each request with a batch, and with None when there are no more."""
    for left in itertools.chain(found, [None] * (WORLD.size - 1)):
        WORLD.send(left, WORLD.recv(tag=ASK), GIVE)


def ask():
    while True:
        WORLD.send(WORLD.rank, 0, ASK)
        batch = WORLD.recv(source=0, tag=GIVE)
        if batch is None:
            return
        yield batch


def reduce_all(profile, said):
    """A binary tree: the result is that of rank 0."""
    step = 1
    while step < WORLD.size and WORLD.rank % (2 * step) == 0:
        if WORLD.rank + step < WORLD.size:
            profile += WORLD.recv(source=WORLD.rank + step, tag=SUM)
            profile = merge(["--partial", "-", "-o", "-"], said, profile) if profile else b""
        step *= 2
    if WORLD.rank != 0:
        WORLD.send(profile, WORLD.rank - step, SUM)
    return profile


def main():
    sys.excepthook = lambda kind, error, _: fail(f"{kind.__name__}: {error}")  # else the others wait
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--failure-mode", choices=("any", "warn"), default="any")
    parser.add_argument("dir")
    parser.add_argument("out")
    options = parser.parse_args()
    said = []
    found = batches(options.dir, options.batch)
    if WORLD.rank == 0 and WORLD.size > 1:
        hand_out(found)
        found = []
    elif WORLD.rank != 0:
        found = ask()
    profile = b""
    mode = f"--failure-mode={options.failure_mode}"
    with tempfile.NamedTemporaryFile() as names:
        for batch in found:
            pathlib.Path(names.name).write_text("".join(f"{path}\n" for path in batch))
            profile = merge([mode, "--partial", f"@{names.name}", *(["-"] if profile else []), "-o", "-"],
                            said, profile)
    profile = reduce_all(profile, said)
    said = WORLD.gather(said)
    if WORLD.rank == 0:
        if not profile:
            fail(f"{options.dir} has no files")
        merge(["-", "-o", options.out], said[0], profile)
        sys.stderr.writelines(f"{line}\n" for line in sorted(set(itertools.chain(*said))))


if __name__ == "__main__":
    main()
