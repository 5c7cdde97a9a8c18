/* tagged.c -- tagged rows of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/tagged.h"

int mpdata_tagged_rows_compare(const void *left, const void *right)
{
    const struct mpdata_tagged *const a = left;
    const struct mpdata_tagged *const b = right;

    if (a->kind != b->kind)
        return mprof_compare_u64(a->kind, b->kind);
    if (a->name != b->name)
        return mprof_compare_u64(a->name, b->name);
    return mprof_compare_u64(a->node, b->node);
}

bool mpdata_tagged_rows_init(struct mpdata_tagged_rows *tagged_rows)
{
    mpdata_set_init(&tagged_rows->set,
                    MPDATA_SET_KEY(struct mpdata_tagged, node),
                    sizeof(struct mpdata_tagged));
    return mpdata_packed_mib_bases_init(&tagged_rows->bases);
}

void mpdata_tagged_rows_fini(struct mpdata_tagged_rows *tagged_rows)
{
    struct mpdata_tagged *const rows = tagged_rows->set.rows.data;

    for (uint32_t i = 0; i < tagged_rows->set.rows.count; i++)
        mpdata_packed_mib_free(&rows[i].mib);
    mpdata_set_fini(&tagged_rows->set);
    mpdata_packed_mib_bases_fini(&tagged_rows->bases);
}

bool mpdata_tagged_rows_add(struct mpdata_tagged_rows *tagged_rows,
                            const struct mpdata_tagged *key,
                            const struct mprof_mib *mib)
{
    struct mpdata_tagged new_row = *key;
    struct mpdata_tagged *row;
    uint32_t ref;

    new_row.mib = (struct mpdata_packed_mib){.base = 0};
    ref = mpdata_set_add(&tagged_rows->set, &new_row, NULL);
    if (ref == 0)
        return false;
    row = (struct mpdata_tagged *)tagged_rows->set.rows.data + ref - 1;
    row->flags |= key->flags;
    return mpdata_packed_mib_merge(&row->mib, &tagged_rows->bases, mib);
}
