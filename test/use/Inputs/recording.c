/* recording.c -- an allocator that only records hints, and says at the end how
 * many calls of each hinted form had which: "malloc cold 2 hot 0". Blocks are
 * never freed. Complete, so that it can replace libc's in a static program. */
#include "inc/memprof_hints.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static _Alignas(4096) char memory[256u << 20];
static size_t used;

static void *get(size_t alignment, size_t size)
{
    size_t *block;

    if (alignment < 16)
        alignment = 16;
    used = (used + sizeof(size_t) + alignment - 1) / alignment * alignment;
    if (size > sizeof(memory) - used)
        return NULL;
    block = (size_t *)(memory + used);
    block[-1] = size;
    used += size;
    return block;
}

static void *move(void *old, size_t size)
{
    void *block = get(16, size);

    if (old != NULL && block != NULL)
        memcpy(block, old, ((size_t *)old)[-1] < size ? ((size_t *)old)[-1] : size);
    return block;
}

void *malloc(size_t size) { return get(16, size); }
void *calloc(size_t count, size_t size) { return get(16, count * size); }
void *realloc(void *old, size_t size) { return move(old, size); }
void *reallocarray(void *old, size_t n, size_t size) { return move(old, n * size); }
void *memalign(size_t alignment, size_t size) { return get(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return get(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = get(alignment, size);
    return 0;
}
void free(void *block) { (void)block; }

#define FORMS(X)                                                          \
    X(malloc) X(calloc) X(realloc) X(reallocarray) X(memalign)            \
    X(aligned_alloc) X(posix_memalign) X(strdup) X(strndup) X(new)
#define X(name) FORM_##name,
enum { FORMS(X) FORM_COUNT };
#undef X
#define X(name) #name,
static const char *const names[] = {FORMS(X)};
static long counts[FORM_COUNT][256];

static char *record(int form, uint8_t hint, void *block)
{
    counts[form][hint]++;
    return block;
}
#define RECORD(form, block) record(FORM_##form, hint, block)

void *__memprof_malloc_hint(size_t size, uint8_t hint)
{
    return RECORD(malloc, get(16, size));
}
void *__memprof_calloc_hint(size_t count, size_t size, uint8_t hint)
{
    return RECORD(calloc, get(16, count * size));
}
void *__memprof_realloc_hint(void *old, size_t size, uint8_t hint)
{
    return RECORD(realloc, move(old, size));
}
void *__memprof_reallocarray_hint(void *old, size_t n, size_t size, uint8_t hint)
{
    return RECORD(reallocarray, move(old, n * size));
}
void *__memprof_memalign_hint(size_t alignment, size_t size, uint8_t hint)
{
    return RECORD(memalign, get(alignment, size));
}
void *__memprof_aligned_alloc_hint(size_t alignment, size_t size, uint8_t hint)
{
    return RECORD(aligned_alloc, get(alignment, size));
}
int __memprof_posix_memalign_hint(void **out, size_t alignment, size_t size,
                                  uint8_t hint)
{
    *out = RECORD(posix_memalign, get(alignment, size));
    return 0;
}
char *__memprof_strndup_hint(const char *text, size_t size, uint8_t hint)
{
    const size_t length = strnlen(text, size);
    char *copy = RECORD(strndup, get(16, length + 1));

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}
char *__memprof_strdup_hint(const char *text, uint8_t hint)
{
    return RECORD(strdup, strcpy(get(16, strlen(text) + 1), text));
}
/* Operator new(size, __hot_cold_t). */
void *_Znwm12__hot_cold_t(size_t size, uint8_t hint)
{
    return RECORD(new, get(16, size));
}

static char *put_number(char *end, long number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    return end;
}

static void put(const char *before, long number)
{
    char digits[32];
    char *from = put_number(digits + sizeof(digits), number);

    (void)!write(2, before, strlen(before));
    (void)!write(2, from, (size_t)(digits + sizeof(digits) - from));
}

__attribute__((destructor)) static void tell(void)
{
    for (int i = 0; i < FORM_COUNT; i++) {
        if (counts[i][MEMPROF_HINT_COLD] + counts[i][MEMPROF_HINT_HOT] == 0)
            continue;
        (void)!write(2, names[i], strlen(names[i]));
        put(" cold ", counts[i][MEMPROF_HINT_COLD]);
        put(" hot ", counts[i][MEMPROF_HINT_HOT]);
        (void)!write(2, "\n", 1);
    }
}
