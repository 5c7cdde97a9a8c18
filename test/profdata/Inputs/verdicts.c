/* Nodes that are walked all the time, their payload that is not, copies that
 * are gone at once, and a table that both a hot and a cold caller allocate. */
#include <stdlib.h>
#include <string.h>

#ifdef EXEMPT
#include "inc/memprof.h"
#else
#define MEMPROF_NO_HINT
#endif

enum { NODES = 4000, ROUNDS = 2000 };

struct node {
    struct node *next;
    char *payload;
    long value;
};

static volatile long sum;
static char *volatile shown;

__attribute__((noinline)) static struct node *make_node(struct node *next)
{
    struct node *const n = (struct node *)malloc(sizeof(*n));

    n->next = next;
    n->value = 1;
    return n;
}

MEMPROF_NO_HINT __attribute__((noinline)) static char *make_payload(void)
{
    char *const p = (char *)malloc(200);

    memset(p, 1, 200);
    return p;
}

__attribute__((noinline)) static long *make_table(void)
{
    return (long *)calloc(3000, sizeof(long));
}

__attribute__((noinline)) static long *make_hot_table(void)
{
    return make_table();
}

__attribute__((noinline)) static long *make_cold_table(void)
{
    return make_table();
}

__attribute__((noinline)) static void copy_once(void)
{
    char *const p = (char *)malloc(100);

    memset(p, 2, 100);
    shown = p;
    free(p);
}

int main(void)
{
    struct node *list = NULL;
    long *const hot = make_hot_table();
    long *const cold = make_cold_table();

    for (int i = 0; i < NODES; i++) {
        list = make_node(list);
        list->payload = make_payload();
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (struct node *n = list; n != NULL; n = n->next)
            sum += n->value;
        for (int i = 0; i < 3000; i++)
            hot[i] += i;
        copy_once();
    }
    return cold[5] != 0;
}
