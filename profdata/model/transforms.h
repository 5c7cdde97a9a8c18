/* transforms.h -- changes of a whole profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* subtract.c -- what a program allocated between two profiles of one run. */

/* Returns `now` minus `base` for equal call stacks: of the fields that add up
 * the difference, 0 if it is negative, and no others; without tagged rows,
 * distributions and histograms. Both profiles are canonical, and so is the
 * result. The caller frees it; NULL when out of memory. Thread-safe. */
struct mpdata_profile *mpdata_subtract(const struct mpdata_profile *now,
                                       const struct mpdata_profile *base);

/* across.c -- for frames that LLVM's part of an indexed file holds, does what
 * LLVM does: two are equal if their lines have the same distance from the first
 * line of the function. */

/* Of functions with the same GUID and file, all such frames get the lines of
 * the one with the newest run; if there are several, of the one with the
 * largest line. Replaces *profile, which is canonical, by a canonical one.
 * Merging before or after gives the same. Error: NOMEM; *profile is unchanged
 * then. */
MPROF_NODISCARD enum mprof_err
mpdata_across_builds(struct mpdata_profile **profile);

/* privacy.c -- makes a profile that tells less: without facts of the machine,
 * or with keyed hashes instead of names, so that it can be given away. */

/* A shorter key could be guessed. */
#define MPDATA_PRIVACY_KEY_BYTES_MIN 16u

struct mpdata_privacy {
    /* Removes directories of source files and binaries, host names, process
     * ids, runtime options and lists of known leaks. */
    bool strips_paths;
    /* Replaces names of functions, types, files, hosts, threads, events, pools
     * and marks, and build ids, by HMAC-SHA-256 with this key, and removes
     * fields of types, runtime options and lists of known leaks. Equal names of
     * a kind get equal hashes. The GUID of a function becomes that of its new
     * name, which the compiler does not find. NULL: keeps names. Borrowed. */
    const void *key;
    size_t key_bytes;
};

/* Replaces *profile by a canonical one that keeps these secrets. Error: NOMEM;
 * *profile is unchanged then. */
MPROF_NODISCARD enum mprof_err
mpdata_privacy_apply(const struct mpdata_privacy *privacy,
                     struct mpdata_profile **profile);
