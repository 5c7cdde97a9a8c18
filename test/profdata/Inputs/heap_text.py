"""heap_text.py -- totals of an import against those of the tool's own reader.

usage: heap_text.py MEMPROFDATA FILE READER...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import re
import subprocess
import sys


def total(reader, option, path):
    text = subprocess.run([*reader, option, "--show_bytes", "--text", path.rpartition("/")[0] + "/keep", path],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    return int(re.search(r"^Total: (\d+)", text, re.M)[1])


def main():
    memprofdata, path, *reader = sys.argv[1:]
    contexts = json.loads(subprocess.run(
        [memprofdata, "merge", "--text", path, "-o", "-"], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)["Contexts"]
    # The readers cut each stack's fraction off.
    for option, field in (("--alloc_space", "TotalSize"),
                          ("--inuse_space", "LiveBytes")):
        ours = sum(c["MemInfoBlock"].get(field, 0) for c in contexts)
        theirs = total(reader, option, path)
        assert theirs > 0 and abs(ours - theirs) <= len(contexts), \
            (option, ours, theirs)


if __name__ == "__main__":
    main()
