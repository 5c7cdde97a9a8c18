"""mlpd_stream.py -- writes a log of Mono's profiler by the description in its log.h, with
every kind of event.

usage: mlpd_stream.py VERSION [OBJECTS] > FILE

With OBJECTS, so many objects and heapshots instead: the first one has all objects, the second one
half of them, the others none. Before the first one is the end of another.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import struct
import sys

PTR, OBJ, METHOD = 0x7f0000000000, 0x7f8000000000, 0x55aa00000000


def u(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def s(n):
    out = bytearray()
    while not -64 <= n < 64:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n & 127]))


def z(text):
    return text.encode() + b"\0"


class Buffer:
    def __init__(self, time):
        self.time, self.out, self.method = time, bytearray(), METHOD

    def event(self, kind, more, *fields, ns=10):
        self.out += bytes([kind | more << 4]) + u(ns) + b"".join(fields)

    def m(self, method):
        step, self.method = method - self.method, method
        return s(step)

    def stack(self, *methods):
        return u(len(methods)) + b"".join(self.m(n) for n in methods)

    def bytes(self):
        return struct.pack("<IIQQQQQ", 0x4D504C01, len(self.out), self.time, PTR, OBJ, 7,
                           METHOD) + self.out


def others(b, version):
    """Events of which nothing is kept."""
    b.event(1, 1, b"\1\0")
    b.event(1, 2, u(1 << 20))
    b.event(1, 3, u(4), s(8), s(-8), s(16), s(24))
    for more in (4, 6):
        b.event(1, more, u(2), u(3), s(64), *([b.stack(METHOD + 8)] if more == 6 else []))
    for more in (5, 7):
        b.event(1, more, u(2), u(3), *([b.stack()] if more == 7 else []))
    for more in (8, 9):
        b.event(1, more)
    for more in (10, 11):
        b.event(1, more, s(32))
    for more in (2, 4):
        b.event(2, more, b"\2", s(64), z("app.exe"), *([z("mvid")] if version >= 16 else []))
    b.event(2, 2, b"\3", s(80), s(64), z("app"))
    b.event(2, 2, b"\4", s(96))
    b.event(2, 0, b"\4", s(96), z("domain"))
    b.event(2, 2, b"\5", s(112))
    b.event(2, 0, b"\5", s(112), z("main thread"))
    b.event(2, 2, b"\6", s(128), s(96))
    for more in (1, 2, 3):
        b.event(3, more, b.m(METHOD + 16))
    b.event(4, 0, s(8))
    b.event(4, 8, s(8), b.stack(METHOD, METHOD + 8))
    b.event(4, 1, b"\1", u(0), b.m(METHOD + 8), s(8))
    b.event(5, 0, b"\1", s(8))
    b.event(5, 8, b"\2", s(8), b.stack(METHOD))
    b.event(6, 0)
    b.event(6, 2, s(8), s(256), u(24), *([b"\1"] if version >= 16 else []), u(2), u(8), s(16),
            u(8), s(24))
    b.event(6, 3, u(1), s(8), s(16)) if version >= 15 else \
        b.event(6, 3, u(1), u(3), s(8), u(300), u(0))
    b.event(6, 4, s(8), u(64), b"\3", s(1), z("root"))
    b.event(6, 5, s(8))
    b.event(6, 1)
    b.event(7, 0, s(112), u(2), s(5), s(6), u(1), b.m(METHOD + 8))
    b.event(7, 1, s(1), u(10), z("memcpy"))
    if version < 16:
        b.event(7, 2, s(1), u(0), u(4096), z("libc.so.6"))
    b.event(7, 3, u(2), u(1 << 9), z("Collections"), u(0), u(0), u(0), u(1), u(1 << 15),
            z("section"), z("counter"), u(0), u(0), u(0), u(2))
    b.event(7, 4, u(1), u(0), s(-5), u(2), u(5), bytes(8), u(3), u(6), b"\1", z("text"), u(4), u(6),
            b"\0", u(0))
    b.event(8, 1, b"\1", s(300), u(20))
    b.event(8, 1, b"\5", s(400), u(20), z("trampoline"))
    b.event(10, 0, b"\0")
    b.event(10, 1, z("aot"))


def shots(b, type, objects):
    b.event(6, 1)
    for n in range(objects):
        b.event(0, 0, type, s(8 * n), u(24))
    for count in [objects, objects // 2] + [0] * (objects - 2):
        b.event(6, 0)
        for n in range(count):
            b.event(6, 2, s(8 * n), type, u(24), b"\0", u(0))
        b.event(6, 1)


def main():
    version = int(sys.argv[1])
    tables = version >= 15
    head = struct.pack("<IBBBBQ", 0x4D505A01, 3 if version > 14 else 2, 0, version, 8,
                       1700000000000)
    head += (bytes(8) if version > 14 else b"") + struct.pack("<IIIH", 40, 0, 4711, 0)
    for text in ("log:alloc", "x86-64", "linux"):
        head += struct.pack("<I", len(text) + 1) + z(text)
    first, second = Buffer(5000), Buffer(4000)
    main_method, work, wrapper, unnamed = (METHOD + n for n in (8, 16, -800, 0x9999))
    # An object of a class that is named later.
    first.event(0, 0, s(0x300 if tables else 0x100), s(8), u(24))
    first.event(2, 2, b"\1", s(0x100), s(64), z("Leaf"))
    first.event(2, 2, b"\1", s(-0x1000), s(64), z("System.Byte[]"))
    if tables:
        first.event(2, 2, b"\7", s(0x300), s(96), s(0x100))
        first.event(2, 2, b"\7", s(0x400), s(96), s(-0x1000))
    if len(sys.argv) > 2:
        shots(first, s(0x300), int(sys.argv[2]))
        sys.stdout.buffer.write(head + first.bytes())
        return
    first.event(3, 4, first.m(main_method), s(1000), u(50), z("Program:Main ()"))
    others(first, version)
    leaf, array = (s(0x300), s(0x400)) if tables else (s(0x100), s(-0x1000))
    for n in range(10):
        first.event(0, 1, array, s(8 * n), u(100 + n), first.stack(main_method, work, wrapper))
    second.event(0, 1, leaf, s(-64), u(24), second.stack(main_method, unnamed), ns=1000000)
    second.event(0, 0, s(0x7777), s(-72), u(9))
    second.event(3, 4, second.m(work), s(1000), u(50), z("Program:Work ()"))
    second.event(3, 4, second.m(wrapper), s(1000), u(50),
                 z("(wrapper alloc) object:AllocVector (intptr,intptr)"))
    sys.stdout.buffer.write(head + first.bytes() + second.bytes())


if __name__ == "__main__":
    main()
