/* utf8.c -- validates UTF-8.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"

size_t mpdata_utf8_character(const uint8_t *s, size_t size)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t c = s[0] & (0x7fu >> n);

    if (n == 1)
        return 1;
    if (s[0] < 0xc0 || s[0] > 0xf7 || n > size)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    return c < smallest[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0
                                                                          : n;
}

bool mpdata_utf8_is(const uint8_t *s, size_t size)
{
    for (size_t i = 0; i < size;) {
        const size_t n = mpdata_utf8_character(s + i, size - i);

        if (n == 0)
            return false;
        i += n;
    }
    return true;
}
