/* pairing.h -- finds the same call stacks in two profiles, even if the program
 * was rebuilt and lines moved.
 *
 * Profiles are of one build if one of them has only binaries with build ids,
 * the program among them, that the other one has, too. Then call sites are the
 * same if their offsets are. Otherwise:
 *
 * A function is identified by its name (below). A call site in it is
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
#include "shared/err.h"

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

/* pairing_names.c -- numbers the names of two profiles: the same name has the
 * same number in both. */

/* Numbers start at 0; owned. */
struct mpdata_pairing_names {
    uint32_t *numbers[2];
    uint32_t count;
};

/* Call _fini() after each of these functions, even after a failure. Error:
 * NOMEM. */

/* Number frames by function, file or binary.
 *
 * A function is identified by its GUID and, if one of the profiles has several
 * with the same GUID (static functions), by the name of its file; an unknown
 * one by its binary. A file is identified by its name without directories and,
 * if one of the profiles has several, by its path; `functions` has the numbers
 * of code without a file. A binary is identified by its file name, else by its
 * build id. All frames without a binary have one number. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_frames(struct mpdata_pairing_names *names,
                            const struct mpdata_profile *const profiles[2],
                            enum mpdata_by by,
                            const struct mpdata_pairing_names *functions);
/* Number all strings of the profiles. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_names_strings(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2]);
void mpdata_pairing_names_fini(struct mpdata_pairing_names *names);

/* pairing_calls.c -- pairs the call sites of a function before and after it was
 * edited. */

/* Callee of a call site that allocates. */
#define MPDATA_SITE_ALLOCATES UINT32_MAX

/* A call site. */
struct mpdata_site {
    uint32_t function;
    uint32_t callee;
    uint64_t offset; /* line relative to the function's first, or address */
    uint32_t column;
    uint32_t number; /* result of mpdata_pairing_calls() */
    uint64_t blocks; /* allocated below the call site */
    uint64_t bytes;
};

/* Numbers the sites of both profiles from 0, with equal numbers for the same
 * site by the rules of pairing.h, of one build or of two. Sets *count to the
 * number of different sites. The sites of one profile must be distinct. runs:
 * divisors of the amounts. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pairing_calls(struct mpdata_site *const sites[2],
                     const uint32_t counts[2], const uint64_t runs[2],
                     bool is_one_build, uint32_t *count);
