/* tagged.h -- tagged rows of a profile (tag_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TAGGED_H
#define MPDATA_TAGGED_H

#include "profdata/base/set.h"
#include "profdata/model/profile.h"

/* Initialise with mpdata_tagged_rows_init(). */
struct mpdata_tagged_rows {
    struct mpdata_set set; /* struct mpdata_tagged */
    struct mpdata_mib_bases bases;
};

/* False when out of memory; fini is due either way. */
bool mpdata_tagged_rows_init(struct mpdata_tagged_rows *tagged_rows);
void mpdata_tagged_rows_fini(struct mpdata_tagged_rows *tagged_rows);

/* Merges *mib into the row of *key, or adds a row; key->mib is ignored. False
 * when out of memory. */
bool mpdata_tagged_rows_add(struct mpdata_tagged_rows *tagged_rows,
                            const struct mpdata_tagged *key,
                            const struct mprof_mib *mib);

/* By kind, name and call stack, as numbers; for qsort(). */
int mpdata_tagged_rows_compare(const void *left, const void *right);

#endif
