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
};

#endif
