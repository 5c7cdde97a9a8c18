/* parts.c -- tagged rows of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/parts.h"

int mpdata_parts_compare(const void *left, const void *right)
{
    const struct mpdata_part *const a = left;
    const struct mpdata_part *const b = right;

    if (a->kind != b->kind)
        return mprof_compare_u64(a->kind, b->kind);
    if (a->name != b->name)
        return mprof_compare_u64(a->name, b->name);
    return mprof_compare_u64(a->node, b->node);
}

bool mpdata_parts_init(struct mpdata_parts *parts)
{
    mpdata_set_init(&parts->set, MPDATA_SET_KEY(struct mpdata_part, node),
                    sizeof(struct mpdata_part));
    return mpdata_packed_mib_bases_init(&parts->bases);
}

void mpdata_parts_fini(struct mpdata_parts *parts)
{
    struct mpdata_part *const rows = parts->set.rows.data;

    for (uint32_t i = 0; i < parts->set.rows.count; i++)
        mpdata_packed_mib_free(&rows[i].mib);
    mpdata_set_fini(&parts->set);
    mpdata_packed_mib_bases_fini(&parts->bases);
}

bool mpdata_parts_add(struct mpdata_parts *parts, const struct mpdata_part *key,
                      const struct mprof_mib *mib)
{
    struct mpdata_part new_row = *key;
    struct mpdata_part *row;
    uint32_t ref;

    new_row.mib = (struct mpdata_packed_mib){.base = 0};
    ref = mpdata_set_add(&parts->set, &new_row, NULL);
    if (ref == 0)
        return false;
    row = (struct mpdata_part *)parts->set.rows.data + ref - 1;
    row->flags |= key->flags;
    return mpdata_packed_mib_merge(&row->mib, &parts->bases, mib);
}
