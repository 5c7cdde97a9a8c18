// A program that comes by new call stacks and new libraries while snapshots are
// written, and is killed: the file says of each call stack what the same
// program says at its end. RUN: rm -rf %t.dir && mkdir -p %t.dir/a %t.dir/b &&
// cd %t.dir RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -shared
// -fPIC -DPLUGIN %s -o plugin.so RUN: %memprof-clang -fmemory-profile -g -O1
// -fno-builtin %s -o %t RUN: cd a && %t ../plugin.so end && cd .. RUN: cd b &&
// not --crash env MEMPROF_OPTIONS=continuous=1 %t ../plugin.so kill && cd ..
// RUN: ls b | count 1
// RUN: %memprofdata check a/*.raw b/*.raw
// RUN: python3 %S/Inputs/by_stack.py %memprofdata a/*.raw > a.stacks
// RUN: python3 %S/Inputs/by_stack.py %memprofdata b/*.raw > b.stacks
// RUN: FileCheck %s < b.stacks
// CHECK: plugin_work
// CHECK: {{^}}2{{[0-9]+}} call stacks
// RUN: diff a.stacks b.stacks
#include <stdlib.h>
#ifdef N
__attribute__((noinline)) static void CAT(walk_, N)(unsigned path)
{
    if (path >> N & 1) {
        __asm__("nop");
        CAT(walk_, NEXT)(path);
        __asm__("nop"); /* or both were made one */
    } else {
        CAT(walk_, NEXT)(path);
    }
    __asm__("");
}
#undef N
#undef NEXT
#elif defined(PLUGIN)
__attribute__((noinline)) void plugin_work(int count)
{
    for (int i = 0; i < count; i++) {
        char *const p = malloc(100);
        p[0] = 1;
        free(p);
    }
}
#else
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *live;

/* A call stack for each path of 10 bits: the file includes itself for a
 * function of two lines that call. */
__attribute__((noinline)) static void walk_10(unsigned path)
{
    char *const p = malloc(path % 7 + 1);
    p[0] = 1;
    free(p);
}
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define N 9
#define NEXT 10
#include __FILE__
#define N 8
#define NEXT 9
#include __FILE__
#define N 7
#define NEXT 8
#include __FILE__
#define N 6
#define NEXT 7
#include __FILE__
#define N 5
#define NEXT 6
#include __FILE__
#define N 4
#define NEXT 5
#include __FILE__
#define N 3
#define NEXT 4
#include __FILE__
#define N 2
#define NEXT 3
#include __FILE__
#define N 1
#define NEXT 2
#include __FILE__
#define N 0
#define NEXT 1
#include __FILE__

static void walk(unsigned from, unsigned to)
{
    for (unsigned path = from; path < to; path++)
        walk_0(path);
}

/* Until the file has been replaced, twice: the second one began after the first
 * was there. Who does nothing gets no snapshot. */
static void wait_for_snapshot(void)
{
    struct stat last = {0};
    struct stat s;
    char path[64];
    volatile unsigned spins = 0;

    snprintf(path, sizeof(path), "memprof.profraw.%d.raw", (int)getpid());
    stat(path, &last);
    for (int i = 0; i < 2;) {
        for (unsigned k = 0; k < 100000; k++)
            spins++;
        if (stat(path, &s) == 0 &&
            (s.st_ino != last.st_ino ||
             s.st_mtim.tv_nsec != last.st_mtim.tv_nsec)) {
            last = s;
            i++;
        }
    }
}

int main(int argc, char **argv)
{
    const int is_killed = argc > 2 && strcmp(argv[2], "kill") == 0;
    void (*plugin_work)(int);
    void *plugin;

    live = malloc(50);
    walk(0, 300);
    if (is_killed)
        wait_for_snapshot();
    walk(200, 700); /* old ones and new ones */
    live[1] = 1;
    if (is_killed)
        wait_for_snapshot();
    plugin = dlopen(argv[1], RTLD_NOW);
    plugin_work = (void (*)(int))dlsym(plugin, "plugin_work");
    plugin_work(7);
    walk(700, 1000);
    if (is_killed)
        wait_for_snapshot();
    plugin_work(3);
    dlclose(plugin);
    walk(0, 1000); /* nothing new */
    live[2] = 1;
    if (!is_killed)
        return 0;
    wait_for_snapshot();
    raise(SIGKILL);
    return 1;
}
#endif
