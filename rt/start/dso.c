/* dso.c -- the start of the runtime as a shared library in programs without
 * instrumented code of their own (LD_PRELOAD, instrumented libraries). Reports
 * if the library is loaded too late to replace malloc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/functions.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/state.h"
#include "rt/real/real.h"
#include "rt/stack/object.h"
#include "shared/abi.h"

void __memprof_init(void);

/* Address range of this library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_here(const char *name)
{
    const uintptr_t found = (uintptr_t)mprt_real_form.find_first(name);

    return found >= (uintptr_t)__ehdr_start && found < (uintptr_t)_end;
}

/* Whether the program itself defines malloc: a library would have a name. */
static bool is_of_program(const char *name)
{
    struct mprt_object object;

    return mprt_object_find((uintptr_t)mprt_real_form.find_first(name),
                            &object) &&
           object.name[0] == '\0';
}

/* If the program contains a runtime of its own, this one stays inactive. */
__attribute__((constructor(101))) static void start(void)
{
    __memprof_init();
    if (is_here(MPROF_SYM_INIT) && !mprt_interpose_malloc_try()) {
        mprt_state_set_recording(false);
        mprt_options.dump_at_exit = false;
        if (is_of_program("malloc"))
            MPRT_LOG("nothing is recorded: the program defines malloc itself; "
                     "build it without its own allocator");
        else
            MPRT_LOG("nothing is recorded: another malloc comes before the one "
                     "of libclang_rt.memprof-x86_64.so; name this library "
                     "first when linking, or in LD_PRELOAD");
    }
}
