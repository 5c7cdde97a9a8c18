/* parse.h -- a file as far as it can be read by itself, without what the inputs
 * of one profile share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PARSE_H
#define MPDATA_PARSE_H

#include "profdata/base/file.h"
#include "profdata/index/index_file.h"
#include "profdata/load/detect.h"
#include "profdata/raw/raw.h"

/* A profile on the way: its bytes, what it is, and what was found out so far.
 * What a file is, is asked once; an indexed file's directory is read and LLVM's
 * part verified once. */
struct mpdata_parsed {
    struct mpdata_file file;
    enum mpdata_kind kind;
    struct mpdata_raw_file raw;     /* of a raw profile */
    struct mpdata_index_file index; /* of an indexed one */
    enum mprof_err err;
    struct mprof_diag diag; /* with err */
};

/* The first step of loading, for which any number of threads may be at work:
 * opens the file at `path` ("-": standard input), unpacks it, and parses it as
 * far as that needs no load context. It fails in parsed->err: as the readers
 * do; MAGIC with what the file looks like where it is no profile. */
void mpdata_parse(struct mpdata_parsed *parsed, const char *path,
                  bool verify_checksums);
void mpdata_parse_free(struct mpdata_parsed *parsed);

#endif
