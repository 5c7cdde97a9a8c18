"""mono_log_stream.py -- writes version 1 of the block format of Mono's first profiler by
its description, with every kind of block and event.

usage: mono_log_stream.py [mixed] > FILE

mixed: the blocks between the first and the last come in another order, mappings apart.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

METHOD, CLASS, END, FAILED = 32, 16, 8, 4
CALL, JIT, HIT, FREED = range(4)
LOAD, UNLOAD, ALLOC, EXCEPTION = range(4)


def integer(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127)
        n >>= 7
    return bytes(out + bytes([n | 128]))


def integers(*numbers):
    return b"".join(integer(n) for n in numbers)


def string(text):
    return text.encode() + b"\0"


def mapping(classes, methods):
    return b"\5" + integers(100, 7) + \
        b"".join(integer(i) + string(n) for i, n in classes) + integer(0) + \
        b"".join(integers(i, c) + string(n) for i, c, n in methods) + integers(0, 120)


def events(thread, *rows):
    return b"\6" + integers(130, thread, 125) + \
        b"".join(bytes([code]) + integers(*values) for code, *values in rows) + b"\0" + \
        integer(200)


def main():
    out = b"\1" + integer(1) + string("/usr/bin/mono") + integers(10, 1190000000000000)
    clock = b"\2" + integers(20, 1190000000100000)
    load = b"\3" + integers(1, 30, 40, 7) + string("mscorlib")
    classes, methods = [(1, "Leaf"), (2, "System.Byte[]")], [(1, 1, "Main ()"), (2, 1, "Work (int)")]
    statistical = b"\7" + integers(210, 1, 2, 1, 0, 77, 78, 0, 220)
    unload = b"\4" + integers(1, 230, 240, 7) + string("mscorlib")
    if sys.argv[1:] == ["mixed"]:
        out += unload + mapping(classes[1:], []) + statistical + mapping(classes[:1], []) + \
            mapping([], methods[1:]) + load + mapping([], methods[:1]) + clock + statistical
    else:
        out += clock + load + mapping(classes, methods)
    out += events(7, (METHOD | JIT, 1, 5), (METHOD | JIT | END, 1, 9), (METHOD | CALL, 1, 3),
                  (CLASS | LOAD, 1, 2), (CLASS | LOAD | END | FAILED, 1, 2),
                  (CLASS | ALLOC, 1, 24), (METHOD | CALL, 2, 1), (METHOD | HIT, 2, 1),
                  *[(CLASS | ALLOC, 2, 1000 + n) for n in range(10)], (CLASS | EXCEPTION, 1, 4))
    # Another thread meanwhile; a class without a name; each simple event.
    out += events(8, (CLASS | ALLOC, 99, 300), *[(code, 5, 6) for code in range(1, 7)],
                  *[(code | END, 5, 6) for code in range(2, 7)], (METHOD | FREED, 2, 1))
    # The exception left Work; then Main returns, and one returns that never ran.
    out += events(7, (METHOD | CALL | END, 1, 1), (METHOD | CALL | END, 9, 1),
                  (CLASS | ALLOC, 1, 40), (CLASS | UNLOAD, 1, 1))
    if sys.argv[1:] != ["mixed"]:
        out += statistical + unload
    out += b"\x08" + integers(1, 300, 1190000002500000)
    sys.stdout.buffer.write(out)


if __name__ == "__main__":
    main()
