/* guid.c -- GUIDs of functions, as LLVM computes them for memory profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "shared/le.h"

#include <md5.h> /* libmd */
#include <string.h>

/* LLVM strips a suffix only if no dot follows: the last dot of the name must be
 * the suffix's. */
static size_t strip_suffix(const char *name, size_t size, const char *suffix,
                           size_t suffix_size)
{
    const char *dot = size != 0 ? memrchr(name, '.', size) : NULL;

    if (dot == NULL)
        return size;
    if ((size_t)(dot - name) + 1 < suffix_size)
        return size;
    size_t start = (size_t)(dot - name) + 1 - suffix_size;
    return memcmp(name + start, suffix, suffix_size) == 0 ? start : size;
}

uint64_t mpdata_guid(const char *name, size_t size)
{
    uint8_t digest[MD5_DIGEST_LENGTH];
    MD5_CTX md5;

    size = strip_suffix(name, size, ".llvm.", 6);
    size = strip_suffix(name, size, ".part.", 6);
    MD5Init(&md5);
    MD5Update(&md5, (const uint8_t *)name, size);
    MD5Final(digest, &md5);
    return mprof_le_load64(digest);
}
