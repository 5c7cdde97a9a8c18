/* pthread_setspecific(): the first keys are in the thread's descriptor, the
 * others are not. */
#include "leaks.h"

SITE(first_key)
SITE(late_key)
SITE(deleted_key)
SITE(of_thread)

static pthread_key_t keys[100];
static pthread_barrier_t barrier;

static void *stay(void *argument)
{
    pthread_setspecific(keys[1], site_of_thread(20));
    pthread_setspecific(keys[99], site_of_thread(21));
    forget();
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return NULL;
}

static void make(void)
{
    pthread_t t;

    for (int i = 0; i < 100; i++)
        pthread_key_create(&keys[i], NULL);
    pthread_setspecific(keys[0], site_first_key(30));
    pthread_setspecific(keys[80], site_late_key(31));
    pthread_setspecific(keys[81], site_deleted_key(32));
    pthread_setspecific(keys[81], NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, stay, NULL);
    pthread_barrier_wait(&barrier);
}

int main(void)
{
    apart(make);
    return 0;
}
