/* real_dso.c -- finds next definitions by the dynamic linker, for a runtime
 * that is a shared library.
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
    void *const found = mprt_real_look_up(RTLD_NEXT, name);

    /* If not even malloc has a next definition, this library comes after the C
     * library. */
    if (found == NULL && mprt_real_look_up(RTLD_NEXT, "malloc") == NULL)
        return mprt_real_look_up(RTLD_DEFAULT, name);
    return found;
}

static void *find_first(const char *name)
{
    return mprt_real_look_up(RTLD_DEFAULT, name);
}

const struct mprt_real_form mprt_real_form = {
    .matches_program = always,
    .find = find,
    .find_first = find_first,
};
