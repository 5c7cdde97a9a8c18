/* pairing.h -- finds the same call stacks in two profiles, even if the program
 * was rebuilt and lines moved.
 *
 * Profiles are of one build if one of them has only binaries with build ids,
 * the program among them, that the other one has, too. Then call sites are the
 * same if their offsets are. Otherwise:
 *
 * A function is identified by its name (pairing_names.h). A call site in it is
 * identified by its callee and its offset: line (relative to the function's
 * first line) and column, or the address in the binary. If a function calls
 * another one as often as before, its call sites are paired in the order of
 * their offsets. Otherwise sites are paired in three rounds, each in the order
 * of offsets: those with equal blocks and bytes (per run), then those with
 * equal offsets, then the rest. Two call stacks are the same if all of their
 * call sites are.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "profdata/query/by.h"

/* Things are numbered from 0; the same number in both profiles means the same
 * thing. Side 0 is the old profile, side 1 the new one. Owned. */
struct mpdata_pairing {
    enum mpdata_by by;
    /* By stack: number of each context; UINT32_MAX for an empty call stack. */
    uint32_t *stacks[2];
    /* By function, file or binary: number of each frame. By line: number of
     * each node, for the call site that leads to it. By name: number of each
     * string. */
    uint32_t *groups[2];
    uint32_t *leaves[2]; /* by line: number of each node, for its allocation */
    uint32_t count;      /* number of different numbers */
};

/* Pairs two canonical profiles. runs: number of runs of each, at least 1;
 * amounts are compared per run. Call _fini() even after a failure. Error:
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_make(struct mpdata_pairing *pairing,
                    const struct mpdata_profile *const profiles[2],
                    const uint64_t runs[2], enum mpdata_by by);
void mpdata_pairing_fini(struct mpdata_pairing *pairing);
