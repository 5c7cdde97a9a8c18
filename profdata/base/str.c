/* str.c -- strings with a size.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"

#include <string.h>

int mpdata_str_compare(const void *left, const void *right)
{
    const struct mpdata_str *a = left;
    const struct mpdata_str *b = right;
    const size_t n = a->size < b->size ? a->size : b->size;
    const int order = n != 0 ? memcmp(a->bytes, b->bytes, n) : 0;

    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}
