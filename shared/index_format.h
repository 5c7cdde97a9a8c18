/* index_format.h -- our part of an indexed profile.
 *
 *   FILE    := LLVM's indexed profile (index_llvm.h), padded to 8,
 *              our sections, directory, trailer          (container.h)
 *
 * LLVM's readers go by the offsets in their header and never see what follows.
 * Ours start at the trailer; a file without one is a plain LLVM profile.
 *
 * Every section is a table (table.h) but LLVM, which stands for the bytes of
 * LLVM's profile (offset 0, no codec), so that its checksum is kept too.
 * Columns and tags as in raw_format.h. Identical content gives identical bytes:
 * all tables have the order stated here, and nothing in them depends on the
 * order of the inputs.
 *
 *   STRINGS    distinct strings, ascending by bytes; string 0 is ""
 *   PATHS      source files and binaries as a tree of path components: each
 *              node is a string and its parent; ascending by (parent, string)
 *   FUNCTIONS  distinct functions: linkage name, GUID, file, first line
 *   ENTRIES    stack entries (frames): packed place (below), function, column,
 *              discriminator, flags; or module and address where no name is
 *              known. Distinct, ascending by these columns. Of calls that
 *              allocate, the type
 *   NODES      call stacks as a tree, as in the raw format; children of one
 *              parent ascend by entry
 *   CONTEXTS   one row a call stack that allocated: leaf node, MIB columns.
 *              Descending by TotalSize, then AllocCount, then ascending by the
 *              call stack (root first, entry by entry): a top list by bytes is
 *              the start of this table
 *   HISTOGRAMS, CELLS  as in the raw format
 *   BINARIES   what was profiled, by path and build id; its flags are those
 *              of all runs, or-ed
 *   LISTED     contexts that only those records of LLVM's part list which are
 *              there: the records were not made of call stacks. Ascending
 *   RUNS       the raw profiles that went in: a sorted multiset; of very many,
 *              some are added up (profdata/model/runs.h)
 *   TOTALS     one row with the MIB that all of CONTEXTS add up to
 *   PARTS      what is known by call stack and name, one row each: kind, name,
 *              leaf node, MIB columns (part_format.h). Ascending by the first
 *              three. From version 5 on
 *
 *   DETAILS    what MIBs do not say (shared/detail.h), ascending by NODE, KIND,
 *              KEY
 *
 *   SERIES     runs over time, as many as profdata/model/series.h keeps;
 * SAMPLES and MARKS are theirs, as in the raw format
 *
 * The place of an entry is one 64-bit number: source path (24 bits, PATHS
 * idx+1), line (24), discriminator's low part (16).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_INDEX_FORMAT_H
#define MPROF_INDEX_FORMAT_H

#include "shared/container.h"
#include "shared/index_llvm.h"
#include "shared/mib.h"

/* On disk 8d 6d 70 69 64 78 0d 0a. */
#define MPROF_INDEX_EXT_MAGIC UINT64_C(0x0a0d786469706d8d)
#define MPROF_INDEX_EXT_VERSION 5
#define MPROF_INDEX_EXT_VERSION_MIN 1

/* X(id, NAME, required, help) */
#define MPROF_INDEX_SECTIONS(X)                                          \
    X(1, LLVM, 1, "LLVM's indexed profile")                              \
    X(2, STRINGS, 1, "strings")                                          \
    X(3, PATHS, 1, "paths as a tree of components")                      \
    X(4, FUNCTIONS, 1, "functions")                                      \
    X(5, ENTRIES, 1, "stack entries")                                    \
    X(6, NODES, 1, "call stacks as a tree")                              \
    X(7, CONTEXTS, 1, "call stacks that allocated, and their MIBs")      \
    X(8, HISTOGRAMS, 0, "where a context's histogram starts")            \
    X(9, CELLS, 0, "cells of all histograms")                            \
    X(10, BINARIES, 1, "binaries that were profiled")                    \
    X(11, RUNS, 1, "raw profiles that were merged")                      \
    X(12, LISTED, 0, "contexts in LLVM's records as these stand")        \
    X(16, TOTALS, 0, "all MIBs of CONTEXTS merged, in one row")          \
    X(20, PARTS, 0, "call stacks by threads and events, and their MIBs") \
    X(30, DETAILS, 0, "details of call stacks' blocks")                  \
    X(31, SERIES, 0, "runs over time")                                   \
    X(32, SAMPLES, 0, "slots of time of all series")                     \
    X(33, MARKS, 0, "phases and marks of all series")

/* X(section, tag, NAME, rule, of, help)
 *
 * What a value may be: REF, a row of the section `of`, plus 1, or 0; ROW, a row
 * of it; Un, a number of n bits, `of` being its unit. The reader, the writer,
 * the checks and docs/indexed-format.md expand from this table. */
#define MPROF_INDEX_COLUMNS(X)                                                 \
    X(STRINGS, 1, END, U64, "bytes", "end of the string in the blob")          \
    X(STRINGS, 2, BYTES, U64, "blob", "all strings, back to back")             \
    X(PATHS, 1, PARENT, REF, PATHS, "directory, or 0: a root")                 \
    X(PATHS, 2, NAME, ROW, STRINGS, "component; / for the file system root")   \
    X(FUNCTIONS, 1, NAME, ROW, STRINGS, "linkage name")                        \
    X(FUNCTIONS, 2, GUID, U64, "id", "GUID of the canonical linkage name")     \
    X(FUNCTIONS, 3, PATH, REF, PATHS, "file that defines it, or 0")            \
    X(FUNCTIONS, 4, LINE, U32, "line", "first line, or 0: unknown")            \
    X(ENTRIES, 1, PLACE, U64, "packed", "path, line, discriminator")           \
    X(ENTRIES, 2, FUNCTION, REF, FUNCTIONS, "function, or 0: unknown")         \
    X(ENTRIES, 3, COLUMN, U32, "column", "source column, or 0: unknown")       \
    X(ENTRIES, 4, DISCRIMINATOR, U16, "id", "discriminator >> 16")             \
    X(ENTRIES, 5, FLAGS, U2, "bits",                                           \
      "1: inlined into the next; 2: no line table")                            \
    X(ENTRIES, 6, BINARY, REF, BINARIES, "where no function is known")         \
    X(ENTRIES, 7, ADDRESS, U64, "address", "where no function is known")       \
    X(ENTRIES, 8, TYPE, ROW, STRINGS, "that the call there allocates, or 0")   \
    X(ENTRIES, 9, TYPE_BYTES, U32, "bytes", "its size, or 0: unknown")         \
    X(ENTRIES, 10, TYPE_FIELDS, ROW, STRINGS, "its fields, or 0: unknown")     \
    X(NODES, 1, UP, U64, "rows", "rows back to the parent; 0: a root")         \
    X(NODES, 2, ENTRY, ROW, ENTRIES, "stack entry of this row")                \
    X(CONTEXTS, 100000, NODE, REF, NODES, "leaf, or 0: empty stack")           \
    X(CONTEXTS, 100001, FLAGS, U1, "bits",                                     \
      "1: the stack was cut at its limit")                                     \
    X(CONTEXTS, 100003, UNSEEN, U2, "bits",                                    \
      "1: allocated in a binary without instrumented code; 2: while such one " \
      "was loaded, no system library, or where handlers were left by jumps; "  \
      "each of some blocks")                                                   \
    X(HISTOGRAMS, 1, CONTEXT, ROW, CONTEXTS, "whose, ascending")               \
    X(HISTOGRAMS, 2, FIRST, U64, "CELLS idx", "first of its cells")            \
    X(CELLS, 1, COUNT, U64, "accesses", "accesses to 8 bytes of the blocks")   \
    X(CELLS, 2, SKIP, U64, "cells", "cells without accesses before this one")  \
    X(BINARIES, 1, PATH, REF, PATHS, "path at run time, or 0")                 \
    X(BINARIES, 2, BUILD_ID, ROW, STRINGS, "build id, raw bytes")              \
    X(BINARIES, 3, FLAGS, U2, "bits",                                          \
      "1: held instrumented code; 2: held none; neither: not known")           \
    X(RUNS, 1, RUN_ID, U64, "id",                                              \
      "random id; a hash for LLVM's; 0: of several")                           \
    X(RUNS, 2, COUNT, U64, "times", "how often it was merged")                 \
    X(RUNS, 3, KIND, U32, "MPROF_RUN", "format of the raw profile")            \
    X(RUNS, 4, PID, U64, "id", "process id, 0: unknown")                       \
    X(RUNS, 5, START_NS, U64, "ns", "start of the run since 1970, 0: unknown") \
    X(RUNS, 6, DURATION_NS, U64, "ns", "start of the run to the dump")         \
    X(RUNS, 7, CLOCK_RESOLUTION_NS, U64, "ns", "error bound of a time stamp")  \
    X(RUNS, 8, TRUNCATED_STACKS, U64, "contexts", "cut at the depth limit")    \
    X(RUNS, 9, DROPPED_BLOCKS, U64, "blocks", "that could not be recorded")    \
    X(RUNS, 10, EXECUTABLE, REF, PATHS, "program, or 0: unknown")              \
    X(RUNS, 11, HOST, ROW, STRINGS, "host name")                               \
    X(RUNS, 12, OPTIONS, ROW, STRINGS, "runtime options")                      \
    X(RUNS, 13, TOOL, ROW, STRINGS, "version of the runtime")                  \
    X(RUNS, 14, CELL_BYTES, U64, "bytes", "bytes per histogram cell, or 0")    \
    X(RUNS, 15, OWN_MEMORY_BYTES, U64, "bytes",                                \
      "memory that the runtime took")                                          \
    X(RUNS, 16, FOREIGN_FREES, U64, "frees", "of what was not allocated here") \
    X(RUNS, 17, STACK_DEPTH_MAX, U64, "frames", "that a stack could have")     \
    X(RUNS, 18, OWN_TIME_NS, U64, "ns",                                        \
      "in malloc, free and related functions, estimated")                      \
    X(RUNS, 19, TIMED_CALLS, U64, "calls",                                     \
      "that it was estimated from; 0: not")                                    \
    X(RUNS, 20, CONTEXTS, U64, "contexts", "in the raw profile")               \
    X(RUNS, 21, EPOCH, U32, "times", "that records had been emptied")          \
    X(RUNS, 22, DUMP, U32, "number", "of the dump in its epoch; 0: not known") \
    X(RUNS, 23, LIVE, U1, "flag",                                              \
      "1: with the dump's live blocks and its peak")                           \
    X(RUNS, 40, HANDLER_JUMPS, U64, "jumps", "out of signal handlers")         \
    X(RUNS, 50, PEAK_BYTES, U64, "bytes", "alive at most; 0: not measured")    \
    X(RUNS, 51, PEAK_NS, U64, "ns",                                            \
      "when that was, since the start of the run")                             \
    X(RUNS, 52, SAMPLE_PERIOD, U64, "bytes",                                   \
      "from sample to sample, on average; 0: all blocks were recorded")        \
    X(RUNS, 60, CONTEXT_CHECKS, U64, "contexts",                               \
      "found by value that a walk was compared with")                          \
    X(RUNS, 61, CONTEXT_DIFFERENCES, U64, "contexts",                          \
      "of these, ones that were others")                                       \
    X(RUNS, 80, KNOWN_LEAKS, ROW, STRINGS,                                     \
      "what __lsan_default_suppressions() returned")                           \
    X(RUNS, 81, OTHER_MALLOC, U1, "flag", "malloc is the program's own")       \
    X(RUNS, 82, MIDDLE, U1, "flag", "1: the run went on behind the dump")      \
    X(LISTED, 1, CONTEXT, ROW, CONTEXTS, "which, ascending")                   \
    X(PARTS, 100000, NODE, REF, NODES, "leaf, or 0: empty stack")              \
    X(PARTS, 100001, FLAGS, U1, "bits", "1: the stack was cut at its limit")   \
    X(PARTS, 100004, KIND, U64, "MPROF_PART", "what the MIB is of")            \
    X(PARTS, 100005, NAME, ROW, STRINGS, "of the thread or the event")         \
    X(DETAILS, 1, NODE, REF, NODES, "whose call stack")                        \
    X(DETAILS, 2, KIND, U64, "MPROF_DETAIL", "what is counted")                \
    X(DETAILS, 3, KEY, U64, "by kind",                                         \
      "bucket; or stack, NODES idx+1, 0: unknown")                             \
    X(DETAILS, 4, COUNT, U64, "blocks", "how many")                            \
    X(DETAILS, 5, BYTES, U64, "bytes", "by kind, or 0")                        \
    X(SERIES, 1, RUN_ID, U64, "id", "of the run, ascending")                   \
    X(SERIES, 2, STEP_NS, U64, "ns", "length of a slot")                       \
    X(SERIES, 3, DROPPED, U64, "marks", "for which there was no room")         \
    X(SERIES, 4, SAMPLES, U64, "rows",                                         \
      "of SAMPLES, behind those of the row before")                            \
    X(SERIES, 5, MARKS, U64, "rows", "of MARKS, likewise")                     \
    X(SAMPLES, 1, NS, U64, "ns",                                               \
      "start of the slot, since the start of the run")                         \
    X(SAMPLES, 2, BYTES, U64, "bytes", "alive at the last look")               \
    X(SAMPLES, 3, MOST, U64, "bytes", "alive at most")                         \
    X(SAMPLES, 4, BLOCKS, U64, "blocks", "alive at the first look")            \
    X(SAMPLES, 5, RSS, U64, "bytes",                                           \
      "resident at the first look; 0: not known")                              \
    X(MARKS, 1, NS, U64, "ns", "when, since the start of the run")             \
    X(MARKS, 2, KIND, U32, "MPROF_RAW_MARK", "1: a phase begins; 2: a mark")   \
    X(MARKS, 3, NAME, ROW, STRINGS, "its name; 0: no phase any more")          \
    X(MARKS, 4, BYTES, U64, "bytes", "alive then")

/* X(number, NAME, help) */
#define MPROF_RUN_KINDS(X)                                                    \
    X(0, MEMPROF, "our raw profile")                                          \
    X(1, LLVM, "LLVM raw profile: milliseconds, no live blocks")              \
    X(2, INDEXED, "LLVM indexed profile: its schema only")                    \
    X(3, FOREIGN, "another tool's profile: allocations alone")                \
    X(4, FOREIGN_LIVE, "another tool's profile: live blocks alone")           \
    X(5, FOREIGN_BYTES, "allocated bytes alone; a block stands for a sample") \
    X(6, FOREIGN_LIVE_BYTES, "live bytes alone; likewise")                    \
    X(7, FOREIGN_BLOCKS, "allocated blocks alone, without bytes")             \
    X(8, FOREIGN_LIVE_BLOCKS, "live blocks alone, without bytes")             \
    X(9, FOREIGN_LIVE_UNCOUNTED, "allocations, and bytes of live blocks")

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
#define MPROF_CONTEXT_FL_LISTED 2u /* in memory; in files: section LISTED */
/* In memory; in files: column UNSEEN. */
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

/* path: PATHS idx+1; each part must fit its bits. */
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

/* How messages name a section; literals. */
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

#endif
