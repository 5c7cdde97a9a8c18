/* instrumented.h -- finds out which binaries contain instrumented code that
 * counts accesses. Any thread; takes no lock of ours.
 *
 * Both LLVM's pass and ours give each instrumented module a constructor that
 * calls __memprof_init(). A binary without the runtime refers to that function
 * by name in its relocations. The binary that holds the runtime has no such
 * relocation; there only the call tells. Code that counts nothing
 * (-memprof-access=none) has this constructor too, and one that calls
 * __memprof_uncounted_v1().
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/stack/object.h"

/* Notes a call of __memprof_init() by code at pc that is not the runtime's. */
void mprt_instrumented_note_call(uintptr_t pc);
/* Notes a call of __memprof_uncounted_v1(): an object file of the program
 * counts nothing. */
void mprt_instrumented_note_uncounted(uintptr_t pc);

/* Adds to the flags of a mapped and described binary what is known. */
void mprt_instrumented_describe(struct mprt_module *module,
                                const ElfW(Phdr) * headers, uint32_t count);
