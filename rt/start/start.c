/* start.c -- the table of the runtime's parts, and their start in three steps:
 *
 *   1. mprt_start_init(), called by the first allocation (of the dynamic
 *      linker, before any constructor) or by step 2: starts the parts that
 *      need only system calls. Blocks are recorded from then on.
 *   2. __memprof_preinit(), called from .preinit_array before the constructors
 *      of the program and its libraries: starts what needs libc. Registers the
 *      dump at exit first, so that it runs after all other exit handlers.
 *   3. __memprof_init(), called by each instrumented module's constructor: the
 *      same, for programs whose preinit array did not run.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/behind.h"
#include "rt/api/functions.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/internal_alloc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/overhead.h"
#include "rt/base/own_code.h"
#include "rt/base/lifecycle.h"
#include "rt/base/sandbox.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/dump/outfile.h"
#include "rt/dump/profile.h"
#include "rt/events/event_log.h"
#include "rt/heap/heap.h"
#include "rt/heap/shadow.h"
#include "rt/process/control.h"
#include "rt/process/process.h"
#include "rt/real/real.h"
#include "rt/record/duplicates.h"
#include "rt/record/ended.h"
#include "rt/record/hooks.h"
#include "rt/record/ignored.h"
#include "rt/record/last_access.h"
#include "rt/record/mibmap.h"
#include "rt/record/mapping.h"
#include "rt/record/resident.h"
#include "rt/record/pool.h"
#include "rt/record/sample.h"
#include "rt/record/series.h"
#include "rt/record/snapshot.h"
#include "rt/record/spread.h"
#include "rt/record/trail.h"
#include "rt/stack/depot.h"
#include "rt/stack/instrumented.h"
#include "rt/stack/jump.h"
#include "rt/stack/module_history.h"
#include "rt/stack/call_values.h"
#include "rt/stack/names.h"
#include "rt/stack/object.h"
#include "rt/stack/stack_cache.h"
#include "rt/stack/unwind.h"
#include "shared/abi.h"

#include <errno.h>

static const struct mprt_part parts[] = {
#define MPRT_PART(name, guards, ...) {__VA_ARGS__},
#include "rt/start/lifecycle.inc"
#undef MPRT_PART
};

enum state { STATE_NEW, STATE_STARTING, STATE_READY };

static _Atomic uint32_t state;
static _Atomic bool has_libc;

#define MPROF_OTHER_SANITIZER(name, function) \
    extern __attribute__((weak)) void function(void);
#include "shared/other_sanitizers.inc"

/* Ends the program if it is linked with another sanitizer that replaces malloc.
 * clang does not refuse to link both. */
static void refuse_other_sanitizers(void)
{
    const struct {
        void (*init)(void);
        const char *name;
    } sanitizers[] = {
#define MPROF_OTHER_SANITIZER(name, function) {function, #name},
#include "shared/other_sanitizers.inc"
    };

    for (size_t i = 0; i < MPROF_ARRAY_LEN(sanitizers); i++) {
        if (sanitizers[i].init == NULL)
            continue;
        MPRT_LOG("this program is linked with a sanitizer that replaces malloc "
                 "too; leave -fmemory-profile or -fsanitize=",
                 sanitizers[i].name, " out");
        mprt_os_exit(MPROF_EXIT_NO_SHADOW);
    }
}

static void start(void)
{
    refuse_other_sanitizers();
    if (!mprt_real_form.matches_program()) {
        MPRT_LOG("this program is linked statically, but with the runtime of "
                 "dynamic programs; link it with memprof-clang, or with "
                 "-resource-dir=.../resource/static and its wrap.flags");
        mprt_os_exit(MPROF_EXIT_NO_SHADOW);
    }
    mprt_os_init(mprt_real_form.is_static);
    mprt_lifecycle_set(parts, MPROF_ARRAY_LEN(parts));
    mprt_lifecycle_init();
}

void mprt_start_init(void)
{
    uint32_t expected = STATE_NEW;

    /* Pairs with the release below. */
    if (!atomic_compare_exchange_strong_explicit(
            &state, &expected, STATE_STARTING, memory_order_acquire,
            memory_order_acquire)) {
        /* Our own start calls an interface function, or, very rarely, another
         * thread is starting the runtime. */
        while (!mprt_thread_local.is_inside &&
               MPRT_LOAD_ACQUIRE(state) != STATE_READY)
            mprt_os_yield();
        return;
    }
    mprt_thread_enter();
    start();
    mprt_thread_leave();
    mprt_state_begin(mprt_options.start);
    MPRT_STORE_RELEASE(state, STATE_READY);
}

static void start_with_libc(void)
{
    mprt_state_require();
    if (atomic_exchange(&has_libc, true)) {
        mprt_module_history_look(); /* a module was loaded */
        if (mprt_trail_is_on)
            mprt_module_history_find_loaded();
        return;
    }
    /* The dynamic linker binds errno here, which needs 3 KiB of stack; a signal
     * handler may not have that much. */
    const int saved_errno = errno;
    /* The lookups' allocations are not the program's. */
    const bool is_first = mprt_thread_enter();
    mprt_lifecycle_init_with_libc();
    if (is_first)
        mprt_thread_leave();
    errno = saved_errno;
}

void __memprof_init(void);
void __memprof_preinit(void);

MPRT_INTERFACE void __memprof_init(void)
{
    const uintptr_t caller = MPRT_CALLER_PC();

    start_with_libc();
    if (mprt_own_code_has(caller))
        return; /* called by dso.c */
    mprt_instrumented_note_call(caller);
    mprt_shadow_begin_object();
}

MPRT_INTERFACE void __memprof_preinit(void)
{
    start_with_libc();
}
