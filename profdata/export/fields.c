/* fields.c -- which fields of a MIB a profile has numbers for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/fields.h"

void mpdata_fields_used(const struct mpdata_export *what,
                        bool is_used[MPROF_MIB_FIELDS])
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    uint64_t bits[MPROF_MIB_FIELDS] = {0};

    for (uint32_t i = 0; i < view.context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(&view, i);

        for (size_t f = 0; f < MPROF_MIB_FIELDS; f++)
            bits[f] |= mprof_mib_get(&mib, f);
    }
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++)
        is_used[f] = f != MPROF_MIB_INDEX_AccessHistogram && bits[f] != 0;
    /* Values that stand for what is not known. */
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        is_used[mpdata_metrics[m].field] &= what->held[m];
}

void mpdata_fields_held(const struct mpdata_export *what,
                        bool is_held[MPROF_MIB_FIELDS])
{
    mpdata_fields_used(what, is_held);
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        is_held[mpdata_metrics[m].field] |= what->held[m];
}
