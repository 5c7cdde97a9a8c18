/* signal_stack.c -- alternate signal stacks, and sigaltstack(), which hides
 * them from the program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/process/process.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/heap/shadow.h"
#include "rt/real/real.h"
#include "rt/record/block.h"

/* Handlers of the program that ask for an alternate stack would use the
 * thread's stack if there is none; they run on ours. Untouched pages take no
 * memory. */
#define SIGNAL_STACK_BYTES ((size_t)1 << 20)

/* Whether threads get stacks, set at the start from the options. */
static bool gives_stacks;

/* Our stack of this thread, or NULL. */
static _Thread_local void *our_stack;

static bool is_ours_stack(const stack_t *stack)
{
    return our_stack != NULL && stack->ss_sp == our_stack;
}

void mprt_signal_stack_start_thread(struct mprt_thread *t)
{
    stack_t now;

    if (!gives_stacks || mprt_os_signal_stack(NULL, &now) != 0 ||
        (now.ss_flags & SS_DISABLE) == 0)
        return;
    if (t->signal_stack == NULL)
        t->signal_stack = mprt_memory_map(SIGNAL_STACK_BYTES);
    our_stack = t->signal_stack;
    const stack_t ours = {.ss_sp = our_stack, .ss_size = SIGNAL_STACK_BYTES};
    if (our_stack != NULL)
        mprt_os_signal_stack(&ours, NULL);
}

void mprt_signal_stack_end_thread(struct mprt_thread *t)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t now;

    (void)t;
    if (our_stack != NULL && mprt_os_signal_stack(NULL, &now) == 0 &&
        is_ours_stack(&now))
        mprt_os_signal_stack(&none, NULL);
    our_stack = NULL;
}

void mprt_signal_stack_init(void)
{
    if (mprt_options_is_secure() || !mprt_options.dump_at_exit ||
        !mprt_options.use_sigaltstack)
        return;
    gives_stacks = true;
    if (mprt_thread_local.state != NULL)
        mprt_signal_stack_start_thread(mprt_thread_local.state);
}

MPRT_INTERFACE int sigaltstack(const stack_t *restrict stack,
                               stack_t *restrict before)
{
    stack_t now = {0};
    const bool has_ours =
        mprt_os_signal_stack(NULL, &now) == 0 && is_ours_stack(&now);
    int result = 0;

    /* Our stack stays if the program asks for none. */
    if (!has_ours || (stack != NULL && (stack->ss_flags & SS_DISABLE) == 0))
        result = MPRT_REAL(sigaltstack)(stack, before);
    if (result == 0 && stack != NULL && (stack->ss_flags & SS_DISABLE) == 0)
        mprt_block_mark_unseen(stack->ss_sp);
    if (result == 0 && has_ours && before != NULL)
        *before = (stack_t){.ss_flags = SS_DISABLE};
    if (stack != NULL)
        mprt_shadow_count_block((uintptr_t)stack, sizeof(*stack), false);
    if (result == 0 && before != NULL)
        mprt_shadow_count_block((uintptr_t)before, sizeof(*before), true);
    return result;
}
