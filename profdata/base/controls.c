/* controls.c -- control characters.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"

#include <string.h>

#define DELETE 0x7f
/* U+0080 to U+009F: this byte, then a byte 100xxxxx. */
#define HIGH_FIRST 0xc2
#define HIGH_SECOND 0x80
#define HIGH_SECOND_MASK 0xe0

size_t mpdata_controls_bytes(const char *text, size_t size)
{
    const unsigned char *const s = (const unsigned char *)text;

    if (size == 0)
        return 0;
    if (size > 1 && s[0] == HIGH_FIRST &&
        (s[1] & HIGH_SECOND_MASK) == HIGH_SECOND)
        return 2;
    return s[0] < ' ' || s[0] == DELETE;
}

void mpdata_controls_replace(char *text, size_t size, char with)
{
    const char *const end = text + size;

    while (text < end) {
        const size_t bytes = mpdata_controls_bytes(text, (size_t)(end - text));

        memset(text, with, bytes);
        text += bytes != 0 ? bytes : 1;
    }
}
