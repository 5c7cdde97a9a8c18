/* profile.h -- makes dumps, for the callers that decide when: the program's
 * calls, the helper, exec and exit.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/os.h"
#include "shared/buf.h"

/* Writes everything recorded since the start or a reset. Returns 0, or -1 after
 * a message. Other threads may allocate meanwhile. Not inside the guard. */
int mprt_profile_dump(void);
/* The same with a search for leaks, whose bytes and blocks it stores. False
 * after a message. Called through mprt_leaks_from_here(). */
bool mprt_profile_dump_leaks(uint64_t *bytes, uint64_t *blocks);
/* Forgets all records; the next dump begins a new file. */
void mprt_profile_reset(void);
/* Whether this thread is making a dump. Safe in signal handlers. */
bool mprt_profile_is_dumping(void);
/* False if this process must not write files: a child that shares its parent's
 * memory, or a forked child without records. Safe in signal handlers. */
bool mprt_profile_is_ours(void);

/* Call before a call that replaces the program or makes it a daemon: writes the
 * records to a file and keeps them. If it returns true and the call fails,
 * mprt_profile_after_failed_exec() must follow, which removes the file. Nothing
 * else is dumped in between. */
bool mprt_profile_before_exec(void);
void mprt_profile_after_failed_exec(void);
/* Instead of mprt_profile_after_failed_exec(): makes this dump the last one.
 * False if it was not written. No system calls. */
bool mprt_profile_keep_as_last(void);

/* Call before the program gives up rights, because it may lose access to the
 * place of its profile. If it returns true, mprt_profile_after_change() must
 * follow, which keeps a file open there for the last dump if the place is out
 * of reach. With another root folder it is as soon as the program leaves its
 * working directory, which may lie outside. */
bool mprt_profile_before_change(void);
void mprt_profile_after_change(bool is_changed, bool is_root_folder);

/* -- the end; safe in signal handlers wherever they interrupt -------------- */

/* Claims the last dump for this thread, so that no other thread begins a dump.
 * False if this thread has claimed it before, or another thread has; then waits
 * until that dump is made. */
bool mprt_profile_claim_end(void);
/* Makes the last dump. Takes at most some seconds besides the dump: if it does
 * not get a lock, it reports that the profile is lost. */
void mprt_profile_dump_last(void);
/* The same while the program may still run, so waiting is allowed. */
void mprt_profile_dump_at_exit(void);
/* Call after either: threads that wait in mprt_profile_claim_end() continue. */
void mprt_profile_end_is_over(void);
/* Removes an unfinished file if this thread was making a dump, which it will
 * not continue. */
void mprt_profile_abandon(void);

/* Makes a dump instead of the one at the program's end, which will not be
 * possible. Does nothing if there would be no dump at the end. */
void mprt_profile_before_sandbox(void);

/* -- other processes ------------------------------------------------------- */

/* What a client of the control socket orders: a dump or, with `resets`,
 * mprt_profile_reset(). */
struct mprt_profile_order {
    bool resets;
    bool accesses; /* with resets: the option accesses= has changed */
    /* A name as in MEMPROF_PROFILE_FILE, for a new file; NULL: as the options
     * say. */
    const char *file;
    /* Takes the profile instead of a file, in our format and without leaks; the
     * records stay. NULL: there shall be a file. */
    struct mprof_buf *bytes;
    char path[MPRT_PATH_BYTES]; /* of the file; "" if it is none */
};
/* In the helper: makes a dump; for a signal or an order, in a file of its own,
 * and with a search for leaks if the option asks for it. order: NULL if there
 * is none. Returns 0, or -1, mostly after a message. */
int mprt_profile_from_helper(bool is_by_signal,
                             struct mprt_profile_order *order);
/* Call when the helper has ended. If it was killed during a dump, releases its
 * locks; that dump is lost. */
void mprt_profile_after_helper_died(uint32_t pid);
/* Around fork(), see lifecycle.h. Waits for another thread's dump. */
void mprt_profile_before_fork(bool is_outermost);
void mprt_profile_after_fork(bool is_child, bool is_outermost);

/* Random id of the run in this process. Any thread. */
uint64_t mprt_profile_run_id(void);
