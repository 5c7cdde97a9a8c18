#!/usr/bin/env python3
"""lives.py -- compares the blocks and bytes of each function of lives.c with other
tools. In all, at the peak (DHAT's t-gmax) and at the end (t-end) they must equal those
of valgrind --tool=dhat. Blocks in all and at the end, and bytes at the peak and at the
end, must equal heaptrack's. Temporary blocks must equal those that the program counts;
heaptrack forgets the last block when any block is freed, so it finds only those that
were freed at once.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import csv
import glob
import json
import os
import re
import subprocess
import sys

# A block that libstdc++ allocates at the start because of heaptrack's library.
POOL_BYTES = 72704
OURS = ("AllocCount", "TotalSize", "PeakCount", "PeakBytes", "LiveCount", "LiveBytes",
        "TemporaryCount")
DHATS = ("tbk", "tb", "gbk", "gb", "ebk", "eb")


def by_dhat(path):
    """{function: sums of DHATS}"""
    profile, found = json.load(open(path)), collections.defaultdict(collections.Counter)
    for point in profile["pps"]:
        names = [profile["ftbl"][f].split(": ")[1].split(" (")[0]
                 for f in point["fs"]]
        function = next(n for n in names if n != "malloc")
        found[function].update({k: point.get(k, 0) for k in DHATS})
    return {name: [sums[k] for k in DHATS] for name, sums in found.items()}


def by_us(text):
    """{function: sums of OURS}"""
    found = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(text.splitlines()):
        found[row["stack"].split(";")[-1]].update({k: int(row[k] or 0) for k in OURS})
    return {name: [sums[k] for k in OURS] for name, sums in found.items()}


def in_thousands(size):
    return f"{size / 1000:.2f}K"


def by_heaptrack(program, work):
    """Blocks, those at the end and temporary ones; peak and bytes at the end as text.
    (heaptrack_print counts temporary blocks too, but takes those of one size and call
    stack for each other.)"""
    out = os.path.join(work, "track")
    stats = subprocess.run(["heaptrack", "-o", out, program], check=True, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    text = subprocess.run(
        ["heaptrack_print", glob.glob(out + ".*")[0]], check=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [int(re.search(rf"{name}:\s*([0-9]+)", stats)[1]) for name in
            ("\tallocations", "leaked allocations", "temporary allocations")] + \
        re.findall(r"^(?:peak heap memory consumption|total memory leaked): (.*)",
                   text, re.M)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("source")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    plain, ours, dhat, raw = (os.path.join(args.work, n) for n in
                              ("plain", "ours", "dhat.json", "raw"))
    clang = [os.path.join(args.llvm_bin, "clang"), "-O1", "-g", "-fno-builtin",
             args.source, "-o"]
    subprocess.check_call(clang + [plain])
    subprocess.check_call(clang + [
        ours, "-fmemory-profile", "-fpass-plugin=" + args.llvm_build + "/memprof.so",
        "-resource-dir=" + args.llvm_build + "/resource"])
    subprocess.check_call(["valgrind", "--tool=dhat", "--dhat-out-file=" + dhat, plain],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for old in glob.glob(raw + "*") + glob.glob(os.path.join(args.work, "track*")):
        os.remove(old)
    temporary, at_once = map(int, subprocess.check_output(
        [ours], env={**os.environ, "MEMPROF_OPTIONS": "log_path=" + raw}).split())
    wanted = by_dhat(dhat)
    found = by_us(subprocess.check_output(
        [args.memprofdata, "export", "--format=csv", "-o", "-", *glob.glob(raw + "*")],
        text=True))
    bad = 0
    for name in sorted(wanted):
        bad += found.get(name, [])[:-1] != wanted[name]
        print(f"{name}: dhat {wanted[name]}, ours {found.get(name)}")
    print(f"{len(wanted)} functions, {bad} differ")
    sums = [sum(column) for column in zip(*found.values())]
    track = by_heaptrack(plain, args.work)
    expected = [sums[0] + 1, sums[4], sums[6], in_thousands(sums[3] + POOL_BYTES),
                in_thousands(sums[5])]
    print(f"heaptrack {track}, ours with its pool {expected}")
    expected[2] = at_once
    print(f"temporary: the program {temporary}, ours {sums[6]}; before anything else was "
          f"freed: the program {at_once}, heaptrack {track[2]}")
    bad += temporary != sums[6] or temporary == at_once
    sys.exit(1 if bad or set(found) != set(wanted) or len(wanted) != 6 or
             track != expected else 0)


if __name__ == "__main__":
    main()
