"""raw-version.py VERSION IN OUT -- LLVM's raw version 5 as 3 or 4: 3 has no
histograms, 4 keeps their cells as 64-bit numbers."""
import struct
import sys

version, source, target = int(sys.argv[1]), sys.argv[2], sys.argv[3]
with open(source, "rb") as f:
    raw = f.read()
MIB_BYTES = {3: 132, 4: 144}[version]
magic, was, total, segments, mibs, stacks = struct.unpack_from("<6Q", raw)
assert was == 5 and total == len(raw)
count, = struct.unpack_from("<Q", raw, mibs)
out = bytearray(struct.pack("<Q", count))
at = mibs + 8
for _ in range(count):
    out += raw[at:at + 8 + MIB_BYTES]
    cells, = struct.unpack_from("<I", raw, at + 8 + 132)
    at += 8 + 144
    if version == 4:
        for code in struct.unpack_from("<%dH" % cells, raw, at):
            out += struct.pack("<Q", (code & 0xfff) << (code >> 12))
    at += 2 * cells
out += bytes(-len(out) % 8)
stacks_to = mibs + len(out)
size = stacks_to + total - stacks
with open(target, "wb") as f:
    f.write(struct.pack("<6Q", magic, version, size, segments, mibs, stacks_to)
            + raw[48:mibs] + out + raw[stacks:])
