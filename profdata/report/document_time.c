/* document_time.c -- writes series, distributions and links in columns.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document_parts.h"
#include "profdata/model/details.h"
#include "shared/raw_format.h"

#include <stddef.h>

/* -- over time ------------------------------------------------------------- */

static uint64_t member_of(const void *row, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)row + offset);
}

/* Writes a column of a member over all samples; omits it if all are 0. */
static void put_samples(struct mpdata_json_parts *parts,
                        const struct mpdata_series *series, const char *key,
                        size_t offset)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < series->sample_count; i++)
        bits |= member_of(&series->samples[i], offset);
    if (bits == 0)
        return;
    mpdata_json_parts_open_array(parts, key);
    for (uint32_t i = 0; i < series->sample_count; i++)
        mpdata_json_out_number(&parts->json,
                               member_of(&series->samples[i], offset));
    mpdata_json_out_close_array(&parts->json);
}

static void put_mark(struct mpdata_json_parts *parts,
                     const struct mpdata_mark *mark)
{
    const char *const key =
        mark->kind == MPROF_RAW_MARK_PHASE ? "phase" : "mark";

    mpdata_json_out_row(&parts->json);
    mpdata_json_out_number_of(&parts->json, "ns", mark->ns);
    mpdata_json_out_number_of(&parts->json, "bytes", mark->bytes);
    if (mark->name != 0) {
        mpdata_json_parts_opt_string(parts, key, mark->name);
    } else {
        mpdata_json_out_key(&parts->json, key);
        mpdata_json_out_null(&parts->json);
    }
    mpdata_json_out_close_map(&parts->json);
}

/* Writes the index of the run, which has start, duration and peak. */
static void put_run_index(struct mpdata_json_parts *parts, uint64_t run_id)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < parts->view.run_count; i++) {
        if (parts->view.runs[i].run_id == run_id &&
            parts->view.runs[i].has_live)
            found = i + 1;
    }
    mpdata_json_parts_opt_ref(parts, "run", found);
}

static void put_series(struct mpdata_json_parts *parts,
                       const struct mpdata_series *series)
{
    static const struct {
        const char *key;
        size_t offset;
    } columns[] = {{"ns", offsetof(struct mpdata_sample, ns)},
                   {"bytes", offsetof(struct mpdata_sample, bytes)},
                   {"most", offsetof(struct mpdata_sample, most)},
                   {"blocks", offsetof(struct mpdata_sample, blocks)},
                   {"rss", offsetof(struct mpdata_sample, rss)},
                   {"mapped", offsetof(struct mpdata_sample, mapped)}};

    mpdata_json_out_row(&parts->json);
    put_run_index(parts, series->run_id);
    mpdata_json_out_number_of(&parts->json, "step_ns", series->step_ns);
    mpdata_json_out_number_of(&parts->json, "slots", series->sample_count);
    mpdata_json_out_known_number(&parts->json, "dropped_marks",
                                 series->dropped_marks);
    for (size_t k = 0; k < MPROF_ARRAY_LEN(columns); k++)
        put_samples(parts, series, columns[k].key, columns[k].offset);
    mpdata_json_parts_open_array(parts, "marks");
    for (uint32_t i = 0; i < series->mark_count; i++)
        put_mark(parts, &series->marks[i]);
    mpdata_json_out_close_array(&parts->json);
    mpdata_json_out_close_map(&parts->json);
}

void mpdata_document_time_series(struct mpdata_json_parts *parts)
{
    mpdata_json_parts_open_array(parts, "series");
    for (uint32_t i = 0; i < parts->view.series_count; i++) {
        if (parts->view.series[i].sample_count != 0)
            put_series(parts, &parts->view.series[i]);
    }
    mpdata_json_out_close_array(&parts->json);
}

/* -- distributions --------------------------------------------------------- */

static bool has_spread(const struct mpdata_view *view, uint32_t kind)
{
    for (uint32_t i = 0; i < view->detail_count; i++) {
        if (view->details[i].kind == kind)
            return true;
    }
    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(view, i);

        if (mprof_detail_only(&mib, kind) != MPROF_DETAIL_BUCKETS)
            return true;
    }
    return false;
}

/* Writes by context: the index + 1 of the bucket with all its blocks; 0 if
 * there are several. */
static void put_only(struct mpdata_json_parts *parts, uint32_t kind)
{
    mpdata_json_parts_open_array(parts, "only");
    for (uint32_t i = 0; i < parts->view.context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(&parts->view, i);
        const uint32_t only = mprof_detail_only(&mib, kind);

        mpdata_json_out_number(&parts->json, only != MPROF_DETAIL_BUCKETS
                                                 ? only + UINT64_C(1)
                                                 : 0);
    }
    mpdata_json_out_close_array(&parts->json);
}

enum column { CONTEXT, KEY, FROM, TO, COUNT, BYTES };

static uint64_t detail_column(const struct mpdata_detail *detail,
                              uint32_t context, enum column column)
{
    switch (column) {
    case CONTEXT:
        return context;
    case KEY:
        return detail->key;
    case FROM:
        return mpdata_moments_from(detail->key);
    case TO:
        return mpdata_moments_to(detail->key);
    case COUNT:
        return detail->count;
    case BYTES:
        return detail->bytes;
    }
    return 0;
}

/* Writes a column of the distributions of a kind, in the order of contexts. */
static void put_details(struct mpdata_json_parts *parts, uint32_t kind,
                        const char *key, enum column column)
{
    const struct mpdata_view *const view = &parts->view;

    mpdata_json_parts_open_array(parts, key);
    for (uint32_t i = 0; view->detail_count != 0 && i < view->context_count;
         i++) {
        const struct mpdata_details details =
            mpdata_details_of(view, &view->contexts[i], kind);

        for (uint32_t k = 0; k < details.count; k++)
            mpdata_json_out_number(&parts->json,
                                   detail_column(&details.rows[k], i, column));
    }
    mpdata_json_out_close_array(&parts->json);
}

static void put_spread(struct mpdata_json_parts *parts, const char *key,
                       uint32_t kind)
{
    if (!has_spread(&parts->view, kind))
        return;
    mpdata_json_out_map_of(&parts->json, key);
    put_only(parts, kind);
    put_details(parts, kind, "context", CONTEXT);
    put_details(parts, kind, "bucket", KEY);
    put_details(parts, kind, "count", COUNT);
    mpdata_json_out_close_map(&parts->json);
}

void mpdata_document_time_spreads(struct mpdata_json_parts *parts)
{
    mpdata_json_out_map_of(&parts->json, "spreads");
    put_spread(parts, "size", MPROF_DETAIL_SIZE);
    put_spread(parts, "lifetime", MPROF_DETAIL_LIFETIME);
    mpdata_json_out_close_map(&parts->json);
}

/* -- links ----------------------------------------------------------------- */

static void put_links(struct mpdata_json_parts *parts, const char *key,
                      uint32_t kind)
{
    mpdata_json_out_map_of(&parts->json, key);
    put_details(parts, kind, "context", CONTEXT);
    put_details(parts, kind, "node", KEY);
    put_details(parts, kind, "count", COUNT);
    put_details(parts, kind, "bytes", BYTES);
    mpdata_json_out_close_map(&parts->json);
}

void mpdata_document_time_links(struct mpdata_json_parts *parts)
{
    mpdata_json_out_map_of(&parts->json, "links");
    put_links(parts, "realloc", MPROF_DETAIL_REALLOC);
    put_links(parts, "free", MPROF_DETAIL_FREE);
    mpdata_json_out_close_map(&parts->json);
}

/* -- moments --------------------------------------------------------------- */

void mpdata_document_time_moments(struct mpdata_json_parts *parts,
                                  const uint64_t *ns, uint32_t count)
{
    if (count == 0)
        return;
    mpdata_json_out_map_of(&parts->json, "moments");
    mpdata_json_parts_open_array(parts, "ns");
    for (uint32_t i = 0; i < count; i++)
        mpdata_json_out_number(&parts->json, ns[i]);
    mpdata_json_out_close_array(&parts->json);
    put_details(parts, MPDATA_DETAIL_MOMENTS, "context", CONTEXT);
    put_details(parts, MPDATA_DETAIL_MOMENTS, "from", FROM);
    put_details(parts, MPDATA_DETAIL_MOMENTS, "to", TO);
    put_details(parts, MPDATA_DETAIL_MOMENTS, "blocks", COUNT);
    put_details(parts, MPDATA_DETAIL_MOMENTS, "bytes", BYTES);
    mpdata_json_out_close_map(&parts->json);
}
