/* Allocation functions of a program, over malloc and over mapped memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* -- over malloc and over mapped memory ------------------------------------- */

enum { ARENA = 1 << 20 };
static char *arena;
static size_t used;

static void *take(size_t size)
{
    size_t *p;

    if (size > 1000)
        p = (size_t *)malloc(size + 16);
    else
        p = (size_t *)(arena + used);
    used += size > 1000 ? 0 : (size + 31) & ~(size_t)15;
    *p = size;
    return p + 2;
}

static void give(void *p)
{
    if (p != NULL && ((size_t *)p)[-2] > 1000)
        free((size_t *)p - 2);
}

/* These call take() and give(): one block each. */
void *take_calloc(size_t count, size_t size)
{
    return memset(take(count * size), 0, count * size);
}

void *take_realloc(void *old, size_t size)
{
    void *p;

    if (size > ARENA)
        return NULL;
    p = take(size);
    if (old != NULL)
        memcpy(p, old, ((size_t *)old)[-2] < size ? ((size_t *)old)[-2] : size);
    give(old);
    return p;
}

/* -- a family in blocks of another ------------------------------------------ */

struct nodes {
    char *next;
};

static void *node_new(struct nodes *nodes, int size)
{
    char *const p = nodes->next;

    nodes->next += size;
    return p;
}

__attribute__((noinline)) static void node_end(struct nodes *nodes, void *p)
{
    __asm__("" : : "r"(nodes), "r"(p) : "memory");
}

static __attribute__((noinline)) void *small(void)
{
    return take(10);
}

static __attribute__((noinline)) void *large(void)
{
    return take(5000);
}

typedef void end_fn(void *);
end_fn *volatile end_by_pointer = give;
static void *(*volatile take_by_pointer)(size_t, size_t) = take_calloc;

/* In the list, and not in the program. */
extern void *absent(size_t size) __attribute__((weak));
typedef void *take_fn(size_t);
static take_fn *volatile weak_pointer = absent;

int main(void)
{
    struct nodes nodes;
    void *p = absent != NULL ? absent(1) : NULL;

    if (p != NULL || weak_pointer != NULL)
        return 2;
    arena = (char *)mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 100; i++)
        give(small()); /* 100 of 10 */
    for (int i = 0; i < 10; i++)
        end_by_pointer(large()); /* 10 of 5000 */
    small();                    /* lives: 1 of 10 */
    give(take_by_pointer(3, 7)); /* 1 of 21 */
    p = take_realloc(NULL, 40);  /* 1 of 40 */
    p = take_realloc(p, 2000);   /* 1 of 2000 */
    if (take_realloc(p, (size_t)ARENA * 2) != NULL) /* fails: 1 of 2000 */
        return 1;
    give(p);
    give(NULL);
    nodes.next = (char *)take(600); /* lives: 1 of 600 */
    for (int i = 0; i < 7; i++) {
        p = node_new(&nodes, 50); /* 7 of 50 */
        if (i < 5)
            node_end(&nodes, p); /* 2 live */
    }
    return end_by_pointer != give;
}
