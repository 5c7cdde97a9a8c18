"""flip.py IN OUT -- writes IN, a file of memprofdata, to OUT with bytes changed in
the middle of LLVM's part: the first section of the directory, which the trailer
points to."""
import struct
import sys

source, target = sys.argv[1:]
data = bytearray(open(source, "rb").read())
directory, = struct.unpack_from("<Q", data, len(data) - 16)
offset, size = struct.unpack_from("<QQ", data, directory + 32 + 8)
for i in range(8):
    data[offset + size // 2 + i] ^= 0xFF
open(target, "wb").write(data)
