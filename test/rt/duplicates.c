// duplicates=1: a profile says how many freed blocks had the content of an earlier one, and how
// many live blocks have that of another, while threads allocate and free.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -o contents -lpthread
// RUN: env MEMPROF_OPTIONS=duplicates=1:log_path=on ./contents protect
// RUN: env COLUMNS=200 %memprofdata show --top=100 $(ls -S on.*.raw | head -n 1) > first
// RUN: env COLUMNS=200 %memprofdata show --top=100 $(ls -S on.*.raw | tail -n 1) > last
// RUN: cat first last | FileCheck %s
// RUN: cat first last | grep -c 'with the content' | FileCheck %s --check-prefix=LINES
// Blocks of four threads, each with 10 contents.
// CHECK-DAG: freed with the content of an earlier block: 7,990 of 8,000 blocks
// CHECK-DAG: alive with the content of another live block: 6.09 KiB in 130 blocks
// The child has contents of its own.
// CHECK-DAG: freed with the content of an earlier block: 4 of 5 blocks
// Two of three large blocks, as one page of the third is protected; SIGSEGV is blocked, too.
// CHECK-DAG: freed with the content of an earlier block: 1 of 2 blocks
// Nothing else: of blocks that realloc replaced, of zeros and of size 0.
// LINES: {{^4$}}
// Views of the peak leave them out.
// RUN: %memprofdata show --top=100 --at=peak $(ls -S on.*.raw | head -n 1) | FileCheck %s --check-prefix=PEAK
// PEAK-NOT: with the content
// Hashing is no access.
// RUN: grep -A 1 'in 100 blocks of 100 B' first | FileCheck %s --check-prefix=UNUSED
// UNUSED: never accessed

// It is merged: each run adds its blocks.
// RUN: %memprofdata merge $(ls -S on.*.raw | head -n 1) -o one && %memprofdata merge one one --text -o two.json
// RUN: %memprofdata show --json two.json | FileCheck %s --check-prefix=MERGED
// MERGED-DAG: "freed_contents":{"blocks":16000,"bytes":768000,"repeated_blocks":15980,"repeated_bytes":767040}
// MERGED-DAG: "live_contents":{"blocks":300,"bytes":14400,"repeated_blocks":260,"repeated_bytes":12480}

// Without the option, and with a sample, nothing is said.
// RUN: env MEMPROF_PROFILE_FILE=off ./contents && %memprofdata show --json off | FileCheck %s --check-prefix=OFF
// OFF-NOT: "freed_contents"
// RUN: env MEMPROF_OPTIONS=duplicates=1:sample=512K MEMPROF_PROFILE_FILE=some ./contents 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: memprof: duplicates are not recorded: not with sample
// RUN: %memprofdata show --json some | FileCheck %s --check-prefix=OFF
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL __attribute__((noinline))

static void *kept[500];

static CALL char *freed_soon(int content)
{
    return memset(malloc(48), 'a' + content, 48);
}

static void *allocate(void *unused)
{
    for (int i = 0; i < 2000; i++)
        free(freed_soon(i % 10));
    return unused;
}

static CALL char *kept_key(int content)
{
    return memset(malloc(48), 'a' + content, 48);
}

static CALL char *of_child(void)
{
    return memset(malloc(48), 'x', 48);
}

static CALL char *large(void)
{
    return memset(aligned_alloc(4096, 61440), 'x', 61440);
}

static CALL void replace(void)
{
    for (int i = 0; i < 100; i++) {
        char *p = memset(malloc(48), 'x', 48);

        p = realloc(p, 4800);
        memset(p, 'a' + i % 25, 1 + i / 25);
        p[100] = (char)i;
        free(p);
    }
}

static CALL void free_nothing(void)
{
    for (int i = 0; i < 100; i++) {
        free(calloc(1, 100));
        free(malloc(0));
    }
}

static CALL void free_protected(void)
{
    char *const small = memset(aligned_alloc(4096, 100), 'x', 100);
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    mprotect(small, 4096, PROT_NONE);
    free(small);
    mprotect(small, 4096, PROT_READ | PROT_WRITE);
    for (int i = 0; i < 3; i++) {
        char *const p = large();

        if (i == 1)
            mprotect(p + 4096, 4096, PROT_NONE);
        free(p);
        if (i == 1)
            mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    for (int i = 0; i < 150; i++)
        kept[i] = kept_key(i % 20);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    replace();
    free_nothing();
    if (argc > 1 && strcmp(argv[1], "protect") == 0)
        free_protected();
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; i++)
            free(of_child());
        exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
