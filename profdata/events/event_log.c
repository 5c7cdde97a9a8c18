/* event_log.c -- reads the log of a run. A block is read when all of it is
 * there, so a file that is still being written ends at its last whole block.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_live.h"
#include "profdata/events/event_stacks.h"
#include "profdata/events/foreign_log.h"
#include "profdata/events/log_reader.h"
#include "profdata/model/profile.h"
#include "shared/cursor.h"
#include "shared/detail.h"

#include <stdlib.h>
#include <string.h>

/* Later events are damage: a run of 146 years. */
#define NS_MAX (UINT64_MAX / 4)

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

/* -- call stacks ----------------------------------------------------------- */

static bool check_stack(struct mpdata_log_reader *r, uint32_t id,
                        uint32_t flags, uint32_t depth)
{
    if (!mpdata_log_reader_expect(
            r, (flags & ~(uint32_t)MPROF_RAW_CONTEXT_FL_TRUNCATED) == 0,
            MPROF_E_VALUE) ||
        !mpdata_log_reader_expect(r, depth <= r->frames_left, MPROF_E_FRAMES))
        return false;
    r->frames_left -= depth;
    return mpdata_log_reader_expect(r, mpdata_log_reader_stack(r, id) == 0,
                                    MPROF_E_DUPLICATE) &&
           mpdata_log_reader_expect(
               r, mpdata_set_add(&r->contexts, &id, NULL) != 0, MPROF_E_NOMEM);
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

        if (!mpdata_log_reader_expect(
                r, shared <= depth && frames <= mprof_cursor_left(c),
                MPROF_E_REFERENCE))
            return;
        depth = shared + frames;
        if (!check_stack(r, id, flags, depth) ||
            !MPDATA_LOG_READER_ADD(r, mpdata_event_stacks_begin, s, flags,
                                   shared))
            return;
        for (; frames != 0 && c->err == MPROF_E_OK; frames--) {
            const uint64_t step = mpdata_log_fields_integer(c);
            struct mpdata_log_frame frame = {.tag = 0};

            address += mprof_log_unsigned(step >> 1);
            frame.address = address;
            if ((step & 1) != 0)
                frame.tag = mpdata_log_fields_integer(c);
            (void)MPDATA_LOG_READER_ADD(r, mpdata_event_stacks_frame, s,
                                        &frame);
        }
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
    e->end_stack = context != 0 ? mpdata_log_reader_stack(r, context) : 0;
    mpdata_log_reader_expect(r,
                             e->end_kind == 0 ||
                                 e->end_kind == MPROF_DETAIL_REALLOC ||
                                 e->end_kind == MPROF_DETAIL_FREE,
                             MPROF_E_VALUE);
    mpdata_log_reader_expect(r, context == 0 || e->end_stack != 0,
                             MPROF_E_REFERENCE);
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
    const struct mpdata_log_event *const e =
        &r->ahead[r->visited++ % MPDATA_LOG_READER_AHEAD];
    const enum mprof_err err =
        v->event != NULL ? v->event(v->context, e) : MPROF_E_OK;

    if (err != MPROF_E_OK) {
        r->c.err = err;
        r->visited = r->decoded;
    }
}

/* All blocks of a log are sampled, or none. */
static bool read_weight(struct mpdata_log_reader *r, struct mpdata_log_event *e,
                        uint8_t code)
{
    if ((code & MPROF_LOG_CODE_FLAGS) == 0 && !r->is_sampled)
        return true;
    e->weight = mpdata_log_fields_small(&r->c);
    return mpdata_log_reader_expect(
        r,
        r->is_sampled && (code & MPROF_LOG_CODE_FLAGS) == MPROF_LOG_FL_WEIGHT &&
            e->weight != 0 && e->weight <= MPROF_LOG_WEIGHT_MAX,
        MPROF_E_VALUE);
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
        e->stack = mpdata_log_reader_stack(r, e->context);
        return read_weight(r, e, code) &&
               mpdata_log_reader_expect(r, e->stack != 0, MPROF_E_REFERENCE);
    case MPROF_LOG_EVENT_FREE:
    case MPROF_LOG_EVENT_LIVE:
        read_life(r, e, code);
        e->peak = (e->flags & MPROF_LOG_FL_PEAK) != 0 ? last->peak : 0;
        return true;
    case MPROF_LOG_EVENT_NOTE:
        e->what = mpdata_log_fields_small(c);
        e->ns += mprof_log_unsigned(mpdata_log_fields_integer(c));
        e->at = mpdata_log_fields_integer(c);
        if (e->what < MPROF_LOG_NOTE_EVENT)
            return true;
        e->context = e->what - MPROF_LOG_NOTE_EVENT;
        e->what = MPROF_LOG_NOTE_EVENT;
        e->stack = mpdata_log_reader_stack(r, e->context);
        return mpdata_log_reader_expect(r, e->stack != 0, MPROF_E_REFERENCE);
    case MPROF_LOG_EVENT_MOST:
        e->context = mpdata_log_fields_small(c);
        e->at = mpdata_log_fields_integer(c);
        e->number = mpdata_log_fields_integer(c);
        e->stack = mpdata_log_reader_stack(r, e->context);
        return true;
    default:
        return mpdata_log_reader_expect(r, false, MPROF_E_VALUE);
    }
}

static void read_event(struct mpdata_log_reader *r,
                       struct mpdata_log_event *last, uint8_t code)
{
    struct mpdata_log_event *const e =
        &r->ahead[r->decoded % MPDATA_LOG_READER_AHEAD];

    if (r->decoded - r->visited == MPDATA_LOG_READER_AHEAD)
        visit_event(r);
    memset(e, 0, offsetof(struct mpdata_log_event, rw));
    e->kind = code & MPROF_LOG_EVENT_MASK;
    e->thread = last->thread;
    e->cpu = last->cpu;
    e->ns = last->ns;
    e->at = last->at;
    if (!read_fields(r, e, last, code) ||
        !mpdata_log_reader_expect(r, e->ns <= NS_MAX, MPROF_E_VALUE))
        return;
    last->ns = e->ns;
    if (e->kind <= MPROF_LOG_EVENT_LIVE)
        last->at = e->at;
    r->decoded++;
    if (r->visit->live != NULL)
        mpdata_event_live_prepare(
            r->visit->live, e,
            &r->ahead[(r->decoded - MPDATA_LOG_READER_AHEAD / 2) %
                      MPDATA_LOG_READER_AHEAD]);
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
    case MPROF_LOG_MAPPING:
        read_stacks(r);
        break;
    case MPROF_LOG_EVENTS:
    case MPROF_LOG_FURTHER:
        read_events(r, code == MPROF_LOG_FURTHER);
        break;
    default:
        mpdata_log_blocks_read(r, code);
        break;
    }
}

/* All of it, or nothing. */
static void read_intro(struct mpdata_log_reader *r, struct mprof_cursor *c)
{
    if (mpdata_log_fields_byte(c) != MPROF_LOG_INTRO)
        mprof_cursor_fail(c, MPROF_E_MAGIC);
    const uint64_t version = mpdata_log_fields_integer(c);
    r->is_sampled = version == MPROF_LOG_VERSION_SAMPLED;
    if (!r->is_sampled && version != MPROF_LOG_VERSION)
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
           (data[1] == (MPROF_LOG_VERSION | MPDATA_LOG_LAST_BYTE) ||
            data[1] == (MPROF_LOG_VERSION_SAMPLED | MPDATA_LOG_LAST_BYTE)) &&
           data[2] == '/';
}

/* Moves *file behind the last whole block. */
static void read_blocks(struct mpdata_log_reader *r, struct mprof_cursor *file)
{
    if (file->file_off == 0)
        read_intro(r, file);
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
    if (r->is_whole && mprof_cursor_left(file) != 0)
        mprof_cursor_fail(file, MPROF_E_TRAILING);
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

static void fini(struct mpdata_log_reader *r)
{
    mpdata_set_fini(&r->contexts);
    mpdata_cells_fini(&r->cells);
}

enum mprof_err mpdata_event_log_read(const uint8_t *data, size_t size,
                                     const struct mpdata_log_visitor *visitor,
                                     bool *is_whole, struct mprof_diag *diag)
{
    struct mprof_cursor file =
        mprof_cursor_over(data, size, 0, name_of(MPROF_LOG_INTRO));
    struct mpdata_log_reader r;
    enum mprof_err err;

    if (visitor->stacks == NULL && mpdata_foreign_log_is(data, size))
        return mpdata_foreign_log_read(data, size, visitor, is_whole, diag);
    init(&r, visitor);
    err = read_part(&r, &file, diag);
    *is_whole = r.is_whole;
    fini(&r);
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
        fini(r);
    free(r);
}
