/* profile.h -- a dump from start to end, for those who drive it: the program's
 * calls, the helper, exec and exit.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_PROFILE_H
#define MPRT_PROFILE_H

#include "rt/base/rt.h"

/* Writes what was recorded since the start or a reset. 0, or -1
 * after a complaint. Safe while other threads allocate; not inside the guard.
 */
int mprt_profile_dump(void);
/* The same, and looks for leaks: how many bytes and blocks. False after a
 * complaint. Called from mprt_leaks_from_here(). */
bool mprt_profile_dump_leaks(uint64_t *bytes, uint64_t *blocks);
/* Forgets what was recorded; the next dump begins a new file. */
void mprt_profile_reset(void);
/* True while this thread is at a dump. Safe in signal handlers. */
bool mprt_profile_is_dumping(void);
/* False where this process must write nothing: a child that shares the memory,
 * or one that has recorded nothing. Safe in signal handlers. */
bool mprt_profile_is_ours(void);

/* Before a call that replaces the program or makes it a daemon: what is
 * recorded goes into a file and stays recorded. Where it returns true and the
 * call fails, mprt_profile_after_failed_exec() must follow, which takes the
 * file back. Nothing else is dumped in between. */
bool mprt_profile_before_exec(void);
void mprt_profile_after_failed_exec(void);
/* Whether what mprt_profile_before_exec() wrote could be written again. */
bool mprt_profile_can_replace(void);
/* Instead of the latter: that was the last dump. False where it was not
 * written. No system calls. */
bool mprt_profile_keep_as_last(void);

/* -- the end; safe in signal handlers wherever they interrupt -------------- */

/* False where the last dump was made, or is by this thread, or was until now by
 * another. From then on no other thread begins a dump. */
bool mprt_profile_claim_end(void);
/* The last dump; takes no more than some seconds besides the dump: where it
 * does not get a lock, the profile is given up with a sentence. */
void mprt_profile_dump_last(void);
/* The same where the program may run on, so that it can wait. */
void mprt_profile_dump_at_exit(void);
/* After them: those who wait in mprt_profile_claim_end() go on. */
void mprt_profile_end_is_over(void);
/* This thread will not go on with its dump, if it was at one: no half file
 * stays. */
void mprt_profile_abandon(void);

/* In place of the dump at the program's end, which will not be able to make
 * one: nothing where that would make none either. */
void mprt_profile_before_sandbox(void);

/* -- other processes ------------------------------------------------------- */

/* In the helper: a dump, under the conditions of the options. */
void mprt_profile_from_helper(void);
/* The helper has ended: where it was killed while it made a dump, its locks are
 * given back, and what it had in hand is lost. */
void mprt_profile_after_helper_died(uint32_t pid);
/* Around fork(), see lifecycle.h: waits for the dump that is under way, but
 * where this thread itself is at it. */
void mprt_profile_before_fork(bool is_outermost);
void mprt_profile_after_fork(bool is_child, bool is_outermost);

#endif
