/* real_wrap.c -- the next definition of an interposed function in a program
 * without a dynamic linker. The linker is told to --wrap each of these names:
 * calls come to __wrap_NAME, which is ours, and __real_NAME is the C library's.
 * The list of names is made from rt/real/real.inc.
 *
 * That holds for the C library's own calls too, and what counts must not see
 * those: in a dynamic program it does not. So __wrap_NAME of such a function
 * looks where it is called from, and the rest is ours.
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

/* The linker says where the C library's code is (rt/real/libc_code.ld), or not:
 * then both are 0. Our own calls of it may end as jumps from one of its
 * functions to another. Only r11 is changed, which is nobody's between
 * functions; addresses are taken from where a symbol of nobody can be 0 in any
 * program. */
__asm__(".weak memprof_libc_begin\n"
        ".weak memprof_libc_end\n"
        ".hidden __start_mprt_text\n"
        ".hidden __stop_mprt_text\n");
#define MPRT_COUNTED(name)                                     \
    __asm__(".text\n"                                          \
            ".p2align 4\n"                                     \
            ".globl __wrap_" #name "\n"                        \
            ".hidden __wrap_" #name "\n"                       \
            ".type __wrap_" #name ", @function\n"              \
            "__wrap_" #name ":\n"                              \
            ".cfi_startproc\n"                                 \
            "movq (%rsp), %r11\n"                              \
            "cmpq memprof_libc_begin@GOTPCREL(%rip), %r11\n"   \
            "jb 1f\n"                                          \
            "cmpq memprof_libc_end@GOTPCREL(%rip), %r11\n"     \
            "jb __real_" #name "\n"                            \
            "1: cmpq __start_mprt_text@GOTPCREL(%rip), %r11\n" \
            "jb " #name "\n"                                   \
            "cmpq __stop_mprt_text@GOTPCREL(%rip), %r11\n"     \
            "jae " #name "\n"                                  \
            "jmp __real_" #name "\n"                           \
            ".cfi_endproc\n"                                   \
            ".size __wrap_" #name ", . - __wrap_" #name "\n");
#include "counted.inc"
#undef MPRT_COUNTED

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

const struct mprt_real_form mprt_real_form = {
    .is_static = true,
    .matches_program = always,
    .find = find,
};
