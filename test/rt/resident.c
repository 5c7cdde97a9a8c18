// What resident memory consists of: known sizes of each kind, the peak of mappings, and the
// program's break and stacks of threads as mappings.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o c -lpthread
// RUN: env MEMPROF_PROFILE_FILE=raw ./c && %memprofdata show raw | FileCheck %s
// CHECK: resident {{.*}} at the end, the {{peak|highest reading}} =
// CHECK: at most, by the kernel
// RUN: %memprofdata show --json raw > raw.json && python3 %S/Inputs/resident.py raw.json 24
// Merged, as JSON and back, in LLVM's and our form: the same.
// RUN: %memprofdata merge raw -o raw.profdata && %memprofdata show --json raw.profdata > merged.json && python3 %S/Inputs/resident.py merged.json 24
// RUN: %memprofdata merge --text raw -o again.json && %memprofdata show --json again.json > again && cmp again merged.json
// RUN: env MEMPROF_PROFILE_FILE=none MEMPROF_OPTIONS=mappings=0 ./c
// RUN: %memprofdata show --json none > none.json && python3 %S/Inputs/resident.py none.json 0

// RUN: %memprofdata show --by=pool --sort=bytes raw | FileCheck %s --check-prefix=POOL
// POOL: peak {{ *}}116 MiB of mapped memory
// POOL: {{^ *}}96 MiB {{.*}}  mapped memory{{$}}
// POOL: {{^ *}}17 MiB {{.*}}  program break{{$}}
// POOL: {{^ *}}8 MiB {{.*}}  shared memory{{$}}
// POOL: {{^ *}}2 MiB {{.*}}  thread stacks{{$}}
// RUN: %memprofdata show --pools --by=function --sort=peak --json raw | FileCheck %s --check-prefix=PEAK
// PEAK: "function":"ended",{{.*}}"live":0,{{.*}}"peak":33554432,
// PEAK: "function":"late",{{.*}}"peak":0,"bytes":5242880,"blocks":1,{{.*}}"live":5242880,
// RUN: %memprofdata show --timeline --json raw | FileCheck %s --check-prefix=TIME
// TIME: "mapped":{{12[0-9]+}}
// Other tools and a comparison have it, too; its accesses are not measured.
// RUN: %memprofdata export --pools --format=folded --metric=live raw | FileCheck %s --check-prefix=FOLDED --implicit-check-not=ended
// FOLDED: ;main 67108864
// FOLDED: ;main;late 5242880
// RUN: %memprofdata export --pools --format=csv raw | head -n 1 | FileCheck %s --check-prefix=CSV --implicit-check-not=Access
// CSV: stack,AllocCount,TotalSize,{{.*}}PeakBytes
// RUN: %memprofdata diff --pools --sort=blocks none raw | FileCheck %s --check-prefix=DIFF
// DIFF: bytes allocated {{ *}}0 B {{ *}}123 MiB
// DIFF: 1 block, 64 MiB per block, accesses not measured
// RUN: %memprofdata report --pools raw -o - | python3 %S/../report/Inputs/data.py >page && grep -c "not the heap's" page && grep -c 'not measured: accesses' page
// RUN: %memprofdata report --pools --diff none raw -o - | python3 %S/../report/Inputs/data.py >page && grep -c "not the heap's" page
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20 };
#define NOINLINE __attribute__((noinline))
#define MAP(mib, flags)                           \
    mmap(NULL, (mib)*MIB, PROT_READ | PROT_WRITE, \
         (flags) | MAP_ANONYMOUS, -1, 0)

static NOINLINE void *ended(void)
{
    return MAP(32, MAP_PRIVATE);
}

/* In steps, which are one block. */
static NOINLINE void *late(void)
{
    void *const first = sbrk(0);

    for (int i = 0; i < 80; i++)
        assert(sbrk(MIB / 16) == (char *)first + i * (MIB / 16));
    return first;
}

static pthread_barrier_t barrier;

static void *worker(void *unused)
{
    char deep[MIB];

    memset(deep, 1, sizeof(deep));
    __asm__ volatile("" : : "r"(deep) : "memory");
    pthread_barrier_wait(&barrier);
    pause();
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *const once = ended();
    char *const block = malloc(20 * MIB);
    char *const private = MAP(64, MAP_PRIVATE);
    char *const shared = MAP(8, MAP_SHARED);
    char *const low = sbrk(12 * MIB);

    memset(private, 1, 21 * MIB);
    memset(shared, 1, 5 * MIB);
    memset(low, 1, 3 * MIB);
    memset(block, 1, 20 * MIB);
    munmap(once, 32 * MIB);
    assert(sbrk(-6 * MIB) == low + 12 * MIB && brk(low + 6 * MIB) == 0);
    assert(late() == low + 6 * MIB);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 2 * MIB);
    assert(pthread_create(&thread, &attributes, worker, NULL) == 0);
    pthread_barrier_wait(&barrier);
    return 0;
}
