/* odd-functions.c -- allocates in functions whose names YAML takes otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#define FUNCTION(c_name, name)                                    \
    __attribute__((noinline)) void *c_name(size_t n) __asm__(name); \
    void *c_name(size_t n) { return malloc(n); }

FUNCTION(colon, "colon: hash # quote ' end")
FUNCTION(lines, "two\nlines")
FUNCTION(umlaut, "gr\303\274n")
FUNCTION(byte, "byte \377")
FUNCTION(word, "null")

int main(void)
{
    free(colon(1));
    free(lines(2));
    free(umlaut(3));
    free(byte(4));
    free(word(5));
    return 0;
}
