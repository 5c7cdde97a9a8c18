"""across.py -- does a merge of three builds show the call stacks of one of them, with its
lines, three times, and apart from them only those through read_all() of one build?

usage: across.py MERGED BUILD, two outputs of `memprofdata show --json`

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def stacks(name):
    with open(name, encoding="utf-8") as file:
        page = json.load(file)
    frames = [tuple(frame.get(key) for key in ("function", "file", "line", "column"))
              for frame in page["frames"]]
    return {tuple(frames[i] for i in row["stack"]): row["values"]["blocks"] for row in page["rows"]}


merged, build = map(stacks, sys.argv[1:])
for stack, blocks in build.items():
    times = 2 if any("read_all" in frame[0] for frame in stack) else 3
    assert merged.pop(stack, 0) == times * blocks, stack
assert merged and all(any("read_all" in frame[0] for frame in stack) for stack in merged), merged
