/* top.h -- what a top list is a part of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TOP_H
#define MPDATA_TOP_H

#include "shared/mib.h"

/* Of all contexts, of which a profile holds the first. What a file says: to be
 * shown, not to be counted on. */
struct mpdata_top {
    struct mprof_mib totals;
    uint64_t context_count; /* all of them */
    uint64_t listed_count;  /* that have something of the field */
    uint32_t unseen; /* MPROF_CONTEXT_FL_* of any of them that say what was not
                        seen; known where the totals have no accesses */
};

#endif
