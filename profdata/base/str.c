/* str.c -- strings of a size.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"
#include "profdata/base/hash.h"

#include <string.h>

uint64_t mpdata_str_hash(const void *key)
{
    const struct mpdata_str *s = key;

    return mpdata_hash_bytes(s->bytes, s->size);
}

bool mpdata_str_equal(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_str *a = (const struct mpdata_str *)rows + row;
    const struct mpdata_str *b = key;

    return a->size == b->size &&
           (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

int mpdata_str_compare(const void *left, const void *right)
{
    const struct mpdata_str *a = left;
    const struct mpdata_str *b = right;
    const size_t n = a->size < b->size ? a->size : b->size;
    const int order = n != 0 ? memcmp(a->bytes, b->bytes, n) : 0;

    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}
