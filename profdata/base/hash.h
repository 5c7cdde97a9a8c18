/* hash.h -- hashes for tables in memory. What a file holds decides which keys a
 * table gets, so the hash depends on two random words that no file can know:
 * nobody can make a file whose keys all fall on one slot. Orders and bytes that
 * are written never depend on them, and no hash is written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_HASH_H
#define MPDATA_HASH_H

#include "shared/base.h"

/* Set before main() or by dlopen(), other in each process; only tests write
 * them. */
extern uint64_t mpdata_hash_secret[2];

/* A hash of two words: the two halves of a product, folded. */
static inline uint64_t mpdata_hash_words(uint64_t a, uint64_t b)
{
    const unsigned __int128 product =
        (unsigned __int128)(a ^ mpdata_hash_secret[0]) *
        (b ^ mpdata_hash_secret[1]);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A hash of bytes; data may be NULL where size is 0. */
uint64_t mpdata_hash_bytes(const void *data, size_t size);

#endif
