/* interpose_wcs.c -- functions of wide strings that shared/libc_calls.inc does
 * not have.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"
#include "rt/api/functions.h"

MPRT_INTERFACE size_t wcslen(const wchar_t *s)
{
    const size_t n = MPRT_REAL(wcslen)(s);

    mprt_count_read(s, (n + 1) * sizeof(*s));
    return n;
}

MPRT_INTERFACE size_t wcsnlen(const wchar_t *s, size_t max)
{
    const size_t n = MPRT_REAL(wcsnlen)(s, max);

    mprt_count_read(s, (n < max ? n + 1 : max) * sizeof(*s));
    return n;
}

/* Counts the copy as written, like LLVM's runtime (which does not for
 * strdup). */
MPRT_INTERFACE wchar_t *wcsdup(const wchar_t *s)
{
    const size_t bytes = (MPRT_REAL(wcslen)(s) + 1) * sizeof(*s);
    wchar_t *const copy =
        (wchar_t *)mprt_interpose_malloc_new(bytes, MPRT_CALLER());

    mprt_count_read(s, bytes);
    if (copy != NULL) {
        mprt_count_write(copy, bytes);
        MPRT_COPIED(wcsdup, bytes);
        mprt_real.memcpy(copy, s, bytes);
    }
    return copy;
}
