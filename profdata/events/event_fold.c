/* event_fold.c -- a log as a raw profile. The end of a block carries what the
 * runtime knew of it then; it is added as in the runtime. LIVE events of the
 * last dump say what lived; of a killed run, blocks that did not end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_fold.h"
#include "profdata/events/event_kept.h"
#include "profdata/events/event_live.h"
#include "profdata/events/event_stacks.h"
#include "profdata/events/event_sums.h"

#include <stdlib.h>

#define TOLD UINT32_MAX /* note of a block that LIVE told; else its weight */
/* The blocks of a call stack. */
struct row {
    uint64_t bytes; /* alive, as far as the log was read */
    uint64_t blocks;
    uint64_t most_bytes;
    uint64_t most_blocks;
    uint32_t thread;                 /* string: the threads' name; 0: none */
    struct mpdata_event_sums *ended; /* owned; NULL: no blocks */
    struct mpdata_event_sums *live;
};

/* The name of the threads that have a call stack. */
struct name {
    uint32_t context;
    uint32_t string;
};

struct fold {
    struct mpdata_raw raw;
    const struct mpdata_event_choice *choice; /* NULL: all blocks */
    struct mpdata_event_moments *moments;     /* or NULL */
    struct mpdata_event_stacks stacks;
    struct mpdata_vec rows;            /* struct row, as in stacks */
    struct mpdata_set names;           /* struct name */
    struct mpdata_event_details links; /* blocks that others ended */
    struct mpdata_event_kept kept;
    struct mpdata_event_live live;
    struct mpdata_vec lives;   /* struct mpdata_log_event, LIVE */
    struct mpdata_vec strings; /* struct mpdata_str */
    struct mpdata_vec samples; /* struct mpdata_sample */
    struct mpdata_vec marks;   /* struct mpdata_mark */
    struct mpdata_vec details; /* struct mpdata_detail */
    uint64_t last_ns;
    uint32_t peak; /* number of the last one */
    bool has_peak;
    bool is_whole;
    bool failed; /* no memory, in a function that returns nothing */
};

static enum mprof_err memory(bool is_there)
{
    return is_there ? MPROF_E_OK : MPROF_E_NOMEM;
}

static struct row *row_at(const struct fold *f, uint32_t i)
{
    return (struct row *)f->rows.data + i;
}

/* Does the block count? */
static bool is_chosen(const struct fold *f, const struct mpdata_live_block *b,
                      const struct mpdata_log_event *e)
{
    return f->choice == NULL ||
           mpdata_event_choice_has(
               f->choice, b->ns,
               e->kind == MPROF_LOG_EVENT_LIVE ? UINT64_MAX : e->ns, e->peak);
}

/* -- blocks ---------------------------------------------------------------- */

/* The sums, made on first use. */
static struct mpdata_event_sums *sums_of(struct mpdata_event_sums **sums)
{
    if (*sums == NULL)
        *sums = calloc(1, sizeof(**sums));
    return *sums;
}

static void add_life(struct fold *f, uint32_t row_index,
                     const struct mpdata_live_block *b,
                     const struct mpdata_log_event *e)
{
    struct row *const row = row_at(f, row_index);
    const bool is_live = e->kind == MPROF_LOG_EVENT_LIVE;
    const bool is_replaced = !is_live && e->end_kind == MPROF_DETAIL_REALLOC;
    const struct mprof_block_life life = {
        .size = b->size,
        .access_count = e->number,
        .alloc_ns = b->ns,
        .dealloc_ns = e->ns,
        .alloc_cpu = (uint16_t)b->cpu,
        .dealloc_cpu = (uint16_t)e->cpu,
        .peak = e->peak,
        .grown_bytes =
            is_replaced ? mprof_sub_sat_u64(e->end_size, b->size) : 0,
        .is_replaced = is_replaced,
        .is_live = is_live,
        .is_saturated = (e->flags & MPROF_LOG_FL_SATURATED) != 0,
        .is_temporary = (e->flags & MPROF_LOG_FL_TEMPORARY) != 0,
        .is_elsewhere = (e->flags & MPROF_LOG_FL_ELSEWHERE) != 0,
        .is_unseen = (e->flags & MPROF_LOG_FL_UNSEEN) != 0};
    struct mpdata_event_sums *const sums =
        sums_of(is_live ? &row->live : &row->ended);

    if (life.peak != 0 && (f->peak == 0 || (int32_t)(life.peak - f->peak) > 0))
        f->peak = life.peak;
    f->failed |=
        sums == NULL ||
        !mpdata_event_sums_add(
            sums, &life, (e->flags & MPROF_LOG_FL_RW) != 0 ? &e->rw : NULL,
            b->note);
    if (f->moments != NULL)
        f->failed |= !mpdata_event_moments_add(
            f->moments, row_index, b->ns, is_live ? UINT64_MAX : e->ns,
            mpdata_live_block_count(b), mpdata_live_block_bytes(b));
}

static enum mprof_err add_link(struct fold *f, uint32_t row,
                               const struct mpdata_live_block *b,
                               const struct mpdata_log_event *e)
{
    struct mpdata_event_detail link = {.row = row,
                                       .kind = e->end_kind,
                                       .count = mpdata_live_block_count(b),
                                       .bytes = b->size};

    if (e->end_kind == 0)
        return MPROF_E_OK;
    if (e->end_stack != 0)
        link.key = mpdata_event_stacks_at(&f->stacks, e->end_stack - 1)->node;
    if (e->end_kind == MPROF_DETAIL_REALLOC)
        link.bytes = mprof_sub_sat_u64(e->end_size, b->size);
    link.bytes = mprof_mul_sat_u64(link.bytes, link.count);
    return memory(mpdata_event_details_add(&f->links, &link));
}

static enum mprof_err end_block(struct fold *f,
                                const struct mpdata_live_block *b,
                                const struct mpdata_log_event *e)
{
    struct row *const row = row_at(f, b->row);

    row->bytes -= mpdata_live_block_bytes(b);
    row->blocks -= mpdata_live_block_count(b);
    if (!is_chosen(f, b, e))
        return MPROF_E_OK;
    add_life(f, b->row, b, e);
    return f->failed ? MPROF_E_NOMEM : add_link(f, b->row, b, e);
}

static uint32_t name_of(const struct fold *f, uint32_t context)
{
    const uint32_t at =
        mpdata_set_find(&f->names, &(struct name){.context = context});

    return at != 0 ? ((const struct name *)f->names.rows.data)[at - 1].string
                   : 0;
}

static enum mprof_err begin_block(struct fold *f,
                                  const struct mpdata_log_event *e)
{
    struct row *const row = row_at(f, e->stack - 1);
    struct mpdata_live_block block = {.address = e->at,
                                      .ns = e->ns,
                                      .size = e->number,
                                      .row = e->stack - 1,
                                      .note = e->weight,
                                      .cpu = e->cpu,
                                      .thread = e->thread};
    enum mprof_err err;
    bool failed = false;

    if (row->thread == 0 && f->names.rows.count != 0)
        row->thread = name_of(f, e->context);
    row->bytes += mpdata_live_block_bytes(&block);
    row->blocks += mpdata_live_block_count(&block);
    row->most_bytes = mprof_max_u64(row->most_bytes, row->bytes);
    row->most_blocks = mprof_max_u64(row->most_blocks, row->blocks);
    struct mpdata_log_event *const end =
        mpdata_event_live_begin(&f->live, &block, &failed);
    if (end == NULL)
        return memory(!failed);
    err = end_block(f, &block, end);
    free(end);
    return err;
}

static enum mprof_err set_most(struct fold *f, const struct mpdata_log_event *e)
{
    /* A call stack that only freed blocks need not be known. */
    if (e->stack != 0) {
        row_at(f, e->stack - 1)->most_bytes = e->at;
        row_at(f, e->stack - 1)->most_blocks = e->number;
    }
    return MPROF_E_OK;
}

/* One for each call stack. */
static bool add_rows(struct fold *f)
{
    while (f->rows.count < f->stacks.rows.count) {
        if (mpdata_vec_push(&f->rows) == NULL)
            return false;
    }
    return true;
}

static enum mprof_err add_event(void *context, const struct mpdata_log_event *e)
{
    struct fold *const f = context;
    struct mpdata_live_block block;
    bool failed = false;

    if (!add_rows(f))
        return MPROF_E_NOMEM;
    f->last_ns = mprof_max_u64(f->last_ns, e->ns);
    switch (e->kind) {
    case MPROF_LOG_EVENT_ALLOC:
        return begin_block(f, e);
    case MPROF_LOG_EVENT_FREE:
        return mpdata_event_live_end(&f->live, e, &block, &failed)
                   ? end_block(f, &block, e)
                   : memory(!failed);
    case MPROF_LOG_EVENT_LIVE: {
        struct mpdata_log_event *const kept = mpdata_vec_push(&f->lives);
        if (kept != NULL)
            *kept = *e;
        return memory(kept != NULL);
    }
    case MPROF_LOG_EVENT_MOST:
        return set_most(f, e);
    default:
        f->has_peak |= e->what == MPROF_LOG_NOTE_PEAK;
        if (e->what == MPROF_LOG_NOTE_PEAK) {
            f->raw.numbers[MPROF_RAW_META_IS_PEAK_BYTES] = e->at;
            f->raw.numbers[MPROF_RAW_META_IS_PEAK_NS] = e->ns;
        }
        return MPROF_E_OK;
    }
}

/* -- the run --------------------------------------------------------------- */

static enum mprof_err add_fact(void *context, uint32_t key, uint64_t number,
                               struct mpdata_str text)
{
    struct fold *const f = context;

    if (mpdata_event_choice_has_fact(f->choice, key)) {
        f->raw.numbers[key] = number;
        f->raw.texts[key] = text;
    }
    return MPROF_E_OK;
}

/* Index of a string of the dump, or 0. */
static uint32_t add_string(struct fold *f, struct mpdata_str text)
{
    struct mpdata_str *const s = mpdata_vec_push(&f->strings);

    if (s != NULL)
        *s = text;
    return s != NULL ? f->strings.count - 1 : 0;
}

static enum mprof_err add_name(void *context, uint32_t id,
                               struct mpdata_str name)
{
    struct fold *const f = context;
    const struct name row = {.context = id, .string = add_string(f, name)};

    return memory(row.string != 0 &&
                  mpdata_set_add(&f->names, &row, NULL) != 0);
}

static enum mprof_err add_mark(void *context, const struct mpdata_mark *mark,
                               struct mpdata_str name)
{
    struct fold *const f = context;
    struct mpdata_mark *const m = mpdata_vec_push(&f->marks);

    if (m == NULL)
        return MPROF_E_NOMEM;
    *m = *mark;
    m->name = name.size != 0 ? add_string(f, name) : 0;
    return memory(name.size == 0 || m->name != 0);
}

static enum mprof_err add_sample(void *context,
                                 const struct mpdata_sample *sample)
{
    struct fold *const f = context;
    struct mpdata_sample *const s = mpdata_vec_push(&f->samples);

    if (s != NULL)
        *s = *sample;
    return memory(s != NULL);
}

static enum mprof_err add_tagged(void *context,
                                 const struct mpdata_log_tagged *t)
{
    struct fold *const f = context;
    const uint32_t name = t != NULL ? add_string(f, t->name) : 0;

    return memory(mpdata_event_kept_tagged(&f->kept, t, name));
}

static enum mprof_err add_cells(void *context,
                                const struct mpdata_log_cells *cells)
{
    return memory(
        mpdata_event_kept_cells(&((struct fold *)context)->kept, cells));
}

/* -- the end --------------------------------------------------------------- */

/* Adds the blocks of the last dump. */
static void add_lives(struct fold *f)
{
    const struct mpdata_log_event *const lives = f->lives.data;

    for (uint32_t i = 0; i < f->lives.count; i++) {
        struct mpdata_live_block *const b =
            mpdata_event_live_find(&f->live, lives[i].at);

        if (b != NULL && b->note != TOLD && lives[i].ns >= b->ns) {
            if (is_chosen(f, b, &lives[i]))
                add_life(f, b->row, b, &lives[i]);
            b->note = TOLD;
        }
    }
}

/* Of a run that was killed, nothing is known of the accesses. */
static void add_unended(void *context, const struct mpdata_live_block *b)
{
    struct fold *const f = context;
    const struct mpdata_log_event e = {.kind = MPROF_LOG_EVENT_LIVE,
                                       .flags = MPROF_LOG_FL_UNSEEN,
                                       .cpu = b->cpu,
                                       .ns = f->last_ns};

    if (is_chosen(f, b, &e))
        add_life(f, b->row, b, &e);
}

static bool add_context(struct fold *f, uint32_t index,
                        struct mpdata_event_sums *sums, uint32_t flags)
{
    const struct row *const row = row_at(f, index);
    const struct mpdata_event_stack *const stack =
        mpdata_event_stacks_at(&f->stacks, index);
    struct mpdata_raw *const raw = &f->raw;
    struct mpdata_raw_context *const c = &raw->contexts[raw->context_count];

    mpdata_event_sums_finish(sums, f->peak, row->most_bytes, row->most_blocks);
    *c = (struct mpdata_raw_context){.node = stack->node,
                                     .flags = stack->flags | flags,
                                     .thread = row->thread,
                                     .id = raw->context_count,
                                     .blocks = sums->mib.AllocCount,
                                     .details_first = f->details.count};
    struct mprof_mib *const mib = &raw->mibs[raw->context_count++];
    *mib = sums->mib;
    if (!mpdata_event_sums_details(sums, &f->details) ||
        !mpdata_event_details_put(&f->links, index, &f->details) ||
        !mpdata_event_kept_add(&f->kept, index + 1, flags != 0, c, mib,
                               &f->details) ||
        (f->moments != NULL &&
         !mpdata_event_details_put(&f->moments->sums, index, &f->details)))
        return false;
    c->detail_count = f->details.count - c->details_first;
    return true;
}

static bool add_contexts(struct fold *f)
{
    struct mpdata_raw *const raw = &f->raw;
    uint64_t count = 0;
    bool is_done = true;

    mpdata_event_details_order(&f->links);
    if (f->moments != NULL)
        mpdata_event_details_order(&f->moments->sums);
    for (uint32_t i = 0; i < f->rows.count; i++)
        count += (row_at(f, i)->ended != NULL) + (row_at(f, i)->live != NULL);
    raw->contexts = mpdata_raw_array(count, sizeof(*raw->contexts));
    raw->mibs = mpdata_raw_array(count, sizeof(*raw->mibs));
    if (raw->contexts == NULL || raw->mibs == NULL)
        return false;
    for (uint32_t i = 0; i < f->rows.count && is_done; i++) {
        struct row *const row = row_at(f, i);

        if (row->ended == NULL && row->live == NULL)
            continue;
        if (f->choice != NULL)
            mpdata_event_sums_all(row->ended, row->live, &row->most_bytes,
                                  &row->most_blocks);
        raw->stack_count++;
        raw->numbers[MPROF_RAW_META_IS_TRUNCATED_STACKS] +=
            (mpdata_event_stacks_at(&f->stacks, i)->flags &
             MPROF_RAW_CONTEXT_FL_TRUNCATED) != 0;
        if (row->ended != NULL)
            is_done = add_context(f, i, row->ended, 0);
        if (row->live != NULL && is_done)
            is_done = add_context(f, i, row->live, MPROF_RAW_CONTEXT_FL_LIVE);
        raw->has_live |= row->live != NULL;
    }
    if (f->has_peak && f->choice == NULL)
        mpdata_event_sums_take_peak(raw->mibs, raw->context_count);
    return is_done;
}

/* A log stands for all dumps of its run. */
static void name_dump(struct fold *f)
{
    uint64_t *const n = f->raw.numbers;

    if (n[MPROF_RAW_META_IS_DURATION_NS] == 0)
        n[MPROF_RAW_META_IS_DURATION_NS] = f->last_ns;
    n[MPROF_RAW_META_IS_EPOCH] = 0;
    /* The blocks of a moment stand for no dump, and the peak was another. */
    if (f->choice != NULL) {
        n[MPROF_RAW_META_IS_PEAK_BYTES] = n[MPROF_RAW_META_IS_PEAK_NS] = 0;
        n[MPROF_RAW_META_IS_CELL_BYTES] = 0;
        f->raw.alive_ns = mprof_add_sat_u64(f->choice->at_ns, 1);
        f->raw.after_ns = f->choice->from_ns + 1; /* UINT64_MAX: at any time */
    }
    n[MPROF_RAW_META_IS_DUMP] =
        n[MPROF_RAW_META_IS_RUN_ID] != 0 && f->choice == NULL
            ? MPDATA_RAW_DUMP_OF_LOG
            : 0;
    for (uint32_t key = 0; key < MPDATA_RAW_METAS; key++) {
        if (f->raw.texts[key].bytes == NULL)
            f->raw.texts[key].bytes = "";
    }
}

static bool finish(struct fold *f)
{
    struct mpdata_raw *const raw = &f->raw;
    struct mpdata_series *const series = &raw->series;

    mpdata_event_live_finish(&f->live);
    if (f->is_whole)
        add_lives(f);
    else
        mpdata_event_live_visit(&f->live, add_unended, f);
    name_dump(f);
    raw->kind = MPROF_RUN_MEMPROF;
    raw->version = MPROF_LOG_VERSION;
    raw->sample_period_bytes = raw->numbers[MPROF_RAW_META_IS_SAMPLE_PERIOD];
    raw->has_threads = f->names.rows.count != 0;
    raw->has_no_peak = !f->has_peak || f->choice != NULL;
    raw->has_live = f->has_peak || f->choice != NULL;
    series->run_id = raw->numbers[MPROF_RAW_META_IS_RUN_ID];
    series->step_ns = raw->numbers[MPROF_RAW_META_IS_SERIES_STEP_NS];
    series->until_ns = raw->numbers[MPROF_RAW_META_IS_DURATION_NS];
    series->dropped_marks = raw->numbers[MPROF_RAW_META_IS_DROPPED_MARKS];
    return !f->failed && add_contexts(f) &&
           mpdata_event_kept_finish(&f->kept, &f->stacks, raw) &&
           mpdata_event_stacks_finish(&f->stacks, raw) &&
           mpdata_event_stacks_move(&f->details, &raw->details,
                                    &raw->detail_count) &&
           mpdata_event_stacks_move(&f->strings, &raw->string_table,
                                    &raw->string_count) &&
           mpdata_event_stacks_move(&f->samples, &series->samples,
                                    &series->sample_count) &&
           mpdata_event_stacks_move(&f->marks, &series->marks,
                                    &series->mark_count);
}

static void free_fold(struct fold *f)
{
    for (uint32_t i = 0; i < f->rows.count; i++) {
        struct row *const row = row_at(f, i);

        if (row->ended != NULL)
            mpdata_event_sums_fini(row->ended);
        if (row->live != NULL)
            mpdata_event_sums_fini(row->live);
        free(row->ended);
        free(row->live);
    }
    mpdata_event_stacks_fini(&f->stacks);
    mpdata_vec_fini(&f->rows);
    mpdata_set_fini(&f->names);
    mpdata_event_details_fini(&f->links);
    mpdata_event_kept_fini(&f->kept);
    mpdata_event_live_fini(&f->live);
    mpdata_vec_fini(&f->lives);
    mpdata_vec_fini(&f->strings);
    mpdata_vec_fini(&f->samples);
    mpdata_vec_fini(&f->marks);
    mpdata_vec_fini(&f->details);
    mpdata_raw_free(&f->raw);
}

static void init_fold(struct fold *f)
{
    *f = (struct fold){.live.blocks.elem_bytes =
                           sizeof(struct mpdata_live_block),
                       .lives.elem_bytes = sizeof(struct mpdata_log_event),
                       .rows.elem_bytes = sizeof(struct row),
                       .strings.elem_bytes = sizeof(struct mpdata_str),
                       .samples.elem_bytes = sizeof(struct mpdata_sample),
                       .marks.elem_bytes = sizeof(struct mpdata_mark),
                       .details.elem_bytes = sizeof(struct mpdata_detail)};
    mpdata_event_stacks_init(&f->stacks);
    mpdata_set_init(&f->names, MPDATA_SET_KEY(struct name, context),
                    sizeof(struct name));
    mpdata_event_details_init(&f->links);
    mpdata_event_kept_init(&f->kept);
    add_string(f, (struct mpdata_str){.bytes = "", .size = 0});
}

/* Is more alive at the end than at the peak that the log notes? */
static bool is_end_fuller(const struct fold *f)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < f->rows.count; i++)
        bytes = mprof_add_sat_u64(bytes, row_at(f, i)->bytes);
    return f->choice != NULL && f->choice->peak_bytes != 0 &&
           bytes > f->choice->peak_bytes;
}

/* Reads the log, and again if the end is its fullest moment. */
static enum mprof_err read_log(struct fold *f, const uint8_t *data, size_t size,
                               struct mpdata_event_choice *choice,
                               struct mprof_diag *rest)
{
    const struct mpdata_log_visitor visitor = {.live = &f->live,
                                               .event = add_event,
                                               .stacks = &f->stacks,
                                               .name = add_name,
                                               .fact = add_fact,
                                               .mark = add_mark,
                                               .sample = add_sample,
                                               .tagged = add_tagged,
                                               .cells = add_cells,
                                               .context = f};
    enum mprof_err err;

    init_fold(f);
    if (choice != NULL && choice->moments != NULL)
        f->moments = choice->moments;
    else if (choice == NULL || !choice->numbers_stacks)
        f->choice = choice;
    f->kept.is_of_moment = f->choice != NULL;
    err = mpdata_event_log_read(data, size, &visitor, &f->is_whole, rest);
    if (choice != NULL && choice->numbers_stacks)
        f->failed |= !mpdata_event_details_number(&f->links, f->rows.count);
    if (err == MPROF_E_NOMEM || !is_end_fuller(f))
        return err;
    free_fold(f);
    choice->at_ns = choice->end_ns;
    choice->peak = 0;
    choice->peak_bytes = 0;
    return read_log(f, data, size, choice, rest);
}

enum mprof_err mpdata_event_fold_read(const uint8_t *data, size_t size,
                                      struct mpdata_event_choice *choice,
                                      struct mpdata_raw_file *file,
                                      struct mprof_diag *diag)
{
    struct fold f;
    struct mpdata_raw_file read = {.rest = {.err = MPROF_E_OK}};
    enum mprof_err err = MPROF_E_OK;

    if (choice != NULL) {
        choice->may_note_peak = true;
        err = mpdata_event_choice_find(choice, data, size, diag);
    }
    if (err != MPROF_E_OK)
        return err;
    err = read_log(&f, data, size, choice, &read.rest);
    /* Without a call stack there is nothing that stands before the damage. */
    if (err != MPROF_E_OK &&
        (err == MPROF_E_NOMEM || f.stacks.rows.count == 0)) {
        *diag = read.rest;
    } else if (!finish(&f) || !mpdata_raw_file_add(&read, &f.raw)) {
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    } else {
        f.raw = (struct mpdata_raw){.modules = NULL};
        read.lacks = mpdata_event_kept_lacks(&f.kept, f.is_whole);
        *file = read;
        err = MPROF_E_OK;
    }
    free_fold(&f);
    return err;
}
