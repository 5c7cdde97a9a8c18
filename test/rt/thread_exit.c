// Threads that start and end, and free in their last destructors, leave nothing behind.
// Stacks of a few kilobytes are enough for the runtime.
// RUN: %clang %ours-rt -fmemory-profile -O1 -fno-builtin %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t 2>&1 | FileCheck %s
// CHECK: MIB:[[#]]/3000/555.00/555/555/
// CHECK: MIB:[[#]]/3000/66.00/66/66/
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static pthread_key_t key;

static void destroy(void *value)
{
    free(value);
    free(malloc(66));
}

static void *work(void *argument)
{
    pthread_setspecific(key, malloc(555));
    return argument;
}

static long resident_kb(void)
{
    long kb = 0;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof(line), f))
        sscanf(line, "RssAnon: %ld", &kb);
    fclose(f);
    return kb;
}

int main(void)
{
    pthread_attr_t attr;
    long before = 0;
    /* The test measures resident memory, so it wants small pages whatever the
     * kernel prefers. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 3000; i++) {
        pthread_t t;
        if (pthread_create(&t, &attr, work, NULL) != 0)
            return 2;
        pthread_join(t, NULL);
        if (i == 100)
            before = resident_kb();
    }
    return resident_kb() > before + 2048;
}
