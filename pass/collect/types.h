/* types.h -- writes the types that the module's calls allocate to its object.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

LLVM_C_EXTERN_C_BEGIN

/* Writes the records (shared/type_format.h; size bytes) of the module's
 * functions to a section of its object. Call it before optimization, while the
 * module has all functions. True if it changed the module. */
bool mpass_types_emit(LLVMModuleRef module, const char *records, size_t size);

LLVM_C_EXTERN_C_END
