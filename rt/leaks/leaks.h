/* leaks.h -- blocks that are alive and that nothing in the program points to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LEAKS_H
#define MPRT_LEAKS_H

#include "rt/leaks/mark.h"

struct mprt_leaks {
    struct mprt_mibmap_leaks *contexts; /* by depot id; NULL: not looked for */
    uint32_t count;                     /* of contexts */
    uint64_t blocks;
    uint64_t bytes;
    struct mprof_buf held; /* struct mprt_mibmap_held */
    bool knows_held;
    const char *known; /* the program's list of those that it knows; or "" */
};

/* Calls function(argument). What the callers have in registers and on the stack
 * from here on is theirs, what function() has is ours: leaks are looked for in
 * it only. Outside the guard. */
void mprt_leaks_from_here(void (*function)(void *argument), void *argument);

/* Looks for them, with all threads of the program standing; a sentence on
 * stderr where that cannot be done, once. mprt_leaks_free() must follow. Under
 * the dump lock; may wait for the loader. */
void mprt_leaks_find(struct mprt_leaks *leaks);
void mprt_leaks_free(struct mprt_leaks *leaks);
/* The same of somebody who ends inside the profiler and cannot wait. */
void mprt_leaks_say_not_looked(void);

#endif
