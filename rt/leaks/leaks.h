/* leaks.h -- finds leaks: live blocks that nothing in the program points to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/leaks/search.h"

struct mprt_leaks {
    struct mprt_mibmap_leaks *contexts; /* by depot id; NULL if there was no
                                         * search */
    uint32_t count;                     /* number of contexts */
    uint64_t blocks;
    uint64_t bytes;
    struct mprof_buf held; /* struct mprt_mibmap_held */
    bool knows_held;
    const char *known; /* the program's suppressions of leaks, or "" */
};

/* Calls function(argument). The search for leaks, which works only inside such
 * a call or in the helper, treats registers and the stack from here outwards as
 * the program's, and the frames of function() as the runtime's. Outside the
 * guard. */
void mprt_leaks_from_here(void (*function)(void *argument), void *argument);

/* Searches for leaks while all threads of the program are stopped. If the
 * search fails, prints the reason to stderr, once. mprt_leaks_free() must
 * follow. Under the dump lock. */
void mprt_leaks_find(struct mprt_leaks *leaks);
void mprt_leaks_free(struct mprt_leaks *leaks);
/* Prints that there was no search, for a program that ends inside the profiler
 * and cannot wait. */
void mprt_leaks_say_not_looked(void);
