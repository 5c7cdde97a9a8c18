"""foreign_work.py KIND COUNT FILE: another tool's profile with so many rows that all
name, or lead through, one long thing."""
import sys


def number(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def pair(field, value):
    return number(field << 3) + number(value)


def part(field, data):
    return number(field << 3 | 2) + number(len(data)) + data


def allocators(count):
    """A call stack of operator new alone, in which all blocks end."""
    yield "v 10400 3\ns 16 operator new(unsigned)\ni 1 0 1\n"
    for i in range(count):
        yield f"t 1 {i:x}\n"
    for i in range(count):
        yield f"a 10 {count:x}\n+ {i:x}\n"


def functions(count):
    """Addresses in one function."""
    yield f"v 10400 3\ns {count * 10:x} {'f' * count * 10}\n"
    for i in range(count):
        yield f"i {i:x} 0 1 1 {i:x}\n"
    yield "t 1 0\na 10 1\n+ 0\n"


def modules(count):
    """Addresses in one module."""
    yield f"v 10400 3\ns {count * 10:x} {'/' * count * 10}\n"
    for i in range(count):
        yield f"i {i:x} 1\n"
    yield "t 1 0\na 10 1\n+ 0\n"


def pprof(count):
    """Mappings, functions and threads with one name, which is to be dropped."""
    yield part(1, pair(1, 1) + pair(2, 2)) + part(1, pair(1, 3) + pair(2, 4))
    for i in range(1, count + 1):
        yield part(3, pair(1, i) + pair(5, 5) + pair(6, 5))
        yield part(5, pair(1, i) + pair(2, 5) + pair(4, 5) + pair(5, i))
        yield part(4, pair(1, i) + part(4, pair(1, i) + pair(2, 1)))
        yield part(2, part(1, number(i)) + part(2, number(1) + number(8)) +
                   part(3, pair(1, 6) + pair(2, 5)))
    for text in ("", "alloc_objects", "count", "alloc_space", "bytes",
                 "f" * count * 10, "thread", "g.*"):
        yield part(6, text.encode())
    yield pair(7, 7)


KINDS = {"allocators": allocators, "functions": functions, "modules": modules,
         "pprof": pprof}
kind, count, path = sys.argv[1:]
with open(path, "wb") as file:
    for piece in KINDS[kind](int(count)):
        file.write(piece if isinstance(piece, bytes) else piece.encode())
