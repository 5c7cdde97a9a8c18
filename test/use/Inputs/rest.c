/* rest.c -- a call makes the nodes of three lists and blocks that nobody reads. The
 * third list is that of another file (OTHER), so its nodes come from the same copy
 * of the functions as the blocks that nobody reads, unless these have a copy. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

struct node {
    struct node *next;
    long value[2];
};

char *other(size_t n, char c);
struct node *third(struct node *next);

#ifdef OTHER
NOINLINE struct node *third(struct node *next)
{
    struct node *const node = (struct node *)other(sizeof(*node), 0);

    *node = (struct node){.next = next, .value = {3, 0}};
    return node;
}
#else
#define NODES 80000
#define WALKS 30

NOINLINE static void *get(size_t n)
{
    void *const p = malloc(n);

    if (p == NULL)
        abort();
    return p;
}

NOINLINE static struct node *make(struct node *next, long value)
{
    struct node *const node = get(sizeof(*node));

    *node = (struct node){.next = next, .value = {value, 0}};
    return node;
}

NOINLINE static struct node *first(struct node *next) { return make(next, 1); }
NOINLINE static struct node *second(struct node *next) { return make(next, 2); }

NOINLINE char *other(size_t n, char c)
{
    char *const p = get(n);

    p[0] = c;
    return p;
}

NOINLINE static char *unread(void) { return other(256, 1); }

NOINLINE static long walk(const struct node *node)
{
    long sum = 0;

    for (; node != NULL; node = node->next)
        sum += node->value[0];
    return sum;
}

static char *kept[NODES / 50];

int main(void)
{
    struct node *lists[3] = {NULL};
    long sum = 0;

    for (int i = 0; i < NODES; i++) {
        lists[0] = first(lists[0]);
        if (i % 8 != 0)
            lists[1] = second(lists[1]);
        if (i % 4 != 0)
            lists[2] = third(lists[2]);
        if (i % 50 == 0)
            kept[i / 50] = unread();
    }
    for (int list = 0; list < 3; list++) {
        for (int i = 0; i < WALKS; i++)
            sum += walk(lists[list]);
    }
    printf("%ld\n", sum);
    return 0;
}
#endif
