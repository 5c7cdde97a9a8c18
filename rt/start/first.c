/* first.c -- the first step of a program without a dynamic linker. Its C
 * library starts by calling memcpy() and the like, which may be instrumented
 * code of the program, so the counters must be mapped before. The linker wraps
 * __libc_start_main(). At this point nothing is relocated, and there is no
 * thread-local storage.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* In assembly, because a frame of ours would appear in all call stacks. */
__asm__(".text\n"
        ".globl __wrap___libc_start_main\n"
        ".hidden __wrap___libc_start_main\n"
        ".type __wrap___libc_start_main, @function\n"
        "__wrap___libc_start_main:\n"
        ".cfi_startproc\n"
        "pushq %rdi\n"
        "pushq %rsi\n"
        "pushq %rdx\n"
        "pushq %rcx\n"
        "pushq %r8\n"
        "pushq %r9\n"
        ".cfi_adjust_cfa_offset 48\n"
        "subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call mprt_shadow_map\n"
        "addq $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %r9\n"
        "popq %r8\n"
        "popq %rcx\n"
        "popq %rdx\n"
        "popq %rsi\n"
        "popq %rdi\n"
        ".cfi_adjust_cfa_offset -48\n"
        "jmp __real___libc_start_main\n"
        ".cfi_endproc\n"
        ".size __wrap___libc_start_main, . - __wrap___libc_start_main\n");
