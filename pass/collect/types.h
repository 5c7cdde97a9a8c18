/* types.h -- what the calls of a module allocate, told to who reads profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_TYPES_H
#define MPASS_TYPES_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

LLVM_C_EXTERN_C_BEGIN

/* Puts those of the records (shared/type_format.h; size bytes) that are of
 * functions of the module into a section of its object. Before optimization,
 * while all functions are there. True if it changed the module. */
bool mpass_types_emit(LLVMModuleRef module, const char *records, size_t size);

LLVM_C_EXTERN_C_END

#endif
