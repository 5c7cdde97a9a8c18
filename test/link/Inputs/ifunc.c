/* A function that is chosen while the program is relocated: the resolver reads
 * through functions that main() calls too, and one that it alone calls. */
#include "program.h"

typedef void fill_function(char *);

struct choice {
    int rank, length;
};
static struct choice choices[] = {{1, 40}, {2, 50}};
struct choice *volatile table = choices;
static struct choice copies[2];
struct choice *volatile copied = copies;

static void fill_slow(char *block)
{
    touch(block, 1);
}

static void fill_fast(char *block)
{
    touch(block, 20);
}

/* Called by main() through a pointer, by the resolver as it is. */
__attribute__((noinline)) int rank(const volatile struct choice *of)
{
    return of->rank;
}

/* Calls itself, and another. */
__attribute__((noinline)) int best(const volatile struct choice *of, int count)
{
    const int mine = rank(of);
    const int other = count > 1 ? best(of + 1, count - 1) : 0;

    return mine > other ? mine : other;
}

/* A copy of memory. */
static __attribute__((noinline)) void copy(void)
{
    __builtin_memcpy(copied, table, sizeof(choices));
}

static __attribute__((noinline)) int wanted(void)
{
    copy();
    return best(copied, 2);
}

static int nothing(void)
{
    return 0;
}
int (*volatile ask)(void) = nothing;

/* Calls what may allocate, for all that is known of it, and main() calls it too. */
__attribute__((noinline)) int features(void)
{
    return ask() + ask();
}

fill_function *resolve_fill(void)
{
    return wanted() == 2 && features() == 0 ? fill_fast : fill_slow;
}

/* The compiler's own resolver. */
__attribute__((target_clones("avx2", "default"))) int choose(int n)
{
    return n + 1;
}

void fill(char *block) __attribute__((ifunc("resolve_fill")));

/* 10001: 3 writes, 3 reads by best(), 1 by rank(), 2 words by copy().
 * 10002: 20 writes by fill_fast(). */
void use(void)
{
    int (*volatile rank_of)(const volatile struct choice *) = rank;
    struct choice *const block = malloc(10001);
    char *const filled = malloc(10002);

    for (int i = 0; i < 3; i++)
        ((volatile struct choice *)block)[i].rank = i;
    best(block, 3);
    rank_of(block);
    if (choose(features()) == 0)
        abort();
    fill(filled);
    table = block;
    resolve_fill();
    free(block);
    free(filled);
}

#ifndef LIBRARY
int main(void)
{
    use();
    return 0;
}
#endif
