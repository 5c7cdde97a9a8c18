/* raw_format.h -- our raw profile: the records of one process at a dump.
 *
 *   FILE := directory, sections         (container.h; magic and version below)
 *
 * Every section is a table (table.h) with the columns listed below. Other
 * sections refer to a row by its number (idx). A column of unit "idx+1" holds 0
 * for "none". Tags are never reused.
 *
 *   META       one row for each fact: key (MPROF_RAW_META), number, string
 *   STRINGS    one row for each string; a blob holds the bytes; string 0 is ""
 *   MODULES    the mapped binaries
 *   SEGMENTS   the executable segments of the binaries at run time
 *   FRAMES     distinct code addresses, ascending by (module, address)
 *   NODES      call stacks as a tree: a row is a frame and its parent row; the
 *              path from a row up to a root is a call stack, leaf first. A
 *              parent precedes its children
 *   CONTEXTS   one row for each call stack that allocated: node and MIB. The
 *              columns of the MIB have the tags of MIBDef.inc. Live blocks have
 *              separate rows, with a flag, after the rows of freed blocks. With
 *              per_thread=1 there is a row for each call stack and thread name
 *   HISTOGRAMS one row for each context with a histogram, ascending: context
 *              and first row of CELLS; its cells end where those of the next
 *              row begin
 *   CELLS      one row for each accessed cell, ascending. SKIP is the number of
 *              cells without accesses before it. Versions 1 and 2 have a row
 *              for each cell and skip none. If CELL_BYTES is 4, there are four
 *              cells for each 4 bytes: reads whose first byte is there, reads
 *              that begin before and go on there, and so for writes. Version 6
 *              has two of them, which count reads and writes together
 *   SCRIPT     one row for each frame of an interpreted function
 *              (inc/memprof_vm.h): its module is 0, its address has no meaning
 *   TAGGED      one row for each call stack, kind and name (tag_format.h), with
 *              the columns of CONTEXTS. Since version 5
 *   DETAILS    distributions of a context's blocks (shared/detail.h): sizes and
 *              lifetimes if they fall into more than one bucket (all buckets
 *              that have blocks), then the sums by another call stack
 *   SERIES     one row for each time slot with data, ascending. All slots have
 *              one length and start at multiples of it after the first one.
 *              Slots without a row had little allocation
 *   MARKS      phases and marks of the program, in order of time
 *
 * Addresses are return addresses - 1, as link-time addresses of their binary
 * (run-time address minus load bias). So two binaries that were loaded at the
 * same address one after the other stay distinct. Code outside any binary has
 * module 0 and its run-time address.
 *
 * A dump contains everything since the reset before it, or since the start. So
 * only the latest dump of each reset epoch of a run counts. Epochs of a run are
 * added up, except that live blocks and peak come from the run's latest dump
 * only.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/resident_format.h"
#include "shared/container.h"
#include "shared/mib.h"

/* On disk 8d 6d 70 72 61 77 0d 0a. The first byte is not text, and a conversion
 * of line ends damages the last two. */
#define MPROF_RAW_MAGIC UINT64_C(0x0a0d776172706d8d)
#define MPROF_RAW_VERSION 5
/* Of a file whose CELL_BYTES is MPROF_FIELDS_BYTES, which older readers would
 * take for cells of 8 bytes. */
#define MPROF_RAW_VERSION_MEMBERS 6
#define MPROF_RAW_VERSION_FIELDS 7
#define MPROF_RAW_VERSION_MIN 1
/* Limit of a binary's path or build id: twice the kernel's limit of a path. */
#define MPROF_RAW_MODULE_STRING_BYTES_MAX 8192

/* X(id, NAME, required, help) */
#define MPROF_RAW_SECTIONS(X)                                       \
    X(1, META, 1, "facts about the run")                            \
    X(2, STRINGS, 1, "strings")                                     \
    X(3, MODULES, 1, "mapped binaries")                             \
    X(4, SEGMENTS, 1, "executable segments at run time")            \
    X(5, FRAMES, 1, "distinct code addresses")                      \
    X(6, NODES, 1, "call stacks as a tree")                         \
    X(7, CONTEXTS, 1, "call stacks that allocated, and their MIBs") \
    X(8, HISTOGRAMS, 0, "where a context's histogram starts")       \
    X(9, CELLS, 0, "cells of all histograms")                       \
    X(10, SCRIPT, 0, "functions of frames of interpreted code")     \
    X(20, TAGGED, 0, "call stacks by events, and their MIBs")       \
    X(30, DETAILS, 0, "distributions of contexts' blocks")          \
    X(31, SERIES, 0, "the run over time")                           \
    X(32, MARKS, 0, "phases and marks of the program")

/* X(section, tag, NAME, rule, of, help); rules as in shared/index_format.h. The
 * reader, its checks and docs/raw-format.md expand from this table. */
#define MPROF_RAW_COLUMNS(X)                                                  \
    X(META, 1, KEY, U64, "MPROF_RAW_META", "which fact")                      \
    X(META, 2, NUMBER, U64, "by key",                                         \
      "value of a fact that is a number, or 0")                               \
    X(META, 3, STRING, ROW, STRINGS, "value of a fact that is a text, or 0")  \
    X(STRINGS, 1, END, U64, "bytes", "end of the string in the blob")         \
    X(STRINGS, 2, BYTES, U64, "blob", "all strings, back to back")            \
    X(MODULES, 1, PATH, ROW, STRINGS, "path at run time")                     \
    X(MODULES, 2, BUILD_ID, ROW, STRINGS, "build id, raw bytes, or 0")        \
    X(MODULES, 3, BIAS, U64, "address", "run-time minus link-time addresses") \
    X(MODULES, 4, FLAGS, U4, "bits",                                          \
      "1: main program; 2: was unloaded; 4: holds instrumented code; "        \
      "8: holds none; neither 4 nor 8: not known")                            \
    X(SEGMENTS, 1, MODULE, ROW, MODULES, "binary of the segment")             \
    X(SEGMENTS, 2, START, U64, "address", "first run-time address")           \
    X(SEGMENTS, 3, END, U64, "address", "end of the run-time addresses")      \
    X(SEGMENTS, 4, FILE_OFF, U64, "bytes", "offset in the binary")            \
    X(FRAMES, 1, MODULE, REF, MODULES, "binary, or 0 for none")               \
    X(FRAMES, 2, ADDRESS, U64, "address", "link-time return address - 1")     \
    X(SCRIPT, 1, FRAME, ROW, FRAMES, "frame, ascending")                      \
    X(SCRIPT, 2, FUNCTION, ROW, STRINGS, "name of its function")              \
    X(SCRIPT, 3, FILE, ROW, STRINGS,                                          \
      "file of the script; `:kind`: the name is that of a kind of objects")   \
    X(SCRIPT, 4, LINE, U64, "line", "current line; 0: not known")             \
    X(SCRIPT, 5, START_LINE, U64, "line", "first line of the function")       \
    X(NODES, 1, UP, U64, "rows", "rows back to the parent; 0: a root")        \
    X(NODES, 2, FRAME, ROW, FRAMES, "frame of this row")                      \
    X(CONTEXTS, 100000, NODE, REF, NODES, "leaf, or 0: empty stack")          \
    X(CONTEXTS, 100001, FLAGS, U2, "bits",                                    \
      "1: the stack was cut at its limit; 2: live blocks")                    \
    X(CONTEXTS, 100002, THREAD, ROW, STRINGS,                                 \
      "name of the thread; only with per_thread=1")                           \
    X(HISTOGRAMS, 1, CONTEXT, ROW, CONTEXTS, "context, ascending")            \
    X(HISTOGRAMS, 2, FIRST, U64, "CELLS idx", "first of its cells")           \
    X(CELLS, 1, COUNT, U64, "accesses", "accesses to bytes of the blocks")    \
    X(CELLS, 2, SKIP, U64, "cells", "cells without accesses before this one") \
    X(TAGGED, 100000, NODE, REF, NODES, "leaf, or 0: empty stack")            \
    X(TAGGED, 100001, FLAGS, U2, "bits",                                      \
      "1: the stack was cut at its limit; 2: live blocks")                    \
    X(TAGGED, 100004, KIND, U32, "MPROF_PART", "what the MIB describes")      \
    X(TAGGED, 100005, NAME, ROW, STRINGS, "name of the event, pool, ...")     \
    X(DETAILS, 1, CONTEXT, ROW, CONTEXTS, "context, ascending")               \
    X(DETAILS, 2, KIND, U64, "MPROF_DETAIL", "kind of distribution")          \
    X(DETAILS, 3, KEY, U64, "by kind", "bucket; or call stack, NODES idx+1")  \
    X(DETAILS, 4, COUNT, U64, "blocks", "number of blocks")                   \
    X(DETAILS, 5, BYTES, U64, "bytes", "by kind, or 0")                       \
    X(SERIES, 1, NS, U64, "ns",                                               \
      "start of the slot, since the start of the run")                        \
    X(SERIES, 2, BYTES, U64, "bytes", "live bytes, last reading in the slot") \
    X(SERIES, 3, MOST, U64, "bytes", "peak of live bytes in the slot")        \
    X(SERIES, 4, BLOCKS, U64, "blocks",                                       \
      "live blocks, first reading in the slot")                               \
    X(SERIES, 5, RSS, U64, "bytes",                                           \
      "resident memory, first reading; 0: not known")                         \
    X(SERIES, 6, MAPPED, U64, "bytes",                                        \
      "peak in the slot of memory that the program mapped")                   \
    X(MARKS, 1, NS, U64, "ns", "time since the start of the run")             \
    X(MARKS, 2, KIND, U32, "MPROF_RAW_MARK", "1: a phase begins; 2: a mark")  \
    X(MARKS, 3, NAME, ROW, STRINGS, "its name; 0: the phase ends")            \
    X(MARKS, 4, BYTES, U64, "bytes", "live bytes at this time")

/* X(key, NAME, what, help); what: `number`, or `text` in column STRING */
#define MPROF_RAW_METAS(X)                                                  \
    X(1, RUN_ID, number, "random id of the run; of the dump in version 1")  \
    X(2, PID, number, "process id")                                         \
    X(3, START_NS, number, "start of the run, ns since 1970 UTC")           \
    X(4, DURATION_NS, number, "time from the start to the dump, ns")        \
    X(5, CLOCK_RESOLUTION_NS, number, "error bound of one time stamp, ns")  \
    X(6, CLOCK, text, "clock of the lifetimes")                             \
    X(7, OPTIONS, text, "runtime options that were given")                  \
    X(8, EXECUTABLE, text, "path of the program")                           \
    X(9, HOST, text, "host name")                                           \
    X(10, TOOL, text, "version of the runtime")                             \
    X(11, CELL_BYTES, number, "bytes per histogram cell; 0: no histograms") \
    X(12, STACK_DEPTH_MAX, number, "limit of a call stack, frames")         \
    X(13, TRUNCATED_STACKS, number, "call stacks cut at this limit")        \
    X(14, DROPPED_BLOCKS, number, "blocks that could not be recorded")      \
    X(15, OWN_MEMORY_BYTES, number, "memory that the runtime used")         \
    X(16, FOREIGN_FREES, number, "frees of memory from another allocator")  \
    X(17, OWN_TIME_NS, number,                                              \
      "estimated time in malloc, free and related functions")               \
    X(18, TIMED_CALLS, number, "calls timed for this estimate")             \
    X(19, EPOCH, number, "resets of the records before this dump")          \
    X(20, DUMP, number, "number of the dump in its epoch, from 1")          \
    X(21, IS_LAST, number, "1: no other dump of the run follows")           \
    X(40, HANDLER_JUMPS, number,                                            \
      "jumps out of signal handlers: accesses are lower bounds")            \
    X(50, PEAK_BYTES, number, "peak of live bytes")                         \
    X(51, PEAK_NS, number, "time of the peak, since the start of the run")  \
    X(60, CONTEXT_CHECKS, number,                                           \
      "contexts found by value and checked by a walk")                      \
    X(61, CONTEXT_DIFFERENCES, number, "checked contexts that differed")    \
    X(62, SERIES_STEP_NS, number, "length of a slot of SERIES")             \
    X(63, DROPPED_MARKS, number, "marks dropped for lack of room")          \
    X(70, SAMPLE_PERIOD, number,                                            \
      "average bytes between two samples; 0: all blocks recorded")          \
    X(71, ACCESS_PERIOD, number,                                            \
      "N: accesses were counted in bursts, 1/N of the program; 0: all")     \
    X(72, BURSTS, number, "number of these bursts")                         \
    X(80, KNOWN_LEAKS, text, "what __lsan_default_suppressions() returned") \
    X(81, OTHER_MALLOC, number,                                             \
      "1: the program defines malloc; its blocks are not recorded")         \
    X(82, BEFORE_EXEC, number,                                              \
      "1: written before the process executed another program")             \
    MPROF_RESIDENT(MPROF_RAW_RESIDENT_, X)
#define MPROF_RAW_RESIDENT_(X, key, NAME, member, help) \
    X(key, NAME, number, help)

/* X(number, NAME) */
#define MPROF_RAW_MARK_KINDS(X) X(1, PHASE) X(2, MARK)

enum mprof_raw_mark_kind {
#define X(number, name) MPROF_RAW_MARK_##name = (number),
    MPROF_RAW_MARK_KINDS(X)
#undef X
};

enum mprof_raw_section {
#define X(id, name, required, help) MPROF_RAW_##name = (id),
    MPROF_RAW_SECTIONS(X)
#undef X
};

enum mprof_raw_column {
#define X(section, tag, name, rule, of, help) \
    MPROF_RAW_##section##_##name = (tag),
    MPROF_RAW_COLUMNS(X)
#undef X
};

enum mprof_raw_meta {
#define X(key, name, what, help) MPROF_RAW_META_IS_##name = (key),
    MPROF_RAW_METAS(X)
#undef X
};

/* Numbers of sections and facts. A file has each at most once. */
enum {
#define X(...) +1
    MPROF_RAW_SECTION_COUNT = 0 MPROF_RAW_SECTIONS(X),
    MPROF_RAW_META_COUNT = 0 MPROF_RAW_METAS(X)
#undef X
};

/* X(bit, NAME). Readers refuse a file with other bits: the rule of the column
 * has as many. */
#define MPROF_RAW_MODULE_FLAGS(X) \
    X(1u, MAIN) X(2u, UNLOADED) X(4u, INSTRUMENTED) X(8u, NOT_INSTRUMENTED)
#define MPROF_RAW_CONTEXT_FLAGS(X) X(1u, TRUNCATED) X(2u, LIVE)

enum mprof_raw_module_flag {
#define X(bit, name) MPROF_RAW_MODULE_FL_##name = (bit),
    MPROF_RAW_MODULE_FLAGS(X)
#undef X
};

enum mprof_raw_context_flag {
#define X(bit, name) MPROF_RAW_CONTEXT_FL_##name = (bit),
    MPROF_RAW_CONTEXT_FLAGS(X)
#undef X
};

/* Numbers of cells for each 4 bytes in files of version MEMBERS and FIELDS. */
#define MPROF_RAW_CELLS_MEMBERS 2u
#define MPROF_RAW_CELLS_FIELDS 4u
static inline unsigned mprof_raw_cells_of_4_bytes(uint64_t version)
{
    return version == MPROF_RAW_VERSION_MEMBERS ? MPROF_RAW_CELLS_MEMBERS
                                                : MPROF_RAW_CELLS_FIELDS;
}

/* Name of a section in messages; a literal. */
static inline const char *mprof_raw_section_name(uint32_t id)
{
    switch (id) {
#define X(id, name, required, help) \
    case id:                        \
        return "raw " #name;
        MPROF_RAW_SECTIONS(X)
#undef X
    default:
        return "raw section";
    }
}
