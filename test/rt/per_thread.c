// per_thread=1 separates the allocations of threads by name, however late the name was
// set and by which thread. All names together give the profile without the option.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o %t -lpthread
// RUN: env MEMPROF_PROFILE_FILE=plain %t
// RUN: env MEMPROF_PROFILE_FILE=named MEMPROF_OPTIONS=per_thread=1 %t
// RUN: env MEMPROF_PROFILE_FILE=llvm MEMPROF_OPTIONS=per_thread=1:raw_format=llvm %t
// The child's file is written first.
// RUN: %memprofdata check named.1 | FileCheck %s --check-prefix=NAMES
// NAMES: names of threads {{ *}}5{{$}}
// RUN: %memprofdata check plain.1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: names of threads

// DEFINE: %{by} = python3 %S/Inputs/blocks_by_leaf.py %memprofdata
// RUN: %memprofdata merge '--thread=^worker-a$' named.1 -o a && %{by} a | FileCheck %s --check-prefix=A --match-full-lines --implicit-check-not={{.}}
// A: allocate 30 blocks of 100 B
// RUN: %memprofdata merge '--thread=^worker-b$' named.1 -o b && %{by} b | FileCheck %s --check-prefix=B --match-full-lines --implicit-check-not={{.}}
// B: allocate 20 blocks of 100 B
// RUN: %memprofdata merge '--thread=^renamed$' named.1 -o r && %{by} r | FileCheck %s --check-prefix=RENAMED --match-full-lines --implicit-check-not={{.}}
// RENAMED: allocate 7 blocks of 100 B
// RUN: %memprofdata merge '--thread=^$' named.1 -o e && %{by} e | FileCheck %s --check-prefix=EMPTY --match-full-lines --implicit-check-not={{.}}
// EMPTY: allocate 3 blocks of 100 B
// RUN: %memprofdata merge '--thread=^per_thread' named.1 -o m && %{by} m | FileCheck %s --check-prefix=MAIN
// MAIN: allocate 2 blocks of 100 B

// The forked child.
// RUN: %memprofdata merge '--thread=^child$' named -o c && %{by} c | FileCheck %s --check-prefix=CHILD --match-full-lines --implicit-check-not={{.}}
// CHILD: allocate 5 blocks of 100 B

// RUN: %memprofdata merge plain.1 -o merged && %{by} merged > plain.txt
// RUN: %memprofdata merge named.1 -o all && %{by} all > all.txt
// RUN: %memprofdata merge --profiled-binary=%t llvm.1 -o merged && %{by} merged > llvm.txt
// RUN: diff plain.txt all.txt && diff plain.txt llvm.txt
// RUN: %{by} named.1 | diff plain.txt -

// A log names the threads; one that changed its name has the last one.
// RUN: env MEMPROF_PROFILE_FILE=logged MEMPROF_OPTIONS=per_thread=1:log=log %t
// RUN: %memprofdata events log | FileCheck %s --check-prefix=LOG
// LOG: {{^Threads$}}
// LOG-COUNT-1: {{ 37 .* renamed$}}
// LOG-COUNT-2: {{ 10 .* worker-b$}}
// RUN: %memprofdata events log.1 | FileCheck %s --check-prefix=LOG-CHILD
// LOG-CHILD: {{ 5 .* child$}}
// RUN: %memprofdata events --json log | FileCheck %s --check-prefix=LOG-JSON
// LOG-JSON: "name":{{ *}}"renamed"
// RUN: %memprofdata show --by=thread --sort=blocks log | FileCheck %s --check-prefix=BY

// By name, from a raw and a merged profile; the sums are those of the whole profile.
// RUN: %memprofdata show --by=thread --sort=blocks named.1 | FileCheck %s --check-prefix=BY
// RUN: %memprofdata show --by=thread --sort=blocks all | FileCheck %s --check-prefix=BY
// BY: Threads by blocks allocated
// BY: 30 {{.*}} 100 B  worker-a{{$}}
// BY: 20 {{.*}} 100 B  worker-b{{$}}
// BY: 7 {{.*}} 100 B  renamed{{$}}
// BY: 3 {{.*}} 100 B  [not known]{{$}}
// RUN: %memprofdata merge all named -o both
// RUN: %memprofdata merge named.1 named --text -o both.json && %memprofdata merge both.json -o again && cmp both again
// DEFINE: %{sums} = python3 %S/Inputs/sums_by_thread.py %memprofdata
// RUN: %{sums} named.1 all both both.json plain.1
// RUN: %memprofdata merge both plain.1 -o mixed
// RUN: %{sums} mixed
// RUN: %memprofdata show --by=thread '--function=^allocate$' --sort=blocks all | FileCheck %s --check-prefix=FILTERED
// FILTERED: 30 {{.*}} worker-a
// FILTERED: 2 {{.*}} per_thread
// RUN: %memprofdata show --by=thread plain.1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: No thread is known: threads are told apart where the program runs with
// RUN: grep -x 'allocate 62 blocks of 100 B' plain.txt
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t is_named;

static __attribute__((noinline)) void allocate(int n)
{
    for (int i = 0; i < n; i++)
        free(malloc(100));
}

/* Named by the thread that created it, after it has started; then it renames
 * itself. */
static void *work_a(void *unused)
{
    sem_wait(&is_named);
    allocate(30);
    prctl(PR_SET_NAME, "renamed");
    allocate(7);
    return unused;
}

/* Two threads with one name. */
static void *work_b(void *unused)
{
    pthread_setname_np(pthread_self(), "worker-b");
    allocate(10);
    return unused;
}

static void *work_empty(void *unused)
{
    prctl(PR_SET_NAME, "");
    allocate(3);
    return unused;
}

int main(void)
{
    pthread_t threads[4];

    sem_init(&is_named, 0, 0);
    allocate(2);
    pthread_create(&threads[0], NULL, work_a, NULL);
    pthread_setname_np(threads[0], "worker-a");
    sem_post(&is_named);
    pthread_create(&threads[1], NULL, work_b, NULL);
    pthread_create(&threads[2], NULL, work_b, NULL);
    pthread_create(&threads[3], NULL, work_empty, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_NAME, "child");
        allocate(5);
        return 0;
    }
    return waitpid(pid, NULL, 0) != pid;
}
