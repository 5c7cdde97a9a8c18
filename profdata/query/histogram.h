/* histogram.h -- where the blocks of a call stack were accessed, in rows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_HISTOGRAM_H
#define MPDATA_HISTOGRAM_H

#include "profdata/model/profile.h"

#define MPDATA_HISTOGRAM_CELL_BYTES 8
#define MPDATA_HISTOGRAM_ROWS_MAX 64
/* Of blocks that the program named where cells are not counted. Where one
 * begins is known up to half of that. */
#define MPDATA_HISTOGRAM_PLACE_BYTES 64

/* rows[i]: accesses to row_bytes bytes from i * row_bytes on. */
struct mpdata_histogram {
    uint64_t row_bytes;
    uint64_t rows[MPDATA_HISTOGRAM_ROWS_MAX];
    uint32_t count; /* 0: there is no histogram, or nothing in it */
    uint64_t most;  /* of a row */
    uint64_t all;
    bool is_of_places; /* of the blocks that the program named */
};

/* Of offsets in the block, or where element_bytes (a multiple of the cell's) is
 * not 0 of those in an array's elements. Rows are as many cells each as make no
 * more rows than there may be. Of places where there are no cells: then
 * elements must be multiples of those, or whole blocks are meant. */
void mpdata_histogram_make(struct mpdata_histogram *histogram,
                           const struct mpdata_view *view, uint32_t context,
                           uint64_t element_bytes);

/* Where the smallest and the largest block of the call stack are arrays of its
 * type, the size of an element, if it is several cells; or 0. */
uint64_t mpdata_histogram_element(const struct mpdata_view *view,
                                  uint32_t context);

#endif
