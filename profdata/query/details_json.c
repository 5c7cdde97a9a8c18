/* details_json.c -- writes distributions of call stacks and the memory of runs
 * over time as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/details_json.h"
#include "profdata/model/details.h"
#include "profdata/model/series.h"
#include "shared/raw_format.h"

/* Writes pairs: the lower bound of a bucket and the number of its blocks. */
static void put_buckets(struct mpdata_json_out *json, const char *key,
                        const struct mpdata_view *view,
                        const struct mpdata_context *c, uint32_t kind)
{
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    if (mpdata_details_buckets(view, c, kind, counts) == 0)
        return;
    mpdata_json_out_array_of(json, key);
    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++) {
        if (counts[i] == 0)
            continue;
        mpdata_json_out_pair(json, mprof_detail_low(i), counts[i]);
    }
    mpdata_json_out_close_array(json);
}

static void put_stack(struct mpdata_json_out *json,
                      const struct mpdata_view *view, mpdata_ref node)
{
    mpdata_json_out_array_of(json, "stack");
    for (mpdata_ref n = node; n != 0; n = view->nodes[n - 1].parent)
        mpdata_json_out_number(json, view->nodes[n - 1].frame);
    mpdata_json_out_close_array(json);
}

static void put_links(struct mpdata_json_out *json, const char *key,
                      const struct mpdata_view *view,
                      const struct mpdata_context *c, uint32_t kind)
{
    const struct mpdata_details links = mpdata_details_of(view, c, kind);

    if (links.count == 0)
        return;
    mpdata_json_out_array_of(json, key);
    for (uint32_t i = 0; i < links.count; i++) {
        mpdata_json_out_open_map(json);
        mpdata_json_out_number_of(json, "blocks", links.rows[i].count);
        mpdata_json_out_number_of(json, "bytes", links.rows[i].bytes);
        put_stack(json, view, links.rows[i].key);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

void mpdata_details_json(struct mpdata_json_out *json,
                         const struct mpdata_view *view,
                         const struct mpdata_context *c)
{
    put_buckets(json, "sizes", view, c, MPROF_DETAIL_SIZE);
    put_buckets(json, "lifetimes", view, c, MPROF_DETAIL_LIFETIME);
    put_links(json, "reallocated_by", view, c, MPROF_DETAIL_REALLOC);
    put_links(json, "freed_by", view, c, MPROF_DETAIL_FREE);
    put_links(json, "held_by", view, c, MPROF_DETAIL_HOLDER);
}

/* -- runs over time ------------------------------------------------------------ */

static void put_sample(struct mpdata_json_out *json,
                       const struct mpdata_sample *sample)
{
    mpdata_json_out_open_map(json);
    mpdata_json_out_number_of(json, "ns", sample->ns);
    mpdata_json_out_number_of(json, "bytes", sample->bytes);
    mpdata_json_out_number_of(json, "most", sample->most);
    mpdata_json_out_number_of(json, "blocks", sample->blocks);
    mpdata_json_out_known_number(json, "rss", sample->rss);
    mpdata_json_out_close_map(json);
}

static void put_mark(struct mpdata_json_out *json,
                     const struct mpdata_view *view,
                     const struct mpdata_mark *mark)
{
    const struct mpdata_str *const name = &view->strings[mark->name];

    mpdata_json_out_open_map(json);
    mpdata_json_out_number_of(json, "ns", mark->ns);
    mpdata_json_out_key(json,
                        mark->kind == MPROF_RAW_MARK_PHASE ? "phase" : "mark");
    if (mark->name != 0)
        mpdata_json_out_text(json, name->bytes, name->size);
    else
        mpdata_json_out_null(json);
    mpdata_json_out_number_of(json, "bytes", mark->bytes);
    mpdata_json_out_close_map(json);
}

void mpdata_details_json_series(struct mpdata_json_out *json,
                                const struct mpdata_view *view,
                                const struct mpdata_series *series)
{
    mpdata_json_out_id_of(json, "run_id", series->run_id);
    mpdata_json_out_known_number(json, "step_ns", series->step_ns);
    mpdata_json_out_known_number(json, "dropped_marks", series->dropped_marks);
    mpdata_json_out_array_of(json, "samples");
    for (uint32_t i = 0; i < series->sample_count; i++)
        put_sample(json, &series->samples[i]);
    mpdata_json_out_close_array(json);
    mpdata_json_out_array_of(json, "marks");
    for (uint32_t i = 0; i < series->mark_count; i++)
        put_mark(json, view, &series->marks[i]);
    mpdata_json_out_close_array(json);
}
