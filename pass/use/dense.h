/* dense.h -- which blocks may be dense: aligned by 8 bytes instead of 16.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

/* String attribute of a call whose blocks gain by being dense and whose type
 * allows it: the bytes of the type. */
#define MPASS_DENSE "memprof-dense"

/* True if the call has the attribute, its block is one object of the type, and
 * the function's code does not need a larger alignment of the block; accesses
 * are changed to say so. */
bool mpass_dense_allow(LLVMValueRef call);
