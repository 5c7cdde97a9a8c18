/* parse.h -- parses one input file as far as possible without a load context.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/file.h"
#include "profdata/events/event_choice.h"
#include "profdata/index/index.h"
#include "profdata/raw/raw.h"
#include "shared/base.h"
#include "shared/err.h"

/* detect.c -- finds the kind of an input file from its content. */

enum mpdata_kind {
    MPDATA_KIND_UNKNOWN,
    MPDATA_KIND_RAW,       /* our raw profile */
    MPDATA_KIND_RAW_LLVM,  /* LLVM's raw memory profile */
    MPDATA_KIND_INDEXED,   /* an indexed profile, LLVM's or ours */
    MPDATA_KIND_TEXT,      /* a profile as JSON */
    MPDATA_KIND_LLVM_TEXT, /* LLVM's YAML or text of counters: refused */
    MPDATA_KIND_FOREIGN,   /* another tool's profile (import/foreign.h) */
    MPDATA_KIND_LOG,       /* our log of a run */
    MPDATA_KIND_HEAP_TEXT, /* another tool's addresses (import/heap_text.h) */
    MPDATA_KIND_RECORD     /* a profile with its length before it */
};

enum mpdata_kind mpdata_detect(const uint8_t *data, size_t size);

/* Returns a sentence for a file of MPDATA_KIND_LLVM_TEXT: what the file is, and
 * which command to run first. A literal. */
const char *mpdata_detect_llvm_text(const uint8_t *data, size_t size);

/* Returns a sentence that names what an unknown file probably is ("it is an ELF
 * file; ..."), or NULL. A literal. */
const char *mpdata_detect_lookalike(const uint8_t *data, size_t size);

/* parse.c */

/* A parsed input: its bytes, its kind, and the result of its reader. The kind
 * is detected once; the directory of an indexed file is read once, and LLVM's
 * part is verified once. If several profiles follow each other in a file
 * (below), this is one of them. */
struct mpdata_parsed {
    struct mpdata_file file; /* without the rest */
    uint64_t start;          /* offset of this profile in the file */
    uint32_t number;         /* of this profile, from 1 on */
    const uint8_t *rest;     /* the profiles behind it; borrowed */
    size_t rest_bytes;
    bool verifies_checksums;
    struct mpdata_event_choice *choice; /* borrowed; NULL: none */
    enum mpdata_kind kind;
    struct mpdata_raw_file
        raw; /* MPDATA_KIND_RAW, _RAW_LLVM, _LOG, _HEAP_TEXT */
    struct mpdata_index_file index; /* MPDATA_KIND_INDEXED */
    enum mprof_err err;
    struct mprof_diag diag; /* set if err is not OK */
};

/* Opens the input at `path` ("-": standard input) and unpacks it. Reads no more
 * of a pipe than shows that it is no input. mpdata_file_close() is due, also
 * after a failure. diag may be NULL. Errors: those of mpdata_file_open_input()
 * and mpdata_unpack(). */
MPROF_NODISCARD enum mprof_err mpdata_parse_open(struct mpdata_file *file,
                                                 const char *path,
                                                 struct mprof_diag *diag);

/* Step 1 of loading: opens the file at `path` ("-": standard input), unpacks
 * it, and parses it. Thread-safe. Stores failures in parsed->err: the errors of
 * the readers; MAGIC, with a sentence about what the file looks like, if it is
 * not a profile. choice: NULL, or which blocks count if the file is a log. */
void mpdata_parse(struct mpdata_parsed *parsed, const char *path,
                  bool verify_checksums, struct mpdata_event_choice *choice);

/* Parses the first profile of the rest of *parsed, which must not be freed
 * before. Only if rest_bytes is not 0. */
void mpdata_parse_next(struct mpdata_parsed *next,
                       const struct mpdata_parsed *parsed);

/* Adds to an error of one of several profiles in a file which one it is. */
void mpdata_parse_say_which(const struct mpdata_parsed *parsed,
                            struct mprof_diag *diag);
void mpdata_parse_free(struct mpdata_parsed *parsed);

/* records.c -- finds where a profile ends, so that profiles of several kinds
 * may follow each other in one file or stream.
 *
 * Our raw profiles and LLVM's say their size, our indexed profiles end in a
 * directory that says where they began, and JSON ends with its last brace.
 * Consecutive raw profiles are one record (raw/raw.h). Other kinds extend to
 * the end of the data, unless their length stands before them
 * (shared/record_format.h). */

/* Sets *bytes to the size of the profile of the given kind at the start of
 * data[0..size), with the blanks that follow text, or of the length-prefixed
 * record. What is damaged extends to the end. Errors: UNSUPPORTED if another
 * profile follows one of LLVM's indexed profiles, whose end is not known;
 * TRUNCATED if a record is longer than the data. */
MPROF_NODISCARD enum mprof_err
mpdata_records_first(const uint8_t *data, size_t size, enum mpdata_kind kind,
                     size_t *bytes, struct mprof_diag *diag);

/* unpack.c -- decompresses inputs that were compressed as a whole with zstd or
 * gzip. */

/* Replaces the bytes of a compressed file by the decompressed bytes; leaves any
 * other file unchanged. Bounds memory by the largest ratio that the compression
 * can reach. Errors: CODEC, TRUNCATED, NOMEM; the file is unchanged then. diag
 * may be NULL. */
MPROF_NODISCARD enum mprof_err mpdata_unpack(struct mpdata_file *file,
                                             struct mprof_diag *diag);

/* Could the bytes be a profile, compressed or not? */
bool mpdata_unpack_is_rejectable(const uint8_t *data, size_t size);
