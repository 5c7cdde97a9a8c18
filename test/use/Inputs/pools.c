/* pools.c -- C and C++: one call makes the nodes of two lists, in turn, and those of
 * a third, which is freed at once. Prints whether neighbours of a list are
 * neighbours in memory. With OLD, the second list is shorter and not walked. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define WALKS 30
#ifdef OLD
#define NODES 160000
#define EVERY 3
#else
#define NODES 80000
#define EVERY 1
#endif

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
        if (i % EVERY != 0)
            continue;
        make_brief();
        right = make_right(right);
    }
    for (int i = 0; i < WALKS; i++)
        sum += walk(left) - (EVERY == 1 ? walk(right) : 0);
    tell("left", left);
    tell("right", right);
    printf("%ld\n", sum);
    return right == NULL;
}
