// If a program ends without running exit handlers, the profile is written once and the
// exit status is kept. A vfork child writes nothing.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin %s -o %t
// RUN: %t _exit 3; test $? = 3 && rm *.raw
// RUN: %t _Exit 4; test $? = 4
// RUN: %t quick_exit 5; test $? = 5
// RUN: %t exit_twice 6; test $? = 6
// RUN: %t thread 7; test $? = 7
// RUN: %t vfork 8; test $? = 8
// RUN: %t daemon 9; test $? = 0
// The daemon has no parent here: wait for its file.
// RUN: i=0; while test $(ls | grep -c '[.]raw$') -lt 7 && test $i -lt 3000; do sleep 0.1; i=$((i + 1)); done
// RUN: ls *.raw | count 7
// A handler that calls exit() or exec may have interrupted the runtime; here it
// interrupts malloc() while that writes the header of a block.
// RUN: mkdir handler && cd handler && %t handler 10; test $? = 10
// RUN: %t handler-exec 10
// RUN: %t handler-jump 0 2>&1 | FileCheck %s --check-prefix=JUMP --implicit-check-not={{.}}
// JUMP: memprof: a signal handler called longjmp() during malloc() or another function of the profiler; {{.*}}
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s --check-prefix=HANDLER \
// RUN:   --match-full-lines --implicit-check-not={{.}}
//      HANDLER: 11 1
// HANDLER-NEXT: 11 1
// HANDLER-NEXT: 11 1
// RUN: cd ..
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s \
// RUN:   --match-full-lines --implicit-check-not={{.}}
// The daemon, all other processes, and the one in which libc allocates for a thread.
//      CHECK: 7 0
// CHECK-NEXT: 10 1
// CHECK-NEXT: 10 1
// CHECK-NEXT: 10 1
// CHECK-NEXT: 10 1
// CHECK-NEXT: 10 1
// CHECK-NEXT: 11 2
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t _exit 3; test $? = 3
// RUN: ls *.raw | count 7
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept;
static int code;
static char *page;
static int is_to_exec;
static sigjmp_buf out;
static int is_to_jump;

static void again(void)
{
    _exit(code);
}

static void on_fault(int number)
{
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    if (is_to_jump)
        siglongjmp(out, 1);
    if (is_to_exec)
        execl("/bin/true", "true", (char *)0);
    exit(number == SIGSEGV ? code : 96);
}

static void *end(void *unused)
{
    _exit(code);
    return unused;
}

static void run(const char *how)
{
    pthread_t thread;
    int status;

    if (!strcmp(how, "_exit"))
        _exit(code);
    if (!strcmp(how, "_Exit"))
        _Exit(code);
    if (!strcmp(how, "quick_exit"))
        quick_exit(code);
    if (!strcmp(how, "exit_twice")) {
        atexit(again);
        exit(99);
    }
    if (!strcmp(how, "thread")) {
        static pthread_attr_t attr;
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, 16384);
        pthread_create(&thread, &attr, end, 0);
        pause();
    }
    if (!strncmp(how, "handler", 7)) {
        is_to_exec = !strcmp(how, "handler-exec");
        is_to_jump = !strcmp(how, "handler-jump");
        if (sigsetjmp(out, 1) != 0)
            exit(code);
        char *const block = malloc(3000);
        page = (char *)((uintptr_t)block - 32 & ~(uintptr_t)4095);
        free(block);
        signal(SIGSEGV, on_fault);
        mprotect(page, 4096, PROT_READ);
        kept = malloc(3000);
    }
    if (!strcmp(how, "vfork")) {
        if (vfork() == 0)
            _exit(0);
        if (vfork() == 0) {
            execl("/bin/true", "true", (char *)0);
            _exit(1);
        }
        wait(&status);
        wait(&status);
        _exit(code);
    }
    if (!strcmp(how, "daemon")) {
        if (daemon(1, 0) != 0)
            _exit(98);
        for (int i = 0; i < 7; i++)
            free(malloc(5));
        _exit(code);
    }
}

int main(int argc, char **argv)
{
    code = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 0; i < 9; i++)
        free(malloc(10));
    kept = malloc(20);
    run(argv[1]);
    return 97;
}
