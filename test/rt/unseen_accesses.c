// Memory operands of assembly and vector instructions count. Blocks that are accessed
// in other ways are not reported as never accessed or cold.
// RUN: rm -f %t.raw && %memprof-clang -fmemory-profile -O2 %debugflags %s -o %t && env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show --top=20 %t.raw | FileCheck %s
// RUN: %memprofdata explain %t.raw | FileCheck %s --check-prefix=WHY
// RUN: %memprof-clang -fmemory-profile -O0 %debugflags %s -o %t && rm %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show --top=20 %t.raw | FileCheck %s
// CHECK: in 1 block of 48.8 KiB
// CHECK: accesses not measured, lived
// CHECK: in 1 block of 39.1 KiB
// CHECK: accesses not measured, lived
// CHECK: in 1 block of 29.3 KiB
// CHECK: accesses not measured, lived
// CHECK: in 1 block of 19.5 KiB
// CHECK: accesses not measured, lived
// CHECK: in 1 block of 9.77 KiB
// CHECK: accesses not measured, lived
// CHECK: in 1 block of 8.79 KiB
// CHECK: accesses not measured, lived
// CHECK: in 1 block of 7.81 KiB
// CHECK: accesses not measured, lived
// Empty assembly, and a prefetch, are not accesses.
// CHECK: in 1 block of 6.84 KiB
// CHECK: never accessed, lived
// CHECK: in 1 block of 5.86 KiB
// CHECK: {{^}} 1,000 accesses, {{.*}} lived
// CHECK: in 1 block of 4.88 KiB
// CHECK: {{^}} 2,000 accesses, {{.*}} lived
// CHECK: in 1 block of 3.91 KiB
// CHECK: {{^}} 3,000 accesses, {{.*}} lived
// Whether the four others are cold depends on how long the run takes.
// WHY: {{ not-measured  *7 call stacks}}
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define AVX2 __attribute__((noinline, target("avx2")))
#define AVX512 __attribute__((noinline, target("avx512f")))

enum { K = 1000 };

AVX2 static int gather(const int *table, int i)
{
    return _mm256_extract_epi32(_mm256_i32gather_epi32(table, _mm256_set1_epi32(i), 4), 0);
}

AVX512 static int compress(int *to, const int *from, int mask)
{
    const __m512i v = _mm512_maskz_expandloadu_epi32((__mmask16)mask, from);

    _mm512_mask_compressstoreu_epi32(to, (__mmask16)mask, v);
    return _mm512_reduce_add_epi32(v);
}

/* Code that this machine cannot run is skipped; the pass has seen its
 * pointers. */
NOINLINE static void touch(void *p)
{
    __asm__ volatile("# %0" : : "r"(p) : "memory");
}

__attribute__((noinline, target("sse3"))) static int load(const void *p)
{
    return _mm_cvtsi128_si32(_mm_lddqu_si128((const __m128i *)p));
}

NOINLINE static void store(char *p, __m128i mask)
{
    _mm_maskmoveu_si128(mask, mask, p);
}

NOINLINE static void fill(void *p, size_t n)
{
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(1) : "memory");
}

/* A pointer past the end, and a number. */
NOINLINE static void clear(char *end, long n)
{
    __asm__ volatile("1: movb $0, (%0, %1)\n\tinc %1\n\tjnz 1b" : "+r"(end), "+r"(n) : : "memory", "cc");
}

NOINLINE static long swap(long *p, long old, long new)
{
    __asm__ volatile("lock; cmpxchgq %2, %1" : "+a"(old), "+m"(*p) : "r"(new) : "memory", "cc");
    return old;
}

NOINLINE static int decrement(long *p)
{
    __asm__ goto("lock; decq %0; js %l1" : : "m"(*p) : "memory", "cc" : negative);
    return 0;
negative:
    return 1;
}

NOINLINE static long copy(long *to, const long *from)
{
    long value;

    __asm__("movq %2, %1; movq %1, %0" : "=m"(*to), "=&r"(value) : "m"(*from));
    return value;
}

int main(void)
{
    char *const p[] = {malloc(50 * K), malloc(40 * K), malloc(30 * K), malloc(20 * K), malloc(10 * K), malloc(9 * K), malloc(8 * K), malloc(7 * K), malloc(6 * K), malloc(5 * K), malloc(4 * K)};
    volatile long sum = 0;

    if (__builtin_cpu_supports("avx2"))
        sum += gather((int *)p[0], 3);
    else
        touch(p[0]);
    if (__builtin_cpu_supports("avx512f")) {
        sum += compress((int *)p[1], (int *)p[2], 5);
    } else {
        sum += load(p[1]);
        sum += load(p[2]);
    }
    sum += load(p[3]);
    store(p[4], _mm_set1_epi8((char)sum));
    fill(p[5], 100);
    clear(p[6] + 8 * K, -100);
    __asm__ volatile("" : : "r"(p[7]) : "memory");
    __builtin_prefetch(p[7]);
    for (long i = 0; i < K; i++) {
        sum += swap((long *)p[8], i, i + 1);
        sum += decrement((long *)p[9]);
        sum += copy((long *)p[9] + 1, (long *)p[10]);
        sum += copy((long *)p[10] + 2, (long *)p[10] + 1);
    }
    for (size_t i = 0; i < sizeof(p) / sizeof(*p); i++)
        free(p[i]);
    return 0;
}
