/* member.h -- members of structs by offset and size, for tables that describe
 * structs. A member is a number of 4 or 8 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

#include <stddef.h>
#include <string.h>

struct mpdata_member {
    uint16_t offset;
    uint16_t bytes; /* 0: none */
};

#define MPDATA_MEMBER(type, member)                      \
    {                                                    \
        (uint16_t) offsetof(struct type, member),        \
            sizeof(((const struct type *)NULL)->member), \
    }

static inline uint64_t mpdata_member_get(struct mpdata_member member,
                                         const void *row)
{
    const uint8_t *const from = (const uint8_t *)row + member.offset;
    uint64_t number;
    uint32_t low;

    if (member.bytes == sizeof(number)) {
        memcpy(&number, from, sizeof(number));
        return number;
    }
    memcpy(&low, from, sizeof(low));
    return low;
}

static inline void mpdata_member_set(struct mpdata_member member, void *row,
                                     uint64_t number)
{
    uint8_t *const to = (uint8_t *)row + member.offset;
    const uint32_t low = (uint32_t)number;

    if (member.bytes == sizeof(number))
        memcpy(to, &number, sizeof(number));
    else
        memcpy(to, &low, sizeof(low));
}
