// A program compiled with its own profile has its hot and cold blocks on different
// pages, in C and C++, however it gets the allocator. Without a profile they share
// pages.
// REQUIRES: llvm-19
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{cc} = cd %t && %wrapper -O2 %s
// DEFINE: %{cxx} = cd %t && %wrapper++ -O2 -x c++ %s -x none
// RUN: %{cc} -fmemory-profile -o profiled && env MEMPROF_OPTIONS=log_path=c ./profiled
// RUN: cd %t && %memprofdata merge c.* -o c.profdata
// RUN: %{cc} -fmemprof-alloc -o plain && ./plain | grep mixed
// RUN: %{cc} -fmemprof-alloc -fprofile-use=c.profdata -o linked && ./linked | grep apart
// RUN: %{cc} -fmemprof-alloc -fprofile-use=c.profdata -static -o static && ./static | grep apart
// RUN: %{cc} -fprofile-use=c.profdata -o any && ./any | grep mixed
// RUN: cd %t && %alloc-preload ./any | grep apart
// RUN: %{cc} -fprofile-use=c.profdata %alloc-shared -o shared && ./shared | grep apart
//
// RUN: %{cxx} -fmemory-profile -o profiled && env MEMPROF_OPTIONS=log_path=cxx ./profiled
// RUN: cd %t && %memprofdata merge cxx.* -o cxx.profdata
// RUN: %{cxx} -fmemprof-alloc -o plain && ./plain | grep mixed
// RUN: %{cxx} -fmemprof-alloc -fprofile-use=cxx.profdata -o linked && ./linked | grep apart
// RUN: %{cxx} -fprofile-use=cxx.profdata -o any && ./any | grep mixed
// RUN: cd %t && %alloc-preload ./any | grep apart
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define MAKE(type) (new type())
#else
#define MAKE(type) ((struct type *)calloc(1, sizeof(struct type)))
#endif

enum { COUNT = 20000, WALKS = 100 };
struct hot {
    long numbers[6];
};
struct cold {
    char text[48];
};
static struct hot *hots[COUNT];
static struct cold *colds[COUNT];

static __attribute__((noinline)) void make(int i)
{
    hots[i] = MAKE(hot);
    colds[i] = MAKE(cold);
}

static __attribute__((noinline)) long walk(void)
{
    long sum = 0;

    for (int i = 0; i < COUNT; i++)
        sum += hots[i]->numbers[1] += i;
    return sum;
}

static int compare(const void *a, const void *b)
{
    const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return (x > y) - (x < y);
}

int main(void)
{
    static uintptr_t pages[COUNT];
    long sum = 0;
    int mixed = 0;

    for (int i = 0; i < COUNT; i++)
        make(i);
    for (int i = 0; i < WALKS; i++)
        sum += walk();
    for (int i = 0; i < COUNT; i++)
        pages[i] = (uintptr_t)colds[i] >> 12;
    qsort(pages, COUNT, sizeof(*pages), compare);
    for (int i = 0; i < COUNT; i++) {
        const uintptr_t page = (uintptr_t)hots[i] >> 12;
        mixed += bsearch(&page, pages, COUNT, sizeof(*pages), compare) != NULL;
    }
    puts(mixed == 0 ? "apart" : mixed == COUNT ? "mixed" : "some");
    return sum == 0;
}
