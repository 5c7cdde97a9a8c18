/* sites.h -- the allocation site of each call stack: a line of the innermost
 * function that is not an allocation wrapper.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frame_names.h"

/* By context of the profile. */
struct mpdata_sites {
    mpdata_ref *nodes; /* owned; of the site's frame; 0: unknown */
    uint32_t *groups;  /* owned; the site's number, from 1; 0: unknown */
};

/* Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_sites_make(struct mpdata_sites *sites,
                  const struct mpdata_profile *profile,
                  struct mpdata_frame_names *names);
void mpdata_sites_fini(struct mpdata_sites *sites);
