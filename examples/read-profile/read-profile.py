#!/usr/bin/env python3
"""read-profile.py -- prints the call stacks of a profile that allocated most, with
libmemprofdata.so and ctypes.

  read-profile.py app.profdata [N]

The dynamic linker finds the library; MEMPROFDATA_LIBRARY can name another file. The
layouts are those of memprofdata.h.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ctypes
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char,
                    c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p)


class Error(Structure):
    _fields_ = [("number", c_int), ("offset", c_uint64), ("text", c_char * 512)]


class Frame(Structure):
    _fields_ = [("guid", c_uint64), ("function", c_char_p), ("line", c_uint32),
                ("line_offset", c_uint32), ("column", c_uint32),
                ("is_inline", c_bool)]


class Value(Structure):
    _fields_ = [("tag", c_uint32), ("name", c_char_p), ("unit", c_char_p),
                ("value", c_uint64)]


class Context(Structure):
    _fields_ = [("frames", POINTER(Frame)), ("frame_count", c_size_t),
                ("values", POINTER(Value)), ("value_count", c_size_t)]


VISIT = CFUNCTYPE(c_int, c_void_p, POINTER(Context))

lib = ctypes.CDLL(os.environ.get("MEMPROFDATA_LIBRARY", "libmemprofdata.so.0"))
lib.memprofdata_profile_new.restype = c_void_p
lib.memprofdata_profile_free.argtypes = [c_void_p]
lib.memprofdata_profile_add.argtypes = [c_void_p, c_char_p, c_uint64,
                                        POINTER(Error)]
lib.memprofdata_profile_visit.argtypes = [c_void_p, VISIT, c_void_p,
                                          POINTER(Error)]


def contexts(path):
    """(values by name, frames leaf first) of each call stack of a profile. The library
    owns the visited data, so they are copied."""
    found = []

    def visit(_, context):
        c = context.contents
        found.append(
            ({v.name.decode(): v.value for v in c.values[:c.value_count]},
             [(f.function.decode(errors="replace"), f.line, f.column)
              for f in c.frames[:c.frame_count]]))
        return 0

    error = Error()
    profile = lib.memprofdata_profile_new()
    if profile is None:
        raise MemoryError
    try:
        if (lib.memprofdata_profile_add(profile, os.fsencode(path), 1,
                                        byref(error)) or
                lib.memprofdata_profile_visit(profile, VISIT(visit), None,
                                              byref(error))):
            raise OSError(error.number, error.text.decode(errors="replace"))
    finally:
        lib.memprofdata_profile_free(profile)
    return found


def main():
    top = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    try:
        found = contexts(sys.argv[1])
    except OSError as error:
        sys.exit(error.strerror)
    found.sort(key=lambda c: (-c[0]["TotalSize"], c[1]))
    for values, frames in found[:top]:
        print("%d bytes in %d blocks" % (values["TotalSize"],
                                         values["AllocCount"]))
        for function, line, column in frames:
            print("  %s:%d:%d" % (function, line, column))


if __name__ == "__main__":
    main()
