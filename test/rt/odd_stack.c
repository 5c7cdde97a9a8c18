// Coroutines of the program's own may have stacks that are aligned to 8 bytes only. All
// functions that allocate work there, as with the C library, also when they fail; so do
// other functions that the runtime replaces.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o prog
// RUN: ./prog | FileCheck %s --match-full-lines
// CHECK: 19 calls
// RUN: env MEMPROF_OPTIONS=log=log:free_sites=1:links=1:leaks=1 ./prog | FileCheck %s --match-full-lines
// RUN: env MEMPROF_OPTIONS=sample=64:last_access=1:duplicates=1 ./prog | FileCheck %s --match-full-lines
#define _GNU_SOURCE
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static unsigned calls;

// Calls the function with a stack pointer that is 8 bytes off.
static void *call(void *function, long a, long b, long c, long d)
{
    void *result;
    register long flags __asm__("r8") = -1, offset __asm__("r9") = 0;

    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "andq $-16, %%rsp\n\t"
                     "subq $136, %%rsp\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "callq *%[function]\n\t"
                     "movq %%rbx, %%rsp"
                     : "=&a"(result), "+D"(a), "+S"(b), "+d"(c), "+c"(d), "+r"(flags),
                       "+r"(offset)
                     : [function] "r"(function)
                     : "rbx", "r10", "r11", "memory", "cc");
    calls++;
    return result;
}

static void check(const void *block, int is_wanted)
{
    if ((block != NULL) != is_wanted)
        printf("call %u is wrong\n", calls);
}

int main(void)
{
    void *p = call(malloc, 100, 0, 0, 0);
    void *map;

    check(p, 1);
    check(p = call(realloc, (long)p, 1000, 0, 0), 1);
    check(p = call(realloc, (long)p, 1 << 20, 0, 0), 1);
    call(free, (long)p, 0, 0, 0);
    check(p = call(realloc, 0, 100, 0, 0), 1);
    free(p);
    check(p = call(calloc, 10, 10, 0, 0), 1);
    free(p);
    check(p = call(reallocarray, 0, 100, 2, 0), 1);
    free(p);
    check(p = call(memalign, 64, 100, 0, 0), 1);
    free(p);
    check(p = call(aligned_alloc, 64, 128, 0, 0), 1);
    free(p);
    p = NULL;
    check(call(posix_memalign, (long)&p, 64, 100, 0), 0);
    free(p);
    check(p = call(strdup, (long)"text", 0, 0, 0), 1);
    free(p);
    check(call(malloc, 1L << 62, 0, 0, 0), 0);
    check(map = call(mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS), 1);
    call(munmap, (long)map, 8192, 0, 0);
    call(malloc_usable_size, 0, 0, 0, 0);
    char text[16];
    struct sigaction action = {.sa_handler = SIG_DFL};
    call(snprintf, (long)text, sizeof(text), (long)"%s", (long)"text");
    call(sigaction, SIGSEGV, (long)&action, 0, 0);
    FILE *const file = call(fopen, (long)"/dev/null", (long)"r", 0, 0);
    check(file, 1);
    call(fclose, (long)file, 0, 0, 0);
    printf("%u calls\n", calls);
    return 0;
}
