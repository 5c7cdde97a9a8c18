/* wrap_counted.c -- interceptors that count, for a static program. Such a
 * program is linked with --wrap=NAME, which also redirects calls inside the C
 * library (rt/real/real_wrap.c). Those calls must not count: in a dynamic
 * program they do not reach the interceptors. So __wrap_NAME looks at its
 * return address. The list of names is generated from the interceptors that
 * count.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Goes to __real_NAME if the caller is the C library or the runtime, else to
 * the interceptor. The runtime counts as a caller because its calls of the C
 * library may end as tail jumps from one function of the C library to another.
 *
 * memprof_libc_begin and _end delimit the C library's code
 * (rt/real/libc_code.ld); both are 0 if the linker does not define them. Only
 * r11 changes, which is free between functions. The addresses are loaded from
 * the GOT, because an undefined weak symbol can be 0 in every program only
 * there. */
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
