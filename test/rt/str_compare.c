// Comparisons return the right sign and difference up to the end of a mapping, and read
// nothing beyond it.
// RUN: %clang -O1 -fno-builtin -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define LONGEST 40

/* The end of a page that is followed by unreadable memory. */
static char *new_end(void)
{
    char *const pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    mprotect(pages + PAGE, PAGE, PROT_NONE);
    return pages + PAGE;
}

static int difference(const char *a, const char *b, size_t max)
{
    size_t i = 0;

    while (i < max && a[i] == b[i] && a[i] != '\0')
        i++;
    return i < max ? (unsigned char)a[i] - (unsigned char)b[i] : 0;
}

int main(void)
{
    char *const ends[2] = {new_end(), new_end()};

    srand(1);
    for (int round = 0; round < 200000; round++) {
        char *s[2];
        const size_t max = rand() % (LONGEST + 10);

        for (int k = 0; k < 2; k++) {
            const int length = rand() % LONGEST;

            s[k] = ends[k] - length - 1 - (rand() % 2 ? 0 : rand() % 30);
            for (int i = 0; i < length; i++)
                s[k][i] = rand() % 50 ? 'a' : '\xff';
            s[k][length] = '\0';
        }
        if (strcmp(s[0], s[1]) != difference(s[0], s[1], LONGEST) ||
            strncmp(s[0], s[1], max) != difference(s[0], s[1], max)) {
            printf("'%s' '%s' %zu\n", s[0], s[1], max);
            return 1;
        }
    }
    return 0;
}
