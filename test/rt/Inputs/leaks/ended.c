/* The stacks of ended threads are kept for new ones, with what the dynamic
 * linker allocated for them. This is no leak. */
#include "leaks.h"

SITE(by_ended)

static pthread_barrier_t barrier;

static void lose(void)
{
    site_by_ended(25);
}

static void *meet(void *argument)
{
    apart(lose);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void make(void)
{
    pthread_t threads[8];

    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, meet, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    apart(make);
    return 0;
}
