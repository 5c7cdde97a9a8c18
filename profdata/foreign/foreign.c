/* foreign.c -- the table of other tools' formats.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/foreign/foreign.h"

#define X(name, title) {title, mpdata_##name##_is, mpdata_##name##_read},
static const struct mpdata_foreign formats[] = {MPDATA_FOREIGN_FORMATS(X)};
#undef X

const struct mpdata_foreign *mpdata_foreign_find(const uint8_t *data,
                                                 size_t size)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(formats); i++) {
        if (formats[i].is(data, size))
            return &formats[i];
    }
    return NULL;
}
