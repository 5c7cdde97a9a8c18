"""measure.py -- runs a program once; returns its cost and its output.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile


class RunError(Exception):
    pass


class NotAllowed(RunError):
    """The system does not allow ptrace()."""


STEPS_NOT_ALLOWED = 77


class Run:
    """wall_us (a list, one per repetition), cpu_us, peak_kib, raw_bytes: costs.
    output: bytes of stdout and a digest of the files. values: the numbers of the
    "bench:" line on stderr, by name."""


def run_once(tools, exe, arguments, files=(), repeat=1, status=0, settings=""):
    """Runs exe in a scratch directory, which replaces {work} in arguments, and returns
    a Run. settings: additional options of the runtime."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="memprof-bench-"))
    try:
        work, raw = scratch / "work", scratch / "raw"
        work.mkdir()
        raw.mkdir()
        command = [str(tools / "launch"), str(scratch / "cost"), str(repeat),
                   str(exe), *[a.replace("{work}", str(work))
                               for a in arguments]]
        environment = dict(os.environ,
                           MEMPROF_OPTIONS=f"log_path={raw}/p:{settings}")
        with open(scratch / "out", "wb") as out, \
                open(scratch / "err", "wb") as err:
            subprocess.run(command, cwd=work, env=environment, check=True,
                           stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        costs = [[float(word) for word in line.split()]
                 for line in (scratch / "cost").read_text().splitlines()]
        errors = (scratch / "err").read_text(errors="replace")
        if any(cost[4] != status for cost in costs):
            raise RunError(f"{exe} ended with {costs[-1][4]:.0f}: "
                           f"{errors[-400:]}")
        run = Run()
        run.wall_us = [cost[0] for cost in costs]
        run.cpu_us = sum(cost[1] + cost[2] for cost in costs) / len(costs)
        run.peak_kib = max(cost[3] for cost in costs)
        run.raw_bytes = sum(p.stat().st_size for p in raw.iterdir()) // repeat
        run.output = (scratch / "out").read_bytes()
        for name in files:
            run.output += hashlib.sha256((work / name).read_bytes()).digest()
        line = re.search(r"^bench: (.*)$", errors, re.M)
        run.values = {name: float(value) for name, value in re.findall(
            r"([a-z]+) ([0-9.]+)", line.group(1) if line else "")}
        return run
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def count_steps(tools, exe, arguments, place=0):
    """(instructions, {address: count}) of the measured part of a micro program. The
    addresses of its stack do not depend on the environment or the names of folders,
    because the runtime's cache of walks uses them as keys. Each `place` moves the stack
    down by 16 bytes."""
    with tempfile.TemporaryDirectory(prefix="memprof-bench-") as scratch:
        out = pathlib.Path(scratch) / "steps"
        environment = {"MEMPROF_OPTIONS": "log_path=p",
                       **({"PLACE": "x" * 16 * place} if place else {})}
        if "LD_PRELOAD" in os.environ:
            environment["LD_PRELOAD"] = os.environ["LD_PRELOAD"]
        os.symlink(pathlib.Path(exe).resolve(), pathlib.Path(scratch) / "program")
        done = subprocess.run(
            [str(pathlib.Path(tools).resolve() / "steps"), str(out), "./program",
             *arguments],
            cwd=scratch, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode == STEPS_NOT_ALLOWED:
            raise NotAllowed("tracing is not allowed here")
        if done.returncode != 0:
            raise RunError(f"{exe} ended with {done.returncode}: "
                           f"{done.stderr.decode(errors='replace')[-400:]}")
        lines = out.read_text().split("\n")
        return int(lines[0]), {
            int(address, 16): int(count)
            for address, count in (line.split() for line in lines[1:] if line)}
