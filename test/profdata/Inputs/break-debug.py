#!/usr/bin/env python3
"""break-debug.py -- damages debug information in a way that ends LLVM's reader with a
signal.

usage: break-debug.py form|size FILE

    form    the names of files in the line table get a form that there is none of;
            FILE has clang's DWARF 5
    size    a compressed .debug_info says that it holds 16 TiB

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import struct
import sys

UNKNOWN_FORM = 0x7f


def section(data, name):
    """Where a section starts."""
    start, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQ", data, start + i * size)
                for i in range(count)]
    texts = sections[names][4]
    return next(s[4] for s in sections
                if data[texts + s[0]:].startswith(name + b"\0"))


def main():
    with open(sys.argv[2], "r+b") as file:
        data = file.read()
        if sys.argv[1] == "form":
            # Path and line_strp, then the number of the directory.
            at = data.index(b"\x01\x1f\x02", section(data, b".debug_line")) + 1
            new = bytes([UNKNOWN_FORM])
        else:
            at = section(data, b".debug_info") + 8
            new = struct.pack("<Q", 16 << 40)
        file.seek(at)
        file.write(new)


main()
