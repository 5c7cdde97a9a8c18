// With sample=N sums are estimates: within their standard errors of the program's own
// numbers, with blocks of all sizes, realloc, alignment and threads, in every mode of
// counting. The bound is six standard errors, which one value in 500 million exceeds.
// The same number chooses the same blocks.
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -pthread -o %t
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -pthread -mllvm -memprof-histogram -o %t.cells
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -pthread -mllvm -memprof-access=rw -o %t.rw
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -pthread -mllvm -memprof-access=none -o %t.none
// RUN: rm -rf %t.d && mkdir %t.d
// DEFINE: %{sample} = python3 %S/Inputs/sample.py %memprofdata %t.d
// RUN: %{sample} %t blocks
// RUN: %{sample} %t.cells blocks
// RUN: %{sample} %t.rw blocks
// RUN: %{sample} %t.none blocks
// RUN: %{sample} %t threads
// RUN: %{sample} %t fork
// Who frees a block, and where realloc leads, is recorded for sampled blocks.
// RUN: env MEMPROF_PROFILE_FILE=%t.d/ends.raw MEMPROF_OPTIONS=sample=3000:sample_seed=5:free_sites=1 %t blocks
// RUN: %memprofdata merge %t.d/ends.raw -o %t.d/ends.profdata
// RUN: %memprofdata show %t.d/ends.profdata | FileCheck %s
// RUN: %memprofdata show %t.d/ends.profdata | FileCheck %s --check-prefix=ABOUT
// ABOUT: allocated about
// ABOUT: accessed about
// ABOUT: lived about {{.*}} on average
// ABOUT: peak about {{.*}} in about {{[0-9,]+}} block
// RUN: %memprofdata show --timeline %t.d/ends.profdata | FileCheck %s --check-prefix=TIMELINE
// TIMELINE: Bytes alive over time (estimates)
// TIMELINE: alive  peak, an estimate
// CHECK: sampled {{.*}} blocks; standard errors
// CHECK: estimates: one block in each 2.93 KiB was sampled
// CHECK: from {{.*}} sampled blocks, standard error
// Exported profiles say that the numbers are estimates.
// RUN: %memprofdata export --format=heaptrack %t.d/ends.profdata 2>%t.d/err | FileCheck %s --check-prefix=ESTIMATES
// RUN: FileCheck %s --check-prefix=ESTIMATES < %t.d/err
// RUN: %memprofdata export --format=pprof %t.d/ends.profdata | gunzip | FileCheck %s --check-prefix=ESTIMATES
// RUN: %memprofdata export --format=dhat %t.d/ends.profdata 2>&1 >%t.d/dhat | FileCheck %s --check-prefix=ESTIMATES
// RUN: echo 'blocks <= 1' > %t.d/budget && not %memprofdata check-budget %t.d/budget %t.d/ends.profdata 2>&1 | FileCheck %s --check-prefix=ESTIMATES
// RUN: %memprofdata diff --json %t.d/ends.profdata %t.d/ends.profdata | grep -c '"sampled_runs":1'
// ESTIMATES: estimates: one block in each 2.93 KiB was sampled
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 20000, KEPT = 3000, THREADS = 4 };

struct sum {
    uint64_t blocks, bytes, live, accesses;
};

static uint64_t number = 7;
static void *volatile kept[KEPT];
static void *volatile grown[COUNT];

static void say(const char *function, struct sum s)
{
    char line[200];
    const int n =
        snprintf(line, sizeof(line), "%s %llu %llu %llu %llu\n", function,
                 (unsigned long long)s.blocks, (unsigned long long)s.bytes,
                 (unsigned long long)s.live, (unsigned long long)s.accesses);

    if (write(1, line, (size_t)n) != n)
        abort();
}

static size_t next_size(size_t most)
{
    number = number * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (number >> 33) % most + 1;
}

// Each function allocates in one place.
__attribute__((noinline)) static void small(void)
{
    struct sum s = {0};

    for (int i = 0; i < COUNT; i++) {
        const size_t n = next_size(300);
        volatile char *const p = malloc(n);
        for (size_t k = 0; k < 3; k++)
            p[0] = 1;
        s.blocks++;
        s.bytes += n;
        s.accesses += 3;
        if (i < KEPT) {
            kept[i] = (void *)p;
            s.live += n;
        } else {
            free((void *)p);
        }
    }
    say("small", s);
}

__attribute__((noinline)) static void large(void)
{
    struct sum s = {0};

    for (int i = 0; i < 300; i++) {
        const size_t n = next_size(20000);
        volatile char *const p = calloc(1, n);
        p[n - 1] = 1;
        s.blocks++;
        s.bytes += n;
        s.accesses++;
        free((void *)p);
    }
    say("large", s);
}

__attribute__((noinline)) static void aligned(void)
{
    struct sum s = {0};

    for (int i = 0; i < 3000; i++) {
        void *p = NULL;
        if (posix_memalign(&p, 256, 100) != 0)
            abort();
        s.blocks++;
        s.bytes += 100;
        free(p);
    }
    say("aligned", s);
}

__attribute__((noinline)) static void again(void)
{
    struct sum s = {0};

    for (int i = 0; i < COUNT; i++) {
        for (size_t n = 40; n <= 640; n *= 2) {
            grown[i] = realloc(grown[i], n);
            s.blocks++;
            s.bytes += n;
        }
        s.live += i % 2 == 0 ? 640 : 0;
        if (i % 2 != 0)
            free(grown[i]);
    }
    say("again", s);
}

static void *thread_main(void *unused)
{
    for (int i = 0; i < COUNT; i++)
        free(malloc(100));
    return unused;
}

static void threads(void)
{
    pthread_t all[THREADS];
    const struct sum s = {.blocks = (uint64_t)THREADS * COUNT,
                          .bytes = (uint64_t)THREADS * COUNT * 100};

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&all[i], NULL, thread_main, NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_join(all[i], NULL);
    }
    say("thread_main", (struct sum){.blocks = 2 * s.blocks,
                                    .bytes = 2 * s.bytes});
}

// The parent's blocks are not the child's, sampled or not.
static void in_child(void)
{
    const pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < KEPT; i++)
            free(kept[i]);
        large();
        exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        threads();
        return 0;
    }
    small();
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        in_child();
        return 0;
    }
    large();
    aligned();
    again();
    return 0;
}
