/* numbers.c -- a hash table with open addresses, never deleted from.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/support/numbers.h"

#include "pass/support/memory.h"
#include "shared/base.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct mpass_numbers *numbers, const void *key)
{
    size_t i =
        (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
        (numbers->capacity - 1);

    while (numbers->keys[i] != NULL && numbers->keys[i] != key)
        i = (i + 1) & (numbers->capacity - 1);
    return i;
}

static void grow(struct mpass_numbers *numbers)
{
    struct mpass_numbers larger = {.capacity = numbers->capacity * 2 + 64};

    while ((larger.capacity & (larger.capacity - 1)) != 0)
        larger.capacity &= larger.capacity - 1;
    larger.keys =
        mpass_memory_allocate(NULL, larger.capacity, sizeof(*larger.keys));
    memset(larger.keys, 0, larger.capacity * sizeof(*larger.keys));
    larger.values =
        mpass_memory_allocate(NULL, larger.capacity, sizeof(*larger.values));
    for (size_t i = 0; i < numbers->capacity; i++) {
        if (numbers->keys[i] == NULL)
            continue;
        const size_t slot = slot_of(&larger, numbers->keys[i]);
        larger.keys[slot] = numbers->keys[i];
        larger.values[slot] = numbers->values[i];
    }
    larger.count = numbers->count;
    mpass_numbers_fini(numbers);
    *numbers = larger;
}

unsigned mpass_numbers_of(struct mpass_numbers *numbers, const void *key)
{
    size_t slot;

    if (numbers->count * 2 >= numbers->capacity)
        grow(numbers);
    slot = slot_of(numbers, key);
    if (numbers->keys[slot] == NULL) {
        numbers->keys[slot] = key;
        numbers->values[slot] = numbers->count++;
    }
    return numbers->values[slot];
}

unsigned mpass_numbers_find(const struct mpass_numbers *numbers,
                            const void *key)
{
    size_t slot;

    if (numbers->capacity == 0)
        return MPASS_NO_NUMBER;
    slot = slot_of(numbers, key);
    return numbers->keys[slot] == NULL ? MPASS_NO_NUMBER
                                       : numbers->values[slot];
}

void mpass_numbers_fini(struct mpass_numbers *numbers)
{
    free(numbers->keys);
    free(numbers->values);
    *numbers = (struct mpass_numbers){0};
}
