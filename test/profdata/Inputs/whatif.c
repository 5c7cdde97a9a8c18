/* whatif.c -- a list of 100,000 nodes with a text each, and a table; nothing is
 * freed. Nodes are walked, texts are not. Of an entry the first and the last
 * member are used together. With -DHINTS the nodes have a dense pool. */
#include <stdlib.h>
#include <string.h>

#ifdef HINTS
#include "inc/memprof_hints.h"
#define malloc_node(size) \
    __memprof_malloc_hint(size, MEMPROF_HINT_DENSE_POOL(1))
#else
#define malloc_node malloc
#endif

struct node {
    struct node *next;
    char *text;
    long key;
};
struct entry {
    long hits;
    char name[104];
    long key;
};

#ifndef NODES
#define NODES 100000
#endif
enum { ENTRIES = 10000, WALKS = 200 };
static struct node *first;
static struct entry *entries[ENTRIES];
static volatile long sum;

__attribute__((noinline)) static struct node *new_node(long key)
{
    struct node *const n = malloc_node(sizeof(struct node));

    n->key = key;
    n->next = first;
    return n;
}

/* 8 to 71 bytes. */
__attribute__((noinline)) static char *new_text(long key)
{
    const size_t size = 8 + (size_t)(key * 37 % 64);
    char *const text = malloc(size);

    memset(text, 'a', size);
    return text;
}

static void make(void)
{
    for (long key = 0; key < NODES; key++) {
        first = new_node(key);
        first->text = new_text(key);
    }
    for (int i = 0; i < ENTRIES; i++) {
        entries[i] = malloc(sizeof(struct entry));
        entries[i]->hits = entries[i]->key = i;
    }
}

int main(void)
{
    make();
    for (int walk = 0; walk < WALKS; walk++) {
        for (const struct node *n = first; n != NULL; n = n->next)
            sum += n->key;
        for (int i = 0; i < ENTRIES; i++)
            sum += entries[i]->hits += entries[i]->key;
    }
    return 0;
}
