// abort() ends the program also if the program ignores SIGABRT, or its handler returns;
// the profile is written then. The handler is called once, and may jump away.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fno-builtin %s -o plain
// RUN: %build/bin/memprof-clang-%llvm-version -fmemory-profile -O1 -fno-builtin %s -o dynamic
// RUN: %build/bin/memprof-clang-%llvm-version -fmemory-profile -O1 -fno-builtin -static %s -o static
// RUN: for way in none ignored handled blocked jumps; do for p in plain dynamic static; do \
// RUN:     rm -f raw; env MEMPROF_PROFILE_FILE=raw ./$p $way >$p.out; echo "$? $way" >>$p.out; \
// RUN:     test $p = plain || { cmp plain.out $p.out && %memprofdata show raw | FileCheck %s; } || exit; \
// RUN: done; done
// CHECK: in {{.*}} blocks of 1000 B
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf out;

static void return_at(int number)
{
    write(1, number == SIGABRT ? "A" : "?", 1);
}

static void jump_at(int number)
{
    write(1, "J", 1);
    siglongjmp(out, number);
}

int main(int argc, char **argv)
{
    const char *const way = argc > 1 ? argv[1] : "";

    for (int i = 0; i < 3; i++)
        memset(malloc(1000), 1, 1000);
    if (strcmp(way, "ignored") == 0)
        signal(SIGABRT, SIG_IGN);
    if (strcmp(way, "handled") == 0 || strcmp(way, "blocked") == 0)
        signal(SIGABRT, return_at);
    if (strcmp(way, "blocked") == 0) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGABRT);
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    if (strcmp(way, "jumps") == 0) {
        signal(SIGABRT, jump_at);
        if (sigsetjmp(out, 1) != 0)
            return 3;
    }
    abort();
}
