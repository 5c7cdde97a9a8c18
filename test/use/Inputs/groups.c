/* groups.c -- two lists whose nodes are allocated in turn and that are walked one
 * after the other. Prints whether neighbours of a list are neighbours in memory. */
#include <stdio.h>
#include <stdlib.h>

#define NODES 20000
#define WALKS 30

struct node {
    struct node *next;
    long value[2];
};

static __attribute__((noinline)) struct node *make_left(struct node *next)
{
    struct node *const node = malloc(sizeof(*node));

    *node = (struct node){.next = next, .value = {1, 0}};
    return node;
}

static __attribute__((noinline)) struct node *make_right(struct node *next)
{
    struct node *const node = malloc(sizeof(*node));

    *node = (struct node){.next = next, .value = {2, 0}};
    return node;
}

static long walk(const struct node *node)
{
    long sum = 0;

    for (; node != NULL; node = node->next)
        sum += node->value[0];
    return sum;
}

static void tell(const char *name, const struct node *node)
{
    int near = 0;

    for (; node->next != NULL; node = node->next)
        near += (char *)node - (char *)node->next == sizeof(*node);
    printf("%s: %s\n", name, near > NODES * 9 / 10 ? "together" : "apart");
}

int main(void)
{
    struct node *left = NULL, *right = NULL;
    long sum = 0;

    for (int i = 0; i < NODES; i++) {
        left = make_left(left);
        right = make_right(right);
    }
    for (int i = 0; i < WALKS; i++)
        sum += walk(left) - walk(right);
    tell("left", left);
    tell("right", right);
    return sum != -(long)NODES * WALKS;
}
