#include "leaks.h"

#include <dlfcn.h>

SITE(leaked)

static pthread_barrier_t barrier;
static void (*use)(void);

static void *stay(void *argument)
{
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    use();
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return NULL;
}

static void make(void)
{
    pthread_t t;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, stay, NULL);
    pthread_barrier_wait(&barrier);
    use = (void (*)(void))dlsym(dlopen(LIBRARY, RTLD_NOW), "use_library");
    use();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    site_leaked(14);
}

int main(void)
{
    apart(make);
    return 0;
}
