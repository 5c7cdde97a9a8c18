/* hints.h -- replaces calls of allocation functions whose blocks are known to
 * be cold or hot by calls of the hinted form.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Call it after the optimizations that remove or merge allocations. `all`: also
 * hint calls that are neither cold nor hot. Returns true if it changed the
 * module. */
bool mpass_hints_run(LLVMModuleRef module, const char *allocation_names,
                     bool all);
