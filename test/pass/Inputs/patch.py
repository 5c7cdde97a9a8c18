"""patch.py IN OUT OFFSET VALUE -- writes IN to OUT with the 64-bit number at OFFSET
changed. An offset "@N+M" starts where the number at N points."""
import struct
import sys

source, target, place, value = sys.argv[1:]
data = bytearray(open(source, "rb").read())
if place.startswith("@"):
    base, _, more = place[1:].partition("+")
    offset = struct.unpack_from("<Q", data, int(base))[0] + int(more or 0)
else:
    offset = int(place)
struct.pack_into("<Q", data, offset, int(value, 0))
open(target, "wb").write(data)
