/* several.c -- C and C++: one call makes the nodes of five lists, in turn, through
 * two functions that all of them share. Prints whether neighbours of a list are
 * neighbours in memory. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define NODES 60000
#define WALKS 30
#define LISTS(X) X(0) X(1) X(2) X(3) X(4)

struct node {
    struct node *next;
    long value[2];
};

static NOINLINE struct node *get(void)
{
#ifdef __cplusplus
    return new struct node;
#else
    return (struct node *)malloc(sizeof(struct node));
#endif
}

static NOINLINE struct node *make(struct node *next, long value)
{
    struct node *const node = get();

    node->next = next;
    node->value[0] = value;
    return node;
}

#define X(number)                                                        \
    static NOINLINE struct node *make_##number(struct node *next)        \
    {                                                                    \
        return make(next, number + 1);                                   \
    }
LISTS(X)
#undef X

static long walk(const struct node *node)
{
    long sum = 0;

    for (; node != NULL; node = node->next)
        sum += node->value[0];
    return sum;
}

static void tell(int number, const struct node *node)
{
    int near = 0;

    for (; node->next != NULL; node = node->next)
        near += (char *)node - (char *)node->next == sizeof(*node);
    fprintf(stderr, "%d: %s\n", number,
            near > NODES * 9 / 10 ? "together" : "apart");
}

int main(void)
{
    struct node *lists[5] = {NULL};
    long sum = 0;

    for (int i = 0; i < NODES; i++) {
#define X(number) lists[number] = make_##number(lists[number]);
        LISTS(X)
#undef X
    }
    for (int list = 0; list < 5; list++) {
        for (int i = 0; i < WALKS; i++)
            sum += walk(lists[list]);
    }
    for (int list = 0; list < 5; list++)
        tell(list, lists[list]);
    printf("%ld\n", sum);
    return 0;
}
