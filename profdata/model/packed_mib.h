/* packed_mib.h -- many MIBs in little memory: of each what differs from a MIB
 * that it shares with others.
 *
 * Most fields of most MIBs are 0 or small, and files hold a column in which all
 * are alike in no bytes at all. So a MIB takes memory by what tells it from
 * others, and a field that nobody has takes none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PACKED_MIB_H
#define MPDATA_PACKED_MIB_H

#include "profdata/base/arena.h"
#include "profdata/base/vec.h"
#include "shared/mib.h"

/* What MIBs differ from, and those that are whole. Starts by
 * mpdata_packed_mib_bases_init(). */
struct mpdata_mib_bases {
    struct mpdata_vec rows;  /* struct mprof_mib; the first is empty */
    struct mprof_mib sample; /* of those that are far from the last base */
    uint32_t far_count;
    uint32_t whole_left; /* so many MIBs may stay whole */
    struct mpdata_arena wholes;
};

/* So many bytes of MIBs stay whole: small profiles are merged faster. */
#define MPDATA_MIB_WHOLE_BYTES (32u << 20)

/* In place of a base. */
#define MPDATA_MIB_WHOLE UINT32_MAX

/* A MIB. Zeroed it is an empty one. */
struct mpdata_packed_mib {
    uint32_t base; /* row, or MPDATA_MIB_WHOLE */
    union {
        struct mpdata_mib_difference *own; /* owned; NULL: equals its base */
        struct mprof_mib *whole;           /* of the bases */
    };
};

static inline bool
mpdata_packed_mib_is_empty(const struct mpdata_packed_mib *packed)
{
    return packed->base == 0 && packed->own == NULL;
}

/* False without memory; fini is due either way. */
bool mpdata_packed_mib_bases_init(struct mpdata_mib_bases *bases);
void mpdata_packed_mib_bases_fini(struct mpdata_mib_bases *bases);

/* Adds *mib by mprof_mib_merge(). False without memory; then *packed is what it
 * was. */
bool mpdata_packed_mib_merge(struct mpdata_packed_mib *packed,
                             struct mpdata_mib_bases *bases,
                             const struct mprof_mib *mib);
void mpdata_packed_mib_free(struct mpdata_packed_mib *packed);

/* The MIB, and one of its fields by index; bases: the rows. `unpack` is for
 * MIBs that are not whole. */
struct mprof_mib mpdata_packed_mib_get(const struct mpdata_packed_mib *packed,
                                       const struct mprof_mib *bases);
uint64_t mpdata_packed_mib_unpack(const struct mpdata_packed_mib *packed,
                                  const struct mprof_mib *bases, size_t index);
static inline uint64_t
mpdata_packed_mib_field(const struct mpdata_packed_mib *packed,
                        const struct mprof_mib *bases, size_t index)
{
    return packed->base == MPDATA_MIB_WHOLE && index < MPROF_MIB_FIELDS
               ? ((const uint64_t *)(const void *)packed->whole)[index]
               : mpdata_packed_mib_unpack(packed, bases, index);
}

#endif
