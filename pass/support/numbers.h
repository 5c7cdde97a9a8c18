/* numbers.h -- a hash table that numbers pointers from 0, in the order in which
 * they are added.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MPASS_NO_NUMBER (~0u)

/* Initialize with {0}. */
struct mpass_numbers {
    void **keys; /* by number */
    unsigned count;
    unsigned *slots; /* a hash table of numbers */
    size_t capacity; /* of the table: a power of two, or 0 */
};

/* The pointer's number; adds the pointer if it is new. */
unsigned mpass_numbers_of(struct mpass_numbers *numbers, const void *key);
/* The number, or MPASS_NO_NUMBER. */
unsigned mpass_numbers_find(const struct mpass_numbers *numbers,
                            const void *key);
void mpass_numbers_fini(struct mpass_numbers *numbers);

static inline bool mpass_numbers_has(const struct mpass_numbers *numbers,
                                     const void *key)
{
    return mpass_numbers_find(numbers, key) != MPASS_NO_NUMBER;
}
