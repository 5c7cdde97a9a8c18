"""read_firefox.py -- the Firefox Profiler's own code, as its command line has it, on
an export: it brings the file up to date, and adds up what csv has.

usage: read_firefox.py PACKAGES EXPORT CSV JSON

PACKAGES: node_modules of test/npm.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import export_truth

NS_PER_MS = 1000000
# The server of a profile that says nothing for so long says nothing at all.
SILENT_SECONDS = 900
# What is said of one that starts, and of one that has much to do.
STARTING = ("Unknown session", "not running", "loading", "Socket", "imeout")


class Profiler:
    def __init__(self, packages, export, folder):
        self.command = ["node", str(pathlib.Path(
            packages, "@firefox-devtools/profiler-cli/dist/profiler-cli.js"))]
        self.env = dict(os.environ, PROFILER_CLI_SESSION_DIR=folder,
                        PROFILER_CLI_NO_SYMBOLICATE="1")
        self.events = pathlib.Path(folder, "s.log")
        self.socket = pathlib.Path(folder, "s.sock")
        self.log = open(os.path.join(folder, "server"), "w+b")
        # As `load` starts it, which gives it half a second.
        self.server = subprocess.Popen(
            self.command + ["--daemon", os.path.abspath(export), "--session", "s"],
            env=self.env, stdout=self.log, stderr=self.log)

    def ask(self, *words):
        """The answer; waits for a server that does not listen yet."""
        until = time.monotonic() + SILENT_SECONDS
        # Who asks before there is a socket takes the session for dead and ends it.
        while (time.monotonic() < until and self.server.poll() is None and
               not self.socket.exists() and not self.refused()):
            time.sleep(0.05)
        while time.monotonic() < until:
            said = subprocess.run(self.command + [*words, "--json", "--session", "s"],
                                  env=self.env, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            if said.returncode == 0:
                return json.loads(said.stdout)
            error = said.stderr.decode()
            assert self.server.poll() is None, self.why(error)
            assert not self.refused(), self.why(error)
            assert any(word in error for word in STARTING), self.why(error)
            time.sleep(0.05)
        raise SystemExit("no answer")

    def refused(self):
        """Whether it could not load the file: it may live on, and never listen."""
        return self.events.exists() and "Failed to load" in self.events.read_text()

    def why(self, error):
        self.log.seek(0)
        events = self.events.read_text() if self.events.exists() else ""
        return error + self.log.read().decode() + events

    def end(self):
        self.server.terminate()
        self.server.wait()


def check_thread(profiler, thread, metric, truth):
    profiler.ask("thread", "select", thread["threadHandle"])
    found = profiler.ask("thread", "samples", "--include-idle")
    scale = NS_PER_MS if metric["unit"] == "ns" else 1
    total = found["categoryBreakdown"]["totalSamples"] * scale
    assert found["friendlyThreadName"] == metric["title"]
    assert found["weightType"] == {"bytes": "bytes", "ns": "tracing-ms"}.get(
        metric["unit"], "samples")
    assert math.isclose(total, truth.total(metric["field"])), (metric, total)
    own, through = collections.Counter(), collections.Counter()
    for stack, value in truth.by_stack(metric["field"]).items():
        own[stack.split(";")[-1]] += value
        for name in set(stack.split(";")):
            through[name] += value
    listed = found["topFunctionsBySelf"] + found["topFunctionsByTotal"]
    assert listed or total == 0
    for row in listed:
        name = export_truth.stack_of([row["name"]])
        assert math.isclose(row["selfSamples"] * scale, own[name]), (name, row)
        assert math.isclose(row["totalSamples"] * scale, through[name]), (name, row)
    return len(listed)


def main():
    packages, export, *truth = sys.argv[1:]
    truth = export_truth.Truth(*truth)
    with tempfile.TemporaryDirectory(prefix="ff") as folder:
        profiler = Profiler(packages, export, folder)
        try:
            threads = profiler.ask("profile", "info", "--all")["processes"][0]["threads"]
            assert [t["name"] for t in threads] == [m["title"] for m in truth.metrics]
            rows = sum(check_thread(profiler, thread, metric, truth)
                       for thread, metric in zip(threads, truth.metrics))
        finally:
            profiler.end()
    print(len(threads), "threads,", rows, "rows looked at")


if __name__ == "__main__":
    main()
