/* parse.h -- parses one input file as far as possible without a load context.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/file.h"
#include "profdata/events/event_choice.h"
#include "profdata/index/index_file.h"
#include "profdata/load/detect.h"
#include "profdata/raw/raw.h"

/* A parsed input: its bytes, its kind, and the result of its reader. The kind
 * is detected once; the directory of an indexed file is read once, and LLVM's
 * part is verified once. If several profiles follow each other in a file
 * (records.h), this is one of them. */
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
