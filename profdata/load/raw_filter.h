/* raw_filter.h -- selects call stacks of raw dumps before they are symbolized,
 * when addresses still tell their binaries.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/raw/raw.h"

/* Keeps a context if its call stack has a frame in a binary for which matches()
 * is true and none for which excludes() is true, and if matches_thread() is
 * true for the name of its thread. A NULL function imposes no condition. The
 * counters cover all dumps that were filtered so far. */
struct mpdata_raw_filter {
    bool (*matches)(void *context, const struct mpdata_raw_module *module);
    bool (*excludes)(void *context, const struct mpdata_raw_module *module);
    bool (*matches_thread)(void *context, const struct mpdata_str *name);
    void *context;
    uint64_t dumps;        /* dumps that were filtered */
    uint64_t contexts;     /* contexts seen; the sum over all dumps */
    uint64_t bytes;        /* bytes that these contexts allocated */
    struct mprof_mib gone; /* removed contexts, as LEFT_OUT (tag_format.h) */
    uint64_t leak_checked_blocks; /* of all contexts seen */
};

/* Removes all other contexts, events and blocks of pools from *raw. Errors:
 * NOMEM; UNSUPPORTED if *raw lacks the names of threads. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_filter(struct mpdata_raw *raw, struct mpdata_raw_filter *filter,
                  struct mprof_diag *diag);
/* Returns a filter with the same conditions and zeroed counters. */
struct mpdata_raw_filter
mpdata_raw_filter_fresh(const struct mpdata_raw_filter *filter);
/* Adds the counters of `other`, whose dumps count `weight` times. */
void mpdata_raw_filter_add(struct mpdata_raw_filter *filter,
                           const struct mpdata_raw_filter *other,
                           uint64_t weight);
/* Returns UNSUPPORTED with a message: a profile that is not raw cannot be
 * filtered by binary or thread. `what` names the kind of profile. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_filter_refuse(const struct mpdata_raw_filter *filter,
                         const char *what, struct mprof_diag *diag);
