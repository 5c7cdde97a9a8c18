/* interpose.h -- what the interposers of memory and string functions share.
 *
 * An interposer counts what the function reads and writes, as ranges, by the
 * rules of LLVM's runtime, and leaves the work to the next definition (the C
 * library's, vectorised). The C library's own calls inside do not come here.
 *
 * The rule for a string that a function looks at: it is read up to and
 * including the character that decides, or its terminator;
 * strict_string_checks=1 counts it to its end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_INTERPOSE_H
#define MPRT_INTERPOSE_H

#include "rt/heap/shadow.h"

#include <dlfcn.h>
#include <grp.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

/* Of what is interposed, some is old. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

struct mprt_real {
#define MPRT_REAL_FUNCTION(name) __typeof__(&name) name;
#include "rt/real/real.inc"
};

/* The next definitions; NULL where not looked up yet, but never for what a
 * program calls before libc is ready. */
extern struct mprt_real mprt_real;

/* True from mprt_interpose_init() on: what is accessed is counted. */
extern bool mprt_interpose_counts;

/* next.c, next_static.c: the next definition of the function of this name, or
 * NULL. */
void *mprt_interpose_find(const char *name);

#define MPRT_REAL(name)                   \
    (MPROF_LIKELY(mprt_real.name != NULL) \
         ? mprt_real.name                 \
         : (__typeof__(mprt_real.name))mprt_interpose_find(#name))

/* A block that belongs to the caller's context, as malloc would give it. */
void *mprt_interpose_alloc(size_t n, uintptr_t caller_pc,
                           uintptr_t caller_frame);

/* Counts the words of [p, p+n) as read or written. */
static inline void mprt_count(const volatile void *p, size_t n)
{
    if (MPROF_LIKELY(mprt_interpose_counts) && n != 0)
        mprt_shadow_count_block((uintptr_t)p, n);
}

/* Counts n bytes of the string s, or all of it where checks are strict. */
static inline void mprt_count_string(const char *s, size_t n)
{
    if (!mprt_interpose_counts)
        return;
    mprt_count(s, mprt_options.strict_string_checks ? MPRT_REAL(strlen)(s) + 1
                                                    : n);
}

#endif
