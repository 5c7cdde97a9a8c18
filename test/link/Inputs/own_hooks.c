/* A program with an allocator of its own that offers hooks. */
#include <assert.h>
#include <gperftools/malloc_hook_c.h>
#include <memprof.h>
#include <stdlib.h>
#include <string.h>

static const char pool;
static void *kept[100];

static void begin_block(const void *p, size_t size)
{
    memprof_pool_alloc(&pool, p, size);
}

static void end_block(const void *p)
{
    memprof_pool_free(&pool, p);
}

static void watch(void)
{
    memprof_pool_create(&pool, "tcmalloc");
    MallocHook_AddNewHook(begin_block);
    MallocHook_AddDeleteHook(end_block);
}

__attribute__((noinline)) static void *make(size_t size)
{
    return malloc(size);
}

int main(void)
{
    void *const before = malloc(1000);

    watch();
    for (int i = 0; i < 1000; i++) {
        free(kept[i % 100]);
        kept[i % 100] = make(64);
    }
    kept[0] = realloc(kept[0], 4096);
    free(before);
    assert(kept[0] != NULL);
    return strdup("of the C library's code") == NULL;
}
