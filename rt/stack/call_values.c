/* call_values.c -- from the value that instrumented code carries to a context,
 * without a walk.
 *
 * Code that was compiled to (pass/collect/calls.c) leaves a value that stands
 * for the calls which led to an allocation. The first time that a value is seen
 * at a place of the stack, the stack is walked; from then on a thread knows the
 * context by the value. Where the caller is not such code, by far the most
 * walks are remembered by stack_cache.c.
 *
 * The value knows nothing of frames that are not instrumented. What is on both
 * sides of them tells them apart nearly always: the return address into the
 * last of them is part of the value, and where the stack stands is part of the
 * key. To be sure, one look-up in CHECK_INTERVAL walks and compares; the
 * profile says how many were compared, and how many differed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/call_values.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/base/textbuf.h"
#include "rt/stack/depot.h"

/* No divisor of what loops count by. */
#define CHECK_INTERVAL 4093
/* Places of a thread: 16 bytes each, in lines of the processor's cache. A key
 * is looked for at its own place first, then at the others of that line. */
#define LINE_PLACES 4
#define BITS_MIN 8
#define BITS_STEP 2
#define BITS_MAX 16
/* So many differences, and values are not used any more: by a thread from its
 * next check on. */
#define DIFFERENCES_MAX 64

_Thread_local struct mprof_calls __memprof_calls_v1 = {
    .value = MPROF_CALLS_START,
};

static _Atomic bool uses_values;
static uint32_t interval;
static _Atomic uint64_t checks;
static _Atomic uint64_t differences;

static size_t count_of(const struct mprt_call_values *values)
{
    return (size_t)1 << (64 - values->shift);
}

void mprt_call_values_init(void)
{
    const char *const wanted = mprt_options.context;
    const bool is_both = mprt_libc_strcmp(wanted, "both") == 0;

    /* A thread's name is no part of a value. */
    uses_values =
        !mprt_options.per_thread && mprt_libc_strcmp(wanted, "walk") != 0;
    if (!is_both && uses_values && mprt_libc_strcmp(wanted, "value") != 0)
        mprt_log("context must be value, walk or both; value is taken", NULL);
    interval = is_both ? 1 : CHECK_INTERVAL;
}

void mprt_call_values_start_thread(struct mprt_thread *t)
{
    struct mprt_call_values *const v = &t->values;

    for (size_t i = 0; v->places != NULL && i < count_of(v); i++)
        v->places[i].key = 0;
}

struct mprt_call_values_checks mprt_call_values_checks(void)
{
    return (struct mprt_call_values_checks){
        atomic_load_explicit(&checks, memory_order_relaxed),
        atomic_load_explicit(&differences, memory_order_relaxed)};
}

void mprt_call_values_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    if (is_child) {
        atomic_store_explicit(&checks, 0, memory_order_relaxed);
        atomic_store_explicit(&differences, 0, memory_order_relaxed);
    }
}

/* -- differences ----------------------------------------------------------- */

static void say_stack(const char *what, uint32_t context)
{
    char text[1024];
    struct mprt_textbuf buf = {.out = text, .size = sizeof(text)};
    struct mprt_stack stack;

    mprt_depot_get(context, &stack);
    for (size_t i = 0; i < stack.count && i < 48; i++) {
        mprt_textbuf_str(&buf, " 0x");
        mprt_textbuf_hex(&buf, stack.pcs[i]);
    }
    mprt_log("context=both: ", what, text, NULL);
}

static void note_difference(uint32_t by_value, uint32_t by_walk)
{
    const uint64_t before =
        atomic_fetch_add_explicit(&differences, 1, memory_order_relaxed);

    if (interval == 1) {
        say_stack("by value", by_value);
        say_stack("by walk ", by_walk);
    } else if (before + 1 >= DIFFERENCES_MAX) {
        atomic_store_explicit(&uses_values, false, memory_order_relaxed);
    }
}

/* -- looking up ------------------------------------------------------------ */

/* Brings what is known of the key to its own place; NULL where nothing is. */
static struct mprt_call_value *fetch(const struct mprt_call_values *v,
                                     uint64_t key)
{
    struct mprt_call_value *const own = mprt_call_values_at(v, key);
    struct mprt_call_value *const line =
        &v->places[(size_t)(own - v->places) & ~(size_t)(LINE_PLACES - 1)];

    for (size_t i = 0; i < LINE_PLACES; i++) {
        const struct mprt_call_value found = line[i];

        if (found.key != key)
            continue;
        line[i] = *own;
        *own = found;
        return own;
    }
    return NULL;
}

/* Who is at the place moves to one in the line that is not in use, or else to
 * one that is. */
static void make_room(struct mprt_call_values *v, struct mprt_call_value *own,
                      uint32_t generation)
{
    struct mprt_call_value *const line =
        &v->places[(size_t)(own - v->places) & ~(size_t)(LINE_PLACES - 1)];
    size_t i = 0;

    while (i < LINE_PLACES && line[i].key != 0 &&
           line[i].generation >= generation)
        i++;
    if (i == LINE_PLACES)
        i = v->evictions++ % LINE_PLACES;
    line[i] = *own;
}

/* The key is nowhere, or at its own place. */
static void put(struct mprt_call_values *v, const struct mprt_call_value *made,
                uint32_t generation)
{
    struct mprt_call_value *const own = mprt_call_values_at(v, made->key);

    if (own->key != made->key)
        make_room(v, own, generation);
    *own = *made;
}

/* So many more places; what is known moves there. */
static bool make_places(struct mprt_call_values *v, unsigned bits)
{
    const struct mprt_call_values old = *v;
    struct mprt_call_value *const places =
        mprt_memory_map(((size_t)1 << bits) * sizeof(*places));

    v->evictions = 0;
    if (places == NULL)
        return old.places != NULL;
    v->places = places;
    v->shift = 64 - bits;
    for (size_t i = 0; old.places != NULL && i < count_of(&old); i++) {
        if (old.places[i].key != 0)
            put(v, &old.places[i], 0);
    }
    if (old.places != NULL)
        mprt_memory_unmap(old.places, count_of(&old) * sizeof(*places));
    return true;
}

/* Who has no places does not look a value up. */
static void drop_places(struct mprt_call_values *v)
{
    if (v->places != NULL)
        mprt_memory_unmap(v->places, count_of(v) * sizeof(*v->places));
    v->places = NULL;
}

/* There is a place for one more; false where there cannot be. */
static bool prepare(struct mprt_call_values *v)
{
    if (!atomic_load_explicit(&uses_values, memory_order_relaxed)) {
        drop_places(v);
        return false;
    }
    if (v->places == NULL) {
        v->to_check = interval;
        return make_places(v, BITS_MIN);
    }
    if (v->evictions > count_of(v) && v->shift > 64 - BITS_MAX)
        return make_places(v, 64 - v->shift + BITS_STEP);
    return true;
}

uint32_t mprt_call_values_find(struct mprt_thread *t, uint64_t key,
                               uintptr_t caller_pc, uintptr_t caller_frame)
{
    struct mprt_call_values *const v = &t->values;
    /* Before the walk: what changes meanwhile makes it out of date. */
    const uint32_t generation = mprt_code_cache_now();
    const bool has_places = prepare(v);
    struct mprt_call_value *const value = has_places ? fetch(v, key) : NULL;
    const bool is_known = value != NULL && value->generation >= generation;

    if (is_known && v->to_check != 0)
        return value->context;
    /* Who is not walked for is valid now. */
    t->walk_generation = generation;
    const uint32_t context =
        mprt_stack_cache_context(t, caller_pc, caller_frame);
    if (v->to_check == 0)
        v->to_check = interval;
    if (is_known) {
        atomic_fetch_add_explicit(&checks, 1, memory_order_relaxed);
        if (value->context != context)
            note_difference(value->context, context);
    }
    /* What a handler interrupted has left a value before it came to where it
     * is: valid in no generation. */
    if (has_places && t->walk_generation != 0 && context != 0)
        put(v, &(struct mprt_call_value){key, t->walk_generation, context},
            generation);
    else if (value != NULL)
        value->key = 0;
    return context;
}
