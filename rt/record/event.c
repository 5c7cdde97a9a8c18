/* event.c -- events. A call stack with a name is a context, and an event is
 * recorded there like a block of `weight` bytes that ended at once. So dumps,
 * resets and forks treat events like ended blocks. Fields that have no meaning
 * for events are left out when a dump is written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/event.h"
#include "rt/base/log.h"
#include "rt/base/state.h"
#include "rt/record/mibmap.h"
#include "rt/record/trail.h"
#include "rt/stack/depot.h"
#include "rt/stack/stack_cache.h"
#include "rt/stack/vm.h"

void mprt_event_record(uint32_t name, uint64_t weight,
                       struct mprt_caller caller)
{
    const struct mprof_block_life life = {.size = weight};
    struct mprt_thread *const t = mprt_thread_current();

    if (!mprt_state_is_recording() || !mprt_thread_enter())
        return;
    const uint32_t context = mprt_depot_named(
        mprt_vm_context(t, mprt_stack_cache_context(t, caller)), name);
    if (context != 0)
        mprt_mibmap_add(context, &life, 0, NULL, NULL, 0);
    else
        MPRT_LOG_ONCE("too many call stacks; events at further ones are not "
                      "recorded");
    if (mprt_trail_is_on && context != 0 &&
        mprt_names_kind(name) == MPROF_TAG_EVENT)
        mprt_trail_event(t, context, weight);
    mprt_thread_leave();
}

void mprt_event_copy(const char *function, size_t bytes,
                     struct mprt_caller caller)
{
    if (bytes != 0 && mprt_state_is_recording())
        mprt_event_record(mprt_names_of_event(MPROF_TAG_COPY, function), bytes,
                          caller);
}
