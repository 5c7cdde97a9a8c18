/* real_dlsym.c -- the next definition of an interposed function, in a program:
 * the dynamic linker knows it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"
#include "rt/base/state.h"

#include <dlfcn.h>
#include <elf.h>

/* The program's; none in a static program that is not position independent. */
extern const Elf64_Dyn _DYNAMIC[] __attribute__((weak, visibility("hidden")));

/* A program that the dynamic linker is told to run may name no interpreter,
 * but static ones need no library. */
static bool has_dynamic_linker(void)
{
    for (const Elf64_Dyn *d = _DYNAMIC; d != NULL && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_NEEDED)
            return true;
    }
    return false;
}

static void *find(const char *name)
{
    if (!has_dynamic_linker())
        mprt_state_require(); /* says so, and ends the program */
    return mprt_real_look_up(RTLD_NEXT, name);
}

static void *find_first(const char *name)
{
    return mprt_real_look_up(RTLD_DEFAULT, name);
}

const struct mprt_real_form mprt_real_form = {
    .matches_program = has_dynamic_linker,
    .find = find,
    .find_first = find_first,
};
