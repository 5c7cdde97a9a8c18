/* subtract.c -- what a program allocated between two profiles of one run.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/subtract.h"
#include "profdata/base/vec.h"
#include "profdata/compare/pairing.h"

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

/* Fills rows[] by the pairing's number: context of the base + 1, or 0. */
static uint32_t *index_base(const struct mpdata_pairing *pairing,
                            const struct mpdata_profile *base)
{
    const uint32_t count = mpdata_profile_view(base).context_count;
    uint32_t *const rows = mpdata_vec_array(pairing->count, sizeof(*rows));

    for (uint32_t i = 0; rows != NULL && i < count; i++) {
        if (pairing->stacks[0][i] != UINT32_MAX)
            rows[pairing->stacks[0][i]] = i + 1;
    }
    return rows;
}

static void add_differences(struct mpdata_profile *into,
                            const struct mpdata_profile *const profiles[2],
                            const struct mpdata_pairing *pairing,
                            const uint32_t *rows)
{
    const struct mpdata_view base = mpdata_profile_view(profiles[0]);
    const struct mpdata_view now = mpdata_profile_view(profiles[1]);

    for (uint32_t i = 0; i < now.context_count; i++) {
        const struct mpdata_context *const c = &now.contexts[i];
        const uint32_t stack = pairing->stacks[1][i];
        const uint32_t row = stack != UINT32_MAX ? rows[stack] : 0;
        const struct mprof_mib mine = mpdata_view_mib(&now, i);
        const struct mprof_mib theirs =
            row != 0 ? mpdata_view_mib(&base, row - 1) : (struct mprof_mib){0};
        const struct mprof_mib mib = difference(&mine, &theirs);

        if (mib.AllocCount != 0 || mib.LiveBytes != 0)
            mpdata_profile_context(into, c->node, c->flags, &mib,
                                   (struct mpdata_cells){0});
    }
}

struct mpdata_profile *mpdata_subtract(const struct mpdata_profile *now,
                                       const struct mpdata_profile *base)
{
    const struct mpdata_profile *const profiles[2] = {base, now};
    struct mpdata_profile *result = mpdata_profile_new();
    struct mpdata_pairing pairing;
    uint32_t *rows = NULL;
    enum mprof_err err = mpdata_pairing_make(
        &pairing, profiles, (const uint64_t[]){1, 1}, MPDATA_BY_STACK);

    if (err == MPROF_E_OK && result != NULL)
        err = mpdata_profile_merge_rest(result, now);
    if (err == MPROF_E_OK)
        rows = index_base(&pairing, base);
    if (rows != NULL && result != NULL)
        add_differences(result, profiles, &pairing, rows);
    if (rows == NULL || result == NULL ||
        mpdata_profile_canonical_in_place(result) != MPROF_E_OK) {
        mpdata_profile_free(result);
        result = NULL;
    }
    free(rows);
    mpdata_pairing_fini(&pairing);
    return result;
}
