/* symcache_splits.h -- files of split DWARF that symbols depend on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMCACHE_SPLITS_H
#define MPDATA_SYMCACHE_SPLITS_H

#include "profdata/base/vec.h"

struct mpdata_symcache_split {
    char *path; /* owned */
    uint64_t stamp;
};

/* Rows of struct mpdata_symcache_split. */
void mpdata_symcache_splits_fini(struct mpdata_vec *splits);
/* Adds path[0..size); false without memory. */
bool mpdata_symcache_splits_push(struct mpdata_vec *splits, const char *path,
                                 size_t size, uint64_t stamp);
/* Adds a path with its stamp of now, unless it is there; false without memory.
 */
bool mpdata_symcache_splits_add(struct mpdata_vec *splits, const char *path);

#endif
