/* chash.h -- writes and reads LLVM's on-disk chained hash table (layout:
 * shared/index_llvm.h), whatever its keys and data mean.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"
#include "shared/err.h"

/* The items of a table to write. */
struct mpdata_chash_source {
    uint64_t count;
    const void *context;
    /* The hash of item i. */
    uint64_t (*hash)(const void *context, uint64_t i);
    /* Appends the lengths in the table's form, then key and data. */
    void (*write)(const void *context, uint64_t i, struct mprof_buf *out);
};

/* Appends the payload and the table to *out, whose start is the base of all
 * offsets. *table_off: offset of the bucket count, for headers. Errors: NOMEM,
 * LIMIT. */
MPROF_NODISCARD enum mprof_err
mpdata_chash_write(const struct mpdata_chash_source *source,
                   struct mprof_buf *out, uint64_t *table_off);

/* A table in a foreign file; borrows its bytes. */
struct mpdata_chash {
    const uint8_t *data; /* base of offsets */
    size_t size;
    uint64_t file_off;
    const char *section;
    uint64_t table_off;
    uint64_t buckets;
    uint64_t entries;
    /* 0: items have a u64 key length; else the length of all keys, and items
     * have only a u64 data length. */
    uint32_t key_bytes;
};

/* One item: views into the table's bytes. */
struct mpdata_chash_item {
    uint64_t hash;
    const uint8_t *key;
    size_t key_size;
    const uint8_t *data;
    size_t data_size;
    uint64_t file_off; /* of the data, for messages */
};

/* Checks that the bucket array is inside the data, and the counts. */
MPROF_NODISCARD enum mprof_err
mpdata_chash_open(struct mpdata_chash *table, const void *data, size_t size,
                  uint64_t table_off, uint64_t file_off, uint32_t key_bytes,
                  const char *section, struct mprof_diag *diag);

/* Visits all items in the order of the file; stops at the first error of
 * visit() and returns it. Buckets must be in order without overlap, so visiting
 * all items takes time linear in the size of the file. */
typedef enum mprof_err
mpdata_chash_visit_fn(void *context, const struct mpdata_chash_item *item,
                      struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err
mpdata_chash_visit(const struct mpdata_chash *table,
                   mpdata_chash_visit_fn *visit, void *context,
                   struct mprof_diag *diag);

/* Finds the item with this hash and key. If there is none, *found is false and
 * *item unchanged. */
MPROF_NODISCARD enum mprof_err
mpdata_chash_find(const struct mpdata_chash *table, uint64_t hash,
                  const void *key, size_t key_size, bool *found,
                  struct mpdata_chash_item *item, struct mprof_diag *diag);
