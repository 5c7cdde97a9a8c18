/* cases.c -- programs with and without flaws, one a case: ./cases NAME. A line
 * with "advise: KIND" must get this advice; no other line may get any. cases.py
 * runs all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CASE(name) static __attribute__((noinline)) void name(void)
#define N 4000

static void *kept[N];
static volatile unsigned sum;

/* Allocates a block between an allocation and its free. */
static void between(void)
{
    static char *volatile others[256];
    static unsigned turn;
    const unsigned i = turn++ % 256;

    free(others[i]);
    others[i] = malloc(3000 + turn % 64 * 16);
    memset(others[i], 1, 3000);
    sum += (unsigned)others[i][2990];
}

static void add_all(size_t size)
{
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < size; k++)
            sum += ((unsigned char *)kept[i])[k];
}

static void free_all(void)
{
    for (int i = 0; i < N; i++)
        free(kept[i]);
    memset(kept, 0, sizeof(kept));
}

/* -- leaks ----------------------------------------------------------------- */

static __attribute__((noinline)) void lose(size_t size)
{
    char *volatile p = malloc(size); /* advise: leaked */

    memset(p, 1, size);
    sum += (unsigned)p[size / 2];
    p = NULL;
}
CASE(leak)
{
    for (int i = 0; i < 100; i++)
        lose(100);
}
struct list {
    struct list *next;
    char text[120];
};
static struct list *global_list;
CASE(global)
{
    for (int i = 0; i < 500; i++) {
        struct list *l = malloc(sizeof(*l));

        snprintf(l->text, sizeof(l->text), "%0119d", i);
        l->next = global_list;
        global_list = l;
    }
    for (int k = 0; k < 40; k++)
        for (struct list *l = global_list; l != NULL; l = l->next)
            sum += (unsigned)strlen(l->text);
}

/* -- blocks that are not used ---------------------------------------------- */

CASE(unused)
{
    for (int i = 0; i < N; i++)
        kept[i] = malloc(100); /* advise: never-accessed */
    free_all();
}
CASE(unused_zeroed)
{
    for (int i = 0; i < 100; i++)
        kept[i] = calloc(1, 5000); /* advise: never-accessed */
    free_all();
}
static void *xmalloc(size_t size)
{
    void *const p = malloc(size);

    if (p == NULL)
        abort();
    return p;
}
CASE(unused_wrapper)
{
    for (int i = 0; i < N; i++)
        kept[i] = xmalloc(100); /* advise: never-accessed */
    free_all();
}
CASE(unused_temporary)
{
    for (int i = 0; i < N; i++)
        free(kept[i % 2] = xmalloc(100)); /* advise: never-accessed */
}
CASE(used)
{
    for (int i = 0; i < N; i++) {
        kept[i] = malloc(100);
        memset(kept[i], i, 100);
    }
    add_all(100);
    free_all();
}
CASE(used_by_libc)
{
    for (int i = 0; i < N; i++) {
        kept[i] = malloc(100); /* advise: untouched-tail */
        snprintf(kept[i], 100, "%d", i);
    }
    for (int i = 0; i < N; i++)
        sum += (unsigned)strlen(kept[i]) + (unsigned)atoi(kept[i]);
    free_all();
}
CASE(used_by_kernel)
{
    const int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);

    for (int i = 0; i < N; i++) {
        kept[i] = malloc(100);
        if (read(in, kept[i], 100) != 100 || write(out, kept[i], 100) != 100)
            abort();
    }
    free_all();
    close(in);
    close(out);
}
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
CASE(used_by_qsort)
{
    int *const numbers = malloc(50000 * sizeof(int));

    for (int i = 0; i < 50000; i++)
        numbers[i] = i * 7919 % 50000;
    qsort(numbers, 50000, sizeof(int), compare);
    sum += (unsigned)numbers[1];
    free(numbers);
}

/* -- blocks that are not read ---------------------------------------------- */

CASE(unread)
{
    for (int i = 0; i < N; i++) {
        kept[i] = malloc(100); /* advise: never-read */
        memset(kept[i], i, 100);
    }
    free_all();
}
struct record {
    long when;
    int what, how;
    char name[48];
};
CASE(unread_log)
{
    for (int i = 0; i < N; i++) {
        struct record *const r = malloc(sizeof(*r)); /* advise: never-read advise: untouched-tail */

        r->when = i;
        r->what = i % 7;
        snprintf(r->name, sizeof(r->name), "record %d", i);
        kept[i] = r;
    }
    free_all();
}
CASE(unread_copy)
{
    static const char text[] = "the text that somebody may ask for, but nobody does";

    for (int i = 0; i < N; i++)
        kept[i] = strdup(text); /* advise: never-accessed */
    free_all();
}
CASE(read_once)
{
    for (int i = 0; i < N; i++) {
        kept[i] = malloc(100);
        memset(kept[i], i, 100);
        sum += *(unsigned char *)kept[i];
    }
    free_all();
}
CASE(read_by_memcmp)
{
    static const char text[100] = "x";

    for (int i = 0; i < N; i++) {
        kept[i] = malloc(sizeof(text));
        memcpy(kept[i], text, sizeof(text));
    }
    for (int i = 1; i < N; i++)
        sum += (unsigned)memcmp(kept[i], kept[i - 1], sizeof(text));
    free_all();
}
CASE(read_by_strcpy)
{
    char text[64];

    for (int i = 0; i < N; i++)
        kept[i] = strdup("a name"); /* advise: many-small */
    for (int i = 0; i < N; i++)
        sum += (unsigned)strlen(strcpy(text, kept[i]));
    free_all();
}

/* -- blocks that are too large: with histograms ---------------------------- */

CASE(tail)
{
    for (int i = 0; i < 500; i++) {
        kept[i] = malloc(4096); /* advise: untouched-tail */
        memset(kept[i], 1, 200);
    }
    for (int i = 0; i < 500; i++)
        sum += ((unsigned char *)kept[i])[100];
    free_all();
}
CASE(tail_of_struct)
{
    struct wide {
        long used[4], reserved[28];
    };

    for (int i = 0; i < N; i++) {
        struct wide *const w = malloc(sizeof(*w)); /* advise: untouched-tail */

        w->used[i % 4] = i;
        kept[i] = w;
    }
    for (int i = 0; i < N; i++)
        sum += (unsigned)((struct wide *)kept[i])->used[i % 4];
    free_all();
}
CASE(tail_touched)
{
    for (int i = 0; i < 500; i++) {
        kept[i] = malloc(4096);
        ((volatile char *)kept[i])[4090] = 1;
        sum += ((volatile unsigned char *)kept[i])[4090];
    }
    free_all();
}
CASE(tail_of_sizes)
{
    for (int i = 0; i < 500; i++) {
        const size_t size = 100 + (size_t)i * 8;

        kept[i] = malloc(size);
        memset(kept[i], 1, size);
        sum += ((unsigned char *)kept[i])[size - 1];
    }
    free_all();
}
CASE(tail_short)
{
    for (int i = 0; i < N; i++) {
        kept[i] = malloc(100);
        memset(kept[i], 1, 90);
        sum += ((volatile unsigned char *)kept[i])[80];
    }
    free_all();
}

/* -- small blocks ---------------------------------------------------------- */

struct node {
    struct node *next;
    unsigned value;
};
static struct node *push_node(struct node *list, unsigned value, size_t size)
{
    struct node *const n = malloc(size); /* advise: many-small in small_nodes */

    memset(n, 0, size);
    n->next = list;
    n->value = value;
    return n;
}
static void walk(struct node *list, int times)
{
    for (int k = 0; k < times; k++)
        for (struct node *n = list; n != NULL; n = n->next)
            sum += n->value;
    for (struct node *next; list != NULL; list = next) {
        next = list->next;
        free(list);
    }
}
CASE(small_again)
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++)
            kept[i] = memset(malloc(16), 1, 16); /* advise: many-small */
        add_all(16);
        free_all();
    }
}
CASE(small_nodes)
{
    struct node *list = NULL;

    for (unsigned i = 0; i < 20000; i++)
        list = push_node(list, i, sizeof(*list));
    walk(list, 50);
}
CASE(few_nodes)
{
    struct node *list = NULL;

    for (unsigned i = 0; i < 900; i++)
        list = push_node(list, i, sizeof(*list));
    walk(list, 50);
}
CASE(large_nodes)
{
    struct node *list = NULL;

    for (unsigned i = 0; i < 5000; i++)
        list = push_node(list, i, 256);
    walk(list, 50);
}

/* -- cold blocks ----------------------------------------------------------- */

CASE(cold)
{
    long *const hot = malloc(2000 * sizeof(long));

    for (int i = 0; i < 500; i++) {
        kept[i] = malloc(2000); /* advise: cold */
        memset(kept[i], 1, 2000);
    }
    for (int i = 0; i < 2000; i++)
        hot[i] = i;
    for (int k = 0; k < 100000; k++)
        for (int i = 0; i < 2000; i++)
            hot[i] += k;
    sum += (unsigned)hot[7] + *(unsigned char *)kept[3];
    free(hot);
    free_all();
}
CASE(warm)
{
    for (int i = 0; i < 500; i++) {
        kept[i] = malloc(2000);
        memset(kept[i], 1, 2000);
    }
    for (int k = 0; k < 40; k++)
        for (int i = 0; i < 500; i++)
            for (int j = 0; j < 2000; j++)
                sum += ((unsigned char *)kept[i])[j];
    free_all();
}

/* -- blocks that are kept: with last_access=1 ------------------------------ */

/* Calls step(part of the time that is over) for 5 seconds, with an allocation for
 * the runtime to look around. */
static void pass_time(void (*step)(double))
{
    struct timespec start, now;
    double part = 0;

    clock_gettime(CLOCK_MONOTONIC, &start);
    while (part < 1) {
        char *volatile p = malloc(5000);

        *p = 1;
        free(p);
        step(part);
        usleep(10000);
        clock_gettime(CLOCK_MONOTONIC, &now);
        part = ((double)(now.tv_sec - start.tv_sec) +
                (double)(now.tv_nsec - start.tv_nsec) / 1e9) / 5;
    }
    step(part);
}
static void add_first(double part)
{
    (void)part;
    for (int i = 0; i < 100; i++)
        sum += *(unsigned char *)kept[i];
}
CASE(stale)
{
    for (int i = 0; i < 100; i++)
        kept[i] = memset(malloc(1000), 1, 1000);
    for (int i = 100; i < 1000; i++)
        kept[i] = memset(malloc(1000), 1, 1000); /* advise: stale */
    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 1000; k++)
            sum += ((unsigned char *)kept[i])[k];
    pass_time(add_first);
}
/* All of the bytes, so that they are not cold. */
static void add_late(double part)
{
    for (int i = 0; i < (part < 0.55 ? 200 : 100); i++)
        for (int k = 0; k < 1000; k++)
            sum += ((unsigned char *)kept[i])[k];
}
CASE(used_late)
{
    for (int i = 0; i < 200; i++)
        kept[i] = memset(malloc(1000), 1, 1000);
    pass_time(add_late);
}

/* -- contents: with duplicates=1 -------------------------------------------- */

/* 1,000 keys, of `kinds` kinds, which are used all the time. */
static void keep_keys(int kinds, char *(*copy)(int))
{
    for (int i = 0; i < 1000; i++)
        kept[i] = copy(i % kinds);
    for (int k = 0; k < 2000; k++)
        for (int i = 0; i < 1000; i++)
            sum += *(unsigned char *)kept[i];
}
static __attribute__((noinline)) char *fill(char *p, int i)
{
    for (int k = 0; k < 12; k++)
        ((volatile int *)p)[k] = i + k + 1;
    sum += (unsigned char)p[20];
    return p;
}
static __attribute__((noinline)) char *same_key(int i)
{
    return fill(malloc(48), i); /* advise: duplicates in duplicates */
}
static __attribute__((noinline)) char *own_key(int i)
{
    return fill(malloc(48), i);
}
CASE(duplicates)
{
    keep_keys(20, same_key);
}
/* A fifth of the bytes. */
CASE(duplicates_few)
{
    keep_keys(800, own_key);
}
/* Sharing saves less than shorter blocks would. */
static __attribute__((noinline)) char *long_key(int i)
{
    return fill(calloc(1, 256), i); /* advise: duplicates in duplicates_tail; advise: untouched-tail in duplicates_tail */
}
CASE(duplicates_tail)
{
    keep_keys(600, long_key);
}
/* Nothing is in them yet. */
CASE(duplicates_of_zeros)
{
    for (int i = 0; i < 1000; i++)
        kept[i] = calloc(1, 48);
    for (int k = 0; k < 48 * 100; k++)
        for (int i = 0; i < 1000; i++)
            sum += ((volatile unsigned char *)kept[i])[k % 48];
}
/* Two live at a time, so that they are not temporary. */
static void make_again(int kinds, char *(*make)(int))
{
    char *before = NULL;

    for (int i = 0; i < 4000; i++) {
        char *const p = make(i % kinds);
        free(before);
        before = p;
    }
    free(before);
}
static __attribute__((noinline)) char *one_of_few(int i)
{
    return fill(malloc(48 + (size_t)i), i); /* advise: repeated-content in duplicates_freed */
}
static __attribute__((noinline)) char *one_of_many(int i)
{
    return fill(malloc(48 + (size_t)i), i);
}
CASE(duplicates_freed)
{
    make_again(10, one_of_few);
}
/* Half of the blocks have a new content. */
CASE(duplicates_freed_few)
{
    make_again(2000, one_of_many);
}

/* -- types with cold halves: with histograms ------------------------------- */

struct account {
    long id, balance;
    char name[64];
    long created;
    int rank;
};
static struct account *new_account(long id)
{
    struct account *const a = malloc(sizeof(*a)); /* advise: churn in cold_members_short */

    memset(a, 1, sizeof(*a));
    a->id = id;
    return a;
}
static void visit(int i, size_t name)
{
    struct account *const a = kept[i];

    a->balance += a->id;
    for (size_t k = 0; k < name; k++)
        sum += (unsigned char)a->name[k];
    sum += name != 0 ? (unsigned)a->created : 0;
}
static void use_accounts_for(int count, size_t name, int rounds)
{
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < count; i++)
            visit(i, name);
    for (int i = 0; i < count; i++)
        free(kept[i]);
    memset(kept, 0, sizeof(kept));
}
static void use_accounts(int count, size_t name)
{
    use_accounts_for(count, name, 100);
}
CASE(cold_members)
{
    for (int i = 0; i < N; i++) {
        struct account *const a = malloc(sizeof(*a)); /* advise: cold-members */

        memset(a, 1, sizeof(*a));
        kept[i] = a;
    }
    use_accounts(N, 0);
}
/* The hottest member of each has 31 accesses, the cold ones have that of memset. */
CASE(cold_members_cleared)
{
    for (int i = 0; i < N; i++) {
        kept[i] = malloc(sizeof(struct account)); /* advise: cold-members */
        memset(kept[i], 1, sizeof(struct account));
    }
    use_accounts_for(N, 0, 15);
}
/* They are read once, too. */
CASE(warm_members_cleared)
{
    for (int i = 0; i < N; i++) {
        kept[i] = malloc(sizeof(struct account));
        memset(kept[i], 1, sizeof(struct account));
    }
    for (int i = 0; i < N; i++)
        visit(i, 64);
    use_accounts_for(N, 0, 15);
}
CASE(cold_members_by_memcpy)
{
    static const struct account none;

    for (int i = 0; i < N; i++)
        kept[i] = memcpy(malloc(sizeof(none)), &none, sizeof(none)); /* advise: cold-members */
    use_accounts(N, 0);
}
CASE(cold_members_of_array)
{
    struct account *const all = malloc(N * sizeof(*all)); /* advise: cold-members */

    memset(all, 1, N * sizeof(*all));
    for (int k = 0; k < 100; k++)
        for (int i = 0; i < N; i++)
            all[i].balance += all[i].id;
    sum += (unsigned)all[7].balance;
    free(all);
}
CASE(cold_members_few)
{
    for (int i = 0; i < 900; i++)
        kept[i] = new_account(i);
    use_accounts(900, 0);
}
CASE(warm_members)
{
    for (int i = 0; i < N; i++)
        kept[i] = new_account(i);
    use_accounts(N, 64);
}
CASE(cold_members_small)
{
    struct pair {
        long a, b, c, d, cold;
    };

    for (int i = 0; i < N; i++) {
        struct pair *const p = malloc(sizeof(*p));

        memset(p, 1, sizeof(*p));
        kept[i] = p;
    }
    for (int k = 0; k < 100; k++)
        for (int i = 0; i < N; i++) {
            struct pair *const p = kept[i];

            p->a += p->b + p->c + p->d;
        }
    free_all();
}
CASE(cold_members_short)
{
    for (int i = 0; i < N; i++) {
        kept[0] = new_account(i);
        between();
        for (int k = 0; k < 100; k++)
            visit(0, 0);
        free(kept[0]);
    }
    kept[0] = NULL;
}

/* -- growth ---------------------------------------------------------------- */

static void grow(size_t (*next)(size_t), int buffers, size_t most)
{
    for (int b = 0; b < buffers; b++) {
        size_t size = 16;
        char *p = malloc(size);

        memset(p, 1, size);
        while (size < most) {
            const size_t to = next(size);

            p = realloc(p, to); /* advise: small-steps in by_16; advise: small-steps in by_4096 */
            memset(p + size, 1, to - size);
            size = to;
            between();
        }
        for (size_t i = 0; i < size; i++)
            sum += (unsigned char)p[i];
        free(p);
    }
}
static size_t plus_16(size_t size)
{
    return size + 16;
}
static size_t twice(size_t size)
{
    return 2 * size;
}
CASE(by_16)
{
    grow(plus_16, 50, 3000);
}
CASE(by_doubling)
{
    grow(twice, 500, 3000);
}
/* Few calls, but many bytes. */
static size_t plus_4096(size_t size)
{
    return size + 4096;
}
CASE(by_4096)
{
    grow(plus_4096, 1, 900 * 4096);
}
CASE(by_16_seldom)
{
    grow(plus_16, 400, 64);
}
CASE(shrunk)
{
    for (int i = 0; i < N; i++) {
        char *const p = malloc(1000);

        memset(p, 1, 1000);
        kept[i] = realloc(p, 100 + (size_t)i % 5 * 16);
    }
    add_all(100);
    free_all();
}

/* Most shrink, some grow. */
CASE(resized_once)
{
    for (int i = 0; i < N; i++) {
        char *const p = malloc(1000);

        memset(p, 1, 1000);
        kept[i] = realloc(p, 600 + (size_t)i % 420);
    }
    add_all(600);
    free_all();
}
CASE(grown_once)
{
    for (int i = 0; i < 40; i++) {
        char *const p = malloc(200000);

        memset(p, 1, 200000);
        kept[i] = realloc(p, 200016);
        for (size_t k = 0; k < 200016; k++)
            sum += ((unsigned char *)kept[i])[k];
        free(kept[i]);
    }
}

/* -- calls of the allocator ------------------------------------------------ */

CASE(local)
{
    for (int i = 0; i < N; i++) {
        char *const p = malloc(64 + (size_t)i % 50); /* advise: local */

        memset(p, i, 64);
        between();
        sum += (unsigned char)p[i % 64];
        free(p);
    }
}
static char *make(size_t size)
{
    char *const p = malloc(size); /* advise: churn in freed_by_caller */

    memset(p, 1, size);
    between();
    return p;
}
CASE(freed_by_caller)
{
    for (int i = 0; i < N; i++) {
        char *const p = make(64);

        sum += (unsigned char)p[i % 64];
        free(p);
    }
}
CASE(freed_by_caller_sizes)
{
    for (int i = 0; i < N; i++) {
        char *const p = make(64 + (size_t)i % 40);

        sum += (unsigned char)p[i % 64];
        free(p);
    }
}
CASE(local_large)
{
    for (int i = 0; i < N; i++) {
        char *const p = malloc(6000 + (size_t)i % 50);

        p[i] = 1;
        between();
        sum += (unsigned char)p[i];
        free(p);
    }
}
static char *text_of(int i)
{
    char *const text = malloc(32 + (size_t)i % 20); /* advise: temporary */

    snprintf(text, 32, "number %d", i);
    return text;
}
CASE(temporary)
{
    for (int i = 0; i < N; i++) {
        char *const text = text_of(i);

        sum += (unsigned)strlen(text);
        free(text);
    }
}
CASE(temporary_few)
{
    for (int i = 0; i < 900; i++) {
        char *const text = text_of(i);

        sum += (unsigned)strlen(text);
        free(text);
    }
}
CASE(churn)
{
    struct node *queue[8] = {NULL};

    for (unsigned i = 0; i < N; i++) {
        free(queue[i % 8]);
        queue[i % 8] = malloc(100); /* advise: churn */
        memset(queue[i % 8], 0, 100);
        sum += ((volatile struct node *)queue[i % 8])->value;
    }
    for (int i = 0; i < 8; i++)
        free(queue[i]);
}
static __attribute__((noinline)) void queue_one(size_t size)
{
    static void *queue[32];
    static unsigned turn;
    void **const place = &queue[turn++ % 32];

    free(*place);
    *place = malloc(size); /* advise: churn in churn_sizes */
    sum += *(volatile unsigned char *)memset(*place, 1, size);
}
CASE(churn_sizes)
{
    for (unsigned i = 0; i < N; i++) {
        queue_one(100);
        queue_one(200);
    }
}
CASE(many_at_once)
{
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < N; i++) {
            kept[i] = malloc(100);
            memset(kept[i], i, 100);
        }
        add_all(100);
        free_all();
    }
}
static void *consume(void *p)
{
    for (int i = 0; i < 2000; i++)
        sum += ((unsigned char *)p)[i];
    free(p);
    return NULL;
}
CASE(other_thread)
{
    for (int i = 0; i < 50; i++) {
        char *const p = malloc(2000);
        pthread_t thread;

        memset(p, i, 2000);
        if (pthread_create(&thread, NULL, consume, p) != 0)
            abort();
        pthread_join(thread, NULL);
    }
}
static unsigned fib(int n)
{
    unsigned *volatile p = malloc(sizeof(*p) + (size_t)n); /* advise: local */

    *p = n < 2 ? 1 : fib(n - 1) + fib(n - 2);
    const unsigned result = *p;
    free(p);
    return result;
}
CASE(recursion)
{
    sum += fib(17);
}
/* The C library reads names that the program made and does not read itself. */
static void make_name(char *name)
{
    memcpy(name, "/nonexistent/name-of-a-file", sizeof("/nonexistent/name-of-a-file"));
}
CASE(read_as_path)
{
    for (int i = 0; i < N; i++) {
        char *const name = malloc(64); /* advise: local */

        make_name(name);
        sum += (unsigned)open(name, O_RDONLY);
        free(name);
    }
}
CASE(read_as_locale)
{
    for (int i = 0; i < N; i++) {
        char *const name = malloc(64); /* advise: local */

        make_name(name);
        sum += setlocale(LC_TIME, name) != NULL;
        free(name);
    }
}
CASE(silenced)
{
    for (int i = 0; i < N; i++)
        kept[i] = malloc(100); /* memprof: ok (a reserve for later) */
    free_all();
}

#define CASES(X)                                                            \
    X(leak) X(global) X(unused) X(unused_zeroed) X(unused_wrapper)          \
    X(unused_temporary) X(used) X(used_by_libc) X(used_by_kernel)           \
    X(used_by_qsort) X(unread) X(unread_log) X(unread_copy) X(read_once)    \
    X(read_by_memcmp) X(read_by_strcpy) X(tail) X(tail_of_struct)           \
    X(tail_touched) X(tail_of_sizes) X(tail_short) X(small_nodes)           \
    X(small_again)                                                          \
    X(few_nodes) X(large_nodes) X(cold) X(warm) X(stale) X(used_late)       \
    X(duplicates) X(duplicates_few) X(duplicates_tail) X(duplicates_of_zeros)                  \
    X(duplicates_freed) X(duplicates_freed_few)                             \
    X(cold_members) X(cold_members_cleared) X(warm_members_cleared)         \
    X(cold_members_by_memcpy) X(cold_members_of_array) X(cold_members_few)  \
    X(warm_members) X(cold_members_small) X(cold_members_short) X(by_16) X(by_doubling)     \
    X(by_16_seldom) X(by_4096) X(shrunk) X(resized_once) X(grown_once) X(local) X(freed_by_caller)                   \
    X(freed_by_caller_sizes) X(local_large) X(temporary) X(temporary_few)   \
    X(churn) X(churn_sizes) X(many_at_once) X(other_thread) X(recursion)    \
    X(read_as_path) X(read_as_locale) X(silenced)

int main(int argc, char **argv)
{
#define X(name)                                      \
    if (argc == 2 && strcmp(argv[1], #name) == 0) {  \
        name();                                      \
        return 0;                                    \
    }
    CASES(X)
#undef X
#define X(name) puts(#name);
    CASES(X)
#undef X
    return argc != 1;
}
