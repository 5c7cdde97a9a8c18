/* event_rows.c -- the first events of a log: threads write theirs at different
 * times, so a heap keeps the earliest ones that were seen so far.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_rows.h"
#include "profdata/events/event_live.h"
#include "profdata/events/foreign_log.h"

#include <stdlib.h>

struct pass {
    struct mpdata_event_rows *list;
    struct mpdata_event_live live;
    struct mpdata_set addresses; /* uint64_t: of blocks with the address */
    bool is_tail;                /* beginnings are rows at once */
    bool has_no_ends;            /* likewise, and nothing else comes */
    bool failed;
};

static enum mprof_err memory(bool is_there)
{
    return is_there ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- rows ------------------------------------------------------------------ */

static int compare(const void *left, const void *right)
{
    const struct mpdata_event_row *const a = left;
    const struct mpdata_event_row *const b = right;
    int order =
        mprof_compare_u64(mpdata_event_row_ns(a), mpdata_event_row_ns(b));

    /* What ends makes room for what begins. */
    if (order == 0)
        order = mprof_compare_u64(b->is_end, a->is_end);
    return order != 0 ? order
                      : mprof_compare_u64(a->life.address, b->life.address);
}

static struct mpdata_event_row *row_at(const struct mpdata_event_rows *list,
                                       uint32_t i)
{
    return (struct mpdata_event_row *)list->rows.data + i;
}

static void swap(struct mpdata_event_row *a, struct mpdata_event_row *b)
{
    const struct mpdata_event_row row = *a;

    *a = *b;
    *b = row;
}

static void sift_up(const struct mpdata_event_rows *list, uint32_t i)
{
    for (; i != 0 && compare(row_at(list, i), row_at(list, (i - 1) / 2)) > 0;
         i = (i - 1) / 2)
        swap(row_at(list, i), row_at(list, (i - 1) / 2));
}

static void sift_down(const struct mpdata_event_rows *list)
{
    uint32_t i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= list->rows.count)
            return;
        if (child + 1 < list->rows.count &&
            compare(row_at(list, child + 1), row_at(list, child)) > 0)
            child++;
        if (compare(row_at(list, child), row_at(list, i)) <= 0)
            return;
        swap(row_at(list, child), row_at(list, i));
        i = child;
    }
}

static bool contains(const struct mpdata_event_rows *list, uint64_t at,
                     uint64_t size)
{
    return list->address >= at && list->address - at < mprof_max_u64(size, 1);
}

/* The last of the kept rows stands first. */
static void keep(struct pass *p, const struct mpdata_event_row *row)
{
    struct mpdata_event_rows *const list = p->list;
    const uint64_t ns = mpdata_event_row_ns(row);

    /* A smaller block may have begun at the same place. */
    if (list->has_address && !contains(list, row->life.address, row->life.size))
        return;
    if (ns < list->from_ns || ns > list->to_ns ||
        !list->keeps(list->context, &row->life, row->is_end))
        return;
    list->found++;
    if (list->rows.count == list->max) {
        if (list->max == 0 || compare(row, row_at(list, 0)) >= 0)
            return;
        *row_at(list, 0) = *row;
        sift_down(list);
        return;
    }
    struct mpdata_event_row *const last = mpdata_vec_push(&list->rows);
    p->failed |= last == NULL;
    if (last == NULL)
        return;
    *last = *row;
    sift_up(list, list->rows.count - 1);
}

void mpdata_event_rows_sort(struct mpdata_event_rows *list)
{
    if (list->rows.count != 0)
        qsort(list->rows.data, list->rows.count,
              sizeof(struct mpdata_event_row), compare);
}

/* -- blocks ---------------------------------------------------------------- */

static struct mpdata_event_row row_of(const struct mpdata_live_block *b)
{
    return (struct mpdata_event_row){.life = {.address = b->address,
                                              .size = b->size,
                                              .birth_ns = b->ns,
                                              .end_ns = UINT64_MAX,
                                              .stack = b->row,
                                              .birth_thread = b->thread,
                                              .weight = b->note,
                                              .is_unseen = true}};
}

static enum mprof_err end_block(struct pass *p,
                                const struct mpdata_live_block *b,
                                const struct mpdata_log_event *e)
{
    struct mpdata_event_row row = row_of(b);

    row.life.end_ns = e->ns;
    row.life.accesses = e->number;
    row.life.end_thread = e->thread;
    row.life.end_kind = e->end_kind;
    row.life.end_stack = e->end_stack;
    row.life.is_unseen = (e->flags & MPROF_LOG_FL_UNSEEN) != 0;
    if (!p->is_tail)
        keep(p, &row);
    row.is_end = true;
    keep(p, &row);
    return memory(!p->failed);
}

static void keep_unended(void *context, const struct mpdata_live_block *b)
{
    const struct mpdata_event_row row = row_of(b);

    keep(context, &row);
}

static bool is_followed(const struct pass *p, uint64_t address)
{
    return !p->list->has_address || p->is_tail ||
           mpdata_set_find(&p->addresses, &address) != 0;
}

static enum mprof_err begin_block(struct pass *p,
                                  const struct mpdata_log_event *e)
{
    const struct mpdata_live_block block = {.address = e->at,
                                            .ns = e->ns,
                                            .size = e->number,
                                            .row = e->stack - 1,
                                            .note = e->weight,
                                            .thread = e->thread};
    enum mprof_err err;
    bool failed = false;

    if (p->is_tail || p->has_no_ends)
        keep_unended(p, &block);
    if (p->has_no_ends)
        return memory(!p->failed);
    struct mpdata_log_event *const end =
        mpdata_event_live_begin(&p->live, &block, &failed);
    if (end == NULL)
        return memory(!failed);
    err = end_block(p, &block, end);
    free(end);
    return err;
}

static enum mprof_err keep_event(struct pass *p,
                                 const struct mpdata_log_event *e)
{
    const struct mpdata_event_row row = {.life = {.size = e->at,
                                                  .birth_ns = e->ns,
                                                  .end_ns = UINT64_MAX,
                                                  .stack = e->stack - 1,
                                                  .birth_thread = e->thread,
                                                  .is_unseen = true,
                                                  .is_event = true}};

    if (!p->list->has_address)
        keep(p, &row);
    return memory(!p->failed);
}

static enum mprof_err add_event(void *context, const struct mpdata_log_event *e)
{
    struct pass *const p = context;
    struct mpdata_live_block block;
    bool failed = false;

    if (e->kind == MPROF_LOG_EVENT_NOTE && e->what == MPROF_LOG_NOTE_EVENT)
        return keep_event(p, e);
    if (e->kind > MPROF_LOG_EVENT_FREE || !is_followed(p, e->at))
        return MPROF_E_OK;
    if (e->kind == MPROF_LOG_EVENT_ALLOC)
        return begin_block(p, e);
    return mpdata_event_live_end(&p->live, e, &block, &failed)
               ? end_block(p, &block, e)
               : memory(!failed);
}

/* Notes the address of a block that contains the one to follow. */
static enum mprof_err add_address(void *context,
                                  const struct mpdata_log_event *e)
{
    struct pass *const p = context;

    if (e->kind != MPROF_LOG_EVENT_ALLOC ||
        !contains(p->list, e->at, e->number))
        return MPROF_E_OK;
    return memory(mpdata_set_add(&p->addresses, &e->at, NULL) != 0);
}

/* -- the whole ------------------------------------------------------------- */

static enum mprof_err read_with(struct pass *p,
                                const struct mpdata_log_visitor *visitor,
                                const uint8_t *data, size_t size,
                                struct mprof_diag *diag)
{
    bool is_whole;

    p->list->rest = (struct mprof_diag){.err = MPROF_E_OK};
    if (mpdata_event_log_read(data, size, visitor, &is_whole, &p->list->rest) !=
        MPROF_E_NOMEM)
        return MPROF_E_OK;
    *diag = p->list->rest;
    return MPROF_E_NOMEM;
}

enum mprof_err mpdata_event_rows_stacks(struct mpdata_event_stacks *stacks,
                                        const uint8_t *data, size_t size,
                                        struct mprof_diag *diag)
{
    struct mpdata_event_rows none = {.found = 0};
    struct pass p = {.list = &none};
    const struct mpdata_log_visitor visitor = {.stacks = stacks};

    return read_with(&p, &visitor, data, size, diag);
}

enum mprof_err mpdata_event_rows_read(struct mpdata_event_rows *list,
                                      const uint8_t *data, size_t size,
                                      struct mprof_diag *diag)
{
    struct pass p = {.list = list,
                     .live.blocks.elem_bytes =
                         sizeof(struct mpdata_live_block)};
    const struct mpdata_log_visitor addresses = {.event = add_address,
                                                 .context = &p};
    const struct mpdata_log_visitor events = {
        .live = &p.live, .event = add_event, .context = &p};
    enum mprof_err err = MPROF_E_OK;

    p.has_no_ends = !mpdata_foreign_log_traits(data, size).has_ends;
    list->rows.elem_bytes = sizeof(struct mpdata_event_row);
    mpdata_set_init(&p.addresses, sizeof(uint64_t), sizeof(uint64_t));
    if (list->has_address)
        err = read_with(&p, &addresses, data, size, diag);
    if (err == MPROF_E_OK)
        err = read_with(&p, &events, data, size, diag);
    if (err == MPROF_E_OK)
        mpdata_event_live_visit(&p.live, keep_unended, &p);
    mpdata_event_live_fini(&p.live);
    mpdata_set_fini(&p.addresses);
    if (err == MPROF_E_OK && p.failed)
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    mpdata_event_rows_sort(list);
    return err;
}

void mpdata_event_rows_fini(struct mpdata_event_rows *list)
{
    mpdata_vec_fini(&list->rows);
}

/* -- a log that grows ------------------------------------------------------ */

struct mpdata_event_tail {
    struct pass pass;
    struct mpdata_log_visitor visitor;
    struct mpdata_log_reader *reader;
};

struct mpdata_event_tail *
mpdata_event_rows_tail_new(struct mpdata_event_rows *list,
                           struct mpdata_event_stacks *stacks)
{
    struct mpdata_event_tail *const t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    list->rows.elem_bytes = sizeof(struct mpdata_event_row);
    stacks->frames.copies = true;
    t->pass = (struct pass){.list = list,
                            .live.blocks.elem_bytes =
                                sizeof(struct mpdata_live_block),
                            .is_tail = true};
    t->visitor = (struct mpdata_log_visitor){.live = &t->pass.live,
                                             .stacks = stacks,
                                             .event = add_event,
                                             .context = &t->pass};
    t->reader = mpdata_event_log_reader_new(&t->visitor);
    if (t->reader != NULL)
        return t;
    free(t);
    return NULL;
}

enum mprof_err mpdata_event_rows_tail_read(struct mpdata_event_tail *t,
                                           const uint8_t *data, size_t size,
                                           size_t *used, bool *is_whole,
                                           struct mprof_diag *diag)
{
    return mpdata_event_log_reader_read(t->reader, data, size, used, is_whole,
                                        diag);
}

void mpdata_event_rows_tail_free(struct mpdata_event_tail *t)
{
    if (t == NULL)
        return;
    mpdata_event_live_fini(&t->pass.live);
    mpdata_event_log_reader_free(t->reader);
    free(t);
}
