/* process.h -- how the process forks, ends and handles signals.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"
#include "rt/base/thread.h"

#include <signal.h>

/* exit.c -- the ways in which the program ends. */

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

/* fork.c -- the runtime around fork(). */

/* Registers fork handlers, so that a child starts with empty records. Called
 * once, when libc is ready, before other fork handlers are registered. */
void mprt_fork_init(void);
/* Before and after a fork that runs no fork handlers; after it, in parent and
 * child. */
void mprt_fork_before(void);
void mprt_fork_after(bool is_child);

/* helper.c -- the helper: the runtime's process that dumps while the program
 * runs. */

/* Starts the helper if the options need it and it does not run. Called when
 * libc is ready, and in a forked child. */
void mprt_helper_start(void);
/* Ends the helper after its current dump. True if it was running. Not under the
 * dump lock. Takes a bounded time, so the end of the program may call it. */
bool mprt_helper_stop(void);
/* Asks the helper for a dump. Safe in signal handlers. */
void mprt_helper_wake(void);
/* Starts a helper of its own for a forked child. */
void mprt_helper_in_child(void);

/* signals.c -- signals that end the program, or ask for a dump. */

/* Replaces the default action of the signals that the options name. Called
 * once, after mprt_real_init(). */
void mprt_signals_init(void);
/* Whether the runtime replaces the default action of this signal, or may. */
bool mprt_signals_is_watched(int number);
/* sigaction() for the program; works even if the program defines a function of
 * that name. */
int mprt_signals_set_action(int number, const struct sigaction *action,
                            struct sigaction *before);
/* rests: restores what the program set, because no profile can be written any
 * more; otherwise takes the signals back. Not in signal handlers. */
void mprt_signals_rest(bool rests);
/* Around fork(), see lifecycle.h; all signals are blocked in between. */
void mprt_signals_before_fork(bool is_outermost);
void mprt_signals_after_fork(bool is_child, bool is_outermost);

/* signal_stack.c -- alternate signal stacks for threads that have none. */

/* Takes the options and gives this thread a stack. Called once. */
void mprt_signal_stack_init(void);
/* Gives a thread without an alternate stack one, and takes it away. */
void mprt_signal_stack_start_thread(struct mprt_thread *t);
void mprt_signal_stack_end_thread(struct mprt_thread *t);

#define MPRT_SYSCALL_ARGUMENTS 6

/* rights.c -- changes of user, root folder and capabilities. */

struct mprt_rights {
    bool had_helper;
    bool is_ready; /* for the place to be out of reach */
    bool is_root_folder;
    uint32_t user; /* whose rights the program gets; 0: other */
};
/* Around a change, which is named by its system call; mprt_rights_after() keeps
 * errno. Call the second if it is one by syscall(), or any other call. */
struct mprt_rights
mprt_rights_before(long number,
                   const unsigned long arguments[MPRT_SYSCALL_ARGUMENTS]);
struct mprt_rights
mprt_rights_before_call(long number,
                        const unsigned long arguments[MPRT_SYSCALL_ARGUMENTS]);
void mprt_rights_after(const struct mprt_rights *rights, bool is_changed);

/* unseen.c -- marks blocks that the kernel accesses in system calls. */
/* Call before a system call that the program makes by syscall(). Arguments that
 * the call does not have may be anything. */
void mprt_unseen_call(long number,
                      const unsigned long arguments[MPRT_SYSCALL_ARGUMENTS]);
/* Each marks what the kernel gets at this address, and the memory behind: an
 * array of iovec, a msghdr, an array of strings that ends with NULL. The
 * address may be invalid. */
void mprt_unseen_parts(uintptr_t at, size_t count);
void mprt_unseen_message(uintptr_t at);
void mprt_unseen_strings(uintptr_t at);

/* rings.c -- what the program submits to rings of io_uring. */

/* The program has made a ring: the descriptor and the io_uring_params. */
void mprt_rings_add(int fd, uintptr_t parameters);
/* It has mapped this part of a file, which may be a ring. */
void mprt_rings_map(int fd, uint64_t offset, uintptr_t p);
/* Before io_uring_enter(). */
void mprt_rings_enter(int fd, uint32_t flags);
