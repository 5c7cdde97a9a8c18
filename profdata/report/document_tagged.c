/* document_tagged.c -- writes threads and pools in columns.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document_parts.h"
#include "shared/tag_format.h"

#include <stdlib.h>

typedef uint64_t value_fn(const struct mpdata_json_parts *parts, uint32_t part,
                          const void *how);

static bool is_of(const struct mpdata_json_parts *parts, uint32_t i,
                  enum mprof_tag_kind kind)
{
    return parts->view.tagged_rows[i].kind == (uint32_t)kind;
}

static void put_column(struct mpdata_json_parts *parts,
                       enum mprof_tag_kind kind, const char *key,
                       value_fn *value, const void *how)
{
    mpdata_json_parts_open_array(parts, key);
    for (uint32_t i = 0; i < parts->view.tagged_count; i++) {
        if (is_of(parts, i, kind))
            mpdata_json_out_number(&parts->json, value(parts, i, how));
    }
    mpdata_json_out_close_array(&parts->json);
}

static uint64_t name_of(const struct mpdata_json_parts *parts, uint32_t part,
                        const void *how)
{
    const uint32_t *const names = how;

    return names[parts->view.tagged_rows[part].name];
}

static uint64_t node_of(const struct mpdata_json_parts *parts, uint32_t part,
                        const void *how)
{
    (void)how;
    return parts->view.tagged_rows[part].node;
}

/* `how`: context by node. */
static uint64_t context_of(const struct mpdata_json_parts *parts, uint32_t part,
                           const void *how)
{
    const uint32_t *const contexts = how;

    return contexts[parts->view.tagged_rows[part].node];
}

static uint64_t field_of(const struct mpdata_json_parts *parts, uint32_t part,
                         const void *how)
{
    return mpdata_view_tagged_field(&parts->view, part, *(const size_t *)how);
}

static void put_field(struct mpdata_json_parts *parts, enum mprof_tag_kind kind,
                      size_t field)
{
    put_column(parts, kind, mprof_mib_fields[field].name, field_of, &field);
}

/* Writes the metrics of the tagged rows; pools lack some. */
static void put_fields(struct mpdata_json_parts *parts,
                       enum mprof_tag_kind kind, const struct mprof_mib *mib)
{
    mpdata_json_out_map_of(&parts->json, "fields");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        const enum mpdata_metric metric = (enum mpdata_metric)m;
        size_t variance;

        if (!parts->what->held[m] ||
            (kind == MPROF_TAG_POOL && mpdata_metrics_get(mib, metric) == 0))
            continue;
        put_field(parts, kind, mpdata_metrics[m].field);
        if (mpdata_metrics_variance(mib, metric, &variance))
            put_field(parts, kind, variance);
    }
    mpdata_json_out_close_map(&parts->json);
}

/* Sum of all rows of a kind, their number, and the number of names. */
struct summary {
    struct mprof_mib mib;
    uint32_t count;
    uint32_t names;
};

/* Sums up the rows of a kind. Sets names[] of used strings to numbers in
 * `texts`. */
static struct summary sum_up(const struct mpdata_json_parts *parts,
                             enum mprof_tag_kind kind,
                             struct mpdata_profile *texts, uint32_t *names)
{
    const struct mpdata_view *const view = &parts->view;
    struct summary all = {.count = 0};

    for (uint32_t i = 0; i < view->tagged_count; i++) {
        const mpdata_string name = view->tagged_rows[i].name;
        const struct mprof_mib mib = mpdata_view_tagged_mib(view, i);

        if (!is_of(parts, i, kind))
            continue;
        if (names[name] == 0) {
            names[name] = mpdata_profile_string(
                texts, view->strings[name].bytes, view->strings[name].size);
            all.names++;
        }
        mprof_mib_merge(&all.mib, &mib);
        all.count++;
    }
    return all;
}

/* Returns false when out of memory. */
static bool put_threads(struct mpdata_json_parts *parts, uint32_t *names,
                        struct mpdata_profile *texts)
{
    const struct mpdata_view *const view = &parts->view;
    const struct summary all = sum_up(parts, MPROF_TAG_THREAD, texts, names);
    const struct mprof_mib totals = mpdata_profile_totals(view);
    uint32_t *contexts;

    if (all.count == 0 ||
        (all.names == 1 && all.mib.AllocCount == totals.AllocCount))
        return true;
    contexts =
        mpdata_vec_array((size_t)view->node_count + 1, sizeof(*contexts));
    if (contexts == NULL)
        return false;
    for (uint32_t i = 0; i < view->context_count; i++)
        contexts[view->contexts[i].node] = i;
    mpdata_json_out_map_of(&parts->json, "threads");
    put_column(parts, MPROF_TAG_THREAD, "name", name_of, names);
    put_column(parts, MPROF_TAG_THREAD, "context", context_of, contexts);
    put_fields(parts, MPROF_TAG_THREAD, &all.mib);
    mpdata_json_out_close_map(&parts->json);
    free(contexts);
    return true;
}

static void put_pools(struct mpdata_json_parts *parts, uint32_t *names,
                      struct mpdata_profile *texts)
{
    const struct summary all = sum_up(parts, MPROF_TAG_POOL, texts, names);

    if (all.count == 0)
        return;
    mpdata_json_out_map_of(&parts->json, "pools");
    put_column(parts, MPROF_TAG_POOL, "name", name_of, names);
    put_column(parts, MPROF_TAG_POOL, "node", node_of, NULL);
    put_fields(parts, MPROF_TAG_POOL, &all.mib);
    mpdata_json_out_close_map(&parts->json);
}

bool mpdata_document_tagged_put(struct mpdata_json_parts *parts,
                                struct mpdata_profile *texts)
{
    uint32_t *const names =
        mpdata_vec_array(parts->view.string_count, sizeof(*names));

    if (names == NULL)
        return false;
    bool is_done = put_threads(parts, names, texts);
    put_pools(parts, names, texts);
    free(names);
    return is_done;
}
