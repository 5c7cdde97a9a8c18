/* parts.h -- tagged rows of a profile (part_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PARTS_H
#define MPDATA_PARTS_H

#include "profdata/base/set.h"
#include "profdata/model/profile.h"

/* Initialise with mpdata_parts_init(). */
struct mpdata_parts {
    struct mpdata_set set; /* struct mpdata_part */
    struct mpdata_mib_bases bases;
};

/* False when out of memory; fini is due either way. */
bool mpdata_parts_init(struct mpdata_parts *parts);
void mpdata_parts_fini(struct mpdata_parts *parts);

/* Merges *mib into the row of *key, or adds a row; key->mib is ignored. False
 * when out of memory. */
bool mpdata_parts_add(struct mpdata_parts *parts, const struct mpdata_part *key,
                      const struct mprof_mib *mib);

/* By kind, name and call stack, as numbers; for qsort(). */
int mpdata_parts_compare(const void *left, const void *right);

#endif
