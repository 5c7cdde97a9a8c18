/* raw_filter.h -- which call stacks of a raw profile are wanted. Asked before
 * symbolizing, because only addresses say which binary they are in.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RAW_FILTER_H
#define MPDATA_RAW_FILTER_H

#include "profdata/raw/raw.h"

/* Keeps call stacks with a frame in a module for which matches() is true and
 * with none for which excludes() is, of threads with a name for which
 * matches_thread() is true, and counts. NULL: any, but of excludes() none.
 */
struct mpdata_raw_filter {
    bool (*matches)(void *context, const struct mpdata_raw_module *module);
    bool (*excludes)(void *context, const struct mpdata_raw_module *module);
    bool (*matches_thread)(void *context, const struct mpdata_str *name);
    void *context;
    uint64_t dumps;        /* asked about so far */
    uint64_t contexts;     /* of them; those of several dumps more than once */
    uint64_t bytes;        /* that they allocated */
    struct mprof_mib gone; /* of them: as a part LEFT_OUT (part_format.h) */
    uint64_t leak_checked_blocks; /* of those asked about */
};

/* Takes the other contexts, events and blocks of pools out of *raw. Errors:
 * NOMEM; UNSUPPORTED where *raw does not say what is asked. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_filter(struct mpdata_raw *raw, struct mpdata_raw_filter *filter,
                  struct mprof_diag *diag);
/* One that asks the same and has counted nothing. */
struct mpdata_raw_filter
mpdata_raw_filter_fresh(const struct mpdata_raw_filter *filter);
/* Adds what such a one counted, of dumps that count `weight` times. */
void mpdata_raw_filter_add(struct mpdata_raw_filter *filter,
                           const struct mpdata_raw_filter *other,
                           uint64_t weight);
/* UNSUPPORTED, for a profile that is not raw: it cannot answer. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_filter_refuse(const struct mpdata_raw_filter *filter,
                         const char *what, struct mprof_diag *diag);

#endif
