/* pairing.h -- which call stacks of two profiles are the same one, though the
 * program was built anew and its lines moved.
 *
 * A function is known by its name (pairing_names.h), a call in it by the
 * function that it calls and by its place: the line from the function's first
 * on and the column, or the address in the binary. Where a function calls
 * another as often as before, its calls are the same ones in the order of their
 * places. Else those are whose blocks and bytes (of one run) are what they
 * were, then those that stand where they stood, then what is left, each in the
 * order of places. Two call stacks are the same where all of their calls are.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAIRING_H
#define MPDATA_PAIRING_H

#include "profdata/model/profile.h"

/* By what of a call stack two profiles are compared. */
enum mpdata_pairing_by {
    MPDATA_PAIRING_BY_STACK,
    MPDATA_PAIRING_BY_FUNCTION,
    MPDATA_PAIRING_BY_LINE,
    MPDATA_PAIRING_BY_FILE,
    MPDATA_PAIRING_BY_MODULE, /* of profiles that keep it */
    /* By name, for which no frames are needed. */
    MPDATA_PAIRING_BY_TYPE,
    MPDATA_PAIRING_BY_THREAD,
    MPDATA_PAIRING_BY_POOL, /* of profiles of pools */
    MPDATA_PAIRING_BY_COUNT
};

static inline bool mpdata_pairing_is_by_name(enum mpdata_pairing_by by)
{
    return by >= MPDATA_PAIRING_BY_TYPE;
}

/* "stack" and so on. */
const char *mpdata_pairing_by_name(enum mpdata_pairing_by by);

/* Numbers from 0 on: equal ones of both profiles are the same thing. Owned;
 * side 0 is the old profile, side 1 the new one. */
struct mpdata_pairing {
    enum mpdata_pairing_by by;
    /* By stack: by context, its call stack's, UINT32_MAX for those without. */
    uint32_t *stacks[2];
    /* By function, file or module: by frame. By line: by node, of the call that
     * leads to it, which is in its parent. By name: by string. */
    uint32_t *groups[2];
    uint32_t *leaves[2]; /* by line: by node, of the call that allocates */
    uint32_t count;      /* numbers */
};

/* runs: how many each profile is of, at least 1; amounts of one run are
 * compared. Fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_make(struct mpdata_pairing *pairing,
                    const struct mpdata_profile *const profiles[2],
                    const uint64_t runs[2], enum mpdata_pairing_by by);
void mpdata_pairing_fini(struct mpdata_pairing *pairing);

#endif
