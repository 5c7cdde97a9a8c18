/* symcache_splits.c -- files of split DWARF that symbols depend on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache_splits.h"
#include "profdata/symbols/debugfile.h"

#include <stdlib.h>
#include <string.h>

void mpdata_symcache_splits_fini(struct mpdata_vec *splits)
{
    struct mpdata_symcache_split *const rows =
        (struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++)
        free(rows[i].path);
    mpdata_vec_fini(splits);
}

bool mpdata_symcache_splits_push(struct mpdata_vec *splits, const char *path,
                                 size_t size, uint64_t stamp)
{
    struct mpdata_symcache_split *const row =
        (struct mpdata_symcache_split *)mpdata_vec_push(splits);

    if (row == NULL)
        return false;
    row->path = strndup(path, size);
    row->stamp = stamp;
    return row->path != NULL;
}

bool mpdata_symcache_splits_add(struct mpdata_vec *splits, const char *path)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++) {
        if (strcmp(rows[i].path, path) == 0)
            return true;
    }
    return mpdata_symcache_splits_push(splits, path, strlen(path),
                                       mpdata_debugfile_stamp(path));
}
