/* compared.c -- makes all comparisons that a page needs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document.h"

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW

enum mprof_err
mpdata_compared_make(struct mpdata_compared *c,
                     const struct mpdata_profile *const profiles[2],
                     const char *const inputs[2], bool is_absolute)
{
    const struct mpdata_diff_options options = {.by = MPDATA_BY_STACK,
                                                .finds_metric = true,
                                                .is_absolute = is_absolute,
                                                .keeps_same = true};
    uint64_t runs[MPDATA_DIFF_SIDES];

    *c = (struct mpdata_compared){.inputs = {inputs[OLD], inputs[NEW]}};
    enum mprof_err err = mpdata_diff_make(&c->diff, profiles, &options);
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        c->held[m] = c->diff.sides[OLD].held[m] && c->diff.sides[NEW].held[m];
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        runs[side] = mprof_max_u64(c->diff.sides[side].runs.runs, 1);
    for (int by = MPDATA_BY_FUNCTION; err == MPROF_E_OK && by <= MPDATA_BY_FILE;
         by++)
        err =
            mpdata_pairing_make(&c->by[by], profiles, runs, (enum mpdata_by)by);
    return err;
}

void mpdata_compared_fini(struct mpdata_compared *c)
{
    mpdata_diff_fini(&c->diff);
    for (int by = MPDATA_BY_FUNCTION; by <= MPDATA_BY_FILE; by++)
        mpdata_pairing_fini(&c->by[by]);
}
