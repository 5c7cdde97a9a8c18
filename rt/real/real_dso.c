/* real_dso.c -- the next definition of an interposed function, in a shared
 * library: the dynamic linker knows it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"

#include <dlfcn.h>

static bool always(void)
{
    return true;
}

static void *find(const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);

    /* This library comes after the C library. */
    if (found == NULL && dlsym(RTLD_NEXT, "malloc") == NULL)
        return dlsym(RTLD_DEFAULT, name);
    return found;
}

const struct mprt_real_form mprt_real_form = {
    .matches_program = always,
    .find = find,
};
