/* real_dlsym.c -- finds next definitions by the dynamic linker, for a runtime
 * that is linked into a program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"
#include "rt/base/state.h"

#include <dlfcn.h>
#include <elf.h>

/* The program's dynamic section. A static program that is not
 * position-independent has none. */
extern const Elf64_Dyn _DYNAMIC[] __attribute__((weak, visibility("hidden")));

/* Looks for a needed library instead of an interpreter: a program that the
 * dynamic linker is told to run may name no interpreter, but only a static
 * program needs no library. */
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
        mprt_state_require(); /* prints the error and ends the program */
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
