/* Reads and writes that are known by construction, at every level: what no
 * optimizer removes, joins or makes vectors of. Prints, for each allocating
 * function,
 *
 *     FUNCTION BLOCKS BYTES READS WRITES BYTES-READ BYTES-WRITTEN
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define ALLOCATOR(name)                  \
    NOINLINE void *name(size_t size)     \
    {                                    \
        void *volatile p = malloc(size); \
        return p;                        \
    }

ALLOCATOR(nodes)
ALLOCATOR(sizes)
ALLOCATOR(only_written)
ALLOCATOR(from_here)
ALLOCATOR(to_here)
ALLOCATOR(counters)
ALLOCATOR(text)
ALLOCATOR(buffers)
ALLOCATOR(of_threads)
ALLOCATOR(small)
ALLOCATOR(large)
ALLOCATOR(live)
ALLOCATOR(untouched)

NOINLINE void *regrown(void *old, size_t size)
{
    void *volatile p = realloc(old, size);
    return p;
}

static volatile uint64_t sink; /* what was read is used */

static void expect(const char *function, uint64_t blocks, uint64_t bytes,
                   uint64_t reads, uint64_t writes, uint64_t bytes_read,
                   uint64_t bytes_written)
{
    char line[200];
    const int n = snprintf(
        line, sizeof line, "%s %llu %llu %llu %llu %llu %llu\n", function,
        (unsigned long long)blocks, (unsigned long long)bytes,
        (unsigned long long)reads, (unsigned long long)writes,
        (unsigned long long)bytes_read, (unsigned long long)bytes_written);

    if (write(1, line, (size_t)n) != n)
        exit(3);
}

/* Nothing is known of memory afterwards. */
static void keep(void)
{
    __asm__ volatile("" ::: "memory");
}

NOINLINE static void release(void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
    free(p);
}

/* -- a list: each load depends on the one before, counts wait in registers -- */

struct node {
    struct node *next;
    uint64_t value;
    uint32_t visits;
    uint8_t mark;
};

NOINLINE static struct node *push(struct node *next, uint64_t value)
{
    struct node *const n = (struct node *)nodes(sizeof(*n));

    n->next = next;
    n->visits = 1;
    n->value = value;
    n->mark = 2;
    return n;
}

/* Visits each third node. */
NOINLINE static uint64_t walk(struct node *n)
{
    uint64_t sum = 0;

    while (n != NULL) {
        const uint64_t value = n->value;

        sum += value;
        if (value % 3 == 0)
            n->visits++;
        n = n->next;
    }
    return sum;
}

NOINLINE static struct node *mark(struct node *n, unsigned count)
{
    for (; count != 0; count--) {
        n->mark = 1;
        n = n->next;
    }
    return n;
}

NOINLINE static void drop(struct node *n)
{
    while (n != NULL) {
        struct node *const next = n->next;

        release(n);
        n = next;
    }
}

static void lists(void)
{
    struct node *head = NULL;

    for (uint64_t i = 0; i < 300; i++)
        head = push(head, i);
    for (int i = 0; i < 50; i++)
        sink = walk(head);
    sink = (uintptr_t)mark(head, 40);
    drop(head);
    expect("nodes", 300, 300 * sizeof(struct node),
           50 * (300 * 2 + 100) + 40 + 300, 300 * 4 + 50 * 100 + 40,
           50 * (300 * 16 + 100 * 4) + 40 * 8 + 300 * 8,
           300 * (8 + 4 + 8 + 1) + 50 * 100 * 4 + 40);
}

/* -- values of every size ---------------------------------------------------- */

typedef uint32_t quad __attribute__((vector_size(16)));

struct values {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    long double f80;
    __int128 i128;
    quad vector;
    struct {
        unsigned low : 3;
        unsigned high : 5;
    } bits; /* one byte is read and written */
};

/* A read and a write of each. */
NOINLINE static void change(struct values *v)
{
    v->u8 ^= 1;
    v->u16 ^= 3;
    v->u32 += 5;
    v->u64 += 7;
    v->f32 += 1;
    v->f64 += 2;
    v->f80 += 3;
    v->i128 += 4;
    v->vector += 5;
    v->bits.high = 9;
}

static void values(void)
{
    struct values *const v = (struct values *)sizes(sizeof(*v) + 64);
    void *aligned = v;

    aligned = (void *)(((uintptr_t)v + 63) & ~(uintptr_t)63);
    for (int i = 0; i < 20; i++) {
        change((struct values *)aligned);
        keep();
    }
    release(v);
    expect("sizes", 1, sizeof(*v) + 64, 20 * 10, 20 * 10,
           20 * (1 + 2 + 4 + 8 + 4 + 8 + 10 + 16 + 16 + 1),
           20 * (1 + 2 + 4 + 8 + 4 + 8 + 10 + 16 + 16 + 1));
}

/* -- one direction ----------------------------------------------------------- */

NOINLINE static void touch(void *p, size_t size, unsigned writes,
                           unsigned reads)
{
    volatile unsigned char *const bytes = (volatile unsigned char *)p;
    uint64_t sum = 0;
    size_t at = 0;

    for (unsigned i = 0; i < writes; i++, at = (at + 61) % size)
        bytes[at] = 1;
    for (unsigned i = 0; i < reads; i++, at = (at + 61) % size)
        sum += bytes[at];
    sink = sum;
}

/* Blocks come back at the same addresses with other counts. */
static void reuse(void)
{
    unsigned writes = 0, reads = 0;

    for (unsigned i = 0; i < 200; i++) {
        void *const p = small(40);

        touch(p, 40, i % 5, i % 7);
        writes += i % 5;
        reads += i % 7;
        release(p);
    }
    expect("small", 200, 200 * 40, reads, writes, reads, writes);
    for (unsigned i = 1; i <= 3; i++) {
        void *const p = large(i * 3000000);

        touch(p, i * 3000000, 50000 * i, 70001);
        release(p);
    }
    expect("large", 3, 18000000, 3 * 70001, 300000, 3 * 70001, 300000);
    for (unsigned i = 0; i < 3; i++) {
        void *const p = only_written(100);

        touch(p, 100, 9, 0);
        release(p);
    }
    expect("only_written", 3, 300, 0, 27, 0, 27);
    for (unsigned i = 0; i < 4; i++)
        touch(live(1000), 1000, i, 2);
    expect("live", 4, 4000, 8, 6, 8, 6);
    release(untouched(7));
    expect("untouched", 1, 7, 0, 0, 0, 0);
}

static void grow(void)
{
    void *p = regrown(NULL, 100);

    touch(p, 100, 10, 3);
    p = regrown(p, 100000); /* the copy does not count */
    touch(p, 100000, 20, 4);
    p = regrown(p, 99000);
    touch(p, 99000, 30, 5);
    release(p);
    expect("regrown", 3, 100 + 100000 + 99000, 12, 60, 12, 60);
}

/* -- ranges ------------------------------------------------------------------ */

static uint64_t words(uint64_t bytes)
{
    return (bytes + 7) / 8;
}

struct thing {
    char bytes[40];
};

NOINLINE static void copy(char *to, const char *from, volatile size_t *n)
{
    memcpy(to, from, 1);
    memcpy(to + 1, from, 8);
    memcpy(to + 9, from, 24);
    memcpy(to + 40, from, 100);
    memcpy(to + 200, from, 128);
    memcpy(to + 400, from, 129);
    memcpy(to + 1000, from, *n);
    *(struct thing *)(to + 600) = *(const struct thing *)from;
    keep();
    memmove(to, from, 50);
    memset(to + 100, 5, 30);
    memset(to + 2000, 6, *n);
    keep();
}

static void ranges(void)
{
    volatile size_t n = 777;
    char *const from = (char *)from_here(1000);
    char *const to = (char *)to_here(4000);
    uint64_t reads = 0, bytes = 0;
    const unsigned copied[] = {1, 8, 24, 100, 128, 129, 777, 40, 50};

    copy(to, from, &n);
    for (unsigned i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
        reads += words(copied[i]);
        bytes += copied[i];
    }
    release(from);
    release(to);
    expect("from_here", 1, 1000, reads, 0, bytes, 0);
    expect("to_here", 1, 4000, 0, reads + words(30) + words(777), 0,
           bytes + 30 + 777);
}

/* -- atomic: what reads and writes does both --------------------------------- */

static void atomic(void)
{
    _Atomic uint32_t *const p = (_Atomic uint32_t *)counters(sizeof(*p));
    uint32_t expected = 7;

    atomic_store(p, 0);
    for (int i = 0; i < 10; i++)
        atomic_fetch_add(p, 1);
    sink = atomic_exchange(p, 5);
    atomic_compare_exchange_strong(p, &expected, 6); /* fails */
    expected = 5;
    atomic_compare_exchange_strong(p, &expected, 6);
    sink = atomic_load(p);
    release((void *)p);
    expect("counters", 1, 4, 10 + 3 + 1, 10 + 3 + 1, 14 * 4, 14 * 4);
}

/* -- the C library and the kernel -------------------------------------------- */

static void strings(void)
{
    char *(*volatile the_strcpy)(char *, const char *) = strcpy;
    char *(*volatile the_strcat)(char *, const char *) = strcat;
    size_t (*volatile the_strlen)(const char *) = strlen;
    int (*volatile the_strcmp)(const char *, const char *) = strcmp;
    char *(*volatile the_strchr)(const char *, int) = strchr;
    char *const p = (char *)text(100);

    the_strcpy(p, "hello world"); /* writes 12 */
    sink = the_strlen(p);         /* reads 12 */
    the_strcat(p, "!!");          /* reads 11, writes 3 */
    the_strcmp(p, "hello there"); /* reads 7 */
    the_strchr(p, 'w');           /* reads 7 */
    release(p);
    expect("text", 1, 100, words(12) + words(11) + 2 * words(7),
           words(12) + words(3), 12 + 11 + 7 + 7, 12 + 3);
}

static void pipes(void)
{
    char *const p = (char *)buffers(1000);
    int fds[2];

    if (pipe(fds) != 0 || write(fds[1], p, 100) != 100 ||
        read(fds[0], p, 60) != 60 || read(fds[0], p, 1000) != 40)
        exit(4);
    release(p);
    expect("buffers", 1, 1000, words(100), words(60) + words(40), 100, 100);
}

static void *thread(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 50; i++) {
        void *const p = of_threads(256);

        touch(p, 256, 100, 200);
        release(p);
    }
    return NULL;
}

static void in_threads(void)
{
    pthread_t ids[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    expect("of_threads", 200, 200 * 256, 40000, 20000, 40000, 20000);
}

int main(void)
{
    lists();
    values();
    reuse();
    grow();
    ranges();
    atomic();
    strings();
    pipes();
    in_threads();
    return 0;
}
