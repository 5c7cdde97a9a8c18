/* nodes.c -- a list of nodes, each with texts that are hardly ever looked at.
 * All are of one size, as an allocator sees it, and allocated in turn: nodes
 * and texts lie between each other, unless a profile says that they should not.
 * With -DHINTS the program says it itself.
 *
 * usage: nodes COUNT WALKS; says on stderr how long the walks took and how many
 * pages one of them touched.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/use/walk.h"
#ifdef HINTS
#include "inc/memprof_hints.h"
#define malloc_cold(size) __memprof_malloc_hint(size, MEMPROF_HINT_COLD)
#define malloc_hot(size) __memprof_malloc_hint(size, MEMPROF_HINT_HOT)
#else
#define malloc_cold malloc
#define malloc_hot malloc
#endif

enum { TEXTS = 7, TEXT_BYTES = 40 };

struct node {
    struct node *next;
    unsigned long key;
    char **texts;
    unsigned long flags[2];
};

static void *or_exit(void *p)
{
    if (p == NULL)
        exit(1);
    return p;
}

static __attribute__((noinline)) char *text_new(unsigned long key, int i)
{
    char *const text = or_exit(malloc_cold(TEXT_BYTES));

    memset(text, 'a' + i, TEXT_BYTES - 1);
    text[0] = (char)('a' + key % 26);
    text[TEXT_BYTES - 1] = '\0';
    return text;
}

/* A table of texts, of another size. */
static __attribute__((noinline)) char **texts_new(unsigned long key)
{
    char **const texts = or_exit(malloc_cold(TEXTS * sizeof(*texts)));

    for (int i = 0; i < TEXTS; i++)
        texts[i] = text_new(key, i);
    return texts;
}

static __attribute__((noinline)) struct node *node_new(unsigned long key)
{
    struct node *const n = or_exit(malloc_hot(sizeof(*n)));

    n->key = n->flags[0] = n->flags[1] = key;
    n->next = NULL;
    n->texts = texts_new(key);
    return n;
}

/* The texts of one node of 4096 are looked at. */
static unsigned long walk(const struct node *first)
{
    unsigned long sum = 0;

    for (const struct node *n = first; n != NULL; n = n->next)
        sum += n->key % 4096 == 4095 ? strlen(n->texts[0]) : n->key;
    return sum;
}

int main(int argc, char **argv)
{
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    const int walks = argc > 2 ? atoi(argv[2]) : 1;
    struct node *first = NULL, **end = &first;
    unsigned long sum = 0;

    for (unsigned long key = 0; key < count; key++) {
        *end = node_new(key);
        end = &(*end)->next;
    }
    const double begin = walk_now_us();
    for (int i = 0; i < walks; i++)
        sum += walk(first);
    const double us = walk_now_us() - begin;

    walk_forget_pages();
    sum += walk(first);
    walk_report(us, sum);
    for (struct node *n = first, *next = NULL; n != NULL; n = next) {
        next = n->next;
        for (int i = 0; i < TEXTS; i++)
            free(n->texts[i]);
        free(n->texts);
        free(n);
    }
    return 0;
}
