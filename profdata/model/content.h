/* content.h -- all that a profile holds on its way from readers to writers:
 * call stacks, and PGO counters of an LLVM indexed file.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "profdata/base/arena.h"
#include "profdata/base/vec.h"
#include "shared/buf.h"
#include "shared/err.h"
#include "shared/index_llvm.h"

/* counters.c -- PGO counters of an indexed file, with or without a memory
 * profile. They are copied unchanged from the only input that has any;
 * llvm-profdata interprets and sums them. */

struct mpdata_bytes {
    const uint8_t *data;
    uint64_t size;
};

/* Offsets in the hash table are relative to its first byte. Offset 0 means an
 * empty bucket, so this many zero bytes come before the first one. */
#define MPDATA_COUNTERS_TABLE_START 8u

/* Initialise with mpdata_counters_init(). Bytes live in the arena. */
struct mpdata_counters {
    bool is_present;
    uint64_t version;            /* of the header, without variant bits */
    uint64_t variant;            /* bits, without MPROF_INDEX_VARIANT_MEMPROF */
    uint64_t functions;          /* number of functions */
    struct mpdata_bytes summary; /* one or two summaries */
    struct mpdata_bytes table;   /* functions: LLVM's hash table */
    uint64_t table_off;          /* offset of its bucket count */
    struct mpdata_vec binary_ids; /* struct mpdata_bytes */
    struct mpdata_bytes vtables;  /* without their length */
    struct mpdata_bytes temporal; /* the whole section, or empty */
    struct mpdata_arena arena;
};

void mpdata_counters_init(struct mpdata_counters *counters);
void mpdata_counters_fini(struct mpdata_counters *counters);

/* Moves *from into the empty *into; *from is empty then. */
void mpdata_counters_move(struct mpdata_counters *into,
                          struct mpdata_counters *from);

/* Copies data into the arena. False when out of memory. */
bool mpdata_counters_keep(struct mpdata_counters *counters, const void *data,
                          uint64_t size, struct mpdata_bytes *part);

/* Reads the counters of an indexed file's LLVM part into the empty *counters. A
 * file without counters leaves is_present false. Keeps no pointer to data.
 * Errors: a reader's; UNSUPPORTED for counters that cannot be written again. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_read(const void *data, size_t size,
                     struct mpdata_counters *counters, struct mprof_diag *diag);

/* Checks counters from another source by the same rules. Errors: the same. */
MPROF_NODISCARD enum mprof_err
mpdata_counters_read_check(struct mpdata_counters *counters);

/* -- parts of an indexed file (llvm_write.c) --------------------------------- */

/* The version word: number and variant bits. */
uint64_t mpdata_counters_write_version(const struct mpdata_counters *counters);
/* Appends the hash table; *table_off: offset of its bucket count. */
void mpdata_counters_write_table(const struct mpdata_counters *counters,
                                 struct mprof_buf *out, uint64_t *table_off);

/* content.c */

/* Owned. With only `profile` set, the rest zeroed, it may only be written. */
struct mpdata_content {
    struct mpdata_profile *profile;
    struct mpdata_counters counters; /* of PGO */
};

/* Makes an empty content. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_content_init(struct mpdata_content *content);
void mpdata_content_fini(struct mpdata_content *content);

/* Does it have a memory profile, even an empty one, or only counters? */
bool mpdata_content_has_memory(const struct mpdata_content *content);

/* Checks that *from can be added `weight` times. UNSUPPORTED with a sentence if
 * both have PGO counters, or if counters would get a weight. */
MPROF_NODISCARD enum mprof_err
mpdata_content_fits(const struct mpdata_content *into,
                    const struct mpdata_content *from, uint64_t weight,
                    struct mprof_diag *diag);

/* Adds *from `weight` times (at least 1); uses up the profile and the counters
 * of *from. If it does not fit, *into is unchanged. Errors: UNSUPPORTED, NOMEM,
 * LIMIT. */
MPROF_NODISCARD enum mprof_err mpdata_content_merge(struct mpdata_content *into,
                                                    struct mpdata_content *from,
                                                    uint64_t weight,
                                                    struct mprof_diag *diag);
