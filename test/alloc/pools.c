// Blocks of a pool lie in the order of allocation, without gaps, and apart from those of
// other pools. Freed places are reused, empty memory is given back, and blocks may be
// freed, resized and measured by any thread, also after their own has ended.
// DEFINE: %{cc} = %clang -O1 -fno-builtin -rdynamic -I%root/inc -I%S/Inputs %s -o %t
// RUN: %{cc} %alloc-archive && %t && env MALLOC_CONF=dirty_decay_ms:60000,stats_print:true %t 2>&1 | FileCheck %s
// Statistics say how much each pool has, and how many blocks it refused while it was given up.
// CHECK: {{^}}pool 1: {{[0-9]+}} KiB, 0 blocks refused
// CHECK: {{^}}dense: {{[0-9]+}} KiB, {{[0-9][0-9][0-9][0-9][0-9]+}} blocks refused
// RUN: %{cc} %alloc-shared && %t
// RUN: %{cc} && %alloc-preload %t
// RUN: %{cc} -static -DSTATIC %alloc-static && %t
// With limited address space pools do nothing.
// RUN: %{cc} %alloc-archive && sh -c 'ulimit -v 4000000; exec %t none'
#include "hints.h"
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __typeof(&__memprof_malloc_hint) hinted_malloc; /* looked up once */
#define MALLOC(size, hint) ((char *)hinted_malloc(size, hint))

static void layout(void)
{
    for (int n = 1; n <= MEMPROF_HINT_POOLS; n++) {
        char *const a = MALLOC(24, MEMPROF_HINT_DENSE_POOL(n));
        char *const b = MALLOC(40, MEMPROF_HINT_DENSE_POOL(n));
        char *const other = MALLOC(24, DENSE);
        char *const c = MALLOC(3, MEMPROF_HINT_DENSE_POOL(n));
        char *const d = MALLOC(24, MEMPROF_HINT_POOL(n));
        char *const e = MALLOC(24, MEMPROF_HINT_POOL(n));

        assert(b == a + 24 && c == b + 40 && e == d + 32);
        assert(d >= c + 16 && d <= c + 24 && (uintptr_t)d % 16 == 0);
        assert(other < a || other > e);
        assert(malloc_usable_size(a) == 24 && malloc_usable_size(b) == 40);
        assert(malloc_usable_size(c) == 16 && malloc_usable_size(d) == 32);
        free(b);
        assert(MALLOC(33, MEMPROF_HINT_DENSE_POOL(n)) == b); /* reused */
        free(d);
        assert(MALLOC(30, MEMPROF_HINT_POOL(n)) == d);
        /* A block with its own alignment only is not used for others. */
        char *const odd = (uintptr_t)a % 16 != 0 ? a : MALLOC(24, MEMPROF_HINT_DENSE_POOL(n));
        free(odd);
        assert(MALLOC(17, MEMPROF_HINT_POOL(n)) != odd);
        assert(PAGE_OF(MALLOC(1 << 20, POOL)) != 0); /* elsewhere, but works */
    }
}

static void resizing(void)
{
    char *const a = MALLOC(48, POOL);

    memcpy(a, "kept", 5);
    assert(realloc(a, 40) == a);
    char *const b = realloc(a, 100);
    assert(b != a && (uintptr_t)b % 16 == 0 && !strcmp(b, "kept"));
    char *const c = HINTED(realloc)(b, 24, DENSE);
    assert(c != b && malloc_usable_size(c) == 24 && !strcmp(c, "kept"));
    char *const d = HINTED(realloc)(c, 20, COLD);
    assert(d < c && !strcmp(d, "kept"));
    free(HINTED(realloc)(d, 1000, DENSE));
}

enum { MANY = 400000 };
static char *blocks[MANY];
/* The allocator's clock is this one, which stands still on a busy machine, too. */
static time_t later_s;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){.tv_sec = 1000 + later_s};
    return 0;
}

/* Fills `count` blocks and frees them. */
static void round_of(int count)
{
    for (int i = 0; i < count; i++)
        memset(blocks[i] = MALLOC(24, DENSE), 1, 24);
    for (int i = 0; i < count; i++)
        free(blocks[i]);
}

static long faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Freed memory is kept for the next round, until it is not needed for a while or the
 * program needs as much for other blocks. */
static void keeping(void)
{
    round_of(MANY);
    const long most = resident_pages(), before = faults();
    round_of(MANY);
    assert(faults() - before < 100); /* of 2400 */
    for (int i = 0; i < 3; i++, later_s += 11)
        round_of(10000);
    assert(most - resident_pages() > 1500);
    round_of(MANY);
    const long kept = resident_pages(), more = (80 << 20) / 4096;
    memset(malloc(80 << 20), 1, 80 << 20);
    assert(resident_pages() < kept + more - 1500);
}

/* The pools take the place of ordinary blocks that were freed. */
static void trading(bool trades)
{
    enum { LARGE = 64, SMALL = 110000 };

    for (int i = 0; i < LARGE; i++)
        memset(blocks[i] = malloc(1 << 20), 1, 1 << 20);
    const long most = resident_pages();
    for (int i = 0; i < LARGE; i++)
        free(blocks[i]);
    for (int i = 0; i < SMALL; i++)
        memset(blocks[i] = MALLOC(496, DENSE), 1, 496);
    assert((4 * (resident_pages() - most) < 10000) == trades); /* of 53,000 KiB */
    for (int i = 0; i < SMALL; i++)
        free(blocks[i]);
}

/* A pool is given up while most of it is free and has other sizes. */
static void giving_up(void)
{
    for (int i = 0; i < MANY; i++)
        blocks[i] = MALLOC(24, DENSE);
    for (int i = 0; i < MANY; i++) {
        if (i % 8 != 0)
            free(blocks[i]);
    }
    char *const last = blocks[MANY - 8];
    int near = 0;
    for (int i = 0; i < MANY; i++) {
        if (i % 8 != 0)
            blocks[i] = MALLOC(40, DENSE);
        near += i % 8 != 0 && blocks[i] > last - (64 << 20) && blocks[i] < last + (64 << 20);
    }
    assert(near < MANY / 8);
    for (int i = 0; i < MANY; i++)
        free(blocks[i]);
}

/* Few blocks that stay do not keep the others' pages when the program needs memory. */
static void sparse(void)
{
    enum { EVERY = 4000, SIZE = 24 };

    for (int i = 0; i < MANY; i++)
        memset(blocks[i] = MALLOC(SIZE, MEMPROF_HINT_DENSE_POOL(9)), i / EVERY, SIZE);
    for (int i = 0; i < MANY; i++) {
        if (i % EVERY != 0)
            free(blocks[i]);
    }
    const long most = resident_pages(), more = (64 << 20) / 4096;
    memset(malloc(64 << 20), 1, 64 << 20);
    assert(resident_pages() < most + more - 1500); /* of 2400 */
    for (int i = 0; i < MANY; i++) {
        if (i % EVERY != 0)
            memset(blocks[i] = MALLOC(SIZE + i % 2 * 16, MEMPROF_HINT_DENSE_POOL(9)), 255, SIZE + i % 2 * 16);
    }
    for (int i = 0; i < MANY; i += EVERY)
        assert(blocks[i][0] == i / EVERY && blocks[i][SIZE - 1] == i / EVERY);
    for (int i = 0; i < MANY; i++)
        free(blocks[i]);
    assert(PAGE_OF(MALLOC(SIZE, MEMPROF_HINT_DENSE_POOL(9))) != 0);
}

/* Pages that the program locked stay, and their free places are used again. */
static void locked(void)
{
    enum { EVERY = 2000, COUNT = 150000, SIZE = 24 };
    uintptr_t places = 0;

    for (int i = 0; i < COUNT; i++) {
        blocks[i] = MALLOC(SIZE, MEMPROF_HINT_DENSE_POOL(10));
        if (mlock(blocks[i], SIZE) != 0)
            return; /* more than this user may */
    }
    for (int i = 0; i < COUNT; i++) {
        places += i % EVERY != 0 ? (uintptr_t)blocks[i] : 0;
        if (i % EVERY != 0)
            free(blocks[i]);
    }
    free(malloc(64 << 20));
    for (int i = 0; i < COUNT; i++)
        places -= i % EVERY != 0 ? (uintptr_t)MALLOC(SIZE, MEMPROF_HINT_DENSE_POOL(10)) : 0;
    assert(places == 0);
    munlockall();
}

/* Threads exchange blocks whose first byte and last byte say their size. */
enum { SLOTS = 1024 };
static char *slots[SLOTS];

static char *make(unsigned n)
{
    const size_t size = 1 + (n >> 20) % 300;
    const uint8_t hint = (uint8_t)(MEMPROF_HINT_POOL(1) + (n >> 8) % 64);
    char *const p = n & 1 ? MALLOC(size, hint) : HINTED(calloc)(1, size, hint);

    assert((n & 1) != 0 || (p[0] == 0 && p[size - 1] == 0));
    assert((uintptr_t)p % (hint < MEMPROF_HINT_DENSE_POOL(1) ? 16 : 8) == 0);
    memset(p, (int)(size & 127), size);
    return p;
}

static void drop(char *p)
{
    if (p == NULL)
        return;
    const size_t size = malloc_usable_size(p);
    const char mark = *p;

    assert(size % 8 == 0 || size >= 128);
    for (size_t i = 0; i < size && i < (size_t)mark; i++)
        assert(p[i] == mark);
    p = (mark & 3) == 0 ? realloc(p, size + 8) : p;
    assert(p != NULL && *p == mark);
    free(p);
}

static void *exchange(void *seed)
{
    unsigned n = (unsigned)(uintptr_t)seed;

    for (int i = 0; i < 20000; i++) {
        n = n * 1103515245 + 12345;
        drop(__atomic_exchange_n(&slots[(n >> 12) % SLOTS], make(n), __ATOMIC_ACQ_REL));
    }
    return NULL;
}

static void threads(void)
{
    for (int round = 0; round < 4; round++) {
        pthread_t t[4];
        for (uintptr_t i = 0; i < 4; i++)
            assert(pthread_create(&t[i], NULL, exchange, (void *)(i + 4 * round)) == 0);
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            exchange((void *)99);
            _exit(0);
        }
        int status = -1;
        assert(waitpid(child, &status, 0) == child && status == 0);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    }
}

static void *fill(void *unused)
{
    for (int i = 0; i < MANY; i++)
        blocks[i] = MALLOC(24, DENSE);
    return unused;
}

/* What an ended thread leaves goes to the next one. */
static void ended(void)
{
    long most = 0;

    for (int round = 0; round < 5; round++) {
        pthread_t t;
        assert(pthread_create(&t, NULL, fill, NULL) == 0);
        pthread_join(t, NULL);
        for (int i = 0; i < MANY; i++)
            free(blocks[i]);
        most = round == 0 ? 4 * resident_pages() : most;
    }
    assert(4 * resident_pages() < most + 3000);
}

int main(int argc, char **argv)
{
    hinted_malloc = HINTED(malloc);
    /* The kernel would join pages that were given back. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (argc == 1) {
        layout();
        resizing();
        trading(getenv("MALLOC_CONF") == NULL);
        keeping();
        giving_up();
        sparse();
        locked();
        ended();
    }
    threads();
    (void)argv;
    return 0;
}
