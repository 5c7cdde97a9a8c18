/* use_own.h -- is a profile of this program? By the functions that were looked
 * for in it: the plugin asks for a module, memprofdata for all of them.
 *
 * Every program has a main, and those in C++ have the library's templates, so
 * these do not say that a profile is of this one, unless main is unchanged.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_USE_OWN_H
#define MPROF_USE_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mprof_use_own {
    uint64_t functions; /* of the program's own, without main */
    uint64_t mains;     /* that are not as the profile knows them */
    uint64_t known;     /* by the profile */
    uint64_t in_main;   /* calls that were found in those mains */
};

static inline bool mprof_use_own_begins(const char *name, size_t size,
                                        const char *with)
{
    size_t i = 0;

    while (i < size && with[i] != '\0' && name[i] == with[i])
        i++;
    return with[i] == '\0';
}

/* Of the standard library of C++, by the linkage name. */
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

/* Adds a function: calls that were found in it, and whether they are all of
 * them, where they were. */
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

/* 0, or how many functions there are of which the profile knows none. */
static inline uint64_t mprof_use_own_unknown(const struct mprof_use_own *own)
{
    if (own->known != 0)
        return 0;
    if (own->functions != 0)
        return own->functions;
    return own->in_main == 0 ? own->mains : 0;
}

/* What is said then, after "0 of N". */
#define MPROF_USE_OWN_UNKNOWN                                                  \
    "functions that allocate are in the profile: it is of another program or " \
    "build, or they never ran"

#endif
