/* by.c -- names of what rows stand for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/by.h"

const char *mpdata_by_name(enum mpdata_by by)
{
    static const char *const names[] = {
        [MPDATA_BY_STACK] = "stack",   [MPDATA_BY_FUNCTION] = "function",
        [MPDATA_BY_LINE] = "line",     [MPDATA_BY_FILE] = "file",
        [MPDATA_BY_BINARY] = "binary", [MPDATA_BY_TYPE] = "type",
        [MPDATA_BY_THREAD] = "thread", [MPDATA_BY_POOL] = "pool",
        [MPDATA_BY_CALL] = "call"};

    return names[by];
}
