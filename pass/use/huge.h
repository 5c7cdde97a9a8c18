/* huge.h -- makes a program ask its allocator for huge pages.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Core.h>
#include <stdint.h>

/* Adds a constructor to a module that defines main(), which calls
 * __memprof_huge_pages_hint() (inc/memprof_hints.h) if the program has it.
 * busy_bytes: the reason, for the remark. */
void mpass_huge_ask(LLVMModuleRef module, uint64_t busy_bytes);
