// memprof.h from C and C++: each function works in an instrumented program, and does
// nothing in a program without the profiler, which links without any of our libraries.
// Calls every function of the header and checks that docs/program-api.md names it.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -I%root/inc -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o c
// RUN: %clang -x c++ -std=c++11 -O1 -Wall -Wextra -Wpedantic -Werror -I%root/inc -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o cxx
// RUN: for p in c cxx; do rm -f raw*; \
// RUN:   env MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=per_thread=1 ./$p > out && FileCheck %s --check-prefix=OUT < out && \
// RUN:   %memprofdata merge raw raw.1 -o app.p && \
// RUN:   %memprofdata show --leaks app.p > out; FileCheck %s --check-prefix=LEAKS < out && \
// RUN:   %memprofdata show --timeline app.p | FileCheck %s --check-prefix=TIME && \
// RUN:   %memprofdata show --events app.p | FileCheck %s --check-prefix=EVENTS && \
// RUN:   %memprofdata show --histogram app.p | FileCheck %s --check-prefix=HISTOGRAM && \
// RUN:   %memprofdata show --pools app.p | FileCheck %s --check-prefix=POOLS && \
// RUN:   %memprofdata show --by=thread app.p | FileCheck %s --check-prefix=THREAD && \
// RUN:   %memprofdata show --by=function app.p | FileCheck %s --check-prefix=BLOCKS --implicit-check-not=forgotten --implicit-check-not=unseen && \
// RUN:   echo $p has it all >> done || exit 1; done
// RUN: FileCheck %s --check-prefix=DONE < done
// DONE: c has it all
// DONE-NEXT: cxx has it all
// OUT: present 1, running 1, 0 and 1; dumped 0; leaked 1000
// LEAKS: leaked {{ *}}1000 B in 1 block
// TIME-DAG: loading
// TIME-DAG: half
// EVENTS: miss  3 times, 7 each, 21 in all
// HISTOGRAM: 1 block of 640 B
// HISTOGRAM: 64 .. 127 {{ *}}5 100.0 %
// POOLS: 24 B {{ *}}50.0 %
// POOLS: requests
// POOLS: 24 B {{ *}}50.0 %
// POOLS: requests
// THREAD: worker x
// BLOCKS-DAG: seen
// BLOCKS-DAG: lost

// Not instrumented, also by other compilers: nothing is printed or written, and all
// symbols of ours are weak. (Files that begin with raw are profiles.)
// RUN: rm -f raw*
// RUN: for cc in "%clang -x c -std=c99" "%clang -x c++ -std=c++20" "gcc -x c -std=c99" "g++ -x c++ -std=c++98"; do \
// RUN:   $cc -O1 -Wall -Wextra -Werror -Wno-comment -Wno-unused-but-set-variable -I%root/inc %s -o plain && env MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=leaks=1 ./plain | FileCheck %s --check-prefix=PLAIN && \
// RUN:   nm plain | FileCheck %s --check-prefix=WEAK --implicit-check-not=' U __memprof' --implicit-check-not=' T __memprof_' && \
// RUN:   ls | not grep '^raw' || exit 1; done
// RUN: for std in c89 gnu89; do %clang -std=$std -Wall -Werror -fsyntax-only -I%root/inc -include memprof.h -include memprof_vm.h -x c /dev/null && gcc -std=$std -Wall -Werror -fsyntax-only -I%root/inc -include memprof.h -include memprof_vm.h -x c /dev/null || exit 1; done
// PLAIN: present 0, running 0, 0 and 0; dumped 0; leaked 0
// WEAK: w __memprof

// Every function is called.
// RUN: sed -n 's/.*static __inline__ .*[ *]\(memprof_[a-z_]*\)(.*/\1/p; s/^\(memprof_[a-z_]*\)(.*/\1/p' %root/inc/memprof.h | sort -u > functions
// RUN: wc -l < functions | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}21{{$}}
// RUN: sed -e '/^\/\//d' %s > calls && cp %root/docs/program-api.md page
// RUN: for f in $(cat functions); do grep -q "$f(" calls || { echo "$f is not called"; exit 1; }; done
// RUN: for f in $(sed '/_pool_/s/.*\(_[a-z]*\)$/\1/' functions); do grep -q "[\`]*$f(" page || { echo "$f is not in the page"; exit 1; }; done
#include <memprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static char *forgotten(void)
{
    char *volatile p = (char *)malloc(10);
    return p;
}

NOINLINE static char *seen(void)
{
    char *volatile p = (char *)malloc(640);
    return p;
}

NOINLINE static char *unseen(void)
{
    char *volatile p = (char *)malloc(20);
    return p;
}

MEMPROF_NO_HINT NOINLINE static char *lost(void)
{
    char *volatile p = (char *)malloc(1000);
    return p;
}

NOINLINE static void requests(void)
{
    static char pool[4096];

    memprof_pool_create(pool, "the pool");
    memprof_pool_alloc(pool, &pool[16], 24);
    memprof_pool_free(pool, &pool[16]);
    memprof_pool_alloc(pool, &pool[64], 24);
    memprof_pool_clear(pool);
    memprof_pool_destroy(pool);
}

static size_t take(void **buffer, size_t length, void *ctx)
{
    *(size_t *)ctx += *buffer != NULL ? length : 0;
    return length;
}

static void use_log(void)
{
    size_t bytes = 0;
    struct memprof_log_options options;

    memset(&options, 0, sizeof(options));
    options.writer = take;
    options.ctx = &bytes;
    const int status = memprof_log_start(&options);
    if (memprof_log_is_running() != (status == MEMPROF_LOG_OK) ||
        memprof_log_stop() != status || (bytes != 0) != (status == 0))
        printf("log: %s\n", memprof_log_error(status));
}

/* Nothing on the stack or in registers points to the block. */
NOINLINE static void forget(void)
{
    volatile char stack[65536];

    memset((void *)stack, 0, sizeof(stack));
}

NOINLINE static void lose_below(void)
{
    volatile char stack[32768];

    stack[0] = 0;
    lost();
    stack[1] = 0;
}

int main(void)
{
    int running[3];
    int i;

    free(forgotten());
    memprof_reset();
    memprof_thread_name("worker x");
    memprof_phase("loading");
    running[0] = memprof_is_running();
    {
        volatile char *const p = seen();
        memprof_histogram((const void *)p);
        for (i = 0; i < 5; i++)
            p[64 + i] = 1;
        free((void *)p);
    }
    for (i = 0; i < 3; i++)
        memprof_event("miss", 7);
    memprof_mark("half");
    requests();
    use_log();
    memprof_stop();
    running[1] = memprof_is_running();
    free(unseen());
    memprof_start();
    running[2] = memprof_is_running();
    i = memprof_dump();
    lose_below();
    forget();
    {
        const long long leaked = memprof_leaks();
        printf("present %d, running %d, %d and %d; dumped %d; leaked %ld\n",
               memprof_is_present(), running[0], running[1], running[2], i,
               (long)leaked);
    }
    return 0;
}
