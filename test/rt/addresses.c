// The runtime leaves the address space free that programs request by address: it maps
// counters of reads and writes, of bytes and of histograms only if some code needs
// them. That code may run before its own constructors or be in a library that is opened
// later.
// RUN: env MEMPROF_PASS_OPTIONS= %memprof-clang -O1 -fmemory-profile %s -o %t
// RUN: %t 100000000 7fff8000 10000000000 c000000000 100000000000 200000000000 300000000000 400000000000 500000000000 600000000000
// RUN: env MEMPROF_PASS_OPTIONS= %memprof-clang -shared -fPIC -DEARLY %s -o %t.early.so
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=rw %memprof-clang -O1 -fmemory-profile -rdynamic %s %t.early.so -o %t.rw
// RUN: %t.rw 100000000 10000000000 c000000000 100000000000 200000000000 300000000000
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=rw-bytes %memprof-clang -O1 -fmemory-profile -rdynamic %s %t.early.so -o %t.bytes
// RUN: %t.bytes 100000000 10000000000 c000000000 100000000000
// RUN: env MEMPROF_PASS_OPTIONS= %memprof-clang -O1 -fmemory-profile -mllvm -memprof-histogram -rdynamic %s %t.early.so -o %t.cells
// RUN: %t.cells 100000000 10000000000 c000000000 100000000000
// Libraries of each mode in programs of each mode.
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=rw %memprof-clang -O1 -fmemory-profile -shared -fPIC -DLIBRARY %s -o %t.rw.so
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=rw-bytes %memprof-clang -O1 -fmemory-profile -shared -fPIC -DLIBRARY %s -o %t.bytes.so
// RUN: env MEMPROF_PASS_OPTIONS= %memprof-clang -O1 -fmemory-profile -mllvm -memprof-histogram -shared -fPIC -DLIBRARY %s -o %t.cells.so
// RUN: %t %t.rw.so %t.bytes.so %t.cells.so && %t %t.cells.so %t.rw.so && %t.rw %t.cells.so && %t.rw %t.bytes.so && %t.cells %t.rw.so %t.bytes.so
#define _GNU_SOURCE
#include <stdlib.h>

#if defined(EARLY)
void touch(char *p, size_t n);

__attribute__((constructor)) static void call_the_program(void)
{
    char bytes[100];

    touch(bytes, sizeof(bytes));
}
#elif defined(LIBRARY)
void touch_block(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i]++;
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) void touch(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *(volatile char *)&p[i] = 1;
}

static int load(const char *path)
{
    void *const library = dlopen(path, RTLD_NOW);
    void (*touch_block)(char *, size_t);
    char *const p = calloc(1, 1000);

    if (library == NULL || p == NULL)
        return 1;
    touch_block = (void (*)(char *, size_t))dlsym(library, "touch_block");
    touch_block(p, 1000);
    free(p);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], '.') != NULL) {
            failed |= load(argv[i]);
            continue;
        }
        void *const at = (void *)strtoul(argv[i], NULL, 16);
        char *const p = mmap(at, 1 << 20, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                             -1, 0);
        if (p != at) {
            perror(argv[i]);
            failed = 1;
        } else {
            touch(p, 1000);
            munmap(p, 1 << 20);
        }
    }
    return failed;
}
#endif
