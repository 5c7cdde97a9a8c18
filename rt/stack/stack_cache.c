/* stack_cache.c -- finds the context of a call: walks the stack and asks the
 * depot.
 *
 * Programs allocate in loops, from the same stack again and again. So each
 * thread remembers some of its last walks with every word of the stack that
 * they read. The result of a walk depends only on the caller's address, its
 * frame and these words: while they are unchanged, so is the context. The
 * comparison is a set of independent loads, whereas a walk is a chain of
 * dependent ones.
 *
 * per_thread=1: a remembered walk belongs to the name that the thread had then.
 *
 * fold_recursion=1: going outwards from the allocation, frames that repeat the
 * frames just before them are dropped, also cycles of up to FOLD_MAX frames.
 * The remaining stack has no such repetition. With this option up to
 * MPRT_STACK_FRAMES_MAX frames are walked, and malloc_context_size limits the
 * remaining frames.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/stack_cache.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/stack/depot.h"
#include "rt/stack/module_history.h"
#include "rt/stack/names.h"

/* Longest cycle of frames that is folded. */
#define FOLD_MAX 16

static uint32_t frames_max; /* limit of frames of a stack */
static uint32_t walk_max;   /* limit of frames before folding */
static bool folds;
static bool is_per_thread;

void mprt_stack_cache_init(void)
{
    /* LLVM's limit counts the frame of the allocation function, which we
     * drop. */
    const int64_t frames = mprt_options.malloc_context_size - 1;

    frames_max = frames < 1                       ? 1
                 : frames > MPRT_STACK_FRAMES_MAX ? MPRT_STACK_FRAMES_MAX
                                                  : (uint32_t)frames;
    folds = mprt_options.fold_recursion;
    is_per_thread = mprt_options.per_thread;
    walk_max = folds ? MPRT_STACK_FRAMES_MAX : frames_max;
}

/* Number of frames at the end of pcs[0..count) that repeat the frames before
 * them. */
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

/* Folds pcs[0..count), leaf first. Returns the number of remaining frames. */
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

/* Number of the thread's current name. If the name has changed, drops the
 * remembered walks. */
static uint32_t ask_name(struct mprt_thread *t)
{
    const uint32_t name = mprt_names_of_thread(t);

    if (t != NULL && name != t->name) {
        mprt_stack_cache_start_thread(t);
        t->name = name;
    }
    return name;
}

/* Returns the walks of a thread, allocated at the first call; NULL if out of
 * memory. With per_thread=1 they are not in t->walks, so that the fast path
 * never uses them without asking for the name. */
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

/* Name of the thread. If there is a `walk`, get_walks() has updated t->name. */
static uint32_t thread_of(const struct mprt_walk *walk)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    return walk != NULL ? t->name : ask_name(t);
}

/* Last generation in which the walk is valid; 0 for none. */
static uint32_t valid_until(const struct mprt_trace *trace, uint32_t generation)
{
    if (trace->leaves_stack)
        return 0;
    if (trace->lasts)
        return mprt_code_cache_last(generation);
    return mprt_code_cache_is_steady(generation) ? generation : 0;
}

/* Walks the stack into pcs. Remembers the walk in `walk`, which may be NULL. */
static uint32_t find_context(struct mprt_walk *walk, uintptr_t *pcs,
                             struct mprt_caller caller)
{
    /* Read before the walk: a change during the walk makes it out of date. */
    const uint32_t generation = mprt_code_cache_now();
    bool is_truncated;
    size_t count;

    if (walk != NULL)
        count = mprt_unwind_traced(&walk->trace, generation, caller, pcs,
                                   walk_max, &is_truncated);
    else
        count = mprt_unwind(caller, pcs, walk_max, &is_truncated);
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
        walk->pc = walk->trace.is_complete && context != 0 ? caller.pc : 0;
        mprt_thread_local.state->walk_generation = walk->generation;
    }
    return context;
}

/* For a thread without memory for its walks. */
static MPRT_NOINLINE uint32_t find_without(struct mprt_thread *t,
                                           struct mprt_caller caller)
{
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];

    if (t != NULL)
        t->walk_generation = 0;
    return find_context(NULL, pcs, caller);
}

static bool is_of(const struct mprt_walk *walk, struct mprt_caller caller)
{
    return walk->pc == caller.pc && walk->trace.frame == caller.frame;
}

/* Chooses a slot for a walk: the one with an older walk of this call, a free
 * one, else the two in turn. Calls that evict each other soon move to different
 * slots, as in cuckoo hashing. */
static struct mprt_walk *choose_place(struct mprt_walk *first,
                                      struct mprt_walk *second,
                                      struct mprt_caller caller)
{
    if (is_of(first, caller) || first->pc == 0)
        return first;
    if (is_of(second, caller) || second->pc == 0)
        return second;
    first->is_second_next = !first->is_second_next;
    return first->is_second_next ? first : second;
}

uint32_t mprt_stack_cache_find(struct mprt_thread *t, struct mprt_caller caller)
{
    struct mprt_walk *const walks = t != NULL ? get_walks(t) : NULL;

    if (walks == NULL)
        return find_without(t, caller);
    const uint64_t hash = mprt_stack_cache_hash(caller);
    struct mprt_walk *const first = mprt_stack_cache_first(walks, hash);
    struct mprt_walk *const second = mprt_stack_cache_second(walks, hash);

    if (MPROF_UNLIKELY(is_per_thread) &&
        mprt_stack_cache_is_same(first, caller))
        return first->context;
    if (mprt_stack_cache_is_same(second, caller))
        return second->context;
    return find_context(choose_place(first, second, caller), t->walked, caller);
}
