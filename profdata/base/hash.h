/* hash.h -- hashes for tables in memory. A file's content decides which keys a
 * table gets, so the hash depends on two random words that are unknown outside
 * the process: nobody can craft a file whose keys all collide. Orders and
 * written bytes never depend on the words, and no hash is written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Set before main() or by dlopen(), differs by process; tests write them. */
extern uint64_t mpdata_hash_secret[2];

/* Hash of two words: the two halves of their product, folded. */
static inline uint64_t mpdata_hash_words(uint64_t a, uint64_t b)
{
    const unsigned __int128 product =
        (unsigned __int128)(a ^ mpdata_hash_secret[0]) *
        (b ^ mpdata_hash_secret[1]);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hash of bytes; data may be NULL if size is 0. */
uint64_t mpdata_hash_bytes(const void *data, size_t size);
