/* real_dlsym.c -- the next definition of an interposed function, in a program:
 * the dynamic linker knows it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"
#include "rt/base/state.h"

#include <dlfcn.h>
#include <elf.h>

/* The program. */
extern const Elf64_Ehdr __ehdr_start
    __attribute__((weak, visibility("hidden")));

static bool has_dynamic_linker(void)
{
    const char *const start = (const char *)&__ehdr_start;
    const Elf64_Phdr *phdr;

    if (start == NULL)
        return true;
    phdr = (const Elf64_Phdr *)(const void *)(start + __ehdr_start.e_phoff);
    for (size_t i = 0; i < __ehdr_start.e_phnum; i++) {
        if (phdr[i].p_type == PT_INTERP)
            return true;
    }
    return false;
}

static void *find(const char *name)
{
    if (!has_dynamic_linker())
        mprt_state_require(); /* says so, and ends the program */
    return dlsym(RTLD_NEXT, name);
}

const struct mprt_real_form mprt_real_form = {
    .matches_program = has_dynamic_linker,
    .find = find,
};
