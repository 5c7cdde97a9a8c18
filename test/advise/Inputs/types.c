/* types.c -- two types with cold members; one has two places. With an argument
 * the second type is used, too. */
#include <stdlib.h>
#include <string.h>

#define COUNT 4000

struct first {
    long id, balance;
    char name[64];
};
struct second {
    long key, value;
    char text[128];
};

static volatile long sum;

static __attribute__((noinline)) void *larger(void)
{
    void *const p = malloc(sizeof(struct first)); /* the larger place */

    return memset(p, 1, sizeof(struct first));
}
static __attribute__((noinline)) void *smaller(void)
{
    return memset(malloc(sizeof(struct first)), 1, 80); /* the smaller place */
}

int main(int argc, char **argv)
{
    static struct first *firsts[COUNT];
    static struct second *seconds[COUNT];

    (void)argv;
    for (int i = 0; i < COUNT; i++) {
        firsts[i] = i < 3000 ? larger() : smaller();
        if (argc > 1) {
            seconds[i] = malloc(sizeof(struct second));
            memset(seconds[i], 1, sizeof(struct second));
        }
    }
    for (int k = 0; k < 100; k++)
        for (int i = 0; i < COUNT; i++) {
            sum += firsts[i]->id + firsts[i]->balance;
            if (argc > 1)
                sum += seconds[i]->key + seconds[i]->value;
        }
    for (int i = 0; i < COUNT; i++) {
        free(firsts[i]);
        free(seconds[i]);
    }
    return 0;
}
