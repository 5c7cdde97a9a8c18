/* symcache_trim.h -- the cache of symbols stays of a size.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMCACHE_TRIM_H
#define MPDATA_SYMCACHE_TRIM_H

#include "shared/base.h"

/* Files are spread over 256 folders by the first byte of their build ids, and
 * each folder is kept to this size, or to its newest file where that is larger:
 * 1 GiB or so in all. */
#define MPDATA_SYMCACHE_FOLDER_BYTES (UINT64_C(4) << 20)

/* Marks the file at `path` as used now. */
void mpdata_symcache_trim_touch(const char *path);

/* Removes the files in the folder of `path` that were not used for the longest
 * time, until it has at most max_bytes; never the one at `path`. What cannot be
 * read or removed stays. */
void mpdata_symcache_trim(const char *path, uint64_t max_bytes);

#endif
