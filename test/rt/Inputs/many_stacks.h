/* many_stacks.h -- walk(from, to) allocates and frees a block by each of the call
 * stacks from..to-1, of 1024; wait_for_snapshot() for what continuous=1 writes.
 *
 * The file includes itself for each function on the way, of two lines that call. */
#ifdef N
__attribute__((noinline)) static void CAT(walk_, N)(unsigned path)
{
    if (path >> N & 1) {
        __asm__("nop");
        CAT(walk_, NEXT)(path);
        __asm__("nop"); /* keeps the compiler from merging both */
    } else {
        CAT(walk_, NEXT)(path);
    }
    __asm__("");
}
#undef N
#undef NEXT
#else
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) static void walk_10(unsigned path)
{
    char *const p = malloc(path % 7 + 1);
    p[0] = 1;
    free(p);
}
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define N 9
#define NEXT 10
#include "many_stacks.h"
#define N 8
#define NEXT 9
#include "many_stacks.h"
#define N 7
#define NEXT 8
#include "many_stacks.h"
#define N 6
#define NEXT 7
#include "many_stacks.h"
#define N 5
#define NEXT 6
#include "many_stacks.h"
#define N 4
#define NEXT 5
#include "many_stacks.h"
#define N 3
#define NEXT 4
#include "many_stacks.h"
#define N 2
#define NEXT 3
#include "many_stacks.h"
#define N 1
#define NEXT 2
#include "many_stacks.h"
#define N 0
#define NEXT 1
#include "many_stacks.h"

static void walk(unsigned from, unsigned to)
{
    for (unsigned path = from; path < to; path++)
        walk_0(path);
}

/* Waits until the file has been replaced twice: the second snapshot began after
 * the first was visible. An idle program gets no snapshot, so it allocates
 * meanwhile. */
static void wait_for_snapshot(void)
{
    struct stat last = {0};
    struct stat s;
    char path[64];
    volatile unsigned spins = 0;

    snprintf(path, sizeof(path), "memprof.profraw.%d.raw", (int)getpid());
    stat(path, &last);
    for (int i = 0; i < 2;) {
        for (unsigned k = 0; k < 100000; k++)
            spins++;
        if (stat(path, &s) == 0 &&
            (s.st_ino != last.st_ino ||
             s.st_mtim.tv_nsec != last.st_mtim.tv_nsec)) {
            last = s;
            i++;
        }
    }
}
#endif
