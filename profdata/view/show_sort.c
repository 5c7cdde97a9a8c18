/* show_sort.c -- what may be sorted by, and what it is called.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"

#include <string.h>

size_t show_sort_field(enum show_sort sort)
{
    switch (sort) {
    case SHOW_SORT_BYTES:
        return MPROF_MIB_INDEX_TotalSize;
    case SHOW_SORT_BLOCKS:
        return MPROF_MIB_INDEX_AllocCount;
    case SHOW_SORT_ACCESSES:
        return MPROF_MIB_INDEX_TotalAccessCount;
    case SHOW_SORT_LIFETIME:
        return MPROF_MIB_INDEX_TotalLifetimeNs;
    case SHOW_SORT_LIVE:
        return MPROF_MIB_INDEX_LiveBytes;
    }
    return MPROF_MIB_INDEX_TotalSize;
}

bool show_sort_find(const char *name, enum show_sort *sort)
{
    static const char *const names[] = {[SHOW_SORT_BYTES] = "bytes",
                                        [SHOW_SORT_BLOCKS] = "blocks",
                                        [SHOW_SORT_ACCESSES] = "accesses",
                                        [SHOW_SORT_LIFETIME] = "lifetime",
                                        [SHOW_SORT_LIVE] = "live"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *sort = (enum show_sort)i;
            return true;
        }
    }
    return false;
}

const char *show_sort_title(enum show_sort sort)
{
    switch (sort) {
    case SHOW_SORT_BYTES:
        return "bytes allocated";
    case SHOW_SORT_BLOCKS:
        return "blocks allocated";
    case SHOW_SORT_ACCESSES:
        return "accesses";
    case SHOW_SORT_LIFETIME:
        return "lifetime of all blocks";
    case SHOW_SORT_LIVE:
        return "bytes live at the end";
    }
    return "";
}
