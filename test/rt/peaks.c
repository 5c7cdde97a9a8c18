// Live blocks at the peak, the maximum of each call stack, temporary and replaced
// blocks, distributions of sizes, and who replaced or freed blocks are equal to those
// of a simple model that replays the program's log. The programs are random. Covers a
// clock that stands still most of the time, a program that ends while it grows, a reset
// in the middle, cumulative dumps, a dump before the end, and a fork.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -I%root/inc %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// DEFINE: %{peaks} = python3 %S/Inputs/peaks.py %memprofdata %t %t.d
// RUN: %{peaks} plain 20
// RUN: env MEMPROF_OPTIONS=clock=coarse %{peaks} plain 10
// RUN: %{peaks} rise 10
// RUN: %{peaks} reset 20
// RUN: %{peaks} dump 20
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %{peaks} copy 10
// RUN: %{peaks} fork 10
// With who freed the blocks.
// RUN: env MEMPROF_OPTIONS=free_sites=1 %{peaks} plain 10
// RUN: env MEMPROF_OPTIONS=free_sites=1 %{peaks} reset 10
// RUN: env MEMPROF_OPTIONS=free_sites=1 %{peaks} fork 5
// With reads and writes counted apart.
// RUN: %memprof-clang -fmemory-profile -mllvm -memprof-access=rw -g -O1 -fno-builtin -I%root/inc %s -o %t.rw
// DEFINE: %{rw} = python3 %S/Inputs/peaks.py %memprofdata %t.rw %t.d
// RUN: %{rw} plain 20
// RUN: %{rw} reset 10
// RUN: %{rw} fork 10
#include <fcntl.h>
#include <memprof.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 200, EVENTS = 3000 };

static char text[1 << 20];
static size_t used;
static uint64_t seed;

#define SAY(...) \
    (used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__))

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

// A call stack each: run() is called from one place.
#define SITE(n)                                                              \
    __attribute__((noinline)) static void *made_##n(void *p, size_t size)    \
    {                                                                        \
        void *volatile q = malloc(size);                                     \
        (void)p;                                                             \
        return q;                                                            \
    }                                                                        \
    __attribute__((noinline)) static void *resized_##n(void *p, size_t size) \
    {                                                                        \
        void *volatile q = realloc(p, size);                                 \
        return q;                                                            \
    }
SITE(0)
SITE(1)
SITE(2)
SITE(3)
#define PAIR(n)               \
    {                         \
        made_##n, resized_##n \
    }
static void *(*const sites[][2])(void *, size_t) = {PAIR(0), PAIR(1), PAIR(2),
                                                    PAIR(3)};

static void *blocks[BLOCKS];

// A call stack with one block for each depth.
__attribute__((noinline)) static void *once(uint32_t depth, size_t size)
{
    void *volatile p = depth > 1 ? once(depth - 1, size) : malloc(size);

    return p;
}

static void begin_once(uint32_t i)
{
    static uint32_t depth;
    const uint32_t size = 1 + draw(3000);

    depth++;
    SAY("malloc %u once_%u %u\n", i, depth, size);
    blocks[i] = once(depth, size);
}

static void end(uint32_t i)
{
    SAY("free %u\n", i);
    free(blocks[i]);
    blocks[i] = NULL;
}

static void begin(uint32_t i)
{
    const bool resizes = blocks[i] != NULL;
    const uint32_t site = draw(4);
    const uint32_t size =
        draw(50) == 0 ? 1 + draw(300000) : 1 + draw(1u << (3 + draw(9)));

    SAY("%s %u %s_%u %u\n", resizes ? "realloc" : "malloc", i,
        resizes ? "resized" : "made", site, size);
    blocks[i] = sites[site][resizes](blocks[i], size);
}

// Phases that grow and shrink, each to another height; or only grow.
__attribute__((noinline)) static void run(bool rises)
{
    uint32_t grows = 0;
    uint32_t last = 0;

    for (uint32_t n = 0; n < EVENTS; n++) {
        const uint32_t i = draw(BLOCKS);

        if (n % 100 == 0)
            grows = rises ? 9 : 1 + draw(8);
        if (n % 500 == 499 && blocks[i] == NULL)
            begin_once(i);
        else if (!rises && draw(8) == 0 && blocks[last] != NULL) {
            end(last);
        } else if (draw(9) < grows) {
            if (blocks[i] == NULL || (!rises && draw(3) == 0))
                begin(last = i);
        } else if (blocks[i] != NULL) {
            end(i);
        }
    }
}

static void write_events(void)
{
    char path[32];
    snprintf(path, sizeof(path), "events.%d", getpid());
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, text, used) != (ssize_t)used)
        _exit(1);
    close(fd);
}

static void pause_with(const char *what)
{
    if (strcmp(what, "reset") == 0) {
        SAY("reset\n");
        memprof_reset();
    } else if (strcmp(what, "dump") == 0) {
        memprof_dump();
    } else if (strcmp(what, "fork") == 0) {
        const pid_t pid = fork();
        int status;

        if (pid != 0)
            _exit(waitpid(pid, &status, 0) != pid || status != 0);
        SAY("fork\n");
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    seed = strtoull(argv[2], NULL, 10);
    for (int part = 0; part < 3; part++) {
        if (part == 1)
            pause_with(argv[1]);
        run(part == 2 && strcmp(argv[1], "rise") == 0);
    }
    write_events();
    if (strcmp(argv[1], "copy") == 0)
        memprof_dump();
    return 0;
}
