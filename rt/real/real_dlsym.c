/* next.c -- the next definition of an interposed function: the dynamic linker
 * knows it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"

#include <dlfcn.h>
#include <elf.h>

const bool mprt_is_static = false;
__attribute__((weak)) bool mprt_is_shared = false;

/* The program, where this is linked into one. */
extern const Elf64_Ehdr __ehdr_start
    __attribute__((weak, visibility("hidden")));

bool mprt_fits_program(void)
{
    const char *const start = (const char *)&__ehdr_start;
    const Elf64_Phdr *phdr;

    if (mprt_is_shared || start == NULL)
        return true;
    phdr = (const Elf64_Phdr *)(const void *)(start + __ehdr_start.e_phoff);
    for (size_t i = 0; i < __ehdr_start.e_phnum; i++) {
        if (phdr[i].p_type == PT_INTERP)
            return true;
    }
    return false;
}

void *mprt_interpose_find(const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);

    /* As a shared library that comes after the C library (shared.c). */
    if (found == NULL && dlsym(RTLD_NEXT, "malloc") == NULL)
        return dlsym(RTLD_DEFAULT, name);
    return found;
}
