/* event_stats.c -- sums over all events of a log. Steps of time double in
 * length whenever there are too many of them, so memory does not depend on the
 * length of the run.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_stats.h"
#include "profdata/events/event_live.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 4096u
#define STEP_MIN_NS 1000u

struct pass {
    struct mpdata_event_stats *stats;
    struct mpdata_event_live live;
    uint64_t
        steps_max; /* steps are joined beyond; 0: refused beyond the limit */
    uint32_t last_thread; /* row + 1 */
    uint32_t last_step;   /* where the step before was found */
    uint64_t last_from;   /* its time starts after; in steps of last_ns */
    uint64_t last_ns;
    bool has_ends; /* find the blocks that ended */
};

static enum mprof_err memory(bool is_there)
{
    return is_there ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- time ------------------------------------------------------------------ */

static struct mpdata_event_step *steps_of(struct mpdata_event_stats *stats)
{
    return stats->steps.data;
}

static void add_step(struct mpdata_event_step *to,
                     const struct mpdata_event_step *from)
{
    to->born_blocks += from->born_blocks;
    to->born_bytes = mprof_add_sat_u64(to->born_bytes, from->born_bytes);
    to->ended_blocks += from->ended_blocks;
    to->ended_bytes = mprof_add_sat_u64(to->ended_bytes, from->ended_bytes);
}

/* Joins pairs of steps; the first one, the start, stays alone. */
static void join_steps(struct mpdata_event_stats *stats)
{
    struct mpdata_event_step *const steps = steps_of(stats);
    const uint32_t count = stats->steps.count;

    for (uint32_t i = 1; i < count; i++) {
        const struct mpdata_event_step from = steps[i];

        steps[i] = (struct mpdata_event_step){.born_blocks = 0};
        add_step(&steps[(i + 1) / 2], &from);
    }
    if (count != 0)
        stats->steps.count = count / 2 + 1;
    stats->step_ns *= 2;
}

static uint64_t step_at(const struct mpdata_event_stats *stats, uint64_t ns)
{
    return ns / stats->step_ns + (ns % stats->step_ns != 0);
}

static enum mprof_err count_step(struct pass *p, uint64_t ns,
                                 const struct mpdata_event_step *step)
{
    struct mpdata_event_stats *const s = p->stats;

    /* Mostly it is the last one again; divisions take long. */
    if (p->last_ns == s->step_ns && ns - p->last_from - 1 < p->last_ns) {
        add_step(&steps_of(s)[p->last_step], step);
        return MPROF_E_OK;
    }
    while (p->steps_max != 0 && step_at(s, ns) >= p->steps_max)
        join_steps(s);
    const uint64_t at = step_at(s, ns);
    if (at > MPDATA_EVENT_STEPS_MAX)
        return MPROF_E_LIMIT;
    while (s->steps.count <= at) {
        if (mpdata_vec_push(&s->steps) == NULL)
            return MPROF_E_NOMEM;
    }
    add_step(&steps_of(s)[at], step);
    if (at != 0) {
        p->last_step = (uint32_t)at;
        p->last_from = (at - 1) * s->step_ns;
        p->last_ns = s->step_ns;
    }
    return MPROF_E_OK;
}

/* -- blocks ---------------------------------------------------------------- */

static unsigned size_class(uint64_t size)
{
    return size != 0 ? 64 - (unsigned)__builtin_clzll(size) : 0;
}

static struct mpdata_event_thread *thread_of(struct pass *p, uint32_t number)
{
    struct mpdata_set *const set = &p->stats->threads;
    const struct mpdata_event_thread key = {.number = number,
                                            .first_ns = UINT64_MAX};
    struct mpdata_event_thread *const rows = set->rows.data;

    if (p->last_thread == 0 || rows[p->last_thread - 1].number != number)
        p->last_thread = mpdata_set_add(set, &key, NULL);
    return p->last_thread != 0 ? (struct mpdata_event_thread *)set->rows.data +
                                     (p->last_thread - 1)
                               : NULL;
}

struct name_row {
    uint32_t context;
    uint32_t zero;
    struct mpdata_str name;
};

static enum mprof_err add_name(void *context, uint32_t id,
                               struct mpdata_str name)
{
    struct pass *const p = context;
    const struct name_row row = {.context = id, .name = name};

    return memory(mpdata_set_add(&p->stats->names, &row, NULL) != 0);
}

static enum mprof_err add_tag(void *context, uint32_t id,
                              struct mpdata_str name)
{
    struct pass *const p = context;
    const struct name_row row = {.context = id, .name = name};

    return memory(mpdata_set_add(&p->stats->tags, &row, NULL) != 0);
}

/* Name of a context, or NULL. */
static const struct mpdata_str *find_name(const struct mpdata_set *names,
                                          uint32_t context)
{
    const struct name_row key = {.context = context};
    const uint32_t at =
        names->rows.count != 0 ? mpdata_set_find(names, &key) : 0;

    return at != 0 ? &((const struct name_row *)names->rows.data)[at - 1].name
                   : NULL;
}

static enum mprof_err add_told(struct mpdata_event_stats *s,
                               const struct mpdata_log_event *e)
{
    const struct mpdata_str *const name = find_name(&s->tags, e->context);
    struct mpdata_event_told told = {.first_ns = e->ns};

    if (name != NULL)
        told.name = *name;
    const uint32_t at = mpdata_set_add(&s->told, &told, NULL);
    if (at == 0)
        return MPROF_E_NOMEM;
    struct mpdata_event_told *const row =
        (struct mpdata_event_told *)s->told.rows.data + (at - 1);
    row->count++;
    row->weight = mprof_add_sat_u64(row->weight, e->at);
    row->first_ns = mprof_min_u64(row->first_ns, e->ns);
    row->last_ns = mprof_max_u64(row->last_ns, e->ns);
    return MPROF_E_OK;
}

static void name_thread(const struct mpdata_event_stats *s, uint32_t context,
                        struct mpdata_event_thread *t)
{
    const struct mpdata_str *const name = find_name(&s->names, context);

    if (name != NULL)
        t->name = *name;
}

static void see_thread(struct mpdata_event_thread *t, uint64_t ns)
{
    t->first_ns = mprof_min_u64(t->first_ns, ns);
    t->last_ns = mprof_max_u64(t->last_ns, ns);
}

static enum mprof_err end_block(struct pass *p,
                                const struct mpdata_live_block *b,
                                const struct mpdata_log_event *e)
{
    struct mpdata_event_stats *const s = p->stats;
    const uint32_t blocks = mpdata_live_block_count(b);
    const struct mpdata_event_step step = {
        .ended_blocks = blocks, .ended_bytes = mpdata_live_block_bytes(b)};
    struct mpdata_event_thread *const t = thread_of(p, e->thread);

    if (t == NULL)
        return MPROF_E_NOMEM;
    t->ends += blocks;
    add_step(&s->sum, &step);
    add_step(&s->sizes[size_class(b->size)], &step);
    s->replaced += e->end_kind == MPROF_DETAIL_REALLOC ? blocks : 0;
    s->elsewhere += (e->flags & MPROF_LOG_FL_ELSEWHERE) != 0 ? blocks : 0;
    s->temporary += (e->flags & MPROF_LOG_FL_TEMPORARY) != 0 ? blocks : 0;
    return count_step(p, e->ns, &step);
}

static enum mprof_err begin_block(struct pass *p,
                                  const struct mpdata_log_event *e,
                                  struct mpdata_event_thread *t)
{
    struct mpdata_event_stats *const s = p->stats;
    const struct mpdata_live_block block = {.address = e->at,
                                            .ns = e->ns,
                                            .size = e->number,
                                            .note = e->weight,
                                            .thread = e->thread};
    const struct mpdata_event_step step = {
        .born_blocks = mpdata_live_block_count(&block),
        .born_bytes = mpdata_live_block_bytes(&block)};
    enum mprof_err err;
    bool failed = false;

    name_thread(s, e->context, t);
    t->born_blocks += step.born_blocks;
    t->born_bytes = mprof_add_sat_u64(t->born_bytes, step.born_bytes);
    add_step(&s->sum, &step);
    add_step(&s->sizes[size_class(e->number)], &step);
    err = count_step(p, e->ns, &step);
    if (err != MPROF_E_OK || !p->has_ends)
        return err;
    struct mpdata_log_event *const end =
        mpdata_event_live_begin(&p->live, &block, &failed);
    if (end == NULL)
        return memory(!failed);
    err = end_block(p, &block, end);
    free(end);
    return err;
}

static enum mprof_err add_peak(void *context, const struct mpdata_log_event *e)
{
    struct mpdata_event_stats *const s = ((struct pass *)context)->stats;

    if (e->kind == MPROF_LOG_EVENT_NOTE && e->what == MPROF_LOG_NOTE_PEAK) {
        s->has_peak = true;
        s->peak_ns = e->ns;
        s->peak_bytes = e->at;
    }
    if (e->peak != 0 && (s->peak == 0 || (int32_t)(e->peak - s->peak) > 0))
        s->peak = e->peak;
    return MPROF_E_OK;
}

static enum mprof_err add_event(void *context, const struct mpdata_log_event *e)
{
    struct pass *const p = context;
    struct mpdata_event_stats *const s = p->stats;
    struct mpdata_event_thread *t;
    struct mpdata_live_block block;
    bool failed = false;

    (void)add_peak(context, e);
    if (e->kind == MPROF_LOG_EVENT_NOTE && e->what == MPROF_LOG_NOTE_EVENT)
        return add_told(s, e);
    if (e->kind > MPROF_LOG_EVENT_FREE)
        return MPROF_E_OK;
    s->duration_ns = mprof_max_u64(s->duration_ns, e->ns);
    t = thread_of(p, e->thread);
    if (t == NULL)
        return MPROF_E_NOMEM;
    see_thread(t, e->ns);
    if (e->kind == MPROF_LOG_EVENT_ALLOC)
        return begin_block(p, e, t);
    if (!p->has_ends)
        return MPROF_E_OK;
    return mpdata_event_live_end(&p->live, e, &block, &failed)
               ? end_block(p, &block, e)
               : memory(!failed);
}

/* -- marks ----------------------------------------------------------------- */

static bool keep_text(struct mpdata_event_stats *s, struct mpdata_str *text)
{
    char *const copy = mpdata_arena_alloc(&s->texts, text->size + 1);

    if (copy != NULL)
        memcpy(copy, text->bytes, text->size);
    text->bytes = copy;
    return copy != NULL;
}

static enum mprof_err add_mark(void *context, const struct mpdata_mark *mark,
                               struct mpdata_str name)
{
    struct pass *const p = context;
    struct mpdata_event_mark *const m = mpdata_vec_push(&p->stats->marks);

    if (p->stats->traits.title != NULL && !keep_text(p->stats, &name))
        return MPROF_E_NOMEM;
    if (m != NULL)
        *m = (struct mpdata_event_mark){.mark = *mark, .name = name};
    return memory(m != NULL);
}

static enum mprof_err add_change(void *context,
                                 const struct mpdata_log_change *change)
{
    struct pass *const p = context;
    struct mpdata_log_change *const c = mpdata_vec_push(&p->stats->changes);

    if (c != NULL)
        *c = *change;
    return memory(c != NULL);
}

static enum mprof_err add_fact(void *context, uint32_t key, uint64_t number,
                               struct mpdata_str text)
{
    struct pass *const p = context;

    if (key == MPROF_RAW_META_IS_EXECUTABLE)
        p->stats->program = text;
    if (key == MPROF_RAW_META_IS_SAMPLE_PERIOD)
        p->stats->sample_period = number;
    if (key == MPROF_RAW_META_IS_DURATION_NS)
        p->stats->duration_ns = mprof_max_u64(p->stats->duration_ns, number);
    return MPROF_E_OK;
}

MPROF_COMPARATOR(compare_marks, struct mpdata_event_mark,
                 MPROF_UP(mark.ns) ?: MPROF_UP(name.bytes))

MPROF_COMPARATOR(compare_changes, struct mpdata_log_change,
                 MPROF_UP(ns) ?: MPROF_DOWN(kind))

/* -- the whole ------------------------------------------------------------- */

/* A log without a note of the peak has it in the fullest step; and the end may
 * be fuller than the peak that was noted. */
static void find_peak(struct mpdata_event_stats *s)
{
    const struct mpdata_event_step *const steps = steps_of(s);
    const uint64_t live =
        mprof_sub_sat_u64(s->sum.born_bytes, s->sum.ended_bytes);
    uint64_t bytes = 0;

    if (s->has_peak && live > s->peak_bytes) {
        s->peak_ns = s->duration_ns;
        s->peak_bytes = live;
        s->peak = 0;
    }
    for (uint32_t i = 0; i < s->steps.count && !s->is_whole; i++) {
        bytes = mprof_sub_sat_u64(mprof_add_sat_u64(bytes, steps[i].born_bytes),
                                  steps[i].ended_bytes);
        if (bytes <= s->peak_bytes)
            continue;
        s->has_peak = true;
        s->peak = 0;
        s->peak_bytes = bytes;
        s->peak_ns = mprof_min_u64(i * s->step_ns, s->duration_ns);
    }
}

static void init(struct mpdata_event_stats *stats, uint64_t step_ns,
                 const uint8_t *data, size_t size)
{
    const struct mpdata_log_traits traits =
        mpdata_foreign_log_traits(data, size);

    *stats = (struct mpdata_event_stats){
        .traits = traits,
        .marks.elem_bytes = sizeof(struct mpdata_event_mark),
        .changes.elem_bytes = sizeof(struct mpdata_log_change),
        .steps.elem_bytes = sizeof(struct mpdata_event_step),
        .step_ns = step_ns != 0          ? step_ns
                   : traits.unit != NULL ? 1
                                         : STEP_MIN_NS};
    mpdata_set_init(&stats->threads,
                    MPDATA_SET_KEY(struct mpdata_event_thread, zero),
                    sizeof(struct mpdata_event_thread));
    mpdata_set_init(&stats->names, MPDATA_SET_KEY(struct name_row, zero),
                    sizeof(struct name_row));
    mpdata_set_init(&stats->tags, MPDATA_SET_KEY(struct name_row, zero),
                    sizeof(struct name_row));
    mpdata_set_init(&stats->told, MPDATA_SET_BY_TEXT,
                    sizeof(struct mpdata_event_told));
}

static enum mprof_err read_with(struct pass *p, bool has_events,
                                const uint8_t *data, size_t size,
                                struct mprof_diag *diag)
{
    struct mpdata_event_stats *const s = p->stats;
    const struct mpdata_log_visitor visitor = {
        .live = p->has_ends ? &p->live : NULL,
        .event = has_events ? add_event : add_peak,
        .name = add_name,
        .tag = add_tag,
        .mark = add_mark,
        .change = add_change,
        .fact = add_fact,
        .context = p};
    const enum mprof_err err =
        mpdata_event_log_read(data, size, &visitor, &s->is_whole, &s->rest);

    if (s->marks.count != 0)
        qsort(s->marks.data, s->marks.count, sizeof(struct mpdata_event_mark),
              compare_marks);
    if (s->changes.count != 0)
        qsort(s->changes.data, s->changes.count,
              sizeof(struct mpdata_log_change), compare_changes);
    if (err != MPROF_E_NOMEM && err != MPROF_E_LIMIT)
        return MPROF_E_OK;
    *diag = s->rest;
    return err;
}

enum mprof_err mpdata_event_stats_marks(struct mpdata_event_stats *stats,
                                        const uint8_t *data, size_t size,
                                        struct mprof_diag *diag)
{
    struct pass p = {.stats = stats};

    init(stats, 0, data, size);
    return read_with(&p, false, data, size, diag);
}

enum mprof_err mpdata_event_stats_births(struct mpdata_event_stats *stats,
                                         const uint8_t *data, size_t size,
                                         struct mprof_diag *diag)
{
    struct pass p = {.stats = stats, .steps_max = STEPS};

    init(stats, 0, data, size);
    return read_with(&p, true, data, size, diag);
}

enum mprof_err mpdata_event_stats_read(struct mpdata_event_stats *stats,
                                       const uint8_t *data, size_t size,
                                       uint64_t step_ns,
                                       struct mprof_diag *diag)
{
    struct pass p = {.stats = stats,
                     .live.blocks.elem_bytes = sizeof(struct mpdata_live_block),
                     .steps_max = step_ns == 0 ? STEPS : 0};
    enum mprof_err err;

    init(stats, step_ns, data, size);
    p.has_ends = stats->traits.has_ends;
    err = read_with(&p, true, data, size, diag);
    mpdata_event_live_fini(&p.live);
    if (err == MPROF_E_OK && p.has_ends)
        find_peak(stats);
    return err;
}

void mpdata_event_stats_fini(struct mpdata_event_stats *stats)
{
    mpdata_set_fini(&stats->threads);
    mpdata_set_fini(&stats->names);
    mpdata_set_fini(&stats->tags);
    mpdata_set_fini(&stats->told);
    mpdata_vec_fini(&stats->marks);
    mpdata_vec_fini(&stats->changes);
    mpdata_vec_fini(&stats->steps);
    mpdata_arena_fini(&stats->texts);
}
