/* content.h -- all that a profile holds on its way from readers to writers:
 * call stacks, and PGO counters of an LLVM indexed file.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/counters.h"
#include "profdata/model/profile.h"

/* Owned. With only `profile` set, the rest zeroed, it may only be written. */
struct mpdata_content {
    struct mpdata_profile *profile;
    struct mpdata_counters counters; /* of PGO */
};

/* Makes an empty content. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_content_init(struct mpdata_content *content);
void mpdata_content_fini(struct mpdata_content *content);

/* Does it have a memory profile, even an empty one, or only counters? */
bool mpdata_content_has_memory(const struct mpdata_content *content);

/* Checks that *from can be added `weight` times. UNSUPPORTED with a sentence if
 * both have PGO counters, or if counters would get a weight. */
MPROF_NODISCARD enum mprof_err
mpdata_content_fits(const struct mpdata_content *into,
                    const struct mpdata_content *from, uint64_t weight,
                    struct mprof_diag *diag);

/* Adds *from `weight` times (at least 1); uses up the profile and the counters
 * of *from. If it does not fit, *into is unchanged. Errors: UNSUPPORTED, NOMEM,
 * LIMIT. */
MPROF_NODISCARD enum mprof_err mpdata_content_merge(struct mpdata_content *into,
                                                    struct mpdata_content *from,
                                                    uint64_t weight,
                                                    struct mprof_diag *diag);
