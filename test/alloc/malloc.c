// Our malloc() and its relatives fulfil the C library's contract, without and with each
// hint, linked in each way.
// DEFINE: %{cc} = %clang -O1 -fno-builtin -I%root/inc -I%S/Inputs %s -o %t
// RUN: %{cc} %alloc-archive && %t
// RUN: %{cc} %alloc-shared && %t
// RUN: %{cc} && %alloc-preload %t
// RUN: %{cc} -static -DSTATIC %alloc-static && %t
#include "hints.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t hints[] = {0,   COLD, 127,  NOTCOLD, MEMPROF_HINT_AMBIGUOUS,
                                HOT, 255,  POOL, DENSE,   MEMPROF_HINT_DENSE_HOT};
static volatile size_t odd = 33, widest = SIZE_MAX;
#define ALIGNED(p, n) (((uintptr_t)(p) & ((n) - 1)) == 0)
#define LEAST(hint) (hint == DENSE || hint == MEMPROF_HINT_DENSE_HOT ? 8 : 16)

static void sizes_and_alignment(uint8_t hint)
{
    for (size_t size = 0; size < 70000; size += size / 9 + 1) {
        char *const p = HINTED(malloc)(size, hint), *const q = malloc(size);
        assert(p != NULL && q != NULL && ALIGNED(p, LEAST(hint)) && ALIGNED(q, 16));
        assert(malloc_usable_size(p) >= size && malloc_usable_size(q) >= size);
        memset(p, 1, malloc_usable_size(p));
        memset(q, 2, malloc_usable_size(q));
        free(p);
        char *const zeroes = HINTED(calloc)(1, size, hint);
        assert(ALIGNED(zeroes, LEAST(hint)));
        for (size_t i = 0; i < size; i++)
            assert(zeroes[i] == 0);
        free(zeroes);
        free(q);
    }
    for (size_t align = 8; align <= 1 << 16; align *= 2) {
        void *p[5] = {HINTED(aligned_alloc)(align, align, hint),
                      HINTED(memalign)(align, 3, hint), NULL,
                      aligned_alloc(align, align), memalign(align, 3)};
        assert(HINTED(posix_memalign)(&p[2], align, 100, hint) == 0);
        for (int i = 0; i < 5; i++) {
            assert(p[i] != NULL && ALIGNED(p[i], align) &&
                   ALIGNED(p[i], i < 3 ? LEAST(hint) : 16));
            free(p[i]);
        }
    }
    assert(ALIGNED(memalign(odd, 1), 64));
    assert(ALIGNED(HINTED(memalign)(odd, 1, hint), 64));
    assert(ALIGNED(valloc(1), 4096));
    void *const whole = pvalloc(4097);
    assert(ALIGNED(whole, 4096) && malloc_usable_size(whole) >= 8192);
}

static void refusals(uint8_t hint)
{
    const size_t half = SIZE_MAX / 2 + 2;
    void *p = NULL;
#define REFUSED(call, error) \
    (errno = 0, assert((call) == NULL), assert(errno == (error)))
    REFUSED(calloc(half, 2), ENOMEM);
    REFUSED(HINTED(calloc)(half, 2, hint), ENOMEM);
    REFUSED(reallocarray(NULL, half, 2), ENOMEM);
    REFUSED(HINTED(reallocarray)(NULL, half, 2, hint), ENOMEM);
    REFUSED(malloc(SIZE_MAX), ENOMEM);
    REFUSED(HINTED(malloc)(SIZE_MAX, hint), ENOMEM);
    REFUSED(malloc((size_t)1 << 62), ENOMEM);
    REFUSED(HINTED(malloc)((size_t)1 << 62, hint), ENOMEM);
    REFUSED(pvalloc(SIZE_MAX), ENOMEM);
    REFUSED(memalign(widest, 1), EINVAL);
    assert(posix_memalign(&p, 3, 1) == EINVAL);
    assert(HINTED(posix_memalign)(&p, 3, 1, hint) == EINVAL);
    assert(HINTED(posix_memalign)(&p, 4, 1, hint) == EINVAL);
    assert(HINTED(posix_memalign)(&p, 16, SIZE_MAX - 99, hint) == ENOMEM);
    assert(p == NULL);
    /* A block that cannot grow stays. */
    char *const q = HINTED(malloc)(100, hint);
    strcpy(q, "stays");
    REFUSED(realloc(q, SIZE_MAX), ENOMEM);
    REFUSED(HINTED(realloc)(q, SIZE_MAX, hint), ENOMEM);
    assert(!strcmp(q, "stays"));
    free(q);
}

static void errno_is_kept(uint8_t hint)
{
    errno = 7;
    for (int i = 0; i < 100; i++) {
        void *p[100];
        for (int j = 0; j < 100; j++)
            p[j] = HINTED(malloc)((size_t)j * 500, hint);
        for (int j = 0; j < 100; j++)
            free(p[j]);
    }
    free(malloc(64 << 20));
    free(HINTED(malloc)(64 << 20, hint));
    free(NULL);
    assert(errno == 7);
}

static void resizing(uint8_t from, uint8_t to)
{
    char *p = HINTED(malloc)(1, from);
    *p = 'x';
    for (size_t size = 2; size < 3 << 20; size += size / 3 + 1) {
        p = size % 2 ? realloc(p, size) : HINTED(realloc)(p, size, to);
        assert(p != NULL && p[0] == 'x' && p[size / 2] == (size > 3 ? 'y' : p[size / 2]));
        memset(p + 1, 'y', size - 1);
    }
    p = HINTED(reallocarray)(p, 5, 3, from);
    assert(!memcmp(p, "xyyyyyyyyyyyyyy", 15));
    assert(HINTED(realloc)(p, 0, to) == NULL);
    assert(realloc(HINTED(realloc)(NULL, 5, to), 0) == NULL);
}

static void texts(uint8_t hint)
{
    char *const a = HINTED(strdup)("a text", hint);
    char *const b = HINTED(strndup)("a text", 3, hint);
    char *const c = HINTED(strndup)("a", 3, hint);
    assert(!strcmp(a, "a text") && !strcmp(b, "a t") && !strcmp(c, "a"));
    free(a), free(b), free(c);
}

/* Threads start and end, and free each other's blocks, while one forks. */
static void *slots[64];

static void *exchange(void *seed)
{
    unsigned n = (unsigned)(uintptr_t)seed;

    for (int i = 0; i < 3000; i++) {
        n = n * 1103515245 + 12345;
        char *const p = HINTED(malloc)(n >> 16 & 511, hints[(n >> 8) % sizeof hints]);
        assert(p != NULL);
        free(__atomic_exchange_n(&slots[n >> 26], p, __ATOMIC_ACQ_REL));
    }
    return NULL;
}

static pthread_key_t late;
static void after_the_end(void *p)
{
    free(p);
    free(HINTED(malloc)(10, COLD));
    static __thread int again;
    if (again++ < 2)
        pthread_setspecific(late, HINTED(malloc)(10, HOT));
}

static void *short_life(void *unused)
{
    pthread_setspecific(late, HINTED(malloc)(10, COLD));
    return unused;
}

static void threads_and_forks(void)
{
    pthread_key_create(&late, after_the_end);
    for (int i = 0; i < 6000; i++) { /* more than jemalloc has caches */
        pthread_t t;
        assert(pthread_create(&t, NULL, short_life, NULL) == 0);
        pthread_join(t, NULL);
    }
    for (int round = 0; round < 20; round++) {
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

int main(void)
{
    for (size_t i = 0; i < sizeof hints; i++) {
        sizes_and_alignment(hints[i]);
        refusals(hints[i]);
        errno_is_kept(hints[i]);
        texts(hints[i]);
        for (size_t j = 0; j < sizeof hints; j++)
            resizing(hints[i], hints[j]);
    }
    threads_and_forks();
    return 0;
}
