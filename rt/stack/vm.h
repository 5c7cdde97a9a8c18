/* vm.h -- frames of interpreted functions (inc/memprof_vm.h). Any thread; all
 * functions but mprt_vm_add() are lock-free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#define MEMPROF_RUNTIME
#include "inc/memprof_vm.h"
#include "rt/base/thread.h"
#include "rt/stack/pc.h"
#include "shared/log_format.h"

/* A recorded frame of an interpreted function has this tag (pc.h) instead of
 * one of module_history.h, then the number of the function and the line. */
#define MPRT_VM_TAG MPROF_LOG_SCRIPT_TAG
#define MPRT_VM_LINE_BITS MPROF_LOG_SCRIPT_LINE_BITS
#define MPRT_VM_FUNCTIONS MPROF_LOG_SCRIPT_FUNCTIONS

static inline bool mprt_vm_is_frame(uintptr_t pc)
{
    return mprt_pc_tag(pc) == MPRT_VM_TAG;
}
static inline uint32_t mprt_vm_line(uintptr_t pc)
{
    return pc & ((UINT32_C(1) << MPRT_VM_LINE_BITS) - 1);
}

static inline uint32_t mprt_vm_number(uintptr_t pc)
{
    return pc >> MPRT_VM_LINE_BITS & (MPRT_VM_FUNCTIONS - 1);
}

/* See __memprof_vm_add(). Returns false if the code has no call frame
 * information, or if there are too many machines. Takes a lock. */
bool mprt_vm_add(uintptr_t interpreter, memprof_vm_frames frames);
/* Number of a function, or 0 if there is no room. */
uint32_t mprt_vm_function(const char *name, const char *file, uint32_t line);
/* The texts last as long as the process. */
struct mprt_vm_function {
    const char *name;
    const char *file;
    uint32_t line;
};
/* Returns the function of a frame for which mprt_vm_is_frame() is true. */
struct mprt_vm_function mprt_vm_function_of(uintptr_t pc);

extern MPRT_HIDDEN _Atomic uint32_t mprt_vm_count; /* of machines */
uint32_t mprt_vm_context_slow(struct mprt_thread *t, uint32_t context);

/* The context of a call whose C stack is `context`: with the frames of the
 * script, if an interpreter is on the stack. t may be NULL. Inside the guard.
 */
static inline uint32_t mprt_vm_context(struct mprt_thread *t, uint32_t context)
{
    if (MPROF_LIKELY(MPRT_LOAD(mprt_vm_count) == 0))
        return context;
    return mprt_vm_context_slow(t, context);
}
