/* index_top.c -- a top list out of the sections of an indexed file.
 *
 * Contexts stand largest first, so by bytes the list is the start of the table;
 * by another field one column is read as a whole. Everything else is followed
 * from there, reference by reference, each checked against its table when it is
 * followed: the whole-profile check of index_ext_check.c would read it all.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_top.h"
#include "profdata/base/diag.h"
#include "profdata/index/index_ext_check.h"
#include "profdata/index/index_ext_read.h"
#include "profdata/model/run_columns.h"
#include "profdata/base/lazy.h"
#include "profdata/raw/raw.h"
#include "profdata/base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

struct reader {
    const uint8_t *data;
    size_t size;
    bool verify;
    struct mprof_dir dir;
    struct mpdata_lazy tables[MPDATA_INDEX_SECTION_END];
    struct mpdata_profile *into;
    enum mprof_err err; /* the first; then everything reads as 0 */
    struct mprof_diag *diag;
};

static void fail_row(struct reader *r, uint32_t section, uint64_t row)
{
    if (r->err == MPROF_E_OK)
        r->err = mpdata_fail(
            r->diag, MPROF_E_REFERENCE, mprof_index_section_name(section),
            r->tables[section].section.file_off, "row %" PRIu64, row);
}

static void fail_missing(struct reader *r, uint32_t section)
{
    if (r->err == MPROF_E_OK)
        r->err = mprof_err_fail(r->diag, MPROF_E_MISSING,
                                mprof_index_section_name(section),
                                MPROF_DIAG_NO_OFFSET);
}

/* -- values ---------------------------------------------------------------- */

/* The table of a section, opened when it is first asked for; NULL where there
 * is none, or after an error. */
static struct mpdata_lazy *table(struct reader *r, uint32_t section)
{
    struct mpdata_lazy *lazy = &r->tables[section];
    const struct mprof_section *place = mprof_dir_find(&r->dir, section);
    const char *name = mprof_index_section_name(section);

    if (r->err != MPROF_E_OK || place == NULL)
        return NULL;
    if (lazy->table.data != NULL)
        return lazy;
    if (!mpdata_index_ext_is_claim(place))
        r->err = mprof_err_fail(r->diag, MPROF_E_VALUE, name, place->offset);
    else
        r->err = mpdata_lazy_open(lazy, r->data, r->size, place, name,
                                  r->verify, r->diag);
    if (r->err == MPROF_E_OK && lazy->table.rows > MPDATA_VEC_ROWS_MAX)
        r->err = mprof_err_fail(r->diag, MPROF_E_LIMIT, name, place->offset);
    return r->err == MPROF_E_OK ? lazy : NULL;
}

static uint64_t rows(struct reader *r, uint32_t section)
{
    const struct mpdata_lazy *lazy = table(r, section);

    return lazy != NULL ? lazy->table.rows : 0;
}

/* 0 after an error. */
static uint64_t get(struct reader *r, uint32_t section, uint32_t tag,
                    uint64_t row)
{
    struct mpdata_lazy *lazy = table(r, section);
    uint64_t value = 0;

    if (lazy == NULL)
        fail_missing(r, section);
    else
        r->err = mpdata_lazy_get(lazy, tag, row, &value, r->diag);
    return r->err == MPROF_E_OK ? value : 0;
}

#define GET(r, section, name, row) \
    get(r, MPROF_INDEX_##section, MPROF_INDEX_##section##_##name, row)
#define GET32(r, section, name, row) (uint32_t) GET(r, section, name, row)

/* -- what contexts and runs refer to --------------------------------------- */

static mpdata_string add_string(struct reader *r, uint64_t row)
{
    struct mpdata_lazy *lazy = table(r, MPROF_INDEX_STRINGS);
    const uint64_t end = GET(r, STRINGS, END, row);
    const uint64_t start = row != 0 ? GET(r, STRINGS, END, row - 1) : 0;
    struct mprof_blob blob;

    if (r->err != MPROF_E_OK)
        return 0;
    blob = mprof_table_blob(&lazy->table, MPROF_INDEX_STRINGS_BYTES);
    if (start > end || end > blob.size) {
        fail_row(r, MPROF_INDEX_STRINGS, row);
        return 0;
    }
    if (start == end)
        return 0;
    r->err = mpdata_lazy_need(lazy, blob.data + start, end - start, r->diag);
    return r->err == MPROF_E_OK
               ? mpdata_profile_string(r->into, blob.data + start, end - start)
               : 0;
}

/* The node of a path, row + 1; its directories first. A directory stands before
 * what is in it, so this ends. */
static mpdata_ref add_path(struct reader *r, uint64_t ref)
{
    struct mpdata_vec up = {.elem_bytes = sizeof(uint32_t)};
    struct mpdata_path path = {.parent = 0};

    while (ref != 0 && r->err == MPROF_E_OK) {
        const uint64_t parent = GET(r, PATHS, PARENT, ref - 1);
        uint32_t *row = mpdata_vec_push(&up);

        if (row == NULL)
            r->err = mprof_err_fail(r->diag, MPROF_E_NOMEM, NULL,
                                    MPROF_DIAG_NO_OFFSET);
        else if (parent >= ref)
            fail_row(r, MPROF_INDEX_PATHS, ref - 1);
        else
            *row = (uint32_t)(ref - 1);
        ref = parent;
    }
    while (up.count-- != 0 && r->err == MPROF_E_OK) {
        path.name =
            add_string(r, GET(r, PATHS, NAME, ((uint32_t *)up.data)[up.count]));
        path.parent = mpdata_profile_path_node(r->into, &path);
    }
    free(up.data);
    return path.parent;
}

static mpdata_ref add_function(struct reader *r, uint64_t ref)
{
    struct mpdata_function function;

    if (ref == 0)
        return 0;
    function = (struct mpdata_function){
        .name = add_string(r, GET(r, FUNCTIONS, NAME, ref - 1)),
        .guid = GET(r, FUNCTIONS, GUID, ref - 1),
        .path = add_path(r, GET(r, FUNCTIONS, PATH, ref - 1)),
        .line = GET32(r, FUNCTIONS, LINE, ref - 1)};
    return mpdata_profile_function(r->into, &function);
}

static mpdata_ref add_binary(struct reader *r, uint64_t ref)
{
    struct mpdata_binary binary;

    if (ref == 0)
        return 0;
    binary = (struct mpdata_binary){
        .path = add_path(r, GET(r, BINARIES, PATH, ref - 1)),
        .build_id = add_string(r, GET(r, BINARIES, BUILD_ID, ref - 1))};
    return mpdata_profile_binary(r->into, &binary);
}

static mpdata_ref add_entry(struct reader *r, uint64_t row)
{
    const uint64_t place = GET(r, ENTRIES, PLACE, row);
    const struct mpdata_entry entry = {
        .function = add_function(r, GET(r, ENTRIES, FUNCTION, row)),
        .path = add_path(r, mprof_place_path(place)),
        .line = (uint32_t)mprof_place_line(place),
        .column = GET32(r, ENTRIES, COLUMN, row),
        .discriminator = (uint32_t)mprof_place_discriminator_low(place) |
                         GET32(r, ENTRIES, DISCRIMINATOR, row)
                             << MPROF_PLACE_DISCRIMINATOR_BITS,
        .flags = GET32(r, ENTRIES, FLAGS, row),
        .binary = add_binary(r, GET(r, ENTRIES, BINARY, row)),
        .address = GET(r, ENTRIES, ADDRESS, row)};

    return mpdata_profile_entry(r->into, &entry);
}

/* The call stack of a node, row + 1: its rows up to the root, then from there
 * down. Each step goes back at least one row, so this ends. */
static mpdata_ref add_stack(struct reader *r, uint64_t ref)
{
    struct mpdata_vec up = {.elem_bytes = sizeof(uint32_t)};
    mpdata_ref node = 0;

    while (ref != 0 && r->err == MPROF_E_OK) {
        const uint64_t step = GET(r, NODES, UP, ref - 1);
        uint32_t *row = mpdata_vec_push(&up);

        if (row == NULL)
            r->err = mprof_err_fail(r->diag, MPROF_E_NOMEM, NULL,
                                    MPROF_DIAG_NO_OFFSET);
        else if (step >= ref)
            fail_row(r, MPROF_INDEX_NODES, ref - 1);
        else
            *row = (uint32_t)(ref - 1);
        ref = step != 0 ? ref - step : 0;
    }
    while (up.count-- != 0 && r->err == MPROF_E_OK) {
        const uint32_t row = ((uint32_t *)up.data)[up.count];

        node = mpdata_profile_node(r->into, node,
                                   add_entry(r, GET(r, NODES, ENTRY, row)));
    }
    free(up.data);
    return node;
}

/* -- contexts -------------------------------------------------------------- */

/* The first cell of a context's histogram; false where it has none. */
static bool find_cells(struct reader *r, uint64_t context, uint64_t *first)
{
    uint64_t low = 0;
    uint64_t high = rows(r, MPROF_INDEX_HISTOGRAMS);

    while (low < high && r->err == MPROF_E_OK) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t owner = GET(r, HISTOGRAMS, CONTEXT, middle);

        if (owner == context) {
            *first = GET(r, HISTOGRAMS, FIRST, middle);
            return r->err == MPROF_E_OK;
        }
        if (owner < context)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Malloc'd, or NULL. */
static uint64_t *read_cells(struct reader *r, uint64_t context, uint64_t size)
{
    struct mpdata_lazy *lazy;
    struct mprof_column column;
    uint64_t *cells;
    uint64_t first;

    if (size == 0 || !find_cells(r, context, &first))
        return NULL;
    if (first > rows(r, MPROF_INDEX_CELLS) ||
        size > rows(r, MPROF_INDEX_CELLS) - first) {
        fail_row(r, MPROF_INDEX_HISTOGRAMS, context);
        return NULL;
    }
    lazy = table(r, MPROF_INDEX_CELLS);
    column = mprof_table_column(&lazy->table, MPROF_INDEX_CELLS_COUNT);
    if (column.width != 0)
        r->err = mpdata_lazy_need(lazy, column.data + first * column.width,
                                  size * column.width, r->diag);
    cells = mpdata_vec_array(size, sizeof(*cells));
    if (cells == NULL)
        r->err =
            mprof_err_fail(r->diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    for (uint64_t i = 0; i < size && r->err == MPROF_E_OK; i++)
        cells[i] = mprof_column_get(&column, first + i);
    return cells;
}

static void read_mib(struct reader *r, uint32_t section, uint64_t row,
                     struct mprof_mib *mib)
{
    *mib = (struct mprof_mib){.AllocCount = 0};
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++)
        mprof_mib_set(mib, i, get(r, section, mprof_mib_fields[i].tag, row));
}

static void add_context(struct reader *r, uint64_t row)
{
    struct mprof_mib mib;
    uint64_t *cells;
    mpdata_ref node;

    read_mib(r, MPROF_INDEX_CONTEXTS, row, &mib);
    cells = read_cells(r, row, mib.AccessHistogramSize);
    node = add_stack(r, GET(r, CONTEXTS, NODE, row));
    if (r->err == MPROF_E_OK)
        mpdata_profile_context(r->into, node, GET32(r, CONTEXTS, FLAGS, row),
                               &mib, cells);
    free(cells);
}

static void add_runs(struct reader *r)
{
    const uint64_t count = rows(r, MPROF_INDEX_RUNS);

    for (uint64_t i = 0; i < count && r->err == MPROF_E_OK; i++) {
        struct mpdata_run run;

#define X(column, member) \
    run.member = (__typeof__(run.member))GET(r, RUNS, column, i);
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
        run.executable = add_path(r, run.executable);
        run.host = add_string(r, run.host);
        run.options = add_string(r, run.options);
        run.tool = add_string(r, run.tool);
        if (r->err == MPROF_E_OK)
            mpdata_profile_run(r->into, &run);
    }
}

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
static uint64_t choose(struct reader *r, size_t field, struct ranked *heap,
                       uint64_t max, uint64_t *listed)
{
    struct mpdata_lazy *lazy = table(r, MPROF_INDEX_CONTEXTS);
    struct mprof_column column;
    uint64_t count = 0;

    if (lazy == NULL)
        fail_missing(r, MPROF_INDEX_CONTEXTS);
    else
        r->err = mpdata_lazy_column(lazy, mprof_mib_fields[field].tag, &column,
                                    r->diag);
    if (r->err != MPROF_E_OK)
        return 0;
    for (uint64_t i = 0; i < column.rows; i++) {
        const uint64_t value = mprof_column_get(&column, i);

        if (value == 0)
            continue;
        ++*listed;
        rank(heap, &count, max, (struct ranked){.value = value, .row = i});
    }
    qsort(heap, count, sizeof(*heap), compare_ranked);
    return count;
}

/* By bytes: the table's own order. The first row with none ends it. */
static uint64_t choose_first(struct reader *r, struct ranked *list,
                             uint64_t max, uint64_t *listed)
{
    uint64_t low = 0;
    uint64_t high = rows(r, MPROF_INDEX_CONTEXTS);

    while (low < high && r->err == MPROF_E_OK) {
        const uint64_t middle = low + (high - low) / 2;

        if (get(r, MPROF_INDEX_CONTEXTS, MPROF_MIB_TAG_TotalSize, middle) != 0)
            low = middle + 1;
        else
            high = middle;
    }
    *listed = low;
    for (uint64_t i = 0; i < max && i < low; i++)
        list[i].row = i;
    return mprof_min_u64(max, low);
}

/* Files of before there was a section for it: all contexts. */
static void add_up(struct reader *r, struct mprof_mib *totals)
{
    struct mpdata_lazy *lazy = table(r, MPROF_INDEX_CONTEXTS);
    struct mpdata_mib_columns columns;

    if (lazy == NULL)
        fail_missing(r, MPROF_INDEX_CONTEXTS);
    else
        r->err = mpdata_lazy_need(lazy, lazy->section.data, lazy->section.size,
                                  r->diag);
    if (r->err != MPROF_E_OK)
        return;
    mpdata_mib_columns_find(&columns, &lazy->table);
    for (uint64_t i = 0; i < lazy->table.rows; i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);

        mprof_mib_merge(totals, &mib);
    }
}

static enum mprof_err read_top(struct reader *r, size_t field, uint64_t max,
                               struct mpdata_index_top *top)
{
    struct ranked *list = mpdata_vec_array(max, sizeof(*list));
    uint64_t count = 0;

    if (list == NULL)
        return mprof_err_fail(r->diag, MPROF_E_NOMEM, NULL,
                              MPROF_DIAG_NO_OFFSET);
    *top = (struct mpdata_index_top){.context_count =
                                         rows(r, MPROF_INDEX_CONTEXTS)};
    if (rows(r, MPROF_INDEX_TOTALS) != 0)
        read_mib(r, MPROF_INDEX_TOTALS, 0, &top->totals);
    else
        add_up(r, &top->totals);
    count = mprof_mib_fields[field].tag == MPROF_MIB_TAG_TotalSize
                ? choose_first(r, list, max, &top->listed_count)
                : choose(r, field, list, max, &top->listed_count);
    for (uint64_t i = 0; i < count && r->err == MPROF_E_OK; i++)
        add_context(r, list[i].row);
    add_runs(r);
    free(list);
    if (r->err == MPROF_E_OK) {
        r->err = mpdata_profile_status(r->into);
        if (r->err != MPROF_E_OK)
            mprof_err_fail(r->diag, r->err, NULL, MPROF_DIAG_NO_OFFSET);
    }
    return r->err;
}

bool mpdata_index_has_top(const void *data, size_t size)
{
    uint64_t dir_off;

    return mpdata_index_ext_find(data, size, &dir_off);
}

enum mprof_err
mpdata_index_top_read(const void *data, size_t size, bool verify_checksums,
                      size_t field, uint64_t count, struct mpdata_profile *into,
                      struct mpdata_index_top *top, struct mprof_diag *diag)
{
    struct reader r = {.data = data,
                       .size = size,
                       .verify = verify_checksums,
                       .into = into,
                       .diag = diag};
    uint64_t dir_off = 0;
    enum mprof_err err;

    if (!mpdata_index_ext_find(data, size, &dir_off))
        return mprof_err_fail(diag, MPROF_E_MAGIC, "index trailer",
                              MPROF_DIAG_NO_OFFSET);
    err = mprof_dir_read(&r.dir, data, size, dir_off, MPROF_INDEX_EXT_MAGIC,
                         MPROF_INDEX_EXT_VERSION_MIN, MPROF_INDEX_EXT_VERSION,
                         verify_checksums, "index directory", diag);
    if (err != MPROF_E_OK)
        return err;
    err = read_top(&r, field, count, top);
    for (uint32_t id = 0; id < MPDATA_INDEX_SECTION_END; id++)
        mpdata_lazy_close(&r.tables[id]);
    return err;
}
