/* rawhistograms.c -- HISTOGRAMS and CELLS of a raw profile, from a list of the
 * contexts with a histogram.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/mapbuf.h"
#include "shared/raw_format.h"
#include "shared/table.h"

struct histogram_row {
    uint64_t context; /* CONTEXTS idx */
    uint64_t first;   /* CELLS idx */
};

struct histograms {
    const struct mprt_rawrows *of;
    struct histogram_row *rows;
    uint64_t count;
    uint64_t cells;               /* accessed cells */
    struct mprof_range ranges[2]; /* of the columns of CELLS */
    struct cell_place *place;
};

/* The last row of CELLS that was read. Rows are mostly read in order. */
struct cell_place {
    uint64_t row;
    uint64_t end;       /* end of the histogram's rows */
    uint64_t histogram; /* number of the next histogram */
    uint64_t cell;
    uint64_t skip;
    uint64_t count;
    struct mprt_cells_reader reader;
};

static void widen(struct mprof_range *range, uint64_t value)
{
    range->low = mprof_min_u64(range->low, value);
    range->high = mprof_max_u64(range->high, value);
}

/* Counts the accessed cells of a histogram and widens the ranges. */
static void count_cells(struct histograms *h,
                        const struct mprt_context *context)
{
    struct mprt_cells_reader reader;
    uint64_t cell = 0;
    uint64_t end = 0;
    uint64_t count;

    mprt_context_cells(context, &reader);
    for (; (count = mprt_cells_next(&reader, &cell)) != 0; end = ++cell) {
        widen(&h->ranges[0], count);
        widen(&h->ranges[1], cell - end);
        h->cells++;
    }
}

static uint64_t count_histograms(const struct mprt_rawrows *rows)
{
    struct mprt_cells_reader reader;
    uint64_t count = 0;

    for (uint64_t row = 0; row < rows->context_count; row++)
        count += mprt_context_cells(&rows->rows[row].context, &reader) != 0;
    return count;
}

static void fill_histograms(struct histograms *h)
{
    struct mprt_cells_reader reader;
    uint64_t at = 0;

    for (uint64_t row = 0; row < h->of->context_count && at < h->count; row++) {
        const struct mprt_context *const c = &h->of->rows[row].context;

        if (mprt_context_cells(c, &reader) == 0)
            continue;
        h->rows[at++] =
            (struct histogram_row){.context = row, .first = h->cells};
        count_cells(h, c);
    }
    if (h->cells == 0)
        h->ranges[0] = h->ranges[1] = (struct mprof_range){.low = 0};
}

static void go_to_next(const struct histograms *h)
{
    struct cell_place *const place = h->place;
    const uint64_t i = place->histogram++;

    place->cell = 0;
    place->end = i + 1 < h->count ? h->rows[i + 1].first : h->cells;
    mprt_context_cells(&h->of->rows[h->rows[i].context].context,
                       &place->reader);
}

/* Advances to the next row. */
static void go_on(const struct histograms *h)
{
    struct cell_place *const place = h->place;

    place->row++;
    while (place->row == place->end)
        go_to_next(h);
    const uint64_t before = place->cell;
    place->count = mprt_cells_next(&place->reader, &place->cell);
    place->skip = place->cell++ - before;
}

static uint64_t get_cell(const void *context, uint32_t tag, uint64_t row)
{
    const struct histograms *const h = context;
    struct cell_place *const place = h->place;

    if (row < place->row)
        *place = (struct cell_place){.row = UINT64_MAX};
    while (place->row != row)
        go_on(h);
    return tag == MPROF_RAW_CELLS_COUNT ? place->count : place->skip;
}

/* The ranges are known already; reading all cells again would take most of the
 * time. */
static void add_cells(const struct histograms *h, struct mprof_buf *out,
                      struct mprof_dir *dir)
{
    const struct mprof_table_source source = {
        MPRT_RAWPACK_TAGS(MPROF_RAW_CELLS_COUNT, MPROF_RAW_CELLS_SKIP),
        .rows = h->cells, .get = get_cell, .context = h};
    struct mprof_buf head;

    mprt_mapbuf_init(&head);
    const size_t bytes = mprof_table_head_of(&head, &source, h->ranges);
    mprt_rawpack_section(out, &dir->sections[dir->section_count++],
                         MPROF_RAW_CELLS, &head, &source, bytes);
    mprt_mapbuf_free(&head);
}

bool mprt_rawhistograms_add(const struct mprt_rawrows *rows,
                            struct mprof_buf *out, struct mprof_dir *dir)
{
    struct cell_place place = {.row = UINT64_MAX};
    struct histograms h = {.of = rows,
                           .count = count_histograms(rows),
                           .ranges = {{.low = UINT64_MAX}, {.low = UINT64_MAX}},
                           .place = &place};

    if (h.count == 0)
        return true;
    h.rows =
        (struct histogram_row *)mprt_mapbuf_new_array(h.count, sizeof(*h.rows));
    if (h.rows == NULL)
        return false;
    fill_histograms(&h);
    mprt_rawpack_numbers(out, dir, MPROF_RAW_HISTOGRAMS,
                         &(struct mprt_rawpack_numbers){
                             MPRT_RAWPACK_TAGS(MPROF_RAW_HISTOGRAMS_CONTEXT,
                                               MPROF_RAW_HISTOGRAMS_FIRST),
                             .rows = h.count, .numbers = &h.rows->context});
    add_cells(&h, out, dir);
    mprt_mapbuf_free_array(h.rows, h.count, sizeof(*h.rows));
    return true;
}
