/* call_values.c -- finds the context of a call, without a walk, from the value
 * that instrumented code carries.
 *
 * Code that was compiled for it (pass/collect/calls.c) leaves a value that
 * stands for the calls that led to an allocation. When a value is first seen at
 * a stack position, the stack is walked; from then on the thread knows the
 * context by the value. For calls from other code, stack_cache.c remembers most
 * walks.
 *
 * The value does not cover frames that are not instrumented. Their neighbours
 * nearly always distinguish them: the return address into the innermost of them
 * is part of the value, and the stack pointer is part of the key. As a check,
 * one look-up in CHECK_INTERVAL also walks; the profile has the number of
 * checks and of differences.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/call_values.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/stack/depot.h"

/* A prime, so that it does not fall in step with loops of the program. */
#define CHECK_INTERVAL 4093
/* A thread's slots have 16 bytes each and form cache lines. A key is looked up
 * in its own slot first, then in the others of that cache line. */
#define LINE_PLACES 4
#define BITS_MIN 8
#define BITS_STEP 2
#define BITS_MAX 16
/* After this many differences values are no longer used; a thread notices at
 * its next check. */
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

    /* With per_thread=1 contexts are found by a walk: a value does not include
     * the thread's name. */
    uses_values =
        !mprt_options.per_thread && mprt_libc_strcmp(wanted, "walk") != 0;
    if (!is_both && uses_values && mprt_libc_strcmp(wanted, "value") != 0)
        MPRT_LOG("context must be value, walk or both; using value");
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
    return (struct mprt_call_values_checks){MPRT_LOAD(checks),
                                            MPRT_LOAD(differences)};
}

void mprt_call_values_in_child(void)
{
    MPRT_STORE(checks, 0);
    MPRT_STORE(differences, 0);
}

/* -- differences ----------------------------------------------------------- */

static void say_stack(const char *what, uint32_t context)
{
    char text[1024];
    struct mprt_textbuf buf = {.out = text, .size = sizeof(text)};
    struct mprt_stack stack;

    mprt_depot_get(context, &stack);
    for (size_t i = 0; i < stack.count && i < 48; i++) {
        MPRT_TEXT(&buf, " 0x", MPRT_HEX(stack.pcs[i]));
    }
    MPRT_LOG("context=both: ", what, text);
}

static void note_difference(uint32_t by_value, uint32_t by_walk)
{
    const uint64_t before = MPRT_ADD(differences, 1);

    if (interval == 1) {
        say_stack("by value", by_value);
        say_stack("by walk ", by_walk);
    } else if (before + 1 >= DIFFERENCES_MAX) {
        MPRT_STORE(uses_values, false);
    }
}

/* -- looking up ------------------------------------------------------------ */

/* Moves the entry of the key to its own slot. Returns it, or NULL if there is
 * none. */
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

/* Moves the entry in the slot `own` to a free or outdated slot of its cache
 * line, or else over another entry of the line. */
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

/* Stores an entry. Its key must not be in another slot. */
static void put(struct mprt_call_values *v, const struct mprt_call_value *made,
                uint32_t generation)
{
    struct mprt_call_value *const own = mprt_call_values_at(v, made->key);

    if (own->key != made->key)
        make_room(v, own, generation);
    *own = *made;
}

/* Replaces the slots by 2^bits slots and moves the entries there. */
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

/* A thread without slots does not look up values. */
static void drop_places(struct mprt_call_values *v)
{
    if (v->places != NULL)
        mprt_memory_unmap(v->places, count_of(v) * sizeof(*v->places));
    v->places = NULL;
}

/* Makes sure that there is a slot for one more entry. Returns false if values
 * are not used or there is no memory. */
static bool prepare(struct mprt_call_values *v)
{
    if (!MPRT_LOAD(uses_values)) {
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

uint32_t mprt_call_values_walk(struct mprt_thread *t, struct mprt_caller caller)
{
    return mprt_stack_cache_context(t, caller);
}

uint32_t mprt_call_values_find(struct mprt_thread *t, uint64_t key,
                               struct mprt_caller caller)
{
    struct mprt_call_values *const v = &t->values;
    /* Read before the walk: a change during the walk makes it out of date. */
    const uint32_t generation = mprt_code_cache_now();
    const bool has_places = prepare(v);
    struct mprt_call_value *const value = has_places ? fetch(v, key) : NULL;
    const bool is_known = value != NULL && value->generation >= generation;

    if (is_known && v->to_check != 0)
        return value->context;
    /* If a remembered walk is found, the context is valid now. A new walk sets
     * its own generation. */
    t->walk_generation = generation;
    const uint32_t context = mprt_stack_cache_context(t, caller);
    if (v->to_check == 0)
        v->to_check = interval;
    if (is_known) {
        MPRT_ADD(checks, 1);
        if (value->context != context)
            note_difference(value->context, context);
    }
    /* A walk out of a signal handler sets walk_generation to 0: the interrupted
     * code set a value before it reached the point of interruption, so the
     * value does not identify the stack. */
    if (has_places && t->walk_generation != 0 && context != 0)
        put(v, &(struct mprt_call_value){key, t->walk_generation, context},
            generation);
    else if (value != NULL)
        value->key = 0;
    return context;
}
