/* json_parts.c -- see json_parts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/json_parts.h"
#include "profdata/export/pieces.h"
#include "profdata/base/sink.h"
#include "profdata/model/run_columns.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

bool mpdata_json_parts_init(struct mpdata_json_parts *parts,
                            const struct mpdata_export *what,
                            struct mpdata_sink *sink)
{
    parts->what = what;
    parts->view = mpdata_profile_view(what->profile);
    parts->stack = (struct mpdata_vec){.elem_bytes = sizeof(uint32_t)};
    parts->failed = !mpdata_json_out_init(&parts->json, sink);
    return !parts->failed;
}

enum mprof_err mpdata_json_parts_fini(struct mpdata_json_parts *parts)
{
    mpdata_json_out_fini(&parts->json);
    mpdata_vec_fini(&parts->stack);
    return parts->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

void mpdata_json_parts_open_array(struct mpdata_json_parts *parts,
                                  const char *key)
{
    mpdata_json_out_line(&parts->json);
    mpdata_json_out_array_of(&parts->json, key);
}

void mpdata_json_parts_path(struct mpdata_json_parts *parts, mpdata_ref path)
{
    size_t size = 0;
    char *const text =
        mpdata_profile_path_string(parts->what->profile, path, &size);

    parts->failed |= text == NULL;
    mpdata_json_out_text(&parts->json, text != NULL ? text : "", size);
    free(text);
}

void mpdata_json_parts_name(struct mpdata_json_parts *parts,
                            const struct mpdata_frame *frame)
{
    char *const text = mpdata_frame_names_text(parts->what->names, frame);

    parts->failed |= text == NULL;
    mpdata_json_out_text(&parts->json, text != NULL ? text : "",
                         text != NULL ? strlen(text) : 0);
    free(text);
}

/* Does an earlier run have the same executable? */
static bool is_repeated(const struct mpdata_view *view, uint32_t run)
{
    uint32_t i = 0;

    while (i < run && view->runs[i].executable != view->runs[run].executable)
        i++;
    return i < run;
}

void mpdata_json_parts_programs(struct mpdata_json_parts *parts)
{
    struct mprof_buf all;

    mpdata_heapbuf_init(&all);
    for (uint32_t i = 0; i < parts->view.run_count; i++) {
        const mpdata_ref path = parts->view.runs[i].executable;
        size_t size = 0;

        if (path == 0 || is_repeated(&parts->view, i))
            continue;
        char *text =
            mpdata_profile_path_string(parts->what->profile, path, &size);
        parts->failed |= text == NULL;
        if (all.size != 0)
            mprof_buf_bytes(&all, ", ", 2);
        mprof_buf_bytes(&all, text != NULL ? text : "", size);
        free(text);
    }
    parts->failed |= all.failed;
    mpdata_json_out_text(&parts->json,
                         all.size != 0 ? (const char *)all.data : "", all.size);
    mpdata_heapbuf_fini(&all);
}

uint32_t *mpdata_json_parts_stack(struct mpdata_json_parts *parts,
                                  mpdata_ref node, uint32_t *count)
{
    parts->failed |= !mpdata_pieces_stack(&parts->view, node, &parts->stack);
    *count = parts->stack.count;
    return (uint32_t *)parts->stack.data;
}

uint64_t mpdata_json_parts_pid(const struct mpdata_json_parts *parts)
{
    const struct mpdata_view *const view = &parts->view;
    uint64_t pid = view->run_count != 0 ? view->runs[0].pid : 0;

    for (uint32_t i = 1; i < view->run_count; i++)
        pid = view->runs[i].pid == pid ? pid : 0;
    return pid;
}

bool mpdata_json_parts_has_unknown(const struct mpdata_json_parts *parts)
{
    uint32_t i = 0;

    while (i < parts->view.context_count && parts->view.contexts[i].node != 0)
        i++;
    return i < parts->view.context_count;
}

/* -- optional members ------------------------------------------------------ */

void mpdata_json_parts_opt_ref(struct mpdata_json_parts *parts, const char *key,
                               mpdata_ref ref)
{
    if (ref != 0)
        mpdata_json_out_number_of(&parts->json, key, ref - 1);
}

void mpdata_json_parts_opt_path(struct mpdata_json_parts *parts,
                                const char *key, mpdata_ref path)
{
    if (path == 0)
        return;
    mpdata_json_out_key(&parts->json, key);
    mpdata_json_parts_path(parts, path);
}

void mpdata_json_parts_opt_string(struct mpdata_json_parts *parts,
                                  const char *key, mpdata_string string)
{
    const struct mpdata_str *const s = &parts->view.strings[string];

    if (s->size == 0)
        return;
    mpdata_json_out_string_of(&parts->json, key, s);
}

/* -- tables ---------------------------------------------------------------- */

void mpdata_json_parts_metrics(struct mpdata_json_parts *parts,
                               const struct mprof_mib *totals)
{
    mpdata_json_parts_open_array(parts, "metrics");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        const struct mpdata_metric_row *const row = &mpdata_metrics[m];
        size_t variance;

        if (!parts->what->held[m])
            continue;
        mpdata_json_out_row(&parts->json);
        mpdata_json_out_text_of(&parts->json, "name", row->name);
        mpdata_json_out_text_of(
            &parts->json, "title",
            mpdata_pieces_title(parts->what, (enum mpdata_metric)m));
        mpdata_json_out_text_of(&parts->json, "field",
                                mprof_mib_fields[row->field].name);
        mpdata_json_out_text_of(&parts->json, "unit",
                                mprof_mib_fields[row->field].unit);
        mpdata_json_out_number_of(
            &parts->json, "total",
            mpdata_metrics_get(totals, (enum mpdata_metric)m));
        if (mpdata_metrics_variance(totals, (enum mpdata_metric)m, &variance))
            mpdata_json_out_text_of(&parts->json, "variance",
                                    mprof_mib_fields[variance].name);
        mpdata_json_out_close_map(&parts->json);
    }
    mpdata_json_out_close_array(&parts->json);
}

void mpdata_json_parts_fields(struct mpdata_json_parts *parts,
                              const bool is_held[MPROF_MIB_FIELDS],
                              const struct mprof_mib *totals)
{
    static const char *const merges[] = {[MPROF_MERGE_SUM] = "sum",
                                         [MPROF_MERGE_MIN] = "min",
                                         [MPROF_MERGE_MAX] = "max",
                                         [MPROF_MERGE_NONE] = "none"};

    mpdata_json_parts_open_array(parts, "fields");
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        if (!is_held[f])
            continue;
        mpdata_json_out_row(&parts->json);
        mpdata_json_out_text_of(&parts->json, "name", mprof_mib_fields[f].name);
        mpdata_json_out_text_of(&parts->json, "unit", mprof_mib_fields[f].unit);
        mpdata_json_out_text_of(&parts->json, "merge",
                                merges[mprof_mib_fields[f].merge]);
        mpdata_json_out_text_of(&parts->json, "help", mprof_mib_fields[f].help);
        mpdata_json_out_number_of(&parts->json, "total",
                                  mprof_mib_get(totals, f));
        mpdata_json_out_close_map(&parts->json);
    }
    mpdata_json_out_close_array(&parts->json);
}

static const char *run_kind(uint32_t kind)
{
    static const char *const names[] = {
#define X(number, name, help) [number] = #name,
        MPROF_RUN_KINDS(X)
#undef X
    };

    return kind < MPROF_ARRAY_LEN(names) ? names[kind] : "";
}

static void put_run(struct mpdata_json_parts *parts, uint32_t i)
{
    const struct mpdata_run *const run = &parts->view.runs[i];

#define PUT_ID(key, id) mpdata_json_out_known_id(&parts->json, key, id);
#define PUT_NUMBER(key, n) mpdata_json_out_known_number(&parts->json, key, n);
#define PUT_BIT PUT_NUMBER
#define PUT_PATH(key, path) mpdata_json_parts_opt_path(parts, key, path);
#define PUT_STRING(key, text) mpdata_json_parts_opt_string(parts, key, text);
#define PUT_KIND(key, kind) \
    mpdata_json_out_text_of(&parts->json, key, run_kind(kind));
#define X(column, member, kind) PUT_##kind(#member, run->member)
    MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
}

void mpdata_json_parts_runs(struct mpdata_json_parts *parts)
{
    mpdata_json_parts_open_array(parts, "runs");
    for (uint32_t i = 0; i < parts->view.run_count; i++) {
        mpdata_json_out_row(&parts->json);
        put_run(parts, i);
        mpdata_json_out_close_map(&parts->json);
    }
    mpdata_json_out_close_array(&parts->json);
}
