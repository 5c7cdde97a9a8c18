/* frontend.h -- what memprof.so and memprof-clang.so know of each other.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_FRONTEND_H
#define MPASS_FRONTEND_H

#include <llvm-c/ExternC.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* Set once the action has settled profile use for a compilation; found by name,
 * because it is in another object that need not be there. */
extern bool mpass_frontend_settled;
#define MPASS_FRONTEND_FILE "memprof-clang.so"
#define MPASS_FRONTEND_SETTLED "mpass_frontend_settled"

LLVM_C_EXTERN_C_END

#endif
