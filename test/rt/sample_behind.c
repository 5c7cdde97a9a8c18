// With sample=N an unsampled block is a block of the C library's allocator, or of
// another one that is behind ours: a program behaves as without sampling, contents
// and alignments survive realloc between the two heaps, and memory is that of the
// native program.
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -pthread -o %t -I%root/inc
// DEFINE: %{run} = env MEMPROF_PROFILE_FILE=%t.raw MEMPROF_OPTIONS=sample_seed=1:sample
// RUN: %{run}=536870912 %t libc 2>&1 | FileCheck %s --allow-empty
// RUN: %{run}=3000 %t mixed 2>&1 | FileCheck %s --allow-empty
// RUN: %{run}=1 %t mixed 2>&1 | FileCheck %s --allow-empty
// RUN: %{run}=524288 %t memory 2>&1 | FileCheck %s --allow-empty
// A search for leaks knows all blocks: they are the runtime's own then.
// RUN: %{run}=3000:leaks=1 %t mixed 2>&1 | FileCheck %s --allow-empty
// RUN: rm -f %t.raw
// RUN: %{run}=3000:leaks=1 %t held 2>&1 | FileCheck %s --allow-empty
// RUN: %memprofdata show --leaks %t.raw | FileCheck %s --check-prefix=HELD
// HELD: leaked {{ *}}nothing
// RUN: %{run}=3000 %t leaks 2>&1 | FileCheck %s --check-prefix=LEAKS
// LEAKS: memprof: leaks were not looked for: with sample= the search needs leaks=1
// Blocks that are not recorded may be the C library's, too.
// RUN: %{run}=3000:start=0 %t mixed 2>&1 | FileCheck %s --allow-empty
// RUN: %{run}=3000:max_allocation_size_mb=1:allocator_may_return_null=1 %t limit 2>/dev/null
// realloc(p, 0) that keeps a block, as the option wants.
// RUN: %{run}=3000:allocator_frees_and_returns_null_on_realloc_zero=0 %t zero 2>&1 | FileCheck %s --allow-empty
// Another allocator, and other forms of the runtime.
// RUN: %{run}=3000 LD_PRELOAD=libjemalloc.so.2 %t mixed 2>&1 | FileCheck %s --allow-empty
// RUN: %{run}=524288 LD_PRELOAD=libjemalloc.so.2 %t memory 2>&1 | FileCheck %s --allow-empty
// DEFINE: %{flags} =
// DEFINE: %{build} = %memprof-clang -fmemory-profile -g -O1 -fno-builtin %s -pthread -o %t -I%root/inc %{flags}
// REDEFINE: %{flags} = -ljemalloc
// RUN: %{build} && %{run}=3000 %t mixed 2>&1 | FileCheck %s --allow-empty
// REDEFINE: %{flags} = -shared-libsan -Wl,-rpath,%build/llvm-%llvm-version/resource/lib/linux
// RUN: %{build} && %{run}=536870912 %t libc 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: memprof
#define _GNU_SOURCE
#include <memprof.h>

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 500, ROUNDS = 20000, THREADS = 4 };

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            dprintf(2, "memprof test: line %d\n", __LINE__);              \
            _exit(1);                                                     \
        }                                                                 \
    } while (0)

struct block {
    unsigned char *p;
    size_t size;
    unsigned char value;
};

static void fill(struct block *b, size_t from)
{
    for (size_t i = from; i < b->size; i++)
        b->p[i] = b->value;
}

static void check(const struct block *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        CHECK(b->p[i] == b->value);
}

static void make(struct block *b, unsigned kind)
{
    const size_t align = (size_t)16 << kind % 9;
    void *p = NULL;

    if (kind % 5 == 0) {
        p = calloc(1, b->size);
        for (size_t i = 0; i < b->size; i++)
            CHECK(((char *)p)[i] == 0);
    } else if (kind % 5 == 1) {
        CHECK(posix_memalign(&p, align, b->size) == 0);
        CHECK((uintptr_t)p % align == 0);
    } else if (kind % 5 == 2) {
        p = memalign(align, b->size);
        CHECK((uintptr_t)p % align == 0);
    } else {
        p = malloc(b->size);
    }
    CHECK(p != NULL && (uintptr_t)p % (b->size < 16 ? 8 : 16) == 0);
    CHECK(malloc_usable_size(p) >= b->size);
    b->p = p;
    fill(b, 0);
}

static void *mix(void *seed)
{
    static _Thread_local struct block blocks[BLOCKS];
    uint64_t x = (uintptr_t)seed;

    for (int i = 0; i < ROUNDS; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        struct block *const b = &blocks[(x >> 33) % BLOCKS];
        const size_t size = (x >> 40) % ((x >> 60) == 0 ? 300000 : 400) + 1;
        const size_t old = b->size;
        if (b->p == NULL) {
            b->size = size;
            b->value = (unsigned char)(x >> 50);
            make(b, (unsigned)(x >> 45));
        } else if ((x >> 20) % 3 == 0) {
            check(b, old);
            free(b->p);
            b->p = NULL;
        } else {
            b->p = (x >> 21) % 2 ? realloc(b->p, size)
                                 : reallocarray(b->p, size, 1);
            CHECK(b->p != NULL);
            b->size = size;
            check(b, old < size ? old : size);
            fill(b, old < size ? old : size);
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        check(&blocks[i], blocks[i].p != NULL ? blocks[i].size : 0);
        free(blocks[i].p);
        blocks[i].p = NULL;
    }
    return NULL;
}

// Blocks that the C library makes and the program frees, and the reverse.
static void exchange(void)
{
    char *line = malloc(1);
    size_t room = 1;
    char *text = NULL;
    FILE *const in = fmemopen("a line that is longer than the block\n", 37, "r");

    CHECK(getline(&line, &room, in) == 37);
    CHECK(asprintf(&text, "%s", line) == 37);
    char *const copy = strdup(text);
    CHECK(strcmp(copy, line) == 0);
    fclose(in);
    free(line);
    free(text);
    free(copy);
    free(NULL);
    CHECK(malloc_usable_size(NULL) == 0);
    free(realloc(NULL, 0));
}

static void in_child(void)
{
    static void *of_parent[1000];
    int status;

    for (int i = 0; i < 1000; i++)
        of_parent[i] = malloc(100);
    const pid_t child = fork();
    for (int i = 0; i < 1000; i++)
        free(of_parent[i]);
    mix((void *)3);
    if (child == 0)
        exit(0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void mixed(void)
{
    pthread_t all[THREADS];

    exchange();
    mix((void *)1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, mix, (void *)(uintptr_t)(i + 10));
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    in_child();
}

// glibc rounds sizes up.
static void is_libcs(void)
{
    char *const p = malloc(20);
    const size_t before = mallinfo2().uordblks;

    CHECK(malloc_usable_size(p) == 24);
    char *const q = malloc(10000);
    CHECK(mallinfo2().uordblks >= before + 10000);
    free(p);
    free(q);
    mixed();
}

static size_t resident(void)
{
    size_t pages = 0;
    FILE *const f = fopen("/proc/self/statm", "r");

    CHECK(fscanf(f, "%*u %zu", &pages) == 1);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// Small blocks have neither a header of the runtime's nor, for long, counters.
static void memory(void)
{
    enum { COUNT = 1000000, BYTES = 40, NATIVE = 48 };
    const size_t before = resident();
    char **last = NULL;

    for (int i = 0; i < COUNT; i++) {
        char **const p = malloc(BYTES);
        for (int k = 0; k < BYTES; k++)
            ((char volatile *)p)[k] = 1;
        *p = (char *)last;
        last = p;
    }
    CHECK(resident() - before < (size_t)COUNT * NATIVE / 100 * 110);
}

static void *volatile root;

// Each block is held only by one before it.
static void held(void)
{
    void **last = malloc(200);

    root = last;
    for (int i = 0; i < 10000; i++) {
        last[0] = malloc(200);
        last = last[0];
    }
    last[0] = NULL;
}

static void leaks(void)
{
    CHECK(memprof_leaks() == -1);
}

static void limit(void)
{
    for (int i = 0; i < 100; i++) {
        CHECK(malloc((1 << 20) + 1) == NULL);
        free(malloc(1000));
    }
}

static void zero(void)
{
    for (int i = 0; i < 1000; i++) {
        void *const p = realloc(malloc(10), 0);

        CHECK(p != NULL);
        free(p);
    }
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*function)(void);
    } cases[] = {{"libc", is_libcs}, {"mixed", mixed}, {"memory", memory},
                 {"held", held},     {"limit", limit}, {"leaks", leaks},
                 {"zero", zero}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].function();
    }
    return 0;
}
