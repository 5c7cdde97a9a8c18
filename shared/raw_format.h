/* raw_format.h -- our raw profile: what one process recorded between two dumps.
 *
 *   FILE := directory, sections         (container.h; magic and version below)
 *
 * Every section is a table (table.h). Its columns are listed below as
 * MPROF_RAW_COLUMN(section, tag, name, help); the row number is the index that
 * other sections refer to. Tags are never reused. A column of unit "idx+1"
 * holds 0 for "none".
 *
 *   META       one row a fact: key (MPROF_RAW_META), number, string
 *   STRINGS    one row a string, back to back in a blob; string 0 is ""
 *   MODULES    ELF files that were mapped
 *   SEGMENTS   their executable segments at run time
 *   FRAMES     distinct code addresses, ascending by (module, address)
 *   NODES      call stacks as a tree: a row is a frame under a parent row;
 *              the path from a row up to a root is a call stack, leaf first;
 *              a parent stands before its children
 *   CONTEXTS   one row a call stack that allocated: its node, its MIB. The
 *              columns of the MIB are the tags of MIBDef.inc. Blocks that were
 *              alive have rows of their own, with a flag, which follow those of
 *              the ended ones. With names of threads, rows are by call stack
 *              and name
 *   HISTOGRAMS one row a context with a histogram, ascending: context, first
 *              row of CELLS, of which it has those up to the next one's
 *   CELLS      the cells that were accessed, one row each, ascending; before
 *              the first and between two of them SKIP others. Histograms of
 *              versions 1 and 2 have rows for all cells, and skip none
 *   PARTS      one row a call stack, a kind and a name (part_format.h), from
 *              version 5 on; otherwise as CONTEXTS
 *
 *   DETAILS    what MIBs do not say of a context's blocks (shared/detail.h): of
 *              sizes and lifetimes in more than one bucket, all buckets that
 *              have blocks; then the sums by another call stack
 *
 *   SERIES     one row a slot of time of which something is known, ascending:
 *              slots are of one length and start at multiples of it behind the
 *              first one. Between two rows nothing much was allocated or freed
 *   MARKS      phases and marks of the program, as they came
 *
 * Addresses are link-time addresses of their module (run-time address minus
 * load bias), so two modules that were loaded at one address in turn stay
 * apart; code outside any module has module 0 and its run-time address. They
 * are return addresses - 1.
 *
 * A dump tells everything since the reset before it (or since the start), so of
 * the dumps of one run and reset epoch the latest counts; of several epochs of
 * a run, live blocks count from the latest dump alone, and so does what was
 * alive at the peak.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_RAW_FORMAT_H
#define MPROF_RAW_FORMAT_H

#include "shared/container.h"
#include "shared/mib.h"

/* On disk 8d 6d 70 72 61 77 0d 0a: not text, and a conversion of line ends
 * shows at once. */
#define MPROF_RAW_MAGIC UINT64_C(0x0a0d776172706d8d)
#define MPROF_RAW_VERSION 5
#define MPROF_RAW_VERSION_MIN 1
/* A path or build id of a module; the kernel's paths have half of that. */
#define MPROF_RAW_MODULE_STRING_BYTES_MAX 8192

/* MPROF_RAW_SECTION(id, NAME, required, help) */
#define MPROF_RAW_SECTIONS(X)                                       \
    X(1, META, 1, "facts about the run")                            \
    X(2, STRINGS, 1, "strings")                                     \
    X(3, MODULES, 1, "ELF files that were mapped")                  \
    X(4, SEGMENTS, 1, "executable segments at run time")            \
    X(5, FRAMES, 1, "distinct code addresses")                      \
    X(6, NODES, 1, "call stacks as a tree")                         \
    X(7, CONTEXTS, 1, "call stacks that allocated, and their MIBs") \
    X(8, HISTOGRAMS, 0, "where a context's histogram starts")       \
    X(9, CELLS, 0, "cells of all histograms")                       \
    X(20, PARTS, 0, "call stacks by events, and their MIBs")        \
    X(30, DETAILS, 0, "details of contexts' blocks")                \
    X(31, SERIES, 0, "the run over time")                           \
    X(32, MARKS, 0, "what the program named on the way")

/* MPROF_RAW_COLUMN(section, tag, NAME, unit, help) */
#define MPROF_RAW_COLUMNS(X)                                                \
    X(META, 1, KEY, "MPROF_RAW_META", "which fact")                         \
    X(META, 2, NUMBER, "by key", "its number, or 0")                        \
    X(META, 3, STRING, "STRINGS idx", "its text, or 0")                     \
    X(STRINGS, 1, END, "bytes", "end of the string in the blob")            \
    X(STRINGS, 2, BYTES, "blob", "all strings, back to back")               \
    X(MODULES, 1, PATH, "STRINGS idx", "path at run time")                  \
    X(MODULES, 2, BUILD_ID, "STRINGS idx", "build id, raw bytes, or 0")     \
    X(MODULES, 3, BIAS, "address", "run-time minus link-time addresses")    \
    X(MODULES, 4, FLAGS, "bits",                                            \
      "1: main program; 2: was unloaded; 4: holds instrumented code; "      \
      "8: holds none; neither of these: not known")                         \
    X(SEGMENTS, 1, MODULE, "MODULES idx", "module it belongs to")           \
    X(SEGMENTS, 2, START, "address", "first run-time address")              \
    X(SEGMENTS, 3, END, "address", "end of the run-time addresses")         \
    X(SEGMENTS, 4, FILE_OFF, "bytes", "offset in the module's file")        \
    X(FRAMES, 1, MODULE, "MODULES idx+1", "module, or 0 for none")          \
    X(FRAMES, 2, ADDRESS, "address", "link-time return address - 1")        \
    X(NODES, 1, UP, "rows", "rows back to the parent; 0: a root")           \
    X(NODES, 2, FRAME, "FRAMES idx", "frame of this row")                   \
    X(CONTEXTS, 100000, NODE, "NODES idx+1", "leaf, or 0: empty stack")     \
    X(CONTEXTS, 100001, FLAGS, "bits",                                      \
      "1: the stack was cut at its limit; 2: blocks that were alive")       \
    X(CONTEXTS, 100002, THREAD, "STRINGS idx",                              \
      "name of the thread; only with per_thread=1")                         \
    X(HISTOGRAMS, 1, CONTEXT, "CONTEXTS idx", "whose histogram, ascending") \
    X(HISTOGRAMS, 2, FIRST, "CELLS idx", "first of its cells")              \
    X(CELLS, 1, COUNT, "accesses", "accesses to 8 bytes of the blocks")     \
    X(CELLS, 2, SKIP, "cells", "cells without accesses before this one")    \
    X(PARTS, 100000, NODE, "NODES idx+1", "leaf, or 0: empty stack")        \
    X(PARTS, 100001, FLAGS, "bits",                                         \
      "1: the stack was cut at its limit; 2: blocks that were alive")       \
    X(PARTS, 100004, KIND, "MPROF_PART", "what the MIB is of")              \
    X(PARTS, 100005, NAME, "STRINGS idx", "of the event")                   \
    X(DETAILS, 1, CONTEXT, "CONTEXTS idx", "whose, ascending")              \
    X(DETAILS, 2, KIND, "MPROF_DETAIL", "what is counted")                  \
    X(DETAILS, 3, KEY, "by kind", "bucket; or stack, NODES idx+1")          \
    X(DETAILS, 4, COUNT, "blocks", "how many")                              \
    X(DETAILS, 5, BYTES, "bytes", "by kind, or 0")                          \
    X(SERIES, 1, NS, "ns", "start of the slot, since the start of the run") \
    X(SERIES, 2, BYTES, "bytes", "alive at the last look")                  \
    X(SERIES, 3, MOST, "bytes", "alive at most")                            \
    X(SERIES, 4, BLOCKS, "blocks", "alive at the first look")               \
    X(SERIES, 5, RSS, "bytes", "resident at the first look; 0: not known")  \
    X(MARKS, 1, NS, "ns", "when, since the start of the run")               \
    X(MARKS, 2, KIND, "MPROF_RAW_MARK", "1: a phase begins; 2: a mark")     \
    X(MARKS, 3, NAME, "STRINGS idx", "its name; 0: no phase any more")      \
    X(MARKS, 4, BYTES, "bytes", "alive then")

/* MPROF_RAW_META(key, NAME, what, help); what: number, or text in STRING */
#define MPROF_RAW_METAS(X)                                                  \
    X(1, RUN_ID, number, "random id of the run; of the dump in version 1")  \
    X(2, PID, number, "process id")                                         \
    X(3, START_NS, number, "start of the run, ns since 1970 UTC")           \
    X(4, DURATION_NS, number, "start of the run to the dump, ns")           \
    X(5, CLOCK_RESOLUTION_NS, number, "error bound of one time stamp, ns")  \
    X(6, CLOCK, text, "clock of the lifetimes")                             \
    X(7, OPTIONS, text, "runtime options that were given")                  \
    X(8, EXECUTABLE, text, "path of the program")                           \
    X(9, HOST, text, "host name")                                           \
    X(10, TOOL, text, "version of the runtime")                             \
    X(11, CELL_BYTES, number, "bytes per histogram cell; 0: no histograms") \
    X(12, STACK_DEPTH_MAX, number, "frames that a stack may have")          \
    X(13, TRUNCATED_STACKS, number, "contexts cut at that limit")           \
    X(14, DROPPED_BLOCKS, number, "blocks that could not be recorded")      \
    X(15, OWN_MEMORY_BYTES, number, "memory that the runtime took")         \
    X(16, FOREIGN_FREES, number, "frees of what was not allocated here")    \
    X(17, OWN_TIME_NS, number,                                              \
      "time in malloc, free and related functions, estimated")              \
    X(18, TIMED_CALLS, number, "calls that this was estimated from")        \
    X(19, EPOCH, number, "times that the records were emptied before")      \
    X(20, DUMP, number, "number of the dump in its epoch, from 1")          \
    X(21, IS_LAST, number, "1: no other dump of the run follows")           \
    X(40, HANDLER_JUMPS, number,                                            \
      "jumps out of signal handlers: accesses are lower bounds")            \
    X(50, PEAK_BYTES, number, "most bytes alive at a time")                 \
    X(51, PEAK_NS, number, "when that was, since the start of the run")     \
    X(60, CONTEXT_CHECKS, number,                                           \
      "contexts found by value that a walk was compared with")              \
    X(61, CONTEXT_DIFFERENCES, number, "of these, ones that were others")   \
    X(62, SERIES_STEP_NS, number, "length of a slot of SERIES")             \
    X(63, DROPPED_MARKS, number, "marks for which there was no room")       \
    X(70, SAMPLE_PERIOD, number,                                            \
      "bytes from sample to sample, on average; 0: all blocks recorded")    \
    X(80, KNOWN_LEAKS, text, "what __lsan_default_suppressions() returned") \
    X(81, OTHER_MALLOC, number,                                             \
      "1: malloc is the program's own, whose blocks are not recorded")      \
    X(82, BEFORE_EXEC, number,                                              \
      "1: another program was to take the process's place")

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
#define X(section, tag, name, unit, help) MPROF_RAW_##section##_##name = (tag),
    MPROF_RAW_COLUMNS(X)
#undef X
};

enum mprof_raw_meta {
#define X(key, name, what, help) MPROF_RAW_META_IS_##name = (key),
    MPROF_RAW_METAS(X)
#undef X
};

/* How many sections and facts there are: a file has each once at most. */
enum {
#define X(...) +1
    MPROF_RAW_SECTION_COUNT = 0 MPROF_RAW_SECTIONS(X),
    MPROF_RAW_META_COUNT = 0 MPROF_RAW_METAS(X)
#undef X
};

/* X(bit, NAME). Readers refuse others, of which they do not know what they say.
 */
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

#define X(bit, name) | (bit)
enum {
    MPROF_RAW_MODULE_FL_ALL = 0 MPROF_RAW_MODULE_FLAGS(X),
    MPROF_RAW_CONTEXT_FL_ALL = 0 MPROF_RAW_CONTEXT_FLAGS(X)
};
#undef X

/* How messages name a section; literals. */
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

#endif
