/* mlpd_log.c -- reads logs of Mono's profiler `log` (.mlpd), data versions 14
 * to 17: allocations by class and call stack. Objects end in collections, which
 * the log does not tell one by one; a heapshot tells which objects live.
 *
 *   FILE   := HEADER BUFFER*
 *   BUFFER := magic u32, bytes u32, time, pointers, objects, thread, methods
 *             u64, EVENT*
 *   EVENT  := kind BYTE, time ULEB, fields
 *
 * Times, pointers, objects and methods are differences to those of the buffer
 * or, of times and methods, to the last one in it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/log_fields.h"
#include "profdata/events/mono_heap.h"
#include "profdata/model/profile.h"
#include "shared/cursor.h"
#include "shared/le.h"

#include <string.h>

#define SECTION "mlpd buffer"
#define MAGIC 0x4D505A01u
#define BUFFER_MAGIC 0x4D504C01u
#define VERSION_MIN 14
#define VERSION_TABLES 15 /* allocations name a table of methods */
#define VERSION_GENERATIONS 16
#define VERSION_MAX 17
#define HEADER_NS 3 /* the header has a further time */
#define MIN_BYTES 30
#define OBJECT_UNIT 8

/* The lower four bits of an event, and the upper four. */
#define EVENT(kind, more) ((kind) | (more) << 4)
enum {
    ALLOC = 0,
    METADATA = 2,
    METHOD = 3,
    SAMPLE = 7,
    ALLOC_STACK = EVENT(ALLOC, 1),
    METHOD_COMPILED = EVENT(METHOD, 4),
    MOVES = EVENT(1, 3),
    HEAP_BEGINS = EVENT(6, 0),
    HEAP_ENDS = EVENT(6, 1),
    HEAP_OBJECT = EVENT(6, 2),
    HEAP_ROOT = EVENT(6, 3),
    COUNTER_NAMES = EVENT(SAMPLE, 3),
    COUNTERS = EVENT(SAMPLE, 4),
    CODE = EVENT(8, 1)
};
enum { CLASS = 1, IMAGE, ASSEMBLY, DOMAIN, THREAD, CONTEXT, TABLE };
enum { COUNTER_DOUBLE = 5, COUNTER_STRING = 6, SECTION_PERF = 1 << 15 };
#define CODE_NAMED 5
#define UNLOADED 4 /* of what METADATA names; otherwise it was loaded */

/* Fields of the events that are skipped: u ULEB, s SLEB, m method, b byte, z
 * string, B call stack; # a count, * repeats what follows up to |. */
static const struct {
    uint8_t event;
    const char *fields;
} skipped[] = {
    {EVENT(1, 1), "bb"},
    {EVENT(1, 2), "u"},
    {EVENT(1, 4), "uus"},
    {EVENT(1, 5), "uu"},
    {EVENT(1, 6), "uusB"},
    {EVENT(1, 7), "uuB"},
    {EVENT(1, 8), ""},
    {EVENT(1, 9), ""},
    {EVENT(1, 10), "s"},
    {EVENT(1, 11), "s"},
    {EVENT(METHOD, 1), "m"},
    {EVENT(METHOD, 2), "m"},
    {EVENT(METHOD, 3), "m"},
    {EVENT(4, 0), "s"},
    {EVENT(4, 1), "bums"},
    {EVENT(4, 8), "sB"},
    {EVENT(5, 0), "bs"},
    {EVENT(5, 8), "bsB"},
    {EVENT(6, 4), "subsz"},
    {EVENT(6, 5), "s"},
    {EVENT(SAMPLE, 0), "s#*s|#*m"},
    {EVENT(SAMPLE, 1), "suz"},
    {EVENT(SAMPLE, 2), "suuz"},
    {EVENT(10, 0), "b"},
    {EVENT(10, 1), "z"},
};

struct reader {
    struct mprof_cursor c; /* of the buffer */
    struct mpdata_mono_heap *heap;
    struct mpdata_vec stack; /* uint64_t, methods, outermost first */
    uint32_t version;
    uint64_t first_ns; /* of all buffers */
    uint64_t last_ns;
    uint64_t ns;
    uint64_t pointers;
    uint64_t objects;
    uint64_t method; /* the last one */
    uint32_t thread; /* of the buffer */
    bool is_in_shot;
};

/* -- fields ---------------------------------------------------------------- */

/* Reads a signed LEB128 as a difference modulo 2^64. */
static uint64_t sleb(struct mprof_cursor *c)
{
    uint64_t n = 0;
    unsigned shift = 0;
    uint8_t b;

    do {
        b = mpdata_log_fields_byte(c);
        if (shift < 64)
            n |= (uint64_t)(b & 127) << shift;
        else if (c->err == MPROF_E_OK)
            mprof_cursor_fail(c, MPROF_E_VALUE);
        shift += 7;
    } while ((b & 128) != 0 && c->err == MPROF_E_OK);
    if ((b & 64) != 0 && shift < 64)
        n |= UINT64_MAX << shift;
    return n;
}

static uint64_t read_method(struct reader *r)
{
    r->method += sleb(&r->c);
    return r->method;
}

static void read_stack(struct reader *r)
{
    uint64_t frames = mprof_cursor_uleb(&r->c);

    r->stack.count = 0;
    for (; frames != 0 && r->c.err == MPROF_E_OK; frames--) {
        uint64_t *const method = mpdata_vec_push(&r->stack);

        if (method == NULL) {
            r->heap->failed = true;
            return;
        }
        *method = read_method(r);
    }
}

/* Skips fields; returns the end of those that were read. */
static const char *skip(struct reader *r, const char *fields)
{
    uint64_t count = 0;

    for (; *fields != '\0' && *fields != '|' && r->c.err == MPROF_E_OK;
         fields++) {
        switch (*fields) {
        case 'u':
        case 's':
            sleb(&r->c);
            break;
        case 'm':
            read_method(r);
            break;
        case 'b':
            mpdata_log_fields_byte(&r->c);
            break;
        case 'z':
            mpdata_log_fields_string(&r->c);
            break;
        case 'B':
            read_stack(r);
            break;
        case '#':
            count = mprof_cursor_uleb(&r->c);
            break;
        default: /* '*' */
            for (; count > 1 && r->c.err == MPROF_E_OK; count--)
                skip(r, fields + 1);
            if (count == 0)
                return fields + strcspn(fields, "|");
            break;
        }
    }
    return fields;
}

static void skip_all(struct reader *r, const char *fields)
{
    fields = skip(r, fields);
    if (*fields == '|')
        skip(r, fields + 1);
}

/* -- events ---------------------------------------------------------------- */

static uint64_t read_object(struct reader *r)
{
    return (r->objects + sleb(&r->c)) * OBJECT_UNIT;
}

static void pass_shot(struct reader *r, enum mpdata_mono_shot_kind kind,
                      uint64_t address, uint64_t to)
{
    const struct mpdata_mono_shot_event event = {kind, r->ns, address, to};

    if (r->c.err == MPROF_E_OK)
        mpdata_mono_heap_shot(r->heap, &event);
}

/* Pairs of an old and a new address. */
static void read_moves(struct reader *r)
{
    uint64_t count = mprof_cursor_uleb(&r->c);

    for (; count > 1 && r->c.err == MPROF_E_OK && !r->heap->failed;
         count -= 2) {
        const uint64_t from = read_object(r);
        pass_shot(r, MPDATA_MONO_MOVED, from, read_object(r));
    }
    if (count != 0)
        read_object(r);
}

static void read_heap_object(struct reader *r)
{
    const uint64_t address = read_object(r);

    skip(r, r->version >= VERSION_GENERATIONS ? "sub#*us" : "su#*us");
    pass_shot(r, MPDATA_MONO_SHOT_OBJECT, address, 0);
}

static void read_alloc(struct reader *r, bool has_stack)
{
    const uint64_t type = r->pointers + sleb(&r->c);
    struct mpdata_mono_alloc alloc = {.tick = r->ns, .thread = r->thread};
    uint32_t node = 0;

    alloc.address = read_object(r);
    alloc.size = mprof_cursor_uleb(&r->c);
    r->stack.count = 0;
    if (has_stack)
        read_stack(r);
    if (r->c.err != MPROF_E_OK)
        return;
    for (uint32_t i = 0; i < r->stack.count && !r->heap->failed; i++)
        node = mpdata_mono_heap_node(r->heap, node,
                                     ((const uint64_t *)r->stack.data)[i]);
    mpdata_mono_heap_alloc(r->heap, node, type, &alloc);
}

/* A class has its name, a table of methods its class. */
static void read_metadata(struct reader *r, uint8_t more)
{
    const uint8_t what = mpdata_log_fields_byte(&r->c);
    const uint64_t id = r->pointers + sleb(&r->c);
    const struct mpdata_str none = {"", 0};

    switch (what) {
    case CLASS:
        sleb(&r->c);
        const struct mpdata_str name = mpdata_log_fields_string(&r->c);
        if (r->c.err == MPROF_E_OK)
            mpdata_mono_heap_class(r->heap, id, 0, name);
        break;
    case TABLE:
        sleb(&r->c);
        const uint64_t class = r->pointers + sleb(&r->c);
        if (r->c.err == MPROF_E_OK)
            mpdata_mono_heap_class(r->heap, id, class, none);
        break;
    case IMAGE:
        skip(r, r->version >= VERSION_GENERATIONS ? "zz" : "z");
        break;
    case ASSEMBLY:
        sleb(&r->c);
        const struct mpdata_str assembly = mpdata_log_fields_string(&r->c);
        if (r->c.err == MPROF_E_OK && more != 0)
            mpdata_mono_heap_change(r->heap, r->ns, more == UNLOADED, assembly);
        break;
    case DOMAIN:
    case THREAD:
        skip(r, more == 0 ? "z" : "");
        break;
    case CONTEXT:
        sleb(&r->c);
        break;
    default:
        mprof_cursor_fail(&r->c, MPROF_E_VALUE);
    }
}

static void read_compiled(struct reader *r)
{
    const uint64_t method = read_method(r);

    skip(r, "su");
    const struct mpdata_str name = mpdata_log_fields_string(&r->c);
    if (r->c.err == MPROF_E_OK)
        mpdata_mono_heap_method(r->heap, method, 0, name);
}

static void skip_counter_names(struct reader *r)
{
    uint64_t count = mprof_cursor_uleb(&r->c);

    for (; count != 0 && r->c.err == MPROF_E_OK; count--)
        skip(r, mprof_cursor_uleb(&r->c) == SECTION_PERF ? "zzuuuu" : "zuuuu");
}

static void skip_counters(struct reader *r)
{
    while (mprof_cursor_uleb(&r->c) != 0 && r->c.err == MPROF_E_OK) {
        const uint64_t type = mprof_cursor_uleb(&r->c);

        if (type == COUNTER_DOUBLE)
            mprof_cursor_bytes(&r->c, sizeof(double));
        else if (type == COUNTER_STRING)
            skip(r, mpdata_log_fields_byte(&r->c) != 0 ? "z" : "");
        else
            sleb(&r->c);
    }
}

static void skip_event(struct reader *r, uint8_t event)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(skipped); i++) {
        if (skipped[i].event == event) {
            skip_all(r, skipped[i].fields);
            return;
        }
    }
    mprof_cursor_fail(&r->c, MPROF_E_VALUE);
}

static void read_event(struct reader *r)
{
    const uint8_t event = mpdata_log_fields_byte(&r->c);

    r->ns += mprof_cursor_uleb(&r->c);
    switch (event) {
    case ALLOC:
    case ALLOC_STACK:
        read_alloc(r, event == ALLOC_STACK);
        break;
    case METHOD_COMPILED:
        read_compiled(r);
        break;
    case MOVES:
        read_moves(r);
        break;
    case HEAP_BEGINS:
        r->is_in_shot = true;
        pass_shot(r, MPDATA_MONO_SHOT_BEGINS, 0, 0);
        break;
    case HEAP_ENDS:
        if (r->is_in_shot)
            pass_shot(r, MPDATA_MONO_SHOT_ENDS, 0, 0);
        r->is_in_shot = false;
        break;
    case HEAP_OBJECT:
        read_heap_object(r);
        break;
    case HEAP_ROOT:
        skip(r, r->version >= VERSION_TABLES ? "#*ss" : "#u*suu");
        break;
    case COUNTER_NAMES:
        skip_counter_names(r);
        break;
    case COUNTERS:
        skip_counters(r);
        break;
    case CODE:
        skip(r, mpdata_log_fields_byte(&r->c) == CODE_NAMED ? "suz" : "su");
        break;
    default:
        if ((event & 15) == METADATA)
            read_metadata(r, event >> 4);
        else
            skip_event(r, event);
    }
}

/* -- the file -------------------------------------------------------------- */

bool mpdata_mlpd_log_is(const uint8_t *data, size_t size)
{
    return size >= MIN_BYTES && mprof_le_load32(data) == MAGIC;
}

static void skip_text(struct mprof_cursor *c)
{
    mprof_cursor_bytes(c, mprof_cursor_u32(c));
}

static void read_header(struct reader *r, struct mprof_cursor *c,
                        struct mpdata_mono_run *run)
{
    mprof_cursor_u32(c);
    const bool has_ns = mpdata_log_fields_byte(c) >= HEADER_NS;
    mpdata_log_fields_byte(c);
    r->version = mpdata_log_fields_byte(c);
    if (c->err == MPROF_E_OK &&
        (r->version < VERSION_MIN || r->version > VERSION_MAX))
        mprof_cursor_fail(c, MPROF_E_VERSION);
    mpdata_log_fields_byte(c);
    run->start_ns = mprof_mul_sat_u64(mprof_cursor_u64(c), MPROF_NS_PER_MS);
    if (has_ns)
        mprof_cursor_u64(c);
    mprof_cursor_u32(c);
    mprof_cursor_u32(c);
    run->pid = mprof_cursor_u32(c);
    mprof_cursor_u16(c);
    skip_text(c);
    skip_text(c);
    skip_text(c);
}

/* Reads a buffer, or the part of it that the file has. */
static void read_buffer(struct reader *r, struct mprof_cursor *c)
{
    if (mprof_cursor_u32(c) != BUFFER_MAGIC)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    const uint32_t bytes = mprof_cursor_u32(c);
    r->ns = mprof_cursor_u64(c);
    r->pointers = mprof_cursor_u64(c);
    r->objects = mprof_cursor_u64(c);
    const uint64_t thread = mprof_cursor_u64(c);
    r->method = mprof_cursor_u64(c);
    if (c->err != MPROF_E_OK)
        return;
    const size_t there = mprof_min_u64(bytes, mprof_cursor_left(c));
    r->first_ns = mprof_min_u64(r->first_ns, r->ns);
    r->thread = mpdata_mono_heap_thread(r->heap, thread);
    r->c = mprof_cursor_over(c->data + c->pos, there, c->file_off + c->pos,
                             SECTION);
    while (mprof_cursor_left(&r->c) != 0 && !r->heap->failed) {
        const size_t start = r->c.pos;

        read_event(r);
        if (r->c.err != MPROF_E_OK)
            r->c.err_pos = start;
        else
            r->last_ns = mprof_max_u64(r->last_ns, r->ns);
    }
    mprof_cursor_bytes(c, bytes);
}

enum mprof_err mpdata_mlpd_log_read(struct mpdata_mono_heap *heap,
                                    const uint8_t *data, size_t size,
                                    struct mpdata_mono_run *run,
                                    struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, "mlpd header");
    struct reader r = {.heap = heap,
                       .stack = {.elem_bytes = sizeof(uint64_t)},
                       .first_ns = UINT64_MAX};

    *run = (struct mpdata_mono_run){.tick_ns = 1};
    read_header(&r, &c, run);
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, diag);
    c.section = SECTION;
    while (mprof_cursor_left(&c) != 0 && r.c.err == MPROF_E_OK && !heap->failed)
        read_buffer(&r, &c);
    run->duration_ns = mprof_sub_sat_u64(r.last_ns, r.first_ns);
    run->first_tick = r.first_ns;
    if (mprof_cursor_status(&r.c, &run->rest) == MPROF_E_OK)
        (void)mprof_cursor_status(&c, &run->rest);
    mpdata_vec_fini(&r.stack);
    return heap->failed ? mprof_err_plain(diag, MPROF_E_NOMEM) : MPROF_E_OK;
}
