"""pprof.py -- an export for pprof as its real readers see it: every way to look at
it works, and their totals are those of the profile's own JSON.

usage: pprof.py MEMPROFDATA PROFILE EXPORT EXPORT-OF-IT-TWICE "READER"...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

FIELDS = {"alloc_objects": "AllocCount", "alloc_space": "TotalSize",
          "inuse_objects": "LiveCount", "inuse_space": "LiveBytes",
          "accesses": "TotalAccessCount", "lifetime": "TotalLifetimeNs",
          "peak": "PeakBytes", "peak-blocks": "PeakCount",
          "temporary": "TemporaryCount"}


def truth(memprofdata, profile):
    text = subprocess.run([memprofdata, "merge", "--text", profile, "-o", "-"],
                          check=True, stdout=subprocess.PIPE).stdout
    contexts = json.loads(text)["Contexts"]
    return contexts, {t: sum(c["MemInfoBlock"].get(f, 0) for c in contexts)
                      for t, f in FIELDS.items()}


def run(reader, *args):
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [*reader, "-symbolize=none", *args], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=300,
            # It takes what is behind the directory's name off the paths of sources.
            cwd=scratch,
            env=dict(os.environ, PPROF_TMPDIR=scratch, HOME=scratch))
    assert done.returncode == 0, (reader, args, done.stderr)
    return done.stdout


def raw_samples(text):
    """Types, and of each sample values and number of locations."""
    lines = text.split("Samples:\n")[1].split("Locations\n")[0].splitlines()
    types = [t.split("/")[0] for t in lines[0].split()]
    samples = []
    for line in lines[1:]:
        row = re.fullmatch(r"\s*((?:\d+\s+)*\d+): ?([\d ]*)", line)
        if row:
            samples.append([int(v) for v in row[1].split()])
    return types, samples


def check_raw(reader, export, contexts, totals):
    types, samples = raw_samples(run(reader, "-raw", export))
    assert types == list(FIELDS), types
    assert len(samples) == len(contexts), (len(samples), len(contexts))
    for i, name in enumerate(types):
        assert sum(s[i] for s in samples) == totals[name], name


def flat_sum(text):
    return sum(int(m[1]) for m in
               re.finditer(r"^\s*(\d+)[a-zA-Z]*\s+[\d.]+%\s", text, re.M))


def check_top(reader, export, twice, totals):
    for name, unit in (("alloc_space", "B"), ("inuse_space", "B"),
                       ("alloc_objects", "count"), ("accesses", "count"),
                       ("lifetime", "ns")):
        text = run(reader, "-top", "-nodefraction=0", f"-unit={unit}",
                   f"-sample_index={name}", export)
        assert flat_sum(text) == totals[name], (name, totals[name], text)
    text = run(reader, "-top", "-nodefraction=0", "-unit=B",
               "-sample_index=alloc_space", f"-diff_base={export}", twice)
    assert flat_sum(text) == totals["alloc_space"], text


def check_views(reader, export):
    tree = run(reader, "-tree", export)
    assert "| main" in re.sub(r" +", " ", tree), tree
    lists = run(reader, "-list=main|push", export)
    assert re.search(r"4\.69kB .* 14: .*new node", lists), lists
    tags = run(reader, "-tags", "-unit=B", export)
    for label in ("bytes", "min_lifetime", "avg_lifetime", "max_accesses"):
        assert f" {label}:" in tags, tags
    small = run(reader, "-top", "-unit=B", "-tagfocus=bytes=:1kb", export)
    assert "push" in small and "inner" not in small, small


def fetch(reader, export, pages):
    """Pages of its web server."""
    for _ in range(5):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        with tempfile.TemporaryDirectory() as scratch:
            server = subprocess.Popen(
                [*reader, "-symbolize=none", "-no_browser",
                 f"-http=127.0.0.1:{port}", export],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=dict(os.environ, PPROF_TMPDIR=scratch, HOME=scratch),
                start_new_session=True)
            try:
                while server.poll() is None:
                    try:
                        return [urllib.request.urlopen(
                            f"http://127.0.0.1:{port}/ui/{p}", timeout=300)
                            .read().decode() for p in pages]
                    except urllib.error.URLError as e:
                        if not isinstance(e.reason, ConnectionRefusedError):
                            raise
                        time.sleep(0.05)
            finally:
                # "go tool" starts it and stays.
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()
    sys.exit("pprof's server does not start")


def main():
    memprofdata, profile, export, twice = sys.argv[1:5]
    contexts, totals = truth(memprofdata, profile)
    for words in sys.argv[5:]:
        reader = words.split()
        check_raw(reader, export, contexts, totals)
        check_top(reader, export, twice, totals)
        check_views(reader, export)
        for page in fetch(reader, export, ["top", "flamegraph", "peek?f=push"]):
            assert "push" in page, page


if __name__ == "__main__":
    main()
