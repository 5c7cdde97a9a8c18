/* next.c -- the next definition of an interposed function: the dynamic linker
 * knows it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/interpose.h"

#include <dlfcn.h>

const bool mprt_is_static = false;

void *mprt_interpose_find(const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);

    /* As a shared library that comes after the C library (shared.c). */
    if (found == NULL && dlsym(RTLD_NEXT, "malloc") == NULL)
        return dlsym(RTLD_DEFAULT, name);
    return found;
}
