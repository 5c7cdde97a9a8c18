/* text_write.h -- a profile as text that loses nothing: YAML of our own.
 *
 *   MemprofdataText: 1                      version of the form; always first
 *   Runs: [{COLUMN: VALUE, ...}, ...]       columns of the RUNS section
 *   Binaries: [{Path, BuildId}, ...]
 *   Functions: [{Name, Guid, File, Line}, ...]
 *   Frames: [{Function: index, File, Line, Column, Discriminator, Inline: true,
 *             NoLines: true, Binary: index, Address}, ...]
 *   Contexts: [{Callstack: [index of a frame, ...] leaf first, Truncated: true,
 *               Listed: true, MemInfoBlock: {FIELD: NUMBER, ...},
 *               Histogram: [NUMBER, ...]}, ...]
 *   Listed: [{Guid, Kind, Callee, Frames: [...] as in LLVM's form}, ...]
 *                                           what llvm_sites.h keeps
 *   DataAccessProfiles: as in LLVM's form
 *   Counters: {Version, Variant, Summary, VTables, Temporal, BinaryIds: [...],
 *     Functions: [{Name, Key, Records: [{Hash, Counts: [...], Bitmap: [...],
 *       Values: [[[VALUE, COUNT, ...] for each site], ...] for each kind}]}]}
 *
 * Of numbers and flags that are 0, of strings that are empty and of lists
 * without items nothing is written. Indexes count from 0 in the order of the
 * lists above. Strings that YAML cannot hold, and bytes that are no text, are
 * hexadecimal digits after the tag !hex.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TEXT_WRITE_H
#define MPDATA_TEXT_WRITE_H

#include "profdata/model/content.h"
#include "shared/cursor.h"

#define MPDATA_YAML_TEXT "MemprofdataText"
#define MPDATA_TEXT_VERSION 1

/* Keys that the writer and the reader (yaml_text.c, yaml_counters.c) share. */
/* clang-format off */
#define MPDATA_TEXT_TOP(X) \
    X(RUNS, "Runs") \
    X(BINARIES, "Binaries") \
    X(FUNCTIONS, "Functions") \
    X(FRAMES, "Frames") \
    X(CONTEXTS, "Contexts") \
    X(LISTED, "Listed") \
    X(DATA_ACCESS, "DataAccessProfiles") \
    X(COUNTERS, "Counters")
#define MPDATA_TEXT_BINARY(X) \
    X(PATH, "Path") \
    X(BUILD_ID, "BuildId")
#define MPDATA_TEXT_FUNCTION(X) \
    X(NAME, "Name") \
    X(GUID, "Guid") \
    X(FILE_PATH, "File") \
    X(LINE, "Line")
#define MPDATA_TEXT_FRAME(X) \
    X(FUNCTION, "Function") \
    X(FILE_PATH, "File") \
    X(LINE, "Line") \
    X(COLUMN, "Column") \
    X(DISCRIMINATOR, "Discriminator") \
    X(INLINE, "Inline") \
    X(NO_LINES, "NoLines") \
    X(BINARY, "Binary") \
    X(ADDRESS, "Address")
#define MPDATA_TEXT_CONTEXT(X) \
    X(CALLSTACK, "Callstack") \
    X(TRUNCATED, "Truncated") \
    X(LISTED, "Listed") \
    X(MIB, "MemInfoBlock") \
    X(HISTOGRAM, "Histogram")
#define MPDATA_TEXT_LISTED(X) \
    X(GUID, "Guid") \
    X(KIND, "Kind") \
    X(CALLEE, "Callee") \
    X(FRAMES, "Frames")
#define MPDATA_TEXT_COUNTERS(X) \
    X(VERSION, "Version") \
    X(VARIANT, "Variant") \
    X(SUMMARY, "Summary") \
    X(VTABLES, "VTables") \
    X(TEMPORAL, "Temporal") \
    X(BINARY_IDS, "BinaryIds") \
    X(FUNCTIONS, "Functions")
#define MPDATA_TEXT_COUNTER_FUNCTION(X) \
    X(NAME, "Name") \
    X(KEY, "Key") \
    X(RECORDS, "Records")
#define MPDATA_TEXT_COUNTER_RECORD(X) \
    X(HASH, "Hash") \
    X(COUNTS, "Counts") \
    X(BITMAP, "Bitmap") \
    X(VALUES, "Values")
/* clang-format on */

/* For these lists: enum { LIST(MPDATA_TEXT_ID) }, texts[] = {LIST(..._KEY)}. */
#define MPDATA_TEXT_ID(id, text) id,
#define MPDATA_TEXT_KEY(id, text) text,

/* Appends the content, in order, to *out, which must be empty. The same content
 * gives the same bytes. Errors: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_text_write(const struct mpdata_content *canonical,
                  struct mprof_buf *out);

#endif
