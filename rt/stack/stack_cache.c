/* stack_cache.c -- from a call to its context: walk the stack, ask the depot.
 *
 * Programs allocate in loops, from the same stack again and again. So each
 * thread remembers some of its last walks with every word of the stack that
 * they read. A walk is a function of the caller's address, its frame and those
 * words: while they are the same, so is the context. Comparing them is
 * independent loads, where walking is a chain of them.
 *
 * per_thread=1: a thread's walks are remembered for its name at that time.
 *
 * fold_recursion=1: from the allocation outwards, frames that repeat the ones
 * just before them, one by one or in cycles of up to FOLD_MAX, are left out.
 * What remains has no such repetition. Up to MPRT_STACK_FRAMES_MAX frames are
 * walked then, and malloc_context_size limits what remains.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/stack_cache.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/stack/depot.h"
#include "rt/stack/module_history.h"
#include "rt/stack/names.h"

/* Frames of a cycle that is folded. */
#define FOLD_MAX 16

static uint32_t frames_max; /* of a stack */
static uint32_t walk_max;   /* before it is folded */
static bool folds;
static bool is_per_thread;

void mprt_stack_cache_init(void)
{
    /* LLVM's limit counts the allocation function, which we leave out. */
    const int64_t frames = mprt_options.malloc_context_size - 1;

    frames_max = frames < 1                       ? 1
                 : frames > MPRT_STACK_FRAMES_MAX ? MPRT_STACK_FRAMES_MAX
                                                  : (uint32_t)frames;
    folds = mprt_options.fold_recursion;
    is_per_thread = mprt_options.per_thread;
    walk_max = folds ? MPRT_STACK_FRAMES_MAX : frames_max;
}

/* How many of the last frames in pcs[0..count) repeat those before them. */
static size_t repeated(const uintptr_t *pcs, size_t count)
{
    for (size_t n = 1; n <= FOLD_MAX && 2 * n <= count; n++) {
        size_t i = 0;

        while (i < n && pcs[count - n + i] == pcs[count - 2 * n + i])
            i++;
        if (i == n)
            return n;
    }
    return 0;
}

/* How many frames are left of pcs[0..count), the allocation first. */
static size_t fold(uintptr_t *pcs, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        pcs[kept++] = pcs[i];
        kept -= repeated(pcs, kept);
    }
    return kept;
}

void mprt_stack_cache_start_thread(struct mprt_thread *t)
{
    struct mprt_walk *const walks = is_per_thread ? t->named_walks : t->walks;

    for (size_t i = 0; walks != NULL && i < MPRT_STACK_CACHE_WALKS; i++)
        walks[i].pc = 0;
}

/* Who is allocating. Walks are remembered for the thread's name at that time.
 */
static uint32_t ask_name(struct mprt_thread *t)
{
    const uint32_t name = mprt_names_of_thread(t);

    if (t != NULL && name != t->name) {
        mprt_stack_cache_start_thread(t);
        t->name = name;
    }
    return name;
}

/* The walks of a thread that has none in t->walks, where others look first:
 * those with per_thread=1 never have. */
static struct mprt_walk *get_walks(struct mprt_thread *t)
{
    struct mprt_walk **const walks =
        is_per_thread ? &t->named_walks : &t->walks;

    if (*walks == NULL)
        *walks =
            mprt_memory_map(MPRT_STACK_CACHE_WALKS * sizeof(struct mprt_walk));
    if (is_per_thread)
        ask_name(t);
    return *walks;
}

/* get_walks() has asked where there is a walk. */
static uint32_t thread_of(const struct mprt_walk *walk)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    return walk != NULL ? t->name : ask_name(t);
}

/* The last generation in which the walk is what it was; 0: it never is again.
 */
static uint32_t valid_until(const struct mprt_trace *trace, uint32_t generation)
{
    if (trace->leaves_stack)
        return 0;
    if (trace->lasts)
        return mprt_code_cache_last(generation);
    return mprt_code_cache_is_steady(generation) ? generation : 0;
}

/* Walks the stack into pcs, and remembers the walk where it is not NULL. */
static uint32_t find_context(struct mprt_walk *walk, uintptr_t *pcs,
                             uintptr_t caller_pc, uintptr_t caller_frame)
{
    /* Before the walk: what changes meanwhile makes it out of date. */
    const uint32_t generation = mprt_code_cache_now();
    bool is_truncated;
    size_t count;

    if (walk != NULL)
        count = mprt_unwind_traced(&walk->trace, generation, caller_pc,
                                   caller_frame, pcs, walk_max, &is_truncated);
    else
        count =
            mprt_unwind(caller_pc, caller_frame, pcs, walk_max, &is_truncated);
    mprt_module_history_tag(pcs, count);
    if (MPROF_UNLIKELY(folds)) {
        count = fold(pcs, count);
        is_truncated = is_truncated || count > frames_max;
        count = mprof_min_u64(count, frames_max);
    }
    const uint32_t context =
        MPROF_UNLIKELY(is_per_thread)
            ? mprt_depot_put_of(thread_of(walk), pcs, count, is_truncated)
            : mprt_depot_put(pcs, count, is_truncated);
    if (walk != NULL) {
        walk->generation = valid_until(&walk->trace, generation);
        walk->context = context;
        walk->pc = walk->trace.is_complete && context != 0 ? caller_pc : 0;
        mprt_thread_local.state->walk_generation = walk->generation;
    }
    return context;
}

/* On a thread that has no memory for its walks. */
static __attribute__((noinline)) uint32_t
find_without(struct mprt_thread *t, uintptr_t caller_pc, uintptr_t caller_frame)
{
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];

    if (t != NULL)
        t->walk_generation = 0;
    return find_context(NULL, pcs, caller_pc, caller_frame);
}

static bool is_of(const struct mprt_walk *walk, uintptr_t pc, uintptr_t frame)
{
    return walk->pc == pc && walk->trace.frame == frame;
}

/* Which of its two places a walk from here takes: that of an older one from
 * here, a free one, else the one and the other in turn. So calls that are in
 * each other's way soon have moved apart, as in cuckoo hashing. */
static struct mprt_walk *choose_place(struct mprt_walk *first,
                                      struct mprt_walk *second, uintptr_t pc,
                                      uintptr_t frame)
{
    if (is_of(first, pc, frame) || first->pc == 0)
        return first;
    if (is_of(second, pc, frame) || second->pc == 0)
        return second;
    first->is_second_next = !first->is_second_next;
    return first->is_second_next ? first : second;
}

uint32_t mprt_stack_cache_find(struct mprt_thread *t, uintptr_t caller_pc,
                               uintptr_t caller_frame)
{
    struct mprt_walk *const walks = t != NULL ? get_walks(t) : NULL;

    if (walks == NULL)
        return find_without(t, caller_pc, caller_frame);
    const uint64_t hash = mprt_stack_cache_hash(caller_pc, caller_frame);
    struct mprt_walk *const first = mprt_stack_cache_first(walks, hash);
    struct mprt_walk *const second = mprt_stack_cache_second(walks, hash);

    if (MPROF_UNLIKELY(is_per_thread) &&
        mprt_stack_cache_is_same(first, caller_pc, caller_frame))
        return first->context;
    if (mprt_stack_cache_is_same(second, caller_pc, caller_frame))
        return second->context;
    return find_context(choose_place(first, second, caller_pc, caller_frame),
                        t->walked, caller_pc, caller_frame);
}
