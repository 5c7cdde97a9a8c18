/* histogram.h -- a histogram of the accesses to the blocks of a call stack, in
 * rows of offsets.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

#define MPDATA_HISTOGRAM_CELL_BYTES 8
#define MPDATA_HISTOGRAM_ROWS_MAX 64
/* Size of a part where only accesses to named blocks are known
 * (MPROF_DETAIL_PLACE). Offsets are precise to half of it. */
#define MPDATA_HISTOGRAM_PLACE_BYTES 64

/* rows[i]: number of accesses to row_bytes bytes from offset i * row_bytes on.
 */
struct mpdata_histogram {
    uint64_t row_bytes;
    uint64_t rows[MPDATA_HISTOGRAM_ROWS_MAX];
    uint32_t count; /* 0: no histogram, or no accesses */
    uint64_t most;  /* largest row */
    uint64_t all;
    bool is_of_places; /* of blocks that the program named, not of cells */
};

/* Makes the histogram by offset in the block or, if element_bytes is not 0, by
 * offset in the elements of an array; it must be a multiple of the cell size.
 * Rows have as many cells as are needed to keep to MPDATA_HISTOGRAM_ROWS_MAX.
 * Without cells, uses the accesses to named blocks; if element_bytes is not a
 * multiple of their part size then, offsets are those in the block. */
void mpdata_histogram_make(struct mpdata_histogram *histogram,
                           const struct mpdata_view *view, uint32_t context,
                           uint64_t element_bytes);

/* Returns the size of an element if the smallest and the largest block are
 * arrays of the call stack's type and an element is larger than a cell; else 0.
 */
uint64_t mpdata_histogram_element(const struct mpdata_view *view,
                                  uint32_t context);
