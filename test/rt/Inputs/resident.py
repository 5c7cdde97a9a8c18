"""resident.py FILE MAPPED -- checks what test/rt/resident.c has in memory.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

MIB = 1 << 20
page = json.load(open(sys.argv[1]))
end = page["resident_at_end"]
mapped = int(sys.argv[2])
# The pages of what is not touched, and what else lies in the program's mappings.
stacks = (1, 1.4) if mapped else (0, 1.4)  # without recorded mappings unknown
wanted = {"blocks": (20, 20.1), "mapped": (mapped, mapped + .1), "stacks": stacks,
          "shared": (5, 5.1), "code": (.1, 8), "profiler": (.1, 60)}
for kind, (least, most) in wanted.items():
    assert least * MIB <= end[kind] <= most * MIB, (kind, end)
peak = sum(page["resident_at_peak"].values())
assert sum(end.values()) <= peak <= page["resident_most"] + MIB, page
