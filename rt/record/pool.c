/* pool.c -- blocks of the program's own allocators.
 *
 * A table holds the live blocks, by pool and address, and links the blocks of
 * each pool. The context of a block is a call stack with the pool's name. When
 * a block ends, it is added to its MIB like a block of ours. Its accesses are
 * unknown, because it shares counters with its neighbours in the block that
 * contains it.
 *
 * No handler of the program runs while the table is locked: it might not
 * return, or wait for a thread that waits for the lock.
 *
 * The tables are reserved in their largest size, which costs nothing until
 * touched. A program without pools does not reserve them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/pool.h"
#include "rt/base/clock.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/pages.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/stack/call_values.h"
#include "rt/stack/depot.h"
#include "rt/stack/names.h"
#include "rt/stack/vm.h"

#define BLOCKS_MAX (UINT32_C(1) << 26)
#define POOLS_MAX (UINT32_C(1) << 20)
#define BUCKET_BITS 20
#define BUCKETS ((size_t)1 << BUCKET_BITS)
/* How long a dying program waits for the table. */
#define PATIENCE_NS UINT64_C(200000000)
/* Rows per turn under the lock, which is short because the helper may be killed
 * while it holds the lock. */
#define ROWS_AT_A_TIME 1024

/* Rows are numbered from 1; 0 means none. */
struct block {
    uintptr_t p;
    uint64_t size;
    uint64_t birth_ns;
    uint32_t context;
    uint32_t pool;   /* 0: the row is free */
    uint32_t next;   /* in its bucket, or in the list of free rows */
    uint32_t before; /* neighbours in the list of the pool's blocks */
    uint32_t after;
};

struct pool {
    uintptr_t key;
    uint32_t name;
    uint32_t first; /* first block */
    uint32_t next;  /* in its bucket, or in the list of free rows */
};

static struct mprt_lock lock; /* protects everything below */
static struct block *blocks;
static struct pool *pools;
static uint32_t *block_buckets;
static uint32_t *pool_buckets;
static uint32_t last_block; /* highest row that was ever in use */
static uint32_t last_pool;
static uint32_t free_blocks; /* lists of free rows */
static uint32_t free_pools;

static bool reserve(void)
{
    if (pools != NULL)
        return true;
    blocks = mprt_memory_reserve(((size_t)BLOCKS_MAX + 1) * sizeof(*blocks));
    block_buckets = mprt_memory_reserve(BUCKETS * sizeof(*block_buckets));
    pool_buckets = mprt_memory_reserve(BUCKETS * sizeof(*pool_buckets));
    if (blocks != NULL && block_buckets != NULL && pool_buckets != NULL)
        pools = mprt_memory_reserve(((size_t)POOLS_MAX + 1) * sizeof(*pools));
    if (pools == NULL)
        MPRT_LOG_ONCE("no memory for pools: they are not recorded");
    return pools != NULL;
}

static void report_full(void)
{
    MPRT_LOG_ONCE("too many pools or blocks of pools: further ones are not "
                  "recorded");
}

static uint64_t hash(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BUCKET_BITS);
}

/* Locks the table inside the guard. Signals of faults stay unblocked, so that a
 * crash still writes its dump. */
static uint64_t lock_table(void)
{
    const uint64_t signals = mprt_os_block_other_signals();

    mprt_lock_acquire(&lock);
    return signals;
}

/* Leaves the guard before a signal handler can run. */
static void leave(uint64_t signals)
{
    mprt_lock_release(&lock);
    mprt_thread_leave();
    mprt_os_restore_signals(signals);
}

/* -- pools ----------------------------------------------------------------- */

/* The link to the pool, or the link at the end of its bucket. */
static uint32_t *pool_link(uintptr_t key)
{
    uint32_t *link = &pool_buckets[hash(key)];

    while (*link != 0 && pools[*link].key != key)
        link = &pools[*link].next;
    return link;
}

static uint32_t find_pool(uintptr_t key)
{
    return pools != NULL ? *pool_link(key) : 0;
}

static void add_pool(uintptr_t key, uint32_t name)
{
    uint32_t *const link = pool_link(key);
    uint32_t number = free_pools;

    if (number != 0)
        free_pools = pools[number].next;
    else if (last_pool < POOLS_MAX)
        number = ++last_pool;
    if (number == 0) {
        report_full();
        return;
    }
    pools[number] = (struct pool){.key = key, .name = name};
    *link = number;
}

/* -- blocks ---------------------------------------------------------------- */

static uint32_t *block_link(uint32_t pool, uintptr_t p)
{
    uint32_t *link = &block_buckets[hash(p ^ (uint64_t)pool << 32)];

    while (*link != 0 && (blocks[*link].p != p || blocks[*link].pool != pool))
        link = &blocks[*link].next;
    return link;
}

static void add_block(uint32_t pool, uintptr_t p, uint64_t size,
                      uint32_t context, uint64_t now_ns)
{
    uint32_t *const link = block_link(pool, p);
    struct pool *const owner = &pools[pool];
    uint32_t number = free_blocks;

    if (number != 0)
        free_blocks = blocks[number].next;
    else if (last_block < BLOCKS_MAX)
        number = ++last_block;
    if (number == 0) {
        report_full();
        return;
    }
    blocks[number] = (struct block){.p = p,
                                    .size = size,
                                    .birth_ns = now_ns,
                                    .context = context,
                                    .pool = pool,
                                    .after = owner->first};
    if (owner->first != 0)
        blocks[owner->first].before = number;
    owner->first = number;
    *link = number;
}

static void take_out(struct block *b, uint32_t number)
{
    if (b->before != 0)
        blocks[b->before].after = b->after;
    else
        pools[b->pool].first = b->after;
    if (b->after != 0)
        blocks[b->after].before = b->before;
    b->pool = 0;
    b->next = free_blocks;
    free_blocks = number;
}

static void end_block(uint32_t *link, uint64_t now_ns)
{
    const uint32_t number = *link;
    struct block *const b = &blocks[number];
    const struct mprof_block_life life = {
        .size = b->size, .alloc_ns = b->birth_ns, .dealloc_ns = now_ns};
    const uint32_t context = b->context;

    *link = b->next;
    take_out(b, number);
    mprt_mibmap_add(context, &life, 0, NULL, NULL, 0);
}

static void end_blocks(uint32_t pool, uint64_t now_ns)
{
    while (pools[pool].first != 0)
        end_block(block_link(pool, blocks[pools[pool].first].p), now_ns);
}

/* -- interface ------------------------------------------------------------- */

void mprt_pool_end(uintptr_t key, bool stays)
{
    if (!mprt_thread_enter())
        return;
    const uint64_t signals = lock_table();
    const uint32_t pool = find_pool(key);
    if (pool != 0) {
        uint32_t *const link = pool_link(key);

        end_blocks(pool, mprt_clock_now_ns());
        if (!stays) {
            *link = pools[pool].next;
            pools[pool].next = free_pools;
            free_pools = pool;
        }
    }
    leave(signals);
}

void mprt_pool_create(uintptr_t key, uint32_t name)
{
    mprt_pool_end(key, false);
    if (!mprt_thread_enter())
        return;
    const uint64_t signals = lock_table();
    if (reserve())
        add_pool(key, name);
    leave(signals);
}

static uint32_t find_or_add_pool(uintptr_t key, const char *name)
{
    const uint32_t pool = find_pool(key);

    if (pool != 0 || name == NULL || !reserve())
        return pool;
    add_pool(key, mprt_names_of_event(MPROF_TAG_POOL, name));
    return find_pool(key);
}

void mprt_pool_alloc(uintptr_t key, const char *name, uintptr_t p,
                     uint64_t size, struct mprt_caller caller)
{
    struct mprt_thread *const t = mprt_thread_current();

    if (!mprt_state_is_recording() || !mprt_thread_enter())
        return;
    const uint32_t stack =
        mprt_vm_context(t, mprt_call_values_context(t, caller));
    const uint64_t now_ns = mprt_clock_now_in(t);
    const uint64_t signals = lock_table();
    const uint32_t pool = find_or_add_pool(key, name);
    if (pool != 0) {
        uint32_t *const link = block_link(pool, p);
        const uint32_t context = mprt_depot_named(stack, pools[pool].name);

        if (*link != 0)
            end_block(link, now_ns);
        if (context != 0)
            add_block(pool, p, size, context, now_ns);
        else
            report_full();
    }
    leave(signals);
}

uint64_t mprt_pool_free(uintptr_t key, uintptr_t p)
{
    struct mprt_thread *const t = mprt_thread_current();
    uint64_t size = 0;

    if (!mprt_thread_enter())
        return 0;
    const uint64_t signals = lock_table();
    const uint32_t pool = find_pool(key);
    if (pool != 0) {
        uint32_t *const link = block_link(pool, p);

        if (*link != 0) {
            size = blocks[*link].size;
            end_block(link, mprt_clock_now_in(t));
        }
    }
    leave(signals);
    return size;
}

bool mprt_pool_look(uintptr_t key, uintptr_t p, uint64_t *size,
                    uint32_t *context)
{
    uint32_t number = 0;

    if (!mprt_thread_enter())
        return false;
    const uint64_t signals = lock_table();
    const uint32_t pool = find_pool(key);
    if (pool != 0)
        number = *block_link(pool, p);
    if (number != 0) {
        *size = blocks[number].size;
        *context = blocks[number].context;
    }
    leave(signals);
    return number != 0;
}

/* -- all blocks ------------------------------------------------------------ */

static void add_live_block(const struct mprt_mibmap_taken *taken,
                           const struct block *b, uint64_t now_ns)
{
    const struct mprof_block_life life = {.size = b->size,
                                          .alloc_ns = b->birth_ns,
                                          .dealloc_ns = now_ns,
                                          .is_live = true};

    if (b->pool != 0)
        mprt_mibmap_add_live(taken, b->context, 0, &life, NULL, 0);
}

/* Locks the table for a snapshot. False if the program is dying and the holder,
 * perhaps this thread before a signal, does not continue. A thread that makes a
 * snapshot has blocked the signals that it can; the helper waits for a signal
 * that ends it. */
static bool lock_for_dump(void)
{
    return mprt_lock_try_while_bounded(&lock, PATIENCE_NS);
}

/* Visits rows in turns. A block keeps its row as long as it lives. */
void mprt_pool_add_live(const struct mprt_mibmap_taken *taken)
{
    const uint64_t now_ns = mprt_clock_now_ns();
    uint32_t row = 1;
    bool is_over = false;

    while (!is_over && lock_for_dump()) {
        const uint32_t end = (uint32_t)mprof_min_u64(
            (uint64_t)row + ROWS_AT_A_TIME, (uint64_t)last_block + 1);

        for (; row < end; row++)
            add_live_block(taken, &blocks[row], now_ns);
        is_over = row > last_block;
        mprt_lock_release(&lock);
    }
}

void mprt_pool_restart_all(void)
{
    const uint64_t now_ns = mprt_clock_now_ns();
    const uint64_t signals = lock_table();

    for (uint32_t i = 1; i <= last_block; i++)
        blocks[i].birth_ns = now_ns;
    mprt_lock_release(&lock);
    mprt_os_restore_signals(signals);
}

void mprt_pool_before_fork(bool is_outermost)
{
    if (is_outermost)
        mprt_lock_acquire(&lock);
}

static void discard(void *memory, size_t bytes)
{
    mprt_pages_clear(memory, mprof_round_up(bytes, mprt_os_page_bytes()));
}

static void forget_all(void)
{
    discard(blocks, ((size_t)last_block + 1) * sizeof(*blocks));
    discard(pools, ((size_t)last_pool + 1) * sizeof(*pools));
    discard(block_buckets, BUCKETS * sizeof(*block_buckets));
    discard(pool_buckets, BUCKETS * sizeof(*pool_buckets));
    last_block = last_pool = free_blocks = free_pools = 0;
    MPRT_LOG_ONCE("a signal handler forked while a thread changed a pool: the "
                  "pools that exist are not recorded in the child");
}

/* A fork in a signal handler does not wait for the table. In the child, nobody
 * completes a change that another thread had begun. */
void mprt_pool_after_fork(bool is_child, bool is_outermost)
{
    if (is_child && !is_outermost && pools != NULL && MPRT_LOAD(lock.word) != 0)
        forget_all();
    mprt_lock_after_fork(&lock, is_child, is_outermost);
}
