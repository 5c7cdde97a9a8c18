/* data_access.h -- the data access profile that LLVM's memory profile of
 * version 4 may hold: how often the program's static data was accessed. Not of
 * the heap and not measured by us: carried, and added up.
 *
 * Data is named by a symbol, or, where it is a string literal, by a hash of its
 * bytes. Merging is associative and commutative: counts are summed, locations
 * and known cold data joined; what was accessed in any profile is not cold.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DATA_ACCESS_H
#define MPDATA_DATA_ACCESS_H

#include "profdata/base/arena.h"
#include "profdata/model/profile.h"
#include "profdata/base/set.h"
#include "shared/buf.h"
#include "shared/err.h"

/* What one piece of data is: a row of strings, or a hash. */
struct mpdata_data_id {
    uint64_t id;
    bool is_literal; /* id is a hash */
};

struct mpdata_data_record {
    struct mpdata_data_id data;
    uint64_t count;
};

struct mpdata_data_location {
    uint32_t record; /* row */
    uint32_t file;   /* row of strings */
    uint32_t line;
};

/* Starts with mpdata_data_access_init(). */
struct mpdata_data_access {
    struct mpdata_set strings;   /* struct mpdata_str */
    struct mpdata_set records;   /* struct mpdata_data_record */
    struct mpdata_set locations; /* struct mpdata_data_location */
    struct mpdata_set cold;      /* struct mpdata_data_id */
    struct mpdata_arena arena;   /* bytes of strings */
};

void mpdata_data_access_init(struct mpdata_data_access *access);
void mpdata_data_access_fini(struct mpdata_data_access *access);
bool mpdata_data_access_is_empty(const struct mpdata_data_access *access);

/* Additions return false without memory. The row of a string in *row. A symbol
 * is cut to its canonical name, as LLVM does it: at the first '.' that is not
 * its first byte and not of ".__uniq." and the word after that. */
bool mpdata_data_access_string(struct mpdata_data_access *access,
                               const void *bytes, size_t size, uint32_t *row);
bool mpdata_data_access_symbol(struct mpdata_data_access *access,
                               const void *bytes, size_t size, uint32_t *row);
/* Adds to the count of an old record. */
bool mpdata_data_access_record(struct mpdata_data_access *access,
                               struct mpdata_data_id data, uint64_t count,
                               uint32_t *row);
bool mpdata_data_access_location(struct mpdata_data_access *access,
                                 uint32_t record, uint32_t file, uint32_t line);
bool mpdata_data_access_cold(struct mpdata_data_access *access,
                             struct mpdata_data_id data);

/* Adds all of *from, its counts `weight` times. */
MPROF_NODISCARD enum mprof_err
mpdata_data_access_merge(struct mpdata_data_access *into,
                         const struct mpdata_data_access *from,
                         uint64_t weight);

/* The same in the one order that depends on nothing but the content, into an
 * empty *out: strings ascend by bytes; records come with the most accesses
 * first, then symbols before literals, each ascending; locations by record,
 * file and line; cold data like records without counts. */
MPROF_NODISCARD enum mprof_err
mpdata_data_access_canonical(const struct mpdata_data_access *access,
                             struct mpdata_data_access *out);

/* -- LLVM's encoding (llvm_data_access.c) ------------------------------------ */

/* Reads the data access profile of an indexed file into *access, which must be
 * empty; none there is no error. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_data_access_read(const void *data, size_t size,
                             struct mpdata_data_access *access,
                             struct mprof_diag *diag);

/* Appends it. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_data_access_write(const struct mpdata_data_access *canonical,
                              struct mprof_buf *out);

#endif
