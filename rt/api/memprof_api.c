/* memprof_api.c -- what programs tell the profiler by inc/memprof.h; what they
 * ask of it is in sanitizer_api.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/base/options.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/record/event.h"
#include "rt/stack/names.h"
#include "rt/stack/unwind.h"

MPRT_INTERFACE void __memprof_thread_name(const char *name)
{
    struct mprt_thread *t;

    mprt_state_require();
    if (!mprt_options.per_thread)
        return;
    t = mprt_thread_current();
    if (t != NULL)
        mprt_names_set_thread(t, name);
}

MPRT_INTERFACE void __memprof_event(const char *name, unsigned long long weight)
{
    mprt_state_require();
    if (name != NULL && mprt_state_is_recording())
        mprt_event_record(mprt_names_of_event(MPROF_PART_EVENT, name), weight,
                          MPRT_CALLER_PC(), MPRT_CALLER_FRAME());
}
