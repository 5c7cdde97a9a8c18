/* build_id.c -- bytes to hexadecimal digits.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/build_id.h"

#include <string.h>

const char *mpdata_build_id_text(const char *build_id, size_t size,
                                 char out[MPDATA_BUILD_ID_TEXT_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;

    if (size == 0)
        return memcpy(out, "none", sizeof("none"));
    for (size_t i = 0; i < size && n + 2 < MPDATA_BUILD_ID_TEXT_BYTES; i++) {
        const unsigned char byte = (unsigned char)build_id[i];

        out[n++] = digits[byte >> 4];
        out[n++] = digits[byte & 15];
    }
    out[n] = '\0';
    return out;
}
