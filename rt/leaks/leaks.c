/* leaks.c -- finds leaks: takes the locks and runs the steps of the search.
 *
 * The locks of ignored blocks and of the heap are held until all threads are
 * stopped, so that no thread is stopped in the middle of a change. The search
 * itself holds no lock, so that the program can go on if the process that
 * waits for it, which may be the helper, is killed. A thread may be stopped
 * while it loads or unloads a library: its steps leave the dynamic linker's
 * list readable.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/leaks/leaks.h"
#include "rt/base/fault.h"
#include "rt/base/identity.h"
#include "rt/base/log.h"
#include "rt/base/mapbuf.h"
#include "rt/base/os.h"
#include "rt/heap/heap.h"
#include "rt/leaks/search.h"
#include "rt/record/ignored.h"
#include "rt/record/sample.h"
#include "rt/stack/depot.h"

#include <sanitizer/lsan_interface.h>

/* Limit of the search. Nobody waits longer for a stopped program. */
#define PATIENCE_NS UINT64_C(60000000000)

/* The program may define this function and the next. */
static int no_turning_off(void)
{
    return 0;
}
MPRT_WEAK __attribute__((alias("no_turning_off"))) int
__lsan_is_turned_off(void);

static const char *no_suppressions(void)
{
    return "";
}
MPRT_WEAK __attribute__((alias("no_suppressions"))) const char *
__lsan_default_suppressions(void);

static _Thread_local uintptr_t callers_stack;

/* Stores the callee-saved registers on the stack, here or, if the compiler uses
 * one in this function, in its own save area: the search reads them there. */
MPRT_NOINLINE void mprt_leaks_from_here(void (*function)(void *argument),
                                        void *argument)
{
    const uintptr_t before = callers_stack;
    volatile uintptr_t kept[6];

    __asm__ volatile("movq %%rbx, 0(%1)\n\t"
                     "movq %%rbp, 8(%1)\n\t"
                     "movq %%r12, 16(%1)\n\t"
                     "movq %%r13, 24(%1)\n\t"
                     "movq %%r14, 32(%1)\n\t"
                     "movq %%r15, 40(%1)\n\t"
                     "movq %%rsp, %0"
                     : "=&r"(callers_stack)
                     : "r"(kept)
                     : "memory");
    function(argument);
    callers_stack = before;
}

/* -- In the other process, while all threads are stopped ------------------- */

struct search {
    struct mprt_leaks *leaks;
    struct mprt_roots_thread caller; /* no thread in the helper */
    const char *trouble;
    bool is_locked;
};

static void unlock(struct search *s)
{
    if (!s->is_locked)
        return;
    mprt_heap_after_fork(false, true);
    mprt_lock_release(&mprt_ignored_lock);
    s->is_locked = false;
}

static void sum(struct mprt_leaks *leaks)
{
    const uint32_t count = mprt_depot_count() + 1;
    struct mprt_mibmap_leaks *const contexts =
        (struct mprt_mibmap_leaks *)mprt_mapbuf_new_array(count,
                                                          sizeof(*contexts));

    if (contexts == NULL)
        return;
    mprt_mark_sum(contexts, count);
    mprt_mapbuf_init(&leaks->held);
    leaks->knows_held = mprt_holders_find(&leaks->held, count);
    for (uint32_t id = mprt_depot_first_id; id < count; id++) {
        leaks->blocks += contexts[id].blocks;
        leaks->bytes += contexts[id].bytes;
    }
    leaks->count = count;
    leaks->contexts = contexts;
}

static void look(const struct mprt_stopped_threads *stopped, void *argument)
{
    struct search *const s = argument;

    unlock(s);
    s->trouble = mprt_roots_begin() && mprt_mark_begin()
                     ? mprt_roots_mark(stopped, &s->caller)
                     : "out of memory";
    if (s->trouble == NULL) {
        mprt_ignored_walk_held(mprt_mark_pointer, mprt_mark_words);
        mprt_mark_follow();
        sum(s->leaks);
    }
    mprt_mark_end();
    mprt_roots_end();
}

/* -- In the program -------------------------------------------------------- */

static void search(struct search *s)
{
    const uint64_t signals = mprt_os_block_other_signals();

    mprt_lock_acquire(&mprt_ignored_lock);
    mprt_heap_before_fork(true);
    s->is_locked = true;
    const char *const trouble =
        mprt_stopped_threads_visit(look, s, PATIENCE_NS);
    unlock(s);
    mprt_os_restore_signals(signals);
    if (s->trouble == NULL)
        s->trouble = trouble;
}

/* What the program's functions return. */
struct answer {
    bool is_turned_off;
    const char *known;
};

static void ask_program(void *argument)
{
    struct answer *const answer = argument;

    answer->is_turned_off = __lsan_is_turned_off() != 0;
    if (!answer->is_turned_off)
        answer->known = __lsan_default_suppressions();
}

void mprt_leaks_find(struct mprt_leaks *leaks)
{
    const bool is_helper = mprt_identity_is_helper();
    struct search s = {
        .leaks = leaks,
        .caller = {.stack = callers_stack,
                   .pointer = (uintptr_t)__builtin_thread_pointer(),
                   .is_first = mprt_os_tid() == mprt_os_pid()}};

    struct answer answer = {.known = ""};

    *leaks = (struct mprt_leaks){.contexts = NULL};
    if (callers_stack == 0 && !is_helper)
        return;
    if (is_helper)
        mprt_fault_try(ask_program, &answer); /* they may need libc */
    else
        ask_program(&answer);
    if (answer.is_turned_off)
        return;
    if (!is_helper && !mprt_identity_is_owner())
        s.trouble = "this process was not made by fork()";
    else if (mprt_sample_is_outside)
        s.trouble = "with sample= the search needs leaks=1";
    else
        search(&s);
    if (s.trouble != NULL) {
        mprt_leaks_free(leaks);
        MPRT_LOG_ONCE("leaks were not looked for: ", s.trouble);
    } else if (!leaks->knows_held) {
        MPRT_LOG_ONCE("too many leaks to find which leaked blocks hold which");
    }
    leaks->known = answer.known;
}

void mprt_leaks_free(struct mprt_leaks *leaks)
{
    mprt_mapbuf_free_array(leaks->contexts, leaks->count,
                           sizeof(*leaks->contexts));
    if (leaks->held.data != NULL)
        mprt_mapbuf_free(&leaks->held);
    *leaks = (struct mprt_leaks){.contexts = NULL};
}

void mprt_leaks_say_not_looked(void)
{
    MPRT_LOG_ONCE("leaks were not looked for: the program ends inside the "
                  "profiler");
}
