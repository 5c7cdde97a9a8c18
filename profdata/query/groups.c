/* groups.c -- a profile by function, line or file.
 *
 * Each frame gets the number of its group first; then each call stack is walked
 * once, and a group that it meets again adds nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/groups.h"
#include "profdata/base/hash.h"
#include "profdata/base/set.h"

#include <stdlib.h>
#include <string.h>

/* What makes frames one group. */
struct key {
    uint64_t a;
    uint64_t b;
    uint32_t frame; /* the first of them; does not count */
    uint32_t kind;
};

enum { KIND_FUNCTION, KIND_LINE, KIND_FILE, KIND_BINARY, KIND_ADDRESS };

static uint64_t hash_key(const void *key)
{
    const struct key *const k = (const struct key *)key;

    return mpdata_hash_words(mpdata_hash_words(k->a, k->kind), k->b);
}

static bool equal_keys(const void *rows, uint32_t row, const void *key)
{
    const struct key *const a = (const struct key *)rows + row;
    const struct key *const b = (const struct key *)key;

    return a->kind == b->kind && a->a == b->a && a->b == b->b;
}

static const struct mpdata_set_kind keys_kind = {
    .hash = hash_key, .equal = equal_keys, .elem_bytes = sizeof(struct key)};

static struct key key_of(const struct mpdata_view *view, uint32_t frame,
                         enum mpdata_group_by by)
{
    const struct mpdata_frame *const f = &view->frames[frame];

    if (f->function == 0 && by == MPDATA_GROUP_BY_FILE)
        return (struct key){f->binary, 0, frame, KIND_BINARY};
    if (f->function == 0)
        return (struct key){f->binary, f->address, frame, KIND_ADDRESS};
    if (by == MPDATA_GROUP_BY_LINE && f->path != 0)
        return (struct key){f->path, f->line, frame, KIND_LINE};
    if (by == MPDATA_GROUP_BY_FILE && f->path != 0)
        return (struct key){f->path, 0, frame, KIND_FILE};
    return (struct key){f->function, 0, frame, KIND_FUNCTION};
}

struct walk {
    struct mpdata_view view;
    enum mpdata_metric metric;
    uint32_t *group_of; /* by frame */
    uint32_t *met;      /* by group: the context that met it last, + 1 */
    struct mpdata_group *rows;
};

static void add_context(struct walk *w, uint32_t i, uint64_t *stackless)
{
    const struct mpdata_context *const c = &w->view.contexts[i];
    const uint64_t value = mpdata_metrics_value(&w->view, i, w->metric);
    bool is_leaf = true;

    if (c->node == 0)
        *stackless = mprof_add_sat_u64(*stackless, value);
    for (mpdata_ref node = c->node; node != 0;
         node = w->view.nodes[node - 1].parent) {
        const uint32_t at = w->group_of[w->view.nodes[node - 1].frame];
        struct mpdata_group *const g = &w->rows[at];

        if (is_leaf)
            g->self = mprof_add_sat_u64(g->self, value);
        is_leaf = false;
        if (w->met[at] == i + 1)
            continue;
        w->met[at] = i + 1;
        g->total = mprof_add_sat_u64(g->total, value);
    }
}

static int compare_groups(const void *left, const void *right)
{
    const struct mpdata_group *const a = (const struct mpdata_group *)left;
    const struct mpdata_group *const b = (const struct mpdata_group *)right;

    if (a->self != b->self)
        return a->self > b->self ? -1 : 1;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

/* The groups, still with nothing in them. */
static bool find_groups(struct walk *w, struct mpdata_set *keys,
                        enum mpdata_group_by by)
{
    for (uint32_t i = 0; i < w->view.frame_count; i++) {
        const struct key key = key_of(&w->view, i, by);
        const uint32_t ref = mpdata_set_add(keys, &key, NULL);

        if (ref == 0)
            return false;
        w->group_of[i] = ref - 1;
    }
    w->met = (uint32_t *)mpdata_vec_array(keys->rows.count, sizeof(*w->met));
    w->rows = (struct mpdata_group *)mpdata_vec_array(keys->rows.count,
                                                      sizeof(*w->rows));
    for (uint32_t i = 0; w->rows != NULL && i < keys->rows.count; i++)
        w->rows[i].frame = ((const struct key *)keys->rows.data)[i].frame;
    return w->met != NULL && w->rows != NULL;
}

static uint32_t leave_out_empty(struct mpdata_group *rows, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].total != 0)
            rows[kept++] = rows[i];
    }
    return kept;
}

enum mprof_err mpdata_groups_make(struct mpdata_groups *groups,
                                  const struct mpdata_profile *profile,
                                  enum mpdata_group_by by,
                                  enum mpdata_metric metric)
{
    struct walk w = {.view = mpdata_profile_view(profile), .metric = metric};
    struct mpdata_set keys;
    bool is_made;

    *groups = (struct mpdata_groups){.rows = NULL};
    mpdata_set_init(&keys, &keys_kind);
    w.group_of =
        (uint32_t *)mpdata_vec_array(w.view.frame_count, sizeof(*w.group_of));
    is_made = w.group_of != NULL && find_groups(&w, &keys, by);
    for (uint32_t i = 0; is_made && i < w.view.context_count; i++)
        add_context(&w, i, &groups->stackless);
    groups->rows = w.rows;
    if (is_made)
        groups->count = leave_out_empty(w.rows, keys.rows.count);
    if (groups->count != 0)
        qsort(groups->rows, groups->count, sizeof(*groups->rows),
              compare_groups);
    mpdata_set_fini(&keys);
    free(w.group_of);
    free(w.met);
    return is_made ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_groups_fini(struct mpdata_groups *groups)
{
    free(groups->rows);
    groups->rows = NULL;
}
