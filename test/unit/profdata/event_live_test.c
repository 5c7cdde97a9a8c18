/* event_live_test.c -- finds the beginnings of blocks that threads end for each
 * other, in whatever order the threads write their events.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_live.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>

#define ADDRESSES 6u
#define THREADS 4u
#define EVENTS 3000u

struct run {
    struct mpdata_log_event events[THREADS][EVENTS]; /* number: of the block */
    uint32_t count[THREADS];
    uint32_t alive[ADDRESSES]; /* number of the block at the end, or 0 */
    uint32_t blocks;
    uint32_t ends;
    uint64_t seed;
};

static uint32_t random_below(struct run *run, uint32_t n)
{
    run->seed = run->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(run->seed >> 33) % n;
}

/* A run as it happened: one block at an address at a time. */
static void happen(struct run *run)
{
    struct mpdata_log_event born[ADDRESSES] = {{.kind = 0}};

    for (uint32_t i = 1; i <= EVENTS; i++) {
        const uint32_t at = random_below(run, ADDRESSES);
        const uint32_t t = random_below(run, THREADS);
        struct mpdata_log_event e = {
            .kind = MPROF_LOG_EVENT_ALLOC, .thread = t, .at = at, .ns = i};

        if (run->alive[at] != 0) {
            e.kind = MPROF_LOG_EVENT_FREE;
            e.number = run->alive[at];
            e.birth_ns = born[at].ns;
            e.flags = born[at].thread != t ? MPROF_LOG_FL_ELSEWHERE : 0;
            run->alive[at] = 0;
            run->ends++;
        } else {
            e.number = run->alive[at] = ++run->blocks;
            born[at] = e;
        }
        run->events[t][run->count[t]++] = e;
    }
}

/* Returns the number of the block whose two events are known now, or 0. */
static uint32_t see(struct mpdata_event_live *live,
                    const struct mpdata_log_event *e)
{
    struct mpdata_live_block block = {.address = e->at,
                                      .ns = e->ns,
                                      .row = (uint32_t)e->number,
                                      .thread = e->thread};
    bool failed = false;
    uint32_t number = 0;

    mpdata_event_live_prepare(live, e, e);
    if (e->kind == MPROF_LOG_EVENT_FREE) {
        if (mpdata_event_live_end(live, e, &block, &failed))
            number = block.row;
    } else {
        struct mpdata_log_event *const end =
            mpdata_event_live_begin(live, &block, &failed);
        if (end != NULL)
            number = (uint32_t)end->number;
        free(end);
    }
    assert_false(failed);
    assert_true(number == 0 || number == e->number);
    return number;
}

static void count_alive(void *context, const struct mpdata_live_block *b)
{
    const struct run *const run = context;

    assert_int_equal(run->alive[b->address], b->row);
}

/* burst: events of a thread at once. */
static void check(uint64_t seed, uint32_t burst)
{
    struct run *const run = calloc(1, sizeof(*run));
    struct mpdata_event_live live = {.blocks.elem_bytes =
                                         sizeof(struct mpdata_live_block)};
    uint32_t at[THREADS] = {0};
    uint32_t pairs = 0;

    assert_non_null(run);
    run->seed = seed;
    happen(run);
    for (uint32_t left = EVENTS; left != 0;) {
        const uint32_t t = random_below(run, THREADS);

        for (uint32_t n = 1 + random_below(run, burst);
             n != 0 && at[t] < run->count[t]; n--, left--)
            pairs += see(&live, &run->events[t][at[t]++]) != 0;
    }
    assert_int_equal(pairs, run->ends);
    assert_int_equal(live.waiting, 0);
    mpdata_event_live_finish(&live);
    mpdata_event_live_visit(&live, count_alive, run);
    for (uint32_t i = 0; i < ADDRESSES; i++) {
        const struct mpdata_live_block *const b =
            mpdata_event_live_find(&live, i);

        assert_int_equal(b != NULL ? b->row : 0, run->alive[i]);
    }
    mpdata_event_live_fini(&live);
    free(run);
}

static void test_orders(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        check(seed, 1);
        check(seed, 50);
        check(seed, EVENTS);
    }
}

/* What is alive was begun last, though others have not ended yet. */
static void test_newest(void **state)
{
    static const uint64_t order[] = {2, 3, 1};
    struct mpdata_event_live live = {.blocks.elem_bytes =
                                         sizeof(struct mpdata_live_block)};

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(
            see(&live, &(struct mpdata_log_event){.kind = MPROF_LOG_EVENT_ALLOC,
                                                  .thread = i,
                                                  .at = 16,
                                                  .ns = order[i],
                                                  .number = order[i]}),
            0);
    mpdata_event_live_finish(&live);
    assert_int_equal(mpdata_event_live_find(&live, 16)->row, 3);
    mpdata_event_live_fini(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_newest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
