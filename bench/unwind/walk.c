/* walk.c -- walks call stacks with one of several unwinders; run.py times it.
 *
 * usage: walk UNWINDER STACK WALKS
 *
 * "none" does not walk, to measure the cost of making the stacks. Prints the
 * number of frames found, starting with the leaf's caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"
#include "test/unit/rt/stubs.h"

#include <dlfcn.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <string.h>
#include <unwind.h>

#define MAX 254
#define PATHS 64

typedef int frames_leaf(const void *, const void *);
/* frames.c: with frame pointers, and in a library without them. */
int frames_with(unsigned depth, unsigned long path, frames_leaf *leaf);
int frames_without(unsigned depth, unsigned long path, frames_leaf *leaf);

typedef size_t unwinder(void **pcs, uintptr_t pc, uintptr_t frame);

static size_t none(void **pcs, uintptr_t pc, uintptr_t frame)
{
    pcs[0] = (void *)pc;
    return frame != 0;
}

static size_t ours(void **pcs, uintptr_t pc, uintptr_t frame)
{
    bool is_truncated;

    return mprt_unwind(pc, frame, (uintptr_t *)pcs, MAX, &is_truncated);
}

/* What the runtime calls: remembers walks, gives the number of the stack. */
static size_t ours_number(void **pcs, uintptr_t pc, uintptr_t frame)
{
    pcs[0] = (void *)pc;
    return mprt_stack_cache_context(mprt_thread_current(), pc, frame) != 0;
}

static size_t unw_steps(void **pcs, uintptr_t pc, uintptr_t frame)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_word_t ip = pc + frame;
    size_t count = 0;

    unw_getcontext(&context);
    unw_init_local(&cursor, &context);
    while (count < MAX && unw_step(&cursor) > 0 &&
           unw_get_reg(&cursor, UNW_REG_IP, &ip) == 0)
        pcs[count++] = (void *)ip;
    return count;
}

static size_t unw_trace(void **pcs, uintptr_t pc, uintptr_t frame)
{
    pcs[0] = (void *)(pc + frame);
    return (size_t)unw_backtrace(pcs, MAX);
}

/* libunwind has functions of the names of libgcc's and glibc's. */
static int (*glibc_backtrace)(void **, int);
static _Unwind_Reason_Code (*gcc_backtrace)(_Unwind_Trace_Fn, void *);
static _Unwind_Ptr (*gcc_get_ip)(struct _Unwind_Context *);

static void find_others(void)
{
    void *const libc = dlopen("libc.so.6", RTLD_NOW);
    void *const libgcc = dlopen("libgcc_s.so.1", RTLD_NOW);

    *(void **)&glibc_backtrace = dlsym(libc, "backtrace");
    *(void **)&gcc_backtrace = dlsym(libgcc, "_Unwind_Backtrace");
    *(void **)&gcc_get_ip = dlsym(libgcc, "_Unwind_GetIP");
}

static size_t glibc(void **pcs, uintptr_t pc, uintptr_t frame)
{
    pcs[0] = (void *)(pc + frame);
    return (size_t)glibc_backtrace(pcs, MAX);
}

struct gcc_walk {
    void **pcs;
    size_t count;
};

static _Unwind_Reason_Code gcc_frame(struct _Unwind_Context *c, void *data)
{
    struct gcc_walk *const walk = data;

    walk->pcs[walk->count++] = (void *)gcc_get_ip(c);
    return walk->count == MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static size_t libgcc(void **pcs, uintptr_t pc, uintptr_t frame)
{
    struct gcc_walk walk = {pcs, 0};

    pcs[0] = (void *)(pc + frame);
    gcc_backtrace(gcc_frame, &walk);
    return walk.count;
}

/* As LLVM's runtime does it, where frame pointers lead. */
static size_t pointers(void **pcs, uintptr_t pc, uintptr_t frame)
{
    const uintptr_t end = frame + (1u << 16);
    size_t count = 0;

    pcs[count++] = (void *)pc;
    for (const uintptr_t *f = (const uintptr_t *)frame;
         count < MAX && f[0] > (uintptr_t)f && f[0] < end && f[0] % 8 == 0;
         pcs[count++] = (void *)f[1])
        f = (const uintptr_t *)f[0];
    return count;
}

static const struct {
    const char *name;
    unwinder *walk;
} unwinders[] = {{"none", none},
                 {"ours", ours},
                 {"ours-anew", ours},
                 {"ours-number", ours_number},
                 {"unw_step", unw_steps},
                 {"unw_backtrace", unw_trace},
                 {"backtrace", glibc},
                 {"_Unwind_Backtrace", libgcc},
                 {"frame-pointers", pointers}};

static unwinder *walk;
static size_t found;
static void *pcs[MAX + 1];

static int leaf(const void *a, const void *b)
{
    const uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    const size_t count = walk(pcs, pc, (uintptr_t)__builtin_frame_address(0));
    size_t own = 0;

    (void)a;
    (void)b;
    while (own < 3 && own < count && (uintptr_t)pcs[own] - pc + 1 > 1)
        own++;
    found = count - own;
    return (int)count;
}

static int sorter(const void *a, const void *b)
{
    char items[2] = {1, 0};

    (void)a;
    (void)b;
    qsort(items, 2, 1, leaf);
    return items[0];
}

/* STACK is a depth, "paths" or "qsort", after "lib-" of code without frame
 * pointers. */
static unsigned long run(const char *stack, long walks)
{
    const bool is_lib = strncmp(stack, "lib-", 4) == 0;
    int (*const frames)(unsigned, unsigned long, frames_leaf *) =
        is_lib ? frames_without : frames_with;
    const char *const kind = is_lib ? stack + 4 : stack;
    const bool is_paths = strcmp(kind, "paths") == 0;
    const bool is_qsort = strcmp(kind, "qsort") == 0;
    const unsigned depth = is_paths   ? 20
                           : is_qsort ? 5
                                      : (unsigned)strtoul(kind, NULL, 10);
    unsigned seed = 1, order = 2;
    unsigned long paths[PATHS];
    unsigned long result = 0;

    for (int i = 0; i < PATHS; i++)
        paths[i] = bench_random(&seed);
    for (long i = 0; i < walks; i++)
        result += (unsigned long)frames(
            depth, is_paths ? paths[bench_random(&order) % PATHS] : paths[0],
            is_qsort ? sorter : leaf);
    return result;
}

int main(int argc, char **argv)
{
    const long walks = bench_argument(argc, argv, 3, 10000);
    const char *const name = argc > 2 ? argv[1] : "";

    for (size_t i = 0; i < sizeof(unwinders) / sizeof(unwinders[0]); i++) {
        if (strcmp(name, unwinders[i].name) == 0)
            walk = unwinders[i].walk;
    }
    if (walk == NULL)
        return 2;
    start_runtime();
    mprt_thread_current();
    find_others();
    unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_PER_THREAD);
    if (strcmp(name, "ours-anew") == 0)
        mprt_code_cache_suspend();
    run(argv[2], 200);
    bench_begin();
    run(argv[2], walks);
    bench_end(walks);
    printf("%zu frames\n", found);
    return 0;
}
