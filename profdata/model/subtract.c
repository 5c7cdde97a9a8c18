/* subtract.c -- what a program allocated between two profiles of one run. The
 * call stacks of both are added to one profile, so equal ones have one node.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/transforms.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

static struct mprof_mib difference(const struct mprof_mib *now,
                                   const struct mprof_mib *base)
{
    struct mprof_mib mib = {0};

    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].merge == MPROF_MERGE_SUM &&
            mprof_mib_is_held(now, i))
            mprof_mib_set(&mib, i,
                          mprof_sub_sat_u64(mprof_mib_get(now, i),
                                            mprof_mib_get(base, i)));
    }
    return mib;
}

/* rows: by node, context of the base + 1, or 0 */
static void add_differences(struct mpdata_profile *into,
                            const struct mpdata_view *now,
                            const struct mpdata_view *base,
                            const uint32_t *rows)
{
    for (uint32_t i = 0; i < now->context_count; i++) {
        const struct mpdata_context *const c = &now->contexts[i];
        const uint32_t row = rows[c->node];
        const struct mprof_mib mine = mpdata_view_mib(now, i);
        const struct mprof_mib theirs =
            row != 0 ? mpdata_view_mib(base, row - 1) : (struct mprof_mib){0};
        const struct mprof_mib mib = difference(&mine, &theirs);

        if (mib.AllocCount != 0 || mib.LiveBytes != 0)
            mpdata_profile_context(into, c->node, c->flags, &mib,
                                   MPDATA_CELLS_NONE);
    }
}

/* The result gets the nodes of `now` first, so these keep their numbers. */
static enum mprof_err subtract(struct mpdata_profile *result,
                               const struct mpdata_profile *now,
                               const struct mpdata_profile *base,
                               mpdata_ref *nodes, uint32_t *rows)
{
    const struct mpdata_view view = mpdata_profile_view(now);
    const struct mpdata_view old = mpdata_profile_view(base);
    enum mprof_err err = mpdata_profile_merge_rest(result, now);

    if (err == MPROF_E_OK)
        err = mpdata_profile_merge_nodes(result, base, nodes);
    if (err != MPROF_E_OK)
        return err;
    for (uint32_t i = 0; i < old.context_count; i++) {
        if (nodes[i] <= view.node_count)
            rows[nodes[i]] = i + 1;
    }
    add_differences(result, &view, &old, rows);
    return mpdata_profile_canonical_in_place(result);
}

struct mpdata_profile *mpdata_subtract(const struct mpdata_profile *now,
                                       const struct mpdata_profile *base)
{
    const uint32_t node_count = mpdata_profile_view(now).node_count;
    struct mpdata_profile *result = mpdata_profile_new();
    mpdata_ref *const nodes = mpdata_vec_array(
        mpdata_profile_view(base).context_count, sizeof(*nodes));
    uint32_t *const rows =
        mpdata_vec_array((size_t)node_count + 1, sizeof(*rows));

    if (result == NULL || nodes == NULL || rows == NULL ||
        subtract(result, now, base, nodes, rows) != MPROF_E_OK) {
        mpdata_profile_free(result);
        result = NULL;
    }
    free(nodes);
    free(rows);
    return result;
}
