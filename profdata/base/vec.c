/* vec.c -- arrays that grow by doubling.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 16u

bool mpdata_vec_reserve(struct mpdata_vec *vec, uint32_t count)
{
    size_t bytes;
    void *data;

    if (count <= vec->capacity)
        return true;
    if (__builtin_mul_overflow((size_t)count, (size_t)vec->elem_bytes, &bytes))
        return false;
    data = realloc(vec->data, bytes);
    if (data == NULL)
        return false;
    vec->data = data;
    vec->capacity = count;
    return true;
}

void *mpdata_vec_push(struct mpdata_vec *vec)
{
    uint32_t capacity = vec->capacity;

    if (vec->count == capacity) {
        if (capacity >= MPDATA_VEC_ROWS_MAX)
            return NULL;
        if (capacity < CAPACITY_MIN)
            capacity = CAPACITY_MIN;
        else if (capacity > MPDATA_VEC_ROWS_MAX / 2)
            capacity = MPDATA_VEC_ROWS_MAX;
        else
            capacity *= 2;
        if (!mpdata_vec_reserve(vec, capacity))
            return NULL;
    }
    uint8_t *row = (uint8_t *)vec->data + (size_t)vec->count * vec->elem_bytes;
    memset(row, 0, vec->elem_bytes);
    vec->count++;
    return row;
}

bool mpdata_vec_add(struct mpdata_vec *vec, const void *row)
{
    void *const copy = mpdata_vec_push(vec);

    if (copy != NULL)
        memcpy(copy, row, vec->elem_bytes);
    return copy != NULL;
}

void mpdata_vec_fini(struct mpdata_vec *vec)
{
    free(vec->data);
    vec->data = NULL;
    vec->count = 0;
    vec->capacity = 0;
}

void *mpdata_vec_array(size_t count, size_t elem_bytes)
{
    return calloc(count != 0 ? count : 1, elem_bytes);
}

size_t mpdata_vec_first(const void *rows, size_t count, size_t row_bytes,
                        size_t number_off, uint64_t number)
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        uint64_t value;

        memcpy(&value, (const uint8_t *)rows + middle * row_bytes + number_off,
               sizeof(value));
        if (value < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

MPROF_COMPARATOR(compare_ranked, struct mpdata_ranked,
                 MPROF_DOWN(value) ?: MPROF_UP(row))

void mpdata_vec_rank(struct mpdata_ranked *ranked, size_t count)
{
    qsort(ranked, count, sizeof(*ranked), compare_ranked);
}
