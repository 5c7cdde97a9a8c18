/* frame_json.c -- writes frames and call stacks as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frame_json.h"
#include "profdata/base/build_id.h"
#include "shared/index_format.h"
#include "profdata/model/details.h"
#include "profdata/model/series.h"
#include "shared/raw_format.h"

#include <stdlib.h>
#include <string.h>

static void put_path(struct mpdata_frame_json *from,
                     struct mpdata_json_out *json, const char *key,
                     mpdata_ref path)
{
    char *const text = mpdata_profile_path_string(from->profile, path, NULL);

    from->failed |= text == NULL;
    mpdata_json_out_known_text(json, key, text != NULL ? text : "");
    free(text);
}

static void put_binary(struct mpdata_frame_json *from,
                       struct mpdata_json_out *json,
                       const struct mpdata_frame *frame)
{
    const struct mpdata_binary *binary;
    const struct mpdata_str *build_id;
    char id[MPDATA_BUILD_ID_TEXT_BYTES];

    if (frame->binary == 0)
        return;
    binary = &from->view.binaries[frame->binary - 1];
    build_id = &from->view.strings[binary->build_id];
    put_path(from, json, "binary", binary->path);
    if (build_id->size != 0)
        mpdata_json_out_known_text(
            json, "build_id",
            mpdata_build_id_text(build_id->bytes, build_id->size, id));
}

static void put_function(struct mpdata_frame_json *from,
                         struct mpdata_json_out *json,
                         const struct mpdata_frame *frame)
{
    char *const name = mpdata_frame_names_text(from->names, frame);
    const char *const linkage =
        frame->function != 0 ? mpdata_frame_names_linkage(from->names, frame)
                             : "";

    from->failed |= name == NULL;
    mpdata_json_out_known_text(json, "function", name != NULL ? name : "");
    if (name != NULL && strcmp(linkage, name) != 0)
        mpdata_json_out_known_text(json, "linkage_name", linkage);
    free(name);
}

static void put_address(struct mpdata_frame_json *from,
                        struct mpdata_json_out *json,
                        const struct mpdata_frame *frame)
{
    put_binary(from, json, frame);
    mpdata_json_out_id_of(json, "address", frame->address);
}

void mpdata_frame_json_members(struct mpdata_frame_json *from,
                               struct mpdata_json_out *json, uint32_t frame,
                               enum mpdata_by by)
{
    const struct mpdata_frame *const f = &from->view.frames[frame];

    if (by == MPDATA_BY_BINARY) {
        put_binary(from, json, f);
        return;
    }
    if (by != MPDATA_BY_FILE || (f->path == 0 && f->function != 0))
        put_function(from, json, f);
    if (f->function == 0) {
        (by == MPDATA_BY_FILE ? put_binary : put_address)(from, json, f);
        return;
    }
    put_path(from, json, "file", f->path);
    if (by == MPDATA_BY_LINE || by == MPDATA_BY_CALL || by == MPDATA_BY_STACK)
        mpdata_json_out_known_number(json, "line", f->line);
    if (by != MPDATA_BY_STACK)
        return;
    mpdata_json_out_known_number(json, "column", f->column);
    mpdata_json_out_known_flag(json, "inlined",
                               (f->flags & MPROF_ENTRY_FL_INLINE) != 0);
}

void mpdata_frame_json_stack(struct mpdata_frame_json *from,
                             struct mpdata_json_out *json, mpdata_ref node)
{
    const struct mpdata_node *const nodes = from->view.nodes;

    mpdata_json_out_array_of(json, "stack");
    for (mpdata_ref at = node; at != 0; at = nodes[at - 1].parent) {
        mpdata_json_out_open_map(json);
        mpdata_frame_json_members(from, json, nodes[at - 1].frame,
                                  MPDATA_BY_STACK);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

/* -- distributions --------------------------------------------------------- */

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

void mpdata_frame_json_numbers(struct mpdata_json_out *json,
                               const struct mpdata_view *view, mpdata_ref node)
{
    uint32_t frames[64];
    size_t count = 0;

    mpdata_json_out_array_of(json, "stack");
    for (mpdata_ref n = node; n != 0; n = view->nodes[n - 1].parent) {
        if (count == MPROF_ARRAY_LEN(frames)) {
            mpdata_json_out_numbers(json, frames, count);
            count = 0;
        }
        frames[count++] = view->nodes[n - 1].frame;
    }
    mpdata_json_out_numbers(json, frames, count);
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
        mpdata_frame_json_numbers(json, view, links.rows[i].key);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void put_idle(struct mpdata_json_out *json, const char *key,
                     const struct mpdata_view *view,
                     const struct mpdata_context *c, uint32_t kind)
{
    const struct mpdata_details rows = mpdata_details_of(view, c, kind);

    if (rows.count == 0)
        return;
    mpdata_json_out_array_of(json, key);
    for (uint32_t i = 0; i < rows.count; i++) {
        mpdata_json_out_open_map(json);
        mpdata_json_out_number_of(json, "ns",
                                  mprof_detail_fine_low(rows.rows[i].key));
        mpdata_json_out_number_of(json, "blocks", rows.rows[i].count);
        mpdata_json_out_number_of(json, "bytes", rows.rows[i].bytes);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void put_contents(struct mpdata_json_out *json, const char *key,
                         const struct mpdata_view *view,
                         const struct mpdata_context *c, uint32_t kind)
{
    const struct mpdata_details_contents contents =
        mpdata_details_contents(view, c, kind);

    if (contents.blocks == 0)
        return;
    mpdata_json_out_map_of(json, key);
    mpdata_json_out_number_of(json, "blocks", contents.blocks);
    mpdata_json_out_number_of(json, "bytes", contents.bytes);
    mpdata_json_out_number_of(json, "repeated_blocks",
                              contents.repeated_blocks);
    mpdata_json_out_number_of(json, "repeated_bytes", contents.repeated_bytes);
    mpdata_json_out_close_map(json);
}

void mpdata_frame_json_details(struct mpdata_json_out *json,
                               const struct mpdata_view *view,
                               const struct mpdata_context *c)
{
    put_buckets(json, "sizes", view, c, MPROF_DETAIL_SIZE);
    put_buckets(json, "lifetimes", view, c, MPROF_DETAIL_LIFETIME);
    put_links(json, "reallocated_by", view, c, MPROF_DETAIL_REALLOC);
    put_links(json, "freed_by", view, c, MPROF_DETAIL_FREE);
    put_links(json, "held_by", view, c, MPROF_DETAIL_HOLDER);
    put_links(json, "points_to", view, c, MPROF_DETAIL_LINK);
    put_idle(json, "idle", view, c, MPROF_DETAIL_IDLE);
    put_idle(json, "untouched", view, c, MPROF_DETAIL_UNTOUCHED);
    put_contents(json, "freed_contents", view, c, MPROF_DETAIL_DUPLICATE);
    put_contents(json, "live_contents", view, c, MPROF_DETAIL_LIVE_DUPLICATE);
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
    mpdata_json_out_known_number(json, "mapped", sample->mapped);
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

void mpdata_frame_json_series(struct mpdata_json_out *json,
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
