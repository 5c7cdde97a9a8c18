/* hints.h -- the hinted functions, whichever way the program gets them: linked, or
 * from a library that the link did not see. */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "memprof_hints.h"

#undef assert
#define assert(x)                                                      \
    ((x) ? (void)0                                                     \
         : (fprintf(stderr, "%s:%d: not: %s\n", __FILE__, __LINE__, #x), \
            _Exit(1)))

#ifdef STATIC
#define HINTED(f) __memprof_##f##_hint
#else
extern __typeof(__memprof_malloc_hint) __memprof_malloc_hint
    __attribute__((weak));
#define HINTED(f)                                       \
    ((__typeof(&__memprof_##f##_hint))hinted_by_name(   \
        "__memprof_" #f "_hint"))
static inline void *hinted_by_name(const char *name)
{
    void *const p = dlsym(RTLD_DEFAULT, name);

    assert(p != NULL);
    return p;
}
#endif

enum { COLD = MEMPROF_HINT_COLD, HOT = MEMPROF_HINT_HOT,
       NOTCOLD = MEMPROF_HINT_NOTCOLD, POOL = MEMPROF_HINT_POOL(1),
       DENSE = MEMPROF_HINT_DENSE };
#define PAGE_OF(p) ((uintptr_t)(p) >> 12)

static inline long resident_pages(void)
{
    FILE *const file = fopen("/proc/self/statm", "r");
    long all = 0, resident = 0;

    assert(file != NULL && fscanf(file, "%ld %ld", &all, &resident) == 2);
    fclose(file);
    return resident;
}
