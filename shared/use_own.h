/* use_own.h -- decides whether a profile is one of this program, by the
 * functions that were searched in the profile. The plugin decides for a module,
 * memprofdata for all modules of a log.
 *
 * Every program has a main, and every C++ program has templates of the standard
 * library. So finding these does not show that the profile is one of this
 * program, unless main is unchanged.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mprof_use_own {
    uint64_t functions; /* own functions: not std, no changed main */
    uint64_t mains;     /* main functions that differ from the profile's */
    uint64_t known;     /* functions with a call that the profile has */
    uint64_t in_main;   /* calls in `mains` that the profile has */
};

/* True if name[0..size) begins with `with`. */
static inline bool mprof_use_own_begins(const char *name, size_t size,
                                        const char *with)
{
    size_t i = 0;

    while (i < size && with[i] != '\0' && name[i] == with[i])
        i++;
    return with[i] == '\0';
}

/* True for a linkage name of the C++ standard library. */
static inline bool mprof_use_own_is_std(const char *name, size_t size)
{
    static const char *const begins[] = {"_ZSt", "_ZNSt", "_ZNKSt",
                                         "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"};

    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
        if (mprof_use_own_begins(name, size, begins[i]))
            return true;
    }
    return false;
}

/* Adds a function with its linkage name. found: number of its calls that the
 * profile has; is_unchanged: all of its calls were found, in their lines. */
static inline void mprof_use_own_add(struct mprof_use_own *own,
                                     const char *name, size_t size,
                                     uint64_t found, bool is_unchanged)
{
    const bool is_main = size == 4 && mprof_use_own_begins(name, size, "main");

    if (mprof_use_own_is_std(name, size))
        return;
    if (is_main && !is_unchanged) {
        own->mains++;
        own->in_main += found;
        return;
    }
    own->functions++;
    own->known += found != 0;
}

/* 0 if the profile has one of the functions; otherwise the number of functions,
 * none of which is in the profile. */
static inline uint64_t mprof_use_own_unknown(const struct mprof_use_own *own)
{
    if (own->known != 0)
        return 0;
    if (own->functions != 0)
        return own->functions;
    return own->in_main == 0 ? own->mains : 0;
}

/* Rest of the message in this case, after "0 of N". */
#define MPROF_USE_OWN_UNKNOWN                                                 \
    "functions that allocate are in the profile: it is from another program " \
    "or build, or these functions never ran"
