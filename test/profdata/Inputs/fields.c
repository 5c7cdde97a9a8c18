/* Accesses to members whose numbers are known. Members are volatile, so that
 * the compiler keeps each access. */
#include <stdlib.h>

struct item {
    volatile int hits;
    volatile int key;
    volatile long never;
    volatile char flag;
    volatile int level;
    volatile char text[20];
    volatile int tail;
    volatile double values[4];
    volatile short end;
};

struct pair {
    volatile long a;
    volatile int b;
};

struct triple {
    volatile int x, y, z;
};

union either {
    volatile int number;
    volatile float real;
};

static void use_item(struct item *item)
{
    for (int i = 0; i < 10; i++)
        item->hits = i;
    for (int i = 0; i < 5; i++)
        item->key = i;
    for (int i = 0; i < 3; i++)
        item->flag = 1;
    for (int i = 0; i < 4; i++)
        item->level = i;
    item->text[0] = 'a';
    item->text[15] = 'b';
    item->text[16] = 'c';
    for (int i = 0; i < 6; i++)
        item->tail = i;
    for (int i = 0; i < 8; i++)
        item->values[i % 4] = i;
}

int main(void)
{
    struct item *const one = malloc(sizeof(struct item));
    struct item *const two = calloc(1, sizeof(struct item));
    struct pair *const pairs = calloc(10, sizeof(struct pair));
    struct triple *const triple = malloc(sizeof(struct triple));
    struct triple *const triples = malloc(4 * sizeof(struct triple));
    struct pair *const header = malloc(sizeof(struct pair) + 24);
    union either *const either = malloc(sizeof(union either));

    use_item(one);
    use_item(two);
    for (int i = 0; i < 10; i++) {
        pairs[i].a = i;
        pairs[i].a = i;
        pairs[i].b = i;
    }
    triple->x = 1;
    triple->z = 1;
    triple->z = 2;
    for (int i = 0; i < 4; i++)
        triples[i].y = i;
    header->a = 1;
    either->number = 1;
    free(one);
    free(two);
    free(pairs);
    free(triple);
    free(triples);
    free(header);
    free(either);
    return 0;
}
