/* event_kept.c -- events and pools of the program, and cells, in a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_kept.h"

void mpdata_event_kept_init(struct mpdata_event_kept *k)
{
    *k = (struct mpdata_event_kept){
        .tagged.elem_bytes = sizeof(struct mpdata_raw_tagged),
        .mibs.elem_bytes = sizeof(struct mprof_mib)};
    mpdata_set_init(&k->cells, 2 * sizeof(uint32_t),
                    sizeof(struct mpdata_event_cells));
}

void mpdata_event_kept_fini(struct mpdata_event_kept *k)
{
    mpdata_vec_fini(&k->tagged);
    mpdata_vec_fini(&k->mibs);
    mpdata_set_fini(&k->cells);
    mpdata_cells_fini(&k->words);
}

bool mpdata_event_kept_tagged(struct mpdata_event_kept *k,
                              const struct mpdata_log_tagged *t, uint32_t name)
{
    k->is_there = true;
    if (t == NULL || k->is_of_moment)
        return true;
    struct mprof_mib *const mib = mpdata_vec_push(&k->mibs);
    struct mpdata_raw_tagged *const row = mpdata_vec_push(&k->tagged);
    if (mib == NULL || row == NULL)
        return false;
    *mib = t->mib;
    *row = (struct mpdata_raw_tagged){
        .node = t->stack,
        .flags = t->is_live ? MPROF_RAW_CONTEXT_FL_LIVE : 0,
        .kind = t->kind,
        .name = name,
        .row = k->mibs.count - 1};
    return true;
}

/* Appends cells to the words of all. */
static void append(struct mpdata_cells_builder *words,
                   struct mpdata_cells cells)
{
    struct mpdata_cells_cursor cursor = {.rest = cells};

    while (mpdata_cells_next(&cursor))
        mpdata_cells_add(words, cursor.cell, cursor.count);
}

bool mpdata_event_kept_cells(struct mpdata_event_kept *k,
                             const struct mpdata_log_cells *cells)
{
    struct mpdata_event_cells row = {.stack = cells->stack,
                                     .is_live = cells->is_live,
                                     .size = cells->size,
                                     .first = mpdata_cells_begin(&k->words)};

    if (k->is_of_moment)
        return true;
    append(&k->words, cells->cells);
    row.count = k->words.count - row.first;
    return !k->words.failed && mpdata_set_add(&k->cells, &row, NULL) != 0;
}

static bool add_places(struct mpdata_cells cells, struct mpdata_vec *details)
{
    struct mpdata_cells_cursor cursor = {.rest = cells};

    while (mpdata_cells_next(&cursor)) {
        struct mpdata_detail *const d = mpdata_vec_push(details);

        if (d == NULL)
            return false;
        *d = (struct mpdata_detail){.kind = MPROF_DETAIL_PLACE,
                                    .key = (uint32_t)cursor.cell,
                                    .count = cursor.count};
    }
    return true;
}

bool mpdata_event_kept_add(const struct mpdata_event_kept *k, uint32_t stack,
                           bool is_live, struct mpdata_raw_context *c,
                           struct mprof_mib *mib, struct mpdata_vec *details)
{
    const struct mpdata_event_cells key = {.stack = stack, .is_live = is_live};
    const uint32_t at = mpdata_set_find(&k->cells, &key);

    if (at == 0)
        return true;
    const struct mpdata_event_cells *const row =
        (const struct mpdata_event_cells *)k->cells.rows.data + at - 1;
    if (row->size == 0)
        return add_places(
            mpdata_cells_of(k->words.words, row->first, row->count), details);
    mib->AccessHistogramSize = row->size;
    c->has_cells = true;
    c->cells_first = row->first;
    c->cells_count = row->count;
    return true;
}

const char *mpdata_event_kept_lacks(const struct mpdata_event_kept *k,
                                    bool is_whole)
{
    if (k->is_there)
        return NULL;
    return is_whole ? "the log does not say which access histograms, events "
                      "and pools of the program there were: it began later "
                      "than the run, the records were reset, or an earlier "
                      "version wrote it"
                    : "the log ended before access histograms, events and "
                      "pools of the program were written: they are missing";
}

bool mpdata_event_kept_finish(struct mpdata_event_kept *k,
                              const struct mpdata_event_stacks *stacks,
                              struct mpdata_raw *raw)
{
    struct mpdata_raw_tagged *const rows = k->tagged.data;
    uint32_t count;

    for (uint32_t i = 0; i < k->tagged.count; i++) {
        const struct mpdata_event_stack *const stack =
            mpdata_event_stacks_at(stacks, rows[i].node - 1);

        rows[i].flags |= stack->flags;
        rows[i].node = stack->node;
    }
    raw->cell_words = k->words.words;
    k->words.words = NULL;
    return mpdata_event_stacks_move(&k->tagged, &raw->tagged_rows,
                                    &raw->tagged_count) &&
           mpdata_event_stacks_move(&k->mibs, &raw->tagged_mibs, &count);
}
