/* assembly.h -- inline assembly of which there must be one copy.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

/* True if inline assembly of the function may define a symbol, so that a copy
 * of the function would not assemble. */
bool mpass_assembly_defines_symbol(LLVMValueRef function);
