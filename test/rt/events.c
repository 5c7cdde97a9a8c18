// memprof_event(): the profile equals the program's own log of events, with threads, a
// forked child, epochs and a crash, in C and C++. Without the profiler the calls do
// nothing.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O2 -I%root/inc -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o c -lpthread
// RUN: %clang -x c++ -O0 -I%root/inc -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o cxx -lpthread
// DEFINE: %{events} = python3 %S/Inputs/events.py %memprofdata events
// RUN: for p in c cxx; do env MEMPROF_PROFILE_FILE=$p-raw ./$p > $p.log; %{events} $p.log $p-raw,$p-raw.1 || exit 1; done

// Merged, as JSON and in any order, the profile is the same.
// RUN: %memprofdata merge c-raw c-raw.1 -o m && %memprofdata merge c-raw.1 --text -o a.json && %memprofdata merge a.json c-raw -o n && cmp m n
// RUN: %{events} c.log m
// RUN: sort c.log c.log > twice && %memprofdata merge --weighted-input=2,m -o two && %{events} twice two

// Resets and dumps in between; continuous=1; LLVM's format and text, which have only
// blocks.
// RUN: env MEMPROF_PROFILE_FILE=e-raw MEMPROF_OPTIONS=dump_delta=1 ./c dump > e.log && ls e-raw* | wc -l | grep -x 4
// RUN: sort e.log > e.sorted && sort c.log | cmp - e.sorted
// RUN: %{events} e.log e-raw,e-raw.1,e-raw.2,e-raw.3
// RUN: env MEMPROF_PROFILE_FILE=k-raw MEMPROF_OPTIONS=continuous=1 ./c > k.log && %{events} k.log k-raw,k-raw.1
// RUN: env MEMPROF_PROFILE_FILE=crash-raw ./c crash > crash.log || true
// RUN: %{events} crash.log crash-raw
// RUN: env MEMPROF_PROFILE_FILE=t-raw MEMPROF_OPTIONS=per_thread=1:malloc_context_size=3 ./c > t.log && %{events} t.log t-raw,t-raw.1
// RUN: env MEMPROF_PROFILE_FILE=l-raw MEMPROF_OPTIONS=raw_format=llvm ./c > /dev/null && env MEMPROF_PROFILE_FILE=p-raw ./c > /dev/null
// RUN: %memprofdata show --json --by=function l-raw l-raw.1 --profiled-binary=c > l.json && %memprofdata show --json --by=function p-raw p-raw.1 > p.json
// RUN: python3 -c 'import json; l, p = (json.load(open(n))["totals"]["blocks"] for n in ("l.json", "p.json")); assert l == p, (l, p)'

// No events while the profiler is stopped. Events do not change the allocations.
// RUN: %memprofdata show c-raw c-raw.1 | FileCheck %s --check-prefix=STACKS --implicit-check-not=happen
// STACKS: from {{[0-9]+}} call stacks

// RUN: %memprofdata show --events m | FileCheck %s --check-prefix=VIEW
// VIEW: Events
// VIEW: {{^}}large  2 times, 18,446,744,073,709,551,615 each, 18,446,744,073,709,551,615 in all
// VIEW: {{^}}hit  1,337 times, 0 to 99, 65,899 in all
// VIEW: {{^}} 1.  100.0 %  1,332 times, 0 to 99, 65,868 in all
// VIEW-NEXT: {{^}}     happen {{.*}}events.c:
// VIEW: {{^}} 4.  <0.1 %  1 time, 3
// VIEW: {{^}}empty  4 times{{$}}
// VIEW: {{^}} 1.  25.0 %  1 time{{$}}
// RUN: not %memprofdata show --events --sort=live m 2>&1 | FileCheck %s --check-prefix=SORT
// SORT: --sort and --events cannot be combined
// RUN: %memprofdata show --events %root/test/profdata/Inputs/views.json | FileCheck %s --check-prefix=NONE
// NONE: No events were recorded: the program must call memprof_event().
// RUN: %memprofdata export --format=speedscope m -o speedscope && grep -c '"name":"event ' speedscope | grep -x 4

// RUN: %clang -O2 -I%root/inc %s -o plain -lpthread && ./plain > plain.log && sort plain.log | cmp - e.sorted
// RUN: %clang -x c++ -std=c++98 -pedantic -Wno-long-long -Werror -Wall -Wextra -O2 -I%root/inc -fsyntax-only -include memprof.h -x c++ /dev/null
// RUN: %clang -std=c99 -pedantic -Werror -Wall -Wextra -O2 -I%root/inc -fsyntax-only -include memprof.h -x c /dev/null
#include <errno.h>
#include <memprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 500 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *function, const char *name, unsigned long long weight)
{
    char line[128];
    const int n = snprintf(line, sizeof(line), "%s %s %llu\n", function, name, weight);

    pthread_mutex_lock(&lock);
    if (write(1, line, (size_t)n) != n)
        abort();
    pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void happen(const char *name, unsigned long long weight)
{
    errno = 5;
    memprof_event(name, weight);
    if (errno != 5)
        abort();
    note("happen", name, weight);
}

static __attribute__((noinline)) void deep(int n)
{
    if (n != 0) {
        deep(n - 1);
        __asm__ volatile("");
        return;
    }
    memprof_event("hit", 7);
    note("deep", "hit", 7);
}

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        happen(i % 3 == 0 ? "miss" : "hit", (unsigned long long)i % 100);
    return unused;
}

int main(int argc, char **argv)
{
    const int is_dumping = argc > 1 && strcmp(argv[1], "dump") == 0;
    pthread_t threads[THREADS];
    char name[] = "hit";

    free(malloc(10));
    memprof_event(NULL, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (is_dumping)
        memprof_dump();
    for (int i = 0; i < 4; i++)
        deep(i % 2);
    happen(name, 3); /* equal text, same event */
    strcpy(name, "bad");
    memprof_stop();
    memprof_event("stopped", 1);
    memprof_start();
    happen("empty", 0);
    if (is_dumping) {
        memprof_dump();
        memprof_reset();
    }
    happen("empty", 0);
    happen("large", ~0ull);
    if (argc > 1 && strcmp(argv[1], "crash") == 0)
        abort();
    const pid_t pid = fork();
    if (pid == 0) {
        happen("empty", 0);
        happen("empty", 0);
        happen("large", ~0ull);
        return 0;
    }
    return waitpid(pid, NULL, 0) != pid;
}
