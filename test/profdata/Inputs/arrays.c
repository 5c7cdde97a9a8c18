/* Arrays of a type, one object, and bytes that no type says anything about. */
#include <stdlib.h>

struct point {
    long x, y;
    struct point *next;
};

__attribute__((noinline)) static struct point *make(size_t n)
{
    return (struct point *)malloc(n * sizeof(struct point));
}

__attribute__((noinline)) static struct point *make_one(void)
{
    return (struct point *)malloc(sizeof(struct point));
}

__attribute__((noinline)) static long *make_bytes(size_t n)
{
    return (long *)malloc(n);
}

int main(void)
{
    struct point *volatile points[3];
    struct point *volatile one = make_one();
    long *volatile bytes = make_bytes(56);

    for (size_t i = 0; i < 3; i++) {
        points[i] = make(10 * (i + 1));
        for (size_t k = 0; k < 10 * (i + 1); k++)
            *(volatile long *)&points[i][k].y = 1;
    }
    *(volatile long *)&one->x = 1;
    ((volatile long *)bytes)[6] = 1;
    for (size_t i = 0; i < 3; i++)
        free(points[i]);
    free(one);
    free(bytes);
    return 0;
}
