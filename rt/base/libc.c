/* libc.c -- memory and string functions without libc, because the runtime must
 * not call functions that it interposes. The compiler would turn a loop in
 * mprt_libc_memcpy() into a call of memcpy, hence the assembly: one string
 * instruction for long ranges, words for short ones.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/libc.h"

/* From this size on "rep movsb" is faster than words; it starts slowly. */
#define STRING_INSTRUCTION_MIN 256

/* Keeps the compiler from replacing a loop by a library call. */
#define KEEP_LOOP() __asm__ volatile("")

struct word {
    uint64_t value;
} __attribute__((packed, may_alias));

static inline uint64_t load(const char *p)
{
    return ((const struct word *)(const void *)p)->value;
}

static inline void store(char *p, uint64_t value)
{
    ((struct word *)(void *)p)->value = value;
}

void *mprt_libc_memcpy(void *to, const void *from, size_t n)
{
    char *d = to;
    const char *s = from;

    if (n >= STRING_INSTRUCTION_MIN) {
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
        return to;
    }
    for (; n >= 8; n -= 8, d += 8, s += 8) {
        store(d, load(s));
        KEEP_LOOP();
    }
    for (; n != 0; n--) {
        *d++ = *s++;
        KEEP_LOOP();
    }
    return to;
}

void *mprt_libc_memmove(void *to, const void *from, size_t n)
{
    char *const d = to;
    const char *const s = from;

    if ((uintptr_t)d - (uintptr_t)s >= n)
        return mprt_libc_memcpy(to, from, n);
    for (; n >= 8; n -= 8) {
        store(d + n - 8, load(s + n - 8));
        KEEP_LOOP();
    }
    for (; n != 0; n--) {
        d[n - 1] = s[n - 1];
        KEEP_LOOP();
    }
    return to;
}

void *mprt_libc_memset(void *to, int byte, size_t n)
{
    const uint64_t word =
        (uint64_t)(unsigned char)byte * UINT64_C(0x0101010101010101);
    char *d = to;

    if (n >= STRING_INSTRUCTION_MIN) {
        __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
        return to;
    }
    for (; n >= 8; n -= 8, d += 8) {
        store(d, word);
        KEEP_LOOP();
    }
    for (; n != 0; n--) {
        *d++ = (char)byte;
        KEEP_LOOP();
    }
    return to;
}

int mprt_libc_memcmp(const void *a, const void *b, size_t n)
{
    const char *x = a;
    const char *y = b;

    for (; n >= 8 && load(x) == load(y); n -= 8, x += 8, y += 8)
        KEEP_LOOP();
    for (; n != 0; n--, x++, y++) {
        if (*x != *y)
            return (unsigned char)*x - (unsigned char)*y;
    }
    return 0;
}

size_t mprt_libc_strlen(const char *s)
{
    size_t n = 0;

    for (; s[n] != '\0'; n++)
        KEEP_LOOP();
    return n;
}

int mprt_libc_strcmp(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}
