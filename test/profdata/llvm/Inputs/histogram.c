// Known accesses to each 8 bytes of two blocks.
#include <stdlib.h>

struct padded {
    char tag;
    long hole[1];
    long value;
};

int main(void)
{
    volatile char *a = malloc(52);

    for (int cell = 0; cell < 7; cell++) {
        for (int i = 0; i <= cell; i++)
            a[8 * cell] = 1;
    }
    free((void *)a);

    volatile struct padded *p = malloc(sizeof(*p));

    for (int i = 0; i < 5; i++)
        p->tag = 1;
    for (int i = 0; i < 9; i++)
        p->value = 1;
    free((void *)p);
    return 0;
}
