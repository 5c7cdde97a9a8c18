/* wrap_counted.c -- what counts, in a program without a dynamic linker. The
 * linker wraps the C library's own calls too (rt/real/real_wrap.c), and those
 * must not count: in a dynamic program they do not come to us. So __wrap_NAME
 * looks where it is called from. The list of names is made from the interposers
 * that count.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

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
