/* instrumented.h -- which modules hold instrumented code that counts. Any
 * thread; takes no lock of ours.
 *
 * Each instrumented module has a constructor that calls __memprof_init(), by
 * LLVM's pass as by ours. A module without the runtime in it refers to that
 * function by name, for as long as it is mapped; of the one that holds the
 * runtime nothing tells but the call. What counts nothing
 * (-memprof-access=none) has that constructor too, and one that says so.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_INSTRUMENTED_H
#define MPRT_INSTRUMENTED_H

#include "rt/stack/object.h"

/* __memprof_init() was called from there, by code that is not the runtime's. */
void mprt_instrumented_note_call(uintptr_t pc);
/* __memprof_uncounted_v1() likewise, by an object that counts nothing. */
void mprt_instrumented_note_uncounted(uintptr_t pc);

/* Adds to the flags of a module, which is mapped and described, what is known.
 */
void mprt_instrumented_describe(struct mprt_module *module,
                                const ElfW(Phdr) * headers, uint32_t count);

#endif
