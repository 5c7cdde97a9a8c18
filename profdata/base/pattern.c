/* pattern.c -- patterns of names with stars. Where the rest does not fit, the
 * last star stands for more; earlier ones need not.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/pattern.h"

bool mpdata_pattern_fits(const char *pattern, const char *name)
{
    const bool is_whole = pattern[0] == '^';
    const char *p = pattern + is_whole;
    const char *n = name;
    const char *star = is_whole ? NULL : p; /* behind it */
    const char *from = name;                /* and what was tried for it */

    for (;;) {
        if (*p == '*') {
            star = ++p;
            from = n;
        } else if (*p == '\0' || (p[0] == '$' && p[1] == '\0' && *n == '\0')) {
            return true;
        } else if (*n != '\0' && *p == *n) {
            p++;
            n++;
        } else if (star != NULL && *from != '\0') {
            p = star;
            n = ++from;
        } else {
            return false;
        }
    }
}
