// Distributions of lifetimes and sizes, temporary blocks, chains of realloc, and who
// frees in which thread equal a log of the program that has the time before and after
// each call: random programs with one thread and with several.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -pthread %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// DEFINE: %{lifetimes} = python3 %S/Inputs/lifetimes.py %memprofdata %t %t.d
// RUN: %{lifetimes} 1 5
// RUN: %{lifetimes} 4 5
// RUN: env MEMPROF_OPTIONS=free_sites=1 %{lifetimes} 4 3
// RUN: env MEMPROF_OPTIONS=clock=monotonic %{lifetimes} 4 2
// RUN: env MEMPROF_OPTIONS=clock=tsc %{lifetimes} 1 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 8, EVENTS = 700, OWN = 6, SHARED = 8 };

// An event; the lines of the log are written at the end.
struct event {
    char what; // a: allocated, f: freed, r: replaced
    const char *site;
    uint64_t block;
    uint64_t old; // replaced
    size_t size;
    uint64_t before;
    uint64_t behind;
};

struct worker {
    pthread_t thread;
    uint64_t seed;
    unsigned number;
    unsigned count;
    struct event events[2 * EVENTS];
};

static struct worker workers[THREADS_MAX];
static _Atomic(uint64_t *) shared[SHARED];

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t draw(struct worker *w, uint32_t below)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((w->seed >> 33) % below);
}

// 2 to 500 us, with equal probability for each power of two.
static void wait_some(struct worker *w)
{
    const uint64_t least = UINT64_C(2000) << draw(w, 7);
    const uint64_t end = now() + least + draw(w, (uint32_t)least);

    while (now() < end)
        ;
}

#define SITE(n)                                                              \
    __attribute__((noinline)) static void *made_##n(void *p, size_t size)    \
    {                                                                        \
        void *volatile q = malloc(size);                                     \
        (void)p;                                                             \
        return q;                                                            \
    }                                                                        \
    __attribute__((noinline)) static void *resized_##n(void *p, size_t size) \
    {                                                                        \
        void *volatile q = realloc(p, size);                                 \
        return q;                                                            \
    }                                                                        \
    __attribute__((noinline)) static void freed_##n(void *p)                 \
    {                                                                        \
        free(p);                                                             \
        __asm__ volatile("");                                                \
    }
SITE(0)
SITE(1)
SITE(2)
#define ROW(n)                                                        \
    {                                                                 \
        made_##n, resized_##n, freed_##n, "made_" #n, "resized_" #n, \
            "freed_" #n                                               \
    }
static const struct {
    void *(*make)(void *, size_t);
    void *(*resize)(void *, size_t);
    void (*release)(void *);
    const char *made;
    const char *resized;
    const char *freed;
} sites[] = {ROW(0), ROW(1), ROW(2)};

static struct event *note(struct worker *w, char what)
{
    struct event *const e = &w->events[w->count++];

    e->what = what;
    return e;
}

// The block's first word is its number.
static uint64_t *make(struct worker *w, uint64_t *old)
{
    const uint32_t site = draw(w, 3);
    struct event *const e = note(w, old != NULL ? 'r' : 'a');

    e->site = old != NULL ? sites[site].resized : sites[site].made;
    e->size = 8 + draw(w, 8u << draw(w, 12));
    e->block = (uint64_t)w->number * sizeof(w->events) + w->count;
    e->old = old != NULL ? *old : 0;
    e->before = now();
    uint64_t *const p =
        (old != NULL ? sites[site].resize : sites[site].make)(old, e->size);
    e->behind = now();
    *p = e->block;
    return p;
}

static void end(struct worker *w, uint64_t *p)
{
    const uint32_t site = draw(w, 3);
    struct event *const e = note(w, 'f');

    e->site = sites[site].freed;
    e->block = *p;
    e->before = now();
    sites[site].release(p);
    e->behind = now();
}

__attribute__((noinline)) static void *work(void *argument)
{
    struct worker *const w = argument;
    uint64_t *own[OWN] = {NULL};

    for (unsigned n = 0; n < EVENTS; n++) {
        uint64_t **const slot = &own[draw(w, OWN)];

        wait_some(w);
        if (*slot == NULL)
            *slot = make(w, NULL);
        else if (draw(w, 4) == 0)
            *slot = make(w, *slot);
        else if (draw(w, 2) == 0)
            // A block that may belong to another thread.
            *slot = atomic_exchange(&shared[draw(w, SHARED)], *slot);
        else
            end(w, *slot), *slot = NULL;
    }
    for (unsigned i = 0; i < OWN; i++) {
        if (own[i] != NULL)
            end(w, own[i]);
    }
    return NULL;
}

static void write_log(unsigned threads)
{
    FILE *const file = fopen("log", "w");

    for (unsigned t = 0; t < threads; t++) {
        for (unsigned i = 0; i < workers[t].count; i++) {
            const struct event *const e = &workers[t].events[i];
            fprintf(file, "%u %c %s %llu %llu %zu %llu %llu\n", t, e->what,
                    e->site, (unsigned long long)e->block,
                    (unsigned long long)e->old, e->size,
                    (unsigned long long)e->before,
                    (unsigned long long)e->behind);
        }
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    const unsigned threads = (unsigned)atoi(argv[1]);

    (void)argc;
    for (unsigned t = 0; t < threads; t++) {
        workers[t].seed = strtoull(argv[2], NULL, 10) * 31 + t;
        workers[t].number = t;
    }
    for (unsigned t = 1; t < threads; t++)
        pthread_create(&workers[t].thread, NULL, work, &workers[t]);
    work(&workers[0]);
    for (unsigned t = 1; t < threads; t++)
        pthread_join(workers[t].thread, NULL);
    // The blocks left in the shared slots are live at the end.
    write_log(threads);
    return 0;
}
