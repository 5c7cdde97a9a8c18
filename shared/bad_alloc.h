/* bad_alloc.h -- throws std::bad_alloc, catches exceptions and reads the new
 * handler from C. All belong to the C++ library of the program, so they are
 * weak imports.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stddef.h>

typedef void mprof_new_handler(void);

/* std::get_new_handler() and std::__throw_bad_alloc(): libstdc++ and libc++. */
extern mprof_new_handler *_ZSt15get_new_handlerv(void) __attribute__((weak));
extern _Noreturn void _ZSt17__throw_bad_allocv(void) __attribute__((weak));
/* Fallback by the Itanium ABI: vtable, type and destructor of std::bad_alloc.
 */
extern void *__cxa_allocate_exception(size_t size) __attribute__((weak));
extern _Noreturn void __cxa_throw(void *object, void *type,
                                  void (*destructor)(void *))
    __attribute__((weak));
extern void *_ZTVSt9bad_alloc[] __attribute__((weak));
extern char _ZTISt9bad_alloc[] __attribute__((weak));
extern void _ZNSt9bad_allocD1Ev(void *object) __attribute__((weak));

/* Throws std::bad_alloc; traps if the program has no C++ library. */
static inline _Noreturn void mprof_throw_bad_alloc(void)
{
    if (&_ZSt17__throw_bad_allocv != NULL)
        _ZSt17__throw_bad_allocv();
    if (&__cxa_allocate_exception != NULL && &__cxa_throw != NULL &&
        _ZTVSt9bad_alloc != NULL && _ZTISt9bad_alloc != NULL) {
        void **const object = __cxa_allocate_exception(sizeof(void *));
        object[0] = &_ZTVSt9bad_alloc[2];
        __cxa_throw(object, _ZTISt9bad_alloc, _ZNSt9bad_allocD1Ev);
    }
    __builtin_trap();
}

/* The new handler; NULL if none is set or there is no C++ library. */
static inline mprof_new_handler *mprof_get_new_handler(void)
{
    return &_ZSt15get_new_handlerv != NULL ? _ZSt15get_new_handlerv() : NULL;
}

/* try { return called(arguments ...); } catch (...) { return NULL; }
 *
 * The table says, after its encodings: from the call's begin to its end,
 * control goes to the landing pad by action 1, which catches type 1: all
 * exceptions. With --gc-sections gold keeps data for the unwinder by its
 * section's name only. */
void *mprof_catch(const void *called, ...)
    __attribute__((visibility("hidden")));
__asm__(".weak __gxx_personality_v0, __cxa_begin_catch, __cxa_end_catch\n"
        ".pushsection .text\n"
        ".hidden mprof_catch\n"
        ".type mprof_catch, @function\n"
        "mprof_catch:\n"
        ".cfi_startproc\n"
        ".cfi_personality 0x9b, .Lmprof_personality\n"
        ".cfi_lsda 0x1b, .Lmprof_lsda\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "mov %rdx, %rsi\n"
        "mov %rcx, %rdx\n"
        "mov %r8, %rcx\n"
        "mov %r9, %r8\n"
        ".Lmprof_call:\n"
        "call *%rax\n"
        ".Lmprof_called:\n"
        "pop %rbp\n"
        ".cfi_remember_state\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_restore_state\n"
        ".Lmprof_pad:\n"
        "mov %rax, %rdi\n"
        "call *__cxa_begin_catch@GOTPCREL(%rip)\n"
        "call *__cxa_end_catch@GOTPCREL(%rip)\n"
        "xor %eax, %eax\n"
        "pop %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size mprof_catch, . - mprof_catch\n"
        ".popsection\n"
        ".pushsection .gcc_except_table, \"a\", @progbits\n"
        ".Lmprof_lsda: .byte 0xff, 0x9b\n"
        ".uleb128 .Lmprof_types - .Lmprof_sites\n"
        ".Lmprof_sites: .byte 1\n"
        ".uleb128 .Lmprof_actions - .Lmprof_site\n"
        ".Lmprof_site: .uleb128 .Lmprof_call - mprof_catch\n"
        ".uleb128 .Lmprof_called - .Lmprof_call\n"
        ".uleb128 .Lmprof_pad - mprof_catch\n"
        ".uleb128 1\n"
        ".Lmprof_actions: .byte 1, 0\n"
        ".p2align 2\n"
        ".long 0\n"
        ".Lmprof_types:\n"
        ".popsection\n"
        ".pushsection .data.rel.ro.personality, \"aw\", @progbits\n"
        ".p2align 3\n"
        ".Lmprof_personality: .quad __gxx_personality_v0\n"
        ".popsection");
