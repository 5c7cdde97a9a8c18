/* real_wrap.c -- the next definition of an interposed function in a program
 * without a dynamic linker. The linker is told to --wrap each of these names:
 * calls come to __wrap_NAME, which is ours, and __real_NAME is the C library's.
 * The list of names is made from rt/real/real.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"
#include "rt/base/libc.h"

#define MPRT_WRAPPED(name) extern char __real_##name[];
#include "wrapped.inc"
#undef MPRT_WRAPPED

static const struct {
    const char *name;
    void *function;
} wrapped[] = {
#define MPRT_WRAPPED(name) {#name, __real_##name},
#include "wrapped.inc"
#undef MPRT_WRAPPED
};

static bool always(void)
{
    return true;
}

static void *find(const char *name)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(wrapped); i++) {
        if (mprt_libc_strcmp(wrapped[i].name, name) == 0)
            return wrapped[i].function;
    }
    return NULL;
}

static void *find_first(const char *name)
{
    (void)name;
    return NULL;
}

const struct mprt_real_form mprt_real_form = {
    .is_static = true,
    .matches_program = always,
    .find = find,
    .find_first = find_first,
};
