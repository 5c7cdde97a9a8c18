/* objects_format.h -- keys of a file with the objects of a virtual machine:
 * JSON in ASCII, one line for each object (docs/objects.md).
 *
 * The first object is the root. References are [name, number, name, number,
 * ...]; the number of an object is its place in the list, from 0. A character
 * of a text is the byte of the same number.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

/* Version 2 has IDLE_NS. */
#define MPROF_OBJECTS_VERSION 2

/* X(NAME, key, help): of the file. The first two must be there. */
#define MPROF_OBJECTS_KEYS(X)                                          \
    X(VERSION, MemprofObjects,                                         \
      "the format's version: 2 with `idle_ns`, else 1; the first key") \
    X(OBJECTS, objects, "list of objects; the first one is the root")  \
    X(MACHINE, machine, "name of the virtual machine")                 \
    X(USED_BYTES, used_bytes,                                          \
      "bytes that the machine uses, also for what it does not show")   \
    X(IS_COUNTED, is_counted, "`true`: accesses of the objects are counted")

/* X(NAME, key, help): of an object. Only the first must be there. */
#define MPROF_OBJECT_KEYS(X)                                               \
    X(TYPE, type, "`table`, `string` ...; as the machine calls it")        \
    X(ADDRESS, address, "`\"0x\"` and hexadecimal digits")                 \
    X(BYTES, bytes, "size of its blocks; missing: unknown")                \
    X(ACCESSES, accesses, "how often it was read and written; missing: 0") \
    X(READS, reads, "how often it was read; missing: unknown")             \
    X(IDLE_NS, idle_ns,                                                    \
      "nanoseconds since its last access, at least; since its allocation " \
      "if it was never accessed; missing: unknown")                        \
    X(MADE, made, "line of the script that allocated it: `file:line`")     \
    X(TEXT, text, "start of a string; place of a function")                \
    X(REFS, refs, "its references: name, number, name, number ...")        \
    X(WEAK, weak, "its weak references, which keep nothing alive")
