/* Every way of allocating and accessing that depends on how a program is linked:
 * allocation functions, string functions of the C library, threads, fork. */
#define _GNU_SOURCE
#include "program.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread void *of_thread;
static void *constructed;

__attribute__((constructor)) static void construct(void)
{
    constructed = malloc(10001);
    touch(constructed, 3);
}

static void *run(void *unused)
{
    (void)unused;
    of_thread = malloc(10002);
    touch(of_thread, 5);
    free(of_thread);
    return NULL;
}

static void with_libc(void)
{
    char *const text = calloc(1, 10003);
    char *copy;

    memset(text, 'a', 10002);
    copy = strdup(text);
    if (strlen(copy) != 10002)
        abort();
    free(copy);
    free(text);
}

static void aligned(void)
{
    void *p = aligned_alloc(4096, 10240);

    if ((size_t)p % 4096 != 0)
        abort();
    touch(p, 7);
    free(p);
    if (posix_memalign(&p, 256, 10496) != 0)
        abort();
    touch(p, 2);
    p = realloc(p, 10500);
    touch(p, 4);
    free(p);
}

int main(void)
{
    pthread_t thread;
    pid_t child;

    if (pthread_create(&thread, NULL, run, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    with_libc();
    aligned();
    from_second();
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    touch(constructed, 1);
    free(constructed);
    printf("%s\n", "done");
    return 0;
}
