/* Accesses to members of 4 bytes and less whose numbers are known, also by code
 * that accesses several members at once. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct item {
    int hot, cold;
    long wide;
    short first, second;
    char flag, kind;
    int values[3];
    int copied, moved;
    int last;
};

struct point {
    int x, y, z;
};

struct four {
    int a, b, c, d;
};

#define ACCESS(member) (*(volatile __typeof__(member) *)&(member))

static void use_item(struct item *item)
{
    for (int i = 0; i < 1000; i++)
        ACCESS(item->hot) = i;
    ACCESS(item->cold) = 1;
    for (int i = 0; i < 7; i++)
        ACCESS(item->wide) = i;
    for (int i = 0; i < 5; i++)
        ACCESS(item->first) = (short)i;
    ACCESS(item->second) = 1;
    ACCESS(item->flag) = ACCESS(item->kind);
    for (int i = 0; i < 6; i++)
        ACCESS(item->values[i % 3]) = i;
    ACCESS(item->last) = 3;
}

/* One access to 8 bytes, of two members. */
static void use_two(void *members)
{
    typedef uint64_t two __attribute__((aligned(4), may_alias));

    *(volatile two *)members = 0;
}

/* One access to 8 bytes of which the compiler knows no alignment. */
static void use_unaligned(void *bytes)
{
    typedef uint64_t unaligned __attribute__((aligned(1), may_alias));

    *(volatile unaligned *)bytes = 0;
}

int main(void)
{
    struct item *volatile any = malloc(sizeof(struct item));
    struct point *const points = malloc(10 * sizeof(struct point));
    struct four *const four = malloc(sizeof(struct four));
    volatile size_t two_ints = 8;
    volatile size_t six = 6;
    char bytes[6];

    use_item(any);
    for (int i = 0; i < 20; i++)
        memcpy(&any->copied, &any->values[1], two_ints);
    use_two(&any->hot);
    for (int i = 0; i < 10; i++) {
        ACCESS(points[i].y) = ACCESS(points[i].x);
        use_two(&points[i].y);
    }
    use_two(&points[0].z);
    use_unaligned((char *)four + 2); /* a, b, c */
    use_unaligned((char *)four + 8); /* c, d */
    memcpy(bytes, (char *)four + 6, six); /* b, c */
    free(any);
    free(points);
    free(four);
    return bytes[0];
}
