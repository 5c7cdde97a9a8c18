// memprof_vm.h: the frames of a script stand where the interpreter's own function
// stands in the C stack: several frames for one activation, C code between two
// activations, two machines, threads with scripts of their own, frames that change
// while the C stack stays. Without a script on the thread, the C stack stays as it is.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %memprof-clang -O1 -g -fmemory-profile -fno-builtin -I%root/inc %s -o a -lpthread
// RUN: env MEMPROF_PROFILE_FILE=raw ./a && %memprofdata merge raw -o p
// RUN: %memprofdata export --format=folded --metric=blocks p | sed 's/ (.*)//g' | FileCheck %s
// RUN: %memprofdata merge p --text -o p.json && %memprofdata merge p.json -o q && cmp p q
// RUN: %memprofdata show --by=line p | FileCheck %s --check-prefix=LINE
// Dumps by another process, and LLVM's format, which has no names of scripts.
// RUN: env MEMPROF_PROFILE_FILE=k MEMPROF_OPTIONS=continuous=1 ./a && %memprofdata merge k -o k.p
// RUN: %memprofdata export --format=folded --metric=blocks k.p | sed 's/ (.*)//g' | FileCheck %s
// RUN: env MEMPROF_PROFILE_FILE=l MEMPROF_OPTIONS=raw_format=llvm ./a
// RUN: %llvm-profdata-v5 show --memory l --profiled-binary=a | FileCheck %s --check-prefix=LLVM
// A log.
// RUN: env MEMPROF_PROFILE_FILE=m MEMPROF_OPTIONS=log=log ./a && %memprofdata merge log -o log.p
// RUN: %memprofdata export --format=folded --metric=blocks log.p | sed 's/ (.*)//g' | FileCheck %s
// RUN: %memprofdata events --list --top=100000 log | FileCheck %s --check-prefix=LIST
// A program without the profiler.
// RUN: %clang -O1 -I%root/inc %s -o plain -lpthread && ./plain
// LLVM: NumMibInfo
#include <memprof_vm.h>

#include <pthread.h>
#include <stdlib.h>

/* A script: calls of functions; each op is a function to enter, or an action. */
enum op { END, CALL_NEXT, ALLOCATE, CALL_C, TWICE };
struct function {
    const char *name;
    const char *file;
    unsigned line;
    enum op op;
    struct function *next;
};

struct activation {
    struct memprof_vm_frame frames[32]; /* outermost first */
    unsigned count;
    struct activation *outer;
    void *machine;
};
static _Thread_local struct activation *running;

static unsigned copy(struct memprof_vm_frame *out, unsigned max, void *machine)
{
    unsigned n = 0;

    for (struct activation *a = running; a != NULL; a = a->outer) {
        if (a->machine != machine)
            continue;
        for (unsigned i = a->count; i-- > 0 && n < max;)
            out[n++] = a->frames[i];
        if (n < max)
            out[n++] = (struct memprof_vm_frame){MEMPROF_VM_C, 0};
    }
    return n;
}

static void *volatile block;
static void call_c(struct function *f);

#define INTERPRETER(run_vm)                                                   \
    __attribute__((noinline)) static void run_vm(struct function *f);           \
    static unsigned run_vm##_frames(struct memprof_vm_frame *out, unsigned max) \
    {                                                                         \
        return copy(out, max, (void *)run_vm);                                  \
    }                                                                         \
    static void run_vm(struct function *f)                                      \
    {                                                                         \
        struct activation a = {.outer = running, .machine = (void *)run_vm};    \
                                                                              \
        running = &a;                                                         \
        for (; f != NULL; f = f->next) {                                      \
            struct memprof_vm_frame *const top = &a.frames[a.count++];        \
                                                                              \
            top->function = memprof_vm_function(f->name, f->file, f->line);   \
            top->line = f->line + 1;                                          \
            if (f->op == ALLOCATE) {                                          \
                block = malloc(16);                                           \
                free(block);                                                  \
            } else if (f->op == TWICE) {                                      \
                for (int i = 0; i < 2; i++) {                                 \
                    top->line++;                                              \
                    block = malloc(32);                                       \
                    free(block);                                              \
                }                                                             \
            } else if (f->op == CALL_C) {                                     \
                call_c(f->next);                                              \
                break;                                                        \
            }                                                                 \
        }                                                                     \
        running = a.outer;                                                    \
    }
INTERPRETER(execute)
INTERPRETER(other)

__attribute__((noinline)) static void call_c(struct function *f)
{
    if (f->file[0] == 'o')
        other(f);
    else
        execute(f);
    block = NULL; /* no tail call */
}

static void *run(void *f)
{
    execute((struct function *)f);
    block = NULL;
    return NULL;
}

int main(void)
{
    struct function leaf = {"leaf", "s.x", 40, ALLOCATE, NULL};
    struct function inner = {"inner", "s.x", 30, CALL_NEXT, &leaf};
    struct function sort = {"by_c", "s.x", 20, CALL_C, &inner};
    struct function start = {"start", "s.x", 10, CALL_NEXT, &sort};
    struct function loop = {"loop", "s.x", 50, TWICE, NULL};
    struct function foreign = {"foreign", "o.y", 5, ALLOCATE, NULL};
    struct function late = {"late", "o.y", 90, ALLOCATE, NULL};
    struct function mixed = {"mixed", "s.x", 60, CALL_C, &foreign};
    struct function worker = {"worker", "t.x", 70, ALLOCATE, NULL};
    pthread_t thread;

    // With the profiler the second call replaces the first one's function.
    if (memprof_vm_add((const void *)execute, other_frames) != 0 ||
        memprof_vm_add((const char *)(const void *)execute + 1,
                       execute_frames) != 0)
        return 1;
    // The first call stack with the second machine is seen before it is added.
    for (int i = 0; i < 2; i++) {
        if (i == 1 && memprof_vm_add((const void *)other, other_frames) != 0)
            return 1;
        other(&late);
    }
    /* Data has no call frame information. */
    if (memprof_is_present() &&
        memprof_vm_add((const void *)&running, other_frames) == 0)
        return 2;
    execute(&start);
    execute(&loop);
    execute(&mixed);
    pthread_create(&thread, NULL, run, &worker);
    pthread_join(thread, NULL);
    block = malloc(64); // no script runs
    free(block);
    return 0;
}

// LIST: alloc {{.*}} leaf < inner < call_c < by_c
// CHECK-DAG: main;start;by_c;call_c;inner;leaf 1
// CHECK-DAG: main;loop 1
// CHECK-DAG: main;mixed;call_c;foreign 1
// CHECK-DAG: main;late 1
// CHECK-DAG: main;other 1
// CHECK-DAG: run;worker 1
// CHECK-DAG: main 1

// LINE-DAG: s.x:41
// LINE-DAG: s.x:52
// LINE-DAG: s.x:53
// LINE-DAG: o.y:6
// LINE-DAG: t.x:71
