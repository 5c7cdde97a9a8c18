/* functions.h -- what the files of interposers share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#include <stdarg.h>

/* alloc_failure.c -- what the runtime does when an allocation fails. Every
 * function may be called on any thread, outside the guard. */

/* Reports that an allocation of `size` bytes failed. Returns so that the caller
 * can return NULL; does not return if the user set allocator_may_return_null=0,
 * which ends the program. */
void mprt_alloc_failure(size_t size, struct mprt_caller caller);
/* The same if the requested size overflows size_t, as calloc's product can.
 * `function` is the name of the allocating function. */
void mprt_alloc_failure_overflow(const char *function,
                                 struct mprt_caller caller);
/* The same if posix_memalign (is_posix) or memalign and its relatives refuse
 * the alignment. Prints no message if the program goes on. */
void mprt_alloc_failure_alignment(size_t align, bool is_posix,
                                  struct mprt_caller caller);
/* Sets the function to call before a failed allocation ends the program; NULL
 * for none. */
void mprt_alloc_failure_set_callback(void (*callback)(void));

/* format.c -- counts what printf and scanf read and write through their
 * arguments, as told by the format.
 *
 * is_wide: the format consists of wide characters, as wprintf takes it.
 *
 * The arguments are not counted if C does not define the format, or if it has
 * more arguments than we look at: the types of the arguments are then unknown.
 */

/* Counts the format, the strings that were printed, and the number that %n
 * stored. Call it after a successful call; args are the arguments of that
 * call. */
void mprt_format_count_printed(const void *format, bool is_wide, va_list args);

/* Counts the format, and the stores of the first `assigned` conversions. Call
 * it after the call; args are the arguments of that call. */
void mprt_format_count_scanned(const void *format, bool is_wide, int assigned,
                               va_list args);

/* interpose_malloc.c -- allocation by C library functions that return a block
 * (strdup, getcwd, ...), and which malloc the program calls. */

/* Allocates n bytes like malloc, for a call that returns to `caller`. Calls the
 * program's own malloc if the program has one. Returns NULL and sets errno if
 * that fails. */
void *mprt_interpose_malloc_new(size_t n, struct mprt_caller caller);

/* Finds out by its address whether the program calls the malloc of
 * interpose_malloc.c. */
void mprt_interpose_malloc_init(void);

/* Finds it out by a call of malloc. Needed if the runtime is a shared library:
 * a program that is not position-independent and takes malloc's address has a
 * stub with that name, which jumps to the first definition. Returns true if the
 * first definition is the one of interpose_malloc.c. */
bool mprt_interpose_malloc_try(void);

/* _own() returns our allocation function with this name, or NULL. _give_out()
 * returns `own` and records that the program has our malloc's address, so its
 * own malloc may call ours. */
void *mprt_interpose_malloc_own(const char *name);
void *mprt_interpose_malloc_give_out(void *own);

/* own_malloc.c -- records the blocks of a tcmalloc that is part of the program,
 * if it serves malloc, by its hooks. Called once at start, after
 * mprt_interpose_malloc_init(). */
void mprt_own_malloc_init(void);

/* replaced.c -- calls the operators new and delete that a library of the
 * program defines in place of ours. */

/* Tells the archive of our operators (cxx.h) how to find the operators that a
 * loaded library replaced. Does nothing without that archive or in a static
 * program. Called once at start, before the program's threads. */
void mprt_replaced_init(void);
