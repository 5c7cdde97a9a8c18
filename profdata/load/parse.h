/* parse.h -- parses one input file as far as possible without a load context.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PARSE_H
#define MPDATA_PARSE_H

#include "profdata/base/file.h"
#include "profdata/events/event_choice.h"
#include "profdata/index/index_file.h"
#include "profdata/load/detect.h"
#include "profdata/raw/raw.h"

/* A parsed input file: its bytes, its kind, and the result of its reader. The
 * kind is detected once; the directory of an indexed file is read once, and
 * LLVM's part is verified once. */
struct mpdata_parsed {
    struct mpdata_file file;
    enum mpdata_kind kind;
    struct mpdata_raw_file
        raw; /* MPDATA_KIND_RAW, _RAW_LLVM, _LOG, _HEAP_TEXT */
    struct mpdata_index_file index; /* MPDATA_KIND_INDEXED */
    enum mprof_err err;
    struct mprof_diag diag; /* set if err is not OK */
};

/* Step 1 of loading: opens the file at `path` ("-": standard input), unpacks
 * it, and parses it. Thread-safe. Stores failures in parsed->err: the errors of
 * the readers; MAGIC, with a sentence about what the file looks like, if it is
 * not a profile. choice: NULL, or which blocks count if the file is a log. */
void mpdata_parse(struct mpdata_parsed *parsed, const char *path,
                  bool verify_checksums, struct mpdata_event_choice *choice);
void mpdata_parse_free(struct mpdata_parsed *parsed);

#endif
