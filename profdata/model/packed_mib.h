/* packed_mib.h -- many MIBs in little memory: each as its difference from a
 * base that it shares with others.
 *
 * Most fields of most MIBs are 0 or small, and a file's column takes no bytes
 * if all rows are equal. So a MIB's memory depends on its difference from other
 * MIBs, and a field that no MIB has takes none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "shared/mib.h"

/* Initialise with mpdata_packed_mib_bases_init(). */
struct mpdata_mib_bases {
    struct mpdata_vec rows;  /* struct mprof_mib; row 0 is the empty MIB */
    struct mprof_mib sample; /* one of the MIBs far from the last base */
    uint32_t far_count;
};

/* A MIB. Zeroed it is an empty one. */
struct mpdata_packed_mib {
    uint32_t base;                     /* row */
    struct mpdata_mib_difference *own; /* owned; NULL: equals its base */
};

static inline bool
mpdata_packed_mib_is_empty(const struct mpdata_packed_mib *packed)
{
    return packed->base == 0 && packed->own == NULL;
}

/* False when out of memory; fini is due either way. */
bool mpdata_packed_mib_bases_init(struct mpdata_mib_bases *bases);
void mpdata_packed_mib_bases_fini(struct mpdata_mib_bases *bases);

/* Adds *mib by mprof_mib_merge(). False when out of memory; *packed is
 * unchanged then. */
bool mpdata_packed_mib_merge(struct mpdata_packed_mib *packed,
                             struct mpdata_mib_bases *bases,
                             const struct mprof_mib *mib);
void mpdata_packed_mib_free(struct mpdata_packed_mib *packed);

/* The MIB, and one of its fields by index; bases: bases->rows. */
struct mprof_mib mpdata_packed_mib_get(const struct mpdata_packed_mib *packed,
                                       const struct mprof_mib *bases);
uint64_t mpdata_packed_mib_field(const struct mpdata_packed_mib *packed,
                                 const struct mprof_mib *bases, size_t index);
