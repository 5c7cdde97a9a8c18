/* call_values.h -- finds the context of a call, without a walk, from the value
 * that instrumented code carries. Inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/stack/stack_cache.h"
#include "shared/abi.h"

extern MPRT_INTERFACE _Thread_local struct mprof_calls __memprof_calls_v1;

/* Reads the option. Called once. */
void mprt_call_values_init(void);
/* Drops the contexts of the thread that used the state before. */
void mprt_call_values_start_thread(struct mprt_thread *t);
void mprt_call_values_in_child(void);

/* Number of contexts that were found both by value and by a walk, and how many
 * of them differed. */
struct mprt_call_values_checks {
    uint64_t checks;
    uint64_t differences;
};
struct mprt_call_values_checks mprt_call_values_checks(void);

/* Factors for the parts of a key: odd, and unrelated to each other. */
#define MPRT_CALL_VALUES_VALUE_FACTOR UINT64_C(0x9fb21c651e98df25)
#define MPRT_CALL_VALUES_PC_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* -- the common case ------------------------------------------------------- */

/* Returns the key of a call of an allocation function by code that carries
 * values. Returns 0 for any other call: another function left the value. */
static inline uint64_t mprt_call_values_key(struct mprt_caller caller)
{
    struct mprof_calls *const calls = &__memprof_calls_v1;

    /* The stack pointer before the call is two words above the frame. */
    if (calls->sp != caller.frame + 2 * sizeof(uintptr_t))
        return 0;
    /* The value is good for one call. */
    calls->sp = 0;
    /* Each part has its own factor, so that differences of two parts do not
     * cancel out and show in the high bits, which choose the slot. */
    return (calls->value * MPRT_CALL_VALUES_VALUE_FACTOR +
            caller.pc * MPRT_CALL_VALUES_PC_FACTOR +
            caller.frame * UINT64_C(0xc2b2ae3d27d4eb4f)) |
           1;
}

/* The slot in which the key is looked up first. */
static inline struct mprt_call_value *
mprt_call_values_at(const struct mprt_call_values *values, uint64_t key)
{
    return &values->places[key >> values->shift];
}

/* Slow path: finds the context in another slot or by a walk, or checks a
 * remembered context against a walk. */
uint32_t mprt_call_values_find(struct mprt_thread *t, uint64_t key,
                               struct mprt_caller caller);

/* mprt_stack_cache_context(), not inlined. */
uint32_t mprt_call_values_walk(struct mprt_thread *t,
                               struct mprt_caller caller);

/* Like mprt_stack_cache_context(), but looks the value up first. */
static inline MPRT_ALWAYS_INLINE uint32_t
mprt_call_values_context(struct mprt_thread *t, struct mprt_caller caller)
{
    const uint64_t key = mprt_call_values_key(caller);

    if (key == 0 || MPROF_UNLIKELY(t == NULL))
        return mprt_call_values_walk(t, caller);
    if (MPROF_LIKELY(t->values.places != NULL && --t->values.to_check != 0)) {
        const struct mprt_call_value *value =
            mprt_call_values_at(&t->values, key);
        const uint32_t generation = MPRT_LOAD(mprt_code_cache_generation);

        if (MPROF_LIKELY(value->key == key && value->generation >= generation))
            return value->context;
    }
    return mprt_call_values_find(t, key, caller);
}
