// Hot blocks and pools ask for huge pages from 4 MiB on, cold blocks and small pools never,
// nor with thp:never, nor if they take longer than small pages (by the clock, which is the
// test's). Little is resident in vain. Ordinary blocks have them if the program asks.
// RUN: %clang -O1 -fno-builtin -I%root/inc -I%S/Inputs %s -o %t %alloc-archive
// RUN: %t 1 && env MALLOC_CONF=thp:never %t 0 && env SLOW=1 %t 0
#include "hints.h"
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* By this clock small pages, which are measured first, take no time, and huge ones none, or a
 * second each. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int count;

    count += clock == CLOCK_THREAD_CPUTIME_ID;
    *time = (struct timespec){.tv_sec = getenv("SLOW") != NULL && count > 2 ? count : 0};
    return 0;
}

/* Is the mapping of `p` advised to be huge? */
static bool is_huge(const void *p)
{
    FILE *const file = fopen("/proc/self/smaps", "r");
    unsigned long begin = 0, end = 0;
    bool found = false;
    char line[512];

    assert(file != NULL);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strchr("0123456789abcdef", line[0]) != NULL)
            assert(sscanf(line, "%lx-%lx ", &begin, &end) == 2);
        if (!strncmp(line, "VmFlags:", 8) && begin <= (uintptr_t)p &&
            (uintptr_t)p < end)
            found = strstr(line, " hg") != NULL;
    }
    fclose(file);
    return found;
}

int main(int argc, char **argv)
{
    enum { SIZE = 64, COUNT = (20 << 20) / SIZE + 100 };
    const int hints[] = {HOT, DENSE, COLD};
    const bool expected = argc > 1 && atoi(argv[1]) != 0 &&
                          !access("/sys/kernel/mm/transparent_hugepage", F_OK);
    const long page = sysconf(_SC_PAGESIZE);

    for (int h = 0; h < 3; h++) {
        const long before = resident_pages();
        char *block = NULL;

        for (int i = 0; i < COUNT; i++) {
            block = HINTED(malloc)(SIZE, (unsigned char)hints[h]);
            memset(block, i, SIZE);
            assert(i != 1000 || !is_huge(block));
        }
        assert(is_huge(block) == (hints[h] != COLD && expected));
        /* A huge page that is not full, and 1 MiB for tables. */
        const long more = (resident_pages() - before) * page - SIZE * COUNT;
        assert(more > 0 && more < 3 << 20);
    }
    // Ordinary blocks on request, beyond 32 MiB.
    for (int round = 0; round < 2; round++) {
        char *block = NULL;

        for (int i = 0; i < 3 * COUNT; i++) {
            block = malloc(SIZE);
            memset(block, i, SIZE);
        }
        assert(is_huge(block) == (round == 1 && expected));
        HINTED(huge_pages)(HOT);
    }
    return 0;
}
