/* instrumented.c -- finds out which binaries contain instrumented code that
 * counts accesses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/instrumented.h"
#include "rt/base/options.h"
#include "rt/stack/references.h"
#include "shared/abi.h"
#include "shared/raw_format.h"

/* For the binary that holds the runtime: the number of instrumented object
 * files, and of those among them that count nothing. */
static _Atomic uint32_t own_objects;
static _Atomic uint32_t own_uncounted;

/* -- by name --------------------------------------------------------------- */

/* Whether the names say that the binary counts. An object of our pass that
 * counts nothing refers to __memprof_uncounted_v1(); LLVM's pass has no such
 * mode. */
static bool is_by_name(uintptr_t bias, const ElfW(Phdr) * headers,
                       uint32_t count)
{
    enum { INIT = 1, COUNTING = 2, UNCOUNTED = 4 };
    static const struct mprt_reference names[] = {
        {MPROF_SYM_INIT, INIT},
        {MPROF_SYM_MODE, COUNTING},
        {MPROF_SYM_SHADOW_BASE, COUNTING},
        {MPROF_SYM_UNCOUNTED, UNCOUNTED},
    };
    const unsigned refers = mprt_references_find(bias, headers, count, names,
                                                 MPROF_ARRAY_LEN(names));

    return (refers & INIT) != 0 &&
           (refers & (COUNTING | UNCOUNTED)) != UNCOUNTED;
}

/* -- by the call ----------------------------------------------------------- */

static bool is_between(uintptr_t address, uintptr_t start, uintptr_t end)
{
    return address >= start && address < end;
}

/* Whether pc is in the binary that holds the runtime. */
static bool is_own(uintptr_t pc)
{
    const uintptr_t own = (uintptr_t)&mprt_instrumented_note_call;
    struct mprt_object object;

    return mprt_object_find(pc, &object) &&
           is_between(own, object.start, object.end);
}

void mprt_instrumented_note_call(uintptr_t pc)
{
    if (is_own(pc))
        MPRT_ADD(own_objects, 1);
}

void mprt_instrumented_note_uncounted(uintptr_t pc)
{
    if (is_own(pc))
        MPRT_ADD(own_uncounted, 1);
}

static bool is_noted(const struct mprt_module *module)
{
    const uintptr_t own = (uintptr_t)&mprt_instrumented_note_call;

    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (is_between(own, module->segments[i].start, module->segments[i].end))
            return MPRT_LOAD(own_objects) > MPRT_LOAD(own_uncounted);
    }
    return false;
}

void mprt_instrumented_describe(struct mprt_module *module,
                                const ElfW(Phdr) * headers, uint32_t count)
{
    module->flags |=
        mprt_options_access_period() != 0 &&
                (is_noted(module) || is_by_name(module->bias, headers, count))
            ? MPROF_RAW_MODULE_FL_INSTRUMENTED
            : MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED;
}
