"""chain.py COUNT FILE [SECTION]: a raw profile of COUNT call stacks, each the one before
and one frame more: little to store, and much to write out. Without checksums. With a
section, "details" or "left-out": the call stacks are in that one, of the first context,
or there is one row of a kind that raw profiles have not."""
import sys

from raw_tables import column, profile, table

count = int(sys.argv[1])
sections = {
    1: table(1, [column(1, 2), column(2, 1), column(3, 0)]),
    2: table(1, [column(1, 0), (2, 0xFFFFFFFF, 0, b"")]),
    3: table(0, []),
    4: table(0, []),
    5: table(count, [column(1, 0), column(2, 4096, range(count))]),
    6: table(count, [column(1, 0, [0] + [1] * (count - 1)), column(2, 0, range(count))]),
    7: table(count, [column(1, 1), column(2, 100), column(100000, 1, range(count))]),
}
if sys.argv[3:] == ["details"]:
    sections[7] = table(1, [column(1, 1), column(2, 100), column(100000, 1)])
    keys = range(1, count + 1)
    sections[30] = table(count, [column(1, 0), column(2, 4), column(3, 0, keys), column(4, 1)])
elif sys.argv[3:] == ["left-out"]:
    sections[20] = table(1, [column(1, 1), column(2, 100), column(100004, 5)])
with open(sys.argv[2], "wb") as out:
    out.write(profile(sections))
