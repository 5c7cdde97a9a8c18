// Functions that use rbp in assembly, or need it as one of many registers, compile and
// work as before; their blocks have complete call stacks.
// RUN: rm -rf %t && mkdir %t
// RUN: %memprof-clang -O2 -fmemory-profile %s -o %t/a && env MEMPROF_PROFILE_FILE=%t/raw %t/a | FileCheck %s
// RUN: %memprofdata show %t/raw | FileCheck %s --check-prefix=SHOW
// RUN: %memprof-clang -O1 -fmemory-profile %s -o %t/a && env MEMPROF_PROFILE_FILE=%t/raw %t/a | FileCheck %s
// RUN: %memprof-clang -O3 -fmemory-profile -fno-pic -no-pie %s -o %t/a && env MEMPROF_PROFILE_FILE=%t/raw %t/a | FileCheck %s
// CHECK: value 80, inlined 100, clobber 20, many 105, saved 43, leaf 83
// SHOW-DAG: {{ value}}
// SHOW-DAG: {{ inlined}}
// SHOW-DAG: {{ clobber}}
// SHOW-DAG: {{ many}}
// SHOW-DAG: {{ saved}}
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static void use(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

NOINLINE static long *block(size_t size)
{
    long *p = calloc(1, size);
    use(p);
    return p;
}

static inline long add(long *v, long n)
{
    register long rbp __asm__("rbp") = n;
    long sum;
    __asm__ volatile("movq %1, %0\n\taddq %2, %0" : "=&r"(sum) : "m"(v[0]), "r"(rbp));
    return sum;
}

NOINLINE long value(long n)
{
    long v[4] = {n};
    use(v);
    register long rbp __asm__("rbp") = n;
    long sum;
    __asm__ volatile("movq %1, %0\n\taddq %2, %0" : "=&r"(sum) : "m"(v[0]), "r"(rbp));
    long *p = block(100);
    sum += p[0];
    free(p);
    return sum;
}

NOINLINE long inlined(long n)
{
    long v[4] = {n};
    use(v);
    long *p = block(104);
    long sum = add(v, n) + p[0];
    free(p);
    return sum;
}

NOINLINE long clobber(long n)
{
    long v[4] = {n}, sum;
    long *p = block(108);
    use(v);
    __asm__ volatile("xorl %%ebp, %%ebp\n\tmovq %1, %0\n\taddq %%rbp, %0"
                     : "=&r"(sum) : "m"(v[0]) : "rbp", "cc");
    sum += p[0];
    free(p);
    return sum;
}

NOINLINE long many(const long *v)
{
    long a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7],
         i = v[8], j = v[9], k = v[10], l = v[11], m = v[12], n = v[13], o;
    long *p = block(112);
    __asm__ volatile("addq $1, %0\n\taddq $1, %13\n\tmovl $12, %k14"
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),
                       "+r"(h), "+r"(i), "+r"(j), "+r"(k), "+r"(l), "+r"(m), "+r"(n), "=r"(o)
                     : : "cc");
    o += p[0];
    free(p);
    return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o;
}

/* Like garbage collectors before they scan the stack. */
NOINLINE long saved(long n)
{
    long *p = block(116), *other;
    char *room = __builtin_alloca((size_t)n);
    p[0] = n;
    use(room);
    __asm__ volatile("" : : : "rbx", "rbp", "r12", "r13", "r14", "r15", "memory");
    other = block(116);
    n = p[0] + other[0];
    free(p);
    free(other);
    return n;
}

NOINLINE long leaf(long *v, long n)
{
    v[1]++;
    return add(v, n);
}

int main(void)
{
    const long v[14] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    long *p = block(40);
    long sum;

    p[0] = 40;
    sum = leaf(p, 43);
    printf("value %ld, inlined %ld, clobber %ld, many %ld, saved %ld, leaf %ld\n",
           value(40), inlined(50), clobber(20), many(v), saved(43), sum);
    free(p);
    return 0;
}
