/* numbers.h -- pointers, numbered from 0 in the order of their first mention.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_NUMBERS_H
#define MPASS_NUMBERS_H

#include <stddef.h>

#define MPASS_NO_NUMBER (~0u)

/* Numbers pointers from 0 in the order of their first mention. Starts as {0}.
 */
struct mpass_numbers {
    const void **keys;
    unsigned *values;
    size_t capacity; /* a power of two, or 0 */
    unsigned count;
};

unsigned mpass_numbers_of(struct mpass_numbers *numbers, const void *key);
/* The number, or MPASS_NO_NUMBER. */
unsigned mpass_numbers_find(const struct mpass_numbers *numbers,
                            const void *key);
void mpass_numbers_fini(struct mpass_numbers *numbers);

#endif
