/* plan.c -- from the accesses of a function to the updates of counters that
 * count them. Today each access is one update. This is the place where several
 * accesses to one granule or object become one update with a larger count.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/pass.h"

#include <stdlib.h>

/* Memory for a compiler is as good as there; without it there is nothing that a
 * pass could do, so it stops like LLVM itself. */
static void *allocate(void *old, size_t count, size_t item_bytes)
{
    void *items = reallocarray(old, count, item_bytes);

    if (items == NULL)
        abort();
    return items;
}

void mpass_plan_add(struct mpass_plan *plan, const struct mpass_access *access)
{
    if (plan->access_count == plan->access_capacity) {
        plan->access_capacity = plan->access_capacity * 2 + 16;
        plan->accesses = allocate(plan->accesses, plan->access_capacity,
                                  sizeof(*plan->accesses));
    }
    plan->accesses[plan->access_count++] = *access;
}

/* -memprof-debug-min and -max number the accesses of a function, skipped ones
 * too, from 0; a negative bound switches both off. */
static bool is_in_debug_range(const struct mpass_options *options, size_t i)
{
    if (options->debug_min < 0 || options->debug_max < 0)
        return true;
    return i >= (size_t)options->debug_min && i <= (size_t)options->debug_max;
}

void mpass_plan_make(struct mpass_plan *plan,
                     const struct mpass_context *context)
{
    const struct mpass_options *const options = &context->options;

    plan->updates =
        allocate(NULL, plan->access_count + 1, sizeof(*plan->updates));
    for (size_t i = 0; i < plan->access_count; i++) {
        const struct mpass_access *const access = &plan->accesses[i];

        if (!is_in_debug_range(options, i))
            continue;
        if (!options->instrument_stack && mpass_access_is_stack(access))
            continue;
        plan->updates[plan->update_count++] = (struct mpass_update){
            .access = access, .before = access->inst, .count = 1};
    }
}

void mpass_plan_fini(struct mpass_plan *plan)
{
    free(plan->accesses);
    free(plan->updates);
    *plan = (struct mpass_plan){0};
}
