// mmap(), mremap() and munmap(): mappings have call stacks, sizes and live bytes, also if
// a part of them is unmapped; the heap and its peak are as without them.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o c -lpthread
// RUN: env MEMPROF_PROFILE_FILE=raw ./c && %memprofdata show --by=pool --sort=blocks raw.1 | FileCheck %s
// CHECK: allocated    {{.*}} in 77 blocks, from
// CHECK: live at end  {{.*}} in 11 blocks
// CHECK: {{^ *}}70 {{.*}}  mapped memory{{$}}
// CHECK: {{^ *}}3 {{.*}} 8 MiB  thread stacks{{$}}
// CHECK: {{^ *}}2 {{.*}}  mapped files{{$}}
// CHECK: {{^ *}}1 {{.*}} 1 TiB  reserved addresses{{$}}
// CHECK: {{^ *}}1 {{.*}} 12 KiB  shared memory{{$}}
// RUN: %memprofdata show --pools --function='^parts$' --json raw.1 | FileCheck %s --check-prefix=PARTS
// 16 pages: 3 of them unmapped at once, 1, then the rest but the last 2 pages, which
// other memory and a larger mapping replace.
// PARTS: "bytes":65536,"blocks":5,{{.*}}"live":0,"live-blocks":0,"peak":65536,"peak-blocks":5}
// RUN: %memprofdata show --pools --function='^remapped$' --json raw.1 | FileCheck %s --check-prefix=REMAPPED
// REMAPPED: "bytes":28672,"blocks":2,{{.*}}"live":20480,"live-blocks":1{{[,}]}}
// RUN: %memprofdata show --pools --function='^worker$' --json raw.1 | FileCheck %s --check-prefix=WORKER
// WORKER: "bytes":245760,"blocks":60,{{.*}}"live":12288,"live-blocks":3{{[,}]}}
// The child, whose file is the first, has mapped two pages of its own.
// RUN: %memprofdata show --by=pool --json raw | FileCheck %s --check-prefix=CHILD
// CHILD: "bytes":8192,"blocks":1,{{.*}}"live":8192,"live-blocks":1,"peak":8192{{[,}]}}

// The heap is as without recording mappings.
// RUN: env MEMPROF_PROFILE_FILE=none MEMPROF_OPTIONS=mappings=0 ./c
// RUN: %memprofdata show --pools --json none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: "call_stacks":0
// RUN: for f in raw.1 none; do %memprofdata show --json $f | grep -o '"run_peak_bytes":[0-9]*\|"totals":{"bytes":[0-9]*,"blocks":[0-9]*' > $f.totals; done
// RUN: cmp raw.1.totals none.totals && grep -c . raw.1.totals | grep -x 2
// RUN: env MEMPROF_PROFILE_FILE=k-raw MEMPROF_OPTIONS=continuous=1 ./c && %memprofdata show --by=pool --sort=blocks k-raw.1 | FileCheck %s
// RUN: %clang -O1 %s -o plain -lpthread && ./plain
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, THREADS = 3, ROUNDS = 20 };
#define NOINLINE __attribute__((noinline))

static NOINLINE char *map(size_t pages, int prot, int flags, int fd)
{
    char *const p = mmap(NULL, pages * PAGE, prot, flags, fd, 0);

    assert(p != MAP_FAILED);
    return p;
}
#define MAP(pages) \
    map(pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1)

static NOINLINE char *parts(void)
{
    char *const p = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert(p != MAP_FAILED);
    assert(munmap(p + 4 * PAGE, 3 * PAGE - 5) == 0);
    assert(munmap(p, PAGE) == 0);
    assert(munmap(p + 1, PAGE) == -1 && errno == EINVAL);
    assert(munmap(p + PAGE, 13 * PAGE) == 0); /* ends two parts */
    return p + 14 * PAGE;
}

static NOINLINE char *remapped(void)
{
    char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert(p != MAP_FAILED);
    memset(p, 7, PAGE);
    assert(mremap(p, 2 * PAGE, (size_t)1 << 46, MREMAP_MAYMOVE) == MAP_FAILED &&
           errno == ENOMEM);
    p = mremap(p, 2 * PAGE, 5 * PAGE, MREMAP_MAYMOVE);
    assert(p != MAP_FAILED && p[PAGE - 1] == 7);
    return p;
}

static NOINLINE void *worker(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        char *const p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        assert(p != MAP_FAILED);
        p[0] = 1;
        if (i != ROUNDS - 1)
            assert(munmap(p, PAGE) == 0);
    }
    return unused;
}

int main(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY);
    pthread_t threads[THREADS];
    char *const rest = parts();
    void *volatile block = malloc(1000);

    /* Replaces the last two pages of parts(), and what comes behind. */
    assert(mmap(rest, 2 * PAGE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == rest);
    free(block);
    remapped();
    map(3, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
    munmap(map((size_t)1 << 28, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1),
           (size_t)1 << 40);
    map(1, PROT_READ, MAP_PRIVATE, fd);
    munmap(map(1, PROT_READ, MAP_PRIVATE, fd), 1);
    MAP(1);
    munmap(MAP(1), PAGE);
    assert(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
               MAP_FAILED &&
           errno == EINVAL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const pid_t child = fork();
    if (child == 0) {
        munmap(rest, 2 * PAGE);
        MAP(2);
        exit(0);
    }
    int status;
    assert(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}
