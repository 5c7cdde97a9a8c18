// Recording can be stopped and started. A program with these calls builds and runs
// without the profiler, in C and in C++.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -I%root/inc -O1 -fno-builtin %s -o %t
// RUN: %t present && ls *.raw | count 1
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s --match-full-lines
// Five blocks that ended while recording, one that ended while stopped, realloc's last
// block; and one live block.
// CHECK: 8 1
// RUN: rm *.raw && env MEMPROF_OPTIONS=start=0 %t stopped
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s --check-prefix=LATE --match-full-lines
// LATE: 3 0
// RUN: %clang -Wall -Wextra -Werror -pedantic -std=c99 -I%root/inc %s -o %t && %t absent
// RUN: %clangxx -Wall -Wextra -Werror -pedantic -x c++ -I%root/inc %s -o %t && %t absent
// RUN: gcc -Wall -Wextra -Werror -I%root/inc %s -o %t && %t absent
// RUN: %clang -Werror -fsyntax-only -I%root/inc -include sanitizer/memprof_interface.h %s
#include <memprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                   \
    do {                                   \
        if (!(condition)) {                \
            printf("line %d\n", __LINE__); \
            exit(1);                       \
        }                                  \
    } while (0)

static void *kept;

static void allocate(int count)
{
    for (int i = 0; i < count; i++) {
        char *volatile p = (char *)malloc(10);
        p[0] = 1;
        free(p);
    }
}

int main(int argc, char **argv)
{
    void *late;
    void *moved;

    CHECK(argc == 2);
    CHECK(memprof_is_present() == (strcmp(argv[1], "absent") != 0));
    CHECK(memprof_is_running() == (strcmp(argv[1], "present") == 0));
    if (strcmp(argv[1], "absent") == 0) {
        memprof_start();
        memprof_stop();
        memprof_reset();
        return memprof_dump();
    }
    if (strcmp(argv[1], "stopped") == 0) {
        allocate(7);
        memprof_start();
        memprof_start();
        CHECK(memprof_is_running());
        allocate(3);
        return 0;
    }
    allocate(5);
    kept = malloc(20);
    late = malloc(30);
    memprof_stop();
    CHECK(!memprof_is_running());
    allocate(100);
    free(late);
    moved = malloc(40);
    moved = realloc(moved, 50);
    memprof_start();
    moved = realloc(moved, 60);
    free(moved);
    return kept == 0;
}
