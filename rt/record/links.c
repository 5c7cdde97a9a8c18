/* links.c -- samples blocks and searches them for pointers to other blocks.
 *
 * A sampled block may be freed by another thread at any time. Its words are
 * read as long as its header shows the same block before and after. Small slots
 * stay mapped.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/links.h"
#include "rt/base/clock.h"
#include "rt/base/overhead.h"
#include "rt/record/block_internal.h"

/* Larger blocks share few cache lines with others. */
#define SIZE_MAX_SEARCHED 512
/* Bytes of a block that are searched. */
#define BYTES_SEARCHED 256
#define WORDS_SEARCHED (BYTES_SEARCHED / sizeof(uintptr_t))
/* Blocks are born at about the same time if the thread allocates no more blocks
 * in between, at its average rate. */
#define BLOCKS_BETWEEN 16

_Static_assert(MPROF_DETAIL_LINK_WEIGHT == MPRT_OVERHEAD_MEAN_CALLS,
               "a block is sampled when its call is timed");

/* Contexts that a block points to, each once. */
struct found {
    uint32_t contexts[WORDS_SEARCHED];
    uint32_t count;
};

static uint64_t births_of(const struct mprt_thread *t)
{
    return MPRT_LOAD(t->counts.allocated_blocks);
}

static void add(struct found *found, uint32_t context)
{
    for (uint32_t i = 0; i < found->count; i++) {
        if (found->contexts[i] == context)
            return;
    }
    found->contexts[found->count++] = context;
}

/* Adds the context of the small live block that p points into, if it was born
 * at most `ns` from `birth_ns`. */
static void follow(struct found *found, const void *p, uint64_t birth_ns,
                   uint64_t ns)
{
    if (!mprt_heap_contains(p))
        return;
    const struct mprt_heap_slot slot = mprt_heap_slot_of(p);
    if (slot.memory == NULL)
        return;
    const struct header *const h = slot.header;
    const uint64_t state = load_state(h);
    const uint32_t context = h->context;
    const uint64_t other_ns = h->birth_ns;
    if (kind_of(state) != STATE_LIVE || size_in(state) > SIZE_MAX_SEARCHED ||
        (uintptr_t)p - (uintptr_t)block_in(slot.memory, state) >=
            size_in(state) ||
        context < mprt_depot_first_id)
        return;
    /* Pairs with the exchange in take_block(). */
    atomic_thread_fence(memory_order_acquire);
    if (is_same_block(MPRT_LOAD(h->state), state) &&
        (birth_ns > other_ns ? birth_ns - other_ns : other_ns - birth_ns) <= ns)
        add(found, context);
}

/* Searches a sampled block of thread t if it still lives. Two threads that
 * search at the same time do not get the same block. */
static void search(const struct mprt_thread *t,
                   struct mprt_links_sampled *sampled, uint64_t now_ns)
{
    const uintptr_t p =
        atomic_exchange_explicit(&sampled->p, 0, memory_order_relaxed);
    const uint64_t wanted = MPRT_LOAD(sampled->state);
    const uint64_t births =
        mprof_sub_sat_u64(births_of(t), MPRT_LOAD(sampled->births));
    struct found found = {.count = 0};
    uint64_t state;
    const struct header *const h =
        p != 0 ? live_header((void *)p, &state) : NULL;

    if (h == NULL || !is_same_block(state, wanted))
        return;
    const uint32_t context = h->context;
    const uint64_t birth_ns = h->birth_ns;
    const uint64_t ns = mprof_sub_sat_u64(now_ns, birth_ns) / (births + 1);
    for (size_t i = 0;
         i < WORDS_SEARCHED && (i + 1) * sizeof(uintptr_t) <= size_in(state);
         i++) {
        const uintptr_t word = ((const volatile uintptr_t *)p)[i];
        if (word - p >= size_in(state))
            follow(&found, (const void *)word, birth_ns,
                   mprof_mul_sat_u64(ns, BLOCKS_BETWEEN));
    }
    atomic_thread_fence(memory_order_acquire);
    if (context < mprt_depot_first_id ||
        !is_same_block(MPRT_LOAD(h->state), state))
        return;
    for (uint32_t i = 0; i < found.count; i++)
        mprt_mibmap_add_link(context, MPROF_DETAIL_LINK, found.contexts[i],
                             size_in(state), MPROF_DETAIL_LINK_WEIGHT);
}

void mprt_links_sample(struct mprt_thread *t, void *p)
{
    struct mprt_links_sampled *const sampled =
        &t->links.sampled[t->links.next++ % MPRT_LINKS_WAIT];
    uint64_t state;

    if (is_sampling() || !mprt_thread_enter())
        return;
    search(t, sampled, mprt_clock_now_ns());
    const struct header *const h = live_header(p, &state);
    if (h != NULL && h->context != 0 && size_in(state) <= SIZE_MAX_SEARCHED) {
        MPRT_STORE(sampled->state, state);
        MPRT_STORE(sampled->births, births_of(t));
        MPRT_STORE(sampled->p, (uintptr_t)p);
    }
    mprt_thread_leave();
}

void mprt_links_search_all(void)
{
    const uint64_t now_ns = mprt_clock_now_ns();

    MPRT_EACH_THREAD(t) {
        for (size_t i = 0; i < MPRT_LINKS_WAIT; i++)
            search(t, &t->links.sampled[i], now_ns);
    }
}
