/* vec.h -- arrays that grow.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Rows of elem_bytes each, owned. Initialise with {.elem_bytes = ...}. */
struct mpdata_vec {
    void *data;
    uint32_t count;
    uint32_t capacity;
    uint32_t elem_bytes;
};

/* The most rows: a row's index + 1 must be a 32-bit number. */
#define MPDATA_VEC_ROWS_MAX (UINT32_MAX - 1)

/* Appends a zeroed row; NULL when out of memory or with too many rows. */
void *mpdata_vec_push(struct mpdata_vec *vec);
/* Appends a copy of *row; false likewise. */
bool mpdata_vec_add(struct mpdata_vec *vec, const void *row);

/* Makes room for `count` rows in all; false when out of memory. */
bool mpdata_vec_reserve(struct mpdata_vec *vec, uint32_t count);

void mpdata_vec_fini(struct mpdata_vec *vec);

/* calloc() of count rows that also returns memory for 0 rows, so that NULL
 * always means failure. */
void *mpdata_vec_array(size_t count, size_t elem_bytes);

/* Index of the first row whose 64-bit number at offset number_off is at least
 * `number`; count if there is none. The rows ascend by that number. */
size_t mpdata_vec_first(const void *rows, size_t count, size_t row_bytes,
                        size_t number_off, uint64_t number);

/* A row and the number that ranks it. */
struct mpdata_ranked {
    uint64_t value;
    uint32_t row;
};

/* Sorts by value, largest first; equal values by row. */
void mpdata_vec_rank(struct mpdata_ranked *ranked, size_t count);
