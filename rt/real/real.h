/* real.h -- the program's own functions behind ours: the next definitions of
 * what is interposed, the C library's as a rule.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_REAL_H
#define MPRT_REAL_H

#include "rt/base/rt.h"

#include <dlfcn.h>
#include <grp.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

/* Of what is interposed, some is old. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* No header declares it. */
void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value)
    __attribute__((noreturn));

struct mprt_real {
#define MPRT_REAL_FUNCTION(name) __typeof__(&name) name;
#include "rt/real/real.inc"
};

/* The next definitions; NULL where not looked up yet, but never for what a
 * program calls before libc is ready. */
extern MPRT_HIDDEN struct mprt_real mprt_real;

/* Looks them up. Called once, after the shadow and the options are ready and
 * libc is. Before, the functions work, and count nothing. */
void mprt_real_init(void);
/* True from mprt_real_init() on: what is accessed is counted. */
extern MPRT_HIDDEN bool mprt_real_is_ready;

/* In which form the runtime is there; one of real_dlsym.c (linked into a
 * program), real_dso.c (a shared library) and real_wrap.c (linked into a
 * program without a dynamic linker). */
struct mprt_real_form {
    bool is_static; /* the last of these */
    /* Whether it is the form for this program. */
    bool (*matches_program)(void);
    /* The next definition of the function of this name, or NULL. */
    void *(*find)(const char *name);
};
extern MPRT_HIDDEN const struct mprt_real_form mprt_real_form;

#define MPRT_REAL(name)                   \
    (MPROF_LIKELY(mprt_real.name != NULL) \
         ? mprt_real.name                 \
         : (__typeof__(mprt_real.name))mprt_real_form.find(#name))

#endif
