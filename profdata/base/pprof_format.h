/* pprof_format.h -- the profiles of pprof: a message of Protocol Buffers,
 * compressed with gzip. Lists the fields that we write or read; others are
 * skipped.
 *
 * Strings are row numbers of the string table, whose row 0 is "". Ids of
 * mappings, locations and functions are any numbers but 0, which means none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

enum mprof_pprof_profile {
    MPROF_PPROF_SAMPLE_TYPE = 1, /* value type; repeated */
    MPROF_PPROF_SAMPLE = 2,      /* repeated */
    MPROF_PPROF_MAPPING = 3,     /* repeated; the program is first */
    MPROF_PPROF_LOCATION = 4,    /* repeated */
    MPROF_PPROF_FUNCTION = 5,    /* repeated */
    MPROF_PPROF_STRING = 6,      /* repeated */
    MPROF_PPROF_DROP_FRAMES = 7, /* string: a regular expression. Frames whose
                                  * whole function name matches are hidden, with
                                  * the frames they call, */
    MPROF_PPROF_KEEP_FRAMES = 8, /* unless the name matches this one */
    MPROF_PPROF_TIME_NS = 9,     /* since 1970 */
    MPROF_PPROF_DURATION_NS = 10,
    MPROF_PPROF_PERIOD_TYPE = 11,  /* value type */
    MPROF_PPROF_PERIOD = 12,       /* between samples; 1: all are recorded */
    MPROF_PPROF_COMMENT = 13,      /* string; repeated */
    MPROF_PPROF_DEFAULT_TYPE = 14, /* string: the TYPE of a value type */
    MPROF_PPROF_FIELD_MAX = 15     /* the largest field number (doc_url) */
};

enum mprof_pprof_value_type {
    MPROF_PPROF_VALUE_TYPE = 1, /* string */
    MPROF_PPROF_VALUE_UNIT = 2  /* string */
};

enum mprof_pprof_sample {
    MPROF_PPROF_SAMPLE_LOCATION = 1, /* ids, leaf first; repeated, packed */
    MPROF_PPROF_SAMPLE_VALUE = 2,    /* one for each type; repeated, packed */
    MPROF_PPROF_SAMPLE_LABEL = 3     /* repeated */
};

enum mprof_pprof_label {
    MPROF_PPROF_LABEL_KEY = 1,    /* string */
    MPROF_PPROF_LABEL_STRING = 2, /* string; a label has this or a NUMBER */
    MPROF_PPROF_LABEL_NUMBER = 3,
    MPROF_PPROF_LABEL_UNIT = 4 /* string */
};

enum mprof_pprof_mapping {
    MPROF_PPROF_MAPPING_ID = 1,
    MPROF_PPROF_MAPPING_START = 2,
    MPROF_PPROF_MAPPING_LIMIT = 3,
    MPROF_PPROF_MAPPING_OFFSET = 4,        /* in the file */
    MPROF_PPROF_MAPPING_FILE = 5,          /* string */
    MPROF_PPROF_MAPPING_BUILD_ID = 6,      /* string: hexadecimal digits */
    MPROF_PPROF_MAPPING_HAS_FUNCTIONS = 7, /* etc.: already symbolized */
    MPROF_PPROF_MAPPING_HAS_FILES = 8,
    MPROF_PPROF_MAPPING_HAS_LINES = 9,
    MPROF_PPROF_MAPPING_HAS_INLINED = 10
};

enum mprof_pprof_location {
    MPROF_PPROF_LOCATION_ID = 1,
    MPROF_PPROF_LOCATION_MAPPING = 2, /* id */
    MPROF_PPROF_LOCATION_ADDRESS = 3,
    MPROF_PPROF_LOCATION_LINE = 4 /* repeated: inlined functions first */
};

enum mprof_pprof_line {
    MPROF_PPROF_LINE_FUNCTION = 1, /* id */
    MPROF_PPROF_LINE_LINE = 2,
    MPROF_PPROF_LINE_COLUMN = 3
};

enum mprof_pprof_function {
    MPROF_PPROF_FUNCTION_ID = 1,
    MPROF_PPROF_FUNCTION_NAME = 2,    /* string, for people */
    MPROF_PPROF_FUNCTION_LINKAGE = 3, /* string */
    MPROF_PPROF_FUNCTION_FILE = 4,    /* string */
    MPROF_PPROF_FUNCTION_LINE = 5     /* first line of the function */
};

/* Types of values that all heap profiles have. */
#define MPROF_PPROF_ALLOC_BLOCKS "alloc_objects"
#define MPROF_PPROF_ALLOC_BYTES "alloc_space"
#define MPROF_PPROF_LIVE_BLOCKS "inuse_objects"
#define MPROF_PPROF_LIVE_BYTES "inuse_space"
/* Types of our own that pprof files keep, named like our metrics. */
#define MPROF_PPROF_ACCESSES "accesses"
#define MPROF_PPROF_LIFETIME "lifetime"
#define MPROF_PPROF_READS "reads"
#define MPROF_PPROF_WRITES "writes"
#define MPROF_PPROF_READ_BYTES "read-bytes"
#define MPROF_PPROF_WRITE_BYTES "write-bytes"
#define MPROF_PPROF_PEAK "peak"
#define MPROF_PPROF_PEAK_BLOCKS "peak-blocks"
#define MPROF_PPROF_TEMPORARY "temporary"
#define MPROF_PPROF_LEAKED "leaked"
#define MPROF_PPROF_LEAKED_BLOCKS "leaked-blocks"
/* The unit of the sampling period, and units of values. */
#define MPROF_PPROF_PERIOD_BYTES "space"

#define MPROF_PPROF_UNIT_COUNT "count"
#define MPROF_PPROF_UNIT_BYTES "bytes"
#define MPROF_PPROF_UNIT_NS "nanoseconds"

/* X(key, MIB field, unit): labels with fields of one call stack that cannot be
 * added up. Lifetimes have tcmalloc's names. */
#define MPROF_PPROF_LABELS(X)                                 \
    X("min_bytes", MinSize, MPROF_PPROF_UNIT_BYTES)           \
    X("max_bytes", MaxSize, MPROF_PPROF_UNIT_BYTES)           \
    X("min_lifetime", MinLifetimeNs, MPROF_PPROF_UNIT_NS)     \
    X("max_lifetime", MaxLifetimeNs, MPROF_PPROF_UNIT_NS)     \
    X("min_accesses", MinAccessCount, MPROF_PPROF_UNIT_COUNT) \
    X("max_accesses", MaxAccessCount, MPROF_PPROF_UNIT_COUNT)
/* X(key, MIB field, unit): other labels; written if measured and not 0. */
#define MPROF_PPROF_MORE_LABELS(X)                                           \
    X("max_live_blocks", MaxLiveCount, MPROF_PPROF_UNIT_COUNT)               \
    X("max_live_bytes", MaxLiveBytes, MPROF_PPROF_UNIT_BYTES)                \
    X("freed_by_other_thread", OtherThreadCount, MPROF_PPROF_UNIT_COUNT)     \
    X("reallocs", ReallocCount, MPROF_PPROF_UNIT_COUNT)                      \
    X("realloc_bytes", ReallocBytes, MPROF_PPROF_UNIT_BYTES)                 \
    X("indirect_leaked_blocks", IndirectLeakedCount, MPROF_PPROF_UNIT_COUNT) \
    X("indirect_leaked_bytes", IndirectLeakedBytes, MPROF_PPROF_UNIT_BYTES)
/* X(key, MIB field): labels with the number of blocks for which some types of
 * values were measured; written if that is not all blocks. */
#define MPROF_PPROF_MEASURED_LABELS(X)             \
    X("measured_blocks", MeasuredCount)            \
    X("rw_measured_blocks", MeasuredRw)            \
    X("rw_bytes_measured_blocks", MeasuredRwBytes) \
    X("leak_checked_blocks", LeakCheckedCount)
/* X(type, MIB field, MIB field with its number of measured blocks): we write
 * all types with the same measured field, or none, but those of the peak may be
 * missing. */
#define MPROF_PPROF_MEASURED_TYPES(X)                            \
    X(MPROF_PPROF_PEAK, PeakBytes, MeasuredCount)                \
    X(MPROF_PPROF_PEAK_BLOCKS, PeakCount, MeasuredCount)         \
    X(MPROF_PPROF_TEMPORARY, TemporaryCount, MeasuredCount)      \
    X(MPROF_PPROF_READS, TotalReads, MeasuredRw)                 \
    X(MPROF_PPROF_WRITES, TotalWrites, MeasuredRw)               \
    X(MPROF_PPROF_READ_BYTES, TotalReadBytes, MeasuredRwBytes)   \
    X(MPROF_PPROF_WRITE_BYTES, TotalWriteBytes, MeasuredRwBytes) \
    X(MPROF_PPROF_LEAKED, LeakedBytes, LeakCheckedCount)         \
    X(MPROF_PPROF_LEAKED_BLOCKS, LeakedCount, LeakCheckedCount)
/* Labels with the mean size of the blocks, the one number that graphs show, and
 * their mean lifetime. */
#define MPROF_PPROF_LABEL_BYTES "bytes"
#define MPROF_PPROF_LABEL_LIFETIME "avg_lifetime"
/* The blocks' class. tcmalloc uses this label for where it placed them. */
#define MPROF_PPROF_LABEL_HOTNESS "access_allocated"
#define MPROF_PPROF_LABEL_COLD "cold"
#define MPROF_PPROF_LABEL_NOT_COLD "hot"
/* The type of the allocated objects. */
#define MPROF_PPROF_LABEL_TYPE "type"
/* The name of the allocating thread. */
#define MPROF_PPROF_LABEL_THREAD "thread"
/* Marks a truncated call stack. */
#define MPROF_PPROF_LABEL_STACK "stack"
#define MPROF_PPROF_LABEL_STACK_CUT "truncated"
/* Marks blocks whose accesses were not measured, or not all seen. */
#define MPROF_PPROF_LABEL_ACCESSES "accesses"
#define MPROF_PPROF_LABEL_NOT_MEASURED "not measured"
#define MPROF_PPROF_LABEL_NOT_ALL_SEEN "not all seen"
