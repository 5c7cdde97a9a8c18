/* histogram.c -- where blocks were accessed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/histogram.h"
#include "profdata/query/types.h"

void mpdata_histogram_make(struct mpdata_histogram *histogram,
                           const struct mpdata_view *view, uint32_t context,
                           uint64_t element_bytes)
{
    const uint64_t cells = mpdata_view_mib_field(
        view, context, MPROF_MIB_INDEX_AccessHistogramSize);
    const uint64_t element = element_bytes / MPDATA_HISTOGRAM_CELL_BYTES;
    const uint64_t shown = element != 0 ? mprof_min_u64(cells, element) : cells;
    const uint64_t row_cells = shown / MPDATA_HISTOGRAM_ROWS_MAX +
                               (shown % MPDATA_HISTOGRAM_ROWS_MAX != 0);
    struct mpdata_cells left = view->contexts[context].cells;
    struct mpdata_cells_run run;

    *histogram = (struct mpdata_histogram){
        .row_bytes = row_cells * MPDATA_HISTOGRAM_CELL_BYTES};
    if (left.words == NULL || shown == 0)
        return;
    while (mpdata_cells_next_run(&left, &run)) {
        for (uint64_t i = 0; i < run.count; i++) {
            const uint64_t cell = run.first + i;
            uint64_t *const row =
                &histogram
                     ->rows[(element != 0 ? cell % element : cell) / row_cells];

            *row = mprof_add_sat_u64(*row, run.counts[i]);
            histogram->all = mprof_add_sat_u64(histogram->all, run.counts[i]);
        }
    }
    for (size_t i = 0; i < MPDATA_HISTOGRAM_ROWS_MAX; i++)
        histogram->most = mprof_max_u64(histogram->most, histogram->rows[i]);
    if (histogram->all != 0)
        histogram->count = (uint32_t)((shown + row_cells - 1) / row_cells);
}

/* A block of one element is shown as it is, and so is one of single cells. */
uint64_t mpdata_histogram_element(const struct mpdata_view *view,
                                  uint32_t context)
{
    const uint64_t least =
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MinSize);
    const uint64_t most =
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MaxSize);
    const uint64_t bytes =
        mpdata_types_bytes(view, view->contexts[context].node);
    const bool is_array = bytes > MPDATA_HISTOGRAM_CELL_BYTES &&
                          bytes % MPDATA_HISTOGRAM_CELL_BYTES == 0 &&
                          most > bytes && least % bytes == 0 &&
                          most % bytes == 0;

    return is_array ? bytes : 0;
}
