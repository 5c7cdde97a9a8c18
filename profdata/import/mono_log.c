/* mono_log.c -- reads version 1 of the block format (profdata/base/
 * mono_format.h): allocations by class, and by the methods that are running if
 * the log has their calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/mono_format.h"
#include "profdata/events/log_fields.h"
#include "profdata/import/foreign.h"
#include "profdata/import/mono_profile.h"
#include "shared/container.h"

#include <string.h>

#define LAST_BYTE 128u
#define NS_PER_US UINT64_C(1000)
/* Methods that a call may have left without notice, as by an exception. */
#define LEFT_MAX 64

/* The methods that run in a thread. */
struct thread {
    uint64_t id;
    uint32_t node;
};

struct reader {
    struct mprof_cursor c;
    struct mpdata_mono_heap heap;
    struct mpdata_set threads;
    uint64_t start_us;
    uint64_t last_us;
    struct mpdata_str runtime;
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
    mpdata_log_fields_integer(&r->c);
    const uint64_t us = mpdata_log_fields_integer(&r->c);
    if (r->c.err == MPROF_E_OK)
        r->last_us = us;
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
            mpdata_mono_heap_class(&r->heap, id, 0, name);
    }
    while ((id = mpdata_log_fields_integer(c)) != 0) {
        const uint64_t class = mpdata_log_fields_integer(c);
        const struct mpdata_str name = mpdata_log_fields_string(c);

        if (c->err == MPROF_E_OK)
            mpdata_mono_heap_method(&r->heap, id, class, name);
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

static void read_event(struct reader *r, uint32_t *node, uint8_t code)
{
    const uint64_t value = mpdata_log_fields_integer(&r->c);
    const uint64_t second = mpdata_log_fields_integer(&r->c);
    const unsigned kind = code & MPDATA_MONO_KIND;

    if ((code & (MPDATA_MONO_METHOD | MPDATA_MONO_CLASS)) == 0 &&
        (code & MPDATA_MONO_SIMPLE_KIND) > MPDATA_MONO_SIMPLE_MAX)
        mprof_cursor_fail(&r->c, MPROF_E_VALUE);
    if (r->c.err != MPROF_E_OK)
        return;
    if ((code & MPDATA_MONO_CLASS) != 0 && kind == MPDATA_MONO_ALLOC)
        mpdata_mono_heap_alloc(&r->heap, *node, value, second);
    else if ((code & MPDATA_MONO_METHOD) == 0 || kind != MPDATA_MONO_CALL)
        return;
    else if ((code & MPDATA_MONO_ENDS) != 0)
        *node = leave(&r->heap, *node, value);
    else
        *node = mpdata_mono_heap_node(&r->heap, *node, value);
}

static void read_events(struct reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct thread key = {.node = 0};
    uint8_t code;

    mpdata_log_fields_integer(c);
    key.id = mpdata_log_fields_integer(c);
    mpdata_log_fields_integer(c);
    if (c->err != MPROF_E_OK)
        return;
    const uint32_t at = mpdata_set_add(&r->threads, &key, NULL);
    r->heap.failed |= at == 0;
    while (!r->heap.failed) {
        struct thread *const t =
            (struct thread *)r->threads.rows.data + (at - 1);
        const size_t start = c->pos;

        code = mpdata_log_fields_byte(c);
        if (code == 0)
            break;
        if ((code & ~0x3fu) != 0 ||
            (code & (MPDATA_MONO_METHOD | MPDATA_MONO_CLASS)) ==
                (MPDATA_MONO_METHOD | MPDATA_MONO_CLASS))
            mprof_cursor_fail(c, MPROF_E_VALUE);
        read_event(r, &t->node, code);
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
        for (unsigned i = 0; i < 4; i++)
            mpdata_log_fields_integer(c);
        mpdata_log_fields_string(c);
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

bool mpdata_mono_log_is(const uint8_t *data, size_t size)
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
    r->start_us = r->last_us;
}

/* The times of blocks may go back if the clock was set. */
static void read_file(struct reader *r)
{
    uint8_t code = MPDATA_MONO_INTRO;

    while (code != MPDATA_MONO_END && r->c.err == MPROF_E_OK &&
           !r->heap.failed) {
        r->c.section = "Mono log";
        code = mpdata_log_fields_byte(&r->c);
        if (r->c.err != MPROF_E_OK)
            return;
        r->c.section = name_of(code);
        read_block(r, code);
    }
}

enum mprof_err mpdata_mono_log_read(const uint8_t *data, size_t size,
                                    struct mpdata_profile *into,
                                    struct mprof_diag *diag)
{
    struct reader r = {
        .c = mprof_cursor_over(data, size, 0, name_of(MPDATA_MONO_INTRO))};
    struct mpdata_run run = {.run_id = mprof_checksum(data, size)};
    enum mprof_err err;

    mpdata_mono_heap_init(&r.heap);
    mpdata_set_init(&r.threads, MPDATA_SET_KEY(struct thread, id),
                    sizeof(struct thread));
    read_intro(&r);
    err = mprof_cursor_status(&r.c, diag);
    if (err == MPROF_E_OK) {
        read_file(&r);
        run.start_ns = mprof_mul_sat_u64(r.start_us, NS_PER_US);
        run.duration_ns = mprof_mul_sat_u64(
            mprof_sub_sat_u64(r.last_us, r.start_us), NS_PER_US);
        run.executable =
            mpdata_profile_path(into, r.runtime.bytes, r.runtime.size);
        err = r.heap.failed ? MPROF_E_NOMEM
                            : mpdata_mono_profile(&r.heap, into, &run);
        if (err != MPROF_E_OK)
            mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
        else
            (void)mprof_cursor_status(&r.c, diag);
    }
    mpdata_set_fini(&r.threads);
    mpdata_mono_heap_fini(&r.heap);
    return err;
}
