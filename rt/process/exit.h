/* exit.h -- the ways in which the program ends.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Registers the last dump with exit() and quick_exit(). Called once, when libc
 * is ready, before other exit handlers are registered, so that it runs after
 * them. */
void mprt_exit_init(void);
/* Makes the last dump, once, if the program ends other than by exit(). Signal
 * handlers may call it anywhere. It takes at most some seconds besides the
 * dump. Keeps errno. */
void mprt_exit_at_death(void);
/* The same for a thread that ends the program by a signal right afterwards:
 * until then, no other thread may end it in another way. True if the dump was
 * this thread's to make. */
bool mprt_exit_before_signal(void);

/* Around a call that replaces the program: writes the profile before, and takes
 * it back if the call fails. */
struct mprt_exit_exec {
    bool had_helper;
    bool is_ready;
};
struct mprt_exit_exec mprt_exit_before_exec(void);
void mprt_exit_after_failed_exec(const struct mprt_exit_exec *exec);
