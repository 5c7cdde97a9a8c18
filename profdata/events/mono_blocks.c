/* mono_blocks.c -- reads version 1 of the block format (profdata/base/
 * mono_format.h): allocations by class, and by the methods that are running if
 * the log has their calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/mono_format.h"
#include "profdata/events/log_fields.h"
#include "profdata/events/mono_heap.h"

#include <string.h>

#define LAST_BYTE 128u
#define NS_PER_US UINT64_C(1000)
/* Methods that a call may have left without notice, as by an exception. */
#define LEFT_MAX 64

/* A time in ticks, and in microseconds since 1970. */
struct clock {
    uint64_t tick;
    uint64_t us;
};

struct reader {
    struct mprof_cursor c;
    struct mpdata_mono_heap *heap;
    struct clock first;
    struct clock last;
    struct mpdata_str runtime;
    uint64_t tick; /* of the last event */
};

static const char *name_of(uint8_t code)
{
    static const char *const names[] = {
        "block",        "INTRO block",       "CLOCK block",
        "LOADED block", "UNLOADED block",    "MAPPING block",
        "EVENTS block", "STATISTICAL block", "END block",
    };

    return names[code < MPROF_ARRAY_LEN(names) ? code : 0];
}

static void read_time(struct reader *r)
{
    struct clock clock;

    clock.tick = mpdata_log_fields_integer(&r->c);
    clock.us = mpdata_log_fields_integer(&r->c);
    if (r->c.err == MPROF_E_OK)
        r->last = clock;
}

static void read_mapping(struct reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint64_t id;

    mpdata_log_fields_integer(c);
    mpdata_log_fields_integer(c);
    while ((id = mpdata_log_fields_integer(c)) != 0) {
        const struct mpdata_str name = mpdata_log_fields_string(c);

        if (c->err == MPROF_E_OK)
            mpdata_mono_heap_class(r->heap, id, 0, name);
    }
    while ((id = mpdata_log_fields_integer(c)) != 0) {
        const uint64_t class = mpdata_log_fields_integer(c);
        const struct mpdata_str name = mpdata_log_fields_string(c);

        if (c->err == MPROF_E_OK)
            mpdata_mono_heap_method(r->heap, id, class, name);
    }
    mpdata_log_fields_integer(c);
}

/* -- events ---------------------------------------------------------------- */

/* The call stack after the method has returned; the same if it did not run. */
static uint32_t leave(const struct mpdata_mono_heap *heap, uint32_t node,
                      uint64_t method)
{
    const struct mpdata_mono_node *const nodes = heap->nodes.rows.data;
    const struct mpdata_mono_name *const methods = heap->methods.rows.data;
    uint32_t at = node;

    for (unsigned i = 0; i < LEFT_MAX && at != 0; i++) {
        const struct mpdata_mono_node *const n = &nodes[at - 1];

        at = n->parent;
        if (methods[n->method].id == method)
            return at;
    }
    return node;
}

/* thread: its number. */
static void read_event(struct reader *r, uint32_t thread, uint8_t code)
{
    const uint64_t value = mpdata_log_fields_integer(&r->c);
    const uint64_t second = mpdata_log_fields_integer(&r->c);
    const unsigned kind = code & MPDATA_MONO_KIND;

    if ((code & (MPDATA_MONO_METHOD | MPDATA_MONO_CLASS)) == 0 &&
        (code & MPDATA_MONO_SIMPLE_KIND) > MPDATA_MONO_SIMPLE_MAX)
        mprof_cursor_fail(&r->c, MPROF_E_VALUE);
    if (r->c.err != MPROF_E_OK)
        return;
    uint32_t *const node =
        &((struct mpdata_mono_thread *)r->heap->threads.rows.data)[thread - 1]
             .node;
    if ((code & MPDATA_MONO_CLASS) != 0 && kind == MPDATA_MONO_ALLOC) {
        mpdata_mono_heap_alloc(r->heap, *node, value,
                               &(struct mpdata_mono_alloc){.tick = r->tick,
                                                           .size = second,
                                                           .thread = thread});
        return;
    }
    r->tick = mprof_add_sat_u64(r->tick, second);
    if ((code & MPDATA_MONO_METHOD) == 0 || kind != MPDATA_MONO_CALL)
        return;
    else if ((code & MPDATA_MONO_ENDS) != 0)
        *node = leave(r->heap, *node, value);
    else
        *node = mpdata_mono_heap_node(r->heap, *node, value);
}

static void read_events(struct reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint8_t code;

    mpdata_log_fields_integer(c);
    const uint64_t id = mpdata_log_fields_integer(c);
    r->tick = mpdata_log_fields_integer(c);
    if (c->err != MPROF_E_OK)
        return;
    const uint32_t thread = mpdata_mono_heap_thread(r->heap, id);
    while (!r->heap->failed) {
        const size_t start = c->pos;

        code = mpdata_log_fields_byte(c);
        if (code == 0)
            break;
        if ((code & ~0x3fu) != 0 ||
            (code & (MPDATA_MONO_METHOD | MPDATA_MONO_CLASS)) ==
                (MPDATA_MONO_METHOD | MPDATA_MONO_CLASS))
            mprof_cursor_fail(c, MPROF_E_VALUE);
        read_event(r, thread, code);
        if (c->err != MPROF_E_OK) {
            c->err_pos = start;
            return;
        }
    }
    mpdata_log_fields_integer(c);
}

/* -- the file -------------------------------------------------------------- */

static void skip_ids(struct mprof_cursor *c)
{
    while (mpdata_log_fields_integer(c) != 0)
        continue;
}

/* Kind, counters of the beginning and the end, thread, name. */
static void read_change(struct reader *r, bool is_unload)
{
    struct mprof_cursor *const c = &r->c;

    mpdata_log_fields_integer(c);
    mpdata_log_fields_integer(c);
    const uint64_t tick = mpdata_log_fields_integer(c);
    mpdata_log_fields_integer(c);
    const struct mpdata_str name = mpdata_log_fields_string(c);
    if (c->err == MPROF_E_OK)
        mpdata_mono_heap_change(r->heap, tick, is_unload, name);
}

/* The code has been read. */
static void read_block(struct reader *r, uint8_t code)
{
    struct mprof_cursor *const c = &r->c;

    switch (code) {
    case MPDATA_MONO_CLOCK:
        read_time(r);
        break;
    case MPDATA_MONO_LOADED:
    case MPDATA_MONO_UNLOADED:
        read_change(r, code == MPDATA_MONO_UNLOADED);
        break;
    case MPDATA_MONO_MAPPING:
        read_mapping(r);
        break;
    case MPDATA_MONO_EVENTS:
        read_events(r);
        break;
    case MPDATA_MONO_STATISTICAL:
        mpdata_log_fields_integer(c);
        skip_ids(c);
        skip_ids(c);
        mpdata_log_fields_integer(c);
        break;
    case MPDATA_MONO_END:
        mpdata_log_fields_integer(c);
        read_time(r);
        break;
    default:
        mprof_cursor_fail(c, MPROF_E_VALUE);
        c->err_pos--;
    }
}

bool mpdata_mono_blocks_is(const uint8_t *data, size_t size)
{
    return size >= 8 && data[0] == MPDATA_MONO_INTRO &&
           data[1] == (MPDATA_MONO_VERSION | LAST_BYTE) && data[2] >= ' ' &&
           data[2] <= '~';
}

static void read_intro(struct reader *r)
{
    mpdata_log_fields_byte(&r->c);
    mpdata_log_fields_integer(&r->c);
    r->runtime = mpdata_log_fields_string(&r->c);
    read_time(r);
    r->first = r->last;
}

/* The times of blocks may go back if the clock was set. */
static void read_file(struct reader *r)
{
    uint8_t code = MPDATA_MONO_INTRO;

    while (code != MPDATA_MONO_END && r->c.err == MPROF_E_OK &&
           !r->heap->failed) {
        r->c.section = "Mono log";
        code = mpdata_log_fields_byte(&r->c);
        if (r->c.err != MPROF_E_OK)
            return;
        r->c.section = name_of(code);
        read_block(r, code);
    }
    if (code == MPDATA_MONO_END && r->c.err == MPROF_E_OK &&
        mprof_cursor_left(&r->c) != 0)
        mprof_cursor_fail(&r->c, MPROF_E_TRAILING);
}

enum mprof_err mpdata_mono_blocks_read(struct mpdata_mono_heap *heap,
                                       const uint8_t *data, size_t size,
                                       struct mpdata_mono_run *run,
                                       struct mprof_diag *diag)
{
    struct reader r = {
        .c = mprof_cursor_over(data, size, 0, name_of(MPDATA_MONO_INTRO)),
        .heap = heap};

    *run = (struct mpdata_mono_run){.tick_ns = 0};
    read_intro(&r);
    if (r.c.err != MPROF_E_OK)
        return mprof_cursor_status(&r.c, diag);
    read_file(&r);
    run->start_ns = mprof_mul_sat_u64(r.first.us, NS_PER_US);
    run->duration_ns =
        mprof_mul_sat_u64(mprof_sub_sat_u64(r.last.us, r.first.us), NS_PER_US);
    run->first_tick = r.first.tick;
    if (r.last.tick > r.first.tick && r.last.us > r.first.us)
        run->tick_ns =
            (double)run->duration_ns / (double)(r.last.tick - r.first.tick);
    run->program = r.runtime;
    (void)mprof_cursor_status(&r.c, &run->rest);
    return heap->failed ? mprof_err_plain(diag, MPROF_E_NOMEM) : MPROF_E_OK;
}
