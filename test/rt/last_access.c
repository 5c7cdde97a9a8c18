// last_access=1: a profile says how long live blocks have not been accessed, while threads
// allocate and free; a child that fork() makes has its own blocks only.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %memprof-clang -fmemory-profile -I%root/inc -g -O1 -fno-inline %s -o lists -lpthread
// RUN: env MEMPROF_OPTIONS=last_access=1:log_path=on ./lists 8 > said && FileCheck %s --input-file=said --check-prefix=BLOCK
// A single block, by memprof_vm_block().
// BLOCK: used: idle for less than 2 s
// BLOCK-NEXT: unused: idle for 2 s or longer
// BLOCK-NEXT: kept: idle for 2 s or longer
// RUN: env COLUMNS=200 %memprofdata show --top=100 $(ls -S on.*.raw | head -n 1) > first
// RUN: env COLUMNS=200 %memprofdata show --top=100 $(ls -S on.*.raw | tail -n 1) > last
// RUN: cat first last | FileCheck %s
// CHECK-DAG: alive and not accessed for {{[0-9.]+}} s or longer: 625 KiB in 10,000 blocks{{$}}
// CHECK-DAG: alive and never accessed for {{[0-9.]+}} s or longer: 312 KiB in 5,000 blocks{{$}}
// CHECK-DAG: alive and not accessed for {{[0-9.]+}} s or longer: 62.5 KiB in 1,000 blocks{{$}}
// Nothing else: of the list that is used all the time, of blocks that a thread keeps for less
// than the time between two looks, and of the parent's blocks in the child.
// RUN: cat first last | grep -c 'alive and' | FileCheck %s --check-prefix=THREE
// THREE: {{^3$}}

// It is merged: each run adds its blocks.
// RUN: %memprofdata merge $(ls -S on.*.raw | head -n 1) -o one && %memprofdata merge one one --text -o two.json
// RUN: %memprofdata show --json one > one.json && %memprofdata show --json two.json > two
// RUN: python3 %S/Inputs/last_access.py one.json two | FileCheck %s --check-prefix=MERGED
// MERGED: idle: twice as many
// MERGED: untouched: twice as many

// Without the option, and without what it needs, nothing is said.
// RUN: env MEMPROF_PROFILE_FILE=off ./lists 1 > said && FileCheck %s --input-file=said --check-prefix=NO-BLOCK
// NO-BLOCK: used: unknown
// NO-BLOCK-NEXT: unused: unknown
// NO-BLOCK-NEXT: kept: unknown
// RUN: %memprofdata show --json off | FileCheck %s --check-prefix=OFF
// OFF-NOT: "idle"
// RUN: %memprof-clang -fmemory-profile -g -O1 -mllvm -memprof-versions=2 -I%root/inc %s -o versions -lpthread
// RUN: env MEMPROF_OPTIONS=last_access=1:accesses=1/10 MEMPROF_PROFILE_FILE=some ./versions 1 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: memprof: times of last accesses are not recorded: this needs accesses=all
// RUN: %memprofdata show --json some | FileCheck %s --check-prefix=OFF
#include <memprof_vm.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct node {
    struct node *next;
    long value;
    char more[48];
};

static atomic_bool is_over;
static void *kept[5000];

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct node *add(struct node *list)
{
    struct node *const node = malloc(sizeof(*node));

    node->next = list;
    node->value = 1;
    return node;
}

/* A call stack for each list. */
#define LIST(name)                         \
    static struct node *name(int n)        \
    {                                      \
        struct node *list = NULL;          \
                                           \
        for (int i = 0; i < n; i++)        \
            list = add(list);              \
        return list;                       \
    }
LIST(hot)
LIST(stale)
LIST(of_child)

static long use(struct node *list)
{
    long sum = 0;

    for (; list != NULL; list = list->next)
        sum += list->value++;
    return sum;
}

static void *allocate(void *unused)
{
    char *blocks[256] = {NULL};

    for (unsigned i = 0; !atomic_load(&is_over); i++) {
        char **const block = &blocks[i * 7 % 256];

        free(*block);
        *block = malloc(16 + i % 500);
        **block = 1;
        if (i % 4096 == 0)
            usleep(100);
    }
    for (int i = 0; i < 256; i++)
        free(blocks[i]);
    return unused;
}

static void say_idle(const char *name, const void *p)
{
    struct memprof_vm_block block = {0};

    if (!memprof_vm_block(NULL, p, &block) || !block.has_idle)
        printf("%s: unknown\n", name);
    else
        printf("%s: idle for %s\n", name,
               block.idle_ns < 2000000000 ? "less than 2 s" : "2 s or longer");
}

static void run_child(double length)
{
    struct node *const list = of_child(1000);
    const double start = seconds();
    long sum = use(list);

    while (seconds() - start < length) {
        void *volatile p = malloc(100);
        free(p);
        usleep(1000);
    }
    exit(sum == 0);
}

int main(int argc, char **argv)
{
    const double length = argc > 1 ? atof(argv[1]) : 1;
    const double start = seconds();
    struct node *const used = hot(10000);
    struct node *const unused = stale(10000);
    pthread_t threads[3];
    pid_t child = 0;
    long sum = 0;

    for (int i = 0; i < 5000; i++)
        kept[i] = malloc(64);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    while (seconds() - start < length) {
        sum += use(used);
        if (seconds() - start < length / 3)
            sum += use(unused);
        else if (child == 0 && (child = fork()) == 0)
            run_child(length / 2);
        void *volatile p = malloc(100);
        free(p);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    waitpid(child, NULL, 0);
    sum += use(used);
    say_idle("used", used);
    say_idle("unused", unused);
    say_idle("kept", kept[0]);
    return sum == 0;
}
