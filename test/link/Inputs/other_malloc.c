/* Blocks that go from one malloc to another: by glibc's own names, by what dlsym() finds,
 * through a library that was loaded with RTLD_DEEPBIND. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBRARY
void library_free(void *p)
{
    free(p);
}

void *library_malloc(size_t size)
{
    return malloc(size);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

typedef void *malloc_fn(size_t size);
typedef void free_fn(void *p);

#ifdef OWN
/* All but calloc and realloc. */
static int calls;

void *malloc(size_t size)
{
    static malloc_fn *next;

    calls++;
    if (next == NULL)
        next = (malloc_fn *)dlsym(RTLD_NEXT, "malloc");
    return next(size);
}

void free(void *p)
{
    static free_fn *next;

    if (next == NULL)
        next = (free_fn *)dlsym(RTLD_NEXT, "free");
    next(p);
}
#endif

/* 10 of 10000 bytes each. */
static void cross(malloc_fn *make, free_fn *end)
{
    for (int i = 0; i < 5; i++) {
        end(malloc(10000));
        free(make(10000));
    }
}

int main(int argc, char **argv)
{
    const char *const way = argc > 1 ? argv[1] : "";
    void *p;

    if (strcmp(way, "names") == 0) {
        cross(__libc_malloc, __libc_free);
        free(__libc_realloc(__libc_calloc(10, 1000), 10000));
    } else if (strcmp(way, "next") == 0) {
        cross((malloc_fn *)dlsym(RTLD_NEXT, "malloc"), (free_fn *)dlsym(RTLD_NEXT, "free"));
        free(calloc(10, 1000));
        free(aligned_alloc(64, 10000));
        free(realloc(malloc(10000), 10000));
    } else if (strcmp(way, "handle") == 0) {
        void *const libc = dlopen("libc.so.6", RTLD_NOW);
        cross((malloc_fn *)dlsym(libc, "malloc"), (free_fn *)dlsym(libc, "free"));
    } else if (strstr(way, "deepbind") != NULL) {
        const int flags = RTLD_NOW | RTLD_DEEPBIND;
        void *const library = strcmp(way, "deepbind") == 0 ? dlopen("./library.so", flags)
                                                           : dlmopen(LM_ID_BASE, "./library.so", flags);
        cross((malloc_fn *)dlsym(library, "library_malloc"), (free_fn *)dlsym(library, "library_free"));
    } else { /* glibc's, which we do not see */
        malloc_fn *const make = (malloc_fn *)dlvsym(RTLD_NEXT, "malloc", "GLIBC_2.2.5");
        for (size_t n = 1; n < 1 << 20; n *= 2) {
            p = realloc(make(n), n * 3);
            memset(p, 1, malloc_usable_size(p));
            free(p);
        }
    }
#ifdef OWN
    printf("%d calls\n", calls >= 6);
#endif
    puts("done");
    return 0;
}
#endif
