/* json_write.c -- writes a profile as lossless JSON (json_form.h).
 *
 * Each row of a list starts a new line, so that profiles can be compared line
 * by line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json.h"
#include "profdata/base/json_out.h"
#include "profdata/json/json_form.h"
#include "profdata/model/details.h"
#include "shared/tag_format.h"
#include "shared/raw_format.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct mpdata_json_out json;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    bool failed;
};

static void put_row(struct writer *w, const struct mpdata_json_form_row *form,
                    const void *row);

/* -- values ------------------------------------------------------------------ */

static void put_path(struct writer *w, mpdata_ref path)
{
    size_t size = 0;
    char *const text = mpdata_profile_path_string(w->profile, path, &size);

    w->failed |= text == NULL;
    mpdata_json_out_exact(&w->json, text != NULL ? text : "", size);
    free(text);
}

static void put_stack(struct writer *w, mpdata_ref node)
{
    const struct mpdata_node *const nodes = w->view.nodes;

    mpdata_json_out_open_array(&w->json);
    for (mpdata_ref at = node; at != 0; at = nodes[at - 1].parent)
        mpdata_json_out_number(&w->json, nodes[at - 1].frame);
    mpdata_json_out_close_array(&w->json);
}

static void put_mib(struct writer *w, const struct mprof_mib *mib)
{
    mpdata_json_out_open_map(&w->json);
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_get(mib, i) != 0)
            mpdata_json_out_number_of(&w->json, mprof_mib_fields[i].name,
                                      mprof_mib_get(mib, i));
    }
    mpdata_json_out_close_map(&w->json);
}

static void put_detail(struct writer *w, const struct mpdata_detail *detail)
{
    struct mpdata_json_form_detail row = {.kind = detail->kind,
                                          .node = MPDATA_JSON_FORM_NO_STACK,
                                          .blocks = detail->count,
                                          .bytes = detail->bytes};

    if (mprof_detail_is_stack(detail->kind))
        row.node = detail->key;
    else if (mprof_detail_buckets(detail->kind) != 0)
        row.bucket = detail->key;
    else
        row.place = detail->key;
    put_row(w, &mpdata_json_form_detail, &row);
}

/* Writes a key and the list of distributions; nothing if there are none. */
static void put_details(struct writer *w, const char *key, mpdata_ref node)
{
    const struct mpdata_context context = {.node = node};
    bool is_open = false;

    for (uint32_t kind = 1; kind < MPROF_DETAIL_KINDS_END; kind++) {
        const struct mpdata_details details =
            mpdata_details_of(&w->view, &context, kind);

        if (details.count != 0 && !is_open)
            mpdata_json_out_array_of(&w->json, key);
        is_open |= details.count != 0;
        for (uint32_t i = 0; i < details.count; i++)
            put_detail(w, &details.rows[i]);
    }
    if (is_open)
        mpdata_json_out_close_array(&w->json);
}

static void put_samples(struct writer *w, const struct mpdata_series *series)
{
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < series->sample_count; i++) {
        const struct mpdata_sample *const sample = &series->samples[i];

        mpdata_json_out_open_array(&w->json);
        mpdata_json_out_number(&w->json, sample->ns);
        mpdata_json_out_number(&w->json, sample->bytes);
        mpdata_json_out_number(&w->json, sample->most);
        mpdata_json_out_number(&w->json, sample->blocks);
        mpdata_json_out_number(&w->json, sample->rss);
        if (sample->mapped != 0)
            mpdata_json_out_number(&w->json, sample->mapped);
        mpdata_json_out_close_array(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
}

static void put_marks(struct writer *w, const struct mpdata_series *series)
{
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < series->mark_count; i++)
        put_row(w, &mpdata_json_form_mark, &series->marks[i]);
    mpdata_json_out_close_array(&w->json);
}

static void put_blobs(struct writer *w, const struct mpdata_vec *blobs)
{
    const struct mpdata_bytes *const rows = blobs->data;

    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < blobs->count; i++)
        mpdata_json_out_hex(&w->json, rows[i].data, rows[i].size);
    mpdata_json_out_close_array(&w->json);
}

/* -- members ----------------------------------------------------------------- */

static bool is_left_out(const struct writer *w,
                        const struct mpdata_json_form_field *field,
                        const void *row, const void *member)
{
    switch (field->kind) {
    case MPDATA_JSON_FORM_STRING:
    case MPDATA_JSON_FORM_DIGITS:
        return w->view.strings[mpdata_member_get(field->member, row)].size == 0;
    case MPDATA_JSON_FORM_FLAG:
        return (mpdata_member_get(field->member, row) & field->flag) == 0;
    case MPDATA_JSON_FORM_STACK:
        return mpdata_member_get(field->member, row) ==
               MPDATA_JSON_FORM_NO_STACK;
    case MPDATA_JSON_FORM_HISTOGRAM:
        return ((const struct mpdata_cells *)member)->words == NULL;
    case MPDATA_JSON_FORM_MARKS:
        return ((const struct mpdata_series *)row)->mark_count == 0;
    case MPDATA_JSON_FORM_BLOB:
        return ((const struct mpdata_bytes *)member)->size == 0;
    case MPDATA_JSON_FORM_BLOBS:
        return ((const struct mpdata_vec *)member)->count == 0;
    case MPDATA_JSON_FORM_SKIPPED:
        return true;
    case MPDATA_JSON_FORM_MIB:
    case MPDATA_JSON_FORM_SAMPLES:
        return false;
    default:
        return mpdata_member_get(field->member, row) == 0;
    }
}

static void put_text(struct writer *w, const struct mpdata_str *text)
{
    mpdata_json_out_exact(&w->json, text->bytes, text->size);
}

static void put_value(struct writer *w,
                      const struct mpdata_json_form_field *field,
                      const void *row, const void *member)
{
    const bool is_number = field->member.bytes <= sizeof(uint64_t);
    const uint64_t number =
        is_number ? mpdata_member_get(field->member, row) : 0;
    const struct mpdata_bytes *const blob = member;
    const char *text;

    switch (field->kind) {
    case MPDATA_JSON_FORM_NUMBER:
    case MPDATA_JSON_FORM_BIT:
        mpdata_json_out_number(&w->json, number);
        break;
    case MPDATA_JSON_FORM_ID:
        mpdata_json_out_id(&w->json, number);
        break;
    case MPDATA_JSON_FORM_STRING:
        put_text(w, &w->view.strings[number]);
        break;
    case MPDATA_JSON_FORM_DIGITS:
        mpdata_json_out_hex(&w->json, w->view.strings[number].bytes,
                            w->view.strings[number].size);
        break;
    case MPDATA_JSON_FORM_PATH:
        put_path(w, (mpdata_ref)number);
        break;
    case MPDATA_JSON_FORM_FUNCTION:
    case MPDATA_JSON_FORM_BINARY:
        mpdata_json_out_number(&w->json, number - 1);
        break;
    case MPDATA_JSON_FORM_FLAG:
        mpdata_json_out_bool(&w->json, true);
        break;
    case MPDATA_JSON_FORM_STACK:
        put_stack(w, (mpdata_ref)number);
        break;
    case MPDATA_JSON_FORM_MIB:
        put_mib(w, member);
        break;
    case MPDATA_JSON_FORM_HISTOGRAM:
        mpdata_cells_json(&w->json, *(const struct mpdata_cells *)member,
                          false);
        break;
    case MPDATA_JSON_FORM_PART_KIND:
        text = mprof_tag_kind_text(number);
        mpdata_json_out_text(&w->json, text, strlen(text));
        break;
    case MPDATA_JSON_FORM_SAMPLES:
        put_samples(w, row);
        break;
    case MPDATA_JSON_FORM_MARKS:
        put_marks(w, row);
        break;
    case MPDATA_JSON_FORM_BLOB:
        mpdata_json_out_hex(&w->json, blob->data, blob->size);
        break;
    case MPDATA_JSON_FORM_BLOBS:
        put_blobs(w, member);
        break;
    case MPDATA_JSON_FORM_DETAILS:
    case MPDATA_JSON_FORM_SKIPPED:
        break;
    }
}

static void put_row(struct writer *w, const struct mpdata_json_form_row *form,
                    const void *row)
{
    mpdata_json_out_open_map(&w->json);
    for (size_t i = 0; i < form->count; i++) {
        const struct mpdata_json_form_field *const field = &form->fields[i];
        const void *const member = (const uint8_t *)row + field->member.offset;

        if (field->kind == MPDATA_JSON_FORM_DETAILS) {
            put_details(w, field->name, *(const mpdata_ref *)member);
        } else if (!is_left_out(w, field, row, member)) {
            if (field->kind == MPDATA_JSON_FORM_BLOBS)
                mpdata_json_out_line(&w->json);
            mpdata_json_out_key(&w->json, field->name);
            put_value(w, field, row, member);
        }
    }
    mpdata_json_out_close_map(&w->json);
}

/* -- lists ------------------------------------------------------------------- */

static void put_list(struct writer *w, const char *key,
                     const struct mpdata_json_form_row *form, const void *rows,
                     uint32_t count, size_t row_bytes)
{
    if (count == 0)
        return;
    mpdata_json_out_line(&w->json);
    mpdata_json_out_array_of(&w->json, key);
    for (uint32_t i = 0; i < count; i++) {
        mpdata_json_out_line(&w->json);
        put_row(w, form, (const uint8_t *)rows + i * row_bytes);
    }
    mpdata_json_out_close_array(&w->json);
}

static void put_contexts(struct writer *w)
{
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        const struct mpdata_context *const c = &w->view.contexts[i];
        const struct mpdata_json_form_context row = {
            .node = c->node,
            .flags = c->flags,
            .mib = mpdata_view_mib(&w->view, i),
            .cells = c->cells};

        mpdata_json_out_line(&w->json);
        put_row(w, &mpdata_json_form_context, &row);
    }
}

static void put_tagged_rows(struct writer *w)
{
    for (uint32_t i = 0; i < w->view.tagged_count; i++) {
        const struct mpdata_tagged *const p = &w->view.tagged_rows[i];
        const struct mpdata_json_form_context row = {
            .kind = p->kind,
            .name = p->name,
            .node = p->node,
            .flags = p->flags,
            .mib = mpdata_view_tagged_mib(&w->view, i)};

        mpdata_json_out_line(&w->json);
        put_row(w, &mpdata_json_form_tagged, &row);
    }
}

/* Writes a list whose rows are made one by one. */
static void put_made(struct writer *w, const char *key, uint32_t count,
                     void (*put)(struct writer *w))
{
    if (count == 0)
        return;
    mpdata_json_out_line(&w->json);
    mpdata_json_out_array_of(&w->json, key);
    put(w);
    mpdata_json_out_close_array(&w->json);
}

static void put_counters(struct writer *w,
                         const struct mpdata_counters *counters)
{
    const uint64_t word = mpdata_counters_write_version(counters);
    struct mpdata_counters row = *counters;

    row.version = word & ~MPROF_INDEX_VARIANT_MASK;
    row.variant = word & MPROF_INDEX_VARIANT_MASK;
    mpdata_json_out_line(&w->json);
    mpdata_json_out_key(&w->json, "Counters");
    put_row(w, &mpdata_json_form_counters, &row);
}

static void put_document(struct writer *w,
                         const struct mpdata_content *canonical)
{
    const struct mpdata_view *const v = &w->view;

    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_number_of(&w->json, MPDATA_JSON_FORM_VERSION_KEY,
                              v->unit_cells == 0 ? MPDATA_JSON_FORM_VERSION
                              : v->unit_cells == MPROF_RAW_CELLS_MEMBERS
                                  ? MPDATA_JSON_FORM_VERSION_MEMBERS
                                  : MPDATA_JSON_FORM_VERSION_FIELDS);
#define LIST(key, form, rows, count)                              \
    put_list(w, key, &mpdata_json_form_##form, v->rows, v->count, \
             sizeof(*v->rows))
    LIST("Runs", run, runs, run_count);
    LIST("Binaries", binary, binaries, binary_count);
    LIST("Functions", function, functions, function_count);
    LIST("Frames", frame, frames, frame_count);
    put_made(w, "Contexts", v->context_count, put_contexts);
    LIST("Series", series, series, series_count);
    put_made(w, "Parts", v->tagged_count, put_tagged_rows);
#undef LIST
    if (canonical->counters.is_present)
        put_counters(w, &canonical->counters);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_line(&w->json);
}

enum mprof_err mpdata_json_write_content(const struct mpdata_content *canonical,
                                         struct mpdata_sink *out)
{
    struct writer w = {.profile = canonical->profile,
                       .view = mpdata_profile_view(canonical->profile)};

    if (mpdata_profile_status(canonical->profile) != MPROF_E_OK)
        return mpdata_profile_status(canonical->profile);
    if (mpdata_json_out_init(&w.json, out))
        put_document(&w, canonical);
    else
        w.failed = true;
    mpdata_json_out_fini(&w.json);
    return w.failed || out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
