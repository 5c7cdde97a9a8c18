/* Accesses of many kinds, for comparing passes. The exit status says nothing. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    long key;
    char name[40];
};

static long total;
static _Atomic long shared;
static const int table[16] = {1, 2, 3, 4, 5};
static _Thread_local int depth;

static struct node *push(struct node *list, long key)
{
    struct node *n = malloc(sizeof(*n));

    n->next = list;
    n->key = key;
    memset(n->name, (int)key, sizeof(n->name));
    return n;
}

static long walk(const struct node *n)
{
    depth++;
    return n == NULL ? 0 : n->key + table[n->key & 15] + walk(n->next);
}

/* Vectorized at -O2 and up, partly with masks. */
__attribute__((noinline)) void scale(float *restrict a, const float *b, int n,
                                     const int *keep)
{
    for (int i = 0; i < n; i++) {
        if (keep[i])
            a[i] += b[i] * 2;
    }
}

__attribute__((noinline)) struct node copy(const struct node *n)
{
    struct node local = *n;

    local.key++;
    return local;
}

int main(void)
{
    struct node *list = NULL;
    float *a = calloc(256, sizeof(*a));
    float *b = calloc(256, sizeof(*b));
    int *keep = malloc(256 * sizeof(*keep));
    char *text = malloc(100);

    for (int i = 0; i < 256; i++)
        keep[i] = i % 3 == 0;
    for (int round = 0; round < 5; round++)
        scale(a, b, 256, keep);
    for (long i = 0; i < 20; i++)
        list = push(list, i);
    total += walk(list) + copy(list).key;
    atomic_fetch_add(&shared, total);
    strcpy(text, "a text of some length");
    memmove(text + 1, text, 20);
    total += text[5];
    for (int i = 0; i < 300; i++)
        ((volatile char *)text)[50]++;
    while (list != NULL) {
        struct node *next = list->next;

        free(list);
        list = next;
    }
    free(a);
    free(b);
    free(keep);
    free(text);
    return total == 42;
}
