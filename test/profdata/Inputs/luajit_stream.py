"""luajit_stream.py -- writes streams of LuaJIT's memory profiler by the grammar of its
headers (lj_memprof.h, lj_symtab.h), with every kind of symbol, source and event.

usage: luajit_stream.py VERSION [vm|marks|cut|late]... > FILE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

SYMTAB, ALLOC, FREE, REALLOC = range(4)
INTERNAL, LUA, C, TRACE = (n << 2 for n in (1, 2, 3, 4))
MARK = 0x40


def uleb(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def text(s):
    return uleb(len(s.encode())) + s.encode()


class Stream:
    def __init__(self, version, vm):
        self.version = version
        self.out = b"ljs" + bytes([version, 0, 0, 0]) + (uleb(0x7f1234568000) if vm else b"")

    def lua(self, addr, chunk, line):
        self.out += b"\0" + uleb(addr) + text(chunk) + uleb(line)

    def c(self, addr, name):
        self.out += b"\1" + uleb(addr) + text(name)

    def trace(self, number, addr, line):
        code = b"\1" if self.version == 2 else b"\2"
        machine = uleb(0xbeef00) if self.version == 2 else b""
        self.out += code + uleb(number) + machine + uleb(addr) + uleb(line)

    def begin(self):
        self.out += b"\x80ljm" + bytes([self.version, 0, 0, 0])

    def event(self, kind, loc, *numbers, mark=False):
        source, *place = loc
        self.out += bytes([kind | source | (MARK if mark else 0)])
        for n in place + list(numbers):
            self.out += uleb(n)

    def late(self, source, *fields):
        self.out += bytes([SYMTAB | source])
        for f in fields:
            self.out += text(f) if isinstance(f, str) else uleb(f)


def main():
    version, how = int(sys.argv[1]), sys.argv[2:]
    s = Stream(version, "vm" in how)
    s.lua(0x4000, "@app/fib.lua", 3)
    s.lua(0x5000, "@app/fib.lua", 0)
    s.lua(0x6000, "local t = {}\nreturn function() t = {} end", 2)
    if version == 3:
        s.c(0x100000, "luaH_resize")
        s.c(0x100400, "lj_str_new")
    if version >= 2:
        s.trace(1, 0x4000, 5)
    s.begin()
    fib, main_chunk, alias = (LUA, 0x4000, 4), (LUA, 0x5000, 9), (LUA, 0x6000, 2)
    known, unknown, internal = (C, 0x100410), (C, 0x90), (INTERNAL,)
    mark = "marks" in how
    for n in range(10):
        s.event(ALLOC, fib, 0x1000 + 64 * n, 40)
    s.event(ALLOC, main_chunk, 0x9000, 1000)
    s.event(REALLOC, fib, 0x9000, 1000, 0xa000, 3000, mark=mark)
    s.event(ALLOC, alias, 0xb000, 7)
    s.event(ALLOC, known, 0xc000, 1 << 20)
    s.event(ALLOC, unknown, 0xd000, 16)
    if version >= 2:
        s.event(ALLOC, (TRACE, 1), 0xe000, 24)
        s.event(ALLOC, (TRACE, 77), 0xf000, 25)
    for n in range(9):
        s.event(FREE, internal, 0x1000 + 64 * n, 40, mark=mark and n in (0, 4))
    s.event(FREE, internal, 0x77777, 12)
    s.event(FREE, fib, 0xc000, 1 << 20)
    if "late" in how:
        s.late(LUA, 0x4000, "@app/late.lua", 30)
        s.late(C, 0x80, "lua_newuserdata")
        s.late(TRACE, 77, 0x4000, 31)
        s.event(ALLOC, (LUA, 0x4000, 31), 0x20000, 5)
        s.event(ALLOC, (TRACE, 77), 0x20100, 6)
    s.event(ALLOC, internal, 0x30000, 0)
    s.event(REALLOC, internal, 0x1000 + 64 * 9, 40, 0x30010, 20)
    out = s.out + b"\x80"
    if "cut" in how:
        out = out[:-3]
    sys.stdout.buffer.write(out)


if __name__ == "__main__":
    main()
