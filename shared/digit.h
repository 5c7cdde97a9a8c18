/* digit.h -- digits of numbers that people write.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_DIGIT_H
#define MPROF_DIGIT_H

/* What a digit of a base up to 16 stands for; 16 for any other character. */
static inline unsigned mprof_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

#endif
