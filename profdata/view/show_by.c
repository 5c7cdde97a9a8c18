/* show_by.c -- the kinds of rows of the list.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"

#include <string.h>

static const struct {
    const char *name;
    enum mpdata_group_by by;
} rows[] = {
    [SHOW_BY_STACK] = {"stack", MPDATA_GROUP_BY_CALL},
    [SHOW_BY_FUNCTION] = {"function", MPDATA_GROUP_BY_FUNCTION},
    [SHOW_BY_LINE] = {"line", MPDATA_GROUP_BY_LINE},
    [SHOW_BY_FILE] = {"file", MPDATA_GROUP_BY_FILE},
    [SHOW_BY_MODULE] = {"binary", MPDATA_GROUP_BY_MODULE},
    [SHOW_BY_TYPE] = {"type", MPDATA_GROUP_BY_CALL},
    [SHOW_BY_THREAD] = {"thread", MPDATA_GROUP_BY_CALL},
    [SHOW_BY_POOL] = {"pool", MPDATA_GROUP_BY_CALL},
    [SHOW_BY_CALL] = {"call", MPDATA_GROUP_BY_CALL},
};

const char *show_by_name(enum show_by by)
{
    return rows[by].name;
}

const char *show_by_plural(enum show_by by)
{
    static const char *const plurals[] = {
        [SHOW_BY_STACK] = "stacks",    [SHOW_BY_FUNCTION] = "functions",
        [SHOW_BY_LINE] = "lines",      [SHOW_BY_FILE] = "files",
        [SHOW_BY_MODULE] = "binaries", [SHOW_BY_TYPE] = "types",
        [SHOW_BY_THREAD] = "threads",  [SHOW_BY_POOL] = "pools",
        [SHOW_BY_CALL] = "calls"};

    return plurals[by];
}

bool show_by_is_name(enum show_by by)
{
    return by == SHOW_BY_TYPE || by == SHOW_BY_THREAD || by == SHOW_BY_POOL;
}

enum mpdata_group_by show_by_groups(enum show_by by)
{
    return rows[by].by;
}
