// Dumps while other threads allocate and free (LLVM's defects D4 and D9): no crash, no
// block lost or counted twice, no memory leaked.
// RUN: %clang %ours-rt -fmemory-profile -O1 %s -o %t
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw:raw_format=llvm %t
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sanitizer/memprof_interface.h>

enum { THREADS = 4, DUMPS = 30, KEPT = 1000 };
static volatile int stop;

static void *work(void *unused)
{
    void *kept[KEPT] = {0};
    unsigned seed = 1;
    for (unsigned n = 0; !stop; n++) {
        seed = seed * 1103515245 + 12345;
        const unsigned i = seed / 65536 % KEPT;
        free(kept[i]);
        kept[i] = malloc(1 + seed / 1024 % 2000);
        memset(kept[i], 1, 1);
    }
    for (int i = 0; i < KEPT; i++)
        free(kept[i]);
    return unused;
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
    pthread_t threads[THREADS];
    /* The test measures resident memory, so it wants small pages whatever the
     * kernel prefers. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < DUMPS; i++)
        __memprof_profile_dump();
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    const long before = resident_kb();
    for (int i = 0; i < 4 * DUMPS; i++)
        __memprof_profile_dump();
    if (resident_kb() > before + 1024)
        printf("grew from %ld to %ld kB\n", before, resident_kb());
    return resident_kb() > before + 1024;
}
