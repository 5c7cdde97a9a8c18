"""alike.py COUNT VARYING FILE: a raw profile of COUNT call stacks, of a hundred each the
one before and one frame more, with equal MIBs of large numbers, but for VARYING of their
fields: 7 bytes a call stack, and one for each of these. Without checksums."""
import random
import struct
import sys

from raw_tables import profile, table

count, varying = int(sys.argv[1]), int(sys.argv[2])
TAGS = [*range(1, 26), *range(1000, 1006)]


def column(tag, base, width=0, data=b""):
    return tag, width, base, data


DEPTH = 100
frames = (count + DEPTH - 1) // DEPTH
number = random.Random(1)
mibs = [column(tag, 2**40, 1, number.randbytes(count)) if i < varying
        else column(tag, 2**40) for i, tag in enumerate(TAGS)]
sections = {
    1: table(1, [column(1, 2), column(2, 1), column(3, 0)]),
    2: table(1, [column(1, 0), (2, 0xFFFFFFFF, 0, b"")]),
    3: table(0, []),
    4: table(0, []),
    5: table(frames, [column(1, 0), column(2, 4096, 4, struct.pack(f"<{frames}I", *range(frames)))]),
    6: table(count, [column(1, 0, 1, bytes(i % DEPTH != 0 for i in range(count))),
                     column(2, 0, 2, struct.pack(f"<{count}H", *(i // DEPTH for i in range(count))))]),
    7: table(count, [*mibs, column(100000, 1, 4,
                                   struct.pack(f"<{count}I", *range(count)))]),
}
with open(sys.argv[3], "wb") as out:
    out.write(profile(sections, version=3))
