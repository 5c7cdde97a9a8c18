/* counters.h -- PGO counters that an indexed file holds beside (or without) a
 * memory profile: carried as they stand in the one input that has some. What
 * they say, and their sum, is llvm-profdata's business.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_COUNTERS_H
#define MPDATA_COUNTERS_H

#include "profdata/base/arena.h"
#include "profdata/base/vec.h"
#include "shared/buf.h"
#include "shared/err.h"
#include "shared/index_llvm.h"

struct mpdata_bytes {
    const uint8_t *data;
    uint64_t size;
};

/* Offsets in the hash table count from its first byte. Empty buckets have the
 * offset 0, so these many bytes, zeros, stand before the first one. */
#define MPDATA_COUNTERS_TABLE_START 8u

/* Zero-initialise by mpdata_counters_init(). Bytes live in the arena. */
struct mpdata_counters {
    bool is_present;
    uint64_t version;            /* of the header, without variant bits */
    uint64_t variant;            /* bits, without MPROF_INDEX_VARIANT_MEMPROF */
    uint64_t functions;          /* how many */
    struct mpdata_bytes summary; /* or two */
    struct mpdata_bytes table;   /* functions: a hash table of LLVM's */
    uint64_t table_off;          /* of the bucket count in it */
    struct mpdata_vec binary_ids; /* struct mpdata_bytes */
    struct mpdata_bytes vtables;  /* without the length before them */
    struct mpdata_bytes temporal; /* the whole section, or nothing */
    struct mpdata_arena arena;
};

void mpdata_counters_init(struct mpdata_counters *counters);
void mpdata_counters_fini(struct mpdata_counters *counters);

/* *from into *into, which is empty; then *from is. */
void mpdata_counters_move(struct mpdata_counters *into,
                          struct mpdata_counters *from);

/* Keeps a copy in the arena. False without memory. */
bool mpdata_counters_keep(struct mpdata_counters *counters, const void *data,
                          uint64_t size, struct mpdata_bytes *part);

/* Reads the counters of the LLVM part of an indexed file into *counters, which
 * must be empty. A file without counters leaves is_present false and is no
 * error. Nothing of data is kept. Errors: a reader's; UNSUPPORTED for counters
 * that cannot be written again. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_read(const void *data, size_t size,
                     struct mpdata_counters *counters, struct mprof_diag *diag);

/* Holds counters that were not read from an indexed file to the same rules.
 * Errors: the same. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_read_check(struct mpdata_counters *counters);

/* -- parts of an indexed file (llvm_write.c) --------------------------------- */

/* The version word's number and bits. */
uint64_t mpdata_counters_write_version(const struct mpdata_counters *counters);
/* Appends the hash table; *table_off: where its bucket count stands. */
void mpdata_counters_write_table(const struct mpdata_counters *counters,
                                 struct mprof_buf *out, uint64_t *table_off);

#endif
