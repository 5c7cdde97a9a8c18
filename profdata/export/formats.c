/* formats.c -- the table of formats.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/formats.h"

#include <string.h>

#define X(id, name, needs, part, has_chosen, help) \
    {name,                                         \
     help,                                         \
     MPDATA_METRIC_##needs,                        \
     MPROF_TAG_##part,                             \
     has_chosen,                                   \
     mpdata_##id##_write},
const struct mpdata_format mpdata_formats[] = {MPDATA_FORMATS(X){
    NULL, NULL, MPDATA_METRIC_NONE, MPROF_TAG_NONE, false, NULL}};
#undef X

const struct mpdata_format *mpdata_formats_find(const char *name)
{
    for (const struct mpdata_format *f = mpdata_formats; f->name != NULL; f++) {
        if (strcmp(f->name, name) == 0)
            return f;
    }
    return NULL;
}
