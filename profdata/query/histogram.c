/* histogram.c -- sums up accesses by offset in the block.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/histogram.h"
#include "profdata/model/details.h"
#include "profdata/query/members.h"
#include "profdata/query/frames.h"

/* How blocks are divided: parts of part_bytes, grouped into rows; elements of
 * arrays are overlaid. */
struct cut {
    uint64_t part_bytes;
    uint64_t element; /* parts per element; 0: no elements */
    uint64_t row;     /* parts per row */
    uint64_t shown;   /* number of parts shown */
};

static struct cut make_cut(uint64_t parts, uint64_t part_bytes,
                           uint64_t element_bytes)
{
    const uint64_t element =
        element_bytes % part_bytes == 0 ? element_bytes / part_bytes : 0;
    const uint64_t shown = element != 0 ? mprof_min_u64(parts, element) : parts;

    return (struct cut){.part_bytes = part_bytes,
                        .element = element,
                        .row = shown / MPDATA_HISTOGRAM_ROWS_MAX +
                               (shown % MPDATA_HISTOGRAM_ROWS_MAX != 0),
                        .shown = shown};
}

/* Adds an access to a part. A part beyond the largest block, possible in
 * hostile files, counts in the last row. */
static void add(struct mpdata_histogram *h, const struct cut *cut,
                uint64_t part, uint64_t count)
{
    const uint64_t at = cut->element != 0 ? part % cut->element
                                          : mprof_min_u64(part, cut->shown - 1);
    uint64_t *const row =
        &h->rows[mprof_min_u64(at, cut->shown - 1) / cut->row];

    *row = mprof_add_sat_u64(*row, count);
    h->all = mprof_add_sat_u64(h->all, count);
}

static void add_cells(struct mpdata_histogram *h, const struct cut *cut,
                      struct mpdata_cells_cursor cell)
{
    while (mpdata_cells_next(&cell))
        add(h, cut, cell.cell, cell.count);
}

static void add_places(struct mpdata_histogram *h, const struct cut *cut,
                       struct mpdata_details places)
{
    for (uint32_t i = 0; i < places.count; i++)
        add(h, cut,
            (uint64_t)places.rows[i].key * MPROF_DETAIL_PLACE_BYTES /
                cut->part_bytes,
            places.rows[i].count);
}

void mpdata_histogram_make(struct mpdata_histogram *histogram,
                           const struct mpdata_view *view, uint32_t context,
                           uint64_t element_bytes)
{
    const struct mpdata_context *const c = &view->contexts[context];
    const struct mpdata_details places =
        mpdata_details_of(view, c, MPROF_DETAIL_PLACE);
    const bool has_cells = c->cells.words != NULL;
    const struct mpdata_cells_cursor first = MPDATA_VIEW_CELLS(view, c);
    const uint64_t cells = mpdata_view_cells(
        view, mpdata_view_mib_field(view, context,
                                    MPROF_MIB_INDEX_AccessHistogramSize));
    const uint64_t bytes =
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MaxSize);
    const struct cut cut =
        has_cells ? make_cut(cells, MPDATA_HISTOGRAM_CELL_BYTES, element_bytes)
                  : make_cut(bytes / MPDATA_HISTOGRAM_PLACE_BYTES +
                                 (bytes % MPDATA_HISTOGRAM_PLACE_BYTES != 0),
                             MPDATA_HISTOGRAM_PLACE_BYTES, element_bytes);

    *histogram = (struct mpdata_histogram){
        .row_bytes = cut.row * cut.part_bytes, .is_of_places = !has_cells};
    if (cut.shown == 0 || (!has_cells && places.count == 0))
        return;
    if (has_cells)
        add_cells(histogram, &cut, first);
    else
        add_places(histogram, &cut, places);
    for (size_t i = 0; i < MPDATA_HISTOGRAM_ROWS_MAX; i++)
        histogram->most = mprof_max_u64(histogram->most, histogram->rows[i]);
    if (histogram->all != 0)
        histogram->count = (uint32_t)((cut.shown + cut.row - 1) / cut.row);
}

/* An array must have more than one element, and elements more than one cell. */
uint64_t mpdata_histogram_element(const struct mpdata_view *view,
                                  uint32_t context)
{
    const uint64_t least =
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MinSize);
    const uint64_t most =
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MaxSize);
    const uint64_t bytes =
        mpdata_types_bytes(view, view->contexts[context].node);
    const bool is_array =
        bytes > MPDATA_HISTOGRAM_CELL_BYTES &&
        bytes % MPDATA_HISTOGRAM_CELL_BYTES == 0 && most > bytes &&
        least % bytes == 0 && most % bytes == 0 &&
        !mpdata_members_is_single(view, view->contexts[context].node);

    return is_array ? bytes : 0;
}
