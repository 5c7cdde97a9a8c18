/* real.c -- the table of next definitions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/real/real.h"
#include "rt/base/libc.h"

/* Before libc is relocated only our own functions are safe. */
struct mprt_real mprt_real = {
    .memcpy = mprt_libc_memcpy,
    .memmove = mprt_libc_memmove,
    .memset = mprt_libc_memset,
    .memcmp = mprt_libc_memcmp,
    .strlen = mprt_libc_strlen,
    .strcmp = mprt_libc_strcmp,
};

bool mprt_real_is_ready;

void mprt_real_init(void)
{
    void *found;

#define MPRT_REAL_FUNCTION(name)        \
    found = mprt_real_form.find(#name); \
    if (found != NULL)                  \
        mprt_real.name = (__typeof__(mprt_real.name))found;
#include "rt/real/real.inc"
    mprt_real_is_ready = true;
}
