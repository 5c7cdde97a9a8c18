/* interpose_stacks.c -- functions that give code a stack. If a block holds the
 * stack, uncounted code accesses the block, so the block is marked. (If a
 * program switches stacks by itself, block_new.c notices when code on the new
 * stack allocates.)
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"
#include "rt/record/block.h"

/* Marks the block with a stack that ends at p. */
static void note_end(const void *p)
{
    mprt_block_mark_unseen((const char *)p - 1);
}

MPRT_INTERFACE int pthread_attr_setstack(pthread_attr_t *attributes, void *p,
                                         size_t n)
{
    mprt_block_mark_unseen(p);
    return MPRT_REAL(pthread_attr_setstack)(attributes, p, n);
}

MPRT_INTERFACE int pthread_attr_setstackaddr(pthread_attr_t *attributes,
                                             void *p)
{
    note_end(p);
    return MPRT_REAL(pthread_attr_setstackaddr)(attributes, p);
}

/* These functions take any arguments. The note_*() function sees the first two
 * and returns the next definition; the interceptor then jumps there with all
 * arguments in place. */

static __attribute__((used)) void *note_context(const ucontext_t *context)
{
    mprt_block_mark_unseen(context->uc_stack.ss_sp);
    return (void *)(uintptr_t)MPRT_REAL(makecontext);
}

static __attribute__((used)) void *note_clone(int (*start)(void *), void *end)
{
    (void)start;
    note_end(end);
    return (void *)(uintptr_t)MPRT_REAL(clone);
}

#define NOTE_AND_JUMP(name, note)                                      \
    void mprt_##name(void) __asm__(#name);                             \
    MPRT_INTERFACE __attribute__((naked)) void mprt_##name(void)       \
    {                                                                  \
        __asm__("push %rdi\n\tpush %rsi\n\tpush %rdx\n\tpush %rcx\n\t" \
                "push %r8\n\tpush %r9\n\tsub $8, %rsp\n\t"             \
                "call " #note "\n\t"                                   \
                "add $8, %rsp\n\tpop %r9\n\tpop %r8\n\tpop %rcx\n\t"   \
                "pop %rdx\n\tpop %rsi\n\tpop %rdi\n\t"                 \
                "mov %rax, %r11\n\txor %eax, %eax\n\tjmp *%r11");      \
    }

NOTE_AND_JUMP(makecontext, note_context)
NOTE_AND_JUMP(clone, note_clone)
