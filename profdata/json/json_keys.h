/* json_keys.h -- a profile as JSON that loses nothing: what the writer and the
 * reader share. docs/text-format.md describes it.
 *
 *   {"MemprofProfile": 1,                   version of the form; always first
 *    "Runs": [{COLUMN: VALUE, ...}, ...],   columns of the RUNS section
 *    "Binaries": [{Path, BuildId, Instrumented: true,
 *                  NotInstrumented: true}, ...],
 *    "Functions": [{Name, Guid, File, Line}, ...],
 *    "Frames": [{Function: index, File, Line, Column, Discriminator, Type,
 *                Inline: true, NoLines: true, Binary: index, Address}, ...],
 *    "Contexts": [{Callstack: [index of a frame, ...] leaf first,
 *                  Truncated: true, NotMeasured: true,
 *                  NotAllSeen: true,
 *                  MemInfoBlock: {FIELD: NUMBER, ...},
 *                  Histogram: [[first cell, COUNT, ...], ...],
 *                  Details: [{Kind, Bucket, Callstack, Blocks, Bytes}, ...]},
 *                 ...],                      numbers of shared/detail.h
 *    "Series": [{Run, Step, Dropped, Samples: [[ns, bytes, most, blocks, rss],
 *                ...], Marks: [{Ns, Kind, Name, Bytes}, ...]}, ...],
 *    "Listed": skipped: an old form of what LLVM's records list
 *    "Parts": [{Kind: "thread", Name, Callstack, Truncated: true,
 *               MemInfoBlock}, ...],              shared/part_format.h
 *    "Counters": {Version, Variant, Summary, Table, TableOffset, VTables,
 *                 Temporal, BinaryIds: [...]}}     counters.h
 *
 * Of numbers and flags that are 0, of strings that are empty and of lists
 * without items nothing is written, but that a histogram without any access is
 * an empty list. Indexes count from 0 in the order of the
 * lists above. Hashes, ids and addresses are strings of 0x and hexadecimal
 * digits, because many readers of JSON keep but 53 bits of a number. A string
 * that is no UTF-8 is {"hex": its bytes as digits}; bytes that never are text
 * (build ids, summaries) are such digits alone.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_KEYS_H
#define MPDATA_JSON_KEYS_H

#define MPDATA_JSON_VERSION_KEY "MemprofProfile"
#define MPDATA_JSON_VERSION 1

/* clang-format off */
#define MPDATA_JSON_TOP(X) \
    X(VERSION, MPDATA_JSON_VERSION_KEY) \
    X(RUNS, "Runs") \
    X(BINARIES, "Binaries") \
    X(FUNCTIONS, "Functions") \
    X(FRAMES, "Frames") \
    X(CONTEXTS, "Contexts") \
    X(SERIES, "Series") \
    X(PARTS, "Parts") \
    X(LISTED, "Listed") \
    X(COUNTERS, "Counters")
#define MPDATA_JSON_BINARY(X) \
    X(PATH, "Path") \
    X(BUILD_ID, "BuildId") \
    X(INSTRUMENTED, "Instrumented") \
    X(NOT_INSTRUMENTED, "NotInstrumented")
#define MPDATA_JSON_FUNCTION(X) \
    X(NAME, "Name") \
    X(GUID, "Guid") \
    X(FILE_PATH, "File") \
    X(LINE, "Line")
#define MPDATA_JSON_FRAME(X) \
    X(FUNCTION, "Function") \
    X(FILE_PATH, "File") \
    X(LINE, "Line") \
    X(COLUMN, "Column") \
    X(DISCRIMINATOR, "Discriminator") \
    X(INLINE, "Inline") \
    X(NO_LINES, "NoLines") \
    X(BINARY, "Binary") \
    X(TYPE, "Type") X(TYPE_BYTES, "TypeBytes") X(TYPE_FIELDS, "TypeFields") \
    X(ADDRESS, "Address")
#define MPDATA_JSON_CONTEXT(X) \
    X(CALLSTACK, "Callstack") \
    X(TRUNCATED, "Truncated") \
    X(LISTED, "Listed") \
    X(NOT_MEASURED, "NotMeasured") \
    X(NOT_ALL_SEEN, "NotAllSeen") \
    X(MIB, "MemInfoBlock") \
    X(HISTOGRAM, "Histogram") \
    X(DETAILS, "Details")
#define MPDATA_JSON_DETAIL(X) \
    X(KIND, "Kind") \
    X(BUCKET, "Bucket") \
    X(PLACE, "Place") \
    X(CALLSTACK, "Callstack") \
    X(BLOCKS, "Blocks") \
    X(BYTES, "Bytes")
#define MPDATA_JSON_SERIES(X) \
    X(RUN, "Run") \
    X(STEP, "Step") \
    X(DROPPED, "Dropped") \
    X(SAMPLES, "Samples") \
    X(MARKS, "Marks")
#define MPDATA_JSON_MARK(X) \
    X(NS, "Ns") \
    X(KIND, "Kind") \
    X(NAME, "Name") \
    X(BYTES, "Bytes")
#define MPDATA_JSON_PART(X) \
    X(KIND, "Kind") \
    X(NAME, "Name") \
    X(CALLSTACK, "Callstack") \
    X(TRUNCATED, "Truncated") \
    X(MIB, "MemInfoBlock")
#define MPDATA_JSON_COUNTERS(X) \
    X(VERSION, "Version") \
    X(VARIANT, "Variant") \
    X(SUMMARY, "Summary") \
    X(TABLE, "Table") \
    X(TABLE_OFFSET, "TableOffset") \
    X(VTABLES, "VTables") \
    X(TEMPORAL, "Temporal") \
    X(BINARY_IDS, "BinaryIds")
/* clang-format on */

/* For these lists: enum { LIST(MPDATA_JSON_ID) }, names[] = {LIST(..._KEY)}. */
#define MPDATA_JSON_ID(id, text) id,
#define MPDATA_JSON_KEY(id, text) text,

#endif
