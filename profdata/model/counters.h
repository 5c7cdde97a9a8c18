/* counters.h -- PGO counters that an indexed file holds beside (or without) a
 * memory profile: read, summed, written again.
 *
 * One input's counters are kept as they stand, in the order of its file. Those
 * of several are summed by LLVM's rules: counts saturate, bitmaps are or-ed,
 * value sites are joined by value. Where llvm-profdata keeps the first of two
 * that do not fit each other and warns, they are refused, because the first
 * depends on the order.
 *
 * Not thread-safe while it is being built.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_COUNTERS_H
#define MPDATA_COUNTERS_H

#include "profdata/base/arena.h"
#include "profdata/base/set.h"
#include "shared/buf.h"
#include "shared/err.h"
#include "shared/index_llvm.h"

/* What the values at a site are: LLVM's numbers of kinds. */
enum {
    MPDATA_VALUE_CALL, /* hashes of the names of functions */
    MPDATA_VALUE_SIZE,
    MPDATA_VALUE_VTABLE, /* hashes of names */
    MPDATA_VALUE_KINDS
};
/* Shapes of one function; more is refused. */
#define MPDATA_COUNTER_SHAPES_MAX 4096u

struct mpdata_value {
    uint64_t value;
    uint64_t count;
};

struct mpdata_value_site {
    struct mpdata_value *values;
    uint32_t count;
};

/* The counters of one function with one shape. */
struct mpdata_counter_record {
    uint64_t hash; /* of the shape */
    uint64_t *counts;
    uint64_t *bitmap; /* one byte of it in each */
    uint64_t count_count;
    uint64_t bitmap_count;
    struct mpdata_value_site *sites[MPDATA_VALUE_KINDS];
    uint32_t site_counts[MPDATA_VALUE_KINDS];
};

struct mpdata_counter_function {
    const char *name;
    uint64_t name_size;
    uint64_t key;              /* hash of the name in the table */
    struct mpdata_vec records; /* struct mpdata_counter_record */
};

struct mpdata_bytes {
    const uint8_t *data;
    uint64_t size;
};

/* Zero-initialise by mpdata_counters_init(). Arrays live in the arena. */
struct mpdata_counters {
    bool is_present;
    bool is_merged;   /* of several inputs: canonical order is due */
    uint64_t version; /* of the input's header, without variant bits */
    uint64_t variant; /* bits, without MPROF_INDEX_VARIANT_MEMPROF */
    struct mpdata_set functions;
    struct mpdata_vec binary_ids; /* struct mpdata_bytes */
    struct mpdata_bytes summary;  /* as they stand in the only input */
    struct mpdata_bytes vtables;  /* without the length before them */
    struct mpdata_bytes temporal; /* the whole section, or nothing */
    struct mpdata_arena arena;
};

void mpdata_counters_init(struct mpdata_counters *counters);
void mpdata_counters_fini(struct mpdata_counters *counters);

/* Reads the counters of the LLVM part of an indexed file into *counters, which
 * must be empty. A file without counters leaves is_present false and is no
 * error. Nothing of data is kept. Errors: a reader's; UNSUPPORTED for counters
 * that cannot be written again. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_read(const void *data, size_t size,
                     struct mpdata_counters *counters, struct mprof_diag *diag);

/* Holds counters that were not read from an indexed file to the same rules, as
 * if they had been written to one and read. Errors: UNSUPPORTED, VALUE,
 * TRUNCATED, DUPLICATE, LIMIT. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_read_check(struct mpdata_counters *counters);

/* MPROF_E_OK where mpdata_counters_merge() can add *from, MIXED with a sentence
 * where they do not fit each other. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_match(const struct mpdata_counters *into,
                      const struct mpdata_counters *from,
                      struct mprof_diag *diag);

/* Adds *from, `weight` times (at least 1). Nothing of it is kept. Both must
 * fit. Errors: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_merge(struct mpdata_counters *into,
                      const struct mpdata_counters *from, uint64_t weight);

/* Brings counters of several inputs into the order that depends on nothing but
 * them, and cuts value sites to the number that the format can hold. */
void mpdata_counters_canonical(struct mpdata_counters *counters);

/* -- parts of an indexed file, appended to *out (llvm_write.c) -------- */

/* The version word's number and bits. */
uint64_t mpdata_counters_write_version(const struct mpdata_counters *counters);
/* The summary, and that of context-sensitive counters where there are any. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_write_summary(const struct mpdata_counters *counters,
                              struct mprof_buf *out);
MPROF_NODISCARD enum mprof_err
mpdata_counters_write_table(const struct mpdata_counters *counters,
                            struct mprof_buf *out, uint64_t *table_off);
void mpdata_counters_write_vtables(const struct mpdata_counters *counters,
                                   struct mprof_buf *out);

#endif
