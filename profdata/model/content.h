/* content.h -- all that a profile holds, as it travels from the readers to the
 * writers: call stacks that allocated, and what an indexed file of LLVM's may
 * have beside them.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CONTENT_H
#define MPDATA_CONTENT_H

#include "profdata/model/counters.h"
#include "profdata/model/profile.h"

/* Owned. Zeroed but for the profile it is that profile alone, good for writing
 * and for nothing else. */
struct mpdata_content {
    struct mpdata_profile *profile;
    struct mpdata_counters counters; /* PGO's */
};

/* Nothing in it. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_content_init(struct mpdata_content *content);
void mpdata_content_fini(struct mpdata_content *content);

/* Is there a memory profile, be it an empty one, or are there counters alone?
 */
bool mpdata_content_has_memory(const struct mpdata_content *content);

/* OK where *from can be added `weight` times; UNSUPPORTED with a sentence where
 * both hold PGO counters, or one that has a weight does. */
MPROF_NODISCARD enum mprof_err
mpdata_content_fits(const struct mpdata_content *into,
                    const struct mpdata_content *from, uint64_t weight,
                    struct mprof_diag *diag);

/* Adds all of *from as if it were there `weight` times (at least 1); the
 * profile and the counters of *from are used up. Where it does not fit *into
 * stays as it was. Errors: UNSUPPORTED, NOMEM, LIMIT. */
MPROF_NODISCARD enum mprof_err mpdata_content_merge(struct mpdata_content *into,
                                                    struct mpdata_content *from,
                                                    uint64_t weight,
                                                    struct mprof_diag *diag);

#endif
