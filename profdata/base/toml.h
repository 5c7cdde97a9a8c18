/* toml.h -- the part of TOML that files of settings need: tables and arrays of
 * tables with bare names, bare keys, strings of one line, whole numbers, true
 * and false. What else TOML has is an error, never something else than meant
 * (docs/decisions/0002-libraries.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TOML_H
#define MPDATA_TOML_H

#include "profdata/base/arena.h"
#include "profdata/base/vec.h"
#include "shared/err.h"

struct mpdata_toml_table {
    const char *name; /* "" of the first, which is there without a line */
    bool is_array;    /* one of several: [[name]] */
    uint32_t line;    /* of the file, from 1 on */
};

enum mpdata_toml_kind {
    MPDATA_TOML_STRING,
    MPDATA_TOML_NUMBER,
    MPDATA_TOML_BOOL
};

struct mpdata_toml_value {
    uint32_t table; /* index */
    uint32_t line;
    const char *key;
    enum mpdata_toml_kind kind;
    const char *text; /* of a string, without NULs inside */
    int64_t number;   /* or 0 and 1 */
};

#define MPDATA_TOML_WHY_BYTES 320

/* In the order of the file; owned. */
struct mpdata_toml {
    struct mpdata_vec tables; /* struct mpdata_toml_table */
    struct mpdata_vec values; /* struct mpdata_toml_value */
    struct mpdata_arena arena;
    /* After VALUE: */
    uint32_t bad_line;
    char why[MPDATA_TOML_WHY_BYTES];
};

/* Errors: VALUE, with bad_line and why; NOMEM. Fini is due either way. */
MPROF_NODISCARD enum mprof_err mpdata_toml_read(struct mpdata_toml *toml,
                                                const char *bytes, size_t size);
void mpdata_toml_fini(struct mpdata_toml *toml);

#endif
