/* interpose_jump.c -- longjmp() and the like, which may leave a signal handler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/bursts.h"
#include "rt/heap/shadow.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/stack/jump.h"

/* Layout of glibc's jmp_buf: index of the stack pointer, which is combined with
 * the thread's pointer guard and rotated by this many bits. */
#define JMP_BUF_SP 6
#define POINTER_GUARD_BITS 17
#define POINTER_GUARD "%%fs:0x30"

static uintptr_t stack_pointer_of(const struct __jmp_buf_tag *buffer)
{
    uintptr_t sp = (uintptr_t)buffer->__jmpbuf[JMP_BUF_SP];

    sp = sp >> POINTER_GUARD_BITS | sp << (64 - POINTER_GUARD_BITS);
    __asm__("xorq " POINTER_GUARD ", %0" : "+r"(sp) : : "cc");
    return sp;
}

/* In a program without a dynamic linker nobody counts what setjmp() writes. */
static void note_read(const struct __jmp_buf_tag *buffer)
{
    if (!mprt_real_is_ready || mprt_shadow_is_off || mprt_bursts_skip())
        return;
    if (mprt_real_form.is_static)
        mprt_block_mark_unseen(buffer);
    else
        mprt_shadow_count_block((uintptr_t)buffer, sizeof(*buffer), false);
}

#define JUMP(name)                                                      \
    MPRT_INTERFACE void name(struct __jmp_buf_tag buffer[1], int value) \
    {                                                                   \
        note_read(buffer);                                              \
        if (mprt_real_is_ready)                                         \
            mprt_jump_note(MPRT_CALLER(), stack_pointer_of(buffer));    \
        MPRT_REAL(name)(buffer, value);                                 \
        __builtin_unreachable();                                        \
    }

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
/* Called by code compiled with _FORTIFY_SOURCE. */
JUMP(__longjmp_chk)
