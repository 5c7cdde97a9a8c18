/* pools.c -- C and C++: one call makes the nodes of two lists, in turn, and those of
 * a third, which is freed at once. Prints whether neighbours of a list are
 * neighbours in memory. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define NODES 80000
#define WALKS 30

struct node {
    struct node *next;
    long value[2];
};

static NOINLINE struct node *make(struct node *next, long value)
{
#ifdef __cplusplus
    struct node *const node = new struct node;
#else
    struct node *const node = (struct node *)malloc(sizeof(struct node));
#endif

    node->next = next;
    node->value[0] = value;
    return node;
}

static void drop(struct node *node)
{
#ifdef __cplusplus
    delete node;
#else
    free(node);
#endif
}

static NOINLINE struct node *make_left(struct node *next) { return make(next, 1); }
static NOINLINE struct node *make_right(struct node *next) { return make(next, 2); }
static NOINLINE void make_brief(void) { drop(make(NULL, 3)); }

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
    fprintf(stderr, "%s: %s\n", name, near > NODES * 9 / 10 ? "together" : "apart");
}

int main(void)
{
    struct node *left = NULL, *right = NULL;
    long sum = 0;

    for (int i = 0; i < NODES; i++) {
        left = make_left(left);
        make_brief();
        right = make_right(right);
    }
    for (int i = 0; i < WALKS; i++)
        sum += walk(left) - walk(right);
    tell("left", left);
    tell("right", right);
    printf("%ld\n", sum);
    return sum != -(long)NODES * WALKS;
}
