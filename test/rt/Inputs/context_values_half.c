/* Two halves that call each other; one leaves no values. */
#include <stdlib.h>

#define KEEP __attribute__((noinline))

void plain_call(int n, void (*f)(int));
void plain_take(int n);
void value_call(int n);
void value_take(int n);
extern volatile int sink;

#ifdef PLAIN
volatile int sink;

KEEP void plain_take(int n)
{
    void *volatile p = malloc((size_t)n + 100);
    free(p);
    sink++;
}

/* On two paths. */
KEEP void plain_call(int n, void (*f)(int))
{
    f(n);
    sink++;
    if (n & 1)
        f(n);
    plain_take(n);
}

int main(void)
{
    for (int i = 0; i < 2000; i++) {
        value_call(i % 7);
        plain_call(i % 5, value_call);
        value_take(i % 3);
    }
    return 0;
}
#else
KEEP void value_take(int n)
{
    void *volatile p = malloc((size_t)n + 1);
    free(p);
    sink++;
}

KEEP void value_call(int n)
{
    plain_take(n);
    value_take(n);
    plain_call(n, value_take);
    plain_call(n, plain_take);
    if (n > 4)
        plain_call(n - 4, value_call);
    sink++;
}
#endif
