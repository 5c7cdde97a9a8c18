"""shared-names.py KIND OUTPUT -- a raw profile in which very many rows name one very long
string: threads of call stacks, parts, or paths of modules."""
import sys

from raw_tables import column, profile, table

ROWS = 200000
KIND, PATH = sys.argv[1:]
LENGTH = 400000
BLOB = 0xFFFFFFFF
ALLOC_COUNT = 1

strings = b"n" * LENGTH
ones = [1] * ROWS
sections = {
    1: table(0, []),
    2: table(2, [column(1, 0, [0, LENGTH]), (2, BLOB, 0, strings)]),
    3: table(0, []),
    4: table(0, []),
    5: table(1, [column(1, 0), column(2, 0x1000)]),
    6: table(1, [column(1, 0), column(2, 0)]),
    7: table(1, [column(ALLOC_COUNT, 1), column(100000, 1)]),
}
if KIND == "threads":
    sections[7] = table(ROWS, [column(ALLOC_COUNT, 1), column(100000, 0, ones), column(100002, 1)])
elif KIND == "parts":
    sections[20] = table(ROWS, [column(ALLOC_COUNT, 1), column(100000, 0, ones), column(100004, 2),
                                column(100005, 1)])
else:
    sections[3] = table(ROWS, [column(1, 1), column(2, 0), column(3, 0, list(range(ROWS))),
                               column(4, 0)])
with open(PATH, "wb") as out:
    out.write(profile(sections, 5))
