/* Orders with lines, which are walked together; notes that nobody reads lie
 * between them. Two lists that are allocated in turn and walked apart. */
#include <stdlib.h>
#include <string.h>

enum { ORDERS = 30000, LINES = 3, ROUNDS = 8 };

struct line {
    struct line *next;
    long price;
};

struct order {
    struct order *next;
    struct line *lines;
    char *note;
};

struct item {
    struct item *next;
    long values[3];
};

static volatile long sum;

#define ALLOCATE(type, name)                                 \
    __attribute__((noinline)) static struct type *name(void) \
    {                                                        \
        return (struct type *)malloc(sizeof(struct type));   \
    }
ALLOCATE(line, make_line)
ALLOCATE(order, make_order)
ALLOCATE(item, make_apple)
ALLOCATE(item, make_pear)

__attribute__((noinline)) static char *make_note(void)
{
    return memset(malloc(80), 'x', 80);
}

static struct item *add_item(struct item *item, struct item *next)
{
    item->next = next;
    item->values[0] = 1;
    return item;
}

static struct order *add_order(struct order *next)
{
    struct order *const o = make_order();

    o->next = next;
    o->lines = NULL;
    o->note = make_note();
    for (int i = 0; i < LINES; i++) {
        struct line *const l = make_line();

        l->next = o->lines;
        l->price = i;
        o->lines = l;
    }
    return o;
}

static void walk(const struct order *orders, const struct item *apples,
                 const struct item *pears)
{
    for (const struct order *o = orders; o != NULL; o = o->next) {
        for (const struct line *l = o->lines; l != NULL; l = l->next)
            sum += l->price;
    }
    for (const struct item *i = apples; i != NULL; i = i->next)
        sum += i->values[0];
    for (const struct item *i = pears; i != NULL; i = i->next)
        sum += i->values[0];
}

int main(void)
{
    struct order *orders = NULL;
    struct item *apples = NULL;
    struct item *pears = NULL;

    for (int i = 0; i < ORDERS; i++)
        orders = add_order(orders);
    for (int i = 0; i < ORDERS; i++) {
        apples = add_item(make_apple(), apples);
        pears = add_item(make_pear(), pears);
    }
    for (int i = 0; i < ROUNDS; i++)
        walk(orders, apples, pears);
    return 0;
}
