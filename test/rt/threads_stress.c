// Blocks of all sizes and alignments are filled, moved between threads and checked: no
// overlap, right alignment, right contents, also while threads start and end.
// RUN: %clang %ours-rt -fmemory-profile -O1 %s -o %t
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw %t
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 6, SLOTS = 4096, ROUNDS = 40000 };

struct item {
    unsigned char *p;
    size_t size;
    unsigned char fill;
};
static struct item shared[SLOTS];
static pthread_mutex_t locks[64];

static void die(const char *what, const void *p)
{
    fprintf(stderr, "%s at %p\n", what, p);
    abort();
}

static void check(const struct item *it)
{
    for (size_t i = 0; i < it->size;
         i += it->size > 5000 && i > 100 && i + 4200 < it->size ? 4096 : 1)
        if (it->p[i] != it->fill)
            die("contents", it->p + i);
    if (it->p != NULL && malloc_usable_size(it->p) < it->size)
        die("usable size", it->p);
}

static size_t pick_size(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    const unsigned kind = *s >> 60;
    const size_t r = *s >> 33 & 0xffffff;
    return kind < 10 ? r % 600 : kind < 15 ? r % 20000 : r % 600000;
}

static unsigned char *make(uint64_t *s, size_t size, struct item *old)
{
    const unsigned kind = *s >> 24 & 15;
    const size_t align = (size_t)16 << (*s >> 20 & 7);
    unsigned char *p;
    if (kind == 0 && old->p != NULL) {
        p = realloc(old->p, size + 1);
        for (size_t i = 0; i < old->size && i < size; i += 97)
            if (p[i] != old->fill)
                die("realloc", p + i);
        old->p = NULL;
        return p;
    }
    if (kind == 1) {
        p = aligned_alloc(align, size);
        if ((uintptr_t)p % align != 0)
            die("alignment", p);
        return p;
    }
    if (kind == 2) {
        p = calloc(1, size + 1);
        for (size_t i = 0; i <= size; i++)
            if (p[i] != 0)
                die("calloc", p + i);
        return p;
    }
    p = malloc(size);
    if ((uintptr_t)p % 16 != 0)
        die("malloc's alignment", p);
    return p;
}

static void *work(void *seed)
{
    uint64_t s = (uintptr_t)seed * 0x9e3779b97f4a7c15u;
    for (int n = 0; n < ROUNDS; n++) {
        const size_t size = pick_size(&s);
        const unsigned i = (s >> 16) % SLOTS;
        pthread_mutex_lock(&locks[i % 64]);
        struct item *it = &shared[i];
        check(it);
        struct item next = {0};
        next.p = make(&s, size, it);
        next.size = size;
        next.fill = (unsigned char)(s >> 40 | 1);
        memset(next.p, next.fill, size);
        free(it->p);
        *it = next;
        pthread_mutex_unlock(&locks[i % 64]);
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (uintptr_t round = 0; round < 3; round++) {
        pthread_t t[THREADS];
        for (uintptr_t i = 0; i < THREADS; i++)
            pthread_create(&t[i], NULL, work, (void *)(i + 10 * round + 1));
        for (int i = 0; i < THREADS; i++)
            pthread_join(t[i], NULL);
    }
    for (int i = 0; i < SLOTS; i++) {
        check(&shared[i]);
        free(shared[i].p);
    }
    return 0;
}
