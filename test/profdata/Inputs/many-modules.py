"""many-modules.py KIND COUNT FILE: a profile of so many modules, with code of each in its
call stacks: of one file, /bin/true, by another spelling of its path each (KIND "paths", a
heap profile as text), or of a build id of its own each (KIND "build-ids", LLVM's raw
profile)."""
import struct
import sys

kind, count, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
START, STEP = 0x10000000, 0x1000
FRAMES = 100
MIB_BYTES = 144


def spelling(number):
    return "/" + "".join("./" if bit == "1" else "/" for bit in f"{number:020b}") + "bin/true"


def heap_text():
    lines = ["heap profile: 1: 1 [ 1: 1] @ heapprofile"]
    lines += [f"1: 1 [ 1: 1] @ {START + i * STEP + 16:#x}" for i in range(count)]
    lines += ["MAPPED_LIBRARIES:"]
    lines += [f"{START + i * STEP:x}-{START + (i + 1) * STEP:x} r-xp 00000000 fe:00 1   "
              f"{spelling(i)}" for i in range(count)]
    return "\n".join(lines + [""]).encode()


def llvm_raw():
    starts = [START + i * STEP for i in range(count)]
    stacks = [starts[i : i + FRAMES] for i in range(0, count, FRAMES)]
    segments = [struct.pack("<QQQQQ24x", at, at + STEP, at, 8, at) for at in starts]
    mibs = [struct.pack("<QI", i + 1, 1) + bytes(MIB_BYTES - 4) for i in range(len(stacks))]
    frames = [struct.pack("<QQ", i + 1, len(stack)) + struct.pack(f"<{len(stack)}Q", *stack)
              for i, stack in enumerate(stacks)]
    tables = [struct.pack("<Q", len(rows)) + b"".join(rows) for rows in (segments, mibs, frames)]
    tables = [table + bytes(-len(table) % 8) for table in tables]
    offs = [48 + sum(map(len, tables[:i])) for i in range(4)]
    return struct.pack("<QQQQQQ", 0xFF6D70726F667281, 5, offs[3], *offs[:3]) + b"".join(tables)


with open(out, "wb") as file:
    file.write(heap_text() if kind == "paths" else llvm_raw())
