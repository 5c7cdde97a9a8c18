/* fields-directions.c -- members that are read, written, both, or neither, by
 * the program's own code and by the C library. */
#include <stdlib.h>
#include <string.h>

struct item {
    long read, written, both;
    char copied_to[16], copied_from[16];
    long none;
    long atomic;
};

int main(void)
{
    struct item *volatile item = calloc(1, sizeof(*item));
    volatile size_t size = 16;
    char text[16] = "x";
    long sum = 0;

    *(volatile long *)&item->read = 1;
    *(volatile long *)&item->atomic = 1;
    for (int i = 0; i < 100; i++) {
        sum += *(volatile long *)&item->read;
        *(volatile long *)&item->written = i;
        *(volatile long *)&item->both += sum;
        __atomic_fetch_add(&item->atomic, 1, __ATOMIC_RELAXED);
    }
    __atomic_exchange_n(&item->atomic, 1, __ATOMIC_RELAXED);
    memcpy(item->copied_to, text, size);
    memcpy(text, item->copied_from, size);
    return text[3];
}
