/* event_log.c -- reads the log of a run. A block is read when all of it is
 * there, so a file that is still being written ends at its last whole block.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_log.h"
#include "profdata/base/set.h"
#include "profdata/events/event_live.h"
#include "profdata/events/event_stacks.h"
#include "profdata/events/log_fields.h"
#include "profdata/model/profile.h"
#include "shared/cursor.h"
#include "shared/detail.h"

#include <stdlib.h>
#include <string.h>

#define LOADED_BINARY 1
#define FACTS_END 4096
/* Later events are damage: a run of 146 years. */
#define NS_MAX (UINT64_MAX / 4)

/* Events that are decoded before the first of them is visited: most time would
 * go by waiting for memory otherwise. */
#define AHEAD 32u
#define RECENT 1024u

struct mpdata_log_reader {
    struct mprof_cursor c; /* of the block that is read */
    const struct mpdata_log_visitor *visit;
    struct mpdata_set contexts; /* uint32_t, of the call stacks in order */
    uint64_t frames_left;       /* of all call stacks */
    uint32_t marks_left;
    uint32_t samples_left;
    uint64_t sample_ns;      /* of the next one, at least */
    uint32_t recent[RECENT]; /* call stacks that were found */
    struct mpdata_log_event ahead[AHEAD];
    uint32_t decoded; /* events of the block */
    uint32_t visited;
    uint64_t offset; /* of what comes next */
    bool is_whole;
};

/* Name of a block in messages. */
static const char *name_of(uint8_t code)
{
    switch (code) {
#define X(code, name, content, help) \
    case code:                       \
        return "log block " #name;
        MPROF_LOG_BLOCKS(X)
#undef X
    default:
        return "log block";
    }
}

/* The log is damaged unless this is so. */
static bool expect(struct mpdata_log_reader *r, bool is_so, enum mprof_err err)
{
    if (!is_so)
        mprof_cursor_fail(&r->c, err);
    return r->c.err == MPROF_E_OK;
}

/* Passes on the result of a visitor. */
static bool goes_on(struct mpdata_log_reader *r, enum mprof_err err)
{
    return expect(r, err == MPROF_E_OK, err);
}
#define VISIT(r, function, ...)       \
    ((r)->c.err == MPROF_E_OK &&      \
     ((r)->visit->function == NULL || \
      goes_on((r), (r)->visit->function((r)->visit->context, __VA_ARGS__))))

/* Passes something on to the call stacks, if they are wanted. */
#define ADD(r, of, ...)             \
    ((r)->c.err == MPROF_E_OK &&    \
     ((r)->visit->stacks == NULL || \
      expect((r), of(__VA_ARGS__), MPROF_E_NOMEM)))

/* -- blocks ---------------------------------------------------------------- */

static void read_loaded(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_event_stacks *const s = r->visit->stacks;
    struct mpdata_log_loaded loaded;

    if (mpdata_log_fields_integer(c) != LOADED_BINARY)
        return; /* another kind of element */
    loaded.ns = mpdata_log_fields_integer(c);
    if (loaded.ns >= mpdata_log_fields_integer(c))
        loaded.ns = 0; /* logs of 2026 have the same counter twice */
    mpdata_log_fields_integer(c);
    loaded.path = mpdata_log_fields_string(c);
    loaded.build_id.size = mpdata_log_fields_integer(c);
    loaded.build_id.bytes =
        (const char *)mprof_cursor_bytes(c, loaded.build_id.size);
    loaded.tag = mpdata_log_fields_integer(c);
    loaded.flags = mpdata_log_fields_small(c);
    loaded.bias = mpdata_log_fields_integer(c);
    expect(r,
           loaded.path.size <= MPROF_RAW_MODULE_STRING_BYTES_MAX &&
               loaded.build_id.size <= MPROF_RAW_MODULE_STRING_BYTES_MAX,
           MPROF_E_VALUE);
    uint64_t segments = mpdata_log_fields_integer(c);
    if (!ADD(r, mpdata_event_frames_loaded, &s->frames, &loaded))
        return;
    if (loaded.ns != 0)
        (void)VISIT(r, change,
                    &(struct mpdata_log_change){.kind = MPDATA_LOG_LOADED,
                                                .ns = loaded.ns,
                                                .path = loaded.path});
    for (; segments != 0 && c->err == MPROF_E_OK; segments--) {
        const uint64_t start = mpdata_log_fields_integer(c);
        const uint64_t bytes = mpdata_log_fields_integer(c);
        const uint64_t file_off = mpdata_log_fields_integer(c);

        (void)ADD(r, mpdata_event_frames_segment, &s->frames, start,
                  mprof_add_sat_u64(start, bytes), file_off);
    }
}

/* Number of the call stack; 0: the context has none. */
static uint32_t find_stack(struct mpdata_log_reader *r, uint32_t context)
{
    const uint32_t *const contexts = r->contexts.rows.data;
    uint32_t *const stack = &r->recent[context % RECENT];

    if (*stack == 0 || contexts[*stack - 1] != context)
        *stack = mpdata_set_find(&r->contexts, &context);
    return *stack;
}

static bool check_stack(struct mpdata_log_reader *r, uint32_t id,
                        uint32_t flags, uint32_t depth)
{
    if (!expect(r, (flags & ~(uint32_t)MPROF_RAW_CONTEXT_FL_TRUNCATED) == 0,
                MPROF_E_VALUE) ||
        !expect(r, depth <= r->frames_left, MPROF_E_FRAMES))
        return false;
    r->frames_left -= depth;
    return expect(r, find_stack(r, id) == 0, MPROF_E_DUPLICATE) &&
           expect(r, mpdata_set_add(&r->contexts, &id, NULL) != 0,
                  MPROF_E_NOMEM);
}

static void read_unloaded(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_log_change change = {.kind = MPDATA_LOG_UNLOADED};

    if (mpdata_log_fields_integer(c) != LOADED_BINARY)
        return;
    mpdata_log_fields_integer(c);
    change.ns = mpdata_log_fields_integer(c);
    mpdata_log_fields_integer(c);
    change.path = mpdata_log_fields_string(c);
    (void)VISIT(r, change, &change);
}

static void read_dumps(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_log_change change = {.kind = MPDATA_LOG_DUMP};

    while ((change.ns = mpdata_log_fields_integer(c)) != 0 &&
           c->err == MPROF_E_OK) {
        change.ns--;
        mpdata_log_fields_integer(c);
        change.number = mpdata_log_fields_integer(c);
        change.is_last = mpdata_log_fields_integer(c) != 0;
        (void)VISIT(r, change, &change);
    }
}

static void read_stacks(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_event_stacks *const s = r->visit->stacks;
    uint64_t address = 0;
    uint32_t depth = 0;
    uint32_t id;

    mpdata_log_fields_integer(c);
    mpdata_log_fields_integer(c);
    while ((id = mpdata_log_fields_small(c)) != 0 && c->err == MPROF_E_OK) {
        const uint32_t flags = mpdata_log_fields_small(c);
        const uint32_t shared = mpdata_log_fields_small(c);
        uint32_t frames = mpdata_log_fields_small(c);

        if (!expect(r, shared <= depth && frames <= mprof_cursor_left(c),
                    MPROF_E_REFERENCE))
            return;
        depth = shared + frames;
        if (!check_stack(r, id, flags, depth) ||
            !ADD(r, mpdata_event_stacks_begin, s, flags, shared))
            return;
        for (; frames != 0 && c->err == MPROF_E_OK; frames--) {
            const uint64_t step = mpdata_log_fields_integer(c);
            struct mpdata_log_frame frame = {.tag = 0};

            address += mprof_log_unsigned(step >> 1);
            frame.address = address;
            if ((step & 1) != 0)
                frame.tag = mpdata_log_fields_integer(c);
            (void)ADD(r, mpdata_event_stacks_frame, s, &frame);
        }
    }
}

static void read_facts(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint64_t key;

    while ((key = mpdata_log_fields_integer(c)) != 0 && c->err == MPROF_E_OK) {
        const uint64_t number = mpdata_log_fields_integer(c);
        const struct mpdata_str text = mpdata_log_fields_string(c);

        (void)VISIT(r, fact, (uint32_t)mprof_min_u64(key - 1, FACTS_END),
                    number, text);
    }
}

static void read_script(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_log_function f;

    while ((f.number = mpdata_log_fields_small(c)) != 0 &&
           c->err == MPROF_E_OK) {
        f.line = mpdata_log_fields_integer(c);
        f.name = mpdata_log_fields_string(c);
        f.file = mpdata_log_fields_string(c);
        (void)ADD(r, mpdata_event_frames_function, &r->visit->stacks->frames,
                  &f);
    }
}

static void read_names(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint32_t id;

    while ((id = mpdata_log_fields_small(c)) != 0 && c->err == MPROF_E_OK) {
        const struct mpdata_str name = mpdata_log_fields_string(c);

        (void)VISIT(r, name, id, name);
    }
}

static void read_marks(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_mark mark = {.ns = 0};

    while ((mark.kind = mpdata_log_fields_small(c)) != 0 &&
           c->err == MPROF_E_OK) {
        mark.ns = mpdata_log_fields_integer(c);
        mark.bytes = mpdata_log_fields_integer(c);
        const struct mpdata_str name = mpdata_log_fields_string(c);

        expect(r,
               mark.kind == MPROF_RAW_MARK_PHASE ||
                   mark.kind == MPROF_RAW_MARK_MARK,
               MPROF_E_VALUE);
        if (expect(r, r->marks_left != 0, MPROF_E_VALUE))
            r->marks_left--;
        (void)VISIT(r, mark, &mark, name);
    }
}

static void read_series(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_sample sample;

    while ((sample.ns = mpdata_log_fields_integer(c)) != 0 &&
           c->err == MPROF_E_OK) {
        sample.ns--;
        sample.bytes = mpdata_log_fields_integer(c);
        sample.most = mpdata_log_fields_integer(c);
        sample.blocks = mpdata_log_fields_integer(c);
        sample.rss = mpdata_log_fields_integer(c);
        expect(r, sample.ns >= r->sample_ns, MPROF_E_VALUE);
        if (expect(r, r->samples_left != 0, MPROF_E_VALUE))
            r->samples_left--;
        r->sample_ns = sample.ns + 1;
        (void)VISIT(r, sample, &sample);
    }
}

/* -- events ---------------------------------------------------------------- */

static void read_place(struct mprof_cursor *c, struct mpdata_log_event *e)
{
    e->at += mprof_log_unsigned(mpdata_log_fields_integer(c)) *
             MPROF_LOG_ADDRESS_UNIT;
    e->ns += mprof_log_unsigned(mpdata_log_fields_integer(c));
}

static void read_end(struct mpdata_log_reader *r, struct mpdata_log_event *e)
{
    e->end_kind = mpdata_log_fields_small(&r->c);
    const uint32_t context = mpdata_log_fields_small(&r->c);
    e->end_size = mpdata_log_fields_integer(&r->c);
    e->end_stack = context != 0 ? find_stack(r, context) : 0;
    expect(r,
           e->end_kind == 0 || e->end_kind == MPROF_DETAIL_REALLOC ||
               e->end_kind == MPROF_DETAIL_FREE,
           MPROF_E_VALUE);
    expect(r, context == 0 || e->end_stack != 0, MPROF_E_REFERENCE);
}

static void read_life(struct mpdata_log_reader *r, struct mpdata_log_event *e,
                      uint8_t code)
{
    struct mprof_cursor *const c = &r->c;

    e->flags = code & MPROF_LOG_CODE_FLAGS;
    if ((e->flags & MPROF_LOG_FL_MORE) != 0)
        e->flags |= (uint32_t)mpdata_log_fields_byte(c) << 8;
    read_place(c, e);
    e->number = mpdata_log_fields_integer(c);
    if ((e->flags & MPROF_LOG_FL_ELSEWHERE) != 0)
        e->birth_ns = e->ns - mprof_log_unsigned(mpdata_log_fields_integer(c));
    if ((e->flags & MPROF_LOG_FL_ENDED) != 0)
        read_end(r, e);
    e->rw.is_measured = (e->flags & MPROF_LOG_FL_RW_MEASURED) != 0;
    e->rw.has_bytes = (e->flags & MPROF_LOG_FL_RW_BYTES) != 0;
    if ((e->flags & MPROF_LOG_FL_RW) != 0) {
        e->rw.reads = mpdata_log_fields_integer(c);
        e->rw.writes = mpdata_log_fields_integer(c);
        e->rw.read_bytes = mpdata_log_fields_integer(c);
        e->rw.write_bytes = mpdata_log_fields_integer(c);
    }
}

/* After damage, what stands before it is still visited. */
static void visit_event(struct mpdata_log_reader *r)
{
    const struct mpdata_log_visitor *const v = r->visit;
    const struct mpdata_log_event *const e = &r->ahead[r->visited++ % AHEAD];
    const enum mprof_err err =
        v->event != NULL ? v->event(v->context, e) : MPROF_E_OK;

    if (err != MPROF_E_OK) {
        r->c.err = err;
        r->visited = r->decoded;
    }
}

/* The number of a peak counts for events with the flag only. */
static bool read_fields(struct mpdata_log_reader *r, struct mpdata_log_event *e,
                        struct mpdata_log_event *last, uint8_t code)
{
    struct mprof_cursor *const c = &r->c;

    switch (e->kind) {
    case MPROF_LOG_EVENT_CPU:
        last->cpu = mpdata_log_fields_small(c);
        return false;
    case MPROF_LOG_EVENT_PEAK:
        last->peak = mpdata_log_fields_small(c);
        return false;
    case MPROF_LOG_EVENT_ALLOC:
        read_place(c, e);
        e->number = mpdata_log_fields_integer(c);
        e->context = mpdata_log_fields_small(c);
        e->stack = find_stack(r, e->context);
        return expect(r, e->stack != 0, MPROF_E_REFERENCE);
    case MPROF_LOG_EVENT_FREE:
    case MPROF_LOG_EVENT_LIVE:
        read_life(r, e, code);
        e->peak = (e->flags & MPROF_LOG_FL_PEAK) != 0 ? last->peak : 0;
        return true;
    case MPROF_LOG_EVENT_NOTE:
        e->what = mpdata_log_fields_small(c);
        e->ns += mprof_log_unsigned(mpdata_log_fields_integer(c));
        e->at = mpdata_log_fields_integer(c);
        return true;
    case MPROF_LOG_EVENT_MOST:
        e->context = mpdata_log_fields_small(c);
        e->at = mpdata_log_fields_integer(c);
        e->number = mpdata_log_fields_integer(c);
        e->stack = find_stack(r, e->context);
        return true;
    default:
        return expect(r, false, MPROF_E_VALUE);
    }
}

static void read_event(struct mpdata_log_reader *r,
                       struct mpdata_log_event *last, uint8_t code)
{
    struct mpdata_log_event *const e = &r->ahead[r->decoded % AHEAD];

    if (r->decoded - r->visited == AHEAD)
        visit_event(r);
    memset(e, 0, offsetof(struct mpdata_log_event, rw));
    e->kind = code & MPROF_LOG_EVENT_MASK;
    e->thread = last->thread;
    e->cpu = last->cpu;
    e->ns = last->ns;
    e->at = last->at;
    if (!read_fields(r, e, last, code) ||
        !expect(r, e->ns <= NS_MAX, MPROF_E_VALUE))
        return;
    last->ns = e->ns;
    if (e->kind <= MPROF_LOG_EVENT_LIVE)
        last->at = e->at;
    r->decoded++;
    if (r->visit->live != NULL)
        mpdata_event_live_prepare(r->visit->live, e,
                                  &r->ahead[(r->decoded - AHEAD / 2) % AHEAD]);
}

/* is_further: of a block that goes on after an earlier one. */
static void read_events(struct mpdata_log_reader *r, bool is_further)
{
    struct mpdata_log_event last = {.kind = 0};
    uint8_t code;

    mpdata_log_fields_integer(&r->c);
    last.thread = mpdata_log_fields_small(&r->c);
    last.ns = mpdata_log_fields_integer(&r->c);
    if (is_further) {
        last.at = mpdata_log_fields_integer(&r->c);
        last.cpu = mpdata_log_fields_small(&r->c);
        last.peak = mpdata_log_fields_small(&r->c);
    }
    while ((code = mpdata_log_fields_byte(&r->c)) != 0)
        read_event(r, &last, code);
    while (r->visited != r->decoded)
        visit_event(r);
}

/* -- the file -------------------------------------------------------------- */

static void read_block(struct mpdata_log_reader *r, uint8_t code)
{
    switch (code) {
    case MPROF_LOG_LOADED:
        read_loaded(r);
        break;
    case MPROF_LOG_UNLOADED:
        read_unloaded(r);
        break;
    case MPROF_LOG_DUMPS:
        read_dumps(r);
        break;
    case MPROF_LOG_MAPPING:
        read_stacks(r);
        break;
    case MPROF_LOG_EVENTS:
    case MPROF_LOG_FURTHER:
        read_events(r, code == MPROF_LOG_FURTHER);
        break;
    case MPROF_LOG_SCRIPT:
        read_script(r);
        break;
    case MPROF_LOG_NAMES:
        read_names(r);
        break;
    case MPROF_LOG_FACTS:
        read_facts(r);
        break;
    case MPROF_LOG_MARKS:
        read_marks(r);
        break;
    case MPROF_LOG_SERIES:
        read_series(r);
        break;
    default:
        break; /* CLOCK and END; later versions may have further blocks */
    }
}

/* All of it, or nothing. */
static void read_intro(struct mprof_cursor *c)
{
    if (mpdata_log_fields_byte(c) != MPROF_LOG_INTRO)
        mprof_cursor_fail(c, MPROF_E_MAGIC);
    if (mpdata_log_fields_integer(c) != MPROF_LOG_VERSION)
        mprof_cursor_fail(c, MPROF_E_VERSION);
    mpdata_log_fields_string(c);
    mpdata_log_fields_integer(c);
    mpdata_log_fields_integer(c);
    if (c->err != MPROF_E_OK)
        c->pos = 0;
}

bool mpdata_event_log_is(const uint8_t *data, size_t size)
{
    /* The program's path is absolute. */
    return size >= 3 && data[0] == MPROF_LOG_INTRO &&
           data[1] == (MPROF_LOG_VERSION | MPDATA_LOG_LAST_BYTE) &&
           data[2] == '/';
}

/* Moves *file behind the last whole block. */
static void read_blocks(struct mpdata_log_reader *r, struct mprof_cursor *file)
{
    if (file->file_off == 0)
        read_intro(file);
    while (mprof_cursor_left(file) != 0 && !r->is_whole) {
        const uint64_t start = file->pos;
        const uint8_t code = mpdata_log_fields_byte(file);

        file->section = name_of(code);
        const uint64_t bytes = mpdata_log_fields_integer(file);
        const uint8_t *const content = mprof_cursor_bytes(file, bytes);
        if (content == NULL) {
            file->pos = file->err_pos = (size_t)start;
            return;
        }
        r->c = mprof_cursor_over(
            content, (size_t)bytes,
            file->file_off + (uint64_t)(content - file->data), file->section);
        read_block(r, code);
        if (r->c.err != MPROF_E_OK)
            return;
        r->is_whole = code == MPROF_LOG_END;
    }
}

static enum mprof_err read_part(struct mpdata_log_reader *r,
                                struct mprof_cursor *file,
                                struct mprof_diag *diag)
{
    r->frames_left = mprof_add_sat_u64(r->frames_left,
                                       mpdata_profile_frames_max(file->size) -
                                           mpdata_profile_frames_max(0));
    file->file_off = r->offset;
    read_blocks(r, file);
    r->offset += file->pos;
    return mprof_cursor_status(r->c.err != MPROF_E_OK ? &r->c : file, diag);
}

static void init(struct mpdata_log_reader *r,
                 const struct mpdata_log_visitor *visitor)
{
    *r = (struct mpdata_log_reader){.visit = visitor,
                                    .frames_left = mpdata_profile_frames_max(0),
                                    .marks_left = MPDATA_SERIES_MARKS_MAX,
                                    .samples_left = MPDATA_SERIES_SAMPLES_MAX};
    mpdata_set_init(&r->contexts, sizeof(uint32_t), sizeof(uint32_t));
}

enum mprof_err mpdata_event_log_read(const uint8_t *data, size_t size,
                                     const struct mpdata_log_visitor *visitor,
                                     bool *is_whole, struct mprof_diag *diag)
{
    struct mprof_cursor file =
        mprof_cursor_over(data, size, 0, name_of(MPROF_LOG_INTRO));
    struct mpdata_log_reader r;
    enum mprof_err err;

    init(&r, visitor);
    err = read_part(&r, &file, diag);
    *is_whole = r.is_whole;
    mpdata_set_fini(&r.contexts);
    return err;
}

/* -- a log that grows ------------------------------------------------------ */

struct mpdata_log_reader *
mpdata_event_log_reader_new(const struct mpdata_log_visitor *visitor)
{
    struct mpdata_log_reader *const r = malloc(sizeof(*r));

    if (r != NULL)
        init(r, visitor);
    return r;
}

enum mprof_err mpdata_event_log_reader_read(struct mpdata_log_reader *r,
                                            const uint8_t *data, size_t size,
                                            size_t *used, bool *is_whole,
                                            struct mprof_diag *diag)
{
    struct mprof_cursor file =
        mprof_cursor_over(data, size, 0, name_of(MPROF_LOG_INTRO));
    const enum mprof_err err = read_part(r, &file, diag);

    *used = file.pos;
    *is_whole = r->is_whole;
    return r->c.err == MPROF_E_OK && err == MPROF_E_TRUNCATED ? MPROF_E_OK
                                                              : err;
}

void mpdata_event_log_reader_free(struct mpdata_log_reader *r)
{
    if (r != NULL)
        mpdata_set_fini(&r->contexts);
    free(r);
}
