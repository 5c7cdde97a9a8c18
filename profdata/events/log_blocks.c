/* log_blocks.c -- reads the blocks of a log about the run: what it is, its
 * binaries, its marks; and what the runtime kept by call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_stacks.h"
#include "profdata/events/log_reader.h"
#include "shared/tag_format.h"

#define LOADED_BINARY 1
#define FACTS_END 4096

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
    mpdata_log_reader_expect(
        r,
        loaded.path.size <= MPROF_RAW_MODULE_STRING_BYTES_MAX &&
            loaded.build_id.size <= MPROF_RAW_MODULE_STRING_BYTES_MAX,
        MPROF_E_VALUE);
    uint64_t segments = mpdata_log_fields_integer(c);
    if (!MPDATA_LOG_READER_ADD(r, mpdata_event_frames_loaded, &s->frames,
                               &loaded))
        return;
    if (loaded.ns != 0)
        (void)MPDATA_LOG_READER_VISIT(
            r, change,
            &(struct mpdata_log_change){.kind = MPDATA_LOG_LOADED,
                                        .ns = loaded.ns,
                                        .path = loaded.path});
    for (; segments != 0 && c->err == MPROF_E_OK; segments--) {
        const uint64_t start = mpdata_log_fields_integer(c);
        const uint64_t bytes = mpdata_log_fields_integer(c);
        const uint64_t file_off = mpdata_log_fields_integer(c);

        (void)MPDATA_LOG_READER_ADD(r, mpdata_event_frames_segment, &s->frames,
                                    start, mprof_add_sat_u64(start, bytes),
                                    file_off);
    }
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
    (void)MPDATA_LOG_READER_VISIT(r, change, &change);
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
        (void)MPDATA_LOG_READER_VISIT(r, change, &change);
    }
}

static void read_facts(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint64_t key;

    while ((key = mpdata_log_fields_integer(c)) != 0 && c->err == MPROF_E_OK) {
        const uint64_t number = mpdata_log_fields_integer(c);
        const struct mpdata_str text = mpdata_log_fields_string(c);

        (void)MPDATA_LOG_READER_VISIT(
            r, fact, (uint32_t)mprof_min_u64(key - 1, FACTS_END), number, text);
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
        (void)MPDATA_LOG_READER_ADD(r, mpdata_event_frames_function,
                                    &r->visit->stacks->frames, &f);
    }
}

static void read_names(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint32_t id;

    while ((id = mpdata_log_fields_small(c)) != 0 && c->err == MPROF_E_OK) {
        const struct mpdata_str name = mpdata_log_fields_string(c);

        (void)MPDATA_LOG_READER_VISIT(r, name, id, name);
    }
}

static void read_tags(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint32_t id;

    while ((id = mpdata_log_fields_small(c)) != 0 && c->err == MPROF_E_OK) {
        const struct mpdata_str name = mpdata_log_fields_string(c);
        const uint32_t stack = mpdata_log_reader_stack(r, id);

        if (mpdata_log_reader_expect(r, stack != 0, MPROF_E_REFERENCE) &&
            MPDATA_LOG_READER_ADD(r, mpdata_event_stacks_name, r->visit->stacks,
                                  stack - 1, name))
            (void)MPDATA_LOG_READER_VISIT(r, tag, id, name);
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

        mpdata_log_reader_expect(r,
                                 mark.kind == MPROF_RAW_MARK_PHASE ||
                                     mark.kind == MPROF_RAW_MARK_MARK,
                                 MPROF_E_VALUE);
        if (mpdata_log_reader_expect(r, r->marks_left != 0, MPROF_E_VALUE))
            r->marks_left--;
        (void)MPDATA_LOG_READER_VISIT(r, mark, &mark, name);
    }
}

static void read_series(struct mpdata_log_reader *r, bool has_mapped)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_sample sample = {.mapped = 0};

    while ((sample.ns = mpdata_log_fields_integer(c)) != 0 &&
           c->err == MPROF_E_OK) {
        sample.ns--;
        sample.bytes = mpdata_log_fields_integer(c);
        sample.most = mpdata_log_fields_integer(c);
        sample.blocks = mpdata_log_fields_integer(c);
        sample.rss = mpdata_log_fields_integer(c);
        if (has_mapped)
            sample.mapped = mpdata_log_fields_integer(c);
        mpdata_log_reader_expect(r, sample.ns >= r->sample_ns, MPROF_E_VALUE);
        if (mpdata_log_reader_expect(r, r->samples_left != 0, MPROF_E_VALUE))
            r->samples_left--;
        r->sample_ns = sample.ns + 1;
        (void)MPDATA_LOG_READER_VISIT(r, sample, &sample);
    }
}

/* Rows ascend, so none is there twice. */
static bool read_row(struct mpdata_log_reader *r, uint64_t row, uint64_t *last,
                     uint32_t *stack)
{
    const bool is_next = row > *last;

    *last = row;
    *stack = row / 2 <= UINT32_MAX
                 ? mpdata_log_reader_stack(r, (uint32_t)(row / 2))
                 : 0;
    return mpdata_log_reader_expect(r, is_next, MPROF_E_VALUE) &&
           mpdata_log_reader_expect(r, *stack != 0, MPROF_E_REFERENCE);
}

static void read_tagged(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    struct mpdata_log_tagged t;
    uint64_t row;
    uint64_t tag;

    (void)MPDATA_LOG_READER_VISIT(r, tagged, NULL);
    while ((row = mpdata_log_fields_integer(c)) != 0 && c->err == MPROF_E_OK) {
        t = (struct mpdata_log_tagged){.is_live = row % 2 != 0};
        (void)read_row(r, row, &r->tagged_row, &t.stack);
        t.kind = mpdata_log_fields_small(c);
        t.name = mpdata_log_fields_string(c);
        mpdata_log_reader_expect(r,
                                 mprof_tag_kind_text(t.kind) != NULL &&
                                     t.kind != MPROF_TAG_LEFT_OUT,
                                 MPROF_E_VALUE);
        while ((tag = mpdata_log_fields_integer(c)) != 0 &&
               c->err == MPROF_E_OK) {
            const uint64_t value = mpdata_log_fields_integer(c);

            /* Others are of a later version. */
            if (tag <= UINT32_MAX)
                mprof_mib_set(&t.mib, mprof_mib_index_of_tag((uint32_t)tag),
                              value);
        }
        (void)MPDATA_LOG_READER_VISIT(r, tagged, &t);
    }
}

static void read_cells(struct mpdata_log_reader *r)
{
    struct mprof_cursor *const c = &r->c;
    uint64_t row;
    uint64_t skip;

    while ((row = mpdata_log_fields_integer(c)) != 0 && c->err == MPROF_E_OK) {
        struct mpdata_log_cells cells = {.is_live = row % 2 != 0};
        uint64_t cell = 0;

        (void)read_row(r, row, &r->cells_row, &cells.stack);
        cells.size = mpdata_log_fields_integer(c);
        mpdata_log_reader_expect(r, cells.size <= UINT32_MAX, MPROF_E_VALUE);
        const uint64_t size =
            cells.size != 0 ? cells.size : (uint64_t)UINT32_MAX + 1;
        mpdata_cells_clear(&r->cells);
        while (
            (skip = mpdata_log_fields_integer(c)) != 0 &&
            mpdata_log_reader_expect(r, skip <= size - cell, MPROF_E_VALUE)) {
            cell += skip;
            mpdata_cells_add(&r->cells, cell - 1, mpdata_log_fields_integer(c));
        }
        mpdata_log_reader_expect(r, !r->cells.failed, MPROF_E_NOMEM);
        cells.cells = mpdata_cells_of(r->cells.words, 0, r->cells.count);
        (void)MPDATA_LOG_READER_VISIT(r, cells, &cells);
    }
}

void mpdata_log_blocks_read(struct mpdata_log_reader *r, uint8_t code)
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
    case MPROF_LOG_SCRIPT:
        read_script(r);
        break;
    case MPROF_LOG_NAMES:
        read_names(r);
        break;
    case MPROF_LOG_TAGS:
        read_tags(r);
        break;
    case MPROF_LOG_FACTS:
        read_facts(r);
        break;
    case MPROF_LOG_MARKS:
        read_marks(r);
        break;
    case MPROF_LOG_SERIES:
    case MPROF_LOG_MAPPED:
        read_series(r, code == MPROF_LOG_MAPPED);
        break;
    case MPROF_LOG_TAGGED:
        read_tagged(r);
        break;
    case MPROF_LOG_CELLS:
        read_cells(r);
        break;
    default:
        break; /* CLOCK and END; later versions may have further blocks */
    }
}
