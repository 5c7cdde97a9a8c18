/* foreign_log.c -- logs of other tools as events of ours.
 *
 * A stream of LuaJIT has no times: events count them. Marks of seconds, which
 * version 1 may have, become marks. Mono's objects end in collections, of which
 * its logs do not tell which objects they ended; heapshots, which tell what
 * lives, become marks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/foreign_log.h"
#include "profdata/events/event_live.h"
#include "profdata/events/luajit_log.h"
#include "profdata/events/mono_shots.h"
#include "profdata/model/series.h"
#include "shared/detail.h"

#include <inttypes.h>
#include <stdio.h>

/* As in our own logs. */
#define TIME_MAX (UINT64_MAX / 4)
#define NAME_BYTES 32

/* Passes on an event; false if the visitor has failed. */
static bool pass(const struct mpdata_log_visitor *v, enum mprof_err *err,
                 const struct mpdata_log_event *e)
{
    if (*err == MPROF_E_OK && v->event != NULL)
        *err = v->event(v->context, e);
    return *err == MPROF_E_OK;
}

static void pass_duration(const struct mpdata_log_visitor *v,
                          enum mprof_err *err, uint64_t duration)
{
    const struct mpdata_str none = {.bytes = "", .size = 0};

    if (*err == MPROF_E_OK && v->fact != NULL)
        *err =
            v->fact(v->context, MPROF_RAW_META_IS_DURATION_NS, duration, none);
}

/* -- LuaJIT ---------------------------------------------------------------- */

struct stream {
    const struct mpdata_log_visitor *visitor;
    struct mpdata_event_live live;
    enum mprof_err err;
    uint64_t events;
    uint64_t seconds;
    uint64_t bytes; /* alive */
    uint64_t most;
    uint64_t most_at;
    uint64_t last; /* address of the last beginning */
    bool has_last;
};

static bool mark_second(struct stream *s, uint64_t second)
{
    const struct mpdata_mark mark = {
        .ns = s->events, .bytes = s->bytes, .kind = MPROF_RAW_MARK_MARK};
    char name[NAME_BYTES];
    const int size = snprintf(name, sizeof(name), "second %" PRIu64, second);

    s->seconds = second;
    if (s->visitor->mark != NULL && second <= MPDATA_SERIES_MARKS_MAX)
        s->err =
            s->visitor->mark(s->visitor->context, &mark,
                             (struct mpdata_str){.bytes = name, .size = size});
    return s->err == MPROF_E_OK;
}

/* Ends the block at the address, if one is alive there. */
static bool end_block(struct stream *s, struct mpdata_log_event *e)
{
    struct mpdata_live_block block;
    bool failed = false;

    e->kind = MPROF_LOG_EVENT_FREE;
    e->flags = MPROF_LOG_FL_UNSEEN;
    e->ns = s->events;
    if (!mpdata_event_live_end(&s->live, e, &block, &failed))
        return true;
    s->bytes -= block.size;
    if (e->end_kind != 0 && s->has_last && s->last == e->at)
        e->flags |= MPROF_LOG_FL_TEMPORARY;
    return pass(s->visitor, &s->err, e);
}

/* A block that is alive at the address ended without notice. */
static bool begin_block(struct stream *s, const struct mpdata_luajit_event *e)
{
    const struct mpdata_log_event begin = {.kind = MPROF_LOG_EVENT_ALLOC,
                                           .ns = s->events,
                                           .at = e->address,
                                           .number = e->size,
                                           .stack = e->site + 1};
    const struct mpdata_live_block block = {
        .address = e->address, .ns = s->events, .size = e->size};
    struct mpdata_log_event end = {.at = e->address};
    bool failed = false;

    if (!end_block(s, &end))
        return false;
    mpdata_event_live_begin(&s->live, &block, &failed);
    if (failed)
        s->err = MPROF_E_NOMEM;
    s->last = e->address;
    s->has_last = true;
    s->bytes += e->size;
    if (s->bytes > s->most) {
        s->most = s->bytes;
        s->most_at = s->events;
    }
    return pass(s->visitor, &s->err, &begin);
}

static bool add_event(void *context, const struct mpdata_luajit_event *e)
{
    struct stream *const s = context;
    struct mpdata_log_event end = {.at = e->old_address,
                                   .end_kind = e->kind == MPDATA_LUAJIT_FREE
                                                   ? MPROF_DETAIL_FREE
                                                   : MPROF_DETAIL_REALLOC,
                                   .end_stack = e->site + 1,
                                   .end_size = e->size};

    s->events++;
    return (e->second == s->seconds || mark_second(s, e->second)) &&
           (e->kind == MPDATA_LUAJIT_ALLOC || end_block(s, &end)) &&
           (e->kind == MPDATA_LUAJIT_FREE || begin_block(s, e));
}

static enum mprof_err read_stream(const uint8_t *data, size_t size,
                                  const struct mpdata_log_visitor *visitor,
                                  struct mprof_diag *diag)
{
    struct stream s = {.visitor = visitor,
                       .live.blocks.elem_bytes =
                           sizeof(struct mpdata_live_block)};
    struct mpdata_luajit_log log;
    enum mprof_err err =
        mpdata_luajit_log_read(&log, data, size, add_event, &s, diag);

    if (err == MPROF_E_OK)
        *diag = log.rest;
    pass_duration(visitor, &s.err, s.events);
    if (s.most != 0)
        (void)pass(visitor, &s.err,
                   &(struct mpdata_log_event){.kind = MPROF_LOG_EVENT_NOTE,
                                              .what = MPROF_LOG_NOTE_PEAK,
                                              .ns = s.most_at,
                                              .at = s.most});
    mpdata_event_live_fini(&s.live);
    mpdata_luajit_log_fini(&log);
    return s.err != MPROF_E_OK ? mprof_err_plain(diag, s.err) : diag->err;
}

/* -- Mono ------------------------------------------------------------------ */

struct mono {
    const struct mpdata_log_visitor *visitor;
    struct mpdata_mono_run run;
    struct mpdata_mono_shots shots;
    bool has_shots; /* and a visitor of marks */
    uint64_t count; /* orders what has no address */
    enum mprof_err err;
};

static uint64_t time_of(const struct mono *m, uint64_t tick)
{
    const uint64_t ticks = mprof_sub_sat_u64(tick, m->run.first_tick);
    const double time =
        (double)ticks * (m->run.tick_ns > 0 ? m->run.tick_ns : 1);

    return time < (double)TIME_MAX ? (uint64_t)time : TIME_MAX;
}

static bool add_change(void *context, uint64_t tick, bool is_unload,
                       struct mpdata_str name)
{
    struct mono *const m = context;
    const struct mpdata_log_change change = {
        .kind = is_unload ? MPDATA_LOG_UNLOADED : MPDATA_LOG_LOADED,
        .ns = time_of(m, tick),
        .path = name};

    if (m->err == MPROF_E_OK && m->visitor->change != NULL)
        m->err = m->visitor->change(m->visitor->context, &change);
    return m->err == MPROF_E_OK;
}

/* Passes on the mark of the last heapshot. */
static void mark_shot(struct mono *m)
{
    const struct mpdata_mark mark = {.ns = time_of(m, m->shots.tick),
                                     .bytes = m->shots.bytes,
                                     .kind = MPROF_RAW_MARK_MARK};
    char name[NAME_BYTES];
    const int size =
        snprintf(name, sizeof(name), "heapshot %" PRIu32, m->shots.count);

    if (m->err == MPROF_E_OK && m->shots.count <= MPDATA_SERIES_MARKS_MAX)
        m->err =
            m->visitor->mark(m->visitor->context, &mark,
                             (struct mpdata_str){.bytes = name, .size = size});
}

static bool note_shots(void *context,
                       const struct mpdata_mono_shot_event *event)
{
    struct mono *const m = context;

    m->has_shots |= event->kind == MPDATA_MONO_SHOT_ENDS;
    return true;
}

static bool add_shot(void *context, const struct mpdata_mono_shot_event *event)
{
    struct mono *const m = context;

    if (!mpdata_mono_shots_add(&m->shots, event))
        m->err = MPROF_E_NOMEM;
    else if (event->kind == MPDATA_MONO_SHOT_ENDS)
        mark_shot(m);
    return m->err == MPROF_E_OK;
}

static bool add_alloc(void *context, const struct mpdata_mono_alloc *a)
{
    struct mono *const m = context;
    const struct mpdata_log_event e = {.kind = MPROF_LOG_EVENT_ALLOC,
                                       .thread = a->thread,
                                       .stack = a->row + 1,
                                       .ns = time_of(m, a->tick),
                                       .at = a->address != 0 ? a->address
                                                             : ++m->count,
                                       .number = a->size};

    if (m->has_shots && !mpdata_mono_shots_alloc(&m->shots, a))
        m->err = MPROF_E_NOMEM;
    return pass(m->visitor, &m->err, &e);
}

static void add_facts(struct mono *m)
{
    const struct mpdata_log_visitor *const v = m->visitor;

    if (v->fact != NULL && m->run.program.size != 0)
        m->err = v->fact(v->context, MPROF_RAW_META_IS_EXECUTABLE, 0,
                         m->run.program);
    if (m->run.tick_ns > 0)
        pass_duration(v, &m->err, m->run.duration_ns);
}

/* Reads the log twice: times follow from its first and its last one. */
static enum mprof_err read_mono(mpdata_mono_read_fn *read, const uint8_t *data,
                                size_t size,
                                const struct mpdata_log_visitor *visitor,
                                struct mprof_diag *diag)
{
    struct mono m = {.visitor = visitor};
    struct mpdata_mono_run again;
    struct mpdata_mono_heap heap;

    mpdata_mono_heap_init(&heap);
    heap.shot = visitor->mark != NULL ? note_shots : NULL;
    heap.context = &m;
    enum mprof_err err = read(&heap, data, size, &m.run, diag);
    mpdata_mono_heap_fini(&heap);
    if (err == MPROF_E_OK)
        add_facts(&m);
    if (err == MPROF_E_OK && m.err == MPROF_E_OK) {
        mpdata_mono_heap_init(&heap);
        heap.visit = add_alloc;
        heap.change = add_change;
        heap.shot = m.has_shots ? add_shot : NULL;
        heap.context = &m;
        mpdata_mono_shots_init(&m.shots);
        err = read(&heap, data, size, &again, diag);
        mpdata_mono_shots_fini(&m.shots);
        mpdata_mono_heap_fini(&heap);
    }
    if (err == MPROF_E_OK)
        *diag = m.run.rest;
    return m.err != MPROF_E_OK ? mprof_err_plain(diag, m.err) : diag->err;
}

static bool has_no_clock(const uint8_t *data, size_t size)
{
    struct mpdata_mono_heap heap;
    struct mpdata_mono_run run;
    struct mprof_diag diag;

    mpdata_mono_heap_init(&heap);
    const enum mprof_err err =
        mpdata_mono_blocks_read(&heap, data, size, &run, &diag);
    mpdata_mono_heap_fini(&heap);
    return err == MPROF_E_OK && run.tick_ns == 0;
}

/* -- all ------------------------------------------------------------------- */

struct mpdata_log_traits mpdata_foreign_log_traits(const uint8_t *data,
                                                   size_t size)
{
    if (mpdata_luajit_log_is(data, size))
        return (struct mpdata_log_traits){.title = "LuaJIT's memory profiler",
                                          .unit = "event",
                                          .has_ends = true,
                                          .has_addresses = true};
    if (mpdata_mlpd_log_is(data, size))
        return (struct mpdata_log_traits){.title = "Mono's profiler",
                                          .has_threads = true,
                                          .has_addresses = true};
    if (mpdata_mono_blocks_is(data, size))
        return (struct mpdata_log_traits){
            .title = "Mono's first profiler",
            .unit = has_no_clock(data, size) ? "tick" : NULL,
            .has_threads = true};
    return (struct mpdata_log_traits){
        .has_ends = true, .has_threads = true, .has_addresses = true};
}

struct mpdata_number
mpdata_foreign_log_time(const struct mpdata_log_traits *traits, uint64_t ns)
{
    return traits->unit != NULL ? mpdata_units_things(ns, traits->unit)
                                : mpdata_units_ns(ns);
}

bool mpdata_foreign_log_is(const uint8_t *data, size_t size)
{
    return mpdata_luajit_log_is(data, size) || mpdata_mlpd_log_is(data, size) ||
           mpdata_mono_blocks_is(data, size);
}

enum mprof_err mpdata_foreign_log_read(const uint8_t *data, size_t size,
                                       const struct mpdata_log_visitor *visitor,
                                       bool *is_whole, struct mprof_diag *diag)
{
    enum mprof_err err;

    *diag = (struct mprof_diag){.err = MPROF_E_OK};
    if (mpdata_luajit_log_is(data, size))
        err = read_stream(data, size, visitor, diag);
    else
        err =
            read_mono(mpdata_mlpd_log_is(data, size) ? mpdata_mlpd_log_read
                                                     : mpdata_mono_blocks_read,
                      data, size, visitor, diag);
    *is_whole = err == MPROF_E_OK;
    return err;
}
