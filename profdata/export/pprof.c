/* pprof.c -- the profiles of pprof (profdata/base/pprof_format.h): a sample per
 * call stack. The value types of all heap profiles come first, then the other
 * metrics by their own names. Fields that belong to one call stack and cannot
 * be added up are labels.
 *
 * pprof-go has only what Go's heap profiles have: programs that scrape them
 * allow no more values, take a call stack with another label to be another one,
 * and file the profile under its time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/gzip.h"
#include "profdata/base/sink.h"
#include "profdata/base/protobuf.h"
#include "profdata/base/vec.h"
#include "profdata/export/pieces.h"
#include "profdata/export/pprof_places.h"
#include "profdata/model/hotness.h"
#include "profdata/query/left_out.h"
#include "profdata/query/frames.h"
#include "shared/index_format.h"
#include "shared/tag_format.h"
#include "profdata/base/pprof_format.h"
#include "shared/version.h"

#include <stdlib.h>
#include <string.h>

/* Metrics that all heap profiles name alike. */
static const struct {
    enum mpdata_metric metric;
    const char *name;
} heap_types[] = {{MPDATA_METRIC_BLOCKS, MPROF_PPROF_ALLOC_BLOCKS},
                  {MPDATA_METRIC_BYTES, MPROF_PPROF_ALLOC_BYTES},
                  {MPDATA_METRIC_LIVE_BLOCKS, MPROF_PPROF_LIVE_BLOCKS},
                  {MPDATA_METRIC_LIVE, MPROF_PPROF_LIVE_BYTES}};

struct type {
    enum mpdata_metric metric;
    const char *name;
};

struct writer {
    const struct mpdata_export *what;
    bool is_go;
    struct mpdata_view view;
    struct mpdata_run_totals runs;
    struct mpdata_run_totals before; /* of the profile that was subtracted */
    struct mprof_mib totals;
    struct mpdata_pprof_places places;
    struct mpdata_sink *sink;
    struct type types[MPDATA_METRIC_COUNT];
    size_t type_count;
    struct mprof_buf message;
    struct mprof_buf row;
    struct mprof_buf part;
    /* threads[]: by node, its first row of a thread, + 1. next[]: by tagged
     * row, the next one of its node, + 1. 0: none. Owned. */
    uint32_t *threads;
    uint32_t *next;
};

/* pprof's values are signed. */
static uint64_t limit(uint64_t value)
{
    return mprof_min_u64(value, INT64_MAX);
}

/* -- types of values ------------------------------------------------------- */

static const char *heap_name(enum mpdata_metric metric)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(heap_types); i++) {
        if (heap_types[i].metric == metric)
            return heap_types[i].name;
    }
    return NULL;
}

/* Other tools' profiles of live blocks do not know allocated blocks. */
static bool is_written(const struct writer *w, enum mpdata_metric metric)
{
    const bool is_live_only =
        w->runs.foreign_only != 0 && w->runs.foreign_only == w->runs.runs;

    return w->what->held[metric] &&
           !(is_live_only &&
             (metric == MPDATA_METRIC_BLOCKS || metric == MPDATA_METRIC_BYTES));
}

static void add_type(struct writer *w, enum mpdata_metric metric,
                     const char *name)
{
    if (is_written(w, metric))
        w->types[w->type_count++] = (struct type){metric, name};
}

static void choose_types(struct writer *w)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(heap_types); i++)
        add_type(w, heap_types[i].metric, heap_types[i].name);
    if (w->is_go)
        return;
    for (int m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (heap_name((enum mpdata_metric)m) == NULL)
            add_type(w, (enum mpdata_metric)m, mpdata_metrics[m].name);
    }
}

/* The unit by pprof's name. */
static const char *unit_of(enum mpdata_metric metric)
{
    static const char *const units[] = {
        MPROF_PPROF_UNIT_BYTES, MPROF_PPROF_UNIT_NS, MPROF_PPROF_UNIT_COUNT};

    return mpdata_pieces_unit(metric, units);
}

static void put_type(struct writer *w, uint32_t field, const char *name,
                     const char *unit)
{
    w->row.size = 0;
    mpdata_protobuf_put_number(&w->row, MPROF_PPROF_VALUE_TYPE,
                               mpdata_pprof_places_text(&w->places, name));
    mpdata_protobuf_put_number(&w->row, MPROF_PPROF_VALUE_UNIT,
                               mpdata_pprof_places_text(&w->places, unit));
    mpdata_protobuf_put_bytes(&w->message, field, w->row.data, w->row.size);
}

/* Writes and empties w->message. */
static void flush(struct writer *w)
{
    if (!w->message.failed)
        mpdata_sink_bytes(w->sink, (const char *)w->message.data,
                          w->message.size);
    w->message.size = 0;
}

static void write_types(struct writer *w)
{
    for (size_t i = 0; i < w->type_count; i++)
        put_type(w, MPROF_PPROF_SAMPLE_TYPE, w->types[i].name,
                 unit_of(w->types[i].metric));
    flush(w);
}

/* -- samples --------------------------------------------------------------- */

static void put_label(struct writer *w, const char *key, const char *text,
                      uint64_t number, const char *unit)
{
    w->part.size = 0;
    mpdata_protobuf_put_number(&w->part, MPROF_PPROF_LABEL_KEY,
                               mpdata_pprof_places_text(&w->places, key));
    if (text != NULL) {
        mpdata_protobuf_put_number(&w->part, MPROF_PPROF_LABEL_STRING,
                                   mpdata_pprof_places_text(&w->places, text));
    } else {
        mpdata_protobuf_put_number(&w->part, MPROF_PPROF_LABEL_NUMBER,
                                   limit(number));
        mpdata_protobuf_put_number(&w->part, MPROF_PPROF_LABEL_UNIT,
                                   mpdata_pprof_places_text(&w->places, unit));
    }
    mpdata_protobuf_put_bytes(&w->row, MPROF_PPROF_SAMPLE_LABEL, w->part.data,
                              w->part.size);
}

/* Was the field measured for this call stack? */
static bool is_held(const struct writer *w, size_t field,
                    const struct mpdata_context *context,
                    const struct mprof_mib *mib)
{
    switch (field) {
    case MPROF_MIB_INDEX_MinSize:
    case MPROF_MIB_INDEX_MaxSize:
        return mib->MaxSize != 0 ||
               (mib->TotalSize == 0 && w->runs.unsized == 0);
    case MPROF_MIB_INDEX_MinLifetimeNs:
    case MPROF_MIB_INDEX_MaxLifetimeNs:
        return w->what->held[MPDATA_METRIC_LIFETIME];
    case MPROF_MIB_INDEX_MinAccessCount:
    case MPROF_MIB_INDEX_MaxAccessCount:
        return w->what->held[MPDATA_METRIC_ACCESSES] &&
               (context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0;
    default:
        return mprof_mib_is_held(mib, field) && mprof_mib_get(mib, field) != 0;
    }
}

/* Labels with the number of measured blocks, if not all were measured. */
static void put_measured(struct writer *w, const struct mprof_mib *mib)
{
    static const struct {
        const char *key;
        size_t field;
    } labels[] = {
#define X(key, name) {key, MPROF_MIB_INDEX_##name},
        MPROF_PPROF_MEASURED_LABELS(X)
#undef X
    };

    for (size_t i = 0; i < MPROF_ARRAY_LEN(labels); i++) {
        const uint64_t blocks = mprof_mib_get(mib, labels[i].field);

        if (mprof_mib_is_held(&w->totals, labels[i].field) &&
            blocks != mib->AllocCount)
            put_label(w, labels[i].key, NULL, blocks, MPROF_PPROF_UNIT_COUNT);
    }
}

static void put_flags(struct writer *w, uint32_t flags)
{
    if ((flags & MPROF_CONTEXT_FL_TRUNCATED) != 0)
        put_label(w, MPROF_PPROF_LABEL_STACK, MPROF_PPROF_LABEL_STACK_CUT, 0,
                  NULL);
    /* One value per key. */
    if ((flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0)
        put_label(w, MPROF_PPROF_LABEL_ACCESSES, MPROF_PPROF_LABEL_NOT_MEASURED,
                  0, NULL);
    else if ((flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0)
        put_label(w, MPROF_PPROF_LABEL_ACCESSES, MPROF_PPROF_LABEL_NOT_ALL_SEEN,
                  0, NULL);
}

/* Missed accesses would make warm blocks look cold. */
static bool is_hotness_known(const struct writer *w,
                             const struct mpdata_context *context,
                             const struct mprof_mib *mib)
{
    return w->what->held[MPDATA_METRIC_ACCESSES] &&
           w->what->held[MPDATA_METRIC_LIFETIME] &&
           (context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0 &&
           ((context->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) == 0 ||
            !mpdata_hotness_is_cold(mib));
}

static void put_labels(struct writer *w, const struct mpdata_context *context,
                       const struct mprof_mib *mib)
{
    static const struct {
        const char *key;
        size_t field;
        const char *unit;
    } labels[] = {
#define X(key, name, unit) {key, MPROF_MIB_INDEX_##name, unit},
        MPROF_PPROF_LABELS(X) MPROF_PPROF_MORE_LABELS(X)
#undef X
    };
    const mpdata_string type = mpdata_types_of(&w->view, context->node);

    if (w->runs.uncounted == 0 && w->runs.unsized == 0)
        put_label(w, MPROF_PPROF_LABEL_BYTES, NULL,
                  mib->TotalSize / mib->AllocCount, MPROF_PPROF_UNIT_BYTES);
    if (w->what->held[MPDATA_METRIC_LIFETIME] && w->runs.uncounted == 0)
        put_label(w, MPROF_PPROF_LABEL_LIFETIME, NULL,
                  mib->TotalLifetimeNs / mib->AllocCount, MPROF_PPROF_UNIT_NS);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(labels); i++) {
        if (is_held(w, labels[i].field, context, mib))
            put_label(w, labels[i].key, NULL,
                      mprof_mib_get(mib, labels[i].field), labels[i].unit);
    }
    put_measured(w, mib);
    if (is_hotness_known(w, context, mib))
        put_label(w, MPROF_PPROF_LABEL_HOTNESS,
                  mpdata_hotness_is_cold(mib) ? MPROF_PPROF_LABEL_COLD
                                              : MPROF_PPROF_LABEL_NOT_COLD,
                  0, NULL);
    if (type != 0)
        put_label(w, MPROF_PPROF_LABEL_TYPE, w->view.strings[type].bytes, 0,
                  NULL);
    put_flags(w, context->flags);
}

/* Writes a sample of the context's blocks: those allocated by threads with this
 * name, or those whose thread is unknown (NULL). */
static void write_sample(struct writer *w, const struct mpdata_context *context,
                         const struct mprof_mib *mib, const char *thread)
{
    mpdata_ref node = context->node;

    w->row.size = 0;
    w->part.size = 0;
    while (node != 0)
        mpdata_protobuf_put(&w->part,
                            mpdata_pprof_places_next(&w->places, &node));
    mpdata_protobuf_put_bytes(&w->row, MPROF_PPROF_SAMPLE_LOCATION,
                              w->part.data, w->part.size);
    w->part.size = 0;
    for (size_t i = 0; i < w->type_count; i++)
        mpdata_protobuf_put(&w->part,
                            limit(mpdata_metrics_get(mib, w->types[i].metric)));
    mpdata_protobuf_put_bytes(&w->row, MPROF_PPROF_SAMPLE_VALUE, w->part.data,
                              w->part.size);
    if (!w->is_go)
        put_labels(w, context, mib);
    if (thread != NULL)
        put_label(w, MPROF_PPROF_LABEL_THREAD, thread, 0, NULL);
    mpdata_protobuf_put_bytes(&w->message, MPROF_PPROF_SAMPLE, w->row.data,
                              w->row.size);
    flush(w);
}

static bool find_threads(struct writer *w)
{
    w->threads =
        mpdata_vec_array((size_t)w->view.node_count + 1, sizeof(*w->threads));
    w->next = mpdata_vec_array(w->view.tagged_count, sizeof(*w->next));
    if (w->threads == NULL || w->next == NULL)
        return false;
    for (uint32_t i = w->is_go ? 0 : w->view.tagged_count; i-- > 0;) {
        uint32_t *const first = &w->threads[w->view.tagged_rows[i].node];

        if (w->view.tagged_rows[i].kind != MPROF_TAG_THREAD)
            continue;
        w->next[i] = *first;
        *first = i + 1;
    }
    return true;
}

/* Subtracts the fields that add up. */
static void subtract(struct mprof_mib *mib, const struct mprof_mib *part)
{
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].merge == MPROF_MERGE_SUM)
            mprof_mib_set(mib, i,
                          mprof_sub_sat_u64(mprof_mib_get(mib, i),
                                            mprof_mib_get(part, i)));
    }
}

/* Writes a sample for each known thread, and one for the rest. The rest's
 * minima and maxima are those of all blocks. */
static void write_samples(struct writer *w,
                          const struct mpdata_context *context)
{
    struct mprof_mib rest = mpdata_view_mib_of(&w->view, context);

    for (uint32_t part = w->threads[context->node]; part != 0;
         part = w->next[part - 1]) {
        const mpdata_string name = w->view.tagged_rows[part - 1].name;
        const struct mprof_mib mib = mpdata_view_tagged_mib(&w->view, part - 1);

        write_sample(w, context, &mib, w->view.strings[name].bytes);
        subtract(&rest, &mib);
    }
    if (rest.AllocCount != 0)
        write_sample(w, context, &rest, NULL);
}

/* -- the rest -------------------------------------------------------------- */

/* 1 unless all runs are sampled with one period. */
static uint64_t period_of(const struct mpdata_run_totals *runs)
{
    return runs->sampled_runs != 0 && runs->sampled_runs == runs->runs
               ? runs->sample_period_bytes
               : 1;
}

/* Adds a comment if the values are estimates. */
static void put_sampled(struct writer *w)
{
    struct mprof_buf line;

    mpdata_heapbuf_init(&line);
    mpdata_notes_sampled(&w->runs, &line);
    if (line.size != 0) {
        line.data[line.size - 1] = '\0';
        mpdata_protobuf_put_number(
            &w->message, MPROF_PPROF_COMMENT,
            mpdata_pprof_places_text(&w->places, (const char *)line.data));
    }
    w->message.failed = w->message.failed || line.failed;
    mpdata_heapbuf_fini(&line);
}

/* When the last run ended, or was dumped. */
static uint64_t last_end_ns(const struct mpdata_view *view)
{
    uint64_t end_ns = 0;

    for (uint32_t i = 0; i < view->run_count; i++)
        end_ns =
            mprof_max_u64(end_ns, mprof_add_sat_u64(view->runs[i].start_ns,
                                                    view->runs[i].duration_ns));
    return end_ns;
}

/* pprof's time is the start of what was measured, Go's its end; Go gives a
 * duration only to differences, because readers add up what has one. */
static void put_time(struct writer *w)
{
    uint64_t time_ns = w->runs.last_start_ns != 0
                           ? w->runs.first_start_ns + w->before.duration_ns
                           : 0;
    uint64_t duration_ns =
        mprof_sub_sat_u64(w->runs.duration_ns, w->before.duration_ns);

    if (w->is_go) {
        time_ns = last_end_ns(&w->view);
        duration_ns = 0;
    }
    if (w->is_go && w->what->old != NULL) {
        const struct mpdata_view old = mpdata_profile_view(w->what->old);
        duration_ns = mprof_sub_sat_u64(time_ns, last_end_ns(&old));
    }
    mpdata_protobuf_put_number(&w->message, MPROF_PPROF_TIME_NS,
                               limit(time_ns));
    mpdata_protobuf_put_number(&w->message, MPROF_PPROF_DURATION_NS,
                               limit(duration_ns));
}

static void write_rest(struct writer *w)
{
    static const char comment[] = "written by memprofdata " MPROF_VERSION;
    const struct mpdata_run_totals runs = w->runs;
    const char *const heap = heap_name(w->what->metric);

    put_time(w);
    put_type(w, MPROF_PPROF_PERIOD_TYPE, MPROF_PPROF_PERIOD_BYTES,
             MPROF_PPROF_UNIT_BYTES);
    mpdata_protobuf_put_number(&w->message, MPROF_PPROF_PERIOD,
                               limit(period_of(&runs)));
    mpdata_protobuf_put_number(&w->message, MPROF_PPROF_COMMENT,
                               mpdata_pprof_places_text(&w->places, comment));
    put_sampled(w);
    if (is_written(w, w->what->metric))
        mpdata_protobuf_put_number(
            &w->message, MPROF_PPROF_DEFAULT_TYPE,
            mpdata_pprof_places_text(
                &w->places,
                heap != NULL ? heap : mpdata_metrics[w->what->metric].name));
    flush(w);
}

static enum mprof_err write_profile(struct writer *w)
{
    if (mpdata_run_totals(&w->view, &w->runs) != MPROF_E_OK || !find_threads(w))
        return MPROF_E_NOMEM;
    if (w->what->old != NULL) {
        const struct mpdata_view old = mpdata_profile_view(w->what->old);

        if (mpdata_run_totals(&old, &w->before) != MPROF_E_OK)
            return MPROF_E_NOMEM;
    }
    w->totals = mpdata_profile_totals(&w->view);
    choose_types(w);
    write_types(w);
    for (uint32_t i = 0;
         i < w->view.context_count && !w->sink->failed && !w->places.failed;
         i++) {
        if (mpdata_metrics_value(&w->view, i, MPDATA_METRIC_BLOCKS) != 0)
            write_samples(w, &w->view.contexts[i]);
    }
    write_rest(w);
    mpdata_pprof_places_write(&w->places, w->sink);
    return w->places.failed || w->message.failed || w->row.failed ||
                   w->part.failed
               ? MPROF_E_NOMEM
               : MPROF_E_OK;
}

static enum mprof_err write_file(const struct mpdata_export *what, bool is_go,
                                 struct mpdata_sink *sink)
{
    struct mpdata_gzip *gzip = mpdata_gzip_new(sink);
    struct mpdata_sink packed;
    struct writer w = {.what = what,
                       .is_go = is_go,
                       .view = mpdata_profile_view(what->profile),
                       .sink = &packed};

    if (gzip == NULL)
        return MPROF_E_NOMEM;
    packed = mpdata_gzip_sink(gzip);
    mpdata_heapbuf_init(&w.message);
    mpdata_heapbuf_init(&w.row);
    mpdata_heapbuf_init(&w.part);
    mpdata_pprof_places_init(&w.places, what);
    w.places.has_addresses = is_go;
    enum mprof_err err = write_profile(&w);
    mpdata_pprof_places_fini(&w.places);
    free(w.threads);
    free(w.next);
    mpdata_heapbuf_fini(&w.part);
    mpdata_heapbuf_fini(&w.row);
    mpdata_heapbuf_fini(&w.message);
    mpdata_gzip_finish(gzip);
    return err;
}

enum mprof_err mpdata_pprof_write(const struct mpdata_export *what,
                                  struct mpdata_sink *sink)
{
    return write_file(what, false, sink);
}

enum mprof_err mpdata_pprof_go_write(const struct mpdata_export *what,
                                     struct mpdata_sink *sink)
{
    return write_file(what, true, sink);
}
