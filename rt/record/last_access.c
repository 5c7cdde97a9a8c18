/* last_access.c -- looks at the counters of live blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/last_access.h"
#include "rt/base/clock.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/sandbox.h"
#include "rt/base/state.h"
#include "rt/heap/bursts.h"
#include "rt/heap/shadow.h"
#include "rt/stack/depot.h"
#include "shared/detail.h"

/* Looks take at most one of so many parts of the run. */
#define SHARE 20
/* Time between looks at least: so much, and a part of the run so far. */
#define PAUSE_NS UINT64_C(1000000000)
#define PAUSE_SHARE 64
/* A look that took longer was interrupted. */
#define TOOK_NS_MAX UINT64_C(3000000000)
/* A time in a word: 4 ms, which last for 200 days. */
#define TIME_SHIFT 22

/* Of the block that begins in the granule: the time of the look above the low
 * bits of the sum; 0: none. */
static _Atomic uint64_t *words;
static atomic_flag is_looking = ATOMIC_FLAG_INIT;

static _Atomic uint64_t *word_of(uintptr_t p)
{
    return &words[(p - (uintptr_t)mprt_runs_region) / MPROF_GRANULE_BYTES];
}

static uint64_t time_in(uint64_t word)
{
    return (word >> 32) << TIME_SHIFT;
}

/* Whether the word is of this block and its counters have not changed. */
static bool is_unchanged(uint64_t word, const struct mprt_live_block *block)
{
    return block->life.alloc_ns <= time_in(word) &&
           (uint32_t)word == (uint32_t)block->life.access_count;
}

/* Bursts miss accesses, and so does code that does not count. */
static bool is_measured(void)
{
    return !mprt_bursts_are_on() && !mprt_shadow_is_off;
}

static bool is_known(const struct mprt_live_block *block)
{
    return block->context >= mprt_depot_first_id && !block->life.is_unseen &&
           !block->life.is_saturated;
}

/* The time is read when the counters have been: what they count was before. */
static void look_at(void *context, const struct mprt_live_block *block)
{
    _Atomic uint64_t *const word = word_of(block->p);

    (void)context;
    if (is_known(block) && block->life.access_count != 0 &&
        !is_unchanged(MPRT_LOAD(*word), block))
        MPRT_STORE(*word, mprt_clock_now_ns() >> TIME_SHIFT << 32 |
                              (uint32_t)block->life.access_count);
}

/* Other threads do not come here meanwhile. A stop of the process is no part of
 * the look. */
static void look(uint64_t now_ns)
{
    MPRT_STORE(mprt_block_due_ns, UINT64_MAX);
    mprt_block_walk(look_at, NULL);
    const uint64_t end_ns = mprt_clock_now_ns();
    const uint64_t took_ns =
        mprof_min_u64(mprof_sub_sat_u64(end_ns, now_ns), TOOK_NS_MAX);
    MPRT_STORE(mprt_block_due_ns,
               end_ns +
                   mprof_max_u64(mprof_max_u64(PAUSE_NS, end_ns / PAUSE_SHARE),
                                 took_ns * SHARE));
}

/* Visiting the heap takes system calls. */
static void look_if_possible(void)
{
    const uint64_t now_ns = mprt_clock_now_ns();

    if (mprt_sandbox_is_there() || !is_measured() ||
        now_ns >> TIME_SHIFT > UINT32_MAX)
        MPRT_STORE(mprt_block_due_ns, UINT64_MAX);
    if (MPRT_LOAD(mprt_block_due_ns) == UINT64_MAX ||
        !mprt_state_is_running() || !mprt_thread_enter())
        return;
    if (!atomic_flag_test_and_set_explicit(&is_looking, memory_order_acquire)) {
        look(now_ns);
        atomic_flag_clear_explicit(&is_looking, memory_order_release);
    }
    mprt_thread_leave();
}

void mprt_last_access_init(void)
{
    const char *trouble = NULL;

    if (!mprt_options.last_access)
        return;
    if (!is_measured() || mprt_bursts_count_nothing)
        trouble = "this needs accesses=all";
    else
        words = (_Atomic uint64_t *)mprt_memory_reserve(
            MPRT_HEAP_REGION_BYTES / MPROF_GRANULE_BYTES * sizeof(*words));
    if (trouble == NULL && words == NULL)
        trouble = "out of address space";
    if (trouble != NULL) {
        MPRT_LOG("times of last accesses are not recorded: ", trouble);
        return;
    }
    if (mprt_options.log != NULL && *mprt_options.log != '\0')
        MPRT_LOG("times of last accesses are in the profile, and not in the "
                 "log");
    mprt_block_when_due = look_if_possible;
    MPRT_STORE(mprt_block_due_ns, PAUSE_NS);
    mprt_state_set(MPRT_STATE_LOOKS);
}

void mprt_last_access_in_child(void)
{
    if (words == NULL)
        return;
    atomic_flag_clear(&is_looking);
    MPRT_STORE(mprt_block_due_ns, mprt_clock_now_ns() + PAUSE_NS);
}

bool mprt_last_access_idle(const struct mprt_live_block *block,
                           uint64_t *idle_ns)
{
    const struct mprof_block_life *const life = &block->life;
    uint64_t since_ns = life->alloc_ns;

    if (words == NULL || !is_measured() || !is_known(block))
        return false;
    if (life->access_count != 0) {
        const uint64_t word = MPRT_LOAD(*word_of(block->p));
        since_ns = is_unchanged(word, block)
                       ? time_in(word) + (UINT64_C(1) << TIME_SHIFT)
                       : life->dealloc_ns;
    }
    *idle_ns = mprof_sub_sat_u64(life->dealloc_ns, since_ns);
    return true;
}

bool mprt_last_access_of(const struct mprt_live_block *block,
                         struct mprt_last_access *access)
{
    uint64_t idle_ns;

    if (!mprt_last_access_idle(block, &idle_ns))
        return false;
    *access = (struct mprt_last_access){block->life.access_count != 0
                                            ? MPROF_DETAIL_IDLE
                                            : MPROF_DETAIL_UNTOUCHED,
                                        mprof_detail_fine(idle_ns)};
    return true;
}
