/* hash.c -- a hash of bytes, and the random words of all hashes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t mpdata_hash_secret[2];

/* The bytes of AT_RANDOM are no choice: they are the stack protector's canary
 * and the key of mangled pointers. getrandom() may fail under a filter of
 * system calls or early in a boot. Then addresses, the time and the process id
 * must do; the author of a file knows none of them. */
__attribute__((constructor)) static void take_secret(void)
{
    struct timespec now;

    if (getrandom(mpdata_hash_secret, sizeof(mpdata_hash_secret),
                  GRND_NONBLOCK) != (ssize_t)sizeof(mpdata_hash_secret)) {
        if (clock_gettime(CLOCK_REALTIME, &now) != 0)
            now = (struct timespec){.tv_sec = 0};
        mpdata_hash_secret[0] = UINT64_C(0x9e3779b97f4a7c15);
        mpdata_hash_secret[1] = UINT64_C(0xbf58476d1ce4e5b9);
        mpdata_hash_secret[0] =
            mpdata_hash_words((uintptr_t)&now, (uint64_t)now.tv_nsec);
        mpdata_hash_secret[1] =
            mpdata_hash_words((uintptr_t)&mpdata_hash_secret,
                              (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 32);
    }
    /* A factor of 0 would make all products 0. */
    mpdata_hash_secret[0] |= 1;
    mpdata_hash_secret[1] |= 1;
}

uint64_t mpdata_hash_bytes(const void *data, size_t size)
{
    const unsigned char *at = data;
    uint64_t hash = size;
    uint64_t word = 0;

    for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        hash = mpdata_hash_words(hash, word);
    }
    if (size == 0)
        return hash;
    word = 0;
    memcpy(&word, at, size);
    return mpdata_hash_words(hash, word);
}
