// Threads that share call stacks, and free each other's blocks: counts, sizes and the most
// live blocks and bytes of each call stack are exact, also after a reset.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -fno-optimize-sibling-calls -pthread %s -o %t
// RUN: rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw MEMPROF_OPTIONS=malloc_context_size=200 %t > %t.truth
// RUN: %memprofdata merge --text %t.raw -o %t.json
// RUN: python3 %S/Inputs/threads_one_stack.py %t.json %t.truth
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern void __memprof_profile_reset(void);

// More call stacks than a thread has reserves.
enum { THREADS = 4, STACKS = 150, BLOCKS = 600, ROUNDS = 60000 };

struct truth {
    unsigned long count, size, live, bytes, most_live, most_bytes;
};
struct block {
    void *p;
    size_t size;
    int stack;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct truth truths[STACKS];
static struct block blocks[BLOCKS];
static unsigned long rounds;

__attribute__((noinline)) static void *allocate(int depth, size_t size)
{
    void *volatile p = depth > 0 ? allocate(depth - 1, size) : malloc(size);
    return p;
}

static void begin(struct block *b, int stack, size_t size)
{
    struct truth *const t = &truths[stack];

    *b = (struct block){allocate(stack, size), size, stack};
    t->count++;
    t->size += size;
    t->live++;
    t->bytes += size;
    if (t->live > t->most_live)
        t->most_live = t->live;
    if (t->bytes > t->most_bytes)
        t->most_bytes = t->bytes;
}

static void end(struct block *b)
{
    truths[b->stack].live--;
    truths[b->stack].bytes -= b->size;
    free(b->p);
    b->p = NULL;
}

static void reset(void)
{
    __memprof_profile_reset();
    for (int i = 0; i < STACKS; i++) {
        struct truth *const t = &truths[i];

        t->count = t->most_live = t->live;
        t->size = t->most_bytes = t->bytes;
    }
}

static void *work(void *argument)
{
    unsigned seed = *(unsigned *)argument;

    for (int i = 0; i < ROUNDS; i++) {
        struct block *const b = &blocks[rand_r(&seed) % BLOCKS];
        // Half of the blocks come from one call stack.
        const int stack = rand_r(&seed) % 2 ? rand_r(&seed) % STACKS : 1;

        pthread_mutex_lock(&lock);
        if (b->p != NULL)
            end(b);
        else
            begin(b, stack, 16 + rand_r(&seed) % 1000);
        if (++rounds == ROUNDS * THREADS / 3)
            reset();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 1;
        pthread_create(&threads[i], NULL, work, &seeds[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < STACKS; i++)
        printf("%lu %lu %lu %lu\n", truths[i].count, truths[i].size, truths[i].most_live,
               truths[i].most_bytes);
    return 0;
}
