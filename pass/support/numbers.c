/* numbers.c -- a hash table with open addressing, without deletion.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/support/numbers.h"

#include "pass/support/memory.h"

#include <stdint.h>
#include <string.h>

static size_t slot_of(const struct mpass_numbers *numbers, const void *key)
{
    size_t i =
        (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
        (numbers->capacity - 1);

    while (numbers->slots[i] != MPASS_NO_NUMBER &&
           numbers->keys[numbers->slots[i]] != key)
        i = (i + 1) & (numbers->capacity - 1);
    return i;
}

static void grow(struct mpass_numbers *numbers)
{
    numbers->capacity = numbers->capacity == 0 ? 64 : numbers->capacity * 2;
    numbers->keys = mpass_memory_allocate(numbers->keys, numbers->capacity / 2,
                                          sizeof(*numbers->keys));
    numbers->slots = mpass_memory_allocate(numbers->slots, numbers->capacity,
                                           sizeof(*numbers->slots));
    memset(numbers->slots, 0xff, numbers->capacity * sizeof(*numbers->slots));
    for (unsigned i = 0; i < numbers->count; i++)
        numbers->slots[slot_of(numbers, numbers->keys[i])] = i;
}

unsigned mpass_numbers_of(struct mpass_numbers *numbers, const void *key)
{
    if ((size_t)numbers->count * 2 >= numbers->capacity)
        grow(numbers);
    const size_t slot = slot_of(numbers, key);
    if (numbers->slots[slot] == MPASS_NO_NUMBER) {
        numbers->keys[numbers->count] = (void *)(uintptr_t)key;
        numbers->slots[slot] = numbers->count++;
    }
    return numbers->slots[slot];
}

unsigned mpass_numbers_find(const struct mpass_numbers *numbers,
                            const void *key)
{
    return numbers->capacity == 0 ? MPASS_NO_NUMBER
                                  : numbers->slots[slot_of(numbers, key)];
}

void mpass_numbers_fini(struct mpass_numbers *numbers)
{
    free(numbers->keys);
    free(numbers->slots);
    *numbers = (struct mpass_numbers){0};
}
