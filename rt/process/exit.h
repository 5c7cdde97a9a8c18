/* exit.h -- the ends of the program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_EXIT_H
#define MPRT_EXIT_H

#include "rt/base/rt.h"

/* Registers the last dump with exit() and quick_exit(). Called once, with libc,
 * before anybody else's handlers are registered, so that it comes after them.
 */
void mprt_exit_init(void);
/* The last dump, once, where the program ends other than by exit(). May be
 * called by signal handlers wherever they interrupt; takes no more than some
 * seconds besides the dump. Keeps errno. */
void mprt_exit_at_death(void);
/* The same where this thread ends the program by a signal right afterwards:
 * until then, no other thread ends it otherwise. True where it was this
 * thread's to do. */
bool mprt_exit_before_signal(void);

/* Around a call that replaces the program, and returns where that fails: the
 * profile is written before, and taken back after. */
struct mprt_exit_exec {
    bool had_helper;
    bool is_ready;
};
struct mprt_exit_exec mprt_exit_before_exec(void);
void mprt_exit_after_failed_exec(const struct mprt_exit_exec *exec);

#endif
