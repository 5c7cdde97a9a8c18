// A program gets new call stacks and libraries while snapshots are written, and is then
// killed: the file has the same numbers for each call stack as a complete run.
// RUN: rm -rf %t.dir && mkdir -p %t.dir/a %t.dir/b && cd %t.dir
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -shared -fPIC -DPLUGIN %s -o plugin.so
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -o %t
// RUN: cd a && %t ../plugin.so end && cd ..
// RUN: cd b && env MEMPROF_OPTIONS=continuous=1 %t ../plugin.so kill; test $? = 137 && cd ..
// RUN: ls b | count 1
// RUN: %memprofdata check a/*.raw b/*.raw
// RUN: python3 %S/Inputs/by_stack.py %memprofdata a/*.raw > a.stacks
// RUN: python3 %S/Inputs/by_stack.py %memprofdata b/*.raw > b.stacks
// RUN: FileCheck %s < b.stacks
// CHECK: plugin_work
// CHECK: {{^}}2{{[0-9]+}} call stacks
// RUN: diff a.stacks b.stacks
#include <stdlib.h>
#ifdef PLUGIN
__attribute__((noinline)) void plugin_work(int count)
{
    for (int i = 0; i < count; i++) {
        char *const p = malloc(100);
        p[0] = 1;
        free(p);
    }
}
#else
#include "Inputs/many_stacks.h"
#include <dlfcn.h>
#include <signal.h>
#include <string.h>

static char *live;

int main(int argc, char **argv)
{
    const int is_killed = argc > 2 && strcmp(argv[2], "kill") == 0;
    void (*plugin_work)(int);
    void *plugin;

    live = malloc(50);
    walk(0, 300);
    if (is_killed)
        wait_for_snapshot();
    walk(200, 700); /* known and new stacks */
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
    walk(0, 1000); /* no new stack */
    live[2] = 1;
    if (!is_killed)
        return 0;
    wait_for_snapshot();
    raise(SIGKILL);
    return 1;
}
#endif
