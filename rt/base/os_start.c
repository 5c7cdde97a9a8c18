/* os_start.c -- what the kernel puts on the first stack: arguments,
 * environment, auxiliary vector.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"
#include "rt/base/libc.h"

#include <elf.h>

extern void *__libc_stack_end;

static bool is_static_program;

/* The environment: pointers to strings, then NULL. In static programs, the
 * start code has pushed one more word when it stores __libc_stack_end. */
static const char *const *first_environment(void)
{
    const uint64_t *const stack =
        (const uint64_t *)__libc_stack_end + is_static_program;

    return (const char *const *)(stack + 1 + stack[0] + 1);
}

uintptr_t mprt_os_stack_end(void)
{
    return (uintptr_t)__libc_stack_end;
}

const char *mprt_os_getenv(const char *name)
{
    const size_t length = mprt_libc_strlen(name);

    for (const char *const *e = first_environment(); *e != NULL; e++) {
        if (mprt_libc_strlen(*e) > length && (*e)[length] == '=' &&
            mprt_libc_memcmp(*e, name, length) == 0)
            return *e + length + 1;
    }
    return NULL;
}

uint64_t mprt_os_auxv(uint64_t type)
{
    const char *const *e = first_environment();
    const Elf64_auxv_t *aux;

    while (*e != NULL)
        e++;
    /* Where AT_SECURE is set, the dynamic linker removes variables, which
     * leaves more than one NULL. No entry of the auxiliary vector begins with a
     * zero word. */
    while (*e == NULL)
        e++;
    for (aux = (const Elf64_auxv_t *)(const void *)e; aux->a_type != AT_NULL;
         aux++) {
        if (aux->a_type == type)
            return aux->a_un.a_val;
    }
    return 0;
}

void mprt_os_init(bool is_static)
{
    is_static_program = is_static;
    mprt_os_use_vdso(mprt_os_auxv(AT_SYSINFO_EHDR));
}
