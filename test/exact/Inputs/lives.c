/* Blocks of six functions that come and go; some live at the end. No function of
 * libc allocates, and no block is reallocated, which valgrind counts for the first
 * call stack and we for each. Prints how many were freed before the next allocation,
 * and how many of these before anything else was freed either.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MAKER(name) \
    NOINLINE static char *name(size_t size) \
    { \
        char *volatile p = malloc(size); \
        return p; \
    }

MAKER(first)
MAKER(second)
MAKER(third)
MAKER(fourth)
MAKER(fifth)
MAKER(rare)

static unsigned state = 7;

static unsigned random_below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

int main(void)
{
    static char *(*const makers[])(size_t) = {first, second, third, fourth,
                                              fifth};
    static char *volatile blocks[400];
    const char *last = NULL;
    int temporary = 0;
    int at_once = 0;
    bool is_last_untouched = false; /* nothing was freed since */
    char text[32];

    for (unsigned i = 0; i < 20000; i++) {
        /* It rises, falls and rises less. */
        const unsigned limit = i < 8000 ? 400 : i < 12000 ? 50 : 200;
        const unsigned at = random_below(400);

        if (blocks[at] != NULL) {
            temporary += blocks[at] == last;
            at_once += blocks[at] == last && is_last_untouched;
            is_last_untouched = false;
            free(blocks[at]);
            blocks[at] = NULL;
        }
        if (at < limit) {
            last = blocks[at] =
                makers[random_below(5)](1 + random_below(3000));
            is_last_untouched = true;
        }
        if (i % 1000 == 999) {
            last = NULL;
            free(rare(100000));
            temporary++;
            at_once++;
        }
    }
    const int length =
        snprintf(text, sizeof(text), "%d %d\n", temporary, at_once);
    return write(1, text, (size_t)length) == length ? 0 : 1;
}
