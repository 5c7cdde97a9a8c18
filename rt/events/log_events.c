/* log_events.c -- events and call stacks as blocks of the log. A set of bits
 * has the contexts whose call stacks are in the log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/log_events.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/memory.h"
#include "rt/events/log_blocks.h"
#include "rt/stack/depot.h"
#include "rt/stack/pc.h"
#include "shared/raw_format.h"

#define SET_BYTES (MPRT_CONTEXTS_MAX / 8)

static uint8_t *written; /* a bit for each context */
/* Of the block of call stacks that is being made. */
static struct {
    size_t start; /* 0: there is none */
    uint64_t address;
    struct mprt_stack last;
    struct mprt_stack stack;
} stacks_state;

bool mprt_log_events_init(void)
{
    written = mprt_memory_map(SET_BYTES);
    return written != NULL;
}

void mprt_log_events_restart(void)
{
    if (written != NULL)
        mprt_libc_memset(written, 0, SET_BYTES);
    stacks_state.start = 0;
}

static void put_frame(struct mprof_buf *out, uintptr_t pc)
{
    const uint64_t address = mprt_pc_address(pc);
    const uint64_t tag = mprt_pc_tag(pc);
    const uint64_t step = mprof_log_signed(address - stacks_state.address);

    stacks_state.address = address;
    mprt_log_blocks_integer(out, step << 1 | (tag != 0));
    if (tag != 0)
        mprt_log_blocks_integer(out, tag);
}

static void begin_stacks(struct mprof_buf *out)
{
    stacks_state.start = mprt_log_blocks_begin(out, MPROF_LOG_MAPPING);
    stacks_state.address = 0;
    stacks_state.last.count = 0;
    mprt_log_blocks_integer(out, mprt_clock_now_ns());
    mprt_log_blocks_integer(out, 0);
}

/* Writes the call stack of a context, outermost frame first. */
static __attribute__((noinline)) void put_stack(struct mprof_buf *out,
                                                uint32_t context)
{
    struct mprt_stack *const last = &stacks_state.last;
    struct mprt_stack *const s = &stacks_state.stack;
    size_t same = 0;

    if (stacks_state.start == 0)
        begin_stacks(out);
    mprt_depot_get(context, s);
    while (same < s->count && same < last->count &&
           s->pcs[s->count - 1 - same] == last->pcs[last->count - 1 - same])
        same++;
    mprt_log_blocks_integer(out, context);
    mprt_log_blocks_integer(out,
                            s->truncated ? MPROF_RAW_CONTEXT_FL_TRUNCATED : 0);
    mprt_log_blocks_integer(out, same);
    mprt_log_blocks_integer(out, s->count - same);
    for (size_t i = same; i < s->count; i++)
        put_frame(out, s->pcs[s->count - 1 - i]);
    *last = *s;
    written[context / 8] |= (uint8_t)(1u << context % 8);
}

static inline void need_stack(struct mprof_buf *out, uint32_t context)
{
    if (MPROF_UNLIKELY((written[context / 8] & 1u << context % 8) == 0) &&
        context != 0)
        put_stack(out, context);
}

void mprt_log_events_end_stacks(struct mprof_buf *stacks)
{
    if (stacks_state.start == 0)
        return;
    mprt_log_blocks_integer(stacks, 0);
    mprt_log_blocks_integer(stacks, mprt_clock_now_ns());
    mprt_log_blocks_end(stacks, stacks_state.start);
    stacks_state.start = 0;
}

/* What the next event refers to. */
struct state {
    uint64_t ns;
    uint64_t at;
    uint32_t peak;
    uint32_t cpu;
};

static uint8_t *put_state(uint8_t *to, uint8_t code, uint32_t n, uint32_t *last)
{
    if (MPROF_LIKELY(n == *last))
        return to;
    *last = n;
    *to++ = code;
    return mprof_log_put(to, n);
}

/* The fields of all events of a block. */
static uint8_t *put_block(uint8_t *to, struct state *s,
                          const union mprt_trail_event *e)
{
    const uint64_t ns = e->ns - s->ns;
    const int64_t at =
        (int64_t)(e->at - s->at) / (int64_t)MPROF_LOG_ADDRESS_UNIT;

    s->ns = e->ns;
    s->at = e->at;
    to = mprof_log_put(to, mprof_log_signed((uint64_t)at));
    return mprof_log_put(to, mprof_log_signed(ns));
}

static uint8_t *put_life(uint8_t *to, struct state *s,
                         const union mprt_trail_event *e)
{
    const unsigned more = e->code >> 8;

    if (e->context != 0)
        to = put_state(to, MPROF_LOG_EVENT_PEAK, e->context, &s->peak);
    *to++ = (uint8_t)(e->code | (more != 0 ? MPROF_LOG_FL_MORE : 0));
    if (more != 0)
        *to++ = (uint8_t)more;
    to = put_block(to, s, e);
    return mprof_log_put(to, e->number);
}

static uint8_t *put_detail(uint8_t *to, const union mprt_trail_event *detail,
                           unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to = mprof_log_put(to, detail->detail[i]);
    return to;
}

/* Writes an event and its details; returns the number of its places. */
static uint32_t put_event(uint8_t **out, struct state *s,
                          const union mprt_trail_event *e,
                          struct mprof_buf *stacks)
{
    uint8_t *to = *out;
    uint32_t n = 1;

    switch (e->code & MPROF_LOG_EVENT_MASK) {
    case MPROF_LOG_EVENT_ALLOC:
        need_stack(stacks, e->context);
        to = put_state(to, MPROF_LOG_EVENT_CPU, e->cpu, &s->cpu);
        *to++ = MPROF_LOG_EVENT_ALLOC;
        to = mprof_log_put(put_block(to, s, e), e->number);
        to = mprof_log_put(to, e->context);
        break;
    case MPROF_LOG_EVENT_FREE:
    case MPROF_LOG_EVENT_LIVE:
        to =
            put_life(put_state(to, MPROF_LOG_EVENT_CPU, e->cpu, &s->cpu), s, e);
        if ((e->code & MPROF_LOG_FL_ELSEWHERE) != 0)
            to = put_detail(to, &e[n++], 1);
        if ((e->code & MPROF_LOG_FL_ENDED) != 0) {
            need_stack(stacks, (uint32_t)e[n].detail[1]);
            to = put_detail(to, &e[n++], 3);
        }
        if ((e->code & MPROF_LOG_FL_RW) != 0)
            to = put_detail(to, &e[n++], 4);
        break;
    case MPROF_LOG_EVENT_NOTE:
        *to++ = MPROF_LOG_EVENT_NOTE;
        to = mprof_log_put(to, e->context);
        to = mprof_log_put(to, mprof_log_signed(e->ns - s->ns));
        to = mprof_log_put(to, e->at);
        s->ns = e->ns;
        break;
    default:
        *to++ = MPROF_LOG_EVENT_MOST;
        to = mprof_log_put(to, e->context);
        to = mprof_log_put(mprof_log_put(to, e->at), e->number);
        break;
    }
    *out = to;
    return n;
}

/* The buffer's lock is held. */
static void write_trail(struct mprt_trail *trail, uint32_t used,
                        struct mprof_buf *out, struct mprof_buf *stacks)
{
    struct state s = {.ns = trail->events[trail->written].ns,
                      .cpu = UINT32_MAX};
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_EVENTS);
    uint8_t *to;

    mprt_log_blocks_integer(out, mprt_clock_now_ns());
    mprt_log_blocks_integer(out, trail->thread);
    mprt_log_blocks_integer(out, s.ns);
    to = mprof_buf_extend(out, (size_t)(used - trail->written) *
                                   MPROF_LOG_EVENT_BYTES_MAX);
    if (to == NULL)
        return;
    while (trail->written < used)
        trail->written +=
            put_event(&to, &s, &trail->events[trail->written], stacks);
    out->size = (size_t)(to - out->data);
    mprof_buf_uint(out, 0, 1);
    mprt_log_blocks_integer(out, mprt_clock_now_ns());
    mprt_log_blocks_end(out, start);
}

void mprt_log_events_write(struct mprt_trail *trail, struct mprof_buf *out,
                           struct mprof_buf *stacks)
{
    mprt_lock_acquire_brief(&trail->lock);
    /* Pairs with the release in trail.c. */
    const uint32_t used =
        atomic_load_explicit(&trail->used, memory_order_acquire);
    if (trail->written < used)
        write_trail(trail, used, out, stacks);
    mprt_lock_release_brief(&trail->lock);
}
