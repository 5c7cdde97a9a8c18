/* index_format.h -- our sections of an indexed profile.
 *
 *   FILE    := LLVM's indexed profile (index_llvm.h), padded to 8,
 *              our sections, directory, trailer          (container.h)
 *
 * LLVM's readers follow the offsets in LLVM's header and never read our
 * sections. Our reader starts at the trailer; a file without a trailer is a
 * plain LLVM profile.
 *
 * Every section is a table (table.h), except LLVM: this section is the bytes of
 * LLVM's profile (offset 0, no codec), so that they have a checksum too.
 * Columns and tags work as in raw_format.h. The tables are sorted as stated
 * below, so the bytes of the file depend only on its content, not on the order
 * of the inputs.
 *
 *   STRINGS    distinct strings, ascending by bytes; string 0 is ""
 *   PATHS      source files and binaries as a tree of path components: each
 *              node is a string and its parent; ascending by (parent, string)
 *   FUNCTIONS  distinct functions: linkage name, GUID, file, first line
 *   ENTRIES    distinct frames: packed location (below), function, column,
 *              discriminator, flags; or binary and address if no name is
 *              known. Ascending by these columns. The frame of a call that
 *              allocates also has the allocated type
 *   NODES      call stacks as a tree, as in the raw format; children of one
 *              parent ascend by frame
 *   CONTEXTS   one row for each call stack that allocated: leaf node, MIB
 *              columns. Descending by TotalSize, then by AllocCount, then
 *              ascending by the call stack (from the root, frame by frame).
 *              So a top list by bytes is the start of this table
 *   HISTOGRAMS, CELLS  as in the raw format
 *   BINARIES   profiled binaries by path and build id; flags of all runs are
 *              or-ed
 *   RUNS       the merged raw profiles, a sorted multiset; if there are very
 *              many, some rows are added up (profdata/model/runs.h)
 *   TAGGED      one row for each kind, name and call stack: kind, name, leaf
 *              node, MIB columns (tag_format.h). Ascending by the first
 *              three. Since version 5
 *   DETAILS    distributions (shared/detail.h). Ascending by NODE, KIND, KEY
 *   SERIES     runs over time, as many as profdata/model/series.h keeps
 *   SAMPLES, MARKS  the time slots and the marks of all series, as in the raw
 *              format
 *
 * The location of a frame is one 64-bit number: source path (24 bits, PATHS
 * idx+1), line (24 bits), low part of the discriminator (16 bits).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/resident_format.h"
#include "shared/container.h"
#include "shared/index_llvm.h"
#include "shared/mib.h"

/* On disk 8d 6d 70 69 64 78 0d 0a. */
#define MPROF_INDEX_EXT_MAGIC UINT64_C(0x0a0d786469706d8d)
#define MPROF_INDEX_EXT_VERSION 5
/* Of a file with cells as in MPROF_RAW_VERSION_MEMBERS and _FIELDS. */
#define MPROF_INDEX_EXT_VERSION_MEMBERS 6
#define MPROF_INDEX_EXT_VERSION_FIELDS 7
#define MPROF_INDEX_EXT_VERSION_MIN 1

/* X(id, NAME, required, help); 12 was LISTED and 16 TOTALS, which readers
 * skip. */
#define MPROF_INDEX_SECTIONS(X)                                           \
    X(1, LLVM, 1, "LLVM's indexed profile")                               \
    X(2, STRINGS, 1, "strings")                                           \
    X(3, PATHS, 1, "paths as a tree of components")                       \
    X(4, FUNCTIONS, 1, "functions")                                       \
    X(5, ENTRIES, 1, "frames")                                            \
    X(6, NODES, 1, "call stacks as a tree")                               \
    X(7, CONTEXTS, 1, "call stacks that allocated, and their MIBs")       \
    X(8, HISTOGRAMS, 0, "where a context's histogram starts")             \
    X(9, CELLS, 0, "cells of all histograms")                             \
    X(10, BINARIES, 1, "binaries that were profiled")                     \
    X(11, RUNS, 1, "raw profiles that were merged")                       \
    X(20, TAGGED, 0, "call stacks by thread, event, ..., and their MIBs") \
    X(30, DETAILS, 0, "distributions of call stacks' blocks")             \
    X(31, SERIES, 0, "runs over time")                                    \
    X(32, SAMPLES, 0, "time slots of all series")                         \
    X(33, MARKS, 0, "phases and marks of all series")

/* X(section, tag, NAME, rule, of, help)
 *
 * rule: kind of the value. REF: 0 for none, or a row number of section `of`
 * plus 1; ROW: a row number of section `of`; Un: a number of n bits with the
 * unit `of`. The reader, the writer, the checks and docs/indexed-format.md
 * expand from this table. */
#define MPROF_INDEX_COLUMNS(X)                                                 \
    X(STRINGS, 1, END, U64, "bytes", "end of the string in the blob")          \
    X(STRINGS, 2, BYTES, U64, "blob", "all strings, back to back")             \
    X(PATHS, 1, PARENT, REF, PATHS, "directory, or 0: a root")                 \
    X(PATHS, 2, NAME, ROW, STRINGS, "component; / for the file system root")   \
    X(FUNCTIONS, 1, NAME, ROW, STRINGS, "linkage name")                        \
    X(FUNCTIONS, 2, GUID, U64, "id", "GUID of the canonical linkage name")     \
    X(FUNCTIONS, 3, PATH, REF, PATHS, "file that defines it, or 0")            \
    X(FUNCTIONS, 4, LINE, U32, "line", "first line, or 0: unknown")            \
    X(FUNCTIONS, 5, NEWEST_NS, U64, "ns",                                      \
      "start of the newest run with it since 1970; 0: not recorded")           \
    X(ENTRIES, 1, PLACE, U64, "packed", "location: path, line, discriminator") \
    X(ENTRIES, 2, FUNCTION, REF, FUNCTIONS, "function, or 0: unknown")         \
    X(ENTRIES, 3, COLUMN, U32, "column", "source column, or 0: unknown")       \
    X(ENTRIES, 4, DISCRIMINATOR, U16, "id", "discriminator >> 16")             \
    X(ENTRIES, 5, FLAGS, U2, "bits",                                           \
      "1: inlined into the next frame; 2: no line table")                      \
    X(ENTRIES, 6, BINARY, REF, BINARIES, "set if no function is known")        \
    X(ENTRIES, 7, ADDRESS, U64, "address", "set if no function is known")      \
    X(ENTRIES, 8, TYPE, ROW, STRINGS, "type that the call allocates, or 0")    \
    X(ENTRIES, 9, TYPE_BYTES, U32, "bytes", "size of the type; 0: unknown")    \
    X(ENTRIES, 10, TYPE_FIELDS, ROW, STRINGS, "its fields; 0: unknown")        \
    X(NODES, 1, UP, U64, "rows", "rows back to the parent; 0: a root")         \
    X(NODES, 2, ENTRY, ROW, ENTRIES, "frame of this row")                      \
    X(CONTEXTS, 100000, NODE, REF, NODES, "leaf, or 0: empty stack")           \
    X(CONTEXTS, 100001, FLAGS, U1, "bits",                                     \
      "1: the stack was cut at its limit")                                     \
    X(CONTEXTS, 100003, UNSEEN, U2, "bits",                                    \
      "1: some blocks were allocated in a binary without instrumented code; "  \
      "2: for some blocks such a binary, not a system library, was loaded, "   \
      "or a signal handler was left by a jump")                                \
    X(HISTOGRAMS, 1, CONTEXT, ROW, CONTEXTS, "context, ascending")             \
    X(HISTOGRAMS, 2, FIRST, U64, "CELLS idx", "first of its cells")            \
    X(CELLS, 1, COUNT, U64, "accesses", "accesses to 8 bytes of the blocks")   \
    X(CELLS, 2, SKIP, U64, "cells", "cells without accesses before this one")  \
    X(BINARIES, 1, PATH, REF, PATHS, "path at run time, or 0")                 \
    X(BINARIES, 2, BUILD_ID, ROW, STRINGS, "build id, raw bytes")              \
    X(BINARIES, 3, FLAGS, U2, "bits",                                          \
      "1: held instrumented code; 2: held none; neither: not known")           \
    X(RUNS, 1, RUN_ID, U64, "id",                                              \
      "random id; for LLVM's files a hash; 0: several runs")                   \
    X(RUNS, 2, COUNT, U64, "times", "how often it was merged")                 \
    X(RUNS, 3, KIND, U32, "MPROF_RUN", "format of the raw profile")            \
    X(RUNS, 4, PID, U64, "id", "process id, 0: unknown")                       \
    X(RUNS, 5, START_NS, U64, "ns", "start of the run since 1970, 0: unknown") \
    X(RUNS, 6, DURATION_NS, U64, "ns", "time from the start to the dump")      \
    X(RUNS, 7, CLOCK_RESOLUTION_NS, U64, "ns", "error bound of a time stamp")  \
    X(RUNS, 8, TRUNCATED_STACKS, U64, "contexts",                              \
      "call stacks cut at the depth limit")                                    \
    X(RUNS, 9, DROPPED_BLOCKS, U64, "blocks",                                  \
      "blocks that could not be recorded")                                     \
    X(RUNS, 10, EXECUTABLE, REF, PATHS, "program, or 0: unknown")              \
    X(RUNS, 11, HOST, ROW, STRINGS, "host name")                               \
    X(RUNS, 12, OPTIONS, ROW, STRINGS, "runtime options")                      \
    X(RUNS, 13, TOOL, ROW, STRINGS, "version of the runtime")                  \
    X(RUNS, 14, CELL_BYTES, U64, "bytes", "bytes per histogram cell, or 0")    \
    X(RUNS, 15, OWN_MEMORY_BYTES, U64, "bytes",                                \
      "memory that the runtime used")                                          \
    X(RUNS, 16, FOREIGN_FREES, U64, "frees",                                   \
      "frees of memory from another allocator")                                \
    X(RUNS, 17, STACK_DEPTH_MAX, U64, "frames", "limit of a call stack")       \
    X(RUNS, 18, OWN_TIME_NS, U64, "ns",                                        \
      "estimated time in malloc, free and related functions")                  \
    X(RUNS, 19, TIMED_CALLS, U64, "calls",                                     \
      "calls timed for this estimate; 0: no estimate")                         \
    X(RUNS, 20, CONTEXTS, U64, "contexts", "contexts of the raw profile")      \
    X(RUNS, 21, EPOCH, U32, "times", "resets of the records before the dump")  \
    X(RUNS, 22, DUMP, U32, "number",                                           \
      "number of the dump in its epoch; 0: not known")                         \
    X(RUNS, 23, LIVE, U1, "flag",                                              \
      "1: live blocks and peak of this dump are included")                     \
    X(RUNS, 40, HANDLER_JUMPS, U64, "jumps", "jumps out of signal handlers")   \
    X(RUNS, 50, PEAK_BYTES, U64, "bytes",                                      \
      "peak of live bytes; 0: not measured")                                   \
    X(RUNS, 51, PEAK_NS, U64, "ns",                                            \
      "time of the peak, since the start of the run")                          \
    X(RUNS, 52, SAMPLE_PERIOD, U64, "bytes",                                   \
      "average bytes between two samples; 0: all blocks were recorded")        \
    X(RUNS, 53, ACCESS_PERIOD, U64, "times",                                   \
      "N: accesses were counted in bursts, 1/N of the program; 0: all")        \
    X(RUNS, 54, BURSTS, U64, "bursts", "number of these bursts")               \
    X(RUNS, 60, CONTEXT_CHECKS, U64, "contexts",                               \
      "contexts found by value and checked by a walk")                         \
    X(RUNS, 61, CONTEXT_DIFFERENCES, U64, "contexts",                          \
      "checked contexts that differed")                                        \
    X(RUNS, 80, KNOWN_LEAKS, ROW, STRINGS,                                     \
      "what __lsan_default_suppressions() returned")                           \
    X(RUNS, 81, OTHER_MALLOC, U1, "flag",                                      \
      "1: the program defines malloc itself")                                  \
    X(RUNS, 82, MIDDLE, U1, "flag", "1: the run continued after the dump")     \
    X(RUNS, 83, ALIVE_NS, U64, "ns + 1",                                       \
      "only blocks that were alive then, since the start; in a log without "   \
      "times a number of events; 0: all")                                      \
    X(RUNS, 84, AFTER_NS, U64, "ns + 1",                                       \
      "only blocks that were allocated later; 0: all")                         \
    MPROF_RESIDENT(MPROF_INDEX_RESIDENT_, X)                                   \
    X(TAGGED, 100000, NODE, REF, NODES, "leaf, or 0: empty stack")             \
    X(TAGGED, 100001, FLAGS, U1, "bits", "1: the stack was cut at its limit")  \
    X(TAGGED, 100004, KIND, U64, "MPROF_PART", "what the MIB describes")       \
    X(TAGGED, 100005, NAME, ROW, STRINGS, "name of the thread, event, ...")    \
    X(DETAILS, 1, NODE, REF, NODES, "call stack of the blocks")                \
    X(DETAILS, 2, KIND, U64, "MPROF_DETAIL", "kind of distribution")           \
    X(DETAILS, 3, KEY, U64, "by kind",                                         \
      "bucket; or call stack, NODES idx+1, 0: unknown")                        \
    X(DETAILS, 4, COUNT, U64, "blocks", "number of blocks")                    \
    X(DETAILS, 5, BYTES, U64, "bytes", "by kind, or 0")                        \
    X(SERIES, 1, RUN_ID, U64, "id", "id of the run, ascending")                \
    X(SERIES, 2, STEP_NS, U64, "ns", "length of a slot")                       \
    X(SERIES, 3, DROPPED, U64, "marks", "marks dropped for lack of room")      \
    X(SERIES, 4, SAMPLES, U64, "rows",                                         \
      "its rows of SAMPLES, which follow those of the previous series")        \
    X(SERIES, 5, MARKS, U64, "rows", "its rows of MARKS, likewise")            \
    X(SAMPLES, 1, NS, U64, "ns",                                               \
      "start of the slot, since the start of the run")                         \
    X(SAMPLES, 2, BYTES, U64, "bytes", "live bytes, last reading in the slot") \
    X(SAMPLES, 3, MOST, U64, "bytes", "peak of live bytes in the slot")        \
    X(SAMPLES, 4, BLOCKS, U64, "blocks",                                       \
      "live blocks, first reading in the slot")                                \
    X(SAMPLES, 5, RSS, U64, "bytes",                                           \
      "resident memory, first reading; 0: not known")                          \
    X(SAMPLES, 6, MAPPED, U64, "bytes",                                        \
      "peak in the slot of memory that the program mapped")                    \
    X(MARKS, 1, NS, U64, "ns", "time since the start of the run")              \
    X(MARKS, 2, KIND, U32, "MPROF_RAW_MARK", "1: a phase begins; 2: a mark")   \
    X(MARKS, 3, NAME, ROW, STRINGS, "its name; 0: the phase ends")             \
    X(MARKS, 4, BYTES, U64, "bytes", "live bytes at this time")

#define MPROF_INDEX_RESIDENT_(X, tag, NAME, member, help) \
    X(RUNS, tag, NAME, U64, "bytes", help)

/* X(number, NAME, help) */
#define MPROF_RUN_KINDS(X)                                                     \
    X(0, MEMPROF, "our raw profile")                                           \
    X(1, LLVM, "LLVM raw profile: milliseconds, no live blocks")               \
    X(2, INDEXED, "LLVM indexed profile: its schema only")                     \
    X(3, FOREIGN, "another tool's profile: only allocations")                  \
    X(4, FOREIGN_LIVE, "another tool's profile: only live blocks")             \
    X(5, FOREIGN_BYTES, "only allocated bytes; each sample counts as a block") \
    X(6, FOREIGN_LIVE_BYTES, "only live bytes; each sample counts as a block") \
    X(7, FOREIGN_BLOCKS, "only numbers of allocated blocks")                   \
    X(8, FOREIGN_LIVE_BLOCKS, "only numbers of live blocks")                   \
    X(9, FOREIGN_LIVE_UNCOUNTED, "allocations, and bytes of live blocks")      \
    X(10, FOREIGN_SPLIT, "numbers of allocated blocks, bytes of live ones")

enum mprof_index_section {
#define X(id, name, required, help) MPROF_INDEX_##name = (id),
    MPROF_INDEX_SECTIONS(X)
#undef X
};

enum mprof_index_column {
#define X(section, tag, name, rule, of, help) \
    MPROF_INDEX_##section##_##name = (tag),
    MPROF_INDEX_COLUMNS(X)
#undef X
};

enum mprof_run_kind {
#define X(number, name, help) MPROF_RUN_##name = (number),
    MPROF_RUN_KINDS(X)
#undef X
};

#define MPROF_ENTRY_FL_INLINE 1u
#define MPROF_ENTRY_FL_NO_LINES 2u
#define MPROF_CONTEXT_FL_TRUNCATED 1u
/* Flags in memory only. Files have column UNSEEN. */
#define MPROF_CONTEXT_FL_NOT_MEASURED 4u
#define MPROF_CONTEXT_FL_NOT_ALL_SEEN 8u
#define MPROF_CONTEXT_UNSEEN_SHIFT 2
#define MPROF_CONTEXT_UNSEEN_MASK \
    (MPROF_CONTEXT_FL_NOT_MEASURED | MPROF_CONTEXT_FL_NOT_ALL_SEEN)
#define MPROF_BINARY_FL_INSTRUMENTED 1u
#define MPROF_BINARY_FL_NOT_INSTRUMENTED 2u

#define MPROF_PLACE_PATH_BITS 24
#define MPROF_PLACE_LINE_BITS 24
#define MPROF_PLACE_DISCRIMINATOR_BITS 16

/* Packs a location. path: PATHS idx+1. Each number must fit its bits. */
static inline uint64_t mprof_place_pack(uint64_t path, uint64_t line,
                                        uint64_t discriminator_low)
{
    return path << (MPROF_PLACE_LINE_BITS + MPROF_PLACE_DISCRIMINATOR_BITS) |
           line << MPROF_PLACE_DISCRIMINATOR_BITS | discriminator_low;
}

static inline uint64_t mprof_place_path(uint64_t place)
{
    return place >> (MPROF_PLACE_LINE_BITS + MPROF_PLACE_DISCRIMINATOR_BITS);
}

static inline uint64_t mprof_place_line(uint64_t place)
{
    return place >> MPROF_PLACE_DISCRIMINATOR_BITS &
           ((UINT64_C(1) << MPROF_PLACE_LINE_BITS) - 1);
}

static inline uint64_t mprof_place_discriminator_low(uint64_t place)
{
    return place & ((UINT64_C(1) << MPROF_PLACE_DISCRIMINATOR_BITS) - 1);
}

/* Name of a section in messages; a literal. */
static inline const char *mprof_index_section_name(uint32_t id)
{
    switch (id) {
#define X(id, name, required, help) \
    case id:                        \
        return "index " #name;
        MPROF_INDEX_SECTIONS(X)
#undef X
    default:
        return "index section";
    }
}
