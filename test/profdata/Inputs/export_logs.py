"""export_logs.py -- a profile against the same profile after an export as a log and its
import: the sums of fields, in all or by innermost function.

usage: export_logs.py MEMPROFDATA PROFILE LOG FIELD...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import subprocess
import sys


def read(memprofdata, path):
    return json.loads(subprocess.run([memprofdata, "merge", "--text", path, "-o", "-"], check=True,
                                     stdout=subprocess.PIPE).stdout)["Contexts"]


def main():
    memprofdata, profile, log, *fields = sys.argv[1:]
    before, after = read(memprofdata, profile), read(memprofdata, log)
    for field in fields:
        want, got = (sum(c["MemInfoBlock"].get(field, 0) for c in contexts)
                     for contexts in (before, after))
        assert want == got > 0, (field, want, got)


if __name__ == "__main__":
    main()
