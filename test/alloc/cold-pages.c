// MEMPROF_ALLOC_COLD_PAGES chooses the advice that the kernel gets about cold pages,
// and only about them; by default there is none. Pages of freed cold blocks go back to
// the kernel, 1 MiB at a time.
// RUN: %clang -O1 -fno-builtin -I%root/inc -I%S/Inputs %s -o %t %alloc-archive
// RUN: %t 0
// RUN: env MEMPROF_ALLOC_COLD_PAGES=keep %t 0
// RUN: env MEMPROF_ALLOC_COLD_PAGES=unknown %t 0
// RUN: env MEMPROF_ALLOC_COLD_PAGES=deactivate %t 20
// RUN: env MEMPROF_ALLOC_COLD_PAGES=pageout %t 21
#include "hints.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int advised[32];
static uintptr_t begin, end;

int madvise(void *p, size_t size, int advice)
{
    advised[advice]++;
    if (advice == 20 || advice == 21) {
        begin = (uintptr_t)p;
        end = begin + size;
    }
    return (int)syscall(SYS_madvise, p, size, advice);
}

enum { COUNT = 2000, SIZE = 20000, PART = 25 };

/* A thread that frees less than 1 MiB. */
static void *free_part(void *blocks)
{
    for (int i = 0; i < PART; i++)
        free(((char **)blocks)[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    static char *cold[COUNT], *hot[COUNT];
    const int expected = argc > 1 ? atoi(argv[1]) : 0;

    for (int i = 0; i < COUNT; i++) {
        cold[i] = HINTED(malloc)(SIZE, COLD);
        hot[i] = HINTED(malloc)(SIZE, HOT);
        memset(cold[i], i, SIZE);
        memset(hot[i], i, SIZE);
    }
    for (int i = 20; i <= 21; i++)
        assert((advised[i] > 0) == (i == expected));
    int inside = 0;
    for (int i = 0; i < COUNT; i++) {
        inside += (uintptr_t)cold[i] >= begin && (uintptr_t)cold[i] < end;
        assert((uintptr_t)hot[i] < begin || (uintptr_t)hot[i] >= end);
        assert(cold[i][SIZE / 2] == (char)i);
    }
    assert(expected == 0 ? inside == 0 : inside > COUNT / 4);

    const long before = resident_pages();
    for (int i = 0; i < COUNT; i += PART) {
        pthread_t thread;
        assert(pthread_create(&thread, NULL, free_part, cold + i) == 0);
        assert(pthread_join(thread, NULL) == 0);
    }
    assert(advised[MADV_DONTNEED] < COUNT / 2);
    /* The last MiB may stay. */
    assert(expected == 21 || before - resident_pages() > (COUNT - 100) * (SIZE / 4096));
    return 0;
}
