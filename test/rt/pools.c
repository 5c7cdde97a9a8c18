// memprof_pool_*(): blocks of a program's own allocator have the call stacks, sizes,
// lifetimes and live blocks of the program's own log. Blocks of malloc count as without
// these calls.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// DEFINE: %{pools} = python3 %S/Inputs/pools.py %memprofdata
// RUN: %clang -O1 -I%root/inc -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o c -lpthread
// RUN: env MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=malloc_context_size=4:mappings=0 ./c > log && %{pools} log raw,raw.1
// RUN: %memprofdata merge raw raw.1 -o m && %{pools} log m
// RUN: %memprofdata merge raw.1 --text -o a.json && %memprofdata merge raw a.json -o n && cmp m n
// RUN: env MEMPROF_PROFILE_FILE=d-raw MEMPROF_OPTIONS=dump_delta=1:mappings=0 ./c dump > d.log && %{pools} d.log d-raw,d-raw.1
// RUN: env MEMPROF_PROFILE_FILE=k-raw MEMPROF_OPTIONS=continuous=1:mappings=0 ./c > k.log && %{pools} k.log k-raw,k-raw.1
// RUN: env MEMPROF_PROFILE_FILE=crash-raw MEMPROF_OPTIONS=mappings=0 ./c crash > crash.log || true
// RUN: %{pools} crash.log crash-raw
// With histograms, and with reads and writes apart, pools have no accesses.
// RUN: %memprof-clang -O1 -fmemory-profile -fno-builtin -mllvm -memprof-histogram %s -I%root/inc -o cells -lpthread
// RUN: env MEMPROF_PROFILE_FILE=cells-raw MEMPROF_OPTIONS=mappings=0 ./cells > cells.log && %{pools} cells.log cells-raw,cells-raw.1
// RUN: %memprof-clang -O1 -fmemory-profile -fno-builtin -mllvm -memprof-access=rw %s -I%root/inc -o rw -lpthread
// RUN: env MEMPROF_PROFILE_FILE=rw-raw MEMPROF_OPTIONS=mappings=0 ./rw > rw.log && %{pools} rw.log rw-raw,rw-raw.1

// The rest of the profile is the same as without the pool calls.
// RUN: %clang -O1 -DSILENT -I%root/inc -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o silent -lpthread
// RUN: env MEMPROF_PROFILE_FILE=s-raw MEMPROF_OPTIONS=malloc_context_size=4:mappings=0 ./silent > /dev/null
// (Its child records nothing and writes no file.)
// RUN: %memprofdata show --by=function raw raw.1 | sed '/^  resident/,/by the kernel/d' | grep -v 'run\|lived\|peak\|profiler\|of memory\|Heap' > with.txt
// RUN: %memprofdata show --by=function s-raw | sed '/^  resident/,/by the kernel/d' | grep -v 'run\|lived\|peak\|profiler\|of memory\|Heap' > without.txt
// RUN: diff with.txt without.txt
// RUN: for f in raw.1 s-raw; do %memprofdata show --json $f | grep -o '"run_peak_bytes":[0-9]*' > $f.peak; done; cmp raw.1.peak s-raw.peak
// RUN: %memprofdata show --pools s-raw | FileCheck %s --check-prefix=NONE
// NONE: No pools were recorded: the program maps no memory by mmap(), and does not
// NONE-NEXT: call memprof_pool_alloc().

// RUN: %memprofdata show --pools m | FileCheck %s
// CHECK: accessed     not measured of blocks of pools
// CHECK: live at end  {{.*}} in 11 blocks
// CHECK-NOT: {{^ *}}peak
// CHECK: Call stacks by bytes allocated
// CHECK: give {{.*}}pools.c:
// RUN: %memprofdata show --by=pool --sort=blocks m | FileCheck %s --check-prefix=BY
// BY: Pools by blocks allocated
// BY: {{^ *}}4,000 {{.*}}  shared{{$}}
// BY: {{^ *}}14 {{.*}}  small{{$}}
// BY: {{^ *}}1 {{.*}}  [no name]{{$}}
// RUN: %memprofdata show --pools --callers='^give$' m | FileCheck %s --check-prefix=CALLERS
// CALLERS: work
// RUN: %clang -O2 -I%root/inc %s -o plain -lpthread && ./plain > /dev/null
#include <memprof.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SILENT
#define memprof_pool_create(pool, name) (void)0
#define memprof_pool_destroy(pool) (void)0
#define memprof_pool_clear(pool) (void)0
#define memprof_pool_alloc(pool, p, size) (void)0
#define memprof_pool_free(pool, p) (void)0
#endif

enum { THREADS = 4, ROUNDS = 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line[128];

/* "function pool size lives" */
static void note(const char *pool, size_t size, const char *end)
{
    const int n = snprintf(line, sizeof(line), "give %s %zu %s\n", pool, size, end);

    if (write(1, line, (size_t)n) != n)
        abort();
}

struct arena {
    char *bytes;
    size_t used;
};

static __attribute__((noinline)) void *give(struct arena *a, const char *name, size_t size,
                                            const char *end)
{
    pthread_mutex_lock(&lock);
    void *const p = a->bytes + a->used;
    a->used += size;
    memprof_pool_alloc(a, p, size);
    note(name, size, end);
    pthread_mutex_unlock(&lock);
    return p;
}

static struct arena shared;

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        char *const p = give(&shared, "shared", (size_t)i % 50 + 1, "ended");

        /* One thread at a time: two that count in one granule may lose a count. */
        pthread_mutex_lock(&lock);
        *p = 1;
        pthread_mutex_unlock(&lock);
        memprof_pool_free(&shared, p);
    }
    return unused;
}

int main(int argc, char **argv)
{
    const int is_dumping = argc > 1 && strcmp(argv[1], "dump") == 0;
    struct arena small = {(char *)malloc(4096), 0}, nameless = {(char *)malloc(64), 0};
    pthread_t threads[THREADS];
    void *p;

    shared.bytes = (char *)malloc(THREADS * ROUNDS * 50);
    memprof_pool_create(&shared, "shared");
    memprof_pool_create(&small, "small");
    memprof_pool_create(&nameless, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    /* Ended by clear; allocated again without a free; unknown blocks. */
    give(&small, "small", 10, "ended");
    give(&small, "small", 20, "ended");
    memprof_pool_clear(&small);
    p = give(&small, "small", 7, "ended");
    small.used -= 7;
    if (give(&small, "small", 8, is_dumping ? "ended" : "lives") != p)
        abort();
    memprof_pool_free(&small, &small);
    memprof_pool_free(&lock, p);
    memprof_pool_alloc(&lock, p, 1);
    memprof_pool_destroy(&lock);
    for (uintptr_t unknown = 0; unknown < 3000; unknown++)
        memprof_pool_alloc((void *)unknown, p, 1);
    if (is_dumping) {
        memprof_dump();
        memprof_pool_free(&small, p);
    }
    /* A pool that is a part of another. */
    give(&nameless, "-", 64, "ended");
    memprof_pool_create(&nameless, "small"); /* ends the first one */
    for (int i = 0; i < 9; i++)
        give(&small, "small", 100, "lives");
    if (argc > 1 && strcmp(argv[1], "crash") == 0)
        abort();
    if (is_dumping)
        return 0;
    memprof_stop();
    memprof_pool_alloc(&small, &small, 5);
    memprof_start();
    const pid_t pid = fork();
    if (pid == 0) {
        /* The parent's pools do not exist in the child; the child has its
         * own. */
        memprof_pool_free(&small, p);
        memprof_pool_destroy(&shared);
        p = give(&nameless, "small", 0, "lives");
        return 0;
    }
    return waitpid(pid, NULL, 0) != pid;
}
