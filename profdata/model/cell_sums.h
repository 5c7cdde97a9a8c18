/* cell_sums.h -- histograms on their way into others. A sum takes time by all
 * of both, so what is little beside the histogram it belongs to waits, is added
 * to what else waits, and joins once it is much: cells that come in any number
 * of histograms take n log n steps. What waits takes less memory than what it
 * waits for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CELL_SUMS_H
#define MPDATA_CELL_SUMS_H

#include "profdata/model/cells.h"

/* Histograms belong to owners, which have numbers. */
struct mpdata_cell_sums;

/* NULL without memory. Free with mpdata_cell_sums_free(), which takes NULL. */
struct mpdata_cell_sums *mpdata_cell_sums_new(void);
void mpdata_cell_sums_free(struct mpdata_cell_sums *sums);

/* Adds `cells` to *into, the owner's histogram, whose words are malloc'd, or
 * lets them wait. Both are there. */
void mpdata_cell_sums_add(struct mpdata_cell_sums *sums, uint32_t owner,
                          struct mpdata_cells *into, struct mpdata_cells cells);

/* Adds what waits to the owners' histograms: *first is that of owner 0, each
 * following one is so many bytes behind. Writes nothing where nothing waits. */
void mpdata_cell_sums_flush(struct mpdata_cell_sums *sums,
                            struct mpdata_cells *first, size_t row_bytes);

/* Forgets what waits for the owner. */
void mpdata_cell_sums_drop(struct mpdata_cell_sums *sums, uint32_t owner);

/* Was there no memory for something? It is missing then. */
bool mpdata_cell_sums_failed(const struct mpdata_cell_sums *sums);

#endif
