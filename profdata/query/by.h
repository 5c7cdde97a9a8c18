/* by.h -- what a row of a list stands for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

enum mpdata_by {
    MPDATA_BY_STACK,
    MPDATA_BY_FUNCTION, /* by address if the function is unknown */
    MPDATA_BY_LINE,     /* by source line; without one by function */
    /* By source file; without one by function, or by binary. */
    MPDATA_BY_FILE,
    MPDATA_BY_BINARY, /* for profiles that keep binaries */
    /* By name; frames are not needed. */
    MPDATA_BY_TYPE,
    MPDATA_BY_THREAD,
    MPDATA_BY_POOL, /* for profiles of pools */
    MPDATA_BY_CALL  /* by function and line in it: in trees, among callers */
};

/* The values of the option --by: all but CALL, in the order of the enum. */
#define MPDATA_BY_WORDS "stack function line file binary type thread pool"

/* Returns "stack" and so on. */
const char *mpdata_by_name(enum mpdata_by by);

/* Are the rows names, rather than frames? */
static inline bool mpdata_by_is_name(enum mpdata_by by)
{
    return by >= MPDATA_BY_TYPE && by <= MPDATA_BY_POOL;
}
