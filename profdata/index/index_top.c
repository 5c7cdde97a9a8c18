/* index_top.c -- which rows of an indexed file are a top list.
 *
 * Contexts stand largest first, so by bytes the list is the start of the table;
 * by another field one column is read as a whole. What the rows say, and that
 * they may say it, is the reader's (sections_read.h), as for the whole file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_top.h"
#include "profdata/index/sections_read.h"
#include "profdata/model/mib_columns.h"
#include "profdata/model/profile_store.h"

#include <stdlib.h>

/* -- which contexts -------------------------------------------------------- */

struct ranked {
    uint64_t value;
    uint64_t row;
};

/* Larger values first, equal ones in the order of the file. */
static bool is_before(const struct ranked *a, const struct ranked *b)
{
    return a->value != b->value ? a->value > b->value : a->row < b->row;
}

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    return is_before(a, b) ? -1 : is_before(b, a);
}

/* Lets the new top of a heap, whose top is the last in the list, sink. */
static void sink(struct ranked *heap, uint64_t count)
{
    uint64_t at = 0;

    for (;;) {
        const struct ranked moved = heap[at];
        uint64_t child = 2 * at + 1;

        if (child + 1 < count && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (child >= count || !is_before(&moved, &heap[child]))
            return;
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

/* Takes the next row if it belongs to the first `max`. */
static void rank(struct ranked *heap, uint64_t *count, uint64_t max,
                 struct ranked next)
{
    if (max == 0)
        return;
    if (*count < max) {
        /* Sorted, the last on top, is a heap. */
        heap[(*count)++] = next;
        if (*count == max)
            qsort(heap, max, sizeof(*heap), compare_ranked);
        for (uint64_t i = 0; *count == max && i < max / 2; i++) {
            const struct ranked other = heap[i];

            heap[i] = heap[max - 1 - i];
            heap[max - 1 - i] = other;
        }
    } else if (is_before(&next, &heap[0])) {
        heap[0] = next;
        sink(heap, max);
    }
}

/* By any field: all of its column. */
static enum mprof_err choose(struct mpdata_sections *s, size_t field,
                             struct ranked *heap, uint64_t max, uint64_t *count,
                             uint64_t *listed, struct mprof_diag *diag)
{
    struct mprof_column column;
    const enum mprof_err err = mpdata_sections_need_column(
        s, MPROF_INDEX_CONTEXTS, mprof_mib_fields[field].tag, &column, diag);

    for (uint64_t i = 0; err == MPROF_E_OK && i < column.rows; i++) {
        const uint64_t value = mprof_column_get(&column, i);

        if (value == 0)
            continue;
        ++*listed;
        rank(heap, count, max, (struct ranked){.value = value, .row = i});
    }
    qsort(heap, *count, sizeof(*heap), compare_ranked);
    return err;
}

/* By bytes: the table's own order. The first row with none ends it. */
static enum mprof_err choose_first(struct mpdata_sections *s,
                                   struct ranked *list, uint64_t max,
                                   uint64_t *count, uint64_t *listed,
                                   struct mprof_diag *diag)
{
    const struct mprof_table *table = &s->tables[MPROF_INDEX_CONTEXTS];
    const struct mprof_column sizes =
        mprof_table_column(table, MPROF_MIB_TAG_TotalSize);
    uint64_t low = 0;
    uint64_t high = table->rows;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        enum mprof_err err = MPROF_E_OK;

        if (sizes.width != 0)
            err = mpdata_sections_need_bytes(s, MPROF_INDEX_CONTEXTS,
                                             sizes.data + middle * sizes.width,
                                             sizes.width, diag);
        if (err != MPROF_E_OK)
            return err;
        if (mprof_column_get(&sizes, middle) != 0)
            low = middle + 1;
        else
            high = middle;
    }
    *listed = low;
    *count = mprof_min_u64(max, low);
    for (uint64_t i = 0; i < *count; i++)
        list[i].row = i;
    return MPROF_E_OK;
}

/* Files of before there was a section for it: all contexts. */
static enum mprof_err add_up(struct mpdata_sections *s,
                             struct mprof_mib *totals, struct mprof_diag *diag)
{
    const struct mprof_table *table = &s->tables[MPROF_INDEX_CONTEXTS];
    const enum mprof_err err =
        mpdata_sections_need_all(s, MPROF_INDEX_CONTEXTS, diag);
    struct mpdata_mib_columns columns;

    mpdata_mib_columns_find(&columns, table);
    for (uint64_t i = 0; err == MPROF_E_OK && i < table->rows; i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);

        mprof_mib_merge(totals, &mib);
    }
    return err;
}

/* What of any context was not seen. */
static enum mprof_err read_unseen(struct mpdata_sections *s, uint32_t *unseen,
                                  struct mprof_diag *diag)
{
    struct mprof_column column;
    const enum mprof_err err = mpdata_sections_need_column(
        s, MPROF_INDEX_CONTEXTS, MPROF_INDEX_CONTEXTS_UNSEEN, &column, diag);
    const uint64_t rows = err != MPROF_E_OK   ? 0
                          : column.width == 0 ? mprof_min_u64(column.rows, 1)
                                              : column.rows;

    *unseen = 0;
    for (uint64_t i = 0; i < rows; i++)
        *unseen |= (uint32_t)mprof_column_get(&column, i)
                   << MPROF_CONTEXT_UNSEEN_SHIFT;
    *unseen &= MPROF_CONTEXT_UNSEEN_MASK;
    return err;
}

/* What all contexts come to. */
static enum mprof_err read_totals(struct mpdata_sections_reader *r,
                                  struct mpdata_top *top)
{
    struct mpdata_sections *s = r->sections;
    enum mprof_err err = mpdata_sections_open(s, MPROF_INDEX_CONTEXTS, r->diag);

    if (err == MPROF_E_OK)
        err = mpdata_sections_open(s, MPROF_INDEX_TOTALS, r->diag);
    if (err != MPROF_E_OK)
        return err;
    top->context_count = s->tables[MPROF_INDEX_CONTEXTS].rows;
    if (s->tables[MPROF_INDEX_TOTALS].rows == 0)
        return add_up(s, &top->totals, r->diag);
    top->totals = mpdata_sections_read_mib(r, MPROF_INDEX_TOTALS, 0);
    return r->err;
}

/* That, and what it leaves open. */
static enum mprof_err read_whole(struct mpdata_sections_reader *r,
                                 struct mpdata_top *top)
{
    const enum mprof_err err = read_totals(r, top);

    return err == MPROF_E_OK && top->totals.TotalAccessCount == 0
               ? read_unseen(r->sections, &top->unseen, r->diag)
               : err;
}

enum mprof_err mpdata_index_top_read(const struct mpdata_index_file *file,
                                     size_t field, uint64_t max,
                                     struct mpdata_profile *into,
                                     struct mpdata_top *top,
                                     struct mprof_diag *diag)
{
    struct ranked *list = mpdata_vec_array(max, sizeof(*list));
    struct mpdata_sections sections;
    struct mpdata_sections_reader r;
    uint64_t count = 0;
    enum mprof_err err;

    *top = (struct mpdata_top){.context_count = 0};
    mpdata_sections_init(&sections, file);
    mpdata_sections_read_begin(&r, &sections, into, diag);
    err = list != NULL
              ? read_whole(&r, top)
              : mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK)
        err = mprof_mib_fields[field].tag == MPROF_MIB_TAG_TotalSize
                  ? choose_first(&sections, list, max, &count,
                                 &top->listed_count, diag)
                  : choose(&sections, field, list, max, &count,
                           &top->listed_count, diag);
    if (err == MPROF_E_OK) {
        for (uint64_t i = 0; i < count; i++)
            mpdata_sections_read_context(&r, list[i].row);
        mpdata_sections_read_binaries(&r);
        mpdata_sections_read_runs(&r);
        mpdata_sections_read_left_out(&r);
        mpdata_profile_order_details(into);
    }
    if (err == MPROF_E_OK)
        err = mpdata_sections_read_end(&r);
    else
        (void)!mpdata_sections_read_end(&r);
    mpdata_sections_fini(&sections);
    free(list);
    return err;
}
