/* A list whose nodes are read all the time and whose payloads are not: both from
 * one function, grab(), that stands in grab.c or, with ONE_UNIT, here. The first
 * blocks are cold from one stack only. */
#include <stdio.h>
#include <stdlib.h>

#ifdef ONE_UNIT
#include "grab.c"
#else
void *grab(size_t size);
#endif

struct node {
    struct node *next;
    long value;
    long *payload;
};

__attribute__((noinline)) struct node *make_node(struct node *next, long value)
{
    struct node *node = grab(sizeof(*node));

    node->next = next;
    node->value = value;
    return node;
}

__attribute__((noinline)) long *make_payload(long value)
{
    long *payload = grab(64);

    payload[0] = value;
    return payload;
}

__attribute__((noinline)) char *make_table(void)
{
    return calloc(1, 100);
}

int main(void)
{
    struct node *list = NULL;
    char *tables[10];
    long sum = 0;

    for (int i = 0; i < 10; i++)
        tables[i] = make_table();
    for (long i = 0; i < 1000; i++) {
        list = make_node(list, i);
        list->payload = make_payload(i);
    }
    for (int round = 0; round < 1000; round++) {
        for (struct node *node = list; node != NULL; node = node->next)
            sum += node->value;
    }
    printf("%ld\n", sum + tables[3][0]);
    return 0;
}
